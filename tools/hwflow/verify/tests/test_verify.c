// SPDX-License-Identifier: GPL-2.0-only
/* verify: where in the log a trace goes on after a loss. */
#include "base/error.h"
#include "verify_test.h"

static void goes_on_after_many_losses(void **state)
{
	struct story *story = story_new();

	(void)state;
	for (size_t i = 0; i < MOST_PIECES; i++) {
		executed(story, ROUND, i ? 10000 : 200000);
		begin(story, true);
		rounds(story, 3);
		leave(story);
		number(story, i);
	}
	/* 2 instructions a round, 3 where a loop ends; half of the bits, but for 200 to 255 */
	verify(story, EXIT_GOOD,
	       "thread 7: equal: 8064 instructions, 0 exceptions; 4380000 more lost or "
	       "filtered out\n",
	       8064);
}

static void goes_on_after_overflows_in_one_piece(void **state)
{
	static const uint8_t overflow[] = {0x00, 0x05};
	struct story *story = story_new();

	(void)state;
	executed(story, ROUND, 1000);
	begin(story, true);
	for (size_t i = 0; i < 2; i++) {
		rounds(story, 3);
		leave(story);
		traced(story, overflow, sizeof(overflow));
		executed(story, ROUND, 1000);
		traced(story, start_of_trace, sizeof(start_of_trace));
	}
	rounds(story, 1);
	leave(story);
	verify(story, EXIT_GOOD,
	       "thread 7: equal: 23 instructions, 0 exceptions; 6000 more lost or filtered out\n",
	       23);
}

static void forget(struct story *story)
{
	story->pieces[story->count - 1].gone = story->pieces[story->count - 1].length;
}

/* A snapshot has the end of one piece, and the next; of these nothing is missing. */
static struct story *snapshot(void)
{
	struct story *story = story_new();

	begin(story, false);
	rounds(story, 5);
	leave(story);
	forget(story);
	begin(story, false);
	rounds(story, 3);
	leave(story);
	forget(story);
	traced(story, start_of_trace, sizeof(start_of_trace));
	number(story, 5);
	begin(story, false);
	rounds(story, 2);
	leave(story);
	return story;
}

static void a_snapshot_begins_anywhere(void **state)
{
	(void)state;
	verify(snapshot(), EXIT_GOOD,
	       "thread 7: equal: 35 instructions, 0 exceptions; 22 more lost or filtered out\n",
	       35);
}

static void a_snapshot_ends_with_the_log(void **state)
{
	struct story *story = snapshot();

	(void)state;
	executed(story, ROUND, 1);
	verify(story, EXIT_GAPS, "thread 7: difference after 35 equal instructions", 35);
}

static void goes_on_at_an_exception(void **state)
{
	/* a Data Fault at 0x2000, and on at 0x2000 */
	static const uint8_t fault[] = {0x06, 0x19, 0x95, 0x00, 0x95, 0x00};
	static const uint8_t event[] = {TRUTH_EXCEPTION, HWF_EXC_DATA_FAULT, 0x80, 0x40};
	struct story *story = story_new();

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		for (size_t j = 0; j < sizeof(event); j++)
			executed(story, event[j], 1);
		executed(story, ROUND, i == 3 ? 0 : 5);
	}
	begin(story, true);
	traced(story, fault, sizeof(fault));
	rounds(story, 2);
	leave(story);
	verify(story, EXIT_GOOD,
	       "thread 7: equal: 7 instructions, 1 exceptions; 30 more lost or filtered out\n", 7);
}

/* A Data Fault at 0x2000, so often */
static void faults(struct story *story, unsigned int times)
{
	static const uint8_t event[] = {TRUTH_EXCEPTION, HWF_EXC_DATA_FAULT, 0x80, 0x40};

	while (times--)
		for (size_t i = 0; i < sizeof(event); i++)
			executed(story, event[i], 1);
}

/* Execution from 0x2000 on, an exception, and tracing begins again; the log has @times of them. */
static struct story *interrupted(bool traced_fault, unsigned int times)
{
	static const uint8_t fault[] = {0x06, 0x19, 0x95, 0x00};
	struct story *story = story_new();

	begin(story, false);
	leave(story);
	faults(story, times);
	if (traced_fault)
		traced(story, fault, sizeof(fault));
	/* from Trace On */
	traced(story, start_of_trace + 14, sizeof(start_of_trace) - 14);
	leave(story);
	return story;
}

static void exceptions_in_a_row_may_be_left_out(void **state)
{
	(void)state;
	verify(interrupted(true, 1), EXIT_GOOD, "thread 7: equal: 6 instructions, 1 exceptions\n",
	       6);
	verify(interrupted(true, 3), EXIT_GOOD,
	       "thread 7: equal: 6 instructions, 1 exceptions; 2 more traps that are not in the "
	       "trace\n",
	       6);
	/* but not the first one */
	verify(interrupted(false, 1), EXIT_GAPS, "thread 7: difference after 3 equal instructions",
	       3);
	verify(interrupted(true, 0), EXIT_GAPS, "thread 7: difference after 3 equal instructions",
	       3);
}

