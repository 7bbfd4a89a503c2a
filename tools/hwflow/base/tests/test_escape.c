// SPDX-License-Identifier: GPL-2.0-only
/* Strings of an input in text output: what is escaped and what is not, and print(). */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/print.h"

static void assert_escaped(const char *name, const char *expected)
{
	char *copy = escape_copy(name);

	assert_non_null(copy);
	assert_string_equal(copy, expected);
	free(copy);
}

static void names_are_written_as_ls_writes_them(void **state)
{
	(void)state;
	assert_escaped("", "");
	assert_escaped("std::vector<int>::push_back(int const&) ~",
		       "std::vector<int>::push_back(int const&) ~");
	assert_escaped("a\a\b\t\n\v\f\rz", "a\\a\\b\\t\\n\\v\\f\\rz");
	assert_escaped("\1\033[31m\037\177", "\\001\\033[31m\\037\\177");
	assert_escaped("\\n", "\\\\n");
}

static void utf8_stays(void **state)
{
	(void)state;
	assert_escaped("Gr\xc3\xb6\xc3\x9f"
		       "e",
		       "Gr\xc3\xb6\xc3\x9f"
		       "e");
	assert_escaped("\xe2\x82\xac \xf0\x9f\x90\xa7", "\xe2\x82\xac \xf0\x9f\x90\xa7");
	assert_escaped("\xf4\x8f\xbf\xbf\xc2\xa0", "\xf4\x8f\xbf\xbf\xc2\xa0");
}

static void characters_that_control_text_are_escaped(void **state)
{
	(void)state;
	assert_escaped("\xc2\x80\xc2\x9b\xc2\x9f", "\\302\\200\\302\\233\\302\\237");
	assert_escaped("\xe2\x80\xaa\xe2\x80\xae", "\\342\\200\\252\\342\\200\\256");
	assert_escaped("\xe2\x81\xa6\xe2\x81\xa9", "\\342\\201\\246\\342\\201\\251");
	assert_escaped("\xe2\x80\xa8\xe2\x80\xa9", "\\342\\200\\250\\342\\200\\251");
	assert_escaped("\xe2\x80\x8e\xd8\x9c", "\\342\\200\\216\\330\\234");
}

static void bytes_that_are_not_utf8_are_escaped(void **state)
{
	(void)state;
	assert_escaped("\x9b\xff", "\\233\\377");
	/* encodings that are too long, a surrogate, beyond the last character */
	assert_escaped("\xc0\x9b\xe0\x82\x9b", "\\300\\233\\340\\202\\233");
	assert_escaped("\xf0\x80\x80\x9b", "\\360\\200\\200\\233");
	assert_escaped("\xed\xa0\x80", "\\355\\240\\200");
	assert_escaped("\xf4\x90\x80\x80", "\\364\\220\\200\\200");
	/* the rest of a character is missing, or is another one */
	assert_escaped("\xe2\x82", "\\342\\202");
	assert_escaped("\xe2\x82z", "\\342\\202z");
	assert_escaped("\xc3", "\\303");
}

static void a_line_keeps_its_backslashes(void **state)
{
	static const char line[] = "puts(\"\\n\\\\\");\033";
	char out[ESCAPE_GROWTH * sizeof(line)];
	const size_t size = escape_bytes(ESCAPE_LINE, line, strlen(line), out);

	(void)state;
	assert_int_equal(size, strlen(line) + 3);
	assert_memory_equal(out, "puts(\"\\n\\\\\");\\033", size);
}

/* What print() prints is compared with snprintf() of the same arguments. */
#define ASSERT_AS_PRINTF(...)                                                      \
	do {                                                                       \
		char expected[256], *text = NULL;                                  \
		size_t bytes;                                                      \
		FILE *file = open_memstream(&text, &bytes);                        \
                                                                                   \
		assert_non_null(file);                                             \
		snprintf(expected, sizeof(expected), __VA_ARGS__);                 \
		assert_int_equal(print(file, __VA_ARGS__), (int)strlen(expected)); \
		assert_int_equal(fclose(file), 0);                                 \
		assert_string_equal(text, expected);                               \
		free(text);                                                        \
	} while (0)

static void plain_text_is_printed_as_by_printf(void **state)
{
	const size_t size = SIZE_MAX;
	const ptrdiff_t difference = -5;

	(void)state;
	ASSERT_AS_PRINTF("plain 100%%");
	ASSERT_AS_PRINTF("%s|%c|%%|%s", "a", 'b', "c");
	ASSERT_AS_PRINTF("%8s|%-8s|%.2s|%-6.3s|%*s|%-*s|%.*s|%*.*s", "abc", "abc", "abc", "abcdef",
			 6, "abc", 6, "abc", 2, "abc", -9, 2, "abc");
	ASSERT_AS_PRINTF("%s %d %5d %-5d| %05d %+d %u %x %#x %#llx %08lx %c", "s", -1, 42, 42, 42,
			 42, 7u, 0xabcu, 0xabcu, 0xabcdef0123ull, 0xfful, 'z');
	ASSERT_AS_PRINTF("%s %zu %td %jd %hhu %hd %ld %lld", "s", size, difference, INTMAX_MIN,
			 (unsigned char)200, (short)-3, -4l, LLONG_MIN);
	ASSERT_AS_PRINTF("%s %.2f %8.3f %-8.1f| %5.1f%% %e %g", "s", 1.005, 3.14159, 2.5, 99.5,
			 1e10, 0.5);
	ASSERT_AS_PRINTF("%s %p %*d %-*d|", "s", (void *)state, 5, 1, 5, 2);
}

static void strings_of_print_are_escaped(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_non_null(file);
	print(file, "\033[K%s|%c|%8s|%-8s|%.1s|%.*s\n", "a\nb", '\t', "\n", "\n", "\nx", 2,
	      "\\\n\n");
	fclose(file);
	assert_string_equal(text, "\033[Ka\\nb|\\t|      \\n|\\n      |\\n|\\\\\\n\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_written_as_ls_writes_them),
		cmocka_unit_test(utf8_stays),
		cmocka_unit_test(characters_that_control_text_are_escaped),
		cmocka_unit_test(bytes_that_are_not_utf8_are_escaped),
		cmocka_unit_test(a_line_keeps_its_backslashes),
		cmocka_unit_test(plain_text_is_printed_as_by_printf),
		cmocka_unit_test(strings_of_print_are_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
