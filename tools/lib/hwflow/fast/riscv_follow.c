/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Walks: from where execution stands to where a packet says it has come (RISCV_WALK) */
#include "fast/riscv_walk.h"

/* An uninferable discontinuity led to pc (RISCV_TARGET_CACHE). */
static void jumped(struct hwf_riscv_flow *flow)
{
	if (flow->config.params.jump_target_cache)
		hwf_riscv_targets_put(&flow->targets, &flow->config, flow->pc);
}

/* Is it the place where a walk to an address ends? It may turn out that it was not yet. */
static bool is_there(struct hwf_riscv_flow *flow, const struct hwf_riscv_goal *goal)
{
	if (flow->pc != goal->address || !hwf_riscv_settled(flow))
		return false;
	switch (goal->kind) {
	case HWF_RISCV_GOAL_SYNC:
		/* RISCV_PRIVILEGE: a return from a trap leads to another, falling in does not */
		return flow->privilege == goal->privilege;
	case HWF_RISCV_GOAL_ADDRESS:
		if (goal->notify) /* RISCV_NOTIFY */
			return true;
		if (goal->updiscon || (flow->irreport && flow->irdepth != hwf_riscv_depth(flow)))
			return false;
		/* RISCV_UPDISCON: what comes next tells whether this arrival was meant */
		flow->inferred = true;
		return true;
	default:
		return false;
	}
}

/* The end of a jump that the trace gave the target of; false where that contradicts the program */
static bool is_good_jump(struct hwf_riscv_flow *flow)
{
	if (!hwf_riscv_settled(flow)) {
		hwf_riscv_gap(flow, HWF_GAP_MISMATCH);
		return false;
	}
	jumped(flow);
	return true;
}

static bool is_at_goal(struct hwf_riscv_flow *flow, const struct hwf_riscv_goal *goal)
{
	if (goal->kind == HWF_RISCV_GOAL_LAST_BRANCH)
		return hwf_riscv_left(flow) == 1 && hwf_riscv_settled(flow);
	return is_there(flow, goal);
}

/* The next instruction, or as many as there is nothing to be asked of */
static enum hwf_riscv_step go_on(struct hwf_riscv_flow *flow, const struct hwf_riscv_goal *goal)
{
	const enum hwf_riscv_step how = hwf_riscv_run_ranges(flow, goal);

	if (how != HWF_RISCV_STAYED)
		return how;
	/* straight code has no end of a walk in it but its address */
	if (hwf_riscv_run_on(flow, goal->address))
		return HWF_RISCV_WENT;
	return hwf_riscv_step(flow, goal->address);
}

bool hwf_riscv_follow(struct hwf_riscv_flow *flow, const struct hwf_riscv_goal *goal)
{
	flow->steps = 0;
	flow->singly = 0;
	flow->has_target = goal->kind != HWF_RISCV_GOAL_LAST_BRANCH;
	for (;;) {
		switch (go_on(flow, goal)) {
		case HWF_RISCV_STUCK:
			return false;
		case HWF_RISCV_JUMPED:
			return is_good_jump(flow);
		default:
			break;
		}
		if (is_at_goal(flow, goal))
			return true;
	}
}

/* pc was the first arrival and the second was meant: on to that (RISCV_UPDISCON). */
void hwf_riscv_go_round(struct hwf_riscv_flow *flow)
{
	const uint64_t address = flow->pc;
	enum hwf_riscv_step how;

	flow->inferred = false;
	flow->steps = 0;
	flow->singly = 0;
	flow->has_target = true;
	do {
		hwf_riscv_run_on(flow, flow->pc);
		how = hwf_riscv_step(flow, address);
	} while (how == HWF_RISCV_WENT);
	if (how == HWF_RISCV_JUMPED)
		jumped(flow);
	flow->calls.implied = 0;
}
