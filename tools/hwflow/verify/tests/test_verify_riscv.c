// SPDX-License-Identifier: GPL-2.0-only
/* verify of RISC-V: traps that trace does not tell of, those it does, and loops without a branch.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/truth_test.h"

#include "base/error.h"
#include "hwflow/riscv.h"
#include "workers_test.h"

/* not in a header that tests can have without main() */
int cmd_verify(int argc, char **argv);

#define THREAD 7

/* 2000: nop; 2004: c.nop; 2006: j 0x2000; 200a: ecall; 200e: c.nop; 2010: illegal */
static const uint32_t code[] = {0x00000013, 0x0001, 0xffbff06f, 0x00000073, 0x0001, 0x0000};
static const uint8_t image[] = {0x13, 0,    0, 0, 1, 0, 0x6f, 0xf0, 0xbf,
				0xff, 0x73, 0, 0, 0, 1, 0,    0,    0};

static const struct test_block blocks[] = {
	{0x2000, code, 2, HWF_ISA_RV64},     /* nop, c.nop */
	{0x2006, code + 2, 1, HWF_ISA_RV64}, /* j */
	{0x200a, code + 3, 1, HWF_ISA_RV64}, /* ecall */
	{0x200e, code + 4, 1, HWF_ISA_RV64}, /* c.nop */
};
#define STRAIGHT (TRUTH_FIRST_BLOCK + 0)
#define JUMP     (TRUTH_FIRST_BLOCK + 1)
#define ECALL    (TRUTH_FIRST_BLOCK + 2)
#define BEHIND   (TRUTH_FIRST_BLOCK + 3)

struct trace {
	struct hwf_riscv_config config;
	uint8_t bytes[0x40000];
	size_t length;
};

static void trace_begin(struct trace *trace, enum hwf_riscv_dialect dialect)
{
	struct hwf_riscv_params params;

	hwf_riscv_params_init(&params, dialect);
	params.full_address = true;
	trace->length = 0;
	assert_int_equal(hwf_riscv_config_init(&trace->config, dialect, &params), 0);
}

static void put_packet(struct trace *trace, const struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_framing framing;
	struct hwf_riscv_frame frame = {.message = HWF_RISCV_MSG_INST};
	int length = hwf_riscv_encode(&trace->config, packet, frame.payload, sizeof(frame.payload));

	assert_true(length > 0);
	hwf_riscv_framing_init(&framing, HWF_RISCV_REFERENCE);
	frame.length = (uint8_t)length;
	length = hwf_riscv_enframe(&framing, &frame, trace->bytes + trace->length,
				   sizeof(trace->bytes) - trace->length);
	assert_true(length > 0);
	trace->length += (size_t)length;
}

static void start(struct trace *trace, uint64_t address)
{
	put_packet(trace,
		   &(struct hwf_riscv_packet){.type = HWF_RISCV_F3_START,
					      .u.sync = {.address = address >> 1, .branch = true}});
}

static void address(struct trace *trace, uint64_t at)
{
	put_packet(trace, &(struct hwf_riscv_packet){.type = HWF_RISCV_F2,
						     .u.address = {.value = at >> 1, .has = true}});
}

/* Tracing goes on, but not with the next instruction. */
static void ended(struct trace *trace)
{
	put_packet(trace,
		   &(struct hwf_riscv_packet){.type = HWF_RISCV_F3_SUPPORT,
					      .u.support = {.ioptions = HWF_RISCV_FULL_ADDRESS,
							    .qual_status = HWF_RISCV_ENDED_REP,
							    .ienable = true}});
}

static void trap(struct trace *trace, uint16_t cause, uint64_t handler, uint64_t tval)
{
	put_packet(trace, &(struct hwf_riscv_packet){.type = HWF_RISCV_F3_TRAP,
						     .u.sync = {.address = handler >> 1,
								.ecause = cause,
								.tval = tval,
								.branch = true,
								.thaddr = true,
								.has_address = true}});
}

/* From @from to @to, and ended there */
static void traced(struct trace *trace, uint64_t from, uint64_t to)
{
	trace_begin(trace, HWF_RISCV_V2);
	start(trace, from);
	address(trace, to);
	ended(trace);
}

static char *word(const char *text)
{
	return (char *)(uintptr_t)text;
}

