/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Straight code at once. A range that was executed before is a node of the graph, which leads to
 * the nodes behind it: as long as more outcomes are left than a range uses, nothing is asked but
 * the outcome. The result is that of hwf_riscv_step(), faster.
 */
#include "fast/riscv_walk.h"

#include "code/insn/next.h"
#include "fast/graph_private.h"

/* No node has more instructions: a walk through what is no code is given up by steps. */
#define NODE_MAX 1024u

/* Does the next instruction follow this one, whatever happens? */
static bool is_straight(const struct hwf_rv_insn *insn)
{
	return insn->kind == HWF_RV_OTHER || insn->kind == HWF_RV_UPPER;
}

/*
 * The range from an address up to the first instruction that may lead elsewhere. What comes behind
 * it, or is not there, is for the next step to find. False where no code is there
 */
static bool walk(struct hwf_riscv_flow *flow, uint64_t pc, struct hwf_riscv_ends *ends,
		 struct hwf_run *run)
{
	struct hwf_rv_insn insn;

	if (hwf_riscv_fetch(flow, pc, &ends->first))
		return false;
	ends->before = ends->first;
	ends->last = ends->first;
	*run = (struct hwf_run){.end = pc + ends->first.size, .instructions = 1};
	while (is_straight(&ends->last) && run->instructions <= NODE_MAX &&
	       hwf_riscv_address(flow, run->end) == run->end &&
	       !hwf_riscv_fetch(flow, run->end, &insn)) {
		ends->before = ends->last;
		ends->last = insn;
		run->end += insn.size;
		run->instructions++;
	}
	run->insn = hwf_riscv_common(&ends->last, flow->isa);
	if (!hwf_insn_is_p0(&run->insn, false))
		run->status = HWF_ERR_NO_SPACE;
	return true;
}

/* The node at an address; HWF_NODE_NONE where no code is there */
static uint32_t node_at(struct hwf_riscv_flow *flow, uint64_t pc)
{
	struct hwf_graph *graph = flow->graph;
	const uint32_t number = hwf_riscv_find(flow, pc);
	struct hwf_riscv_ends ends;
	struct hwf_run run;

	if (number || !walk(flow, pc, &ends, &run))
		return number;
	if (!hwf_graph_has_room(graph, 1) || graph->used == HWF_RISCV_NODES) {
		hwf_riscv_give_steps(flow);
		hwf_graph_flush(graph);
	}
	flow->ends[graph->used] = ends;
	return hwf_graph_add(graph, flow->space, pc, run.insn.target_isa, 0, &run);
}

/* The address of the last instruction of a node */
static inline uint64_t last_of(const struct hwf_node *node)
{
	return node->end - node->insn.size;
}

/* From the first instruction of a node, which pc is at, to its last */
static void go_to_end(struct hwf_riscv_flow *flow, uint32_t number)
{
	const struct hwf_node *node = hwf_graph_node(flow->graph, number);
	const uint32_t more = node->instructions - 1;

	flow->steps += more;
	flow->count += more;
	flow->pc = last_of(node);
	flow->insn = flow->ends[number].last;
	if (!more)
		return;
	flow->before = flow->ends[number].before;
	flow->has_before = true;
}

bool hwf_riscv_run_on(struct hwf_riscv_flow *flow, uint64_t stop)
{
	const struct hwf_node *node;
	uint32_t number;

	if (!is_straight(&flow->insn) || !flow->graph)
		return false;
	if (flow->singly) {
		flow->singly--;
		return false;
	}
	number = node_at(flow, flow->pc);
	node = hwf_graph_node(flow->graph, number);
	if (!number || node->instructions == 1 ||
	    flow->steps + node->instructions - 1 > HWF_RUN_MAX)
		return false;
	/* an address in it may be where the walk ends, or that of no instruction */
	if (stop - node->start - 1 < last_of(node) - node->start) {
		flow->singly = node->instructions - 2;
		return false;
	}
	/* the first of them may have been given already */
	if (!flow->count)
		flow->start = flow->pc + flow->insn.size;
	go_to_end(flow, number);
	return true;
}

/* Where a return goes that is implied for certain (RISCV_IMPLICIT_RETURN); false where it is not */
static bool use_call(struct hwf_riscv_flow *flow, uint64_t left, uint64_t *next)
{
	const struct hwf_riscv_params *params = &flow->config.params;

	/* one that is reported has at most one outcome behind it */
	if (!params->implicit_return || params->sijump_p || (flow->irreport && left <= 1) ||
	    !hwf_riscv_calls_pop(&flow->calls, next))
		return false;
	flow->calls.implied++;
	return true;
}

/*
 * The node behind one that is left, which remembers it unless all nodes were forgotten;
 * HWF_NODE_NONE where no code is there
 */
static uint32_t follow_link(struct hwf_riscv_flow *flow, uint32_t number, bool taken)
{
	const struct hwf_node *node = hwf_graph_node(flow->graph, number);
	const uint32_t flushes = flow->graph->flushes;
	uint32_t next;
	uint8_t isa;

	hwf_insn_next(&node->insn, node->end, node->isa, taken, &flow->pc, &isa);
	flow->pc = hwf_riscv_address(flow, flow->pc);
	next = node_at(flow, flow->pc);
	if (flow->graph->flushes == flushes)
		flow->graph->nodes[number].after[taken] = next;
	return next;
}

/* enum how - what is to be done with a node */
enum how {
	ASK,   /* each instruction of it has to be asked about */
	LEAVE, /* it is executed, and left */
	JUMP,  /* likewise, to where the trace says */
	END,   /* it is executed; only a step can leave it */
};

