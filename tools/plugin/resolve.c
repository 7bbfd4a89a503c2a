// SPDX-License-Identifier: GPL-2.0-only
/* How a block was left, where that is not plain. */
#include "plugin.h"

struct left {
	const struct block *block;
	uint32_t reached;
};

static bool goes_to(const struct block *block, uint64_t pc)
{
	return pc == block->next[0] || pc == block->next[1];
}

/* The last instruction, as far as can be told, went to @pc or on to what follows it. */
static bool ran_to_end(const struct left *left, uint64_t pc)
{
	const struct block *block = left->block;

	if (left->reached >= block->commit)
		return goes_to(block, pc) || (block->flags & BLOCK_ANYWHERE) != 0;
	/* nothing stands after the last instruction to tell that it was executed */
	return block->commit == block->count && left->reached == block->count - 1 &&
	       pc == block->next[0];
}

/* Does an indirect branch at the end of @block, with these registers after it, go to @pc? */
static bool branched_to(const struct block *block, const struct interruption *at)
{
	return target->goes_to(block->opcodes[block->count - 1], block_pc_of(block, block->count),
			       &at->before);
}

static bool interruption_fits(const struct interruption *at, const void *ctx)
{
	const struct left *left = ctx;
	const struct block *block = left->block;

	if (left->reached < block->commit)
		return at->before.pc == block_pc_of(block, left->reached) ||
		       ran_to_end(left, at->before.pc);
	if (goes_to(block, at->before.pc) && (block->flags & BLOCK_ANYWHERE) == 0)
		return true;
	if ((block->flags & BLOCK_ANYWHERE) != 0 && branched_to(block, at))
		return true;
	/* a branch that this processor has not */
	return at->signal == SIGNAL_ILL && at->before.pc == block_pc_of(block, block->count - 1);
}

/* Signals that the kernel makes of an exception that the instruction itself took. */
static enum target_cause fault_cause(const struct interruption *at)
{
	switch (at->signal) {
	case SIGNAL_SEGV:
		return CAUSE_ACCESS;
	case SIGNAL_BUS:
		return at->misaligned ? CAUSE_MISALIGNED : CAUSE_ACCESS;
	case SIGNAL_TRAP:
		return CAUSE_BREAKPOINT;
	case SIGNAL_ILL:
	case SIGNAL_FPE:
		return CAUSE_UNDEFINED;
	default:
		return CAUSE_INTERRUPT;
	}
}

/* What came between two instructions. */
static enum target_cause between_cause(const struct interruption *at)
{
	if (at->at_pc && at->signal == SIGNAL_SEGV)
		return CAUSE_FETCH;
	if (at->at_pc && at->signal == SIGNAL_BUS)
		return at->misaligned ? CAUSE_FETCH_MISALIGNED : CAUSE_FETCH;
	return CAUSE_INTERRUPT;
}

/* @opcode: of the instruction that took it; 0 if none did. */
static void put_exception(struct thread *thread, enum target_cause cause, uint32_t opcode,
			  const struct interruption *at)
{
	const struct truth_trap trap = {
		.type = target->exception(cause, opcode),
		.ret = at->before.pc,
		.value = cause == CAUSE_INTERRUPT   ? 0
			 : cause == CAUSE_UNDEFINED ? opcode
						    : at->address,
	};

	thread_put_exception(thread, &trap);
}

/* Nothing that the program did: where trace begins again, or what is known ends. */
static void put_interrupt(struct thread *thread, uint64_t ret)
{
	const struct truth_trap trap = {.type = target->exception(CAUSE_INTERRUPT, 0), .ret = ret};

	thread_put_exception(thread, &trap);
}

static void put_stop(struct thread *thread, uint32_t executed)
{
	if (executed < thread->block->count) {
		thread_put(thread, TRUTH_STOP);
		thread_put(thread, executed);
	}
}

