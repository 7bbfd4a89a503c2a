/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of JSON that may stand in a script element. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/json.h"

static struct text text;
static char written[512];
static size_t size;

static int take(void *ctx, const char *bytes, size_t count)
{
	(void)ctx;
	assert_true(size + count < sizeof(written));
	memcpy(written + size, bytes, count);
	size += count;
	written[size] = '\0';
	return 0;
}

static void begin(void)
{
	size = 0;
	text_init(&text, take, NULL);
}

static void expect(const char *wanted)
{
	text_flush(&text);
	assert_string_equal(written, wanted);
}

static void strings_end_no_script_element(void **state)
{
	(void)state;
	begin();
	json_string(&text, "</script><!--<script>&amp;");
	expect("\"\\u003c/script\\u003e\\u003c!--\\u003cscript\\u003e\\u0026amp;\"");
}

static void strings_have_no_line_separators(void **state)
{
	(void)state;
	begin();
	json_string(&text, "a\xe2\x80\xa8"
			   "b\xe2\x80\xa9\xe2\x80\xaa\xe2\x80");
	expect("\"a\\u2028b\\u2029\xe2\x80\xaa\xe2\x80\"");
}

static void quotes_and_control_characters_are_escaped(void **state)
{
	(void)state;
	begin();
	json_string(&text, "\"q\\\n\t\x01");
	expect("\"\\\"q\\\\\\u000a\\u0009\\u0001\"");
}

static void names_are_escaped_as_on_a_terminal(void **state)
{
	(void)state;
	begin();
	json_name(&text, "a\\b\033[m\xff<");
	expect("\"a\\\\\\\\b\\\\033[m\\\\377\\u003c\"");
}

static void no_name_is_null(void **state)
{
	(void)state;
	begin();
	json_name(&text, NULL);
	expect("null");
}

static void numbers_that_a_double_has_not_are_strings(void **state)
{
	(void)state;
	begin();
	json_number(&text, (UINT64_C(1) << 53) - 1);
	text_char(&text, ' ');
	json_number(&text, UINT64_C(1) << 53);
	text_char(&text, ' ');
	json_number(&text, UINT64_MAX);
	expect("9007199254740991 \"9007199254740992\" \"18446744073709551615\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_end_no_script_element),
		cmocka_unit_test(strings_have_no_line_separators),
		cmocka_unit_test(quotes_and_control_characters_are_escaped),
		cmocka_unit_test(names_are_escaped_as_on_a_terminal),
		cmocka_unit_test(no_name_is_null),
		cmocka_unit_test(numbers_that_a_double_has_not_are_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
