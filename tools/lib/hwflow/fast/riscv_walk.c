/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * One instruction after the other (RISCV_WALK). The state is between two instructions:
 * the one at pc was executed, and where it led is not asked yet.
 */
#include "fast/riscv_walk.h"

bool hwf_riscv_settled(const struct hwf_riscv_flow *flow)
{
	return hwf_riscv_left(flow) == (flow->insn.kind == HWF_RV_BRANCH);
}

void hwf_riscv_settle(struct hwf_riscv_flow *flow)
{
	struct hwf_riscv_outcomes *ahead = &flow->ahead;
	bool taken;

	if (flow->insn.kind != HWF_RV_BRANCH || ahead->mapped || hwf_riscv_left(flow) != 1)
		return;
	taken = hwf_riscv_predict(&flow->predictor, &flow->config, flow->pc) != ahead->missed;
	*ahead = (struct hwf_riscv_outcomes){.map = !taken, .mapped = 1};
}

uint32_t hwf_riscv_depth(const struct hwf_riscv_flow *flow)
{
	return flow->config.params.irets ? flow->calls.implied : flow->calls.depth;
}

/* A jump whose target is known from the program (RISCV_INFERABLE, RISCV_SEQUENTIAL) */
static bool infer_jump(const struct hwf_riscv_flow *flow, uint64_t *target)
{
	const struct hwf_rv_insn *insn = &flow->insn;
	uint64_t value = 0;

	if (insn->kind != HWF_RV_JUMP_REG)
		return false;
	if (insn->rs1 == 0) {
		/* the draft infers jal only */
		if (flow->config.dialect == HWF_RISCV_DRAFT_026)
			return false;
	} else if (hwf_riscv_is_sequential(flow, insn)) {
		value = flow->before.target;
	} else {
		return false;
	}
	*target = hwf_rv_jump_target(insn, value, flow->isa);
	return true;
}

/*
 * Is this return the one that was predicted wrong, and so reported? Others may stand as deep before
 * it; behind it no outcome is left but that of a branch at its target.
 */
static bool is_reported_return(struct hwf_riscv_flow *flow, uint64_t target)
{
	struct hwf_rv_insn insn;

	return flow->irreport && flow->irdepth == hwf_riscv_depth(flow) &&
	       !hwf_riscv_fetch(flow, target, &insn) &&
	       hwf_riscv_left(flow) == (insn.kind == HWF_RV_BRANCH);
}

/* RISCV_IRETS: one return in 256 is reported though it was predicted right, and has its entry */
static void forget_if_right(struct hwf_riscv_flow *flow, uint64_t target)
{
	const struct hwf_riscv_calls *calls = &flow->calls;

	if (flow->config.params.irets && calls->depth &&
	    calls->address[(calls->top - 1) % HWF_RISCV_MIRROR_MAX] == target)
		hwf_riscv_calls_pop(&flow->calls, NULL);
}

/* A return that the encoder did not report (RISCV_IMPLICIT_RETURN) */
static bool infer_return(struct hwf_riscv_flow *flow, uint64_t target, uint64_t *next)
{
	if (!flow->config.params.implicit_return || hwf_rv_classify(&flow->insn) != HWF_RV_RETURN)
		return false;
	if (is_reported_return(flow, target)) {
		forget_if_right(flow, target);
		return false;
	}
	if (!hwf_riscv_calls_pop(&flow->calls, next))
		return false;
	flow->calls.implied++;
	return true;
}

bool hwf_riscv_peek(const struct hwf_riscv_flow *flow, uint64_t *next)
{
	const struct hwf_rv_insn *insn = &flow->insn;

	*next = flow->pc + insn->size;
	switch (insn->kind) {
	case HWF_RV_BRANCH:
		if (!flow->ahead.mapped)
			return false;
		if (!(flow->ahead.map & 1))
			*next = insn->target;
		return true;
	case HWF_RV_JUMP:
		*next = insn->target;
		return true;
	case HWF_RV_JUMP_REG:
		return infer_jump(flow, next);
	case HWF_RV_TRAP_RETURN:
		return false;
	default:
		*next = hwf_riscv_address(flow, *next);
		return true;
	}
}

