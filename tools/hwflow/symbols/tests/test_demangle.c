/* SPDX-License-Identifier: GPL-2.0-only */
/* C++ names. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/demangle.h"

static void expect(const char *symbol, const char *name)
{
	char *is = demangle(symbol);

	if (name && is)
		assert_string_equal(is, name);
	else if (name || is)
		fail_msg("%s: %s", symbol, is ? is : "no name");
	free(is);
}

static void names_are_as_in_the_source(void **state)
{
	(void)state;
	if (!dlopen("libstdc++.so.6", RTLD_LAZY))
		skip();
	expect("_ZN5space8functionEi", "space::function(int)");
	expect("_ZN5space8functionEi@plt", "space::function(int)@plt");
	expect("_ZNSt6vectorIiSaIiEE9push_backERKi",
	       "std::vector<int, std::allocator<int> >::push_back(int const&)");
}

static void others_have_none(void **state)
{
	(void)state;
	expect("", NULL);
	expect("main", NULL);
	/* which would be the type int */
	expect("i", NULL);
	expect("Z4mainv", NULL);
	expect("_Zero", NULL);
	expect("_Z", NULL);
	expect("_Z@plt", NULL);
	expect("@plt", NULL);
}

/* f(A, B<A, A>, B<B<A, A>, B<A, A>>, ...): each is twice as long as the one before. */
static size_t doubled(unsigned int times)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char symbol[400] = "_Z1f1A1BIS_S_E";
	size_t length = strlen(symbol);
	char *name;

	for (unsigned int i = 1; i < times; i++)
		length += (size_t)snprintf(symbol + length, sizeof(symbol) - length,
					   "S0_IS%c_S%c_E", digits[i], digits[i]);
	name = demangle(symbol);
	length = name ? strlen(name) : 0;
	free(name);
	return length;
}

static void names_that_explode_are_not_made(void **state)
{
	(void)state;
	if (!dlopen("libstdc++.so.6", RTLD_LAZY))
		skip();
	/* "f(" and 0 for A, 7 for B<A, A> and so on */
	assert_int_equal(doubled(1), strlen("f(A, B<A, A>)"));
	assert_in_range(doubled(8), 3000, 4000);
	assert_int_equal(doubled(28), 0);
}

/* Whatever stands in a symbol table */
static void nonsense_does_no_harm(void **state)
{
	static const char letters[] = "SSTTSSTT__0123456789AZINKPRLDCFEabcdefgijklmnopstvwxyz";
	uint32_t seed = 1;

	(void)state;
	for (unsigned int i = 0; i < 20000; i++) {
		char symbol[64] = "_Z";

		for (size_t at = 2; at < sizeof(symbol) - 1; at++) {
			seed = seed * 1664525 + 1013904223;
			symbol[at] = letters[(seed >> 16) % (sizeof(letters) - 1)];
		}
		free(demangle(symbol));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_as_in_the_source),
		cmocka_unit_test(others_have_none),
		cmocka_unit_test(names_that_explode_are_not_made),
		cmocka_unit_test(nonsense_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
