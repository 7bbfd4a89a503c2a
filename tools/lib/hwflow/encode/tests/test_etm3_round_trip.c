// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * A model of a processor executes random code, a trace unit traces it, and the decoder tells what
 * was executed: the same, in every configuration.
 */
#include <stdlib.h>

#include "tests/ete_test.h"

#include "hwflow/etmv3_flow.h"
#include "hwflow/etmv3_unit.h"

#define CODE_BASE  0x8000u
#define CODE_BYTES 0x4000u
#define STEPS      1500

enum { RAN = 1, TOOK, AT, CONTEXT };

/* what happened: an instruction, an exception, a time, a Context ID */
struct happened {
	uint8_t kind;
	uint8_t isa;
	bool passed;
	uint64_t value;
};

struct journal {
	struct happened rows[4 * STEPS];
	size_t count;
	uint64_t cycles;
	unsigned int gaps;
	unsigned int ranges;
};

struct model {
	struct hwf_etm3_config config;
	struct hwf_etm3_unit unit;
	struct hwf_etm3_place place;
	struct journal did;
	uint8_t trace[32 * STEPS];
	size_t length;
	uint64_t time;
	uint64_t random;
	unsigned int p_headers;
	unsigned int since_wait;
};

static uint8_t code_bytes[CODE_BYTES];

static uint32_t random32(struct model *model)
{
	model->random = model->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(model->random >> 32);
}

static size_t read_code(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	(void)ctx;
	(void)space;
	if (address < CODE_BASE || address >= CODE_BASE + CODE_BYTES)
		return 0;
	if (length > CODE_BASE + CODE_BYTES - address)
		length = CODE_BASE + CODE_BYTES - address;
	memcpy(bytes, code_bytes + (address - CODE_BASE), length);
	return length;
}

static const struct hwf_code code = {.read = read_code};

static void write_trace(void *ctx, const uint8_t *bytes, size_t length)
{
	struct model *model = ctx;

	assert_true(length <= sizeof(model->trace) - model->length);
	memcpy(model->trace + model->length, bytes, length);
	model->length += length;
	model->p_headers += length == 1 && (bytes[0] & 0x81) == 0x80;
}

static void note(struct journal *journal, uint8_t kind, uint8_t isa, bool passed, uint64_t value)
{
	assert_true(journal->count < sizeof(journal->rows) / sizeof(journal->rows[0]));
	journal->rows[journal->count++] =
		(struct happened){.kind = kind, .isa = isa, .passed = passed, .value = value};
}

/* Each instruction of a range; all but the last passed, and none of these is a branch. */
static void note_range(struct journal *journal, const struct hwf_flow_range *range)
{
	uint64_t at = range->start;
	struct hwf_run run = {0};

	assert_in_range(range->instructions, 1, HWF_ETM3_RANGE_MAX);
	for (uint32_t i = 0; i < range->instructions; i++) {
		const bool last = i + 1 == range->instructions;

		hwf_run_walk(&code, NULL, at, range->isa, false, 1, UINT64_MAX, &run);
		assert_true(last || run.status);
		note(journal, RAN, range->isa, !last || range->taken, at);
		journal->cycles += range->each ? range->each[i] : 0;
		at = run.end;
	}
	assert_int_equal(range->p0, !run.status);
	assert_int_equal(at, range->end);
	assert_int_equal(range->insn.size, run.insn.size);
	assert_int_equal(range->insn.target, run.insn.target);
	journal->cycles += range->cycles;
	journal->ranges++;
}

static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	struct journal *journal = ctx;
	const struct hwf_flow_range *range = &event->u.range;

	switch (event->kind) {
	case HWF_FLOW_RANGE:
		note_range(journal, range);
		break;
	case HWF_FLOW_CYCLE_COUNT:
		journal->cycles += event->u.cycle_count.count;
		break;
	case HWF_FLOW_EXCEPTION:
		note(journal, TOOK, 0, true, event->u.exception.number);
		break;
	case HWF_FLOW_TIMESTAMP:
		note(journal, AT, 0, true, event->u.timestamp.value);
		break;
	case HWF_FLOW_CONTEXT:
		if (event->u.context.changed)
			note(journal, CONTEXT, 0, event->u.context.context.security,
			     event->u.context.context.cid * 4ull + event->u.context.context.el);
		break;
	case HWF_FLOW_GAP:
		journal->gaps++;
		break;
	default:
		break;
	}
}