/* A call that QEMU answers itself, and tells nobody of: of riscv64, to flush the instruction cache
 */
static bool put_silent_call(struct thread *thread)
{
	if ((thread->block->flags & BLOCK_CALL) == 0)
		return false;
	thread_put(thread, TRUTH_CALL);
	return true;
}

static void put_signal(struct thread *thread, const struct left *left,
		       const struct interruption *at)
{
	const struct block *block = left->block;
	uint32_t last = block->count - 1;

	if (left->reached < block->commit &&
	    at->before.pc == block_pc_of(left->block, left->reached)) {
		put_stop(thread, left->reached + (fault_cause(at) == CAUSE_BREAKPOINT &&
						  target->breakpoint_counts));
		put_exception(thread, fault_cause(at), block->opcodes[left->reached], at);
	} else if (at->signal == SIGNAL_ILL && at->before.pc == block_pc_of(left->block, last) &&
		   !ran_to_end(left, at->before.pc)) {
		put_stop(thread, last);
		put_exception(thread, CAUSE_UNDEFINED, block->opcodes[last], at);
	} else {
		put_silent_call(thread);
		put_exception(thread, between_cause(at), 0, at);
	}
}

/*
 * What was certainly executed, and then a gap. The exception tells where what is known ends; a
 * branch whose way is not known does not belong to it.
 */
static void put_gap(struct thread *thread, const struct left *left, enum truth_gap reason)
{
	uint32_t executed = left->reached;

	if (executed >= left->block->commit)
		executed = left->block->count;
	if (executed == left->block->count && (left->block->flags & BLOCK_BRANCH) != 0)
		executed--;
	put_stop(thread, executed);
	put_interrupt(thread, block_pc_of(left->block, executed));
	thread_put(thread, TRUTH_GAP);
	thread_put(thread, reason);
}

/* Write down how the last block was left; whether there was an exception, or a gap. */
static bool resolve_left(struct thread *thread, const struct block *next)
{
	struct left left = {.block = thread->block, .reached = thread->shared->reached};
	struct interruption at;
	bool handler = (next->flags & BLOCK_HANDLER) != 0;

	if (left.block == &block_unknown)
		return true;
	if (handler && frame_find(thread, next->pc, interruption_fits, &left, &at)) {
		put_signal(thread, &left, &at);
		return true;
	}
	if (ran_to_end(&left, next->pc)) {
		/* a return or an indirect call to what is also a handler, or a signal: which? */
		if (handler && !plugin.layout_good && !goes_to(left.block, next->pc)) {
			put_gap(thread, &left, TRUTH_GAP_SIGNAL);
			return true;
		}
		return put_silent_call(thread);
	}
	/* QEMU left the block to repeat this instruction with all other threads held */
	if (left.reached < left.block->commit &&
	    next->pc == block_pc_of(left.block, left.reached)) {
		put_stop(thread, left.reached);
		return false;
	}
	put_gap(thread, &left, TRUTH_GAP_LEFT);
	return true;
}

/* @next is about to be entered: say what there is to say before it. */
void hwf_resolve(struct thread *thread, const struct block *next)
{
	bool after_call = thread->block == &block_unknown;
	bool excepted = resolve_left(thread, next);
	uint64_t remap = __atomic_exchange_n(&thread->attention, 0, __ATOMIC_SEQ_CST);

	if (remap) {
		/* where a recording session ends, an interrupt ends it */
		if (!excepted)
			put_interrupt(thread, next->pc);
		thread_put_time(thread, remap > thread->time ? remap : thread->time);
		thread_put(thread, TRUTH_REMAP);
	}
	if (after_call)
		thread_put_time(thread, run_now());
}

/* @next is about to be entered, but is not to be recorded any more. */
void hwf_leave(struct thread *thread, const struct block *next)
{
	if (!resolve_left(thread, next))
		put_interrupt(thread, next->pc);
	thread_stop();
	thread_close(thread);
}
