/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Between the files of the flow stage. */
#ifndef HWF_DECODE_ETM3_FLOW_PRIVATE_H
#define HWF_DECODE_ETM3_FLOW_PRIVATE_H

#include "code/insn/next.h"
#include "hwflow/etmv3_flow.h"

/* Are instructions one behind the other one range? Halves are not: one cannot be cancelled then. */
static inline bool hwf_etm3_is_straight(const struct hwf_etm3_flow *flow)
{
	return flow->straight && flow->config->whole_thumb;
}

/* Do ranges have the cycles of each instruction? */
static inline bool hwf_etm3_counts_each(const struct hwf_etm3_flow *flow)
{
	return flow->config->cycle_accurate && hwf_etm3_is_straight(flow);
}

/* Does the next instruction go on with the range that is held? */
static inline bool hwf_etm3_joins(const struct hwf_etm3_flow *flow, uint8_t isa)
{
	const struct hwf_flow_range *range = &flow->held[0].u.range;

	return hwf_etm3_is_straight(flow) && flow->held_count == 1 &&
	       flow->held[0].kind == HWF_FLOW_RANGE && range->taken && !range->p0 &&
	       range->end == flow->pc && range->isa == isa &&
	       range->instructions < HWF_ETM3_RANGE_MAX;
}

/* Hand on what is held, one event or more. */
void hwf_etm3_hand_on(struct hwf_etm3_flow *flow);

/* Nothing can cancel any more what is held. */
static inline void hwf_etm3_commit(struct hwf_etm3_flow *flow)
{
	if (flow->held_count)
		hwf_etm3_hand_on(flow);
}

/* The instruction set of the ranges of a context: ThumbEE code is T32 code */
static inline uint8_t hwf_etm3_range_isa(uint8_t isa)
{
	return isa == HWF_ISA_A32 ? HWF_ISA_A32 : HWF_ISA_T32;
}

/* At most @limit instructions from an address on, up to a branch; false where there is no code */
static inline bool hwf_etm3_walk(const struct hwf_etm3_flow *flow, uint32_t pc, uint8_t isa,
				 uint32_t limit, struct hwf_run *run)
{
	hwf_run_walk(flow->code, flow->space, pc, (enum hwf_isa)hwf_etm3_range_isa(isa), false,
		     limit, UINT64_MAX, run);
	/* ETMv3 trace has the same atom for these as for all other instructions */
	if (run->insn.kind == HWF_INSN_BARRIER || run->insn.kind == HWF_INSN_WFX)
		run->insn.kind = HWF_INSN_OTHER;
	return run->instructions;
}

/* Where execution goes on behind an instruction that ends at @end */
static inline void hwf_etm3_go_on(struct hwf_etm3_flow *flow, const struct hwf_insn *insn,
				  uint64_t end, uint8_t isa, bool passed)
{
	uint64_t address;

	flow->has_pc = hwf_insn_next(insn, end, isa, passed, &address, &flow->isa);
	flow->pc = (uint32_t)address;
}

/*
 * The instructions of a node are the range that is held, or the next instructions of that range.
 * Returns how many were held before.
 */
static inline uint32_t hwf_etm3_hold(struct hwf_etm3_flow *flow, uint64_t offset,
				     const struct hwf_node *node, bool passed)
{
	struct hwf_flow_event *held = &flow->held[0];
	struct hwf_flow_range *range = &held->u.range;
	const uint32_t had = range->instructions;

	if (!hwf_etm3_joins(flow, node->isa)) {
		hwf_etm3_commit(flow);
		flow->held_count = 1;
		held->offset = offset;
		held->kind = HWF_FLOW_RANGE;
		hwf_node_to_range(node, passed, range);
		return 0;
	}
	range->end = node->end;
	range->instructions = had + node->instructions;
	range->taken = passed;
	range->p0 = node->p0;
	range->insn = node->insn;
	return had;
}

/* An event that no exception cancels; it waits behind the instruction that one may cancel. */
void hwf_etm3_give(struct hwf_etm3_flow *flow, struct hwf_flow_event *event, uint64_t offset,
		   uint8_t kind);

/* Execution is not known from here to the next address. */
void hwf_etm3_gap(struct hwf_etm3_flow *flow, uint64_t offset, enum hwf_gap reason);

/* The atoms of a P-header, from atom @first on. */
void hwf_etm3_follow(struct hwf_etm3_flow *flow, uint64_t offset, unsigned int type,
		     const struct hwf_etm3_atoms *atoms, unsigned int first);

/* A count of cycles, if there are any */
void hwf_etm3_give_cycles(struct hwf_etm3_flow *flow, uint64_t offset, uint32_t cycles);

/* Cycles that no instruction came for */
void hwf_etm3_give_waits(struct hwf_etm3_flow *flow, uint64_t offset);

/* Beyond this they are given: those of one more P-header have to fit into a byte with them. */
#define HWF_ETM3_WAITS_MAX 240

/* A branch packet with nothing but an address, which the flow's state has */
void hwf_etm3_branch_to(struct hwf_etm3_flow *flow);

/* An instruction that is known to be executed, with no atom: a load or store in progress */
void hwf_etm3_follow_implied(struct hwf_etm3_flow *flow, uint64_t offset);

/* Take the last instruction off a range; false where there is no other. */
bool hwf_etm3_shorten(struct hwf_etm3_flow *flow, struct hwf_flow_range *range);

#endif /* HWF_DECODE_ETM3_FLOW_PRIVATE_H */