/* Of the place a trace tells no more than two rounds; four instructions later it is clear. */
static void goes_on_before_a_q_element(void **state)
{
	static const uint8_t q[] = {0xa5, 0x00, 4};
	struct story *story = story_new();

	(void)state;
	executed(story, ROUND, 50);
	begin(story, true);
	rounds(story, 2);
	executed(story, ROUND, 2);
	traced(story, q, sizeof(q));
	leave(story);
	verify(story, EXIT_GOOD,
	       "thread 7: equal: 7 instructions, 0 exceptions; 4 more on paths that the trace does "
	       "not give; 100 more lost or filtered out\n",
	       7);
}

/* What begins a Q element is known: the first place goes on elsewhere, though all else fits. */
static void goes_on_where_a_q_element_begins(void **state)
{
	static const uint8_t q[] = {0xa5, 0x00, 3};
	struct story *story = story_new();

	(void)state;
	executed(story, ROUND, 1);
	executed(story, DONE, 1);
	executed(story, ROUND, 3);
	executed(story, DONE, 1);
	executed(story, ROUND, 6);
	executed(story, DONE, 1);
	begin(story, true);
	rounds(story, 1);
	executed(story, ROUND, 1);
	executed(story, DONE, 1);
	traced(story, q, sizeof(q));
	rounds(story, 1);
	leave(story);
	rounds(story, 5);
	leave(story);
	verify(story, EXIT_GOOD,
	       "thread 7: equal: 20 instructions, 0 exceptions; 3 more on paths that the trace "
	       "does "
	       "not give; 23 more lost or filtered out\n",
	       20);
}

/* From where the path is unknown it goes on where all fits, too. */
static void goes_on_behind_a_q_element(void **state)
{
	/* no count; 0x2000 is its address */
	static const uint8_t q[] = {0xaf, 0x95, 0x00};
	struct story *story = story_new();

	(void)state;
	begin(story, false);
	rounds(story, 1);
	traced(story, q, sizeof(q));
	executed(story, ROUND, 50);
	rounds(story, 2);
	leave(story);
	verify(story, EXIT_GOOD,
	       "thread 7: equal: 9 instructions, 0 exceptions; 100 more lost or filtered out\n", 9);
}

static void goes_on_in_t32(void **state)
{
	struct story *story = story_new();

	(void)state;
	story->t32 = true;
	for (size_t i = 0; i < 3; i++) {
		executed(story, ROUND, 100);
		begin(story, true);
		rounds(story, 3);
		leave(story);
		number(story, i);
	}
	/* three times 13 instructions, and 4 a bit; 3 for each bit that is set */
	verify(story, EXIT_GOOD,
	       "thread 7: equal: 141 instructions, 0 exceptions; 900 more lost or filtered out\n",
	       141);
}

static void goes_on_in_the_middle_of_a_t32_block(void **state)
{
	struct story *story = story_new();

	(void)state;
	story->t32 = true;
	executed(story, ROUND, 100);
	begin(story, true);
	/* from 0x2002 */
	story->pieces[0].bytes[16] = 1;
	rounds(story, 3);
	leave(story);
	verify(story, EXIT_GOOD,
	       "thread 7: equal: 12 instructions, 0 exceptions; 301 more lost or filtered out\n",
	       12);
}

static void starts_in_the_middle_of_a_t32_block(void **state)
{
	struct story *story = story_new();

	(void)state;
	story->t32 = true;
	begin(story, false);
	story->pieces[0].bytes[16] = 1;
	leave(story);
	verify(story, EXIT_GOOD,
	       "thread 7: equal: 3 instructions, 0 exceptions; 1 more after the last P0 element\n",
	       3);
}

/* Of a piece that lost nothing no P0 instruction may be missing. */
static void does_not_start_behind_a_branch(void **state)
{
	static const uint8_t branches[] = {ROUND_ENDS, A32_BRANCH};

	(void)state;
	for (size_t i = 0; i < sizeof(branches); i++) {
		struct story *story = story_new();

		story->t32 = true;
		executed(story, branches[i], 1);
		begin(story, false);
		leave(story);
		verify(story, EXIT_GAPS,
		       "thread 7: difference after 0 equal instructions, piece 0, trace offset "
		       "0x15\n",
		       0);
	}
}

static void another_instruction_set_is_a_difference(void **state)
{
	struct story *story = story_new();

	(void)state;
	story->t32 = true;
	begin(story, false);
	leave(story);
	executed(story, A32_OTHER, 1);
	traced(story, (const uint8_t[]){0xf7}, 1);
	verify(story, EXIT_GAPS,
	       "thread 7: difference after 4 equal instructions, piece 0, trace offset 0x17\n"
	       "  both:    2000 T32\n  both:    2002 T32\n  both:    2004 T32\n"
	       "  both:    2008 T32\n"
	       "  log:     2000 A32\n  image:   2000 has bf00bf00, executed was 0000bf00\n"
	       "  decoded: 2000 T32 (in 2000 .. 2008)\n",
	       4);
}

