// SPDX-License-Identifier: GPL-2.0-only
/* verify: what workers compare, the first process does not see. */
#include "verify_test.h"

#include "workers_test.h"

static void compare_story(struct story *story, struct seen *seen)
{
	char trace[32], code[64], log[64];
	int fds[] = {memory_file(code), memory_file(log)};
	struct input_options options;

	put_program(fds[0], story->older);
	write_log(fds[1], story);
	temporary(trace, sizeof(trace));
	write_trace(trace, story, code);
	input_options_init(&options);
	options.path = trace;
	/* each piece has a batch of its own */
	see(seen, &options, log, "1");
	unlink(trace);
	close(fds[0]);
	close(fds[1]);
	free(story->events);
	free(story);
}

static void add_pieces(struct story *story, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		begin(story, false);
		number(story, i + 1);
	}
}

static struct story *pieces(size_t count)
{
	struct story *story = story_new();

	add_pieces(story, count);
	return story;
}

static void what_is_equal_is_compared_by_workers(void **state)
{
	struct seen seen;

	(void)state;
	compare_story(pieces(12), &seen);
	assert_false(seen.thread.wrong);
	assert_int_equal(seen.ranges, 0);
	assert_true(seen.total > UINT64_C(12) * 8 * 3);
	assert_int_equal(seen.thread.counts.instructions, seen.total);
	/* the end of the inner loop is the last of all, before it a round */
	assert_int_equal(seen.last[VERIFY_SHOWN - 1].pc, 0x2008);
	assert_int_equal(seen.last[VERIFY_SHOWN - 2].pc, 0x2004);
	assert_int_equal(seen.last[VERIFY_SHOWN - 3].pc, 0x2000);
}

static void a_cpu_is_compared_by_workers(void **state)
{
	struct story *story = story_new();
	struct seen seen;

	(void)state;
	on_cpu(story);
	add_pieces(story, 12);
	compare_story(story, &seen);
	assert_true(seen.thread.log.is_cpu);
	assert_false(seen.thread.wrong);
	assert_int_equal(seen.ranges, 0);
	assert_int_equal(seen.thread.counts.instructions, seen.total);
	assert_int_equal(seen.last[VERIFY_SHOWN - 1].pc, 0x2008);
}

/* A piece ends with an exception, and the log has another one, which a trace may leave out. */
static void workers_go_on_after_exceptions(void **state)
{
	/* a Data Fault at 0x2000, and on at 0x2000 */
	static const uint8_t fault[] = {0x06, 0x19, 0x95, 0x00, 0x95, 0x00};
	static const uint8_t event[] = {TRUTH_EXCEPTION, HWF_EXC_DATA_FAULT, 0x80, 0x40};
	struct story *story = story_new();
	struct seen seen;

	(void)state;
	for (size_t i = 0; i < 12; i++) {
		begin(story, false);
		number(story, i + 1);
		traced(story, fault, sizeof(fault));
		for (size_t j = 0; j < (i == 5 ? 2 : 1) * sizeof(event); j++)
			executed(story, event[j % sizeof(event)], 1);
	}
	compare_story(story, &seen);
	assert_false(seen.thread.wrong);
	assert_int_equal(seen.ranges, 0);
	assert_int_equal(seen.thread.counts.exceptions, 12);
	assert_int_equal(seen.thread.counts.untold, 1);
}

static void what_differs_is_compared_by_the_first_process(void **state)
{
	struct story *story = pieces(12);
	struct seen seen;
	size_t at = 0;

	(void)state;
	/* one round more was executed than is in the trace of the last piece */
	while (at < story->length && story->events[story->length - 1 - at] != ROUND)
		at++;
	assert_true(at < story->length);
	executed(story, ROUND, 1);
	memmove(story->events + story->length - 1 - at, story->events + story->length - 2 - at,
		at + 1);
	story->events[story->length - 2 - at] = ROUND;
	compare_story(story, &seen);
	assert_true(seen.thread.wrong);
	assert_true(seen.ranges > 0 && seen.ranges < 30);
	assert_int_equal(seen.thread.counts.instructions, seen.total);
}

/* A piece with a gap is no worker's, but those before and behind it are. */
static void a_gap_costs_one_piece(void **state)
{
	static const uint8_t overflow[] = {0x00, 0x05};
	struct story *story = pieces(6);
	struct seen seen;

	(void)state;
	begin(story, false);
	traced(story, overflow, sizeof(overflow));
	traced(story, start_of_trace, sizeof(start_of_trace));
	leave(story);
	for (size_t i = 0; i < 6; i++) {
		begin(story, false);
		number(story, i);
	}
	compare_story(story, &seen);
	/* behind a gap the first try ends, for there is no plan yet */
	assert_true(seen.thread.skipped);
	assert_true(seen.ranges < 10);
}

/* Workers do not compare transactions; what follows the piece they compare again. */
static void what_follows_a_transaction_is_compared_by_workers(void **state)
{
	struct story *story = pieces(6);
	struct seen seen;

	(void)state;
	begin(story, false);
	traced(story, &(uint8_t){0x0a}, 1);
	leave(story);
	traced(story, &(uint8_t){0x0b}, 1);
	for (size_t i = 0; i < 6; i++) {
		begin(story, false);
		number(story, i);
	}
	compare_story(story, &seen);
	assert_false(seen.thread.wrong);
	assert_int_equal(seen.thread.counts.instructions, seen.total);
	assert_in_range(seen.ranges, 1, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_equal_is_compared_by_workers),
		cmocka_unit_test(a_cpu_is_compared_by_workers),
		cmocka_unit_test(workers_go_on_after_exceptions),
		cmocka_unit_test(what_differs_is_compared_by_the_first_process),
		cmocka_unit_test(a_gap_costs_one_piece),
		cmocka_unit_test(what_follows_a_transaction_is_compared_by_workers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
