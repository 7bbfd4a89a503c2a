// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows that are just possible, or just not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "trbe_window.h"

/* What is left of a page is passed over only if no window can ever be there */
static void room_that_will_do_later_is_kept(void **state)
{
	struct trbe_area area = {
		.head = 4096 - TRBE_WINDOW_MIN, .room = 100, .size = 4 * 4096, .page = 4096,
		.align = 1, .mirrored = true, .largest = ~0ULL,
	};
	struct trbe_window window;

	assert_false(trbe_window_place(&area, &window));
	assert_int_equal(window.pad, 0);
	area.head++;
	assert_false(trbe_window_place(&area, &window));
	assert_int_equal(window.pad, 100);

	/* the room ends where the ring does, and a page behind the limit is to be left free */
	area.mirrored = false;
	area.errata = TRBE_ERRATUM_OUT_OF_RANGE;
	area.head = area.size - 2000;
	area.room = 2000;
	assert_false(trbe_window_place(&area, &window));
	assert_int_equal(window.pad, 0);
}

/* The base moves only if the buffer would be larger than it may be */
static void the_base_stays_while_it_can(void **state)
{
	struct trbe_area area = {
		.head = 4096 + 100, .room = 3 * 4096 - 100, .size = 4 * 4096, .page = 4096,
		.align = 1, .mirrored = true, .largest = 4 * 4096,
	};
	struct trbe_window window;

	assert_true(trbe_window_place(&area, &window));
	assert_int_equal(window.base, 0);
	assert_int_equal(window.limit, area.size);
	area.largest--;
	assert_true(trbe_window_place(&area, &window));
	assert_int_equal(window.base, 4096);
	assert_int_equal(window.limit, area.size);
}

/* perf opens no record for the last byte, nor for none */
static void the_last_record_of_a_full_ring_is_known(void **state)
{
	struct trbe_area area = {
		.head = 4096 + 100, .room = 3 * 4096 - 100, .size = 4 * 4096, .page = 4096,
		.align = 64, .mirrored = true, .largest = ~0ULL,
	};
	struct trbe_window window;

	assert_true(trbe_window_place(&area, &window));
	assert_int_equal(window.pad, 28);
	assert_false(trbe_window_fills(&area, &window, 0));
	assert_false(trbe_window_fills(&area, &window, area.room - 28 - 2));
	assert_true(trbe_window_fills(&area, &window, area.room - 28 - 1));
	assert_true(trbe_window_fills(&area, &window, area.room - 28));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(room_that_will_do_later_is_kept),
		cmocka_unit_test(the_base_stays_while_it_can),
		cmocka_unit_test(the_last_record_of_a_full_ring_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
