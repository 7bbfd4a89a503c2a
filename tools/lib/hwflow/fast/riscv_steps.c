/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What the flow of RISC-V asks the graph of ranges, and ranges that wait in it. */
#include "fast/graph_private.h"
#include "fast/riscv_walk.h"

/* To the sink as it is now: it may be another one behind each event. */
static void give_step(void *ctx, const struct hwf_flow_event *event)
{
	const struct hwf_riscv_flow *flow = ctx;

	flow->sink(flow->sink_ctx, event);
}

void hwf_riscv_give_steps(struct hwf_riscv_flow *flow)
{
	struct hwf_graph *graph = flow->graph;

	if (graph && graph->given_count) {
		const struct hwf_steps steps = {
			.graph = graph,
			.offset = flow->steps_offset,
			.step = graph->given,
			.count = graph->given_count,
		};

		graph->given_count = 0;
		if (flow->steps_sink)
			flow->steps_sink(flow->sink_ctx, &steps);
		else
			hwf_steps_each(&steps, give_step, flow);
	}
	flow->steps_offset = flow->offset;
}

uint32_t hwf_riscv_find(const struct hwf_riscv_flow *flow, uint64_t pc)
{
	return hwf_graph_find(flow->graph, flow->space, pc,
			      flow->isa & HWF_RV_64 ? HWF_ISA_RV64 : HWF_ISA_RV32);
}

const struct hwf_rv_insn *hwf_riscv_first_insn(const struct hwf_riscv_flow *flow, uint64_t pc)
{
	const uint32_t number = flow->graph ? hwf_riscv_find(flow, pc) : HWF_NODE_NONE;

	return number ? &flow->ends[number].first : NULL;
}
