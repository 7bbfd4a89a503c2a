/* SPDX-License-Identifier: GPL-2.0-only */
/* Shards of traces of each protocol, decoded by workers: their states fit where a trace is cut. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/ahead.h"
#include "decode/loop.h"
#include "source/protocol.h"

static void begin_nothing(void *ctx)
{
	(void)ctx;
}

/* struct recorded - shards that were decoded by workers */
struct recorded {
	struct input *input;
	const struct shard *shard;
	struct work_log *log;
	size_t shards;
	size_t again;
};

static void drop_event(void *ctx, const struct hwf_flow_event *event)
{
	(void)ctx;
	(void)event;
}

static void record_state(void *ctx, size_t at, const uint8_t *state, size_t size)
{
	const struct recorded *recorded = ctx;
	const bool begins = at == recorded->shard->span.begin;

	if (begins)
		work_log_restart(recorded->log);
	if (size)
		work_log_copy(recorded->log, begins ? WORK_BEGIN : WORK_END, state, size);
	else
		work_log_fail(recorded->log);
}

static void record_shard(void *ctx, const struct shard *shard, struct work_log *log)
{
	struct recorded *recorded = ctx;
	const struct input_part part = {
		.span = shard->span, .reached = record_state, .ctx = recorded};
	const struct decode_options how = {.sink = drop_event, .part = &part};

	recorded->shard = shard;
	recorded->log = log;
	if (decode_piece(recorded->input, shard->source, shard->piece, &how))
		work_log_fail(log);
}

static void count_shard(void *ctx, const struct work_entry *entry)
{
	struct recorded *recorded = ctx;

	recorded->shards += entry->kind == WORK_DONE;
}

