/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * One instruction after the other (A.6, "Walk step"; B.4). The state is between two instructions:
 * the one at pc was executed, and where it led is not asked yet.
 */
#include "flow/riscv_walk.h"

uint64_t hwf_riscv_address(const struct hwf_riscv_flow *flow, uint64_t address)
{
	const unsigned int width = flow->config.params.iaddress_width_p;
	const uint64_t sign = UINT64_C(1) << (width - 1);

	if (width < 64)
		address &= (sign << 1) - 1;
	/* 3.1: virtual addresses are sign-extended */
	return flow->isa & HWF_RV_64 ? (address ^ sign) - sign : (uint32_t)address;
}

static int read_insn(const struct hwf_riscv_flow *flow, uint64_t address, uint32_t *opcode)
{
	const struct hwf_code *code = flow->code;
	uint8_t bytes[4] = {0};
	const size_t got = code->read(code->ctx, flow->space, address, bytes, sizeof(bytes));

	if (got < 2)
		return HWF_ERR_NO_IMAGE;
	*opcode = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
		  (uint32_t)bytes[3] << 24;
	return got < 4 && hwf_rv_size((uint16_t)*opcode) > 2 ? HWF_ERR_NO_IMAGE : 0;
}

int hwf_riscv_fetch(struct hwf_riscv_flow *flow, uint64_t address, struct hwf_rv_insn *insn)
{
	const unsigned int slot = (unsigned int)(address >> 1) % HWF_RISCV_KNOWN;
	uint32_t opcode;
	int err;

	if (flow->known[slot].pc == address) {
		*insn = flow->known[slot].insn;
		return 0;
	}
	if (address & 1)
		return HWF_ERR_IMAGE_MISMATCH;
	err = read_insn(flow, address, &opcode);
	if (err)
		return err;
	hwf_rv_insn(opcode, address, flow->isa, insn);
	if (!insn->size)
		return HWF_ERR_IMAGE_MISMATCH;
	flow->known[slot].pc = address;
	flow->known[slot].insn = *insn;
	return 0;
}

uint64_t hwf_riscv_left(const struct hwf_riscv_flow *flow)
{
	return flow->ahead.mapped + flow->ahead.predicted + flow->ahead.missed;
}

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

/* The outcome of the branch at pc; false where the trace has none for it */
static bool use_outcome(struct hwf_riscv_flow *flow, bool *taken)
{
	struct hwf_riscv_outcomes *ahead = &flow->ahead;

	if (ahead->mapped) {
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
	return true;
}

/* A jump whose target is known from the program (A.6; B.2, "Sequentially inferable jump") */
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
	} else if (flow->config.params.sijump_p && flow->has_before &&
		   hwf_rv_is_sequential(&flow->before, insn)) {
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

	return flow->irreport && flow->irdepth == flow->calls.depth &&
	       !hwf_riscv_fetch(flow, target, &insn) &&
	       hwf_riscv_left(flow) == (insn.kind == HWF_RV_BRANCH);
}

/* A return that the encoder did not report (B.2, "Implicit return") */
static bool infer_return(struct hwf_riscv_flow *flow, uint64_t target, uint64_t *next)
{
	if (!flow->config.params.implicit_return || hwf_rv_classify(&flow->insn) != HWF_RV_RETURN ||
	    is_reported_return(flow, target))
		return false;
	return hwf_riscv_calls_pop(&flow->calls, next);
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

/* The instruction at pc was executed: it belongs to the open range. */
static enum hwf_riscv_step arrive(struct hwf_riscv_flow *flow, enum hwf_riscv_step how)
{
	const int err = hwf_riscv_fetch(flow, flow->pc, &flow->insn);

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
	arrive(flow, HWF_RISCV_WENT);
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
		if (!use_outcome(flow, &taken))
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
		/* they always trap, and the trap is reported; B.4 counts them as discontinuities */
		if (flow->config.dialect == HWF_RISCV_DRAFT_026)
			return HWF_RISCV_STUCK;
		return jump(flow, target, next);
	default:
		*next = hwf_riscv_address(flow, *next);
		return HWF_RISCV_WENT;
	}
	hwf_riscv_end_range(flow, true, true);
	return HWF_RISCV_WENT;
}

/* B.2: a call that returns; tail calls and co-routine swaps do not count */
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
	flow->pc = next;
	return arrive(flow, how);
}