enum hwf_riscv_step hwf_riscv_arrive(struct hwf_riscv_flow *flow, enum hwf_riscv_step how)
{
	const struct hwf_rv_insn *first = hwf_riscv_first_insn(flow, flow->pc);
	int err = 0;

	if (first)
		flow->insn = *first;
	else
		err = hwf_riscv_fetch(flow, flow->pc, &flow->insn);
	if (err) {
		hwf_riscv_end_before(flow);
		hwf_riscv_gap(flow, err == HWF_ERR_NO_IMAGE ? HWF_GAP_NO_IMAGE : HWF_GAP_MISMATCH);
		return HWF_RISCV_STUCK;
	}
	if (!flow->count)
		flow->start = flow->pc;
	flow->count++;
	return how;
}

void hwf_riscv_set_pc(struct hwf_riscv_flow *flow, uint64_t address)
{
	flow->pc = address;
	flow->started = true;
	flow->gap_open = false;
	flow->has_before = false;
	flow->inferred = false;
	flow->ahead = (struct hwf_riscv_outcomes){0};
	hwf_riscv_arrive(flow, HWF_RISCV_WENT);
}

/* An uninferable discontinuity, to where the trace says */
static enum hwf_riscv_step jump(struct hwf_riscv_flow *flow, uint64_t target, uint64_t *next)
{
	if (!flow->has_target)
		return HWF_RISCV_STUCK;
	*next = target;
	hwf_riscv_flush(flow);
	return HWF_RISCV_JUMPED;
}

/* Where the instruction at pc leads, and the range that it ends */
static enum hwf_riscv_step leave(struct hwf_riscv_flow *flow, uint64_t target, uint64_t *next)
{
	const struct hwf_rv_insn *insn = &flow->insn;
	bool taken;

	*next = flow->pc + insn->size;
	switch (insn->kind) {
	case HWF_RV_BRANCH:
		if (!hwf_riscv_use_outcome(flow, &taken))
			return HWF_RISCV_STUCK;
		hwf_riscv_end_range(flow, taken, true);
		if (taken)
			*next = insn->target;
		return HWF_RISCV_WENT;
	case HWF_RV_JUMP:
		*next = insn->target;
		break;
	case HWF_RV_JUMP_REG:
		if (infer_jump(flow, next) || infer_return(flow, target, next))
			break;
		return jump(flow, target, next);
	case HWF_RV_TRAP_RETURN:
		return jump(flow, target, next);
	case HWF_RV_ECALL:
	case HWF_RV_EBREAK:
		/* they always trap, and the trap is reported; RISCV_WALK: discontinuities */
		if (flow->config.dialect == HWF_RISCV_DRAFT_026)
			return HWF_RISCV_STUCK;
		return jump(flow, target, next);
	default:
		/* behind the last of all addresses comes the first, in a range of its own */
		if (hwf_riscv_address(flow, *next) != *next)
			hwf_riscv_end_range(flow, true, false);
		return HWF_RISCV_WENT;
	}
	hwf_riscv_end_range(flow, true, true);
	return HWF_RISCV_WENT;
}

/* RISCV_IMPLICIT_RETURN: a call that returns; tail calls and co-routine swaps do not count */
static void remember_call(struct hwf_riscv_flow *flow)
{
	if (flow->config.params.implicit_return && hwf_rv_classify(&flow->insn) == HWF_RV_CALL)
		hwf_riscv_calls_push(&flow->calls, &flow->config, flow->pc + flow->insn.size);
}

enum hwf_riscv_step hwf_riscv_step(struct hwf_riscv_flow *flow, uint64_t target)
{
	uint64_t next;
	enum hwf_riscv_step how;

	if (++flow->steps > HWF_RUN_MAX) {
		hwf_riscv_gap(flow, HWF_GAP_RUN_TOO_LONG);
		return HWF_RISCV_STUCK;
	}
	how = leave(flow, target, &next);
	if (how == HWF_RISCV_STUCK) {
		hwf_riscv_gap(flow, HWF_GAP_MISMATCH);
		return how;
	}
	remember_call(flow);
	flow->before = flow->insn;
	flow->has_before = true;
	flow->pc = hwf_riscv_address(flow, next);
	return hwf_riscv_arrive(flow, how);
}
