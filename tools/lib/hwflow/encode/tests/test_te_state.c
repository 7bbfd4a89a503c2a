/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * hwf_riscv_decoder_state() has all that decoding depends on, and nothing else: random programs,
 * traced under random settings of both dialects, decoded from the beginning and from a
 * synchronisation.
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

#define STEPS  3000u
#define ROOM   ((size_t)32 * STEPS)
#define EVENTS ((size_t)4 * STEPS)
#define NODES  64u
#define STATE  0x4000u

/* struct begun - a decoder that began somewhere, and what each event said */
struct begun {
	struct hwf_riscv_decoder decoder;
	struct hwf_graph graph;
	void *nodes;
	size_t at;
	uint64_t events[EVENTS];
	size_t count;
};

/* struct run - one program and its trace; @syncs: offsets of packets that reset everything */
struct run {
	struct rv_model model;
	struct rv_model_options program;
	struct hwf_riscv_params params;
	struct hwf_te_options options;
	struct hwf_te_port_params port;
	struct hwf_te_core core;
	struct hwf_te *te;
	struct hwf_code code;
	struct hwf_riscv_framing framing;
	enum hwf_riscv_dialect dialect;
	uint8_t bytes[ROOM];
	size_t length;
	size_t syncs[STEPS];
	size_t sync_count;
};

static struct run run;

static unsigned int choose(unsigned int limit)
{
	return (unsigned int)((rv_model_random(&run.model) >> 33) % limit);
}

