// SPDX-License-Identifier: GPL-2.0-only
/* The packed ground-truth log: what is written is read, by several readers; damage is an error. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "hwflow/insn.h"
#include "truth/truth_private.h"
#include "truth/truth_write.h"

#define SECTIONS 20
#define ENTERED  50 /* in each section */

static char path[] = "/tmp/test_truth_packed.XXXXXX";

static void put_block(uint8_t *to, uint32_t number)
{
	const uint32_t opcode = 0xd503201f; /* NOP */
	const struct truth_block block = {.size = sizeof(block) + sizeof(opcode),
					  .number = number,
					  .pc = 0x1000 + 4 * (uint64_t)number,
					  .isa = HWF_ISA_A64,
					  .count = 1};

	memcpy(to, &block, sizeof(block));
	memcpy(to + sizeof(block), &opcode, sizeof(opcode));
}

/* A log that has two blocks so far */
static struct truth_writer *begin_log(void)
{
	uint8_t blocks[2 * (sizeof(struct truth_block) + 4)];
	struct truth_writer *writer;

	assert_int_equal(truth_writer_open(&writer, path, 0), 0);
	put_block(blocks, 0);
	put_block(blocks + sizeof(blocks) / 2, 1);
	assert_int_equal(truth_writer_blocks(writer, blocks, sizeof(blocks)), 0);
	return writer;
}

/* Two blocks; a thread whose sections enter them in turn, with a call at the end of each section */
static void write_log(void)
{
	const struct truth_stream head = {.pid = 7, .tid = 8, .start = 100};
	struct truth_writer *writer = begin_log();
	uint8_t events[ENTERED + 1];

	for (int i = 0; i < SECTIONS; i++) {
		for (int j = 0; j < ENTERED; j++)
			events[j] = (uint8_t)(TRUTH_FIRST_BLOCK + (j & 1));
		events[ENTERED] = TRUTH_CALL;
		assert_int_equal(truth_writer_stream(writer, &head, events, sizeof(events)), 0);
	}
	assert_int_equal(truth_writer_close(writer, true), 0);
}

static void check_event(const struct truth_event *event, int i)
{
	int at = i % (ENTERED + 1);

	if (at < ENTERED) {
		assert_int_equal(event->kind, TRUTH_EVENT_RUN);
		assert_int_equal(event->u.run.number, at & 1);
	} else {
		assert_int_equal(event->kind, TRUTH_EVENT_EXCEPTION);
		assert_int_equal(event->u.exception.ret, 0x1008);
	}
}

/* Passes so many instructions from event @first on, as far as that is one section's. */
static void check_pass(const struct truth *truth, int first, int count)
{
	const int left_there = ENTERED - first % (ENTERED + 1);
	const int passed = count < left_there ? count : left_there;
	uint64_t steps = (uint64_t)count;
	struct truth_reader reader;
	struct truth_event event;

	truth_reader_init(&reader, truth, 0);
	for (int i = -1; i < first; i++)
		assert_int_equal(truth_next(&reader, &event), 1);
	truth_pass_blocks(&reader, &steps);
	assert_int_equal(steps, count - passed);
	assert_int_equal(truth_next(&reader, &event), 1);
	check_event(&event, first + passed);
}

static void blocks_are_passed_up_to_another_event(void **state)
{
	char message[TRUTH_MESSAGE];
	struct truth_reader reader;
	struct truth *truth;
	uint64_t steps = 1;

	(void)state;
	write_log();
	assert_int_equal(truth_open(&truth, path, message), 0);
	for (int first = 0; first < 2 * ENTERED; first += 7)
		for (int count = 0; count < 3 * ENTERED; count += 5)
			check_pass(truth, first, count);
	/* a reader that has not begun has none */
	truth_reader_init(&reader, truth, 0);
	truth_pass_blocks(&reader, &steps);
	assert_int_equal(steps, 1);
	truth_close(truth);
}

