// SPDX-License-Identifier: GPL-2.0-only
/* Counting ranges. A range is counted when the next one follows it as its last instruction says. */
#include "range_counts.h"

#include <stdlib.h>

#include "graph/graph_private.h"
#include "hwflow/riscv_flow.h"

/* Ranges a program has that are executed often enough to matter, as many as of ETE */
#define NODES 0x10000u

bool range_counts_begin(struct range_counts *counts, const struct decoding *decoding)
{
	if (!counts->memory) {
		counts->memory = calloc(1, hwf_graph_bytes(NODES));
		if (!counts->memory)
			return false;
		hwf_graph_init(&counts->graph, counts->memory, NODES);
		/* no chains are made */
		counts->graph.behind = NULL;
	}
	counts->source = decoding->source;
	counts->how = decoding->how;
	counts->code = decoding->code;
	counts->space = NULL;
	counts->tid = decoding->piece->tid;
	counts->is_on = false;
	counts->holds = false;
	return true;
}

void range_counts_forget(struct range_counts *counts)
{
	if (counts->memory)
		hwf_graph_flush(&counts->graph);
}

void range_counts_free(struct range_counts *counts)
{
	free(counts->memory);
}

static void give_counts(struct range_counts *counts)
{
	counts->how->counts(counts->how->ctx, &counts->graph);
	hwf_graph_clear_counts(&counts->graph);
}

/* The node of a range; HWF_NODE_NONE if there is none yet */
static uint32_t find_node(const struct range_counts *counts, const struct hwf_flow_range *range)
{
	const struct hwf_graph *graph = &counts->graph;
	uint32_t number = graph->buckets[hwf_graph_bucket(graph, range->start)];

	while (number &&
	       !(hwf_node_is(&graph->nodes[number], counts->space, range->start, range->isa) &&
		 graph->nodes[number].end == range->end && graph->nodes[number].p0 == range->p0))
		number = graph->nodes[number].next;
	return number;
}

/* All ranges are forgotten when there is no room for another one. */
static uint32_t node_of(struct range_counts *counts, const struct hwf_flow_range *range)
{
	const uint32_t number = find_node(counts, range);
	const struct hwf_run run = {.end = range->end,
				    .insn = range->insn,
				    .instructions = range->instructions,
				    .status = range->p0 ? HWF_OK : HWF_ERR_NO_SPACE};

	if (number)
		return number;
	if (!hwf_graph_has_room(&counts->graph, 1)) {
		give_counts(counts);
		hwf_graph_flush(&counts->graph);
	}
	return hwf_graph_add(&counts->graph, counts->space, range->start, range->isa, 0, &run);
}

/* Count the last range, which @next follows; false if that does not say where it went. */
static bool count_last(struct range_counts *counts, uint64_t next)
{
	const struct hwf_flow_range *range = &counts->last.u.range;
	const struct hwf_insn *insn = &range->insn;
	const bool direct = insn->kind == HWF_INSN_DIRECT;
	const bool branch = direct || insn->kind == HWF_INSN_INDIRECT;
	uint64_t *times;
	uint32_t step;

	/* the outcome of a branch that is no P0 instruction is not known */
	if (branch && (!range->p0 || (direct && range->taken && insn->target != next)))
		return false;
	step = HWF_STEP(node_of(counts, range), range->taken);
	if (branch && !direct && range->taken &&
	    !hwf_graph_jump(&counts->graph, HWF_STEP_NODE(step), next))
		return false;
	times = &counts->graph.counts.of[step];
	if (*times)
		++*times;
	else
		hwf_graph_count(&counts->graph, step, 1);
	return true;
}

/* The range before another event is given. */
static void give_last(struct range_counts *counts)
{
	if (counts->holds)
		counts->how->sink(counts->how->ctx, &counts->last);
	counts->holds = false;
}

static void take_range(struct range_counts *counts, const struct hwf_flow_event *event)
{
	const struct hwf_flow_event begin = {.offset = event->offset,
					     .kind = HWF_FLOW_COUNTED,
					     .u.address = event->u.range.start};

	if (counts->holds && !count_last(counts, event->u.range.start))
		give_last(counts);
	if (!counts->holds)
		counts->how->sink(counts->how->ctx, &begin);
	counts->holds = true;
	counts->last = *event;
	counts->last.u.range.each = NULL;
}

static void take_context(struct range_counts *counts, const struct hwf_context *context)
{
	const int32_t tid = input_context_thread(counts->source, context, counts->tid);

	/* what was counted is another thread's */
	if (tid != counts->tid)
		give_counts(counts);
	counts->tid = tid;
	if (counts->code->space)
		counts->space = counts->code->space(counts->code->ctx, context);
}

void range_counts_push(void *ctx, const struct hwf_flow_event *event)
{
	struct range_counts *counts = ctx;

	if (event->kind == HWF_FLOW_RANGE && counts->is_on) {
		take_range(counts, event);
		return;
	}
	give_last(counts);
	if (event->kind == HWF_FLOW_CONTEXT)
		take_context(counts, &event->u.context.context);
	else if (event->kind == HWF_FLOW_MODE)
		counts->space = hwf_riscv_space(counts->code, &event->u.mode);
	counts->how->sink(counts->how->ctx, event);
}

void range_counts_end(struct range_counts *counts)
{
	give_last(counts);
	counts->is_on = false;
	give_counts(counts);
}
