/* SPDX-License-Identifier: GPL-2.0-only */
/* What is executed and what of it is traced, as a log and a recording; for the tests of verify. */
#ifndef HWFLOW_TEST_VERIFY_H
#define HWFLOW_TEST_VERIFY_H

#include "tests/perfdata_test.h"

#include "source/input.h"
#include "tests/truth_test.h"

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
	bool on_cpu;       /* recorded by CPU */
	bool no_branch;    /* the code has no instruction at 2008 */
	uint32_t older;    /* the file has this instruction at 2004; 0: that which was executed */
	const char *allow; /* an option of verify, or NULL */
};

static inline struct story *story_new(void)
{
	struct story *story = calloc(1, sizeof(*story));

	assert_non_null(story);
	story->events = malloc(MOST_EVENTS);
	assert_non_null(story->events);
	return story;
}

static inline void executed(struct story *story, uint8_t event, size_t times)
{
	bool two = story->t32 && event == ROUND;

	assert_true(times <= (MOST_EVENTS - story->length) / 2);
	while (times--) {
		story->events[story->length++] = event;
		if (two)
			story->events[story->length++] = ROUND_ENDS;
	}
}

static inline void traced(struct story *story, const uint8_t *bytes, size_t length)
{
	size_t at = story->pieces[story->count - 1].length;

	assert_true(at + length <= sizeof(story->pieces[0].bytes));
	memcpy(story->pieces[story->count - 1].bytes + at, bytes, length);
	story->pieces[story->count - 1].length += length;
}

static inline void begin(struct story *story, bool lost)
{
	assert_true(story->count < MOST_PIECES);
	story->pieces[story->count++].lost = lost;
	if (story->t32)
		traced(story, start_of_trace32, sizeof(start_of_trace32));
	else
		traced(story, start_of_trace, sizeof(start_of_trace));
}

/* It is a recording of CPU 0, and a log of a machine. */
static inline void on_cpu(struct story *story)
{
	static const uint8_t context[] = {TRUTH_CONTEXT, 0, 1, 1, THREAD, THREAD};

	story->on_cpu = true;
	for (size_t i = 0; i < sizeof(context); i++)
		executed(story, context[i], 1);
}

/* The inner loop goes around. */
static inline void rounds(struct story *story, unsigned int times)
{
	executed(story, ROUND, times);
	while (times--)
		traced(story, &(uint8_t){0xf7}, 1);
}

/* It ends. */
static inline void leave(struct story *story)
{
	executed(story, ROUND, 1);
	executed(story, DONE, 1);
	traced(story, (const uint8_t[]){0xf6, 0xf7}, 2);
}

/* Inner loops that no other number has */
static inline void number(struct story *story, size_t value)
{
	for (unsigned int bit = 0; bit < 8; bit++) {
		rounds(story, value >> bit & 1);
		leave(story);
	}
}

/* ---- files ---- */

/* What is left of a piece, in a snapshot */
static inline void write_rest(struct perfdata_writer *writer, const struct perfdata_stamp *end,
			      const struct perfdata_area *area, uint64_t offset,
			      const uint8_t *bytes, size_t length, size_t gone)
{
	perfdata_write_aux(writer, end, offset + length, length,
			   PERFDATA_AUX_OVERWRITE | PERFDATA_AUX_RAW);
	if (gone < length)
		perfdata_write_auxtrace(writer, area, offset + gone, bytes + gone, length - gone);
}

static inline void write_trace(const char *path, const struct story *story, const char *code)
{
	const int32_t on = story->on_cpu ? 0 : PERFDATA_ANY, tid = story->on_cpu ? -1 : THREAD;
	const struct perfdata_area area = {.pid = tid, .tid = tid, .cpu = on};
	const struct perfdata_mapping mapping = {
		.address = 0x2000,
		.length = story->no_branch ? 8 : 0x1000,
		.prot = 5,
		.path = code,
	};
	const struct perfdata_stamp start = {1, THREAD, THREAD, PERFDATA_ANY};
	struct perfdata_recording recording = recording_make(story->on_cpu);
	struct perfdata_writer *writer;
	uint64_t offset = 0;

	recording.cpus = &cpu;
	recording.cpu_count = 1;
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	assert_int_equal(perfdata_write_mmap2(writer, &start, &mapping), 0);
	for (size_t i = 0; i < story->count; i++) {
		const struct perfdata_stamp end = {1000 * (i + 1), THREAD, THREAD, on};

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

static inline void write_log(int fd, const struct story *story)
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

/* hwflow verify with one process or several; what it prints */
static inline int run_jobs(char *jobs, char *trace, char *truth, const char *allow,
			   char output[1000])
{
	char verb[] = "verify", quiet[] = "--quiet", option[32], path[64];
	char *argv[] = {verb, quiet, truth, option, jobs, trace, NULL};
	int out = memory_file(path);
	int stdout_before = dup(STDOUT_FILENO);
	int status;
	ssize_t length;

	snprintf(option, sizeof(option), "%s", allow ? allow : quiet);
	fflush(stdout);
	assert_true(stdout_before >= 0 && dup2(out, STDOUT_FILENO) >= 0);
	status = cmd_verify(6, argv);
	fflush(stdout);
	assert_true(dup2(stdout_before, STDOUT_FILENO) >= 0);
	close(stdout_before);
	length = pread(out, output, 999, 0);
	close(out);
	assert_true(length > 0);
	output[length] = 0;
	return status;
}

/* hwflow verify; what it prints, whatever the number of processes */
static inline int run(char *trace, char *truth, const char *allow, char output[1000])
{
	char one[] = "-j1", three[] = "-j3", other[1000];
	int status = run_jobs(one, trace, truth, allow, output);

	/* each piece has a batch of its own */
	setenv("HWFLOW_SHARD_BYTES", "1", 1);
	assert_int_equal(run_jobs(three, trace, truth, allow, other), status);
	unsetenv("HWFLOW_SHARD_BYTES");
	assert_string_equal(other, output);
	return status;
}

static inline void put_program(int fd, uint32_t older)
{
	uint32_t code[] = {program[0], older ? older : program[1], program[2]};

	put(fd, code, sizeof(code));
}

/* @expected: how the output begins; @instructions: as the last line has them */
static inline void verify(struct story *story, int status, const char *expected,
			  unsigned int instructions)
{
	char trace[32], code[64], log[64], truth[80], output[1000], last[100];
	int fds[] = {memory_file(code), memory_file(log)};

	if (story->t32)
		put(fds[0], image32, sizeof(image32));
	else
		put_program(fds[0], story->older);
	write_log(fds[1], story);
	temporary(trace, sizeof(trace));
	write_trace(trace, story, code);
	snprintf(truth, sizeof(truth), "--truth=%s", log);
	snprintf(last, sizeof(last), ": 1 thread, %u instructions\n", instructions);
	assert_int_equal(run(trace, truth, story->allow, output), status);
	if (strncmp(output, expected, strlen(expected)) != 0 || !strstr(output, last))
		fail_msg("%s", output);
	unlink(trace);
	close(fds[0]);
	close(fds[1]);
	free(story->events);
	free(story);
}

#endif /* HWFLOW_TEST_VERIFY_H */