static void note_context(struct model *model)
{
	note(&model->did, CONTEXT, 0, model->place.ns ? HWF_SEC_NONSECURE : HWF_SEC_SECURE,
	     (model->config.context_bytes ? model->place.cid * 4ull : 0) +
		     (model->place.hyp ? 2 : 0));
}

static void random_place(struct model *model)
{
	model->place.isa = random32(model) & 1 ? HWF_ISA_A32 : HWF_ISA_T32;
	model->place.address = CODE_BASE + (random32(model) % (CODE_BYTES - 64) & ~3u);
	if (model->place.isa == HWF_ISA_T32)
		model->place.address += random32(model) & 2;
}

/* The next instruction, and, where it is an indirect branch that is taken, where it goes */
static void execute(struct model *model)
{
	struct hwf_etm3_place *place = &model->place;
	struct hwf_run run;
	bool passed = true;
	uint32_t cycles = random32(model) & 1 ? random32(model) % 12 : 1;

	hwf_run_walk(&code, NULL, place->address, place->isa, false, 1, UINT64_MAX, &run);
	assert_int_equal(run.instructions, 1);
	if (place->isa == HWF_ISA_T32 || run.insn.conditional)
		passed = random32(model) % 4;
	/* before ETMv3.3 a cycle has no more than two instructions; it begins with a W */
	if (!cycles && model->since_wait >= (model->config.minor >= 3 ? 4u : 2u))
		cycles = 1;
	model->since_wait = cycles ? 1 : model->since_wait + 1;
	hwf_etm3_unit_cycles(&model->unit, cycles);
	model->did.cycles += model->config.cycle_accurate ? cycles : 0;
	hwf_etm3_unit_insn(&model->unit, passed);
	note(&model->did, RAN, place->isa, passed, place->address);
	if (passed && run.insn.kind == HWF_INSN_DIRECT) {
		place->address = (uint32_t)run.insn.target;
		place->isa = run.insn.target_isa;
	} else if (passed && run.insn.kind == HWF_INSN_INDIRECT) {
		random_place(model);
		hwf_etm3_unit_branch(&model->unit, place, 0, false, false);
		model->since_wait = 9;
	} else {
		place->address = (uint32_t)run.end;
	}
	/* out of the code: a branch back, as an interrupt would do */
	if (place->address < CODE_BASE || place->address >= CODE_BASE + CODE_BYTES - 4) {
		random_place(model);
		hwf_etm3_unit_branch(&model->unit, place, 14, false, false);
		note(&model->did, TOOK, 0, true, 14);
		model->since_wait = 9;
	}
}

static void take_exception(struct model *model)
{
	const bool ran = model->did.rows[model->did.count - 1].kind == RAN;
	const bool cancel = ran && random32(model) & 1;
	const unsigned int number = 1 + random32(model) % 15;
	const bool ns = model->place.ns, hyp = model->place.hyp;

	random_place(model);
	model->place.ns = random32(model) & 1;
	model->place.hyp = model->place.ns && random32(model) & 1;
	if (cancel)
		model->did.count--;
	hwf_etm3_unit_branch(&model->unit, &model->place, number, cancel, true);
	if (ns != model->place.ns || hyp != model->place.hyp)
		note_context(model);
	note(&model->did, TOOK, 0, true, number);
	model->since_wait = 9;
}

static void step(struct model *model)
{
	const uint32_t what = random32(model) % 64;

	if (what == 0) {
		take_exception(model);
	} else if (what == 1) {
		hwf_etm3_unit_sync(&model->unit, &model->place);
	} else if (what == 2 && model->config.minor == 5) {
		model->time += random32(model) >> random32(model) % 32;
		if (model->config.timestamp_bytes == 7)
			model->time &= 0xffffffffffff;
		hwf_etm3_unit_timestamp(&model->unit, model->time);
		note(&model->did, AT, 0, true, model->time);
	} else if (what == 3 && model->config.context_bytes) {
		const uint32_t was = model->place.cid;

		model->place.cid = random32(model);
		if (model->config.context_bytes < 4)
			model->place.cid &= (1u << 8 * model->config.context_bytes) - 1;
		hwf_etm3_unit_context(&model->unit, model->place.cid);
		if (was != model->place.cid)
			note_context(model);
	} else {
		execute(model);
		return;
	}
	/* the cycle goes on, but an instruction in it needs a P-header of its own */
	model->since_wait = 9;
}