static int verify(const struct trace *trace, const uint8_t *events, size_t length)
{
	static const char *const dialects[] = {"0.026", "1.0", "2.0"};
	char bytes[64], program[64], log[64], images[100], truth[80], dialect[40];
	char *argv[] = {word("verify"), word("--protocol=riscv"),
			dialect,        word("--config=full_address=1"),
			images,         truth,
			bytes,          NULL};
	int fds[] = {memory_file(bytes), memory_file(program), memory_file(log)};
	int status;

	put(fds[0], trace->bytes, trace->length);
	put(fds[1], image, sizeof(image));
	put_truth(fds[2], blocks, sizeof(blocks) / sizeof(blocks[0]), THREAD, events, length);
	snprintf(dialect, sizeof(dialect), "--dialect=%s", dialects[trace->config.dialect]);
	snprintf(images, sizeof(images), "--image=%s@0x2000", program);
	snprintf(truth, sizeof(truth), "--truth=%s", log);
	status = cmd_verify(7, argv);
	for (unsigned int i = 0; i < 3; i++)
		close(fds[i]);
	return status;
}

#define VERIFY(trace, ...) \
	verify(trace, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* By the timer */
#define INTERRUPT(epc) RV_EXCEPTION(TRUTH_RV_INTERRUPT + 5, epc, 0)

static void traps_are_passed_over_where_trace_ends(void **state)
{
	struct trace trace;

	(void)state;
	traced(&trace, 0x2000, 0x2004);
	start(&trace, 0x200e);
	ended(&trace);
	assert_int_equal(VERIFY(&trace, STRAIGHT, INTERRUPT(0x2006), BEHIND), EXIT_GOOD);
	/* several at once, and one at the end */
	assert_int_equal(VERIFY(&trace, STRAIGHT, INTERRUPT(0x2006), INTERRUPT(0x200e), BEHIND,
				INTERRUPT(0x2010)),
			 EXIT_GOOD);
	/* but no instruction with them */
	assert_int_equal(VERIFY(&trace, STRAIGHT, ECALL, TRUTH_CALL, BEHIND), EXIT_GAPS);
	assert_int_equal(VERIFY(&trace, STRAIGHT, INTERRUPT(0x2006), BEHIND, ECALL), EXIT_GAPS);
	assert_int_equal(VERIFY(&trace, STRAIGHT, INTERRUPT(0x2006)), EXIT_GAPS);
}

static void a_trap_inside_trace_is_a_difference(void **state)
{
	struct trace trace;

	(void)state;
	traced(&trace, 0x2000, 0x2006);
	assert_int_equal(VERIFY(&trace, STRAIGHT, JUMP), EXIT_GOOD);
	assert_int_equal(VERIFY(&trace, STRAIGHT, INTERRUPT(0x2006), JUMP), EXIT_GAPS);
}

static void rounds_of_a_loop_without_a_branch_are_counted(void **state)
{
	struct trace trace;

	(void)state;
	traced(&trace, 0x2000, 0x2004);
	assert_int_equal(VERIFY(&trace, STRAIGHT, JUMP, STRAIGHT, JUMP, STRAIGHT), EXIT_GOOD);
	assert_int_equal(VERIFY(&trace, STRAIGHT, JUMP, STRAIGHT, INTERRUPT(0x2006)), EXIT_GOOD);
	/* the last round has to end where the packet says */
	assert_int_equal(VERIFY(&trace, STRAIGHT, JUMP, STRAIGHT, JUMP), EXIT_GAPS);
	start(&trace, 0x200e);
	ended(&trace);
	assert_int_equal(VERIFY(&trace, STRAIGHT, JUMP, STRAIGHT, INTERRUPT(0x2006), BEHIND),
			 EXIT_GOOD);
	assert_int_equal(VERIFY(&trace, STRAIGHT, JUMP, STRAIGHT, JUMP, INTERRUPT(0x2000), BEHIND),
			 EXIT_GAPS);
}

static void traps_that_are_told_are_compared(void **state)
{
	struct trace trace;

	(void)state;
	trace_begin(&trace, HWF_RISCV_V2);
	start(&trace, 0x200a);
	trap(&trace, 8, 0x200e, 0);
	ended(&trace);
	assert_int_equal(VERIFY(&trace, ECALL, TRUTH_CALL, BEHIND), EXIT_GOOD);
	assert_int_equal(VERIFY(&trace, ECALL, BEHIND), EXIT_GAPS);
	assert_int_equal(VERIFY(&trace, ECALL, INTERRUPT(0x200a), BEHIND), EXIT_GAPS);
	assert_int_equal(VERIFY(&trace, ECALL, RV_EXCEPTION(0x48, 0x200e, 0), BEHIND), EXIT_GAPS);
	assert_int_equal(VERIFY(&trace, ECALL, RV_EXCEPTION(0x48, 0x200a, 9), BEHIND), EXIT_GAPS);
	assert_int_equal(VERIFY(&trace, ECALL, RV_EXCEPTION(0x49, 0x200a, 0), BEHIND), EXIT_GAPS);
}

/* No instruction is between two traps: dialect 1.0 tells of the last one, at the address of the
 * first. */
static void a_trap_that_another_replaces(void **state)
{
	struct trace trace;

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		trace_begin(&trace, i ? HWF_RISCV_V2 : HWF_RISCV_V1);
		start(&trace, 0x200a);
		trap(&trace, 13, 0x200e, 0);
		ended(&trace);
		assert_int_equal(
			VERIFY(&trace, ECALL, TRUTH_CALL, RV_EXCEPTION(0x4d, 0x2006, 0), BEHIND),
			i ? EXIT_GAPS : EXIT_GOOD);
		/* with an instruction between them, another cause, or none */
		assert_int_equal(
			VERIFY(&trace, ECALL, TRUTH_CALL, BEHIND, RV_EXCEPTION(0x4d, 0x2006, 0)),
			EXIT_GAPS);
		assert_int_equal(
			VERIFY(&trace, ECALL, TRUTH_CALL, RV_EXCEPTION(0x4f, 0x2006, 0), BEHIND),
			EXIT_GAPS);
		assert_int_equal(VERIFY(&trace, ECALL, TRUTH_CALL, BEHIND), EXIT_GAPS);
	}
}

