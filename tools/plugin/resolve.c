// SPDX-License-Identifier: GPL-2.0-only
/* How a block was left, where that is not plain. */
#include "hwflow/ete.h"
#include "plugin.h"

/* signal numbers of arm64 */
#define SIGNAL_ILL  4
#define SIGNAL_TRAP 5
#define SIGNAL_BUS  7
#define SIGNAL_FPE  8
#define SIGNAL_SEGV 11

/* user space addresses have no more bits; above may be a pointer authentication code */
#define ADDRESS_MASK ((UINT64_C(1) << 48) - 1)

struct left {
	const struct block *block;
	uint32_t reached;
};

static uint64_t pc_of(const struct block *block, uint32_t index)
{
	return block->pc + 4 * (uint64_t)index;
}

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

/* The register that an indirect branch takes its target from. */
static unsigned int target_register(uint32_t opcode)
{
	unsigned int rn = opcode >> 5 & 31;

	/* RETAA and its like name none: the link register */
	return rn == 31 || (opcode & 0xff000000) == 0x55000000 ? 30 : rn;
}

static bool is_blr_x30(uint32_t opcode)
{
	return (opcode & 0xfeff03e0) == 0xd63f03c0;
}

/* Does an indirect branch at the end of @block, with these registers after it, go to @pc? */
static bool branched_to(const struct block *block, const struct interruption *at)
{
	uint32_t last = block->opcodes[block->count - 1];

	/* the branch has overwritten its own register */
	if (is_blr_x30(last))
		return at->reg[30] == pc_of(block, block->count);
	return ((at->reg[target_register(last)] ^ at->pc) & ADDRESS_MASK) == 0;
}

static bool interruption_fits(const struct interruption *at, const void *ctx)
{
	const struct left *left = ctx;
	const struct block *block = left->block;

	if (left->reached < block->commit)
		return at->pc == pc_of(block, left->reached) || ran_to_end(left, at->pc);
	if (goes_to(block, at->pc) && (block->flags & BLOCK_ANYWHERE) == 0)
		return true;
	if ((block->flags & BLOCK_ANYWHERE) != 0 && branched_to(block, at))
		return true;
	/* a branch that this processor has not */
	return at->signal == SIGNAL_ILL && at->pc == pc_of(block, block->count - 1);
}

/* Signals that the kernel makes of an exception that the instruction itself took. */
static unsigned int fault_type(const struct interruption *at)
{
	switch (at->signal) {
	case SIGNAL_SEGV:
		return HWF_EXC_DATA_FAULT;
	case SIGNAL_BUS:
		return at->misaligned ? HWF_EXC_ALIGNMENT : HWF_EXC_DATA_FAULT;
	case SIGNAL_TRAP:
		return HWF_EXC_INST_DEBUG;
	case SIGNAL_ILL:
	case SIGNAL_FPE:
		return HWF_EXC_TRAP;
	default:
		return HWF_EXC_IRQ;
	}
}

/* Exception type of what came between two instructions. */
static unsigned int between_type(const struct interruption *at)
{
	if (at->at_pc && at->signal == SIGNAL_SEGV)
		return HWF_EXC_INST_FAULT;
	if (at->at_pc && at->signal == SIGNAL_BUS)
		return at->misaligned ? HWF_EXC_ALIGNMENT : HWF_EXC_INST_FAULT;
	return HWF_EXC_IRQ;
}

static void put_stop(struct thread *thread, uint32_t executed)
{
	if (executed < thread->block->count) {
		thread_put(thread, TRUTH_STOP);
		thread_put(thread, executed);
	}
}

static void put_signal(struct thread *thread, const struct left *left,
		       const struct interruption *at)
{
	uint32_t last = left->block->count - 1;

	if (left->reached < left->block->commit && at->pc == pc_of(left->block, left->reached)) {
		put_stop(thread, left->reached);
		thread_put_exception(thread, fault_type(at), at->pc);
	} else if (at->signal == SIGNAL_ILL && at->pc == pc_of(left->block, last) &&
		   !ran_to_end(left, at->pc)) {
		put_stop(thread, last);
		thread_put_exception(thread, HWF_EXC_TRAP, at->pc);
	} else {
		thread_put_exception(thread, between_type(at), at->pc);
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
	thread_put_exception(thread, HWF_EXC_IRQ, pc_of(left->block, executed));
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
		return false;
	}
	/* QEMU left the block to repeat this instruction with all other threads held */
	if (left.reached < left.block->commit && next->pc == pc_of(left.block, left.reached)) {
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
			thread_put_exception(thread, HWF_EXC_IRQ, next->pc);
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
		thread_put_exception(thread, HWF_EXC_IRQ, next->pc);
	thread_stop();
	thread_close(thread);
}
