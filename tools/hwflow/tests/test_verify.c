// SPDX-License-Identifier: GPL-2.0-only
/* verify: where in the log a trace goes on after a loss. */
#include "perfdata_test.h"

#include "input.h"
#include "truth_test.h"

/* not in a header that tests can have without main() */
int cmd_verify(int argc, char **argv);

#define THREAD 7

/*
 * Two loops, one in the other: the address where trace goes on is executed all the time. As events
 * of the log: ROUND once more around, DONE at the end of the inner loop.
 */
static const uint32_t program[] = {
	0xd503201f, /* 2000: nop */
	0xb4ffffe0, /* 2004: cbz x0, 0x2000 */
	0x17fffffe, /* 2008: b 0x2000 */
};
#define ROUND TRUTH_FIRST_BLOCK
#define DONE  (TRUTH_FIRST_BLOCK + 1)

/* The same in T32, with one more instruction; a round is of two blocks, by the size of theirs. */
static const uint32_t program32[] = {
	0xbf00,     /* 2000: nop */
	0xbf00,     /* 2002: nop */
	0xf43faffc, /* 2004: beq.w 0x2000 */
	0xe7fa,     /* 2008: b 0x2000 */
	0xeafffffe, /* A32: b to itself */
};
static const uint16_t image32[] = {0xbf00, 0xbf00, 0xf43f, 0xaffc, 0xe7fa};
#define ROUND_ENDS (TRUTH_FIRST_BLOCK + 2)
#define A32_OTHER  (TRUTH_FIRST_BLOCK + 3)
#define A32_BRANCH (TRUTH_FIRST_BLOCK + 4)

static const struct perfdata_cpu cpu = {
	.protocol = PERFDATA_ETE,
	.regs = {.trcconfigr = 0x6001, /* Q elements */
		 .trcidr0 = 0x084182a1,
		 .trcidr2 = 0x40001088,
		 .trcdevarch = 0x47735a13},
};

/* Synchronisation, Trace Info, Trace On, 0x2000 at EL0 in A64 */
static const uint8_t start_of_trace[] = {0,    0,    0,    0,    0,    0, 0,    0, 0, 0,   0,
					 0x80, 0x01, 0x00, 0x04, 0x82, 0, 0x10, 0, 0, 0x30};

/* The same at EL0 in T32 */
static const uint8_t start_of_trace32[] = {0,    0,    0,    0,    0,    0, 0,    0, 0, 0,   0,
					   0x80, 0x01, 0x00, 0x04, 0x83, 0, 0x20, 0, 0, 0x20};

#define MOST_PIECES 200
#define MOST_EVENTS 0x400000

/* What is executed, and what of it is traced */
struct story {
	uint8_t *events;
	size_t length;
	struct {
		uint8_t bytes[128];
		size_t length;
		size_t gone; /* so many were overwritten before the snapshot */
		bool lost;
	} pieces[MOST_PIECES];
	size_t count;
	bool t32;
};

static struct story *story_new(void)
{
	struct story *story = calloc(1, sizeof(*story));

	assert_non_null(story);
	story->events = malloc(MOST_EVENTS);
	assert_non_null(story->events);
	return story;
}

static void executed(struct story *story, uint8_t event, size_t times)
{
	bool two = story->t32 && event == ROUND;

	assert_true(times <= (MOST_EVENTS - story->length) / 2);
	while (times--) {
		story->events[story->length++] = event;
		if (two)
			story->events[story->length++] = ROUND_ENDS;
	}
}

static void traced(struct story *story, const uint8_t *bytes, size_t length)
{
	size_t at = story->pieces[story->count - 1].length;

	assert_true(at + length <= sizeof(story->pieces[0].bytes));
	memcpy(story->pieces[story->count - 1].bytes + at, bytes, length);
	story->pieces[story->count - 1].length += length;
}

static void begin(struct story *story, bool lost)
{
	assert_true(story->count < MOST_PIECES);
	story->pieces[story->count++].lost = lost;
	if (story->t32)
		traced(story, start_of_trace32, sizeof(start_of_trace32));
	else
		traced(story, start_of_trace, sizeof(start_of_trace));
}

/* The inner loop goes around. */
static void rounds(struct story *story, unsigned int times)
{
	executed(story, ROUND, times);
	while (times--)
		traced(story, &(uint8_t){0xf7}, 1);
}

/* It ends. */
static void leave(struct story *story)
{
	executed(story, ROUND, 1);
	executed(story, DONE, 1);
	traced(story, (const uint8_t[]){0xf6, 0xf7}, 2);
}

/* Inner loops that no other number has */
static void number(struct story *story, size_t value)
{
	for (unsigned int bit = 0; bit < 8; bit++) {
		rounds(story, value >> bit & 1);
		leave(story);
	}
}

/* ---- files ---- */

/* What is left of a piece, in a snapshot */
static void write_rest(struct perfdata_writer *writer, const struct perfdata_stamp *end,
		       const struct perfdata_area *area, uint64_t offset, const uint8_t *bytes,
		       size_t length, size_t gone)
{
	perfdata_write_aux(writer, end, offset + length, length,
			   PERFDATA_AUX_OVERWRITE | PERFDATA_AUX_RAW);
	if (gone < length)
		perfdata_write_auxtrace(writer, area, offset + gone, bytes + gone, length - gone);
}

