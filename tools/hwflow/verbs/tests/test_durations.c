// SPDX-License-Identifier: GPL-2.0-only
/* Distributions of durations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "verbs/durations.h"

static void test_rows(void **state)
{
	struct durations durations = {0};

	(void)state;
	assert_int_equal(durations_row(0), 0);
	assert_int_equal(durations_row(1), 1);
	assert_int_equal(durations_row(2), 2);
	assert_int_equal(durations_row(3), 5);
	assert_int_equal(durations_row(4), 10);
	assert_int_equal(durations_row(DURATIONS_ROWS - 1), UINT64_C(10000000000000000000));
	for (unsigned int i = 1; i < DURATIONS_ROWS; i++) {
		assert_true(durations_row(i) > durations_row(i - 1));
		/* each row has its least duration, and not that of the next one */
		assert_true(durations_add(&durations, durations_row(i)));
		assert_true(durations_add(&durations, durations_row(i) - 1));
	}
	assert_int_equal(durations.rows[0], 1);
	for (unsigned int i = 1; i < DURATIONS_ROWS - 1; i++)
		assert_int_equal(durations.rows[i], 2);
	assert_int_equal(durations.rows[DURATIONS_ROWS - 1], 1);
	assert_true(durations_add(&durations, UINT64_MAX));
	assert_int_equal(durations.rows[DURATIONS_ROWS - 1], 2);
	durations_free(&durations);
}

static void test_percentiles(void **state)
{
	struct durations durations = {0};

	(void)state;
	assert_int_equal(durations_percentile(&durations, 0.5), 0);
	for (uint64_t i = 1; i <= 100; i++)
		assert_true(durations_add(&durations, i));
	/* below the number of steps of an octave they are exact */
	assert_int_equal(durations_percentile(&durations, 0), 1);
	assert_int_equal(durations_percentile(&durations, 0.5), 50);
	assert_int_equal(durations_percentile(&durations, 0.501), 51);
	assert_int_equal(durations_percentile(&durations, 0.99), 99);
	assert_int_equal(durations_percentile(&durations, 1), 100);
	assert_int_equal(durations.sum, 5050);
	assert_int_equal(durations.least, 1);
	assert_int_equal(durations.most, 100);
	durations_free(&durations);
	/* a step longer at most, and not longer than the longest */
	for (unsigned int bit = 0; bit < 64; bit++) {
		const uint64_t duration = UINT64_C(1) << bit | UINT64_C(1) << bit >> 1;

		assert_true(durations_add(&durations, duration));
		assert_true(durations_add(&durations, UINT64_MAX));
		assert_in_range(durations_percentile(&durations, 0.5), duration,
				duration + duration / DURATIONS_STEPS);
		assert_true(durations_percentile(&durations, 1) == UINT64_MAX);
		durations_free(&durations);
		assert_true(durations_add(&durations, duration));
		assert_true(durations_percentile(&durations, 0.5) == duration);
		durations_free(&durations);
	}
	/* more than a sum can be */
	assert_true(durations_add(&durations, UINT64_MAX));
	assert_true(durations_add(&durations, 5));
	assert_true(durations.sum == UINT64_MAX);
	durations_free(&durations);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_percentiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
