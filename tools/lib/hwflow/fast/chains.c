/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Making chains, and walking those that need more than a table. The result is that of
 * hwf_flow_atom() for each outcome.
 */
#include "fast/chains.h"

#include "code/insn/next.h"

/* Nodes that must be free before a chain is made: those of its steps, and the first and the last */
#define CHAIN_ROOM (HWF_CHAIN_STEPS + 2)

/* Give an event to the sink, which the receiver of the event before may have replaced. */
static void give_step(void *ctx, const struct hwf_flow_event *event)
{
	const struct hwf_follower *follower = ctx;

	follower->sink(follower->sink_ctx, event);
}

void hwf_flow_give_steps(struct hwf_follower *follower)
{
	struct hwf_graph *graph = follower->graph;
	const struct hwf_steps steps = {
		.graph = graph,
		.offset = follower->steps_offset,
		.step = graph->given,
		.count = graph->given_count,
	};

	if (!graph->given_count)
		return;
	graph->given_count = 0;
	if (follower->steps)
		follower->steps(follower->sink_ctx, &steps);
	else
		hwf_steps_each(&steps, give_step, follower);
}

void hwf_flow_begin_counting(struct hwf_follower *follower, uint32_t step, uint32_t offset)
{
	struct hwf_flow_event event = {
		.offset = follower->steps_offset + offset,
		.kind = HWF_FLOW_COUNTED,
		.u.address = hwf_graph_node(follower->graph, HWF_STEP_NODE(step))->start,
	};

	follower->sink(follower->sink_ctx, &event);
	follower->last_is_counted = true;
}

/* The last counted step */
static uint32_t last_step(const struct hwf_follower *follower)
{
	const struct hwf_graph *graph = follower->graph;
	const size_t chain = follower->last_chain;

	return chain ? graph->steps[chain][hwf_graph_steps_of(graph, chain) - 1]
		     : follower->last_step;
}

/* The jump behind the last counted step does not count, if there is one. */
static void uncount_jump(const struct hwf_follower *follower)
{
	if (!follower->last_jump)
		return;
	/* its uses are those of an entry of the memo */
	if (!follower->last_jump->uses)
		hwf_graph_settle_counts(follower->graph);
	follower->last_jump->uses--;
}

void hwf_flow_interrupt_counting(struct hwf_follower *follower, uint64_t offset)
{
	const uint32_t step = last_step(follower);
	struct hwf_flow_event event = {.offset = offset, .kind = HWF_FLOW_RANGE};

	follower->last_is_counted = false;
	uncount_jump(follower);
	hwf_graph_take_back(follower->graph, step);
	event.u.range = hwf_node_range(hwf_graph_node(follower->graph, HWF_STEP_NODE(step)),
				       HWF_STEP_TAKEN(step));
	follower->sink(follower->sink_ctx, &event);
}

static void before_event(struct hwf_follower *follower, uint64_t offset, uint8_t kind)
{
	hwf_flow_give_steps(follower);
	if (follower->last_is_counted && !hwf_flow_is_independent(kind))
		hwf_flow_interrupt_counting(follower, offset);
}

bool hwf_flow_has_room(const struct hwf_follower *follower)
{
	return hwf_graph_has_room(follower->graph, CHAIN_ROOM);
}

/* Flush the graph if it has no room for the nodes of a chain. */
static void make_room(struct hwf_follower *follower)
{
	if (hwf_flow_has_room(follower))
		return;
	hwf_flow_give_steps(follower);
	if (follower->last_is_counted)
		hwf_flow_interrupt_counting(follower, follower->steps_offset);
	hwf_graph_settle_counts(follower->graph);
	if (follower->before_flush)
		follower->before_flush(follower->sink_ctx, follower->graph);
	hwf_graph_flush(follower->graph);
}

/* The node of an address, found or added; HWF_NODE_NONE if there is no run. */
static uint32_t node_at(struct hwf_follower *follower, uint64_t address, uint8_t isa)
{
	uint32_t number = hwf_graph_find(follower->graph, follower->space, address, isa);
	struct hwf_run run;

	if (number)
		return number;
	follower->pc = address;
	follower->isa = isa;
	follower->is = isa == HWF_ISA_T32;
	hwf_flow_find_run(follower, &run);
	if (run.status)
		return HWF_NODE_NONE;
	return hwf_graph_add(follower->graph, follower->space, address, isa, 0, &run);
}

/* Where execution goes on behind a node; false where an address has to come first. */
static bool place_after(const struct hwf_node *node, bool taken, uint64_t *address, uint8_t *isa)
{
	return hwf_insn_next(&node->insn, node->end, node->isa, taken, address, isa);
}

