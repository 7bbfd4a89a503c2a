/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* More ranges than the graph has room for. And packets read quickly, or not */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "riscv_flow_test.h"

#include "codec/riscv/riscv_quick.h"

/* Where things are in the program, in half-words; what is in front of the chain is two nodes */
enum {
	FIRST = 0,
	ON = 1,
	X = 3,
	Y = 5,
	CHAIN = 6,
	CHAINED = HWF_RISCV_NODES - 3,
	HALVES = CHAIN + CHAINED + 1
};

/* struct seen - ranges that were given: how many, and where the last three began */
struct seen {
	uint64_t last[3];
	unsigned int ranges;
	unsigned int gaps;
};

static void see(void *ctx, const struct hwf_flow_event *event)
{
	struct seen *seen = ctx;

	seen->gaps += event->kind == HWF_FLOW_GAP;
	if (event->kind != HWF_FLOW_RANGE)
		return;
	seen->ranges++;
	seen->last[0] = seen->last[1];
	seen->last[1] = seen->last[2];
	seen->last[2] = event->u.range.start;
}

/* jal x0, @offset; bits 20, 10:1, 11 and 19:12 */
static uint32_t jump(uint32_t offset)
{
	return (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3ff) << 21 | (offset >> 11 & 1) << 20 |
	       (offset >> 12 & 0xff) << 12 | 0x6f;
}

/* A chain of branches that goes back to the first one, which leads to X when taken, and X to Y */
static void make_chain(uint16_t *code)
{
	const uint32_t back = jump((uint32_t)-2 * (HALVES - 2));

	for (unsigned int i = 0; i < HALVES; i++)
		code[i] = C_BEQZ(4);
	code[FIRST] = C_BEQZ(2 * X);
	code[ON] = C_J(2 * (CHAIN - ON));
	code[X] = C_BEQZ(2 * (Y - X));
	code[Y] = C_NOP;
	code[HALVES - 2] = (uint16_t)back;
	code[HALVES - 1] = (uint16_t)(back >> 16);
}

/*
 * With all room taken, what comes behind the first node takes its number: a node must not be said
 * to be followed by itself.
 */
static void runs_that_made_way_are_forgotten(void **state)
{
	static uint16_t code[HALVES];
	static struct run run;
	const unsigned int not_taken = CHAINED - 1; /* and the first: the start says so */
	struct seen seen = {0};

	(void)state;
	make_chain(code);
	run_begin(&run, HWF_RISCV_V2, code, HALVES);
	run_flow(&run);
	run.flow->sink = see;
	run.flow->sink_ctx = &seen;
	start(&run, BASE, 3, true);
	for (unsigned int i = 0; i < not_taken / 31; i++)
		f1_full(&run, 0x7fffffff);
	f1(&run, (1u << not_taken % 31) - 1, not_taken % 31 + 2, INT64_C(2) * Y);
	assert_int_equal(run.graph.flushes, 1);
	hwf_riscv_flow_end(run.flow, run.offset);
	run_free(&run);
	assert_int_equal(seen.gaps, 0);
	assert_int_equal(seen.ranges, CHAINED + 5);
	assert_true(seen.last[0] == BASE && seen.last[1] == BASE + UINT64_C(2) * X &&
		    seen.last[2] == BASE + UINT64_C(2) * Y);
}

/* RISCV_SEQUENTIAL comes before RISCV_IMPLICIT_RETURN: what both fit goes where the program says.
 */
static void a_sequential_return_is_no_implied_one(void **state)
{
	static const uint16_t code[] = {
		WORD(0x008000ef), /* 1000: jal ra, 1008 */
		C_NOP,
		C_NOP,           /* 1004: no return leads here */
		AUIPC(RA),       /* 1008: ra = 1008 */
		JALR(0, RA, 12), /* 100c: to 1014 */
		C_NOP,
		C_NOP,
		C_JR(A5), /* 1014: to where the trace says */
		C_NOP,
		C_NOP,
		C_NOP,
	};
	struct run run;

	(void)state;
	run_begin(&run, HWF_RISCV_V2, code, sizeof(code) / 2);
	run.params.itype_width_p = 4;
	run.params.implicit_return = true;
	run.params.return_stack_size_p = 3;
	run.params.sijump_p = 1;
	start(&run, BASE, 3, true);
	f2(&run, 0x18, NO_BITS);
	run_end(&run, "on mode3 1000+ 1008 100c+ 1014+ 1018 end");
}

