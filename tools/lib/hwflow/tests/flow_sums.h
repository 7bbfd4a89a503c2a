/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Sums of program flow that are the same whether ranges are given or counted. */
#ifndef HWF_FLOW_SUMS_H
#define HWF_FLOW_SUMS_H

#include "hwflow/graph.h"
#include "hwflow/profile.h"

/*
 * Sums over ranges, and over branches that were taken with where they went, whatever their order:
 * to the next instruction, or to the target of a direct branch if that is not known. And the other
 * events but cycle counts, which are not given while ranges are counted, in a sum in
 * which the order counts
 */
struct sums {
	uint64_t ranges;
	uint64_t jumps;
	uint64_t events;
	uint64_t pending; /* end of a range that ends with a taken branch, if @is_pending */
	uint64_t target;  /* of that, if @is_direct */
	bool is_pending;
	bool is_direct;
};

static inline uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
	return (a ^ a >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

static inline void arrive(struct sums *sums, uint64_t address)
{
	if (sums->is_pending)
		sums->jumps += mix(sums->pending, address);
	sums->is_pending = false;
}

/* What comes next does not show where the branch went. */
static inline void leave(struct sums *sums)
{
	if (sums->is_direct)
		arrive(sums, sums->target);
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
		sums->is_direct = range->insn.kind == HWF_INSN_DIRECT;
		sums->is_pending = range->p0 && range->taken &&
				   (sums->is_direct || range->insn.kind == HWF_INSN_INDIRECT);
		sums->pending = range->end;
		sums->target = range->insn.target;
		return;
	case HWF_FLOW_COUNTED:
		arrive(sums, event->u.address);
		return;
	case HWF_FLOW_CYCLE_COUNT:
		return;
	case HWF_FLOW_EXCEPTION:
		if (event->u.exception.ret_is_target && event->u.exception.has_ret)
			arrive(sums, event->u.exception.ret);
		leave(sums);
		break;
	case HWF_FLOW_TRACE_ON:
	case HWF_FLOW_NO_SYNC:
	case HWF_FLOW_GAP:
	case HWF_FLOW_TRAP:
	case HWF_FLOW_Q_RANGE:
	case HWF_FLOW_END:
		leave(sums);
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

/* What a profile counted */
static inline void add_profile(struct sums *sums, const struct hwf_profile *profile)
{
	const struct hwf_profile_block *block;
	struct hwf_profile_edge edge;
	size_t at = 0;

	while ((block = hwf_profile_next_block(profile, &at))) {
		const uint64_t number = mix(mix(block->start, block->end), block->instructions);

		sums->ranges += block->taken * mix(number, true);
		sums->ranges += block->not_taken * mix(number, false);
	}
	at = 0;
	while (hwf_profile_next_edge(profile, &at, &edge))
		sums->jumps += edge.count * mix(edge.from + edge.insn.size, edge.to);
}

/* The same as a function that the follower calls before it forgets */
static inline void add_counts(void *ctx, struct hwf_graph *graph)
{
	add_ranges(ctx, graph);
	hwf_graph_clear_counts(graph);
}

#endif /* HWF_FLOW_SUMS_H */
