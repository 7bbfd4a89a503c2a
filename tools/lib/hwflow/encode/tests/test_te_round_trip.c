/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Random programs through the port, the RISC-V trace encoder, the packets and the decoder: what
 * comes out is what was executed, under every setting of both dialects. The seed of a run chooses
 * program and settings. The same packets, some of them damaged, give the same events one
 * instruction at a time as they do by ranges that are remembered.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hwflow/riscv_flow.h"
#include "hwflow/te_encoder.h"
#include "rv_model.h"

#define STEPS 6000u
#define ROOM  (STEPS + 1000u)
#define RUNS  150u

/* Few, so that the graph forgets them often */
#define NODES 64u

/* struct twin - a decoder of damaged packets, and what each of its events says */
struct twin {
	struct hwf_riscv_flow flow;
	struct hwf_graph graph;
	void *nodes;
	uint64_t events[2 * ROOM];
	size_t count;
};

/* struct run - one program, its encoder and its decoders */
struct run {
	struct rv_model model;
	struct rv_model_options program;
	struct hwf_riscv_params params;
	struct hwf_te_options options;
	struct hwf_te_port_params port;
	struct hwf_te_core core;
	struct hwf_te *te;
	struct hwf_code code;
	struct hwf_riscv_flow flow;
	uint64_t executed[ROOM];
	size_t count;
	uint64_t traps;
	uint64_t decoded[ROOM];
	size_t given;
	uint64_t trapped;
	size_t gaps;
	unsigned int seen;     /* set of packet types */
	unsigned int reported; /* packets with irreport */
	uint64_t offset;
	enum hwf_riscv_dialect dialect;
	struct twin singly;
	struct twin by_ranges;
};

static struct run run;

static unsigned int choose(unsigned int limit)
{
	return (unsigned int)((rv_model_random(&run.model) >> 33) % limit);
}

/* ---- packets to instructions ---- */

static void take_range(const struct hwf_flow_range *range)
{
	uint64_t pc = range->start;

	for (uint32_t i = 0; i < range->instructions; i++) {
		uint16_t half = 0;

		rv_model_read(&run.model, NULL, pc, &half, sizeof(half));
		if (run.given < ROOM)
			run.decoded[run.given] = pc;
		run.given++;
		pc += hwf_rv_size(half);
	}
}

static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	(void)ctx;
	if (event->kind == HWF_FLOW_RANGE)
		take_range(&event->u.range);
	else if (event->kind == HWF_FLOW_GAP || event->kind == HWF_FLOW_NO_SYNC)
		run.gaps++;
	else if (event->kind == HWF_FLOW_TRAP)
		run.trapped++;
}

static bool has_irreport(const struct hwf_riscv_packet *packet)
{
	switch (packet->type) {
	case HWF_RISCV_F0_CACHE:
		return packet->u.cache.irreport;
	case HWF_RISCV_F0_COUNT:
		return packet->u.count.address.irreport;
	case HWF_RISCV_F1:
		return packet->u.map.address.irreport;
	default:
		return packet->type == HWF_RISCV_F2 && packet->u.address.irreport;
	}
}

static uint64_t fold(uint64_t sum, uint64_t value)
{
	return (sum ^ value) * 0x9e3779b97f4a7c15;
}

static uint64_t fold_range(uint64_t sum, const struct hwf_flow_range *range)
{
	sum = fold(fold(sum, range->start), range->end);
	sum = fold(fold(sum, range->instructions),
		   (uint64_t)range->taken | (uint64_t)range->p0 << 1);
	sum = fold(fold(sum, range->isa), range->cycles);
	sum = fold(fold(sum, range->insn.target), range->insn.size);
	sum = fold(fold(sum, range->insn.kind), range->insn.sub);
	sum = fold(fold(sum, range->insn.conditional), range->insn.target_isa);
	return range->each ? 0 : sum;
}

static void take_twin(void *ctx, const struct hwf_flow_event *event)
{
	struct twin *twin = ctx;
	uint64_t sum = fold(fold(0, event->offset), event->kind);

	if (event->kind == HWF_FLOW_RANGE)
		sum = fold_range(sum, &event->u.range);
	else if (event->kind == HWF_FLOW_GAP)
		sum = fold(fold(sum, event->u.gap.address), event->u.gap.reason);
	else if (event->kind == HWF_FLOW_TRAP)
		sum = fold(fold(sum, event->u.trap.epc), event->u.trap.has_epc);
	assert_true(twin->count < sizeof(twin->events) / sizeof(twin->events[0]));
	twin->events[twin->count++] = sum;
}

