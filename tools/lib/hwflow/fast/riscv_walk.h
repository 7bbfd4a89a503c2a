/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Between the files of the flow of RISC-V. */
#ifndef HWF_FAST_RISCV_WALK_H
#define HWF_FAST_RISCV_WALK_H

#include "hwflow/riscv_flow.h"

/* enum hwf_riscv_step - how execution went on */
enum hwf_riscv_step {
	HWF_RISCV_WENT,   /* as the program says */
	HWF_RISCV_JUMPED, /* by an uninferable discontinuity, to the address of the trace */
	HWF_RISCV_STUCK,  /* not at all: a gap was given */
	HWF_RISCV_STAYED, /* not at all, and nothing was done (hwf_riscv_run_ranges() only) */
};

/* riscv_give.c: events */

void hwf_riscv_give(struct hwf_riscv_flow *flow, struct hwf_flow_event *event, uint8_t kind);

/* Hand on the open range, which ends with a P0 instruction or not. */
void hwf_riscv_end_range(struct hwf_riscv_flow *flow, bool taken, bool p0);

/* Hand on the open range, which ends before pc: no instruction is known there. */
void hwf_riscv_end_before(struct hwf_riscv_flow *flow);

/* Hand on the open range, whatever it ends with. */
void hwf_riscv_flush(struct hwf_riscv_flow *flow);

/* Execution is not known from here to the next address. */
void hwf_riscv_gap(struct hwf_riscv_flow *flow, enum hwf_gap reason);

/* Privilege, context and time of the instruction at pc */
void hwf_riscv_mode(struct hwf_riscv_flow *flow, const struct hwf_riscv_sync *sync);

/* riscv_code.c: what is at an address */

/* An address of the program: as many bits as packets have, sign-extended on RV64 */
uint64_t hwf_riscv_address(const struct hwf_riscv_flow *flow, uint64_t address);

/* The instruction at an address; 0, HWF_ERR_NO_IMAGE, or HWF_ERR_IMAGE_MISMATCH */
int hwf_riscv_fetch(struct hwf_riscv_flow *flow, uint64_t address, struct hwf_rv_insn *insn);

/* The instruction in the words of hwflow/insn.h */
struct hwf_insn hwf_riscv_common(const struct hwf_rv_insn *insn, unsigned int isa);

/* Nothing is remembered of the code any more. */
void hwf_riscv_forget_code(struct hwf_riscv_flow *flow);

/* riscv_steps.c: the graph of ranges */

/* Ranges that wait as steps; events come behind them. */
void hwf_riscv_give_steps(struct hwf_riscv_flow *flow);

/* The first instruction of the node at an address; NULL where there is no node */
const struct hwf_rv_insn *hwf_riscv_first_insn(const struct hwf_riscv_flow *flow, uint64_t pc);

/* The node at an address; HWF_NODE_NONE where there is none yet */
uint32_t hwf_riscv_find(const struct hwf_riscv_flow *flow, uint64_t pc);

/* riscv_walk.c: one instruction after the other */

/* Outcomes of branches that are known and not used yet */
static inline uint64_t hwf_riscv_left(const struct hwf_riscv_flow *flow)
{
	return flow->ahead.mapped + flow->ahead.predicted + flow->ahead.missed;
}

/* What the packet's irdepth is compared with (RISCV_IRETS): calls that are open, or returns implied
 */
uint32_t hwf_riscv_depth(const struct hwf_riscv_flow *flow);

/*
 * RISCV_SEQUENTIAL: does the instruction before the jump @insn, which is at pc, tell its target? In
 * the draft, Table 3.2 has no predictable jump that links to another register than x1 and x5.
 */
static inline bool hwf_riscv_is_sequential(const struct hwf_riscv_flow *flow,
					   const struct hwf_rv_insn *insn)
{
	return flow->config.params.sijump_p && flow->has_before &&
	       hwf_rv_is_sequential(&flow->before, insn) &&
	       (flow->config.dialect != HWF_RISCV_DRAFT_026 ||
		hwf_rv_draft_itype(&flow->before, insn, true) != HWF_RV_DRAFT_UNPREDICTABLE_JUMP);
}

