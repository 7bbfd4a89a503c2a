/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Looking up nodes and jumps, and adding nodes. */
#ifndef HWF_FAST_GRAPH_PRIVATE_H
#define HWF_FAST_GRAPH_PRIVATE_H

#include "hwflow/graph.h"

/* The product spreads neighbours over all buckets. */
static inline uint32_t hwf_graph_bucket(const struct hwf_graph *graph, uint64_t address)
{
	return (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> (64 - graph->bits));
}

/* Is it the node of an address? The three comparisons are one branch. */
static inline bool hwf_node_is(const struct hwf_node *node, const void *space, uint64_t address,
			       uint8_t isa)
{
	return !((node->start ^ address) | ((uintptr_t)node->space ^ (uintptr_t)space) |
		 (uint64_t)(node->isa ^ isa));
}

/* The node at an address; HWF_NODE_NONE if there is none yet. Nearly always it is the first. */
static inline uint32_t hwf_graph_find(const struct hwf_graph *graph, const void *space,
				      uint64_t address, uint8_t isa)
{
	uint32_t number = graph->buckets[hwf_graph_bucket(graph, address)];

	while (number && !hwf_node_is(&graph->nodes[number], space, address, isa))
		number = graph->nodes[number].next;
	return number;
}

/* The bucket of the node at an address that has at most @limit instructions, or of the one that has
 * no limit with 0
 */
static inline uint32_t hwf_graph_limited_bucket(const struct hwf_graph *graph, uint64_t address,
						uint32_t limit)
{
	return hwf_graph_bucket(graph, address ^ (uint64_t)limit << 40);
}

/* hwf_graph_find() of the node that has at most @limit instructions */
static inline uint32_t hwf_graph_find_limited(const struct hwf_graph *graph, const void *space,
					      uint64_t address, uint8_t isa, uint32_t limit)
{
	uint32_t number = graph->buckets[hwf_graph_limited_bucket(graph, address, limit)];

	/* as hwf_node_is(), one question */
	while (number && ((graph->nodes[number].start ^ address) |
			  ((uintptr_t)graph->nodes[number].space ^ (uintptr_t)space) |
			  (uint64_t)(graph->nodes[number].isa ^ isa) |
			  (uint64_t)(graph->nodes[number].limit ^ limit)))
		number = graph->nodes[number].next;
	return number;
}

/* Steps of a chain that is known */
uint32_t hwf_graph_steps_of(const struct hwf_graph *graph, size_t chain);

/* Count a use of a chain that is the first, or whose number of uses is the largest possible */
void hwf_graph_first_use(struct hwf_graph *graph, size_t chain);

/* Count one use of a chain. */
static inline void hwf_graph_use(struct hwf_graph *graph, size_t chain)
{
	if (__builtin_expect(++graph->uses[chain] <= 1, 0))
		hwf_graph_first_use(graph, chain);
}

/* A step is executed that is counted: note it if its node is new. */
void hwf_graph_execute(struct hwf_graph *graph, uint32_t step);

/* Count a step so often more; modulo 2^63, as what is taken back may be counted later. */
void hwf_graph_count(struct hwf_graph *graph, uint32_t step, uint64_t times);

/* Subtract one use of a step, which is given instead. */
void hwf_graph_take_back(struct hwf_graph *graph, uint32_t step);

static inline struct hwf_jump *hwf_jump_place(const struct hwf_graph *graph, uint32_t from,
					      uint64_t address)
{
	return &graph->jumps[(address ^ (uint64_t)from << 40) * UINT64_C(0x9e3779b97f4a7c15) >>
			     (64 - graph->bits)];
}

/* Places that a jump may be in, from that on; a jump is found before the first that is free */
#define HWF_JUMP_PLACES 8u

/* The entry of a jump, which may be new and is not listed then; NULL where there is no room for it
 */
struct hwf_jump *hwf_graph_jump_entry(struct hwf_graph *graph, uint32_t from, uint64_t address);

/* Count a jump, by its index, so often more. */
void hwf_graph_count_jump(struct hwf_graph *graph, uint32_t number, uint64_t times);

/* A jump that was not counted yet, or is new; NULL where there is no room for it */
struct hwf_jump *hwf_graph_first_jump(struct hwf_graph *graph, uint32_t from, uint64_t address);

/* Counts a jump; returns it, NULL where there is no room for a new one. */
static inline struct hwf_jump *hwf_graph_jump(struct hwf_graph *graph, uint32_t from,
					      uint64_t address)
{
	struct hwf_jump *jump = hwf_jump_place(graph, from, address);

	for (uint32_t i = 0; i < HWF_JUMP_PLACES && jump[i].from; i++)
		if (!((jump[i].address ^ address) | (uint64_t)(jump[i].from ^ from)))
			return jump[i].uses && jump[i].uses++
				       ? &jump[i]
				       : hwf_graph_first_jump(graph, from, address);
	return hwf_graph_first_jump(graph, from, address);
}

/* HWF_JOINED - in @from of struct hwf_jump: no jump, but ranges that a Source Address joins */
#define HWF_JOINED 0x80000000u

/*
 * The node of the range that a Source Address ends: from the start of the node @from to the P0
 * instruction at @address, past others that are not taken. Where there are such, it is a node of
 * its own, which has no bucket; HWF_NODE_NONE while there is none yet.
 */
static inline uint32_t hwf_graph_find_joined(const struct hwf_graph *graph, uint32_t from,
					     uint64_t address)
{
	const struct hwf_node *node = &graph->nodes[from];
	const struct hwf_jump *jump;

	if (node->end - node->insn.size == address)
		return from;
	jump = hwf_jump_place(graph, from | HWF_JOINED, address);
	return jump->address == address && jump->from == (from | HWF_JOINED) ? jump->to
									     : HWF_NODE_NONE;
}

/* Adds a node; there has to be room. @limit: of struct hwf_node */
uint32_t hwf_graph_add(struct hwf_graph *graph, const void *space, uint64_t address, uint8_t isa,
		       uint32_t limit, const struct hwf_run *run);

/* Room for so many more nodes? */
static inline bool hwf_graph_has_room(const struct hwf_graph *graph, uint32_t nodes)
{
	return graph->used + nodes <= graph->size;
}

#endif /* HWF_FAST_GRAPH_PRIVATE_H */