/* One packet in a hundred is left out, one has other outcomes, and one another address. */
static void push_damaged(const struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_packet damaged = *packet;
	const unsigned int how = choose(100);

	if (how == 0)
		return;
	if (how == 1 && damaged.type == HWF_RISCV_F1)
		damaged.u.map.map ^= choose(1u << damaged.u.map.branches % 31);
	if (how == 2 && damaged.type == HWF_RISCV_F1)
		damaged.u.map.address.value ^= 1u + choose(16);
	if (how == 2 && damaged.type == HWF_RISCV_F2)
		damaged.u.address.value ^= 1u + choose(16);
	hwf_riscv_flow_push(&run.singly.flow, run.offset, &damaged, 0);
	hwf_riscv_flow_push(&run.by_ranges.flow, run.offset, &damaged, 0);
}

/* Each packet goes through its bytes. */
static bool take_packet(void *ctx, const struct hwf_riscv_packet *packet)
{
	uint8_t bytes[HWF_RISCV_MAX_PAYLOAD];
	struct hwf_riscv_packet again;
	int length = hwf_riscv_encode(&run.options.config, packet, bytes, sizeof(bytes));

	(void)ctx;
	assert_true(length > 0);
	assert_int_equal(hwf_riscv_decode(&run.options.config, packet->type == HWF_RISCV_TE_SUPPORT,
					  bytes, (size_t)length, &again),
			 0);
	run.seen |= 1u << again.type;
	run.reported += has_irreport(&again);
	push_damaged(&again);
	hwf_riscv_flow_push(&run.flow, run.offset++, &again, 0);
	return true;
}

static int take_cycle(void *ctx, const struct hwf_te_cycle *cycle)
{
	(void)ctx;
	return hwf_te_cycle(run.te, cycle);
}

/* ---- a run ---- */

static void take_twin_steps(void *ctx, const struct hwf_steps *steps)
{
	hwf_steps_each(steps, take_twin, ctx);
}

static void start_twin(struct twin *twin)
{
	hwf_riscv_flow_init(&twin->flow, &run.options.config, run.program.isa, &run.code, take_twin,
			    twin);
	twin->flow.branch_limit = STEPS;
}

static void start(void)
{
	const struct hwf_te_sink sink = {.packet = take_packet};
	const struct hwf_te_port port = {.cycle = take_cycle};
	void *nodes = malloc(hwf_graph_nodes_bytes(NODES));
	void *memory;

	assert_non_null(nodes);
	assert_int_equal(hwf_riscv_config_init(&run.options.config, run.dialect, &run.params), 0);
	run.code = (struct hwf_code){.ctx = &run.model, .read = rv_model_read};
	hwf_riscv_flow_init(&run.flow, &run.options.config, run.program.isa, &run.code, take_event,
			    NULL);
	start_twin(&run.singly);
	start_twin(&run.by_ranges);
	run.by_ranges.nodes = nodes;
	hwf_graph_init_nodes(&run.by_ranges.graph, nodes, NODES);
	run.by_ranges.flow.graph = &run.by_ranges.graph;
	run.by_ranges.flow.steps_sink = take_twin_steps;
	memory = malloc(hwf_te_size(&run.options));
	assert_non_null(memory);
	assert_int_equal(hwf_te_init(memory, &run.options, &sink, &run.te), 0);
	assert_int_equal(hwf_te_core_init(&run.core, &run.port, &port), 0);
}

static void step(void)
{
	struct hwf_te_event event;

	rv_model_step(&run.model, &event);
	assert_int_equal(hwf_te_core_event(&run.core, &event), 0);
	assert_true(run.count < ROOM);
	if (event.retired)
		run.executed[run.count++] = event.address;
	run.traps += event.trap != HWF_TE_NO_TRAP;
}

/*
 * The end is as hard to tell as a format 3: where returns may be implied, none stands between it
 * and the last branch or jump before it. Unless irets tells.
 */
static void execute(void)
{
	const bool unclear = run.params.implicit_return && !run.params.irets;
	bool returned = false;

	for (unsigned int i = 0; i < STEPS || (unclear && returned); i++) {
		returned = run.model.returned;
		step();
	}
	assert_int_equal(hwf_te_core_finish(&run.core), 0);
	hwf_te_finish(run.te);
	hwf_riscv_flow_end(&run.flow, run.offset);
	hwf_riscv_flow_end(&run.singly.flow, run.offset);
	hwf_riscv_flow_end(&run.by_ranges.flow, run.offset);
	free(run.te);
	free(run.by_ranges.nodes);
}

static void compare_twins(unsigned int seed)
{
	const struct twin *a = &run.singly;
	const struct twin *b = &run.by_ranges;
	size_t i = 0;

	while (i < a->count && i < b->count && a->events[i] == b->events[i])
		i++;
	if (i != a->count || a->count != b->count)
		fail_msg("seed %u, dialect %d: %zu events singly, %zu by ranges; the first %zu are "
			 "the same",
			 seed, run.dialect, a->count, b->count, i);
}

