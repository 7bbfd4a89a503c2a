/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * What a RISC-V trace encoder and its decoder both keep: the branch predictor, the jump target
 * cache, and the stack or counter of calls (B.2). All of it is reset by synchronisation packets.
 */
#include "encode/te.h"

#define TE_WEAKLY_NOT_TAKEN 1u
#define TE_IRETS_MAX        255u
#define TE_NO_TARGET        1u /* no instruction has an odd address */

/* Tables are indexed from the lowest bit that can differ: with the C extension it is bit 1. */
static uint32_t te_index(const struct hwf_te *te, uint64_t address, unsigned int size)
{
	unsigned int low = te_params(te)->iaddress_lsb_p < 2 ? 1 : 2;

	return (uint32_t)(address >> low & te_mask(size));
}

void hwf_te_branches_clear(struct hwf_te *te)
{
	te->map = 0;
	te->branches = 0;
	te->predicted = 0;
	te->missed = false;
	te->last_missed = false;
}

/* 2 bits: the upper one is what is predicted, the lower one what happened last. */
static bool te_predict(struct hwf_te *te, const struct te_item *branch)
{
	uint8_t *state = &te->bpred[te_index(te, branch->address, te_params(te)->bpred_size_p)];
	bool predicted = *state >> 1;
	bool sure = (*state >> 1) == (*state & 1);

	*state = (uint8_t)((sure ? predicted : branch->taken) << 1 | branch->taken);
	return predicted == branch->taken;
}

void hwf_te_tables_reset(struct hwf_te *te)
{
	const struct hwf_riscv_params *params = te_params(te);

	hwf_te_branches_clear(te);
	te->depth = 0;
	te->ret_since_call = false;
	te->branch_since_ret = false;
	te->irets = 0;
	for (uint32_t i = 0; params->branch_prediction && i < 1u << params->bpred_size_p; i++)
		te->bpred[i] = TE_WEAKLY_NOT_TAKEN;
	for (uint32_t i = 0; params->jump_target_cache && i < 1u << params->cache_size_p; i++)
		te->cache[i] = TE_NO_TARGET;
	/* the branch that the packet tells of itself comes after it */
	if (params->branch_prediction && te->cur.branch)
		te_predict(te, &te->cur);
}

/*
 * The current instruction is a branch. As long as all are predicted right they are counted, those
 * that would fit into the map being there too, for it is sent where one of the first 31 was not.
 */
void hwf_te_branch(struct hwf_te *te)
{
	bool right = false;

	te->branch_since_ret = true;
	if (te_params(te)->branch_prediction)
		right = te_predict(te, &te->cur);
	te->last_missed = !right;
	if (!te->missed && right)
		te->predicted++;
	te->missed |= !right;
	if (te->branches < TE_MAP_FULL)
		te->map |= (uint32_t)!te->cur.taken << te->branches++;
}

/* Is the target in the cache? Where it is not, it is from now on. */
bool hwf_te_cache_lookup(struct hwf_te *te, uint64_t address, uint32_t *index)
{
	*index = te_index(te, address, te_params(te)->cache_size_p);
	if (te->cache[*index] == address)
		return true;
	te->cache[*index] = address;
	return false;
}

static uint32_t te_stack_size(const struct hwf_te *te)
{
	const struct hwf_riscv_params *params = te_params(te);

	return 1u << (params->return_stack_size_p ? params->return_stack_size_p
						  : params->call_counter_size_p);
}

static void te_push(struct hwf_te *te, uint64_t link)
{
	uint32_t size = te_stack_size(te);

	te->ret_since_call = false;
	te->branch_since_ret = false;
	te->top = (te->top + 1) % size;
	if (te->stack)
		te->stack[te->top] = link;
	if (te->depth < size)
		te->depth++;
}

/*
 * A return. With a call counter it is implied by any call that is open; with a stack its target has
 * to be the one expected, else it is reported and the stack left as it is, in the decoder too. With
 * irets (RISCV_IRETS) one is reported where no more can be counted, and where the stack is empty
 * with some that were implied.
 */
static bool te_return_is_implied(struct hwf_te *te, const struct te_item *next)
{
	uint32_t size = te_stack_size(te);

	if (!te->depth) {
		te->cur.irfail = te_params(te)->irets && te->irets;
		return false;
	}
	if (te->stack && te->stack[te->top] != next->address) {
		te->cur.irfail = true;
		return false;
	}
	te->top = (te->top + size - 1) % size;
	te->depth--;
	if (te_params(te)->irets && te->irets == TE_IRETS_MAX) {
		te->cur.irfail = true;
		return false;
	}
	te->irets++;
	te->ret_since_call = true;
	te->branch_since_ret = false;
	te->cur.ir_implied = true;
	return true;
}

bool hwf_te_return_fails(const struct hwf_te *te, const struct te_item *next)
{
	const struct hwf_riscv_params *params = te_params(te);

	return params->irets && params->implicit_return && te->cur.returns && te->cur.retired &&
	       next->qualified && te->depth &&
	       (te->irets == TE_IRETS_MAX || (te->stack && te->stack[te->top] != next->address));
}

/* Execution goes on from the current instruction: is its successor to be reported? */
void hwf_te_leave(struct hwf_te *te, const struct te_item *next)
{
	const struct hwf_riscv_params *params = te_params(te);
	struct te_item *cur = &te->cur;

	cur->updiscon = cur->uninferable;
	if (!cur->qualified || !cur->retired || te_is_draft(te))
		return;
	if (cur->branch)
		te->irets = 0;
	/* the instruction before it has to be traced, too (RISCV_SIJUMP) */
	if (params->sijump_p && cur->sijump && te->prev.qualified && te->prev.retired &&
	    !te->resume)
		cur->updiscon = false;
	else if (params->implicit_return && cur->returns && te_return_is_implied(te, next))
		cur->updiscon = false;
	if (params->implicit_return && cur->call)
		te_push(te, cur->link);
}