/* A block of which nothing was executed is none that is passed as a whole. */
static void blocks_that_were_left_are_not_passed(void **state)
{
	static const uint8_t events[] = {TRUTH_FIRST_BLOCK, TRUTH_FIRST_BLOCK, TRUTH_STOP, 0,
					 TRUTH_FIRST_BLOCK + 1};
	const struct truth_stream head = {.pid = 7, .tid = 8};
	uint8_t blocks[2 * (sizeof(struct truth_block) + 4)];
	char message[TRUTH_MESSAGE];
	struct truth_writer *writer;
	struct truth_reader reader;
	struct truth_event event;
	struct truth *truth;
	uint64_t steps = 2;

	(void)state;
	assert_int_equal(truth_writer_open(&writer, path, 0), 0);
	put_block(blocks, 0);
	put_block(blocks + sizeof(blocks) / 2, 1);
	assert_int_equal(truth_writer_blocks(writer, blocks, sizeof(blocks)), 0);
	assert_int_equal(truth_writer_stream(writer, &head, events, sizeof(events)), 0);
	assert_int_equal(truth_writer_close(writer, true), 0);
	assert_int_equal(truth_open(&truth, path, message), 0);
	truth_reader_init(&reader, truth, 0);
	assert_int_equal(truth_next(&reader, &event), 1);
	truth_pass_blocks(&reader, &steps);
	assert_int_equal(steps, 1);
	assert_int_equal(truth_next(&reader, &event), 1);
	assert_int_equal(event.kind, TRUTH_EVENT_RUN);
	assert_int_equal(event.u.run.count, 0);
	truth_pass_blocks(&reader, &steps);
	assert_int_equal(steps, 0);
	assert_int_equal(truth_next(&reader, &event), 0);
	truth_close(truth);
}

/* Sections with one block each in turn */
static void write_sections(void)
{
	const struct truth_stream head = {.pid = 7, .tid = 8};
	struct truth_writer *writer = begin_log();
	uint8_t events[ENTERED];

	for (int i = 0; i < SECTIONS; i++) {
		memset(events, TRUTH_FIRST_BLOCK + (i & 1), sizeof(events));
		assert_int_equal(truth_writer_stream(writer, &head, events, sizeof(events)), 0);
	}
	assert_int_equal(truth_writer_close(writer, true), 0);
}

static bool read_sections(struct truth_reader *reader, int count)
{
	struct truth_event event;

	for (int i = 0; i < count * ENTERED; i++)
		if (truth_next(reader, &event) <= 0)
			return false;
	return true;
}

/* In each process as many sections were unpacked, but others. */
static void a_reader_goes_to_another_process(void **state)
{
	struct truth_reader reader, other;
	char message[TRUTH_MESSAGE];
	struct truth_event event;
	struct truth *truth;
	int pipes[2], status;
	pid_t pid;

	(void)state;
	write_sections();
	assert_int_equal(truth_open(&truth, path, message), 0);
	truth_reader_init(&reader, truth, 0);
	assert_int_equal(truth_next(&reader, &event), 1);
	other = reader;
	assert_true(read_sections(&other, 12) && read_sections(&reader, 1));
	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		bool good = read_sections(&other, 4) &&
			    read(pipes[0], &reader, sizeof(reader)) == sizeof(reader);

		truth_reader_receive(&reader);
		good = good && truth_next(&reader, &event) == 1 && event.u.run.number == 0;
		_exit(!good);
	}
	assert_true(read_sections(&reader, 3));
	assert_int_equal(truth_next(&reader, &event), 1);
	assert_int_equal(event.u.run.number, 0);
	assert_int_equal(write(pipes[1], &reader, sizeof(reader)), sizeof(reader));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(pipes[0]);
	close(pipes[1]);
	truth_close(truth);
}

static void sections_of_a_part_are_one_stream(void **state)
{
	char message[TRUTH_MESSAGE];
	struct truth_reader reader;
	struct truth_event event;
	struct truth *truth;
	int count = 0;

	(void)state;
	write_log();
	assert_int_equal(truth_open(&truth, path, message), 0);
	assert_int_equal(truth_threads(truth), 1);
	assert_int_equal(truth_bytes(truth), SECTIONS * (ENTERED + 1));
	assert_int_equal(truth_part_bytes(truth, 8, 0), SECTIONS * (ENTERED + 1));
	truth_reader_init(&reader, truth, 0);
	assert_int_equal(truth_next(&reader, &event), 1);
	assert_int_equal(event.kind, TRUTH_EVENT_PROGRAM);
	while (truth_next(&reader, &event) > 0)
		check_event(&event, count++);
	assert_int_equal(count, SECTIONS * (ENTERED + 1));
	truth_close(truth);
}