static void compare(unsigned int seed)
{
	size_t i = 0;

	while (i < run.count && i < run.given && run.executed[i] == run.decoded[i])
		i++;
	if (i != run.count || run.given != run.count || run.gaps)
		fail_msg("seed %u, dialect %d: %zu executed, %zu decoded, %zu gaps; the first %zu "
			 "are the same, then %" PRIx64 " and %" PRIx64,
			 seed, run.dialect, run.count, run.given, run.gaps, i,
			 i < run.count ? run.executed[i] : 0, i < run.given ? run.decoded[i] : 0);
}

/* Every setting that both dialects have */
static void choose_common(void)
{
	static const uint32_t limits[] = {0, 0, 1, 2, 3, 5, 17, 100};
	bool wide = choose(2);

	run.program.isa = wide ? HWF_RV_64 : 0;
	run.program.base = wide ? 0xffffffff80000000 : 0x00010000;
	if (choose(3) == 0)
		run.program.base = 0x40000000;
	run.program.contexts = choose(2) ? 40 : 0;
	run.program.astray = choose(2) ? 8 : 0;
	run.program.long_only = choose(3) == 0;
	run.params.iaddress_width_p = wide ? (uint8_t)(choose(2) ? 64 : 33 + choose(31)) : 32;
	run.params.iaddress_lsb_p = run.program.long_only ? (uint8_t)choose(3) : (uint8_t)choose(2);
	run.params.full_address = choose(2);
	run.params.nocontext_p = choose(2) != 0;
	run.params.context_width_p = (uint8_t)(1 + choose(32));
	run.params.privilege_width_p = (uint8_t)(2 + choose(3));
	run.params.ecause_width_p = (uint8_t)(1 + choose(16));
	run.params.max_resync = limits[choose(sizeof(limits) / sizeof(limits[0]))];
	run.port.dialect = (uint8_t)run.dialect;
	run.port.isa = (uint8_t)run.program.isa;
	run.port.iretire_width_p = (uint8_t)(2 + choose(7));
	run.port.taken_branches_p = (uint8_t)(1 + choose(HWF_TE_BLOCKS));
	run.port.retires_p = (uint8_t)choose(5);
	run.port.ntkn_width_p = (uint8_t)(1 + choose(5));
}

static void begin(unsigned int seed, enum hwf_riscv_dialect dialect)
{
	memset(&run, 0, sizeof(run));
	run.dialect = dialect;
	run.model.random = (seed + 1) * 0x9e3779b97f4a7c15;
	hwf_riscv_params_init(&run.params, dialect);
	choose_common();
}

static void finish(unsigned int seed)
{
	rv_model_init(&run.model, &run.program, seed);
	start();
	execute();
	compare(seed);
	compare_twins(seed);
}

/* The draft cannot tell a jump to where execution passed by itself: see rv_model.h. */
static void draft_comes_back(void **state)
{
	unsigned int seen = 0;

	(void)state;
	for (unsigned int seed = 0; seed < RUNS; seed++) {
		begin(seed, HWF_RISCV_DRAFT_026);
		run.program.exceptions = choose(2) ? 50 : 0;
		run.program.interrupts = choose(2) ? 70 : 0;
		run.program.context_type = (uint8_t)(1 + choose(2));
		run.program.no_revisit = true;
		run.params.notval_p = choose(2) != 0;
		run.params.sijump_p = choose(2) != 0;
		run.params.itype_width_p = (uint8_t)(3 + choose(2));
		run.port.itype_width_p = run.params.itype_width_p;
		run.port.sequential = run.params.sijump_p;
		run.options.stall = true;
		finish(seed);
		seen |= run.seen;
	}
	assert_int_equal(seen, 1u << HWF_RISCV_F0_MAP | 1u << HWF_RISCV_F1 | 1u << HWF_RISCV_F2 |
				       1u << HWF_RISCV_F3_START | 1u << HWF_RISCV_F3_TRAP |
				       1u << HWF_RISCV_F3_CONTEXT | 1u << HWF_RISCV_TE_SUPPORT);
}

static void choose_ratified(void)
{
	run.params.sijump_p = choose(2) != 0;
	run.params.itype_width_p = (uint8_t)(3 + choose(2));
	run.params.time_width_p = run.dialect == HWF_RISCV_V2 ? (uint8_t)choose(20) : 0;
	run.params.f0s_width_p = 1;
	run.params.bpred_size_p = (uint8_t)(1 + choose(8));
	run.params.cache_size_p = (uint8_t)(1 + choose(6));
	run.params.branch_prediction = choose(2);
	run.params.jump_target_cache = choose(2);
	run.params.f0s_width_p = run.params.branch_prediction && run.params.jump_target_cache
					 ? 1
					 : (uint8_t)choose(2);
	if (choose(3) == 0) {
		run.params.implicit_exception = true;
		run.params.tvec = 0;
	}
	run.port.sequential = run.params.sijump_p;
	run.options.single = choose(2);
	if (run.options.single) {
		run.port.retires_p = 1;
		run.port.taken_branches_p = 1;
	} else if (run.port.retires_p == 1) {
		run.port.retires_p = 2;
	}
	run.program.context_type = (uint8_t)choose(3);
}