/* Addresses of 32 bits: behind the last comes the first. */
static size_t read_around(void *ctx, const void *space, uint64_t address, void *bytes,
			  size_t length)
{
	const struct run *run = ctx;

	if (address >> 32)
		return 0;
	return run_read(ctx, space, run->base + (uint32_t)(address - run->base), bytes, length);
}

static void a_branch_leads_around_the_end_of_addresses(void **state)
{
	static const uint16_t code[] = {C_BEQZ(4), C_BEQZ(-2), C_NOP};
	struct seen seen = {0};
	struct run run;

	(void)state;
	run_begin(&run, HWF_RISCV_V2, code, sizeof(code) / 2);
	run.isa = 0;
	run.base = 0xfffffffe;
	run.params.iaddress_width_p = 32;
	run.program.read = read_around;
	start(&run, run.base, 3, true);
	run.flow->sink = see;
	run.flow->sink_ctx = &seen;
	/* to 0 and back, to 0 and back, and on to 2 */
	f1(&run, 0x2, 4, 4);
	hwf_riscv_flow_end(run.flow, run.offset);
	run_free(&run);
	assert_int_equal(seen.gaps, 0);
	assert_int_equal(seen.ranges, 6);
	assert_true(!seen.last[0] && seen.last[1] == run.base && seen.last[2] == 2);
}

/* A loop of jumps, which no outcome ends: one packet gives more ranges than wait as steps. */
static struct seen walk_in_circles(bool use_graph)
{
	static const uint16_t code[] = {C_J(2), C_J(-2), C_NOP};
	struct seen seen = {0};
	struct run run;

	run_begin(&run, HWF_RISCV_V2, code, sizeof(code) / 2);
	start(&run, BASE, 3, true);
	if (!use_graph)
		run.flow->graph = NULL;
	run.flow->sink = see;
	run.flow->sink_ctx = &seen;
	f2(&run, 0x100, NO_BITS);
	run_free(&run);
	return seen;
}

static void a_packet_gives_more_ranges_than_wait(void **state)
{
	const struct seen plain = walk_in_circles(false);
	const struct seen by_graph = walk_in_circles(true);

	(void)state;
	assert_in_range(plain.ranges, 2 * HWF_STEPS_MOST, HWF_RUN_MAX + 1);
	assert_int_equal(plain.gaps, 1);
	assert_int_equal(plain.ranges, by_graph.ranges);
	assert_int_equal(plain.gaps, by_graph.gaps);
	assert_memory_equal(plain.last, by_graph.last, sizeof(plain.last));
}

/* ---- packets ---- */

static uint64_t state64 = 1;

static unsigned int choose(unsigned int limit)
{
	state64 = state64 * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)((state64 >> 33) % limit);
}

static struct hwf_riscv_config random_config(void)
{
	struct hwf_riscv_params params;
	struct hwf_riscv_config config;

	for (;;) {
		const enum hwf_riscv_dialect dialect = choose(2) ? HWF_RISCV_V1 : HWF_RISCV_V2;

		hwf_riscv_params_init(&params, dialect);
		params.iaddress_width_p = (uint8_t)(choose(2) ? 64 : 2 + choose(63));
		params.iaddress_lsb_p = (uint8_t)choose(4);
		params.branch_prediction = choose(2);
		params.jump_target_cache = choose(2);
		params.f0s_width_p = (uint8_t)choose(2);
		params.bpred_size_p = (uint8_t)choose(13);
		params.cache_size_p = (uint8_t)choose(13);
		params.return_stack_size_p = (uint8_t)(choose(2) ? choose(13) : 0);
		params.call_counter_size_p = (uint8_t)(params.return_stack_size_p ? 0 : choose(13));
		params.implicit_return = choose(2);
		if (!hwf_riscv_config_init(&config, dialect, &params))
			return config;
	}
}