/* Trace begins with a trap, and traps before it are not told of. */
static void a_trap_that_trace_begins_with(void **state)
{
	struct trace trace;

	(void)state;
	traced(&trace, 0x2000, 0x2004);
	put_packet(&trace, &(struct hwf_riscv_packet){.type = HWF_RISCV_F3_TRAP,
						      .u.sync = {.address = 0x2006 >> 1,
								 .ecause = 13,
								 .branch = true,
								 .has_address = true}});
	ended(&trace);
	start(&trace, 0x200e);
	ended(&trace);
	assert_int_equal(
		VERIFY(&trace, STRAIGHT, INTERRUPT(0x2006), RV_EXCEPTION(0x4d, 0x2006, 0), BEHIND),
		EXIT_GOOD);
	assert_int_equal(VERIFY(&trace, STRAIGHT, INTERRUPT(0x2006), BEHIND), EXIT_GAPS);
}

/* The trap value of an illegal instruction is its address in 1.0. */
static void the_address_of_an_illegal_instruction(void **state)
{
	struct trace trace;

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		trace_begin(&trace, i ? HWF_RISCV_V2 : HWF_RISCV_V1);
		start(&trace, 0x200e);
		trap(&trace, 2, 0x2000, i ? 3 : 0x2010);
		address(&trace, 0x2004);
		ended(&trace);
		assert_int_equal(VERIFY(&trace, BEHIND, RV_EXCEPTION(0x42, 0x2010, 3), STRAIGHT),
				 EXIT_GOOD);
		assert_int_equal(VERIFY(&trace, BEHIND, RV_EXCEPTION(0x42, 0x2010, 4), STRAIGHT),
				 i ? EXIT_GAPS : EXIT_GOOD);
		assert_int_equal(VERIFY(&trace, BEHIND, RV_EXCEPTION(0x42, 0x200e, 3), STRAIGHT),
				 EXIT_GAPS);
	}
}

#define ROUNDS 6000

/* Of each round: trace with a trap after it that the trace does not tell of, and trace with a trap
 * that it tells of, if @told */
static void trace_rounds(struct trace *trace, bool told)
{
	trace_begin(trace, HWF_RISCV_V2);
	for (size_t i = 0; i < ROUNDS; i++) {
		start(trace, 0x2000);
		address(trace, 0x2004);
		ended(trace);
		start(trace, 0x200a);
		if (told)
			trap(trace, 8, 0x200e, 0);
		ended(trace);
	}
}

/* struct events - of the log, of a round */
struct events {
	uint8_t bytes[32];
	size_t size;
};

#define EVENTS(...) {{__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})}