/* The handler is where the model has it. */
static void set_tvec(unsigned int seed)
{
	rv_model_init(&run.model, &run.program, seed);
	if (run.params.implicit_exception)
		run.params.tvec = run.program.base + run.model.starts[3];
	/* what tvec has no bits for cannot be implied */
	if (run.params.tvec & 3)
		run.params.implicit_exception = false;
}

static void ratified_comes_back(void **state)
{
	const unsigned int all = 1u << HWF_RISCV_F0_COUNT | 1u << HWF_RISCV_F0_CACHE |
				 1u << HWF_RISCV_F1 | 1u << HWF_RISCV_F2 |
				 1u << HWF_RISCV_F3_START | 1u << HWF_RISCV_F3_TRAP |
				 1u << HWF_RISCV_F3_CONTEXT | 1u << HWF_RISCV_F3_SUPPORT;
	unsigned int seen = 0;

	(void)state;
	for (unsigned int seed = 0; seed < 2 * RUNS; seed++) {
		begin(seed, seed % 2 ? HWF_RISCV_V2 : HWF_RISCV_V1);
		choose_ratified();
		run.program.exceptions = choose(2) ? 50 : 0;
		run.program.interrupts = choose(2) ? 70 : 0;
		run.program.m_only = choose(2);
		run.program.no_revisit = run.params.max_resync || !run.program.m_only ||
					 run.program.context_type == HWF_TE_CTYPE_PRECISE;
		run.port.itype_width_p = run.params.itype_width_p;
		set_tvec(seed);
		finish(seed);
		seen |= run.seen;
		/* the last one may have no handler yet */
		if (run.dialect == HWF_RISCV_V2)
			assert_in_range(run.traps - run.trapped, 0, 1);
	}
	assert_int_equal(seen, all);
}

/*
 * Where returns are implied, a place that was passed before and one that is meant may look the same
 * before a format 3: 2.0 is known to be wrong there. So no traps, no resynchronisation and no
 * contexts that are reported precisely.
 */
static void implied_returns_come_back(void **state)
{
	(void)state;
	for (unsigned int seed = 0; seed < RUNS; seed++) {
		begin(seed, seed % 2 ? HWF_RISCV_V2 : HWF_RISCV_V1);
		choose_ratified();
		run.program.no_trap_insns = true;
		run.program.context_type = HWF_TE_CTYPE_IMPRECISE;
		run.params.max_resync = 0;
		run.params.implicit_return = true;
		run.params.itype_width_p = 4;
		run.port.itype_width_p = 4;
		if (choose(2)) {
			run.params.return_stack_size_p = (uint8_t)(1 + choose(5));
		} else {
			/* a counter takes every return for a good one */
			run.params.call_counter_size_p = (uint8_t)(1 + choose(6));
			run.program.astray = 0;
		}
		set_tvec(seed);
		finish(seed);
	}
}

/*
 * With the number of implied returns in place of the depth it is right there, too: what is excluded
 * is what is excluded without implied returns.
 */
static void counted_returns_come_back(void **state)
{
	unsigned int reported = 0;

	(void)state;
	for (unsigned int seed = 0; seed < 2 * RUNS; seed++) {
		begin(seed, HWF_RISCV_V2);
		choose_ratified();
		run.program.exceptions = choose(2) ? 50 : 0;
		run.program.interrupts = choose(2) ? 70 : 0;
		run.params.irets = true;
		run.params.implicit_return = true;
		run.params.itype_width_p = 4;
		run.port.itype_width_p = 4;
		if (choose(2)) {
			run.params.return_stack_size_p = (uint8_t)(1 + choose(5));
			run.program.m_only = choose(2);
			run.program.no_revisit = true;
			run.program.irets = true;
			/* format 3 at the target of a return that was predicted wrong */
			if (run.program.context_type == HWF_TE_CTYPE_PRECISE)
				run.program.astray = 0;
		} else {
			/* a counter takes every return for a good one, so they go where they must
			 */
			run.params.call_counter_size_p = (uint8_t)(1 + choose(6));
			run.params.max_resync = 0;
			run.program.context_type = HWF_TE_CTYPE_IMPRECISE;
			run.program.m_only = true;
			run.program.astray = 0;
		}
		set_tvec(seed);
		finish(seed);
		reported += run.reported;
	}
	assert_true(reported > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draft_comes_back),
		cmocka_unit_test(ratified_comes_back),
		cmocka_unit_test(implied_returns_come_back),
		cmocka_unit_test(counted_returns_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
