/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Walking outcomes through the chains of the graph of ranges. */
#ifndef HWF_FAST_CHAINS_H
#define HWF_FAST_CHAINS_H

#include "decode/follower.h"
#include "fast/graph_private.h"

/* Four words of a vector register; on a little-endian processor two words are a step of struct
 * hwf_steps */
typedef uint32_t hwf_four __attribute__((vector_size(16), aligned(4), may_alias));

_Static_assert(HWF_CHAIN_STEPS == 4, "steps of a chain are taken as four");

/* HWF_OUTCOMES - the most outcomes that one walk takes */
#define HWF_OUTCOMES 64u
/* HWF_OFFSETS - room for the offsets of their packets, which are written four at a time */
#define HWF_OFFSETS (HWF_OUTCOMES + 8u)

/* Write the offset of an Atom packet for each of its outcomes, in whole groups of four. */
static inline void hwf_offsets_put(uint32_t *offsets, uint32_t count, uint32_t offset)
{
	const hwf_four four = {offset, offset, offset, offset};

	*(hwf_four *)offsets = four;
	if (__builtin_expect(count > 4, 0))
		for (uint32_t i = 4; i < count; i += 4)
			*(hwf_four *)(offsets + i) = four;
}

/* What the decoder gives its follower */
extern const struct hwf_follower_graph hwf_flow_by_graph;

/* Give the waiting steps of the graph, which are before any event. */
void hwf_flow_give_steps(struct hwf_follower *follower);

/* Interrupt counting for an event: the last counted range is given and not counted. */
void hwf_flow_interrupt_counting(struct hwf_follower *follower, uint64_t offset);

/* Walk one chain with everything it needs: it may be new, or end early, or push calls. *@taken: in:
 * the outcomes in @outcomes; out: how many were walked */
uint32_t hwf_flow_walk_chain(struct hwf_follower *follower, uint32_t node, uint32_t outcomes,
			     const uint32_t *offset, uint32_t *taken);

/* Ranges are counted from a step on: give HWF_FLOW_COUNTED. */
void hwf_flow_begin_counting(struct hwf_follower *follower, uint32_t step, uint32_t offset);

/*
 * Makes the node that hwf_graph_find_joined() looks for; HWF_NODE_NONE where there is no room for
 * it, or the plain walk has to say what is wrong.
 */
uint32_t hwf_flow_join(struct hwf_follower *follower, uint32_t from, uint64_t address);

/* Is there room for the nodes of a chain, so that a walk does not flush the graph? */
bool hwf_flow_has_room(const struct hwf_follower *follower);

/* Walk one outcome without the graph; @corrected: it was traced as the other outcome */
void hwf_flow_step(struct hwf_follower *follower, uint32_t node, uint64_t offset, bool taken,
		   bool corrected);

/* Store the node where execution is, and its address; HWF_NODE_NONE: the follower has the address.
 */
void hwf_flow_leave(struct hwf_follower *follower, uint32_t number);

/*
 * The node where execution is, if @node is HWF_NODE_NONE: found or added. HWF_NODE_NONE if only the
 * plain walk can go on.
 */
uint32_t hwf_flow_here(struct hwf_follower *follower, uint32_t node);

/* The stored node; HWF_NODE_NONE if there is none */
static inline uint32_t hwf_flow_resume(const struct hwf_follower *follower)
{
	return follower->node_flushes == follower->graph->flushes ? follower->number
								  : HWF_NODE_NONE;
}

/*
 * An address comes after a counted range that ends with a jump. If the same jump was counted
 * before, count it and return the node at the address; else HWF_NODE_NONE.
 */
static inline uint32_t hwf_flow_repeat_jump(struct hwf_follower *follower,
					    struct hwf_el_address address)
{
	const struct hwf_graph *graph = follower->graph;
	const uint32_t behind = graph->behind[follower->last_chain];
	const uint64_t packed = address.value | address.is;
	struct hwf_jump *jump;
	uint32_t from;

	if (follower->last_jump || behind >> 29 != (HWF_CHAIN_ENDS | HWF_CHAIN_JUMPS) >> 29)
		return HWF_NODE_NONE;
	from = HWF_STEP_NODE(graph->steps[follower->last_chain][HWF_CHAIN_NODE(behind) - 1]);
	jump = hwf_jump_place(graph, from, packed);
	if (jump->address != packed || jump->from != from || !jump->uses)
		return HWF_NODE_NONE;
	jump->uses += jump->to != HWF_NODE_NONE;
	follower->last_jump = jump->to ? jump : NULL;
	return jump->to;
}

/*
 * Continue at an address of the trace. Return: the node there, HWF_NODE_NONE if there is none yet.
 * With branch broadcasting it is mostly the node that the chain led to.
 */
static inline uint32_t hwf_flow_go_to(struct hwf_follower *follower, uint32_t node,
				      struct hwf_el_address address)
{
	const struct hwf_graph *graph = follower->graph;
	uint32_t to;

	if (node && hwf_node_is(&graph->nodes[node], follower->space, address.value,
				hwf_flow_isa(&follower->context, address.is))) {
		follower->push_awaits &= (uint8_t)~HWF_PUSH_AWAITS_ADDRESS;
		return node;
	}
	if (!node && follower->last_is_counted) {
		to = hwf_flow_repeat_jump(follower, address);
		if (to) {
			hwf_flow_put_pc(follower, address);
			return to;
		}
	}
	hwf_flow_set_pc(follower, address);
	if (!follower->has_context)
		return HWF_NODE_NONE;
	to = hwf_graph_find(graph, follower->space, follower->pc, follower->isa);
	if (follower->last_is_counted && follower->last_jump)
		follower->last_jump->to = to;
	return to;
}