static int count_again(void *ctx, const struct shard *shard)
{
	struct recorded *recorded = ctx;

	(void)shard;
	recorded->again++;
	return 0;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

#define PERIOD ((size_t)50)

/* struct real - a trace: what it begins with, what comes back every PERIOD bytes; and the program
 */
struct real {
	const char *config;
	const char *address;
	enum input_protocol protocol;
	uint32_t program[3];
	uint8_t head[4];
	uint8_t trace[PERIOD];
};

static const struct real reals[] = {
	/* NOP, NOP, a branch to itself */
	{"TRCCONFIGR=1,TRCIDR0=0x084002a1,TRCIDR2=0x40001088,TRCDEVARCH=0x47735a13",
	 "0x2000",
	 INPUT_ETE,
	 {0xd503201f, 0xd503201f, 0x14000000},
	 {0},
	 {0,    0, 0,    0,    0, 0,    0, 0, 0,    0,    0,    0x80,
	  0x01, 0, 0x04, 0x82, 0, 0x10, 0, 0, 0x30, 0xf7, 0xf7, [23 ... 49] = 0xf7}},
	/* the same in A32: an A-sync, an I-sync, P-headers of one instruction */
	{"ETMIDR=0x410cf250",
	 "0x8000",
	 INPUT_ETMV3,
	 {0xe1a00000, 0xe1a00000, 0xeafffffe},
	 {0},
	 {0, 0, 0, 0, 0, 0x80, 0x08, 0x21, 0x00, 0x80, 0, 0, [12 ... 49] = 0x84}},
	/* nop, nop, jr a5; F3.0 at 0x1000, F2 from there to 0x1004, null packets */
	{NULL,
	 "0x1000",
	 INPUT_RISCV,
	 {0x00010001, 0x00018782, 0x00010001},
	 {0},
	 {0x44, 0x73, 0, 0x04, 0, 0x41, 0x0a}},
	/* the same with full addresses, which only the support packet at the beginning tells */
	{NULL,
	 "0x1000",
	 INPUT_RISCV,
	 {0x00010001, 0x00018782, 0x00010001},
	 {0x42, 0x1f, 0x04},
	 {0x44, 0x73, 0, 0x04, 0, 0x42, 0x0a, 0x20}},
};

static void write_trace(const char *path, const struct real *real)
{
	static uint8_t bytes[sizeof(real->head) + 2000 * PERIOD];
	uint8_t *to = bytes;

	if (real->head[0]) {
		memcpy(to, real->head, sizeof(real->head));
		to += sizeof(real->head);
	}
	for (unsigned int i = 0; i < 2000; i++, to += PERIOD)
		memcpy(to, real->trace, PERIOD);
	write_file(path, bytes, (size_t)(to - bytes));
}

/* Workers decode a trace of many PERIODs; what they find is used, or counted as decoded again. */
static void record_real(const struct real *real, struct recorded *recorded)
{
	const struct ahead_work work = {.begin = begin_nothing,
					.shard = record_shard,
					.entry = count_shard,
					.again = count_again,
					.most = SIZE_MAX,
					.warmth = AHEAD_WARMTH,
					.ctx = recorded};
	char directory[] = "/tmp/test_ahead.XXXXXX", code[PATH_MAX], data[PATH_MAX];
	char image[PATH_MAX + 8];
	struct input_options options;
	struct input *input;
	struct ahead *ahead;

	assert_non_null(mkdtemp(directory));
	snprintf(code, sizeof(code), "%s/code", directory);
	snprintf(data, sizeof(data), "%s/data", directory);
	write_file(code, real->program, sizeof(real->program));
	write_trace(data, real);
	snprintf(image, sizeof(image), "%s@%s", code, real->address);
	input_options_init(&options);
	options.path = data;
	options.protocol = real->protocol;
	if (real->config)
		assert_int_equal(input_option(&options, INPUT_OPT_CONFIG, real->config), 0);
	options.quiet = true;
	options.jobs = 2;
	assert_int_equal(input_option(&options, INPUT_OPT_IMAGE, image), 0);
	assert_int_equal(input_open(&input, &options), 0);
	recorded->input = input;
	ahead = ahead_new(input, input->sources, input->source_count, &work);
	assert_non_null(ahead);
	ahead_take(ahead, NULL);
	ahead_free(ahead);
	input_close(input);
	input_options_free(&options);
	unlink(data);
	unlink(code);
	rmdir(directory);
}

/* What workers decode is used: the states fit where a trace is cut. */
static void shards_of_a_trace_are_joined(void **state)
{
	(void)state;
	setenv("HWFLOW_SHARD_BYTES", "5000", 1);
	for (size_t i = 0; i < sizeof(reals) / sizeof(*reals); i++) {
		struct recorded recorded = {0};

		record_real(&reals[i], &recorded);
		assert_int_equal(recorded.shards, 11);
		assert_int_equal(recorded.again, 0);
	}
	unsetenv("HWFLOW_SHARD_BYTES");
}

/*
 * The chains of RISC-V packets from different offsets do not meet here: each packet has as many
 * bytes, and each of its bytes reads as the header of another one. The chain of good packets is
 * taken.
 */
static void chains_of_packets_that_do_not_meet_are_compared(void **state)
{
	static const struct real real = {
		NULL,
		"0x1000",
		INPUT_RISCV,
		{0x00010001, 0x00018782, 0x00010001},
		{0},
		{0x44, 0x73, 0x04, 0x04, 0x04, 0x44, 0x73, 0x04, 0x04, 0x04, 0x44, 0x73, 0x04,
		 0x04, 0x04, 0x44, 0x73, 0x04, 0x04, 0x04, 0x44, 0x73, 0x04, 0x04, 0x04, 0x44,
		 0x73, 0x04, 0x04, 0x04, 0x44, 0x73, 0x04, 0x04, 0x04, 0x44, 0x73, 0x04, 0x04,
		 0x04, 0x44, 0x73, 0x04, 0x04, 0x04, 0x44, 0x73, 0x04, 0x04, 0x04}};
	struct recorded recorded = {0};

	(void)state;
	setenv("HWFLOW_SHARD_BYTES", "5000", 1);
	record_real(&real, &recorded);
	assert_int_equal(recorded.shards, 10);
	assert_int_equal(recorded.again, 0);
	unsetenv("HWFLOW_SHARD_BYTES");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shards_of_a_trace_are_joined),
		cmocka_unit_test(chains_of_packets_that_do_not_meet_are_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
