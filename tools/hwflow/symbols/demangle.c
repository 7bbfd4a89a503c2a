/* SPDX-License-Identifier: GPL-2.0-only */
/* C++ names, by the C++ library of the machine, which hwflow is not linked with. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_limits.h"
#include "base/message.h"
#include "demangle.h"
#include "demangle_process.h"

/* A name that may take more steps than this, and be longer, is made in a process of its own. */
#define FEW_STEPS (1u << 20)

/* Bytes of a name, for a byte of its symbol: "Ss" may be std::basic_string with its arguments */
#define BYTES_PER_BYTE 40u

static demangle_fn *load(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
	demangle_fn *function;

	/* what dlsym() gives is no pointer to a function, to the language */
	_Static_assert(sizeof(function) == sizeof(symbol), "addresses are alike");
	memcpy(&function, &symbol, sizeof(function));
	return function;
}

/*
 * Each S_, S0_, T_ and so on may stand for all that is before it, so that a symbol of 300 bytes can
 * have a name of terabytes: three in a row make it three times as long, at most. A pack (Dp, sp) is
 * repeated for each of its elements, and the constructors of a class repeat its name.
 */
static bool may_take_many_steps(const char *symbol)
{
	const size_t length = strlen(symbol);
	size_t steps = BYTES_PER_BYTE * length;
	unsigned int references = 0;

	if (length > FEW_STEPS / BYTES_PER_BYTE)
		return true;
	for (; *symbol && steps <= FEW_STEPS; symbol++) {
		if (!strncmp(symbol, "Dp", 2) || !strncmp(symbol, "sp", 2))
			steps *= length;
		if (*symbol == 'S' || *symbol == 'T')
			symbol += strspn(symbol + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		else
			continue;
		if (symbol[1] == '_' && ++references % 3 == 0)
			steps *= 3;
	}
	return steps > FEW_STEPS;
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
	const size_t most = (size_t)limit_of(LIMIT_name);
	static demangle_fn *function;
	static bool loaded;
	const char *suffix = strchrnul(symbol, '@');
	char *mangled, *name = NULL;
	bool too_long = false;
	int status;

	if (strncmp(symbol, "_Z", 2) != 0)
		return NULL;
	if (!loaded)
		function = load();
	loaded = true;
	mangled = strndup(symbol, (size_t)(suffix - symbol));
	if (function && mangled)
		name = may_take_many_steps(mangled)
			       ? demangle_in_process(function, mangled, most, &too_long)
			       : function(mangled, NULL, NULL, &status);
	free(mangled);
	too_long |= name && strlen(name) > most;
	if (too_long) {
		message_once("hwflow: some C++ names are too long; they are printed as they are in "
			     "the symbol table; %s",
			     limit_text(LIMIT_name));
		free(name);
		return NULL;
	}
	return *suffix ? append(name, suffix) : name;
}
