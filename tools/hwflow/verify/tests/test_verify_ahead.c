// SPDX-License-Identifier: GPL-2.0-only
/* verify: what workers compare, the first process does not see. */
#include "verify_test.h"

#include "decode/decode_ahead.h"
#include "verify/verify_ahead.h"

/* struct seen - what the first process compares itself */
struct seen {
	struct verify_thread thread;
	uint64_t total;
	size_t ranges;
	struct verify_insn last[VERIFY_SHOWN];
};

static void take(void *ctx, const struct hwf_flow_event *event)
{
	struct seen *seen = ctx;

	seen->ranges += event->kind == HWF_FLOW_RANGE;
	verify_take(&seen->thread, event);
}

/* As cmd_verify() compares the one thread of a recording */
static void compare(struct input *input, struct seen *seen)
{
	const struct input_source *source = &input->sources[0];
	const struct input_decode how = {.sink = take, .ctx = seen, .stop = &seen->thread.wrong};
	struct verify_ahead *ahead = verify_ahead_new(&seen->thread, input);

	assert_non_null(ahead);
	seen->thread.total = &seen->total;
	seen->thread.quiet = true;
	decode_ahead(input, source, 1, &how, verify_ahead_check(ahead));
	assert_non_null(input->ahead);
	for (size_t i = 0; i < source->piece_count && !seen->thread.wrong; i++) {
		verify_begin_piece(&seen->thread, source, &source->pieces[i]);
		seen->thread.code = input_code(input, source, &source->pieces[i]);
		assert_int_equal(input_decode(input, source, &source->pieces[i], &how), 0);
		verify_end_piece(&seen->thread, &source->pieces[i]);
	}
	decode_ahead_end(input);
	verify_ahead_free(ahead);
}

static void compare_story(struct story *story, struct seen *seen)
{
	char trace[32], code[64], log[64], message[TRUTH_MESSAGE];
	int fds[] = {memory_file(code), memory_file(log)};
	struct input_options options;
	struct input *input;
	struct truth *truth;

	put_program(fds[0], story->older);
	write_log(fds[1], story);
	temporary(trace, sizeof(trace));
	write_trace(trace, story, code);
	input_options_init(&options);
	options.path = trace;
	options.quiet = true;
	options.jobs = 2;
	/* each piece has a batch of its own */
	setenv("HWFLOW_SHARD_BYTES", "1", 1);
	assert_int_equal(input_open(&input, &options), 0);
	assert_int_equal(truth_open(&truth, log, message), 0);
	*seen = (struct seen){0};
	assert_int_equal(verify_log_start(&seen->thread.log, truth, 0, NULL), 0);
	compare(input, seen);
	verify_last(&seen->thread, seen->last);
	verify_finish(&seen->thread);
	unsetenv("HWFLOW_SHARD_BYTES");
	truth_close(truth);
	input_close(input);
	input_options_free(&options);
	unlink(trace);
	close(fds[0]);
	close(fds[1]);
	free(story->events);
	free(story);
}

static struct story *pieces(size_t count)
{
	struct story *story = story_new();

	for (size_t i = 0; i < count; i++) {
		begin(story, false);
		number(story, i + 1);
	}
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
	assert_int_equal(seen.thread.instructions, seen.total);
	/* the end of the inner loop is the last of all, before it a round */
	assert_int_equal(seen.last[VERIFY_SHOWN - 1].pc, 0x2008);
	assert_int_equal(seen.last[VERIFY_SHOWN - 2].pc, 0x2004);
	assert_int_equal(seen.last[VERIFY_SHOWN - 3].pc, 0x2000);
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
	assert_int_equal(seen.thread.instructions, seen.total);
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
	assert_int_equal(seen.thread.instructions, seen.total);
	assert_in_range(seen.ranges, 1, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_equal_is_compared_by_workers),
		cmocka_unit_test(what_differs_is_compared_by_the_first_process),
		cmocka_unit_test(a_gap_costs_one_piece),
		cmocka_unit_test(what_follows_a_transaction_is_compared_by_workers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
