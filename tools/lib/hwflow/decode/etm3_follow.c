/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Atoms to executed instructions: one atom each, E if it passed its condition code check, N if it
 * failed (ETMV3_ATOMS). The last one is held: an exception may cancel it.
 */
#include "decode/etm3_flow_private.h"

void hwf_etm3_hand_on(struct hwf_etm3_flow *flow)
{
	const uint32_t count = flow->held_count;

	flow->held_count = 0;
	if (flow->held[0].kind == HWF_FLOW_RANGE)
		flow->held[0].u.range.each = hwf_etm3_counts_each(flow) ? flow->each : NULL;
	flow->sink(flow->sink_ctx, &flow->held[0]);
	for (uint32_t i = 1; i < count; i++)
		flow->sink(flow->sink_ctx, &flow->held[i]);
}

void hwf_etm3_give(struct hwf_etm3_flow *flow, struct hwf_flow_event *event, uint64_t offset,
		   uint8_t kind)
{
	event->offset = offset;
	event->kind = kind;
	if (flow->held_count == HWF_ETM3_HELD)
		hwf_etm3_commit(flow);
	if (flow->held_count)
		flow->held[flow->held_count++] = *event;
	else
		flow->sink(flow->sink_ctx, event);
}

void hwf_etm3_gap(struct hwf_etm3_flow *flow, uint64_t offset, enum hwf_gap reason)
{
	struct hwf_flow_event event = {0};

	event.u.gap = (struct hwf_flow_gap){
		.address = flow->has_pc ? flow->pc : 0,
		.p0_elements = 1,
		.reason = (uint8_t)reason,
		.has_address = flow->has_pc,
	};
	flow->has_pc = false;
	flow->half = false;
	if (flow->gap_open)
		return;
	flow->gap_open = true;
	/* what an exception cancels from here on is one of those that are not known */
	hwf_etm3_commit(flow);
	hwf_etm3_give(flow, &event, offset, HWF_FLOW_GAP);
}

/*
 * ETMV3_THUMBEE. It has branches to handlers where Thumb has loads and stores of several registers
 * (Arm DDI 0406, section A9.3): 0xc000 to 0xc7ff. They go where only the processor knows.
 */
static void thumbee(const struct hwf_etm3_flow *flow, uint32_t pc, struct hwf_insn *insn)
{
	uint8_t half[2];

	if (insn->size != 2 || flow->code->read(flow->code->ctx, flow->space, pc, half, 2) < 2 ||
	    (half[1] & 0xf8) != 0xc0)
		return;
	insn->kind = HWF_INSN_INDIRECT;
	insn->sub = half[1] == 0xc3 || half[1] >= 0xc4 ? HWF_SUB_LINK : HWF_SUB_NONE;
}

/* The instruction at an address, from the program; false where it has none. */
static bool read_insn(const struct hwf_etm3_flow *flow, uint32_t pc, uint8_t isa,
		      struct hwf_insn *insn)
{
	struct hwf_run run;

	if (!hwf_etm3_walk(flow, pc, isa, 1, &run))
		return false;
	*insn = run.insn;
	if (isa == HWF_ISA_T32EE)
		thumbee(flow, pc, insn);
	return true;
}

/*
 * ETMV3_HALVES: where a 32-bit Thumb instruction is traced as two, the branch is in its second
 * half. Of a whole one, the half that is next.
 */
static void take_half(struct hwf_etm3_flow *flow, struct hwf_insn *insn)
{
	if (!flow->half) {
		insn->kind = HWF_INSN_OTHER;
		insn->sub = HWF_SUB_NONE;
		insn->conditional = false;
		insn->call = HWF_CALL_NONE;
	}
	insn->size = 2;
	flow->half = !flow->half;
}

bool hwf_etm3_shorten(struct hwf_etm3_flow *flow, struct hwf_flow_range *range)
{
	uint32_t at = (uint32_t)range->start;
	struct hwf_insn insn;

	if (range->instructions == 1)
		return false;
	range->instructions--;
	for (uint32_t i = 0; i < range->instructions; i++) {
		/* it was there when the range was made */
		if (!read_insn(flow, at, range->isa, &insn))
			return false;
		at += insn.size;
	}
	range->end = at;
	range->insn = insn;
	range->p0 = false;
	range->taken = true;
	return true;
}

/* One more instruction of the range that is held, or the first one of the next */
static void take_insn(struct hwf_etm3_flow *flow, uint64_t offset, const struct hwf_insn *insn,
		      bool passed, uint8_t cycles)
{
	const struct hwf_node node = {
		.start = flow->pc,
		.end = flow->pc + insn->size,
		.instructions = 1,
		.isa = hwf_etm3_range_isa(flow->isa),
		.p0 = insn->kind != HWF_INSN_OTHER,
		.insn = *insn,
	};

	flow->each[hwf_etm3_hold(flow, offset, &node, passed) % HWF_ETM3_RANGE_MAX] = cycles;
	if (!hwf_etm3_counts_each(flow))
		flow->held[0].u.range.cycles = cycles;
}

