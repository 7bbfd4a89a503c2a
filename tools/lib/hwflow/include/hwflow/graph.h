/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The graph of a program's ranges: each range once, the ranges that follow it, and chains: what
 * several outcomes of P0 instructions in a row lead through. A trace is walked chain by chain.
 */
#ifndef HWFLOW_GRAPH_H
#define HWFLOW_GRAPH_H

#include <stddef.h>

#include "hwflow/first.h"
#include "hwflow/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** HWF_NODE_NONE - no node: 0 is the number of none */
#define HWF_NODE_NONE 0u

/**
 * struct hwf_node - one range of instructions
 * @start: address of the first instruction
 * @end: address after the last
 * @instructions: how many
 * @isa: enum hwf_isa
 * @n_is_possible: the last instruction may be not taken
 * @p0: the last instruction is a P0 instruction; always true in the graph of an ETE
 * @limit: ETMv3: the range has at most this many instructions; 0: only a P0 instruction ends it
 * @insn: the last instruction
 * @space: address space
 * @after: number of the node that is executed next: [0] when the last instruction is not taken,
 *	[1] when it is; HWF_NODE_NONE while not known, and where an address or a gap comes first
 * @next: in the same bucket
 *
 * Members up to @insn lie where those of struct hwf_flow_range do, so that one copy makes a range.
 */
struct hwf_node {
	uint64_t start;
	uint64_t end;
	uint32_t instructions;
	uint8_t isa;
	bool n_is_possible;
	bool p0;
	uint8_t limit;
	struct hwf_insn insn;
	const void *space;
	uint32_t after[2];
	uint32_t next;
};

/** HWF_STEP() - the low 32 bits of a step: a node was executed, and its last instruction taken? */
#define HWF_STEP(node, taken) ((uint32_t)(node) << 1 | (uint32_t)(taken))
/** HWF_STEP_NODE() - number of the node of a step; HWF_NODE_NONE: see struct hwf_steps */
#define HWF_STEP_NODE(step) ((uint32_t)(step) >> 1)
/** HWF_STEP_TAKEN() - was its last instruction taken, or executed where it is no branch? */
#define HWF_STEP_TAKEN(step) ((step) & 1)
/** HWF_STEP_OFFSET() - offset of its packet, less that of struct hwf_steps */
#define HWF_STEP_OFFSET(step) ((step) >> 32)

/** HWF_STEP_CYCLES - no range but a cycle count, the low half of the next word */
#define HWF_STEP_CYCLES HWF_STEP(HWF_NODE_NONE, 0)

struct hwf_graph;
struct hwf_memo;

/**
 * struct hwf_steps - ranges that were executed one after the other, and what stands between them
 * @graph: the nodes
 * @offset: where offsets of the steps count from
 * @step: HWF_STEP() in the low half, the offset in the high half; behind a step of HWF_NODE_NONE
 *	stands a word whose low half is a cycle count
 * @count: words of @step
 *
 * The nodes are valid during the call only: another call may be of other nodes by the same numbers,
 * if @graph->flushes has changed.
 */
struct hwf_steps {
	const struct hwf_graph *graph;
	uint64_t offset;
	const uint64_t *step;
	size_t count;
};

/** HWF_CHAIN_STEPS - a chain has at most so many steps */
#define HWF_CHAIN_STEPS 4u

/**
 * HWF_CHAIN() - number of a chain: where outcomes lead from a node
 * @node: the first
 * @outcomes: of one to HWF_CHAIN_STEPS P0 instructions, a bit each, the oldest in bit 0, with a 1
 *	above the youngest
 */
#define HWF_CHAIN(node, outcomes) ((size_t)(node) << (HWF_CHAIN_STEPS + 1) | (outcomes))

/** HWF_CHAINS - numbers of chains of one node; the first two stand for none */
#define HWF_CHAINS (1u << (HWF_CHAIN_STEPS + 1))

/** HWF_CHAIN_CALLS - bit of what is behind a chain: a taken call is in it, with a return stack */
#define HWF_CHAIN_CALLS 0x80000000u
/**
 * HWF_CHAIN_ENDS - bit of what is behind a chain: no node; an address has to come first, or no code
 * is known there. In place of the node stands how many steps the chain has, which may be fewer than
 * its outcomes.
 */