static void run_model(struct model *model, unsigned int seed, bool one_a_cycle)
{
	const struct hwf_etm3_regs regs = {
		.etmcr = (seed & 1 ? 1u << 12 : 0) | (seed >> 1 & 3) << 14,
		.etmidr = 0x41000200u | 1u << 18 | (seed % 6) << 4 | (seed & 8 ? 1u << 20 : 0),
		.etmccer = 1u << 22 | (seed & 16 ? 1u << 28 : 0) | (seed & 32 ? 1u << 29 : 0),
	};

	memset(model, 0, sizeof(*model));
	model->random = seed;
	assert_int_equal(hwf_etm3_config_init(&model->config, &regs), 0);
	for (size_t i = 0; i < CODE_BYTES; i++)
		code_bytes[i] = (uint8_t)random32(model);
	hwf_etm3_unit_init(&model->unit, &model->config, write_trace, model);
	model->unit.one_a_cycle = one_a_cycle;
	random_place(model);
	model->place.cid = random32(model) & 0xff;
	hwf_etm3_unit_start(&model->unit, HWF_ETM3_TRACE_ENABLE, &model->place, 77);
	note_context(model);
	model->since_wait = 9;
	for (unsigned int i = 0; i < STEPS; i++)
		step(model);
	hwf_etm3_unit_flush(&model->unit);
	assert_int_equal(model->unit.error, 0);
}

static void compare(const struct journal *want, const struct journal *found)
{
	for (size_t i = 0; i < want->count && i < found->count; i++) {
		assert_int_equal(want->rows[i].kind, found->rows[i].kind);
		assert_int_equal(want->rows[i].isa, found->rows[i].isa);
		assert_int_equal(want->rows[i].passed, found->rows[i].passed);
		assert_true(want->rows[i].value == found->rows[i].value);
	}
	assert_int_equal(want->count, found->count);
	assert_int_equal(found->gaps, 0);
	assert_int_equal(want->cycles, found->cycles);
}

/* Decode in pieces of random sizes, with a graph of ranges or without. */
static void decode(struct model *model, bool use_graph, bool straight, struct journal *found)
{
	/* few nodes, so that the graph forgets them often */
	void *memory = malloc(hwf_graph_nodes_bytes(256));
	struct hwf_graph graph;
	struct hwf_etm3_decoder decoder;
	size_t at = 0;
	size_t have = 0;

	memset(found, 0, sizeof(*found));
	assert_non_null(memory);
	hwf_graph_init_nodes(&graph, memory, 256);
	hwf_etm3_decoder_init(&decoder, &model->config, &code, take_event, found);
	decoder.flow.straight = straight;
	if (use_graph)
		decoder.flow.graph = &graph;
	while (have < model->length) {
		have += random32(model) % 300;
		if (have > model->length)
			have = model->length;
		at += hwf_etm3_decoder_push(&decoder, model->trace + at, have - at,
					    have == model->length);
	}
	assert_int_equal(at, model->length);
	free(memory);
}

static void what_was_executed_is_what_is_decoded(void **state)
{
	static struct model model;
	static struct journal found;

	(void)state;
	for (unsigned int seed = 0; seed < 256; seed++) {
		unsigned int ranges;

		run_model(&model, seed, false);
		decode(&model, seed & 64, false, &found);
		compare(&model.did, &found);
		ranges = found.ranges;
		decode(&model, seed & 64, true, &found);
		compare(&model.did, &found);
		assert_true(found.ranges < ranges);
	}
}

static void one_p_header_a_cycle_says_the_same_in_more_bytes(void **state)
{
	static struct model model;
	static struct journal found;

	(void)state;
	for (unsigned int seed = 0; seed < 32; seed++) {
		unsigned int packed;

		run_model(&model, seed, false);
		packed = model.p_headers;
		run_model(&model, seed, true);
		assert_true(model.p_headers > packed);
		decode(&model, true, false, &found);
		compare(&model.did, &found);
	}
}

static void what_cannot_be_traced_is_an_error(void **state)
{
	static struct model model;

	(void)state;
	run_model(&model, 1, false);
	hwf_etm3_unit_bare(&model.unit, HWF_ETM3_TIMESTAMP);
	assert_int_equal(model.unit.error, HWF_ERR_BAD_PAYLOAD);
	/* seed 0 is ETMv3.0, not cycle-accurate: it has no timestamps */
	run_model(&model, 0, false);
	hwf_etm3_unit_timestamp(&model.unit, 1);
	assert_int_equal(model.unit.error, HWF_ERR_BAD_PAYLOAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_executed_is_what_is_decoded),
		cmocka_unit_test(one_p_header_a_cycle_says_the_same_in_more_bytes),
		cmocka_unit_test(what_cannot_be_traced_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
