/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Straight code at once. A range that was executed before is found again with the event that tells
 * of it, and the ranges behind it: as long as more outcomes are left than it uses, nothing is asked
 * but the outcome. The same result as hwf_riscv_step(), faster.
 */
#include <string.h>

#include "flow/riscv_walk.h"

/* No run has more instructions: a walk through what is no code is given up by steps. */
#define RUN_MAX 1024u

_Static_assert(HWF_RISCV_RUNS <= UINT16_MAX, "a run has a number of 16 bits");

void hwf_riscv_forget_runs(struct hwf_riscv_runs *runs)
{
	memset(runs->buckets, 0, sizeof(runs->buckets));
	runs->used = 0;
	runs->flushes++;
}

/* Code lies close together: the product spreads neighbours over all buckets. */
static inline uint32_t bucket_of(uint64_t pc)
{
	return (uint32_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32) /
	       (UINT32_MAX / HWF_RISCV_RUNS + 1);
}

/* The number of the run from an address, from 1 on; 0: none */
static inline uint32_t number_of(const struct hwf_riscv_runs *runs, uint64_t pc)
{
	uint32_t number = runs->buckets[bucket_of(pc)];

	while (number && runs->runs[number - 1].pc != pc)
		number = runs->runs[number - 1].next;
	return number;
}

const struct hwf_riscv_run *hwf_riscv_find_run(const struct hwf_riscv_runs *runs, uint64_t pc)
{
	const uint32_t number = number_of(runs, pc);

	return number ? &runs->runs[number - 1] : NULL;
}

/* Does the next instruction follow this one, whatever happens? */
static bool is_straight(const struct hwf_rv_insn *insn)
{
	return insn->kind == HWF_RV_OTHER || insn->kind == HWF_RV_UPPER;
}

/* What comes behind the run, or is not there, is for the next step to find. */
static void walk_run(struct hwf_riscv_flow *flow, struct hwf_riscv_run *run)
{
	struct hwf_rv_insn insn;
	uint64_t next;

	while (is_straight(&run->insn)) {
		next = run->last + run->insn.size;
		if (run->more == RUN_MAX || hwf_riscv_address(flow, next) != next ||
		    hwf_riscv_fetch(flow, next, &insn))
			return;
		run->before = run->insn;
		run->insn = insn;
		run->last = next;
		run->more++;
	}
}

static void set_event(const struct hwf_riscv_flow *flow, struct hwf_riscv_run *run)
{
	const struct hwf_insn insn = hwf_riscv_common(&run->insn, flow->isa);

	run->event.kind = HWF_FLOW_RANGE;
	run->event.u.range = (struct hwf_flow_range){
		.start = run->pc,
		.end = run->last + run->insn.size,
		.instructions = run->more + 1,
		.isa = insn.target_isa,
		.p0 = true, /* else only a step can leave it, which gives an event of its own */
		.insn = insn,
	};
}

/* The run from an address; NULL where no code is there */
static struct hwf_riscv_run *get_run(struct hwf_riscv_flow *flow, uint64_t pc)
{
	struct hwf_riscv_runs *runs = &flow->runs;
	const uint32_t number = number_of(runs, pc);
	struct hwf_riscv_run *run;
	struct hwf_rv_insn first;

	if (number)
		return &runs->runs[number - 1];
	if (hwf_riscv_fetch(flow, pc, &first))
		return NULL;
	if (runs->used == HWF_RISCV_RUNS)
		hwf_riscv_forget_runs(runs);
	run = &runs->runs[runs->used++];
	*run = (struct hwf_riscv_run){.pc = pc,
				      .last = pc,
				      .first = first,
				      .insn = first,
				      .next = runs->buckets[bucket_of(pc)]};
	runs->buckets[bucket_of(pc)] = (uint16_t)runs->used;
	walk_run(flow, run);
	set_event(flow, run);
	return run;
}

/* From the first instruction of a run, which pc is at, to its last */
static void go_to_end(struct hwf_riscv_flow *flow, const struct hwf_riscv_run *run)
{
	flow->steps += run->more;
	flow->count += run->more;
	flow->pc = run->last;
	flow->insn = run->insn;
	if (!run->more)
		return;
	flow->before = run->before;
	flow->has_before = true;
}

bool hwf_riscv_run_on(struct hwf_riscv_flow *flow, uint64_t stop)
{
	const struct hwf_riscv_run *run;

	if (!is_straight(&flow->insn) || flow->one_by_one)
		return false;
	if (flow->singly) {
		flow->singly--;
		return false;
	}
	run = get_run(flow, flow->pc);
	if (!run || !run->more || flow->steps + run->more > HWF_RUN_MAX)
		return false;
	/* an address in it may be where the walk ends, or that of no instruction */
	if (stop - run->pc - 1 < run->last - run->pc) {
		flow->singly = run->more - 1;
		return false;
	}
	/* the first of them may have been given already */
	if (!flow->count)
		flow->start = flow->pc + flow->insn.size;
	go_to_end(flow, run);
	return true;
}

/* Where a return goes that is implied for certain (RISCV_IMPLICIT_RETURN); false where it is not */
static bool use_call(struct hwf_riscv_flow *flow, uint64_t left, uint64_t *next)
{
	const struct hwf_riscv_params *params = &flow->config.params;

	/* one that is reported has at most one outcome behind it */
	if (!params->implicit_return || params->sijump_p || (flow->irreport && left <= 1) ||
	    !hwf_riscv_calls_pop(&flow->calls, next))
		return false;
	flow->calls.implied++;
	return true;
}

