/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Atoms to executed instructions: one atom each, E if it passed its condition code check, N if it
 * failed (ETMV3_ATOMS). The last one is held: an exception may cancel it.
 */
#include "etmv3/etm3_flow_private.h"

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
		.address = flow->pc,
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

/* struct etm3_insn - an instruction, and where it goes if it passes; @indirect: only trace can tell
 */
struct etm3_insn {
	struct hwf_insn insn;
	uint32_t next;
	uint8_t next_isa;
	bool indirect;
};

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

/* Where an instruction goes if it passes its condition code check */
static void set_next(struct etm3_insn *entry, uint32_t pc, uint8_t isa)
{
	const struct hwf_insn *insn = &entry->insn;

	entry->next = pc + insn->size;
	entry->next_isa = isa;
	entry->indirect = insn->kind == HWF_INSN_INDIRECT;
	if (insn->kind != HWF_INSN_DIRECT)
		return;
	entry->next = (uint32_t)insn->target;
	if (insn->target_isa == HWF_ISA_A32)
		entry->next_isa = HWF_ISA_A32;
	else if (isa == HWF_ISA_A32)
		entry->next_isa = HWF_ISA_T32;
}

/* The instruction at an address, from the program; false where it has none. */
static bool read_insn(const struct hwf_etm3_flow *flow, uint32_t pc, uint8_t isa,
		      struct etm3_insn *entry)
{
	struct hwf_insn *insn = &entry->insn;
	struct hwf_run run;

	hwf_run_walk(flow->code, flow->space, pc, isa == HWF_ISA_A32 ? HWF_ISA_A32 : HWF_ISA_T32,
		     false, 1, UINT64_MAX, &run);
	if (!run.instructions)
		return false;
	*insn = run.insn;
	/* nothing in ETMv3 trace hangs on these */
	if (insn->kind == HWF_INSN_BARRIER || insn->kind == HWF_INSN_WFX)
		insn->kind = HWF_INSN_OTHER;
	if (isa == HWF_ISA_T32EE)
		thumbee(flow, pc, insn);
	set_next(entry, pc, isa);
	return true;
}

/*
 * ETMV3_HALVES: where a 32-bit Thumb instruction is traced as two, the branch is in its second
 * half. Of a whole one, the half that is next.
 */
static void take_half(struct hwf_etm3_flow *flow, struct etm3_insn *entry)
{
	struct hwf_insn *insn = &entry->insn;

	if (!flow->half) {
		insn->kind = HWF_INSN_OTHER;
		insn->sub = HWF_SUB_NONE;
		insn->conditional = false;
		insn->call = HWF_CALL_NONE;
	}
	insn->size = 2;
	set_next(entry, flow->pc, flow->isa);
	flow->half = !flow->half;
}

bool hwf_etm3_shorten(struct hwf_etm3_flow *flow, struct hwf_flow_range *range)
{
	struct etm3_insn entry;
	uint32_t at = (uint32_t)range->start;

	if (range->instructions == 1)
		return false;
	range->instructions--;
	for (uint32_t i = 0; i < range->instructions; i++) {
		/* it was there when the range was made */
		if (!read_insn(flow, at, range->isa, &entry))
			return false;
		at += entry.insn.size;
	}
	range->end = at;
	range->insn = entry.insn;
	range->p0 = false;
	range->taken = true;
	return true;
}

/* One more instruction of the range that is held, or the first one of the next */
static void take_insn(struct hwf_etm3_flow *flow, uint64_t offset, const struct hwf_insn *insn,
		      uint8_t isa, bool passed, uint8_t cycles)
{
	struct hwf_flow_range *range = &flow->held[0].u.range;

	if (!hwf_etm3_joins(flow, isa)) {
		hwf_etm3_commit(flow);
		flow->held[0].offset = offset;
		flow->held[0].kind = HWF_FLOW_RANGE;
		*range = (struct hwf_flow_range){.start = flow->pc,
						 .isa = isa,
						 .cycles = hwf_etm3_counts_each(flow) ? 0 : cycles};
		flow->held_count = 1;
	}
	flow->each[range->instructions % HWF_ETM3_RANGE_MAX] = cycles;
	range->end = flow->pc + insn->size;
	range->instructions++;
	range->taken = passed;
	range->p0 = insn->kind != HWF_INSN_OTHER;
	range->insn = *insn;
}

/* The next instruction; false where it cannot be followed: a gap was given. */
static bool step(struct hwf_etm3_flow *flow, uint64_t offset, bool passed, uint8_t cycles)
{
	const uint32_t at = flow->half ? flow->pc - 2 : flow->pc;
	const uint8_t isa = flow->isa == HWF_ISA_A32 ? HWF_ISA_A32 : HWF_ISA_T32;
	struct etm3_insn entry;

	if (!read_insn(flow, at, flow->isa, &entry)) {
		hwf_etm3_gap(flow, offset, HWF_GAP_NO_IMAGE);
		return false;
	}
	if (!flow->config->whole_thumb && entry.insn.size == 4 && isa == HWF_ISA_T32)
		take_half(flow, &entry);
	/* an IT block may make any Thumb instruction conditional; in A32 it is known */
	if (!passed && isa == HWF_ISA_A32 && !entry.insn.conditional) {
		hwf_etm3_gap(flow, offset, HWF_GAP_MISMATCH);
		return false;
	}
	take_insn(flow, offset, &entry.insn, isa, passed, cycles);
	flow->pc = passed ? entry.next : flow->pc + entry.insn.size;
	flow->isa = passed ? entry.next_isa : flow->isa;
	flow->has_pc = !(passed && entry.indirect);
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
