/* SPDX-License-Identifier: GPL-2.0-only */
/* C++ names, by the C++ library of the machine, which hwflow is not linked with. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"

/* Names that may become longer than this are not made. */
#define LONGEST (1u << 24)

/*
 * abi::__cxa_demangle() of the Itanium C++ ABI, which has no header for C. A name in memory of its
 * own, if no buffer is given; a status: 0 for success.
 */
typedef char *cxa_demangle_fn(const char *symbol, char *buffer, size_t *size, int *status);

static cxa_demangle_fn *load(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
	cxa_demangle_fn *function;

	/* what dlsym() gives is no pointer to a function, to the language */
	_Static_assert(sizeof(function) == sizeof(symbol), "addresses are alike");
	memcpy(&function, &symbol, sizeof(function));
	return function;
}

/*
 * Each S_, S0_, T_ and so on may stand for all that is before it, so that a symbol of 300
 * bytes can have a name of terabytes: three in a row make it three times as long, at most.
 */
static bool may_be_endless(const char *symbol)
{
	size_t length = strlen(symbol);

	for (unsigned int references = 0; length <= LONGEST;) {
		symbol = strpbrk(symbol, "ST");
		if (!symbol)
			return false;
		symbol++;
		symbol += strspn(symbol, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		if (*symbol == '_' && ++references % 3 == 0)
			length *= 3;
	}
	return true;
}

/* The name, and what stands behind it */
static char *append(char *name, const char *suffix)
{
	char *all = NULL;

	if (name && asprintf(&all, "%s%s", name, suffix) < 0)
		all = NULL;
	free(name);
	return all;
}

char *demangle(const char *symbol)
{
	static cxa_demangle_fn *function;
	static bool loaded;
	const char *suffix = strchrnul(symbol, '@');
	char *mangled, *name = NULL;
	int status;

	if (strncmp(symbol, "_Z", 2) != 0 || may_be_endless(symbol))
		return NULL;
	if (!loaded)
		function = load();
	loaded = true;
	mangled = strndup(symbol, (size_t)(suffix - symbol));
	if (function && mangled)
		name = function(mangled, NULL, NULL, &status);
	free(mangled);
	return *suffix ? append(name, suffix) : name;
}