/* More readers than there are slots: each has its section unpacked again when it needs it. */
static void readers_do_not_disturb_each_other(void **state)
{
	struct truth_reader readers[TRUTH_SLOTS + 3];
	char message[TRUTH_MESSAGE];
	struct truth_event event;
	struct truth *truth;

	(void)state;
	write_log();
	assert_int_equal(truth_open(&truth, path, message), 0);
	for (int i = 0; i < TRUTH_SLOTS + 3; i++) {
		truth_reader_init(&readers[i], truth, 0);
		truth_next(&readers[i], &event);
		for (int j = 0; j < i * (ENTERED + 1); j++)
			assert_int_equal(truth_next(&readers[i], &event), 1);
	}
	for (int j = 0; j < ENTERED + 1; j++) {
		for (int i = 0; i < TRUTH_SLOTS + 3; i++) {
			assert_int_equal(truth_next(&readers[i], &event), 1);
			check_event(&event, j);
		}
	}
	truth_close(truth);
}

static size_t slurp(uint8_t *bytes, size_t room)
{
	FILE *file = fopen(path, "rb");
	size_t length;

	assert_non_null(file);
	length = fread(bytes, 1, room, file);
	fclose(file);
	return length;
}

/* Whether the log in these bytes can be opened and read to its end */
static bool reads(const uint8_t *bytes, size_t length, bool cut, uint64_t *whole)
{
	FILE *file = fopen(path, "wb");
	char message[TRUTH_MESSAGE] = "";
	struct truth_reader reader;
	struct truth_event event;
	struct truth *truth;
	int status;

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	fclose(file);
	status = cut ? truth_open_cut(&truth, path, whole, message)
		     : truth_open(&truth, path, message);
	if (status) {
		assert_string_not_equal(message, "");
		return false;
	}
	for (size_t i = 0; i < truth_threads(truth) && !status; i++) {
		truth_reader_init(&reader, truth, i);
		while ((status = truth_next(&reader, &event)) > 0)
			;
	}
	truth_close(truth);
	return !status;
}

static void a_log_that_was_cut_is_told(void **state)
{
	static uint8_t bytes[65536];
	uint64_t whole, last = 0;
	size_t length;

	(void)state;
	write_log();
	length = slurp(bytes, sizeof(bytes));
	for (size_t i = 0; i < length; i++)
		assert_false(reads(bytes, i, false, NULL));
	/* unless a cut is expected: then what is whole is read */
	for (size_t i = sizeof(struct truth_head); i < length; i++) {
		assert_true(reads(bytes, i, true, &whole));
		assert_true(whole <= i && whole >= last);
		last = whole;
	}
}

static void damage_is_an_error_or_other_events(void **state)
{
	static uint8_t bytes[65536];
	size_t length;

	(void)state;
	write_log();
	length = slurp(bytes, sizeof(bytes));
	for (size_t i = 0; i < length; i++) {
		bytes[i] ^= 0x55;
		reads(bytes, length, false, NULL);
		bytes[i] ^= 0x55;
	}
}

/* A recording that was killed goes on where its log is whole. */
static void a_log_is_gone_on_with(void **state)
{
	const struct truth_stream head = {.pid = 7, .tid = 8, .start = 100};
	const uint8_t event = TRUTH_FIRST_BLOCK + 1;
	static uint8_t bytes[65536];
	struct truth_writer *writer;
	char message[TRUTH_MESSAGE];
	struct truth *truth;
	uint64_t whole;
	size_t length;

	(void)state;
	write_log();
	length = slurp(bytes, sizeof(bytes));
	assert_true(reads(bytes, length - 40, true, &whole));
	assert_int_equal(truth_writer_open(&writer, path, whole), 0);
	assert_int_equal(truth_writer_stream(writer, &head, &event, 1), 0);
	assert_int_equal(truth_writer_close(writer, true), 0);
	assert_int_equal(truth_open(&truth, path, message), 0);
	assert_int_equal(truth_bytes(truth), (SECTIONS - 1) * (ENTERED + 1) + 1);
	truth_close(truth);
}

static int make_path(void **state)
{
	(void)state;
	close(mkstemp(path));
	return 0;
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_passed_up_to_another_event),
		cmocka_unit_test(blocks_that_were_left_are_not_passed),
		cmocka_unit_test(a_reader_goes_to_another_process),
		cmocka_unit_test(sections_of_a_part_are_one_stream),
		cmocka_unit_test(readers_do_not_disturb_each_other),
		cmocka_unit_test(a_log_that_was_cut_is_told),
		cmocka_unit_test(damage_is_an_error_or_other_events),
		cmocka_unit_test(a_log_is_gone_on_with),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
