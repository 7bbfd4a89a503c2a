// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log divides a run where the emulator ended a block, which is not a property of the program.
 * The trace is the same wherever that is, cycle counts and Q elements included.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/truth_test.h"

#include "emulate/encode.h"
#include "emulate/encode_cycles.h"

#define TRCIDR0    0x68018ea1 /* COMMOPT, QSUPP */
#define TRCIDR1    0x4100fff0
#define TRCIDR2    0xd0001088
#define TRCDEVARCH 0x47705a13
#define CCI        (1u << 4)
#define QE         (3u << 13)
#define TURNS      40
#define BASE       0x1000

/* 1000: nop; nop; nop; nop; b 0x1000 */
static const uint32_t code[] = {0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f, 0x17fffffc};
#define CODE (sizeof(code) / sizeof(code[0]))

struct trace {
	uint8_t bytes[4096];
	size_t length;
};

static bool take_bytes(void *ctx, const uint8_t *from, size_t length)
{
	struct trace *trace = ctx;

	assert_true(length <= sizeof(trace->bytes) - trace->length);
	memcpy(trace->bytes + trace->length, from, length);
	trace->length += length;
	return true;
}

static bool take_session(void *ctx, uint64_t time)
{
	(void)ctx;
	(void)time;
	return true;
}

static void execute(struct encoder *encoder, uint32_t from, uint32_t to)
{
	char message[TRUTH_MESSAGE] = "";
	const struct truth_event event = {.kind = TRUTH_EVENT_RUN,
					  .u.run = {.pc = BASE + 4 * (uint64_t)from,
						    .opcodes = code + from,
						    .number = from * (uint32_t)(CODE + 1) + to,
						    .count = to - from,
						    .block_count = to - from,
						    .isa = HWF_ISA_A64,
						    .size = 4}};

	assert_int_equal(encoder_event(encoder, &event, message), 0);
}

/* Execute the loop, divided before instruction number @cut; at 0 it is not divided. */
static void trace_of(uint32_t cut, uint64_t cycle_seed, struct trace *trace,
		     struct encode_totals *totals)
{
	const struct encode_sink sink = {trace, take_bytes, take_session};
	const struct encode_options options = {.unit = {.regs = {.trcconfigr = CCI | QE,
								 .trcidr0 = TRCIDR0,
								 .trcidr1 = TRCIDR1,
								 .trcidr2 = TRCIDR2,
								 .trcdevarch = TRCDEVARCH},
							.cc_threshold = 4,
							.q_interval = 3,
							.el_mask = 1},
					       .cycle_seed = cycle_seed,
					       .virtual_time = true};
	const struct truth_event exception = {
		.kind = TRUTH_EVENT_EXCEPTION,
		.u.exception = {.type = HWF_EXC_IRQ, .ret = BASE + 8}};
	struct encoder *encoder;
	char message[TRUTH_MESSAGE] = "";

	assert_int_equal(encoder_new(&encoder, 1, &options, &sink, totals, message), 0);
	for (unsigned int turn = 0; turn < TURNS; turn++) {
		if (cut)
			execute(encoder, 0, cut);
		execute(encoder, cut, CODE);
	}
	/* the last turn is interrupted */
	if (cut == 1)
		execute(encoder, 0, 1);
	execute(encoder, cut == 1, 2);
	assert_int_equal(encoder_event(encoder, &exception, message), 0);
	assert_int_equal(encoder_end(encoder, message), 0);
	encoder_free(encoder);
}

static void check_divided_run(uint64_t cycle_seed)
{
	struct encode_totals want_totals = {0};
	struct trace want = {.length = 0};

	trace_of(0, cycle_seed, &want, &want_totals);
	assert_int_equal(want_totals.instructions, TURNS * CODE + 2);
	assert_true(want.length > TURNS);
	for (uint32_t cut = 1; cut < CODE; cut++) {
		struct encode_totals totals = {0};
		struct trace got = {.length = 0};

		trace_of(cut, cycle_seed, &got, &totals);
		assert_int_equal(totals.instructions, want_totals.instructions);
		assert_int_equal(got.length, want.length);
		assert_memory_equal(got.bytes, want.bytes, want.length);
	}
}

static void test_divided_run(void **state)
{
	(void)state;
	check_divided_run(0);
	check_divided_run(5);
}

static void test_cycles(void **state)
{
	struct encode_cycles whole, divided;
	uint64_t sum = 0, longest = 0;

	(void)state;
	encode_cycles_init(&whole, 0);
	assert_int_equal(encode_cycles_next(&whole, 1000), 1000);
	encode_cycles_init(&whole, 7);
	encode_cycles_init(&divided, 7);
	for (uint32_t i = 1; i <= 2000; i++) {
		uint32_t cycles = 0;

		for (uint32_t left = i % 20, part; left; left -= part) {
			part = left < i % 3 + 1 ? left : i % 3 + 1;
			cycles += encode_cycles_next(&divided, part);
		}
		assert_int_equal(cycles, encode_cycles_next(&whole, i % 20));
		sum += cycles;
		longest = cycles > longest ? cycles : longest;
	}
	/* 9 for a group of eight instructions, and 4 for its part of the waits */
	assert_in_range(sum, 19000 * 15 / 10, 19000 * 175 / 100);
	assert_in_range(longest, 150, 320);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_divided_run),
		cmocka_unit_test(test_cycles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