static void missing_code_is_a_gap_if_that_is_allowed(void **state)
{
	(void)state;
	for (int allowed = 0; allowed < 2; allowed++) {
		struct story *story = story_new();

		story->no_branch = true;
		story->allow = allowed ? "--missing-code" : NULL;
		begin(story, false);
		rounds(story, 3);
		leave(story);
		if (allowed)
			verify(story, EXIT_GOOD,
			       "thread 7: equal: 8 instructions, 0 exceptions; 1 more lost or "
			       "filtered out\n",
			       8);
		else
			verify(story, EXIT_GAPS,
			       "thread 7: difference after 8 equal instructions, piece 0, trace "
			       "offset 0x19\n",
			       8);
	}
}

/* Only the gap itself is allowed: an instruction that the log does not have is a difference. */
static void missing_code_does_not_hide_a_difference(void **state)
{
	struct story *story = story_new();

	(void)state;
	story->no_branch = true;
	story->allow = "--missing-code";
	begin(story, false);
	rounds(story, 3);
	story->length--;
	leave(story);
	verify(story, EXIT_GAPS,
	       "thread 7: difference after 6 equal instructions, piece 0, trace offset 0x18\n", 6);
}

static void changed_code_is_a_gap_if_that_is_allowed(void **state)
{
	static const char *const options[] = {NULL, "--missing-code", "--changed-code"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct story *story = story_new();

		story->older = 0x17ffffff; /* b 0x2000 */
		story->allow = options[i];
		begin(story, false);
		rounds(story, 3);
		leave(story);
		if (i == 2)
			verify(story, EXIT_GOOD,
			       "thread 7: equal: 6 instructions, 0 exceptions; 3 more lost or "
			       "filtered out\n",
			       6);
		else
			verify(story, EXIT_GAPS,
			       "thread 7: difference after 6 equal instructions, piece 0, trace "
			       "offset 0x18\n",
			       6);
	}
}

/* An instruction of the older code that was not executed is a difference. */
static void changed_code_does_not_hide_a_difference(void **state)
{
	struct story *story = story_new();

	(void)state;
	story->older = 0x14000001; /* b 0x2008 */
	story->allow = "--changed-code";
	begin(story, false);
	rounds(story, 3);
	leave(story);
	verify(story, EXIT_GAPS,
	       "thread 7: difference after 2 equal instructions, piece 0, trace offset 0x16\n", 2);
}

static void what_was_not_executed_has_no_place(void **state)
{
	struct story *story = story_new();

	(void)state;
	executed(story, ROUND, 10);
	begin(story, true);
	rounds(story, 12);
	leave(story);
	/* one round less */
	story->length -= 13;
	leave(story);
	verify(story, EXIT_GAPS,
	       "thread 7: difference after 24 equal instructions, piece 0, trace offset 0x21\n",
	       24);
}

static void what_follows_on_a_piece_without_loss_is_not_skipped(void **state)
{
	struct story *story = story_new();

	(void)state;
	begin(story, false);
	leave(story);
	executed(story, ROUND, 1);
	begin(story, false);
	number(story, 5);
	verify(story, EXIT_GAPS,
	       "thread 7: difference after 7 equal instructions, piece 1, trace offset 0x17\n", 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goes_on_after_many_losses),
		cmocka_unit_test(goes_on_after_overflows_in_one_piece),
		cmocka_unit_test(a_snapshot_begins_anywhere),
		cmocka_unit_test(a_snapshot_ends_with_the_log),
		cmocka_unit_test(goes_on_at_an_exception),
		cmocka_unit_test(exceptions_in_a_row_may_be_left_out),
		cmocka_unit_test(goes_on_before_a_q_element),
		cmocka_unit_test(goes_on_where_a_q_element_begins),
		cmocka_unit_test(goes_on_behind_a_q_element),
		cmocka_unit_test(goes_on_in_t32),
		cmocka_unit_test(goes_on_in_the_middle_of_a_t32_block),
		cmocka_unit_test(starts_in_the_middle_of_a_t32_block),
		cmocka_unit_test(does_not_start_behind_a_branch),
		cmocka_unit_test(another_instruction_set_is_a_difference),
		cmocka_unit_test(missing_code_is_a_gap_if_that_is_allowed),
		cmocka_unit_test(missing_code_does_not_hide_a_difference),
		cmocka_unit_test(changed_code_is_a_gap_if_that_is_allowed),
		cmocka_unit_test(changed_code_does_not_hide_a_difference),
		cmocka_unit_test(what_was_not_executed_has_no_place),
		cmocka_unit_test(what_follows_on_a_piece_without_loss_is_not_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
