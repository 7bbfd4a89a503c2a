// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* hwf_etm3_decoder_state() has all that decoding depends on, and nothing else. */
#include <stdlib.h>

#include "codec/tests/etm3_test.h"

#include "hwflow/etmv3_flow.h"

#define CODE_BASE 0x8000u
#define WORDS     256u
#define EVENTS    4096u
#define BYTES     2048u
#define NODES     64u
#define STATE     0x4000u

static uint32_t words[WORDS];

static size_t read_code(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	const uint64_t at = address - CODE_BASE;

	(void)ctx;
	(void)space;
	if (at >= sizeof(words))
		return 0;
	if (length > sizeof(words) - at)
		length = sizeof(words) - at;
	memcpy(bytes, (const char *)words + at, length);
	return length;
}

static const struct hwf_code code = {.read = read_code};

/* Mostly instructions that are no branches; some are calls, and branches to a register */
static void make_code(void)
{
	for (uint32_t i = 0; i < WORDS; i++) {
		words[i] = 0xe1a00000u;
		if (random32() % 8 == 0)
			words[i] = 0x0b000000u | (random32() % 64);
		else if (random32() % 16 == 0)
			words[i] = 0xe12fff1eu;
	}
}

/* struct begun - a decoder that began somewhere, and what each event said */
struct begun {
	struct hwf_etm3_decoder decoder;
	struct hwf_graph graph;
	void *nodes;
	size_t at;
	uint64_t events[EVENTS];
	size_t count;
};