/*
 * Execution continues at an address of the trace behind the last counted range. If the range ends
 * with an indirect branch, count the jump.
 */
static void count_jump(struct hwf_follower *follower, uint64_t address)
{
	struct hwf_graph *graph = follower->graph;
	const uint32_t step = last_step(follower);
	const struct hwf_node *node = hwf_graph_node(graph, HWF_STEP_NODE(step));
	uint64_t expected;
	uint8_t isa;

	/* another address comes before anything was executed at the one before */
	uncount_jump(follower);
	follower->last_jump = NULL;
	if (!place_after(node, HWF_STEP_TAKEN(step), &expected, &isa)) {
		follower->last_jump = hwf_graph_jump(graph, HWF_STEP_NODE(step), address);
		if (follower->last_jump)
			return;
	} else if (expected == follower->pc) {
		return;
	}
	/* there is no room for it, or the trace contradicts the program */
	hwf_flow_interrupt_counting(follower, follower->steps_offset);
}

/* The node after another, which has a link to it afterwards. There must be room for a node. */
static uint32_t node_after(struct hwf_follower *follower, uint32_t number, bool taken)
{
	struct hwf_node *node = &follower->graph->nodes[number];
	uint64_t address;
	uint8_t isa;

	if (!node->after[taken] && place_after(node, taken, &address, &isa))
		node->after[taken] = node_at(follower, address, isa);
	return node->after[taken];
}

uint32_t hwf_flow_join(struct hwf_follower *follower, uint32_t from, uint64_t address)
{
	struct hwf_graph *graph = follower->graph;
	struct hwf_node joined = graph->nodes[from];
	uint32_t last = from;
	struct hwf_jump *entry;

	while (joined.end - joined.insn.size != address) {
		const struct hwf_node *next;

		if (joined.end > address || !hwf_flow_has_room(follower) ||
		    !graph->nodes[last].n_is_possible)
			return HWF_NODE_NONE;
		last = node_after(follower, last, false);
		next = &graph->nodes[last];
		if (!last || joined.instructions + next->instructions >= HWF_RUN_MAX)
			return HWF_NODE_NONE;
		joined.instructions += next->instructions;
		joined.end = next->end;
		joined.insn = next->insn;
	}
	entry = hwf_graph_jump_entry(graph, from | HWF_JOINED, address);
	if (!entry || !hwf_flow_has_room(follower))
		return HWF_NODE_NONE;
	joined.after[0] = HWF_NODE_NONE;
	joined.after[1] = HWF_NODE_NONE;
	joined.n_is_possible = false;
	joined.next = HWF_NODE_NONE;
	entry->to = graph->used++;
	graph->nodes[entry->to] = joined;
	return entry->to;
}

/* HWF_CHAIN_JUMPS if the last step of a chain is such */
static uint32_t jumps(const struct hwf_graph *graph, uint32_t step)
{
	const struct hwf_insn *insn = &graph->nodes[HWF_STEP_NODE(step)].insn;

	return HWF_STEP_TAKEN(step) && insn->kind == HWF_INSN_INDIRECT && insn->sub != HWF_SUB_ERET
		       ? HWF_CHAIN_JUMPS
		       : 0;
}

/*
 * Makes a chain that is not known yet; false where not one outcome is possible. There has to be
 * room for its nodes.
 */
static bool make_chain(struct hwf_follower *follower, uint32_t node, uint32_t outcomes)
{
	struct hwf_graph *graph = follower->graph;
	const size_t chain = HWF_CHAIN(node, outcomes);
	uint32_t *const steps = graph->steps[chain];
	uint32_t behind = 0, count = 0;

	for (; node && outcomes > 1; outcomes >>= 1) {
		const bool taken = outcomes & 1;

		/* the plain walk reports what contradicts the program */
		if (!taken && !graph->nodes[node].n_is_possible)
			break;
		if (taken && graph->nodes[node].insn.sub == HWF_SUB_LINK &&
		    follower->config->return_stack)
			behind |= HWF_CHAIN_CALLS;
		steps[count++] = HWF_STEP(node, taken);
		node = node_after(follower, node, taken);
	}
	if (!count)
		return false;
	if (!node)
		behind |= HWF_CHAIN_ENDS | count | jumps(graph, steps[count - 1]);
	else if (outcomes == 1)
		behind |= node;
	else
		/* up to what is not possible; a shorter chain leads there */
		return false;
	graph->behind[chain] = behind;
	return true;
}

/* Back to what the plain walk knows of where execution is */
static void set_place(struct hwf_follower *follower, uint32_t number)
{
	const struct hwf_node *node = &follower->graph->nodes[number];

	follower->pc = node->start;
	follower->isa = node->isa;
	follower->is = node->isa == HWF_ISA_T32;
}

