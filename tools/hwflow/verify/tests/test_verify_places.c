// SPDX-License-Identifier: GPL-2.0-only
/* verify: which of several places of the log a stretch of trace is at, and if that is certain. */
#include "base/error.h"
#include "verify_test.h"

/* Two rounds are anywhere in the loop, but what goes on behind them without a loss is at its end.
 */
static void a_short_piece_is_where_the_next_one_fits(void **state)
{
	struct story *story = story_new();

	(void)state;
	begin(story, true);
	leave(story);
	executed(story, ROUND, 50);
	begin(story, false);
	rounds(story, 2);
	begin(story, false);
	leave(story);
	executed(story, ROUND, 50);
	begin(story, true);
	number(story, 5);
	verify(story, EXIT_GOOD,
	       "thread 7: equal: 38 instructions, 0 exceptions; 200 more lost or filtered out\n",
	       38);
}

static void a_short_stretch_behind_an_overflow_is_where_the_next_piece_fits(void **state)
{
	static const uint8_t overflow[] = {0x00, 0x05};
	struct story *story = story_new();

	(void)state;
	begin(story, false);
	leave(story);
	traced(story, overflow, sizeof(overflow));
	executed(story, ROUND, 50);
	traced(story, start_of_trace, sizeof(start_of_trace));
	rounds(story, 2);
	begin(story, false);
	leave(story);
	verify(story, EXIT_GOOD,
	       "thread 7: equal: 10 instructions, 0 exceptions; 100 more lost or filtered out\n",
	       10);
}

/* The last piece goes to the end of the log where nothing behind it was lost. */
static void a_short_piece_is_at_the_end_where_trace_ends(void **state)
{
	struct story *story = story_new();

	(void)state;
	begin(story, true);
	leave(story);
	executed(story, ROUND, 50);
	begin(story, false);
	rounds(story, 3);
	verify(story, EXIT_GOOD,
	       "thread 7: equal: 9 instructions, 0 exceptions; 100 more lost or filtered out\n", 9);
}

/* Of three that are alike each has one place, as there are no more than three. */
static void short_pieces_leave_each_other_one_place(void **state)
{
	struct story *story = story_new();

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		executed(story, ROUND, 10);
		begin(story, true);
		leave(story);
	}
	executed(story, ROUND, 10);
	verify(story, EXIT_GOOD,
	       "thread 7: equal: 9 instructions, 0 exceptions; 80 more lost or filtered out\n", 9);
}

/* With one place more nobody knows which of them it is, even if there is but one for the next. */
static void what_fits_several_places_is_not_verified(void **state)
{
	struct story *story = story_new();

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		executed(story, ROUND, 10);
		begin(story, true);
		leave(story);
	}
	executed(story, ROUND, 1);
	executed(story, DONE, 1);
	begin(story, true);
	number(story, 5);
	executed(story, ROUND, 10);
	verify(story, EXIT_GOOD,
	       "thread 7: equal: 28 instructions, 0 exceptions; 9 more not verified: they fit "
	       "several places of the log; 83 more lost or filtered out\n",
	       28);
}

/* A stretch has to be before the last place of the next one, not before its first. */
static void the_next_one_may_be_further_on_too(void **state)
{
	struct story *story = story_new();

	(void)state;
	begin(story, true);
	rounds(story, 3);
	begin(story, true);
	leave(story);
	executed(story, ROUND, 2);
	executed(story, DONE, 1);
	verify(story, EXIT_GOOD,
	       "thread 7: equal: 0 instructions, 0 exceptions; 9 more not verified: they fit "
	       "several places of the log; 5 more lost or filtered out\n",
	       0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_piece_is_where_the_next_one_fits),
		cmocka_unit_test(a_short_stretch_behind_an_overflow_is_where_the_next_piece_fits),
		cmocka_unit_test(a_short_piece_is_at_the_end_where_trace_ends),
		cmocka_unit_test(short_pieces_leave_each_other_one_place),
		cmocka_unit_test(what_fits_several_places_is_not_verified),
		cmocka_unit_test(the_next_one_may_be_further_on_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
