/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Sums of program flow that are the same whether ranges are given or counted. */
#ifndef HWF_FLOW_SUMS_H
#define HWF_FLOW_SUMS_H

#include "hwflow/graph.h"

/*
 * Sums over ranges, and over branches that were taken with where they went, whatever their order;
 * and the other events but cycle counts, which are not given while ranges are counted, in a sum in
 * which the order counts
 */
struct sums {
	uint64_t ranges;
	uint64_t jumps;
	uint64_t events;
	uint64_t pending; /* end of a range that ends with a taken branch, if @is_pending */
	bool is_pending;
};

static inline uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
	return (a ^ a >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

static inline bool is_branch(const struct hwf_insn *insn)
{
	return insn->kind == HWF_INSN_DIRECT || insn->kind == HWF_INSN_INDIRECT;
}

static inline void arrive(struct sums *sums, uint64_t address)
{
	if (sums->is_pending)
		sums->jumps += mix(sums->pending, address);
	sums->is_pending = false;
}

static inline void add_event(void *ctx, const struct hwf_flow_event *event)
{
	const struct hwf_flow_range *range = &event->u.range;
	struct sums *sums = ctx;

	switch (event->kind) {
	case HWF_FLOW_RANGE:
		arrive(sums, range->start);
		sums->ranges +=
			mix(mix(mix(range->start, range->end), range->instructions), range->taken);
		sums->is_pending = range->p0 && range->taken && is_branch(&range->insn);
		sums->pending = range->end;
		return;
	case HWF_FLOW_COUNTED:
		arrive(sums, event->u.address);
		return;
	case HWF_FLOW_CYCLE_COUNT:
		return;
	case HWF_FLOW_TRACE_ON:
	case HWF_FLOW_NO_SYNC:
	case HWF_FLOW_GAP:
	case HWF_FLOW_EXCEPTION:
	case HWF_FLOW_END:
		sums->is_pending = false;
		break;
	default:
		break;
	}
	sums->events = mix(sums->events + event->kind, event->offset);
}

/* What the graph counted */
static inline void add_ranges(struct sums *sums, const struct hwf_graph *graph)
{
	const struct hwf_counts *counts = &graph->counts;

	for (uint32_t i = 0; i < counts->step_count; i++) {
		const uint32_t step = counts->steps[i];
		const struct hwf_node *node = hwf_graph_node(graph, HWF_STEP_NODE(step));

		sums->ranges += HWF_COUNT(counts->of[step]) *
				mix(mix(mix(node->start, node->end), node->instructions),
				    HWF_STEP_TAKEN(step));
		if (HWF_STEP_TAKEN(step) && node->insn.kind == HWF_INSN_DIRECT)
			sums->jumps +=
				HWF_COUNT(counts->of[step]) * mix(node->end, node->insn.target);
	}
	for (uint32_t i = 0; i < counts->jump_count; i++) {
		const struct hwf_jump *jump = &graph->jumps[counts->jumps[i]];
		const struct hwf_node *from = hwf_graph_node(graph, jump->from);

		sums->jumps += jump->uses * mix(from->end, jump->address & ~UINT64_C(1));
	}
}

/* The same as a function that the follower calls before it forgets */
static inline void add_counts(void *ctx, struct hwf_graph *graph)
{
	add_ranges(ctx, graph);
	hwf_graph_clear_counts(graph);
}

#endif /* HWF_FLOW_SUMS_H */
