/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The counts of a graph, added to a profile. */
#include "hwflow/graph.h"
#include "profile/profile_private.h"

static void fill_block(struct hwf_profile_block *block, const struct hwf_graph *graph,
		       uint32_t number)
{
	const struct hwf_node *node = hwf_graph_node(graph, number);

	*block = (struct hwf_profile_block){
		.start = node->start,
		.end = node->end,
		.space = node->space,
		.insn = node->insn,
		.taken = HWF_COUNT(graph->counts.of[HWF_STEP(number, 1)]),
		.not_taken = HWF_COUNT(graph->counts.of[HWF_STEP(number, 0)]),
		.first = graph->counts.first[number],
		.instructions = node->instructions,
		.isa = node->isa,
		.p0 = node->p0,
	};
}

static void fill_edge(struct hwf_profile_edge *edge, const struct hwf_graph *graph,
		      const struct hwf_jump *jump)
{
	const struct hwf_node *node = hwf_graph_node(graph, jump->from);

	*edge = (struct hwf_profile_edge){
		.from = node->end - node->insn.size,
		.to = jump->address & ~UINT64_C(1),
		.from_space = node->space,
		.to_space = node->space,
		.count = jump->uses,
		.insn = node->insn,
	};
}

static void append_blocks(struct hwf_profile *profile, const struct hwf_graph *graph)
{
	const struct hwf_counts *counts = &graph->counts;

	for (uint32_t i = 0; i < counts->step_count; i++) {
		const uint32_t step = counts->steps[i];
		struct hwf_profile_block *block;

		/* a node of which both steps are listed is one block */
		if (HWF_STEP_TAKEN(step) && counts->of[step - 1])
			continue;
		/* what was counted may have been taken back */
		if (!HWF_COUNT(counts->of[step]) && !HWF_COUNT(counts->of[step | 1]))
			continue;
		block = hwf_profile_append_block(profile);
		if (!block)
			return;
		fill_block(block, graph, HWF_STEP_NODE(step));
	}
}

static void append_edges(struct hwf_profile *profile, const struct hwf_graph *graph)
{
	const struct hwf_counts *counts = &graph->counts;

	for (uint32_t i = 0; i < counts->jump_count; i++) {
		const struct hwf_jump *jump = &graph->jumps[counts->jumps[i]];
		struct hwf_profile_edge *edge;

		if (!jump->uses)
			continue;
		edge = hwf_profile_append_edge(profile);
		if (!edge)
			return;
		fill_edge(edge, graph, jump);
	}
}

void hwf_profile_append_graph(struct hwf_profile *profile, const struct hwf_graph *graph)
{
	append_blocks(profile, graph);
	append_edges(profile, graph);
}
