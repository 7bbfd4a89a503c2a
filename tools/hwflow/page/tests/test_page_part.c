/* SPDX-License-Identifier: GPL-2.0-only */
/* A list of values within a budget. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "page/page_part.h"

static struct page_part part;
static struct text out;
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

/* Adds a value; false if it is left out. */
static bool add(const char *value)
{
	struct text *text = page_part_item(&part);

	if (!text)
		return false;
	text_bytes(text, value, strlen(value));
	return page_part_end_item(&part);
}

static void expect(const char *wanted)
{
	size = 0;
	text_init(&out, take, NULL);
	page_part_write(&part, &out);
	text_flush(&out);
	assert_string_equal(written, wanted);
	assert_int_equal(out.hwf.error, 0);
	page_part_free(&part);
}

static void an_empty_list_is_a_list(void **state)
{
	(void)state;
	page_part_init(&part, 10);
	expect("[]");
	assert_int_equal(part.count, 0);
}

static void values_are_separated(void **state)
{
	(void)state;
	page_part_init(&part, 100);
	assert_true(add("1"));
	assert_true(add("22"));
	expect("[1,\n22]");
	assert_int_equal(part.count, 2);
	assert_int_equal(part.left, 0);
}

static void after_a_value_without_room_all_are_left_out(void **state)
{
	(void)state;
	page_part_init(&part, 6);
	assert_true(add("1"));
	assert_false(add("55555"));
	assert_false(add("2"));
	expect("[1]");
	assert_int_equal(part.count, 1);
	assert_int_equal(part.left, 2);
}

static void a_list_that_skips_takes_a_later_value(void **state)
{
	(void)state;
	page_part_init(&part, 6);
	part.skips = true;
	assert_true(add("1"));
	assert_false(add("55555"));
	assert_true(add("2"));
	expect("[1,\n2]");
	assert_int_equal(part.left, 1);
}

static void a_budget_is_used_to_its_last_byte(void **state)
{
	(void)state;
	page_part_init(&part, 4);
	assert_true(add("1"));
	assert_true(add("2"));
	assert_false(add(""));
	expect("[1,\n2]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_list_is_a_list),
		cmocka_unit_test(values_are_separated),
		cmocka_unit_test(after_a_value_without_room_all_are_left_out),
		cmocka_unit_test(a_list_that_skips_takes_a_later_value),
		cmocka_unit_test(a_budget_is_used_to_its_last_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