static uint64_t fold(uint64_t sum, uint64_t value)
{
	return (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t fold_range(uint64_t sum, const struct hwf_flow_range *range)
{
	sum = fold(fold(fold(sum, range->start), range->end), range->instructions);
	sum = fold(fold(sum, range->isa), (uint64_t)range->taken << 8 | range->p0);
	sum = fold(fold(sum, range->cycles), range->insn.kind);
	for (uint32_t i = 0; range->each && i < range->instructions; i++)
		sum = fold(sum, range->each[i]);
	return sum;
}

static uint64_t fold_context(uint64_t sum, const struct hwf_flow_context *context)
{
	sum = fold(fold(sum, context->context.cid), context->context.vmid);
	sum = fold(fold(sum, context->context.security), context->context.el_unknown);
	sum = fold(fold(sum, context->isa), context->changed);
	return fold(fold(sum, context->has_cycles), context->cycles);
}

static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	struct begun *begun = ctx;
	uint64_t sum = fold(fold(0, event->offset), event->kind);

	switch (event->kind) {
	case HWF_FLOW_RANGE:
		sum = fold_range(sum, &event->u.range);
		break;
	case HWF_FLOW_CONTEXT:
		sum = fold_context(sum, &event->u.context);
		break;
	case HWF_FLOW_GAP:
		sum = fold(fold(sum, event->u.gap.address), event->u.gap.reason);
		break;
	case HWF_FLOW_EXCEPTION:
		sum = fold(sum, event->u.exception.number);
		break;
	case HWF_FLOW_TIMESTAMP:
		sum = fold(sum, event->u.timestamp.value);
		break;
	case HWF_FLOW_CYCLE_COUNT:
		sum = fold(fold(sum, event->u.cycle_count.count), event->u.cycle_count.unknown);
		break;
	case HWF_FLOW_BYTECODES:
		sum = fold(fold(sum, event->u.bytecodes.passed), event->u.bytecodes.cycles);
		break;
	case HWF_FLOW_TRACE_ON:
		sum = fold(fold(sum, event->u.trace_on.overflow), event->u.trace_on.debug);
		break;
	case HWF_FLOW_NO_SYNC:
		sum = fold(fold(sum, event->u.no_sync.reason), (uint32_t)event->u.no_sync.error);
		break;
	default:
		break;
	}
	assert_true(begun->count < EVENTS);
	begun->events[begun->count++] = sum;
}

/* struct trace - random packets that mostly lead somewhere; @syncs: offsets of A-syncs */
struct trace {
	uint8_t bytes[BYTES + 64];
	size_t length;
	size_t syncs[BYTES / 8];
	size_t sync_count;
};

static void put(struct trace *trace, const struct hwf_etm3_config *config,
		const struct hwf_etm3_packet *packet)
{
	const int size = hwf_etm3_encode(config, packet, trace->bytes + trace->length, 64);

	/* not each version has each packet and each field */
	if (size > 0)
		trace->length += (size_t)size;
}

static uint32_t random_address(void)
{
	return CODE_BASE + 4 * (random32() % WORDS);
}

static void put_sync(struct trace *trace, const struct hwf_etm3_config *config)
{
	struct hwf_etm3_packet packet = {.type = HWF_ETM3_A_SYNC, .u.zeros = 5};

	trace->syncs[trace->sync_count++] = trace->length;
	put(trace, config, &packet);
	packet = (struct hwf_etm3_packet){.type = HWF_ETM3_I_SYNC};
	packet.u.i_sync.address = random_address();
	packet.u.i_sync.reason = random32() % 3 ? 0 : random32() & 3;
	packet.u.i_sync.ns = random32() & 1;
	packet.u.i_sync.hyp = random32() % 4 == 0;
	packet.u.i_sync.jazelle = random32() % 8 == 0;
	if (config->context_bytes)
		packet.u.i_sync.cid = random32() % 3;
	put(trace, config, &packet);
}

static void put_branch(struct trace *trace, const struct hwf_etm3_config *config)
{
	struct hwf_etm3_packet packet = {.type = HWF_ETM3_BRANCH_ADDRESS};
	struct hwf_etm3_branch *branch = &packet.u.branch;
	const uint32_t address = random_address();

	branch->address.bytes = (uint8_t)(random32() % 3 ? 2 : 5);
	if (branch->address.bytes == 5) {
		branch->address.bits = 32;
		branch->address.value = address;
		branch->info = random32() & 1;
		branch->ns = random32() & 1;
		branch->cancel = branch->info && random32() & 1;
		branch->exception = branch->info ? random32() & 15 : 0;
	} else {
		branch->address.bits = (uint8_t)(13 - config->alternative);
		branch->address.value = address >> 2 & ((1u << branch->address.bits) - 1);
	}
	put(trace, config, &packet);
}

static void put_other(struct trace *trace, const struct hwf_etm3_config *config)
{
	static const uint8_t types[] = {HWF_ETM3_TIMESTAMP, HWF_ETM3_TRIGGER, HWF_ETM3_VMID,
					HWF_ETM3_EXCEPTION_EXIT, HWF_ETM3_CYCLE_COUNT};
	struct hwf_etm3_packet packet = {.type = types[random32() % sizeof(types)]};

	if (packet.type == HWF_ETM3_TIMESTAMP) {
		packet.u.timestamp.bits = 14;
		packet.u.timestamp.value = random32() & 0x3fff;
	} else if (packet.type == HWF_ETM3_CYCLE_COUNT) {
		packet.u.cycles = random32() & 3;
	} else if (packet.type == HWF_ETM3_VMID) {
		packet.u.vmid = random32() & 1;
	}
	put(trace, config, &packet);
}

static void put_p_header(struct trace *trace, const struct hwf_etm3_config *config)
{
	uint8_t header;

	do {
		header = (uint8_t)(0x80 | (random32() & 0x7e));
	} while (config->types[header] == HWF_ETM3_RESERVED);
	/* a failed condition only now and then */
	if (!config->cycle_accurate && random32() % 4)
		header = (uint8_t)(0x80 | (random32() & 0xf) << 2);
	trace->bytes[trace->length++] = header;
}

static void make_trace(struct trace *trace, const struct hwf_etm3_config *config)
{
	trace->length = trace->sync_count = 0;
	put_sync(trace, config);
	while (trace->length < BYTES - 200) {
		const unsigned int what = random32() % 64;

		if (what == 0)
			put_sync(trace, config);
		else if (what < 16)
			put_branch(trace, config);
		else if (what < 19)
			put_other(trace, config);
		else if (what == 19 && random32() % 8 == 0)
			trace->bytes[trace->length++] = (uint8_t)random32();
		else
			put_p_header(trace, config);
	}
}

static void begin_at(struct begun *begun, const struct hwf_etm3_config *config, size_t from,
		     bool cached, bool straight)
{
	if (!begun->nodes)
		begun->nodes = malloc(hwf_graph_nodes_bytes(NODES));
	assert_non_null(begun->nodes);
	hwf_graph_init_nodes(&begun->graph, begun->nodes, NODES);
	hwf_etm3_decoder_init(&begun->decoder, config, &code, take_event, begun);
	begun->decoder.flow.graph = cached ? &begun->graph : NULL;
	begun->decoder.flow.straight = straight;
	begun->decoder.stream.offset = from;
	begun->at = from;
	begun->count = 0;
}

static void decode_until(struct begun *begun, const struct trace *trace, size_t end)
{
	begun->at += hwf_etm3_decoder_push(&begun->decoder, trace->bytes + begun->at,
					   end - begun->at, end == trace->length);
}

static bool have_one_state(const struct begun *a, const struct begun *b)
{
	uint8_t states[2][STATE];
	const size_t size = hwf_etm3_decoder_state(&a->decoder, states[0], STATE);

	assert_true(size);
	return size == hwf_etm3_decoder_state(&b->decoder, states[1], STATE) &&
	       !memcmp(states[0], states[1], size);
}

static void free_nodes(struct begun *begun)
{
	free(begun->nodes);
	begun->nodes = NULL;
}

/*
 * A decoder that begins at an A-sync gives the same events as one that began earlier, from where
 * their states are the same; and they become the same.
 */
static void equal_states_have_one_future(void **state)
{
	static struct begun early, late, plain;
	static struct trace trace;
	unsigned int joined = 0, apart = 0;

	(void)state;
	make_code();
	for (unsigned int round = 0; round < 6000; round++) {
		static const uint32_t crs[] = {0, CR_CYCLE, CR_CID4, CR_CYCLE | CR_CID4};
		const struct hwf_etm3_config config = make_config(
			round % 3 ? 5 : random32() % 6, crs[random32() % 4], random32() & IDR_ALT);
		const bool straight = round % 8;
		size_t from, begin;

		make_trace(&trace, &config);
		from = trace.syncs[random32() % trace.sync_count];
		begin = from + random32() % (round & 1 ? 300 : trace.length - from);
		if (!from || begin >= trace.length)
			continue;
		begin_at(&early, &config, 0, true, straight);
		begin_at(&plain, &config, 0, false, straight);
		begin_at(&late, &config, from, round & 1, straight);
		decode_until(&early, &trace, begin);
		decode_until(&plain, &trace, begin);
		decode_until(&late, &trace, begin);
		/* what a decoder remembers for speed is no state */
		assert_true(have_one_state(&early, &plain));
		if (!have_one_state(&early, &late)) {
			apart++;
			continue;
		}
		joined++;
		early.count = late.count = 0;
		decode_until(&early, &trace, trace.length);
		decode_until(&late, &trace, trace.length);
		assert_int_equal(early.count, late.count);
		assert_memory_equal(early.events, late.events,
				    early.count * sizeof(early.events[0]));
	}
	assert_true(joined > 500);
	assert_true(apart > 500);
	free_nodes(&early);
	free_nodes(&late);
	free_nodes(&plain);
}

/* Does the state depend on this member, in a decoder where it holds something? */
#define ASSERT_IN_STATE(decoder, member)                                                 \
	do {                                                                             \
		uint8_t states[2][STATE];                                                \
		const size_t size = hwf_etm3_decoder_state(decoder, states[0], STATE);   \
		__typeof__((decoder)->member) old = (decoder)->member;                   \
                                                                                         \
		(decoder)->member ^= 1;                                                  \
		assert_true(size);                                                       \
		assert_true(size != hwf_etm3_decoder_state(decoder, states[1], STATE) || \
			    memcmp(states[0], states[1], size));                         \
		(decoder)->member = old;                                                 \
	} while (0)

static struct hwf_etm3_decoder full;
static struct hwf_etm3_config full_config;

static struct hwf_etm3_decoder *begin_full(void)
{
	static struct begun nobody;

	full_config = make_config(5, CR_CYCLE | CR_CID4, 0);
	hwf_etm3_decoder_init(&full, &full_config, &code, take_event, &nobody);
	full.flow.straight = true;
	full.flow.has_pc = true;
	full.flow.suspect = true;
	return &full;
}

static void the_state_has_stream_and_flow(void **state)
{
	struct hwf_etm3_decoder *const decoder = begin_full();

	(void)state;
	ASSERT_IN_STATE(decoder, stream.offset);
	ASSERT_IN_STATE(decoder, stream.synced);
	ASSERT_IN_STATE(decoder, stream.tentative);
	ASSERT_IN_STATE(decoder, stream.error);
	ASSERT_IN_STATE(decoder, flow.state.timestamp);
	ASSERT_IN_STATE(decoder, flow.state.address);
	ASSERT_IN_STATE(decoder, flow.state.isa);
	ASSERT_IN_STATE(decoder, flow.state.alt_isa);
	ASSERT_IN_STATE(decoder, flow.context.cid);
	ASSERT_IN_STATE(decoder, flow.context.vmid);
	ASSERT_IN_STATE(decoder, flow.context.el);
	ASSERT_IN_STATE(decoder, flow.context.security);
	ASSERT_IN_STATE(decoder, flow.context.has_cid);
	ASSERT_IN_STATE(decoder, flow.context.has_vmid);
	ASSERT_IN_STATE(decoder, flow.context.el_unknown);
	ASSERT_IN_STATE(decoder, flow.pc);
	ASSERT_IN_STATE(decoder, flow.isa);
	ASSERT_IN_STATE(decoder, flow.stage);
	ASSERT_IN_STATE(decoder, flow.has_pc);
	ASSERT_IN_STATE(decoder, flow.has_context);
	ASSERT_IN_STATE(decoder, flow.gap_open);
	ASSERT_IN_STATE(decoder, flow.begun);
	ASSERT_IN_STATE(decoder, flow.half);
	ASSERT_IN_STATE(decoder, flow.suspect);
	ASSERT_IN_STATE(decoder, flow.suspect_offset);
	ASSERT_IN_STATE(decoder, flow.suspect_pc);
	ASSERT_IN_STATE(decoder, flow.reason);
	ASSERT_IN_STATE(decoder, flow.last_offset);
	ASSERT_IN_STATE(decoder, flow.waits);
	ASSERT_IN_STATE(decoder, flow.held_count);
}

static void hold(struct hwf_etm3_decoder *decoder, uint8_t kind)
{
	decoder->flow.held_count = 2;
	decoder->flow.held[1] = (struct hwf_flow_event){.kind = kind};
	ASSERT_IN_STATE(decoder, flow.held[1].offset);
}

static void the_state_has_what_is_held(void **state)
{
	struct hwf_etm3_decoder *const decoder = begin_full();

	(void)state;
	decoder->flow.held_count = 1;
	decoder->flow.held[0] = (struct hwf_flow_event){.kind = HWF_FLOW_RANGE};
	decoder->flow.held[0].u.range.instructions = 3;
	decoder->flow.held[0].u.range.insn.kind = HWF_INSN_DIRECT;
	ASSERT_IN_STATE(decoder, flow.held[0].offset);
	ASSERT_IN_STATE(decoder, flow.held[0].u.range.start);
	ASSERT_IN_STATE(decoder, flow.held[0].u.range.end);
	ASSERT_IN_STATE(decoder, flow.held[0].u.range.instructions);
	ASSERT_IN_STATE(decoder, flow.held[0].u.range.isa);
	ASSERT_IN_STATE(decoder, flow.held[0].u.range.taken);
	ASSERT_IN_STATE(decoder, flow.held[0].u.range.p0);
	ASSERT_IN_STATE(decoder, flow.held[0].u.range.cycles);
	ASSERT_IN_STATE(decoder, flow.held[0].u.range.insn.target);
	ASSERT_IN_STATE(decoder, flow.held[0].u.range.insn.kind);
	ASSERT_IN_STATE(decoder, flow.held[0].u.range.insn.sub);
	ASSERT_IN_STATE(decoder, flow.held[0].u.range.insn.size);
	ASSERT_IN_STATE(decoder, flow.held[0].u.range.insn.conditional);
	ASSERT_IN_STATE(decoder, flow.each[0]);
	ASSERT_IN_STATE(decoder, flow.each[2]);
	hold(decoder, HWF_FLOW_CONTEXT);
	ASSERT_IN_STATE(decoder, flow.held[1].u.context.context.cid);
	ASSERT_IN_STATE(decoder, flow.held[1].u.context.changed);
	ASSERT_IN_STATE(decoder, flow.held[1].u.context.gives_cid);
	ASSERT_IN_STATE(decoder, flow.held[1].u.context.gives_vmid);
	ASSERT_IN_STATE(decoder, flow.held[1].u.context.isa);
	ASSERT_IN_STATE(decoder, flow.held[1].u.context.has_cycles);
	ASSERT_IN_STATE(decoder, flow.held[1].u.context.cycles);
	hold(decoder, HWF_FLOW_CYCLE_COUNT);
	ASSERT_IN_STATE(decoder, flow.held[1].u.cycle_count.count);
	ASSERT_IN_STATE(decoder, flow.held[1].u.cycle_count.unknown);
	hold(decoder, HWF_FLOW_TIMESTAMP);
	ASSERT_IN_STATE(decoder, flow.held[1].u.timestamp.value);
	hold(decoder, HWF_FLOW_TRIGGER);
	ASSERT_IN_STATE(decoder, flow.held[1].kind);
	hold(decoder, HWF_FLOW_EXCEPTION_RETURN);
	decoder->flow.held[0] = (struct hwf_flow_event){.kind = HWF_FLOW_BYTECODES};
	ASSERT_IN_STATE(decoder, flow.held[0].u.bytecodes.passed);
	ASSERT_IN_STATE(decoder, flow.held[0].u.bytecodes.failed);
	ASSERT_IN_STATE(decoder, flow.held[0].u.bytecodes.cycles);
	ASSERT_IN_STATE(decoder, flow.passed);
}

static void a_state_that_does_not_fit_is_not_known(void **state)
{
	struct hwf_etm3_decoder *const decoder = begin_full();
	uint8_t bytes[STATE];
	const size_t size = hwf_etm3_decoder_state(decoder, bytes, STATE);

	(void)state;
	assert_true(size);
	assert_int_equal(hwf_etm3_decoder_state(decoder, bytes, size), size);
	for (size_t room = 0; room < size; room++)
		assert_int_equal(hwf_etm3_decoder_state(decoder, bytes, room), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_states_have_one_future),
		cmocka_unit_test(the_state_has_stream_and_flow),
		cmocka_unit_test(the_state_has_what_is_held),
		cmocka_unit_test(a_state_that_does_not_fit_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