/* The next instruction; false where it cannot be followed: a gap was given. */
static bool step(struct hwf_etm3_flow *flow, uint64_t offset, bool passed, uint8_t cycles)
{
	const uint32_t at = flow->half ? flow->pc - 2 : flow->pc;
	const uint8_t isa = hwf_etm3_range_isa(flow->isa);
	struct hwf_insn insn;

	if (!read_insn(flow, at, flow->isa, &insn)) {
		hwf_etm3_gap(flow, offset, HWF_GAP_NO_IMAGE);
		return false;
	}
	if (!flow->config->whole_thumb && insn.size == 4 && isa == HWF_ISA_T32)
		take_half(flow, &insn);
	if (!passed && !hwf_flow_n_is_possible(isa, &insn)) {
		hwf_etm3_gap(flow, offset, HWF_GAP_MISMATCH);
		return false;
	}
	take_insn(flow, offset, &insn, passed, cycles);
	hwf_etm3_go_on(flow, &insn, flow->pc + insn.size, flow->isa, passed);
	return true;
}

void hwf_etm3_give_cycles(struct hwf_etm3_flow *flow, uint64_t offset, uint32_t cycles)
{
	struct hwf_flow_event alone;
	struct hwf_flow_event *event = &alone;

	if (!cycles)
		return;
	if (flow->held_count == HWF_ETM3_HELD)
		hwf_etm3_commit(flow);
	if (flow->held_count)
		event = &flow->held[flow->held_count++];
	event->offset = offset;
	event->kind = HWF_FLOW_CYCLE_COUNT;
	event->u.cycle_count = (struct hwf_el_cycle_count){.count = cycles};
	if (event == &alone)
		flow->sink(flow->sink_ctx, event);
}

/*
 * Cycles without an instruction: events of their own, or counted to the next one, as long as its
 * byte has room for what another P-header may add.
 */
static void wait(struct hwf_etm3_flow *flow, uint64_t offset, uint8_t cycles)
{
	if (!hwf_etm3_counts_each(flow)) {
		hwf_etm3_give_cycles(flow, offset, cycles);
		return;
	}
	flow->waits = (uint8_t)(flow->waits + cycles);
	if (flow->waits > HWF_ETM3_WAITS_MAX)
		hwf_etm3_give_waits(flow, offset);
}

void hwf_etm3_give_waits(struct hwf_etm3_flow *flow, uint64_t offset)
{
	const uint8_t waits = flow->waits;

	flow->waits = 0;
	hwf_etm3_give_cycles(flow, offset, waits);
}

/* ETMV3_JAZELLE. Bytecodes are counted: which they are only the Jazelle architecture could tell. */
static void count_bytecodes(struct hwf_etm3_flow *flow, uint64_t offset,
			    const struct hwf_etm3_atoms *atoms)
{
	uint32_t passed = 0;

	hwf_etm3_give_waits(flow, offset);
	hwf_etm3_gap(flow, offset, HWF_GAP_JAZELLE);
	flow->has_pc = true;
	for (unsigned int i = 0; i < atoms->count; i++)
		passed += atoms->bits >> i & 1u;
	hwf_etm3_commit(flow);
	flow->held[0] = (struct hwf_flow_event){
		.offset = offset,
		.kind = HWF_FLOW_BYTECODES,
		.u.bytecodes = {.passed = passed,
				.failed = atoms->count - passed,
				.cycles = atoms->waits},
	};
	flow->held_count = 1;
	flow->passed = atoms->bits >> (atoms->count - 1) & 1;
}

/* Is an address known to go on from? Else a gap is given, except before the first one. */
static bool ready(struct hwf_etm3_flow *flow, uint64_t offset)
{
	if (flow->suspect) {
		const uint32_t pc = flow->pc;

		flow->suspect = false;
		flow->pc = flow->suspect_pc;
		hwf_etm3_gap(flow, flow->suspect_offset, HWF_GAP_MISMATCH);
		flow->pc = pc;
		flow->has_pc = true;
		flow->gap_open = false;
	}
	if (!flow->has_pc && flow->stage == HWF_ETM3_SYNCED)
		hwf_etm3_gap(flow, offset, HWF_GAP_NO_ADDRESS);
	return flow->has_pc;
}

/* The cycles of atoms from @first on */
static uint32_t cycles_from(bool each, const struct hwf_etm3_atoms *atoms, unsigned int first)
{
	if (each)
		return atoms->count - first;
	return first ? 0 : atoms->waits;
}

void hwf_etm3_follow(struct hwf_etm3_flow *flow, uint64_t offset, unsigned int type,
		     const struct hwf_etm3_atoms *atoms, unsigned int first)
{
	const bool each = type == HWF_ETM3_P_HEADER_CYCLE_F1;
	unsigned int i = first;

	if (!atoms->count) {
		wait(flow, offset, atoms->waits);
		return;
	}
	if (ready(flow, offset) && flow->isa == HWF_ISA_JAZELLE) {
		count_bytecodes(flow, offset, atoms);
		return;
	}
	for (; i < atoms->count; i++) {
		const uint32_t cycles = flow->waits + (each ? 1u : i ? 0u : atoms->waits);

		if (!flow->has_pc && !ready(flow, offset))
			break;
		if (!step(flow, offset, atoms->bits >> i & 1, (uint8_t)cycles))
			break;
		flow->waits = 0;
	}
	if (i < atoms->count) {
		hwf_etm3_give_cycles(flow, offset, flow->waits + cycles_from(each, atoms, i));
		flow->waits = 0;
	}
}

void hwf_etm3_follow_implied(struct hwf_etm3_flow *flow, uint64_t offset)
{
	if (flow->isa != HWF_ISA_JAZELLE)
		step(flow, offset, true, 0);
}
