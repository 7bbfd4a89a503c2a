/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Flow events as branches: each branch with the place that it went to.
 *
 *	range 1000..1008, last taken    from 1004
 *	range 2000..2004, not taken     from 1004 to 2000; from 2000 to 2004, not taken
 *	exception, returns to 2004      from 2004
 *	range 3000..                    from 2004 to 3000, exception
 */
#ifndef HWFLOW_BRANCH_H
#define HWFLOW_BRANCH_H

#include "hwflow/flow.h"
#include "hwflow/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** enum hwf_branch_kind - how execution went from one place to another */
enum hwf_branch_kind {
	HWF_BRANCH_START,       /* tracing begins; no from */
	HWF_BRANCH_CONDITIONAL, /* a branch with a condition, taken or not */
	HWF_BRANCH_JUMP,
	HWF_BRANCH_INDIRECT,
	HWF_BRANCH_CALL,
	HWF_BRANCH_INDIRECT_CALL,
	HWF_BRANCH_RETURN,
	HWF_BRANCH_EXCEPTION_RETURN,
	HWF_BRANCH_EXCEPTION, /* from: the instruction that called, or the return address */
	HWF_BRANCH_KINDS,
};

/**
 * struct hwf_branch - execution went from one place to another
 * @offset: of the packet that the branch follows from
 * @from: the branch instruction; for HWF_BRANCH_EXCEPTION, see there
 * @to: the next instruction executed
 * @next: the address behind @from; of an exception, where it returns to
 * @from_space: address space of @from, from hwf_code.space
 * @to_space: address space of @to
 * @kind: enum hwf_branch_kind
 * @exception: enum hwf_exception, for HWF_BRANCH_EXCEPTION
 * @trap: the same of RISC-V, if @is_trap
 * @taken: else execution went on behind it
 * @has_from: @from is known
 * @is_trap: @trap holds, and not @exception
 * @has_to: @to is known: else tracing stopped, or cannot be followed
 */
struct hwf_branch {
	uint64_t offset;
	uint64_t from;
	uint64_t to;
	uint64_t next;
	const void *from_space;
	const void *to_space;
	uint8_t kind;
	uint16_t exception;
	struct hwf_flow_trap trap;
	bool is_trap;
	bool taken;
	bool has_from;
	bool has_to;
};

/**
 * typedef hwf_branch_fn - takes a branch
 * @ctx: the caller's own
 * @branch: valid during the call
 */
typedef void hwf_branch_fn(void *ctx, const struct hwf_branch *branch);

/**
 * struct hwf_branches_sum - ranges of a function that are not given one by one
 * @start: first address of the function
 * @end: the address after its last; @start: nothing is summed
 * @has_indirect: no indirect jump within the function is a return
 * @instructions: of the ranges that were not given
 * @ranges: how many they are
 *
 * For a caller that follows calls, as jumps within a function do not change its stack. The caller
 * sets the function when it takes a branch; whenever it is given anything, and behind each event
 * that is no range, it takes the sums and clears them.
 */
struct hwf_branches_sum {
	uint64_t start;
	uint64_t end;
	bool has_indirect;
	uint64_t instructions;
	uint64_t ranges;
};

/** hwf_branches_sum_has() - is an address in the function whose ranges are summed? */
static inline bool hwf_branches_sum_has(const struct hwf_branches_sum *sum, uint64_t address)
{
	return address - sum->start < sum->end - sum->start;
}

/**
 * struct hwf_branches - state
 * @code: the program; only its address spaces are asked for
 * @branch: takes each branch, taken or not
 * @range: takes each HWF_FLOW_RANGE, behind the branch that leads to it and before the branch at
 *	its end; or NULL
 * @ctx: first argument of both
 * @m_profile: exception numbers are those of the M profile
 * @sum: set by the caller: the ranges of this function are summed here, and neither they nor jumps
 *	between them are given. NULL: all are given
 * @space: current address space
 * @last: the last instruction executed
 * @after_last: the address behind it
 * @pending: the last branch; its destination is the next instruction
 * @has_pending: there is one
 * @joined: the next instruction follows from what was before
 *
 * Members are the library's; a caller may read them.
 */
struct hwf_branches {
	const struct hwf_code *code;
	hwf_branch_fn *branch;
	hwf_flow_fn *range;
	void *ctx;
	bool m_profile;
	struct hwf_branches_sum *sum;
	const void *space;
	uint64_t last;
	uint64_t after_last;
	struct hwf_branch pending;
	bool has_pending;
	bool joined;
};

/**
 * hwf_branches_init() - begin
 * @branches: to initialise
 * @code: the program; must outlive @branches
 * @branch: takes each branch
 * @range: takes each range; or NULL
 * @ctx: first argument of both
 *
 * A caller that decodes trace of the M profile sets @branches->m_profile.
 */
void hwf_branches_init(struct hwf_branches *branches, const struct hwf_code *code,
		       hwf_branch_fn *branch, hwf_flow_fn *range, void *ctx);

/**
 * hwf_branches_push() - take one event
 * @branches: the state
 * @event: from a sink, or hwf_session_next(); all events in their order. Behind HWF_FLOW_COUNTED,
 *	ranges may be missing: no branch leads to the next one
 */
void hwf_branches_push(struct hwf_branches *branches, const struct hwf_flow_event *event);

/**
 * hwf_branches_steps() - as hwf_steps_each(), without the ranges that would only be summed
 * @branches: the state; ranges that follow from the one before are summed here at once
 * @steps: the steps
 * @sink: takes each other range and cycle count, and hands it to hwf_branches_push()
 * @ctx: its first argument
 */
void hwf_branches_steps(struct hwf_branches *branches, const struct hwf_steps *steps,
			hwf_flow_fn *sink, void *ctx);

/**
 * hwf_branch_of_insn() - a branch as far as its instruction determines it
 * @insn: the last of a range
 * @end: address behind it
 * @space: address space
 * @taken: it was taken
 *
 * Return: the branch; its kind is HWF_BRANCH_KINDS if @insn is no branch.
 */
struct hwf_branch hwf_branch_of_insn(const struct hwf_insn *insn, uint64_t end, const void *space,
				     bool taken);

/** hwf_branch_kind_name() - a word for an enum hwf_branch_kind */
const char *hwf_branch_kind_name(unsigned int kind);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_BRANCH_H */