/*
 * The run behind one that is left. It is stored in the one before unless all was forgotten; NULL
 * where no code is there
 */
static struct hwf_riscv_run *follow_link(struct hwf_riscv_flow *flow, struct hwf_riscv_run *from,
					 bool taken)
{
	const struct hwf_flow_range *range = &from->event.u.range;
	const uint32_t flushes = flow->runs.flushes;
	struct hwf_riscv_run *next;

	flow->pc = hwf_riscv_address(flow, taken ? range->insn.target : range->end);
	next = get_run(flow, flow->pc);
	if (flow->runs.flushes == flushes)
		from->after[taken] = next;
	return next;
}

/* enum how - what is to be done with a run */
enum how {
	ASK,   /* each instruction of it has to be asked about */
	LEAVE, /* it is executed, and left */
	JUMP,  /* likewise, to where the trace says */
	END,   /* it is executed; only a step can leave it */
};

/* May an instruction of the run be where the walk ends? */
static bool may_end_in(const struct hwf_riscv_goal *goal, const struct hwf_riscv_run *run)
{
	return goal->address - run->pc <= run->last - run->pc;
}

/* A jump to a register: does only the trace tell where it goes, whatever came before it? */
static inline bool is_told(const struct hwf_riscv_flow *flow, const struct hwf_riscv_goal *goal,
			   const struct hwf_riscv_run *run)
{
	const struct hwf_riscv_params *params = &flow->config.params;

	return run->insn.rs1 && !params->sijump_p && !params->implicit_return &&
	       goal->kind != HWF_RISCV_GOAL_LAST_BRANCH;
}

/* What the end of a run needs is used up where it is left. @next: where a jump to a register goes
 */
static inline enum how leave(struct hwf_riscv_flow *flow, const struct hwf_riscv_goal *goal,
			     const struct hwf_riscv_run *run, bool *taken, uint64_t *next)
{
	const uint64_t left = hwf_riscv_left(flow);

	*taken = true;
	*next = goal->address;
	if (flow->steps + run->more >= HWF_RUN_MAX || (left <= 1 && may_end_in(goal, run)))
		return ASK;
	switch (run->insn.kind) {
	case HWF_RV_BRANCH:
		if (left == 1 && goal->kind == HWF_RISCV_GOAL_LAST_BRANCH)
			return END;
		flow->pc = run->last;
		return hwf_riscv_use_outcome(flow, taken) ? LEAVE : END;
	case HWF_RV_JUMP:
		flow->steps += run->more + 1;
		return LEAVE;
	case HWF_RV_JUMP_REG:
		if (is_told(flow, goal, run))
			return JUMP;
		if (run->event.u.range.insn.sub != HWF_SUB_RET || !use_call(flow, left, next))
			return END;
		flow->steps += run->more + 1;
		return LEAVE;
	default:
		return END;
	}
}

/* Hand on the range of a run that is left, and go on to the run behind it. */
static inline struct hwf_riscv_run *pass(struct hwf_riscv_flow *flow, struct hwf_riscv_run *run,
					 bool taken, uint64_t target)
{
	const bool jumps = run->insn.kind == HWF_RV_JUMP_REG;
	struct hwf_riscv_run *next = run->after[taken];

	run->event.offset = flow->offset;
	run->event.u.range.taken = taken;
	flow->sink(flow->sink_ctx, &run->event);
	if (run->event.u.range.insn.sub == HWF_SUB_LINK && flow->config.params.implicit_return)
		hwf_riscv_calls_push(&flow->calls, &flow->config, run->event.u.range.end);
	if (jumps) {
		flow->pc = hwf_riscv_address(flow, target);
		return get_run(flow, flow->pc);
	}
	if (!next)
		return follow_link(flow, run, taken);
	flow->pc = next->pc;
	return next;
}

/* pc is at the first instruction of a run, behind ranges that were given. */
static void stop_at(struct hwf_riscv_flow *flow, const struct hwf_riscv_run *run)
{
	flow->start = run->pc;
	flow->count = 1;
	flow->singly = 0;
	flow->pc = run->pc;
	flow->insn = run->first;
	/* a branch or jump, which nothing hangs on */
	flow->has_before = false;
}

enum hwf_riscv_step hwf_riscv_run_ranges(struct hwf_riscv_flow *flow,
					 const struct hwf_riscv_goal *goal)
{
	struct hwf_riscv_run *run = NULL;
	bool stays = true;
	enum how how;
	uint64_t next;
	bool taken;

	/* where a range begins with pc */
	if (!flow->one_by_one && flow->count == 1 && flow->start == flow->pc)
		run = get_run(flow, flow->pc);
	if (!run)
		return HWF_RISCV_STAYED;
	do {
		how = leave(flow, goal, run, &taken, &next);
		if (how == ASK || how == END)
			break;
		run = pass(flow, run, taken, next);
		stays = false;
	} while (run && how != JUMP);
	if (!run) {
		flow->count = 0;
		return hwf_riscv_arrive(flow, how == JUMP ? HWF_RISCV_JUMPED : HWF_RISCV_WENT);
	}
	if (stays) {
		flow->pc = run->pc;
		return HWF_RISCV_STAYED;
	}
	stop_at(flow, run);
	if (how == END)
		go_to_end(flow, run);
	return how == JUMP ? HWF_RISCV_JUMPED : HWF_RISCV_WENT;
}
