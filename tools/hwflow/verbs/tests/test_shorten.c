/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that fit into the columns of a table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "verbs/shorten.h"

static void expect(const char *name, size_t columns, const char *shortened)
{
	char *is = shorten(name, columns);

	assert_non_null(is);
	assert_string_equal(is, shortened);
	free(is);
}

static void names_that_fit_stay(void **state)
{
	(void)state;
	expect("main", 8, "main");
	expect("std::vector<int>", 16, "std::vector<int>");
	expect("", 8, "");
}

static void deeply_nested_arguments_go_first(void **state)
{
	static const char name[] =
		"std::map<int, std::pair<long, char const*> >::find(std::pair<long, "
		"char const*>&)";

	(void)state;
	expect(name, 72, "std::map<int, std::pair<...> >::find(std::pair<long, char const*>&)");
	expect(name, 60, "std::map<int, std::pair<...> >::find(std::pair<...>&)");
	expect(name, 50, "std::map<...>::find(std::pair<...>&)");
	expect(name, 30, "std::map<...>::find(...)");
}

static void operators_are_no_brackets(void **state)
{
	(void)state;
	expect("operator<(std::string const&, std::string const&)", 20, "operator<(...)");
	expect("a::operator()(std::string const&) const", 30, "a::operator()(...) const");
	expect("std::operator<< <std::char_traits<char> >(std::ostream&)", 40,
	       "std::operator<< <...>(...)");
	expect("a<(x->y)>::operator->(int, int, int)", 28, "a<(x->y)>::operator->(...)");
}

static void type_of_a_rust_method_stays(void **state)
{
	(void)state;
	expect("<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop::<T, A, 123456>", 60,
	       "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop::<...>");
}

static void anonymous_namespaces_stay(void **state)
{
	(void)state;
	expect("(anonymous namespace)::f(int, int, int)", 32, "(anonymous namespace)::f(...)");
	expect("a::(anonymous namespace)::f(int, int, int)", 34,
	       "a::(anonymous namespace)::f(...)");
}

static void middle_goes_last(void **state)
{
	(void)state;
	expect("abcdefghijklmnopqrstuvwxyz", 9, "abc...xyz");
	expect("abcdefghijklmnopqrstuvwxyz", 8, "ab...xyz");
	expect("a(b<c(d<e)f", 10, "a(b...<e)f");
}

static void characters_are_whole(void **state)
{
	(void)state;
	expect("äöüäöüäöü", 9, "äöüäöüäöü");
	expect("äöüäöüäöüß", 9, "äöü...öüß");
}

/* no name of brackets, bytes that are no UTF-8 and words hangs, or is longer than it may be */
static void any_bytes_fit(void **state)
{
	static const char bytes[] = "<>()<>()-=:a\x80\xff operator";
	char name[400];
	uint32_t random = 1;

	(void)state;
	for (unsigned int i = 0; i < 20000; i++) {
		size_t length = i % (sizeof(name) - 1), columns = 0;
		char *is;

		for (size_t at = 0; at < length; at++) {
			random = random * 1664525 + 1013904223;
			name[at] = bytes[(random >> 16) % (sizeof(bytes) - 1)];
		}
		name[length] = '\0';
		is = shorten(name, 8 + i % 60);
		assert_non_null(is);
		for (const char *at = is; *at; at++)
			columns += ((unsigned char)*at & 0xc0) != 0x80;
		assert_true(columns <= 8 + i % 60);
		free(is);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_fit_stay),
		cmocka_unit_test(deeply_nested_arguments_go_first),
		cmocka_unit_test(operators_are_no_brackets),
		cmocka_unit_test(type_of_a_rust_method_stays),
		cmocka_unit_test(anonymous_namespaces_stay),
		cmocka_unit_test(middle_goes_last),
		cmocka_unit_test(characters_are_whole),
		cmocka_unit_test(any_bytes_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
