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
	hwf_etm3_give(flow, &event, offset, HWF_FLOW_GAP);
}

void hwf_etm3_forget_code(struct hwf_etm3_flow *flow)
{
	for (uint32_t i = 0; i < flow->cache_size; i++)
		flow->cache[i].isa = 0;
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

/* Where an instruction goes if it passes its condition code check */
static void set_next(struct hwf_etm3_insn *entry, uint32_t pc, uint8_t isa)
{
	const struct hwf_insn *insn = &entry->insn;

	entry->pc = pc;
	entry->isa = isa;
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
		      struct hwf_etm3_insn *entry)
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

/* The same, remembered; NULL where the program has none. @room is for one that is not. */
static inline struct hwf_etm3_insn *find_insn(struct hwf_etm3_flow *flow, uint32_t pc,
					      struct hwf_etm3_insn *room)
{
	const uint8_t isa = flow->isa;
	struct hwf_etm3_insn *entry = room;

	if (flow->cache) {
		entry = &flow->cache[(pc >> 1) & (flow->cache_size - 1)];
		if (entry->pc == pc && entry->isa == isa)
			return entry;
	}
	entry->isa = 0;
	return read_insn(flow, pc, isa, entry) ? entry : NULL;
}

/*
 * ETMV3_HALVES: where a 32-bit Thumb instruction is traced as two, the branch is in its second
 * half. @half receives that half of it.
 */
static struct hwf_etm3_insn *take_half(struct hwf_etm3_flow *flow,
				       const struct hwf_etm3_insn *whole,
				       struct hwf_etm3_insn *half)
{
	struct hwf_insn *insn = &half->insn;

	*half = *whole;
	if (!flow->half) {
		insn->kind = HWF_INSN_OTHER;
		insn->sub = HWF_SUB_NONE;
		insn->conditional = false;
		insn->call = HWF_CALL_NONE;
	}
	insn->size = 2;
	set_next(half, flow->pc, flow->isa);
	flow->half = !flow->half;
	return half;
}

/*
 * Does the next instruction go on with the range that is held? What is held must be nothing but
 * instructions that passed, with no branch among them, and no halves: hwf_etm3_shorten() knows
 * whole ones only.
 */
static inline bool joins(const struct hwf_etm3_flow *flow, uint8_t isa, bool passed)
{
	const struct hwf_flow_range *range = &flow->held[0].u.range;

	return flow->straight && !flow->config->cycle_accurate && flow->config->whole_thumb &&
	       passed && flow->held_count == 1 && flow->held[0].kind == HWF_FLOW_RANGE &&
	       range->taken && !range->p0 && range->end == flow->pc && range->isa == isa;
}

bool hwf_etm3_shorten(struct hwf_etm3_flow *flow, struct hwf_flow_range *range)
{
	struct hwf_etm3_insn entry;
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
	return true;
}

/* The next instruction; false where it cannot be followed: a gap was given. */
static inline bool step(struct hwf_etm3_flow *flow, uint64_t offset, bool passed, uint8_t cycles)
{
	const uint32_t at = flow->half ? flow->pc - 2 : flow->pc;
	const uint8_t isa = flow->isa == HWF_ISA_A32 ? HWF_ISA_A32 : HWF_ISA_T32;
	struct hwf_flow_event *event = &flow->held[0];
	struct hwf_etm3_insn room;
	const struct hwf_etm3_insn *entry = find_insn(flow, at, &room);
	uint32_t end;

	if (!entry) {
		hwf_etm3_gap(flow, offset, HWF_GAP_NO_IMAGE);
		return false;
	}
	if (!flow->config->whole_thumb && entry->insn.size == 4 && isa == HWF_ISA_T32)
		entry = take_half(flow, entry, &room);
	/* an IT block may make any Thumb instruction conditional; in A32 it is known */
	if (!passed && isa == HWF_ISA_A32 && !entry->insn.conditional) {
		hwf_etm3_gap(flow, offset, HWF_GAP_MISMATCH);
		return false;
	}
	end = flow->pc + entry->insn.size;
	if (joins(flow, isa, passed)) {
		event->u.range.end = end;
		event->u.range.instructions++;
		event->u.range.p0 = entry->insn.kind != HWF_INSN_OTHER;
		event->u.range.insn = entry->insn;
	} else {
		hwf_etm3_commit(flow);
		event->offset = offset;
		event->kind = HWF_FLOW_RANGE;
		event->u.range = (struct hwf_flow_range){
			.start = flow->pc,
			.end = end,
			.instructions = 1,
			.isa = isa,
			.taken = passed,
			.p0 = entry->insn.kind != HWF_INSN_OTHER,
			.cycles = cycles,
			.insn = entry->insn,
		};
		flow->held_count = 1;
	}
	flow->pc = passed ? entry->next : end;
	flow->isa = passed ? entry->next_isa : flow->isa;
	flow->has_pc = !(passed & entry->indirect);
	return true;
}

/* E atoms, oldest first, from atom @first on */
static unsigned int count_passed(const struct hwf_etm3_atoms *atoms, unsigned int first)
{
	const unsigned int n = ~(unsigned int)atoms->bits >> first;

	return n & 1 ? 0 : (unsigned int)__builtin_ctz(n);
}

/*
 * As step(), of @most instructions that passed, up to the first branch; how many of them. What is
 * unusual is left to step(): it is 0 then. All in registers, as the next address is what each
 * instruction waits for.
 */
static unsigned int step_straight(struct hwf_etm3_flow *flow, uint64_t offset, unsigned int most)
{
	const uint8_t isa = flow->isa;
	const uint32_t mask = flow->cache_size - 1;
	const uint32_t start = flow->pc;
	const struct hwf_etm3_insn *last = NULL;
	struct hwf_flow_range *range = &flow->held[0].u.range;
	uint32_t pc = start;
	unsigned int count = 0;

	while (count < most) {
		const struct hwf_etm3_insn *entry = &flow->cache[(pc >> 1) & mask];

		if (entry->pc != pc || entry->isa != isa)
			break;
		last = entry;
		count++;
		pc = entry->next;
		if (entry->insn.kind != HWF_INSN_OTHER)
			break;
	}
	if (!count)
		return 0;
	if (joins(flow, isa, true)) {
		range->instructions += count;
	} else {
		hwf_etm3_commit(flow);
		flow->held[0].offset = offset;
		flow->held[0].kind = HWF_FLOW_RANGE;
		*range = (struct hwf_flow_range){
			.start = start, .instructions = count, .isa = isa, .taken = true};
		flow->held_count = 1;
	}
	range->end = last->pc + last->insn.size;
	range->p0 = last->insn.kind != HWF_INSN_OTHER;
	range->insn = last->insn;
	flow->pc = pc;
	flow->isa = last->next_isa;
	flow->has_pc = !last->indirect;
	return count;
}

/* Is all as it is nearly always: nothing that step_straight() leaves to step()? */
static bool is_usual(const struct hwf_etm3_flow *flow)
{
	return flow->straight && flow->cache && !flow->config->cycle_accurate &&
	       flow->config->whole_thumb;
}

static void give_cycles(struct hwf_etm3_flow *flow, uint64_t offset, uint32_t cycles)
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

/* ETMV3_JAZELLE. Bytecodes are counted: which they are only the Jazelle architecture could tell. */
static void count_bytecodes(struct hwf_etm3_flow *flow, uint64_t offset,
			    const struct hwf_etm3_atoms *atoms)
{
	uint32_t passed = 0;

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
		     const struct hwf_etm3_atoms *atoms)
{
	const bool each = type == HWF_ETM3_P_HEADER_CYCLE_F1;
	const bool usual = is_usual(flow);
	unsigned int i = 0;

	if (!atoms->count) {
		give_cycles(flow, offset, atoms->waits);
		return;
	}
	if (ready(flow, offset) && flow->isa == HWF_ISA_JAZELLE) {
		count_bytecodes(flow, offset, atoms);
		return;
	}
	for (; i < atoms->count; i++) {
		uint8_t cycles = each ? 1 : i ? 0 : atoms->waits;

		if (!flow->has_pc && !ready(flow, offset))
			break;
		if (usual && (flow->isa == HWF_ISA_A32 || flow->isa == HWF_ISA_T32)) {
			const unsigned int passed = count_passed(atoms, i);
			const unsigned int taken = passed ? step_straight(flow, offset, passed) : 0;

			if (taken) {
				i += taken - 1;
				continue;
			}
		}
		if (!step(flow, offset, atoms->bits >> i & 1, cycles))
			break;
	}
	if (i < atoms->count)
		give_cycles(flow, offset, cycles_from(each, atoms, i));
}

void hwf_etm3_follow_implied(struct hwf_etm3_flow *flow, uint64_t offset)
{
	if (flow->isa != HWF_ISA_JAZELLE)
		step(flow, offset, true, 0);
}