static void write_trace(const char *path, const struct story *story, const char *code)
{
	const struct perfdata_area area = {.pid = THREAD, .tid = THREAD, .cpu = PERFDATA_ANY};
	const struct perfdata_mapping mapping = {
		.address = 0x2000, .length = 0x1000, .prot = 5, .path = code};
	const struct perfdata_stamp start = {1, THREAD, THREAD, PERFDATA_ANY};
	struct perfdata_recording recording = recording_make(false);
	struct perfdata_writer *writer;
	uint64_t offset = 0;

	recording.cpus = &cpu;
	recording.cpu_count = 1;
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	assert_int_equal(perfdata_write_mmap2(writer, &start, &mapping), 0);
	for (size_t i = 0; i < story->count; i++) {
		const struct perfdata_stamp end = {1000 * (i + 1), THREAD, THREAD, PERFDATA_ANY};

		if (story->pieces[i].gone) {
			write_rest(writer, &end, &area, offset, story->pieces[i].bytes,
				   story->pieces[i].length, story->pieces[i].gone);
			offset += story->pieces[i].length;
			continue;
		}
		assert_int_equal(
			perfdata_write_session(writer, &end, &area, offset, story->pieces[i].bytes,
					       story->pieces[i].length,
					       story->pieces[i].lost ? PERFDATA_AUX_TRUNCATED : 0),
			0);
		offset += story->pieces[i].length;
	}
	assert_int_equal(perfdata_writer_close(writer), 0);
}

static void write_log(int fd, const struct story *story)
{
	const struct test_block a64[] = {{0x2000, program, 2, 0}, {0x2008, program + 2, 1, 0}};
	const struct test_block t32[] = {{0x2000, program32, 2, HWF_ISA_T32},
					 {0x2008, program32 + 3, 1, HWF_ISA_T32},
					 {0x2004, program32 + 2, 1, HWF_ISA_T32},
					 {0x2000, program32, 1, HWF_ISA_A32},
					 {0x3000, program32 + 4, 1, HWF_ISA_A32}};

	put_truth(fd, story->t32 ? t32 : a64, story->t32 ? 5 : 2, THREAD, story->events,
		  story->length);
}

/* hwflow verify; what it prints */
static int run(char *trace, char *truth, char output[1000])
{
	char verb[] = "verify", quiet[] = "--quiet", path[64];
	char *argv[] = {verb, quiet, truth, trace, NULL};
	int out = memory_file(path);
	int stdout_before = dup(STDOUT_FILENO);
	int status;
	ssize_t length;

	fflush(stdout);
	assert_true(stdout_before >= 0 && dup2(out, STDOUT_FILENO) >= 0);
	status = cmd_verify(4, argv);
	fflush(stdout);
	assert_true(dup2(stdout_before, STDOUT_FILENO) >= 0);
	close(stdout_before);
	length = pread(out, output, 999, 0);
	close(out);
	assert_true(length > 0);
	output[length] = 0;
	return status;
}

/* @expected: how the output begins; @instructions: as the last line has them */
static void verify(struct story *story, int status, const char *expected, unsigned int instructions)
{
	char trace[32], code[64], log[64], truth[80], output[1000], last[100];
	int fds[] = {memory_file(code), memory_file(log)};

	if (story->t32)
		put(fds[0], image32, sizeof(image32));
	else
		put(fds[0], program, sizeof(program));
	write_log(fds[1], story);
	temporary(trace, sizeof(trace));
	write_trace(trace, story, code);
	snprintf(truth, sizeof(truth), "--truth=%s", log);
	snprintf(last, sizeof(last), ": 1 thread, %u instructions\n", instructions);
	assert_int_equal(run(trace, truth, output), status);
	if (strncmp(output, expected, strlen(expected)) != 0 || !strstr(output, last))
		fail_msg("%s", output);
	unlink(trace);
	close(fds[0]);
	close(fds[1]);
	free(story->events);
	free(story);
}

/* ---- tests ---- */

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
	       "thread 7: equal: 7 instructions, 0 exceptions; 4 more on paths the trace does "
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
	       "thread 7: equal: 20 instructions, 0 exceptions; 3 more on paths the trace does "
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
		cmocka_unit_test(goes_on_before_a_q_element),
		cmocka_unit_test(goes_on_where_a_q_element_begins),
		cmocka_unit_test(goes_on_behind_a_q_element),
		cmocka_unit_test(goes_on_in_t32),
		cmocka_unit_test(goes_on_in_the_middle_of_a_t32_block),
		cmocka_unit_test(starts_in_the_middle_of_a_t32_block),
		cmocka_unit_test(does_not_start_behind_a_branch),
		cmocka_unit_test(another_instruction_set_is_a_difference),
		cmocka_unit_test(a_short_piece_is_where_the_next_one_fits),
		cmocka_unit_test(a_short_stretch_behind_an_overflow_is_where_the_next_piece_fits),
		cmocka_unit_test(a_short_piece_is_at_the_end_where_trace_ends),
		cmocka_unit_test(short_pieces_leave_each_other_one_place),
		cmocka_unit_test(what_fits_several_places_is_not_verified),
		cmocka_unit_test(the_next_one_may_be_further_on_too),
		cmocka_unit_test(what_was_not_executed_has_no_place),
		cmocka_unit_test(what_follows_on_a_piece_without_loss_is_not_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