/* Offsets of the next steps are relative to @offset, which is not larger than any of them. */
static inline void hwf_flow_begin_steps(struct hwf_follower *follower, uint64_t offset)
{
	hwf_flow_give_steps(follower);
	follower->steps_offset = offset;
}

/* Make room for the steps of one walk. */
static inline void hwf_flow_open_steps(struct hwf_follower *follower)
{
	if (__builtin_expect(follower->graph->given_count > HWF_STEPS_MOST, 0))
		hwf_flow_give_steps(follower);
}

/* Give the steps of a chain; or count one use of it. */
static inline void hwf_flow_give_chain(struct hwf_follower *follower, size_t chain, uint32_t count,
				       const uint32_t *offset)
{
	struct hwf_graph *graph = follower->graph;
	hwf_four *const given = (hwf_four *)(graph->given + graph->given_count);
	const hwf_four steps = *(const hwf_four *)graph->steps[chain];
	const hwf_four offsets = *(const hwf_four *)offset;

	if (follower->counting) {
		if (__builtin_expect(!follower->last_is_counted, 0))
			hwf_flow_begin_counting(follower, graph->steps[chain][0], *offset);
		hwf_graph_use(graph, chain);
		follower->last_chain = chain;
		follower->last_jump = NULL;
		return;
	}
	/* four steps are always written: that is faster than a branch on their number */
	given[0] = __builtin_shufflevector(steps, offsets, 0, 4, 1, 5);
	given[1] = __builtin_shufflevector(steps, offsets, 2, 6, 3, 7);
	graph->given_count += count;
}

/*
 * struct hwf_outcomes - outcomes to be walked
 * @bits: the oldest in bit 0; 1: taken, or executed if it is not a branch
 * @left: how many are left
 * @offset: offset of the packet of each, relative to the follower's steps_offset
 */
struct hwf_outcomes {
	uint64_t bits;
	uint32_t left;
	const uint32_t *offset;
};

/* The next outcomes in the form of HWF_CHAIN(), at most HWF_CHAIN_STEPS */
static inline uint32_t hwf_outcomes_next(const struct hwf_outcomes *outcomes)
{
	const uint32_t most = outcomes->left < HWF_CHAIN_STEPS ? outcomes->left : HWF_CHAIN_STEPS;
	const uint32_t above = 1u << most;

	return above | (uint32_t)(outcomes->bits & (above - 1));
}

static inline void hwf_outcomes_shift(struct hwf_outcomes *outcomes, uint32_t count)
{
	outcomes->bits >>= count;
	outcomes->offset += count;
	outcomes->left -= count;
}

/*
 * Walk chains from a node on, as long as they are known and give only steps. Return: the node after
 * them. Call hwf_flow_begin_steps() and hwf_flow_open_steps() before.
 */
static inline uint32_t hwf_flow_walk_known(struct hwf_follower *follower, uint32_t node,
					   struct hwf_outcomes *outcomes)
{
	const uint32_t *const behind = follower->graph->behind;

	while (outcomes->left) {
		const uint32_t left = outcomes->left;
		const size_t chain = HWF_CHAIN(node, hwf_outcomes_next(outcomes));
		const uint32_t next = behind[chain];
		uint32_t count = left < HWF_CHAIN_STEPS ? left : HWF_CHAIN_STEPS;

		if (__builtin_expect(next - 1 < HWF_CHAIN_JUMPS - 1, 1)) {
			hwf_flow_give_chain(follower, chain, count, outcomes->offset);
			node = next;
		} else if (next >> 29 == (HWF_CHAIN_ENDS | HWF_CHAIN_JUMPS) >> 29) {
			/* the chain has no call, and an address has to come next */
			count = HWF_CHAIN_NODE(next);
			hwf_flow_give_chain(follower, chain, count, outcomes->offset);
			node = HWF_NODE_NONE;
			follower->number = HWF_NODE_NONE;
			follower->has_pc = false;
			follower->pop_pending = follower->config->return_stack;
		} else {
			break;
		}
		hwf_outcomes_shift(outcomes, count);
	}
	return node;
}

/*
 * Walk all outcomes from a node on. Return: the node after them; HWF_NODE_NONE if the follower has
 * the address, or none is known. Arguments as for struct hwf_outcomes and hwf_flow_walk_known()
 */
static inline uint32_t hwf_flow_walk(struct hwf_follower *follower, uint32_t node, uint64_t bits,
				     uint32_t left, const uint32_t *offset)
{
	struct hwf_outcomes outcomes = {.bits = bits, .left = left, .offset = offset};

	for (;;) {
		uint32_t count;

		node = hwf_flow_walk_known(follower, node, &outcomes);
		if (!outcomes.left)
			return node;
		count = outcomes.left < HWF_CHAIN_STEPS ? outcomes.left : HWF_CHAIN_STEPS;
		node = hwf_flow_walk_chain(follower, node, hwf_outcomes_next(&outcomes),
					   outcomes.offset, &count);
		hwf_outcomes_shift(&outcomes, count);
	}
}

/* Give a cycle count, between steps; @offset as of steps */
static inline void hwf_flow_give_cycles(struct hwf_follower *follower, uint32_t offset,
					uint32_t cycles)
{
	struct hwf_graph *graph = follower->graph;

	if (follower->counting)
		return;
	hwf_flow_open_steps(follower);
	graph->given[graph->given_count++] = (uint64_t)offset << 32 | HWF_STEP_CYCLES;
	graph->given[graph->given_count++] = cycles;
}

#endif /* HWF_FAST_CHAINS_H */