/* Behind the last step of a chain, where there is no node */
static void set_place_after(struct hwf_follower *follower, uint32_t step, uint64_t offset)
{
	const struct hwf_node node = follower->graph->nodes[HWF_STEP_NODE(step)];

	hwf_flow_go_on(follower, offset, &node.insn, node.end, node.isa, HWF_STEP_TAKEN(step));
}

/* The taken calls of a chain (R_FFXPW): the return stack needs to know. */
static void push_calls(struct hwf_follower *follower, const uint32_t *steps, uint32_t count)
{
	for (uint32_t i = 0; i < count && !follower->push_awaits; i++) {
		const struct hwf_node *node = &follower->graph->nodes[HWF_STEP_NODE(steps[i])];

		if (HWF_STEP_TAKEN(steps[i]) && node->insn.sub == HWF_SUB_LINK)
			hwf_return_stack_push(&follower->stack, node->end, node->isa);
	}
}

void hwf_flow_leave(struct hwf_follower *follower, uint32_t number)
{
	follower->number = number;
	if (number) {
		follower->node_flushes = follower->graph->flushes;
		set_place(follower, number);
	}
}

uint32_t hwf_flow_here(struct hwf_follower *follower, uint32_t node)
{
	hwf_flow_leave(follower, node);
	make_room(follower);
	if (follower->number && follower->node_flushes == follower->graph->flushes)
		return follower->number;
	/* the plain walk reports what is missing */
	if (!follower->has_context ||
	    !(follower->pop_pending ? follower->stack.used : follower->has_pc))
		return HWF_NODE_NONE;
	hwf_flow_pop_return(follower);
	return node_at(follower, follower->pc, follower->isa);
}

void hwf_flow_step(struct hwf_follower *follower, uint32_t node, uint64_t offset, bool taken,
		   bool corrected)
{
	hwf_flow_leave(follower, node);
	follower->number = HWF_NODE_NONE;
	hwf_flow_atom(follower, offset, taken, corrected);
}

uint32_t hwf_flow_walk_chain(struct hwf_follower *follower, uint32_t node, uint32_t outcomes,
			     const uint32_t *offset, uint32_t *taken)
{
	const struct hwf_graph *graph = follower->graph;
	const uint32_t most = *taken;
	uint32_t behind;
	size_t chain;

	if (!graph->behind[HWF_CHAIN(node, outcomes)])
		node = hwf_flow_here(follower, node);
	chain = HWF_CHAIN(node, outcomes);
	if (!node || (!graph->behind[chain] && !make_chain(follower, node, outcomes))) {
		*taken = 1;
		hwf_flow_step(follower, node, follower->steps_offset + *offset, outcomes & 1,
			      false);
		return HWF_NODE_NONE;
	}
	behind = graph->behind[chain];
	*taken = behind & HWF_CHAIN_ENDS ? HWF_CHAIN_NODE(behind) : most;
	hwf_flow_give_chain(follower, chain, *taken, offset);
	if (behind & HWF_CHAIN_CALLS)
		push_calls(follower, graph->steps[chain], *taken);
	if (!(behind & HWF_CHAIN_ENDS))
		return HWF_CHAIN_NODE(behind);
	set_place_after(follower, graph->steps[chain][*taken - 1],
			follower->steps_offset + offset[*taken - 1]);
	follower->number = HWF_NODE_NONE;
	return HWF_NODE_NONE;
}

/* Outcomes of one packet; hwf_flow_begin_steps() came first */
static void walk_packet(struct hwf_follower *follower, uint32_t bits, uint32_t count)
{
	static const uint32_t offsets[HWF_OFFSETS];

	hwf_flow_leave(follower,
		       hwf_flow_walk(follower, hwf_flow_resume(follower), bits, count, offsets));
}

static void walk_atoms(struct hwf_follower *follower, uint64_t offset,
		       const struct hwf_ete_atoms *atoms, uint32_t corrected)
{
	uint32_t done = 0;

	hwf_flow_begin_steps(follower, offset);
	/* of what was corrected the return stack has to know what it was traced as */
	for (uint32_t i = 0; follower->config->return_stack && i < atoms->count; i++) {
		if (!(corrected >> i & 1))
			continue;
		walk_packet(follower, (atoms->bits & ((1u << i) - 1)) >> done, i - done);
		hwf_flow_step(follower, hwf_flow_resume(follower), offset, atoms->bits >> i & 1,
			      true);
		done = i + 1;
	}
	walk_packet(follower, (atoms->bits & ((1u << atoms->count) - 1)) >> done,
		    atoms->count - done);
}

const struct hwf_follower_graph hwf_flow_by_graph = {
	.atoms = walk_atoms,
	.before_event = before_event,
	.jump = count_jump,
};