/* Are all outcomes used, but for the branch at pc, if there is one? */
bool hwf_riscv_settled(const struct hwf_riscv_flow *flow);

/* The next instruction was not executed yet: turn its outcome, if it is a branch, into a map bit.
 */
void hwf_riscv_settle(struct hwf_riscv_flow *flow);

/* Execution begins at an address that no path leads to. */
void hwf_riscv_set_pc(struct hwf_riscv_flow *flow, uint64_t address);

/*
 * Where the instruction at pc leads without the trace's help; false where it is not known. Nothing
 * is used up.
 */
bool hwf_riscv_peek(const struct hwf_riscv_flow *flow, uint64_t *next);

/* Execute the instruction at pc, and arrive at the next; @target: of an uninferable one. */
enum hwf_riscv_step hwf_riscv_step(struct hwf_riscv_flow *flow, uint64_t target);

/* The instruction at pc was executed, and belongs to the open range; @how, or it is not there. */
enum hwf_riscv_step hwf_riscv_arrive(struct hwf_riscv_flow *flow, enum hwf_riscv_step how);

/* The outcome of the branch at pc; false where the trace has none for it */
static inline bool hwf_riscv_use_outcome(struct hwf_riscv_flow *flow, bool *taken)
{
	struct hwf_riscv_outcomes *ahead = &flow->ahead;

	if (ahead->mapped) {
		/* RISCV_MAP_POLARITY */
		*taken = !(ahead->map & 1);
		ahead->map >>= 1;
		ahead->mapped--;
	} else if (ahead->predicted) {
		*taken = hwf_riscv_predict(&flow->predictor, &flow->config, flow->pc);
		ahead->predicted--;
	} else if (ahead->missed) {
		*taken = !hwf_riscv_predict(&flow->predictor, &flow->config, flow->pc);
		ahead->missed = false;
	} else {
		return false;
	}
	if (flow->config.params.branch_prediction)
		hwf_riscv_predictor_learn(&flow->predictor, &flow->config, flow->pc, *taken);
	flow->steps = 0;
	flow->calls.implied = 0;
	return true;
}

/* enum hwf_riscv_goal_kind - where a walk ends */
enum hwf_riscv_goal_kind {
	HWF_RISCV_GOAL_LAST_BRANCH, /* at the branch whose outcome is the last known */
	HWF_RISCV_GOAL_ADDRESS,     /* at an address; perhaps at its second arrival */
	HWF_RISCV_GOAL_JUMPED_TO,   /* at an address, by an uninferable jump only */
	HWF_RISCV_GOAL_SYNC,        /* at the address of a synchronisation packet */
};

/* struct hwf_riscv_goal - the end of a walk, with what its packet says of it */
struct hwf_riscv_goal {
	enum hwf_riscv_goal_kind kind;
	uint64_t address;
	uint8_t privilege;
	bool notify;
	bool updiscon;
};

/* riscv_run.c: straight code at once, by the graph of ranges */

/*
 * Execute straight code up to the instruction that may lead elsewhere, unless @stop is on the way:
 * then nothing is done. False where nothing was.
 */
bool hwf_riscv_run_on(struct hwf_riscv_flow *flow, uint64_t stop);

/*
 * Execute as many ranges as are whole and have no end of the walk in them, up to one that only
 * hwf_riscv_step() can leave.
 */
enum hwf_riscv_step hwf_riscv_run_ranges(struct hwf_riscv_flow *flow,
					 const struct hwf_riscv_goal *goal);

/* riscv_flow.c */

/* hwf_riscv_flow_push(), but ranges may wait as steps afterwards. */
void hwf_riscv_take(struct hwf_riscv_flow *flow, uint64_t offset,
		    const struct hwf_riscv_packet *packet, int error);

/* riscv_follow.c */

/* Walk there; false where a gap was given. */
bool hwf_riscv_follow(struct hwf_riscv_flow *flow, const struct hwf_riscv_goal *goal);

/* pc was the first arrival at an address, and the second was meant: on to that. */
void hwf_riscv_go_round(struct hwf_riscv_flow *flow);

#endif /* HWF_FAST_RISCV_WALK_H */