/* In each round @usual was executed, but @others in round number @other. */
static void compare(struct seen *seen, bool told, const struct events *usual,
		    const struct events *others, size_t other)
{
	static uint8_t events[ROUNDS * sizeof(usual->bytes)];
	static struct trace trace;
	char bytes[64], program[64], log[64], images[100];
	int fds[] = {memory_file(bytes), memory_file(program), memory_file(log)};
	struct input_options options;
	size_t length = 0;

	trace_rounds(&trace, told);
	for (size_t i = 0; i < ROUNDS; i++) {
		const struct events *round = i == other ? others : usual;

		memcpy(events + length, round->bytes, round->size);
		length += round->size;
	}
	put(fds[0], trace.bytes, trace.length);
	put(fds[1], image, sizeof(image));
	put_truth(fds[2], blocks, sizeof(blocks) / sizeof(blocks[0]), THREAD, events, length);
	snprintf(images, sizeof(images), "%s@0x2000", program);
	input_options_init(&options);
	options.path = bytes;
	assert_int_equal(input_option(&options, INPUT_OPT_PROTOCOL, "riscv"), 0);
	assert_int_equal(input_option(&options, INPUT_OPT_DIALECT, "2.0"), 0);
	assert_int_equal(input_option(&options, INPUT_OPT_CONFIG, "full_address=1"), 0);
	assert_int_equal(input_option(&options, INPUT_OPT_IMAGE, images), 0);
	/* some 20 shards */
	see(seen, &options, log, "1000");
	for (unsigned int i = 0; i < 3; i++)
		close(fds[i]);
}

static const struct events told = EVENTS(STRAIGHT, INTERRUPT(0x2006), ECALL, TRUTH_CALL, BEHIND);
static const struct events untold = EVENTS(STRAIGHT, INTERRUPT(0x2006), ECALL, INTERRUPT(0x200e));

static void shards_are_compared_by_workers(void **state)
{
	struct seen seen;

	(void)state;
	compare(&seen, true, &told, NULL, ROUNDS);
	assert_false(seen.thread.wrong);
	assert_int_equal(seen.ranges, 0);
	assert_int_equal(seen.total, ROUNDS * 4);
	assert_int_equal(seen.thread.counts.exceptions, ROUNDS);
	assert_int_equal(seen.thread.counts.untold, ROUNDS);
	assert_int_equal(seen.last[VERIFY_SHOWN - 1].pc, 0x200e);
	compare(&seen, false, &untold, NULL, ROUNDS);
	assert_false(seen.thread.wrong);
	assert_int_equal(seen.ranges, 0);
	assert_int_equal(seen.total, ROUNDS * 3);
	assert_int_equal(seen.thread.counts.untold, ROUNDS * 2);
}

/* The log has a loop that no packet tells of: the first process passes over too little of it. */
static void workers_go_on_after_a_loop_without_a_branch(void **state)
{
	static const struct events loop =
		EVENTS(STRAIGHT, JUMP, STRAIGHT, INTERRUPT(0x2006), ECALL, INTERRUPT(0x200e));
	struct seen seen;

	(void)state;
	compare(&seen, false, &untold, &loop, ROUNDS / 3);
	assert_false(seen.thread.wrong);
	assert_int_equal(seen.total, ROUNDS * 3);
	assert_int_equal(seen.thread.counts.unseen, 3);
	assert_int_equal(seen.thread.counts.untold, ROUNDS * 2);
	/* some shards are compared again, and not all of those behind them */
	assert_in_range(seen.ranges, 1, ROUNDS);
}

static void a_difference_is_found_in_each_shard(void **state)
{
	/* an instruction in place of another, and a trap in place of another */
	static const struct events insn =
		EVENTS(STRAIGHT, INTERRUPT(0x2006), BEHIND, TRUTH_CALL, BEHIND);
	static const struct events cause =
		EVENTS(STRAIGHT, INTERRUPT(0x2006), ECALL, RV_EXCEPTION(0x49, 0x200a, 0), BEHIND);
	struct seen seen;

	(void)state;
	for (size_t other = 0; other < ROUNDS; other += ROUNDS / 2 - 1) {
		compare(&seen, true, &told, &insn, other);
		assert_true(seen.thread.wrong);
		assert_int_equal(seen.total, 4 * other + 2);
		compare(&seen, true, &told, &cause, other);
		assert_true(seen.thread.wrong);
		assert_int_equal(seen.total, 4 * other + 3);
		assert_int_equal(seen.thread.counts.exceptions, other);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traps_are_passed_over_where_trace_ends),
		cmocka_unit_test(a_trap_inside_trace_is_a_difference),
		cmocka_unit_test(rounds_of_a_loop_without_a_branch_are_counted),
		cmocka_unit_test(traps_that_are_told_are_compared),
		cmocka_unit_test(a_trap_that_another_replaces),
		cmocka_unit_test(a_trap_that_trace_begins_with),
		cmocka_unit_test(the_address_of_an_illegal_instruction),
		cmocka_unit_test(shards_are_compared_by_workers),
		cmocka_unit_test(workers_go_on_after_a_loop_without_a_branch),
		cmocka_unit_test(a_difference_is_found_in_each_shard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