/* May an instruction of the node be where the walk ends? */
static bool may_end_in(const struct hwf_riscv_goal *goal, const struct hwf_node *node)
{
	return goal->address - node->start <= last_of(node) - node->start;
}

/* A jump to a register: does only the trace tell where it goes, whatever came before it? */
static inline bool is_told(const struct hwf_riscv_flow *flow, const struct hwf_riscv_goal *goal,
			   uint32_t number)
{
	const struct hwf_riscv_params *params = &flow->config.params;

	return flow->ends[number].last.rs1 && !params->sijump_p && !params->implicit_return &&
	       goal->kind != HWF_RISCV_GOAL_LAST_BRANCH;
}

/*
 * What the end of a node needs is used up where it is left. @next: where a jump to a register goes
 */
static inline enum how leave(struct hwf_riscv_flow *flow, const struct hwf_riscv_goal *goal,
			     uint32_t number, bool *taken, uint64_t *next)
{
	const struct hwf_node *node = hwf_graph_node(flow->graph, number);
	const uint64_t left = hwf_riscv_left(flow);

	*taken = true;
	*next = goal->address;
	if (flow->steps + node->instructions > HWF_RUN_MAX || (left <= 1 && may_end_in(goal, node)))
		return ASK;
	if (node->insn.conditional) {
		if (left == 1 && goal->kind == HWF_RISCV_GOAL_LAST_BRANCH)
			return END;
		flow->pc = last_of(node);
		return hwf_riscv_use_outcome(flow, taken) ? LEAVE : END;
	}
	if (node->insn.kind == HWF_INSN_INDIRECT && node->insn.sub != HWF_SUB_ERET) {
		if (is_told(flow, goal, number))
			return JUMP;
		if (node->insn.sub != HWF_SUB_RET || !use_call(flow, left, next))
			return END;
	} else if (node->insn.kind != HWF_INSN_DIRECT) {
		return END;
	}
	flow->steps += node->instructions;
	return LEAVE;
}

/* The node behind one that is left, where that is not remembered. @target: of a jump to a register
 */
static uint32_t find_next(struct hwf_riscv_flow *flow, uint32_t number, bool taken, uint64_t target)
{
	if (hwf_graph_node(flow->graph, number)->insn.kind != HWF_INSN_INDIRECT)
		return follow_link(flow, number, taken);
	flow->pc = hwf_riscv_address(flow, target);
	return node_at(flow, flow->pc);
}

/*
 * Execute nodes from @number on, each a step, up to one that is not executed to its end, or behind
 * a jump to where the trace says. Returns the node there, or HWF_NODE_NONE where no code is there.
 * @stays: cleared where one was executed
 */
static inline uint32_t pass(struct hwf_riscv_flow *flow, const struct hwf_riscv_goal *goal,
			    uint32_t number, enum how *how, bool *stays)
{
	struct hwf_graph *const graph = flow->graph;
	uint64_t *given = graph->given + graph->given_count;
	uint64_t offset = (flow->offset - flow->steps_offset) << 32;
	uint64_t target;
	bool taken;

	do {
		const struct hwf_node *node = hwf_graph_node(graph, number);
		uint32_t next;

		*how = leave(flow, goal, number, &taken, &target);
		if (*how == ASK || *how == END)
			break;
		*stays = false;
		*given++ = offset | HWF_STEP(number, taken);
		if (node->insn.sub == HWF_SUB_LINK && flow->config.params.implicit_return)
			hwf_riscv_calls_push(&flow->calls, &flow->config, node->end);
		/* HWF_NODE_NONE behind a jump to a register, too */
		next = node->after[taken];
		if (!next || given == graph->given + HWF_STEPS_MOST) {
			graph->given_count = (uint32_t)(given - graph->given);
			if (graph->given_count == HWF_STEPS_MOST)
				hwf_riscv_give_steps(flow);
			if (!next)
				next = find_next(flow, number, taken, target);
			given = graph->given + graph->given_count;
			offset = (flow->offset - flow->steps_offset) << 32;
		}
		number = next;
	} while (number && *how != JUMP);
	graph->given_count = (uint32_t)(given - graph->given);
	return number;
}

/* pc is at the first instruction of a node, behind ranges that were given. */
static void stop_at(struct hwf_riscv_flow *flow, uint32_t number)
{
	flow->start = flow->pc;
	flow->count = 1;
	flow->singly = 0;
	flow->insn = flow->ends[number].first;
	/* a branch or jump, which nothing hangs on */
	flow->has_before = false;
}

enum hwf_riscv_step hwf_riscv_run_ranges(struct hwf_riscv_flow *flow,
					 const struct hwf_riscv_goal *goal)
{
	uint32_t number = HWF_NODE_NONE;
	bool stays = true;
	enum how how;

	/* where a range begins with pc */
	if (flow->graph && flow->count == 1 && flow->start == flow->pc)
		number = node_at(flow, flow->pc);
	if (!number)
		return HWF_RISCV_STAYED;
	number = pass(flow, goal, number, &how, &stays);
	if (!number) {
		flow->count = 0;
		return hwf_riscv_arrive(flow, how == JUMP ? HWF_RISCV_JUMPED : HWF_RISCV_WENT);
	}
	flow->pc = hwf_graph_node(flow->graph, number)->start;
	if (stays)
		return HWF_RISCV_STAYED;
	stop_at(flow, number);
	if (how == END)
		go_to_end(flow, number);
	return how == JUMP ? HWF_RISCV_JUMPED : HWF_RISCV_WENT;
}