#define HWF_CHAIN_ENDS 0x40000000u
/** HWF_CHAIN_JUMPS - bit beside HWF_CHAIN_ENDS: it ends with an indirect branch, no exception
 * return */
#define HWF_CHAIN_JUMPS 0x20000000u
/** HWF_CHAIN_NODE() - the node behind a chain, or the number of its steps with HWF_CHAIN_ENDS */
#define HWF_CHAIN_NODE(behind) ((behind) & 0x1fffffffu)

/** HWF_STEPS_MOST - words of steps that are given at once, at most */
#define HWF_STEPS_MOST 2048u
/** HWF_STEPS_ROOM - words behind them that may be written, too */
#define HWF_STEPS_ROOM 128u

/**
 * struct hwf_jump - an indirect branch that went to an address
 * @address: where, IS in bit 0
 * @uses: how often, as far as this was counted
 * @from: the node that ends with it; HWF_NODE_NONE: no jump
 * @to: the node at @address; HWF_NODE_NONE while not known
 * @listed: it is among those of struct hwf_counts
 */
struct hwf_jump {
	uint64_t address;
	uint64_t uses;
	uint32_t from;
	uint32_t to;
	bool listed;
};

/** HWF_COUNT_LISTED - bit of each count that is listed */
#define HWF_COUNT_LISTED (UINT64_C(1) << 63)
/** HWF_COUNT() - a count without it */
#define HWF_COUNT(count) ((count) & ~HWF_COUNT_LISTED)

/**
 * struct hwf_counts - what was counted in place of steps, since hwf_graph_clear_counts()
 * @of: by HWF_STEP(): how often that was executed, as HWF_COUNT(); 0 if it is not listed
 * @steps: those that are listed
 * @step_count: how many
 * @jumps: numbers of jumps that were counted
 * @jump_count: how many
 * @chains: chains whose @uses were not added yet
 * @chain_count: how many
 * @first: by number of a node: its first execution
 * @latest: that of the node that came last, and the time now: of the profile that receives the
 *	counts; NULL: @first is not set
 */
struct hwf_counts {
	uint64_t *of;
	uint32_t *steps;
	uint32_t step_count;
	uint32_t *jumps;
	uint32_t jump_count;
	uint32_t *chains;
	uint32_t chain_count;
	struct hwf_first *first;
	struct hwf_first *latest;
};

/**
 * struct hwf_graph - nodes and chains; memory is the caller's
 * @nodes: by number
 * @buckets: first node of each bucket
 * @behind: what is behind each chain: a node, with the bits above; 0: not known yet. NULL: the
 *	graph has no chains
 * @steps: HWF_STEP() of each chain
 * @uses: times that each chain was walked and not given as steps
 * @jumps: in no order
 * @counts: see hwf_graph_settle_counts()
 * @given: steps that wait to be given
 * @given_count: how many words
 * @size: nodes there is room for
 * @used: nodes there are, HWF_NODE_NONE included
 * @jumps_used: jumps there are
 * @bits: logarithm of @size
 * @flushes: how often all was forgotten
 * @memo: what bytes of trace led to before (private to the library); NULL without chains
 *
 * It holds what it is told and no more: when it is full it forgets everything. Fields are the
 * library's; a caller may read them.
 */
struct hwf_graph {
	struct hwf_node *nodes;
	uint32_t *buckets;
	uint32_t *behind;
	uint32_t (*steps)[HWF_CHAIN_STEPS];
	uint32_t *uses;
	struct hwf_jump *jumps;
	struct hwf_counts counts;
	uint64_t *given;
	uint32_t given_count;
	uint32_t size;
	uint32_t used;
	uint32_t jumps_used;
	uint32_t bits;
	uint32_t flushes;
	struct hwf_memo *memo;
};

/**
 * hwf_graph_bytes() - memory a graph takes
 * @size: nodes it can hold, a power of two, 64 to 2^24
 */
size_t hwf_graph_bytes(uint32_t size);