static uint64_t fold(uint64_t sum, uint64_t value)
{
	return (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	const struct hwf_flow_range *range = &event->u.range;
	struct begun *begun = ctx;
	uint64_t sum = fold(fold(0, event->offset), event->kind);

	if (event->kind == HWF_FLOW_RANGE) {
		sum = fold(fold(sum, range->start), range->end);
		sum = fold(fold(sum, range->instructions),
			   (uint64_t)range->taken | (uint64_t)range->p0 << 1);
		sum = fold(fold(sum, range->insn.kind), range->insn.target);
	} else if (event->kind == HWF_FLOW_GAP) {
		sum = fold(fold(sum, event->u.gap.address), event->u.gap.reason);
	} else if (event->kind == HWF_FLOW_TRAP) {
		sum = fold(fold(sum, event->u.trap.epc), event->u.trap.has_epc);
		sum = fold(fold(sum, event->u.trap.cause), event->u.trap.tval);
	} else if (event->kind == HWF_FLOW_MODE) {
		sum = fold(fold(sum, event->u.mode.privilege), event->u.mode.context);
	} else if (event->kind == HWF_FLOW_TIMESTAMP) {
		sum = fold(sum, event->u.timestamp.value);
	} else if (event->kind == HWF_FLOW_NO_SYNC) {
		sum = fold(fold(sum, event->u.no_sync.reason), (uint32_t)event->u.no_sync.error);
	}
	assert_true(begun->count < EVENTS);
	begun->events[begun->count++] = sum;
}

/* ---- a trace ---- */

/* One packet in three hundred is left out, and one has other bits. */
static bool take_packet(void *ctx, const struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_frame frame = {.message = packet->type == HWF_RISCV_TE_SUPPORT
							   ? HWF_RISCV_MSG_SUPPORT
							   : HWF_RISCV_MSG_INST};
	const unsigned int damage = choose(300);
	int size =
		hwf_riscv_encode(&run.options.config, packet, frame.payload, sizeof(frame.payload));

	(void)ctx;
	assert_true(size > 0);
	if (damage == 0)
		return true;
	frame.length = (uint8_t)size;
	if (damage == 1)
		frame.payload[choose(frame.length)] ^= (uint8_t)(1u << choose(8));
	if (packet->type == HWF_RISCV_F3_START)
		run.syncs[run.sync_count++] = run.length;
	size = hwf_riscv_enframe(&run.framing, &frame, run.bytes + run.length, ROOM - run.length);

	run.length += (size_t)size;
	return true;
}

static int take_cycle(void *ctx, const struct hwf_te_cycle *cycle)
{
	(void)ctx;
	return hwf_te_cycle(run.te, cycle);
}

static void choose_ratified(void)
{
	struct hwf_riscv_params *params = &run.params;

	params->time_width_p = run.dialect == HWF_RISCV_V2 ? (uint8_t)choose(20) : 0;
	params->f0s_width_p = 1;
	params->bpred_size_p = (uint8_t)(1 + choose(8));
	params->cache_size_p = (uint8_t)(1 + choose(6));
	params->branch_prediction = choose(2);
	params->jump_target_cache = choose(2);
	params->implicit_return = choose(2);
	params->itype_width_p = 4;
	if (choose(2))
		params->return_stack_size_p = (uint8_t)(1 + choose(5));
	else
		params->call_counter_size_p = (uint8_t)(1 + choose(6));
	run.options.single = choose(2);
	run.port.retires_p = run.options.single ? 1 : 2;
	if (run.options.single)
		run.port.taken_branches_p = 1;
}

static void choose_settings(void)
{
	const bool wide = choose(2);

	run.program.isa = wide ? HWF_RV_64 : 0;
	run.program.base = wide ? 0xffffffff80000000 : 0x00010000;
	run.program.contexts = choose(2) ? 100 : 0;
	run.program.exceptions = choose(2) ? 150 : 0;
	run.program.interrupts = choose(2) ? 170 : 0;
	run.program.astray = choose(2) ? 8 : 0;
	run.program.context_type = (uint8_t)(1 + choose(2));
	hwf_riscv_params_init(&run.params, run.dialect);
	run.params.iaddress_width_p = wide ? 64 : 32;
	run.params.full_address = choose(4) == 0;
	run.params.nocontext_p = choose(2) != 0;
	run.params.context_width_p = 32;
	run.params.sijump_p = choose(2) != 0;
	run.params.max_resync = 10 + choose(60);
	run.port = (struct hwf_te_port_params){.dialect = (uint8_t)run.dialect,
					       .isa = (uint8_t)run.program.isa,
					       .iretire_width_p = (uint8_t)(2 + choose(7)),
					       .taken_branches_p = 1,
					       .retires_p = (uint8_t)choose(5),
					       .ntkn_width_p = (uint8_t)(1 + choose(5)),
					       .sequential = run.params.sijump_p};
	if (run.dialect == HWF_RISCV_DRAFT_026)
		run.options.stall = true;
	else
		choose_ratified();
	run.port.itype_width_p = run.params.itype_width_p;
}

static void make_trace(unsigned int seed)
{
	const struct hwf_te_sink sink = {.packet = take_packet};
	const struct hwf_te_port port = {.cycle = take_cycle};
	struct hwf_te_event event;
	void *memory;

	memset(&run, 0, sizeof(run));
	run.dialect = (enum hwf_riscv_dialect)(seed % 3);
	run.model.random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
	hwf_riscv_framing_init(&run.framing, HWF_RISCV_REFERENCE);
	choose_settings();
	rv_model_init(&run.model, &run.program, seed);
	assert_int_equal(hwf_riscv_config_init(&run.options.config, run.dialect, &run.params), 0);
	run.code = (struct hwf_code){.ctx = &run.model, .read = rv_model_read};
	memory = malloc(hwf_te_size(&run.options));
	assert_non_null(memory);
	assert_int_equal(hwf_te_init(memory, &run.options, &sink, &run.te), 0);
	assert_int_equal(hwf_te_core_init(&run.core, &run.port, &port), 0);
	for (unsigned int i = 0; i < STEPS; i++) {
		rv_model_step(&run.model, &event);
		assert_int_equal(hwf_te_core_event(&run.core, &event), 0);
	}
	assert_int_equal(hwf_te_core_finish(&run.core), 0);
	hwf_te_finish(run.te);
	free(memory);
}

/* ---- decoders of it ---- */

static void begin_at(struct begun *begun, size_t from, bool cached)
{
	if (!begun->nodes)
		begun->nodes = malloc(hwf_graph_nodes_bytes(NODES));
	assert_non_null(begun->nodes);
	hwf_graph_init_nodes(&begun->graph, begun->nodes, NODES);
	hwf_riscv_decoder_init(&begun->decoder, &run.options.config, &run.framing, run.program.isa,
			       &run.code, take_event, begun);
	begun->decoder.flow.graph = cached ? &begun->graph : NULL;
	begun->decoder.flow.branch_limit = STEPS;
	begun->decoder.at = from;
	begun->at = from;
	begun->count = 0;
}

static void decode_until(struct begun *begun, size_t end)
{
	begun->at += hwf_riscv_decoder_push(&begun->decoder, run.bytes + begun->at, end - begun->at,
					    end == run.length);
}

static bool have_one_state(const struct begun *a, const struct begun *b)
{
	uint8_t states[2][STATE];
	const size_t size = hwf_riscv_decoder_state(&a->decoder, states[0], STATE);

	assert_true(size);
	return size == hwf_riscv_decoder_state(&b->decoder, states[1], STATE) &&
	       !memcmp(states[0], states[1], size);
}

static void free_nodes(struct begun *begun)
{
	free(begun->nodes);
	begun->nodes = NULL;
}

static void equal_states_have_one_future(void **state)
{
	static struct begun early, late, plain;
	unsigned int joined = 0, apart = 0;

	(void)state;
	for (unsigned int seed = 0; seed < 300; seed++) {
		make_trace(seed);
		for (unsigned int i = 0; run.sync_count && i < 8; i++) {
			const size_t from = run.syncs[choose((unsigned int)run.sync_count)];
			const size_t begin = from + 1 + choose(i & 1 ? 40 : 400);

			if (!from || begin >= run.length)
				continue;
			begin_at(&early, 0, true);
			begin_at(&plain, 0, false);
			begin_at(&late, from, i & 2);
			decode_until(&early, begin);
			decode_until(&plain, begin);
			decode_until(&late, begin);
			/* what a decoder remembers for speed is no state */
			assert_true(have_one_state(&early, &plain));
			if (!have_one_state(&early, &late)) {
				apart++;
				continue;
			}
			joined++;
			early.count = late.count = 0;
			decode_until(&early, run.length);
			decode_until(&late, run.length);
			assert_int_equal(early.count, late.count);
			assert_memory_equal(early.events, late.events,
					    early.count * sizeof(early.events[0]));
		}
	}
	assert_true(joined > 500);
	assert_true(apart > 50);
	free_nodes(&early);
	free_nodes(&late);
	free_nodes(&plain);
}

/* ---- its members ---- */

/* Does the state depend on this member, in a decoder where it holds something? */
#define ASSERT_IN_STATE(decoder, member)                                                  \
	do {                                                                              \
		uint8_t states[2][STATE];                                                 \
		const size_t size = hwf_riscv_decoder_state(decoder, states[0], STATE);   \
		__typeof__((decoder)->member) old = (decoder)->member;                    \
                                                                                          \
		(decoder)->member ^= 1;                                                   \
		assert_true(size);                                                        \
		assert_true(size != hwf_riscv_decoder_state(decoder, states[1], STATE) || \
			    memcmp(states[0], states[1], size));                          \
		(decoder)->member = old;                                                  \
	} while (0)

/* A decoder in the midst of a trace, with all tables */
static struct hwf_riscv_decoder *begin_full(void)
{
	static struct begun begun;
	struct hwf_riscv_decoder *const decoder = &begun.decoder;

	memset(&run, 0, sizeof(run));
	hwf_riscv_params_init(&run.params, HWF_RISCV_V2);
	hwf_riscv_framing_init(&run.framing, HWF_RISCV_REFERENCE);
	run.params.bpred_size_p = 12;
	run.params.cache_size_p = 8;
	run.params.sijump_p = 1;
	run.params.return_stack_size_p = 3;
	assert_int_equal(hwf_riscv_config_init(&run.options.config, HWF_RISCV_V2, &run.params), 0);
	run.code = (struct hwf_code){.ctx = &run.model, .read = rv_model_read};
	hwf_riscv_decoder_init(decoder, &run.options.config, &run.framing, HWF_RV_64, &run.code,
			       take_event, &begun);
	decoder->flow.started = true;
	decoder->flow.inferred = true;
	decoder->flow.has_address = true;
	decoder->flow.has_mode = true;
	decoder->flow.count = 2;
	decoder->flow.ahead.mapped = 2;
	return decoder;
}

static void the_state_has_the_flow(void **state)
{
	struct hwf_riscv_decoder *const decoder = begin_full();

	(void)state;
	ASSERT_IN_STATE(decoder, at);
	ASSERT_IN_STATE(decoder, flow.config.params.implicit_return);
	ASSERT_IN_STATE(decoder, flow.config.params.implicit_exception);
	ASSERT_IN_STATE(decoder, flow.config.params.full_address);
	ASSERT_IN_STATE(decoder, flow.config.params.jump_target_cache);
	ASSERT_IN_STATE(decoder, flow.config.params.branch_prediction);
	ASSERT_IN_STATE(decoder, flow.pc);
	ASSERT_IN_STATE(decoder, flow.address);
	ASSERT_IN_STATE(decoder, flow.ahead.map);
	ASSERT_IN_STATE(decoder, flow.ahead.mapped);
	ASSERT_IN_STATE(decoder, flow.ahead.predicted);
	ASSERT_IN_STATE(decoder, flow.ahead.missed);
	ASSERT_IN_STATE(decoder, flow.start);
	ASSERT_IN_STATE(decoder, flow.count);
	ASSERT_IN_STATE(decoder, flow.irdepth);
	ASSERT_IN_STATE(decoder, flow.irreport);
	ASSERT_IN_STATE(decoder, flow.context);
	ASSERT_IN_STATE(decoder, flow.time);
	ASSERT_IN_STATE(decoder, flow.privilege);
	ASSERT_IN_STATE(decoder, flow.has_address);
	ASSERT_IN_STATE(decoder, flow.has_mode);
	ASSERT_IN_STATE(decoder, flow.started);
	ASSERT_IN_STATE(decoder, flow.inferred);
	ASSERT_IN_STATE(decoder, flow.gap_open);
	ASSERT_IN_STATE(decoder, flow.at_begin);
	ASSERT_IN_STATE(decoder, flow.lost);
	/* a jump to a register that the instruction before it has set */
	decoder->flow.insn = (struct hwf_rv_insn){.kind = HWF_RV_JUMP_REG, .rs1 = 6};
	decoder->flow.before = (struct hwf_rv_insn){.kind = HWF_RV_UPPER, .rd = 6};
	ASSERT_IN_STATE(decoder, flow.has_before);
	decoder->flow.has_before = true;
	ASSERT_IN_STATE(decoder, flow.before.rd);
	ASSERT_IN_STATE(decoder, flow.before.target);
}

static void the_state_has_the_tables(void **state)
{
	struct hwf_riscv_decoder *const decoder = begin_full();

	(void)state;
	for (uint32_t i = 0; i < 1u << 12; i += 41)
		ASSERT_IN_STATE(decoder, flow.predictor.state[i]);
	for (uint32_t i = 0; i < 1u << 8; i += 17)
		ASSERT_IN_STATE(decoder, flow.targets.address[i]);
	hwf_riscv_calls_push(&decoder->flow.calls, &run.options.config, 0x1000);
	hwf_riscv_calls_push(&decoder->flow.calls, &run.options.config, 0x2000);
	ASSERT_IN_STATE(decoder, flow.calls.depth);
	ASSERT_IN_STATE(decoder, flow.calls.implied);
	ASSERT_IN_STATE(decoder, flow.calls.address[0]);
	ASSERT_IN_STATE(decoder, flow.calls.address[1]);
}

static void a_state_that_does_not_fit_is_not_known(void **state)
{
	struct hwf_riscv_decoder *const decoder = begin_full();
	uint8_t bytes[STATE];
	const size_t size = hwf_riscv_decoder_state(decoder, bytes, STATE);

	(void)state;
	assert_true(size);
	assert_int_equal(hwf_riscv_decoder_state(decoder, bytes, size), size);
	for (size_t room = 0; room < size; room++)
		assert_int_equal(hwf_riscv_decoder_state(decoder, bytes, room), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_states_have_one_future),
		cmocka_unit_test(the_state_has_the_flow),
		cmocka_unit_test(the_state_has_the_tables),
		cmocka_unit_test(a_state_that_does_not_fit_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