static void assert_same_address(const struct hwf_riscv_address *a,
				const struct hwf_riscv_address *b)
{
	assert_int_equal(a->has, b->has);
	if (!a->has)
		return;
	assert_true(a->value == b->value);
	assert_int_equal(a->notify, b->notify);
	assert_int_equal(a->updiscon, b->updiscon);
	assert_int_equal(a->irreport, b->irreport);
	assert_int_equal(a->irdepth, b->irdepth);
}

static void assert_same(const struct hwf_riscv_packet *a, const struct hwf_riscv_packet *b)
{
	assert_int_equal(a->type, b->type);
	switch (a->type) {
	case HWF_RISCV_F0_COUNT:
		assert_int_equal(a->u.count.branch_count, b->u.count.branch_count);
		assert_int_equal(a->u.count.branch_fmt, b->u.count.branch_fmt);
		assert_same_address(&a->u.count.address, &b->u.count.address);
		break;
	case HWF_RISCV_F0_CACHE:
		assert_int_equal(a->u.cache.index, b->u.cache.index);
		assert_int_equal(a->u.cache.map, b->u.cache.map);
		assert_int_equal(a->u.cache.branches, b->u.cache.branches);
		assert_int_equal(a->u.cache.irreport, b->u.cache.irreport);
		assert_int_equal(a->u.cache.irdepth, b->u.cache.irdepth);
		break;
	case HWF_RISCV_F1:
		assert_int_equal(a->u.map.map, b->u.map.map);
		assert_int_equal(a->u.map.branches, b->u.map.branches);
		assert_same_address(&a->u.map.address, &b->u.map.address);
		break;
	default:
		assert_int_equal(a->type, HWF_RISCV_F2);
		assert_same_address(&a->u.address, &b->u.address);
		break;
	}
}

/* Any bytes; half of them end as compressed ones do, so that more of them read well. */
static void random_bytes(uint8_t *bytes, size_t size)
{
	const uint8_t end = choose(2) ? 0xff : 0;
	const size_t from = choose(2) ? size : choose((unsigned int)size);

	for (size_t i = 0; i < size; i++)
		bytes[i] = i < from ? (uint8_t)choose(256) : end;
	bytes[0] = (uint8_t)((choose(8) ? HWF_RISCV_MSG_INST << 5 : choose(8) << 5) | choose(32));
}

static void packets_read_quickly_are_the_same(void **state)
{
	struct hwf_riscv_framing framing;
	unsigned int quick[HWF_RISCV_ALL_TYPES] = {0};
	uint8_t bytes[40];

	(void)state;
	hwf_riscv_framing_init(&framing, HWF_RISCV_REFERENCE);
	for (unsigned int i = 0; i < 200000; i++) {
		const struct hwf_riscv_config config = random_config();
		struct hwf_riscv_stream stream;
		struct hwf_riscv_packet a;
		struct hwf_riscv_packet b;
		size_t size;

		hwf_riscv_stream_init(&stream, &config, &framing);
		random_bytes(bytes, sizeof(bytes));
		size = hwf_riscv_quick(&stream, bytes, choose(8) ? sizeof(bytes) : choose(20), &a);
		if (!size)
			continue;
		assert_int_equal(hwf_riscv_stream_next(&stream, bytes, sizeof(bytes), true, &b),
				 size);
		assert_same(&a, &b);
		quick[a.type]++;
	}
	assert_in_range(quick[HWF_RISCV_F0_COUNT], 100, 200000);
	assert_in_range(quick[HWF_RISCV_F0_CACHE], 100, 200000);
	assert_in_range(quick[HWF_RISCV_F1], 100, 200000);
	assert_in_range(quick[HWF_RISCV_F2], 100, 200000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_that_made_way_are_forgotten),
		cmocka_unit_test(a_sequential_return_is_no_implied_one),
		cmocka_unit_test(a_branch_leads_around_the_end_of_addresses),
		cmocka_unit_test(a_packet_gives_more_ranges_than_wait),
		cmocka_unit_test(packets_read_quickly_are_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