/**
 * hwf_graph_init() - begin with no node
 * @graph: to initialise
 * @memory: hwf_graph_bytes() bytes, all 0, aligned as for a pointer; must outlive @graph
 * @size: nodes it can hold, as for hwf_graph_bytes()
 *
 * No more of @memory is touched than is used.
 */
void hwf_graph_init(struct hwf_graph *graph, void *memory, uint32_t size);

/**
 * hwf_graph_nodes_bytes() - memory that a graph without chains and counts takes
 * @size: nodes it can hold, a power of two, 2 to 2^24
 *
 * The decoders of ETMv3 and RISC-V walk from node to node and make no chains.
 */
size_t hwf_graph_nodes_bytes(uint32_t size);

/**
 * hwf_graph_init_nodes() - begin with no node, and without chains and counts
 * @graph: to initialise
 * @memory: hwf_graph_nodes_bytes() bytes of any content, aligned as for a pointer; must outlive
 *	@graph
 * @size: nodes it can hold, as for hwf_graph_nodes_bytes()
 */
void hwf_graph_init_nodes(struct hwf_graph *graph, void *memory, uint32_t size);

/**
 * hwf_graph_flush() - forget everything: the program code has changed
 * @graph: the graph; no decoder may hold steps of it that were not given
 */
void hwf_graph_flush(struct hwf_graph *graph);

/**
 * hwf_graph_settle_counts() - make @graph->counts complete
 * @graph: the graph
 *
 * Afterwards @graph->counts.of and the jumps say all that was counted and not given as steps.
 */
void hwf_graph_settle_counts(struct hwf_graph *graph);

/** hwf_graph_clear_counts() - begin to count anew, after hwf_graph_settle_counts() */
void hwf_graph_clear_counts(struct hwf_graph *graph);

/** hwf_graph_node() - a node by its number, which is not HWF_NODE_NONE */
static inline const struct hwf_node *hwf_graph_node(const struct hwf_graph *graph, uint32_t number)
{
	return &graph->nodes[number];
}

/** hwf_node_to_range() - a node as it was executed; all of a range but @each */
static inline void hwf_node_to_range(const struct hwf_node *node, bool taken,
				     struct hwf_flow_range *range)
{
	__builtin_memcpy(range, node, offsetof(struct hwf_flow_range, each));
	range->taken = taken;
	range->cycles = 0;
}

/** hwf_node_range() - a node as it was executed: with its last instruction taken or not */
static inline struct hwf_flow_range hwf_node_range(const struct hwf_node *node, bool taken)
{
	struct hwf_flow_range range;

	hwf_node_to_range(node, taken, &range);
	range.each = NULL;
	return range;
}

/**
 * hwf_steps_event() - a step as HWF_FLOW_RANGE, or a cycle count as HWF_FLOW_CYCLE_COUNT
 * @steps: the steps
 * @at: number of the word of the step
 * @event: receives it
 *
 * Return: the number of the word after it.
 */
static inline size_t hwf_steps_event(const struct hwf_steps *steps, size_t at,
				     struct hwf_flow_event *event)
{
	const uint32_t step = (uint32_t)steps->step[at];

	event->offset = steps->offset + HWF_STEP_OFFSET(steps->step[at]);
	if (step == HWF_STEP_CYCLES) {
		event->kind = HWF_FLOW_CYCLE_COUNT;
		event->u.cycle_count =
			(struct hwf_el_cycle_count){.count = (uint32_t)steps->step[++at]};
	} else {
		event->kind = HWF_FLOW_RANGE;
		event->u.range = hwf_node_range(hwf_graph_node(steps->graph, HWF_STEP_NODE(step)),
						HWF_STEP_TAKEN(step));
	}
	return at + 1;
}

/**
 * hwf_steps_each() - give steps one by one, as HWF_FLOW_RANGE and HWF_FLOW_CYCLE_COUNT
 * @steps: the steps
 * @sink: takes each
 * @ctx: its first argument
 */
void hwf_steps_each(const struct hwf_steps *steps, hwf_flow_fn *sink, void *ctx);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_GRAPH_H */
