/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Walks that end at an address or after a number of instructions: exceptions, Source Address, Q. */
#include "decode/follower.h"

#include "code/insn/next.h"

/* The instructions up to an N branch of a Source Address element, as a range of their own */
static void split(struct hwf_follower *follower, uint64_t offset, struct hwf_run *run)
{
	hwf_flow_range(follower, offset, follower->pc, run, false, true);
	follower->pc = run->end;
	run->instructions = 0;
}

/*
 * As hwf_run_walk(), without looking at each instruction where the program has a cache of runs
 * and all instructions have one size.
 */
static void walk(const struct hwf_follower *follower, uint64_t start, uint32_t stop, uint64_t until,
		 struct hwf_run *run)
{
	const struct hwf_code *code = follower->code;
	const enum hwf_isa isa = (enum hwf_isa)follower->isa;
	const uint64_t bytes = until - start;
	uint32_t count = stop;

	if (!code->run || (isa != HWF_ISA_A64 && isa != HWF_ISA_A32)) {
		hwf_run_walk(code, follower->space, start, isa, follower->config->wfx, stop, until,
			     run);
		return;
	}
	if (!(bytes & 3) && bytes / 4 < stop)
		count = (uint32_t)(bytes / 4);
	code->run(code->ctx, follower->space, start, isa, run);
	if (run->instructions < count || (run->instructions == count && !run->status))
		return;
	/* the run goes on further; no instruction up to here is a P0 instruction */
	hwf_run_walk(code, follower->space, start + 4 * (uint64_t)(count - 1), isa,
		     follower->config->wfx, 1, UINT64_MAX, run);
	run->instructions = count;
}

/*
 * ETMV4_INTERRUPTED: an exception may interrupt a load or store of several registers, which is
 * restarted or continued later. The return address may be inside of the instruction, which was not
 * completed then. In T32 alone an instruction has another instruction address inside. A branch
 * without a load, and what synchronises, cannot be interrupted.
 */
static bool was_interrupted(const struct hwf_follower *follower, const struct hwf_run *run,
			    uint64_t address)
{
	return follower->isa == HWF_ISA_T32 && run->insn.size == 4 && run->end == address + 2 &&
	       (run->insn.kind == HWF_INSN_OTHER || run->insn.kind == HWF_INSN_INDIRECT);
}

bool hwf_flow_walk_to(struct hwf_follower *follower, uint64_t offset, uint64_t address, bool source,
		      struct hwf_run *run)
{
	struct hwf_run piece;
	uint32_t walked = 0;

	*run = (struct hwf_run){.end = follower->pc};
	while (run->end != address || source) {
		bool last = run->end == address;

		walk(follower, run->end, last ? 1 : HWF_RUN_MAX - walked,
		     last ? UINT64_MAX : address, &piece);
		if (!source && was_interrupted(follower, &piece, address)) {
			/* @run is empty: without a Source Address, the first walk is the last */
			walk(follower, run->end, piece.instructions - 1, UINT64_MAX, run);
			return true;
		}
		run->instructions += piece.instructions;
		walked += piece.instructions;
		if (piece.instructions)
			run->insn = piece.insn;
		run->end = piece.end;
		run->status = piece.status;
		if (piece.status == HWF_ERR_NO_IMAGE) {
			hwf_flow_broken_run(follower, offset, run);
			return false;
		}
		if (last)
			return true;
		if (run->end > address || walked >= HWF_RUN_MAX ||
		    (!piece.status &&
		     (!source || !hwf_flow_n_is_possible(follower->isa, &piece.insn)))) {
			/* a P0 instruction that would have been traced, or one across @address */
			hwf_flow_gap(follower, offset,
				     walked >= HWF_RUN_MAX ? HWF_GAP_RUN_TOO_LONG
							   : HWF_GAP_MISMATCH);
			return false;
		}
		if (!piece.status && source && follower->split_source)
			split(follower, offset, run);
	}
	return true;
}

static void give_q_range(struct hwf_follower *follower, const struct hwf_element *element,
			 uint64_t start, bool has_start)
{
	const struct hwf_el_q *q = &element->u.q;
	struct hwf_flow_event event;

	event.u.q = (struct hwf_flow_q){
		.start = start,
		.next = q->address.value,
		.instructions = q->count,
		.has_start = has_start,
		.has_next = q->has_address,
		.has_count = q->has_count,
	};
	hwf_flow_give(follower, &event, element->offset, HWF_FLOW_Q_RANGE);
}

/*
 * Does this run, of as many instructions as the Q element counts, lead to its address? With a
 * branch at its end: is it @taken?
 */
static bool leads_to_address(const struct hwf_follower *follower, const struct hwf_el_q *q,
			     const struct hwf_run *run, bool *taken)
{
	const struct hwf_insn *insn = &run->insn;
	bool passed = q->has_address && q->address.value == run->end;

	*taken = true;
	if (run->status)
		return passed;
	if (insn->kind != HWF_INSN_DIRECT)
		return true;
	if (!q->has_address)
		return !insn->conditional;
	*taken = q->address.value == insn->target;
	return *taken || (passed && hwf_flow_n_is_possible(follower->isa, insn));
}

/*
 * I_XPNWS. Only where the count of instructions leads straight to the address, or ends on a
 * branch, is it known which they were.
 */
static void resolve_q(struct hwf_follower *follower, const struct hwf_element *element)
{
	const struct hwf_el_q *q = &element->u.q;
	uint64_t start;
	bool has_start;
	struct hwf_run run;
	bool known = false;
	bool taken = true;

	has_start = hwf_flow_ready(follower, element->offset);
	start = follower->pc;
	if (has_start && q->has_count && q->count && q->count <= HWF_RUN_MAX) {
		walk(follower, start, q->count, UINT64_MAX, &run);
		known = run.instructions == q->count && run.status != HWF_ERR_NO_IMAGE &&
			leads_to_address(follower, q, &run, &taken);
	}
	if (known)
		hwf_flow_range(follower, element->offset, start, &run, taken, false);
	else
		give_q_range(follower, element, start, has_start);
	follower->has_pc = false;
	follower->pop_pending = false;
}

void hwf_flow_push_q(struct hwf_follower *follower, const struct hwf_element *element)
{
	struct hwf_element target = {.offset = element->offset, .kind = HWF_EL_TARGET_ADDRESS};

	if (!element->u.q.has_address) {
		follower->q = *element;
		follower->q_pending = true;
		return;
	}
	resolve_q(follower, element);
	target.u.address = element->u.q.address;
	hwf_follower_push(follower, &target);
}

bool hwf_flow_complete_q(struct hwf_follower *follower, const struct hwf_element *element)
{
	switch (element->kind) {
	case HWF_EL_CONTEXT:
		/* I_BTNZC: the Context may come before the address; it holds after both */
		follower->q_context = *element;
		follower->q_context_pending = true;
		return true;
	case HWF_EL_TRACE_INFO:
		return false;
	case HWF_EL_TARGET_ADDRESS:
		follower->q.u.q.has_address = true;
		follower->q.u.q.address = element->u.address;
		break;
	default:
		break;
	}
	follower->q_pending = false;
	resolve_q(follower, &follower->q);
	return false;
}
