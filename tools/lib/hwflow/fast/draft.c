/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Drafts of entries of the memo: one packet after the other, from the graph. What is not in the
 * graph yet, or gives an event, ends a draft; the loop without speculation decodes it.
 */
#include "fast/draft.h"

#include "codec/ete/ete_private.h"
#include "fast/graph_private.h"
#include "fast/counts.h"

static bool add_word(struct hwf_draft *draft, uint64_t word)
{
	if (draft->progress.steps == HWF_MEMO_STEPS)
		return false;
	draft->words[draft->progress.steps++] = word;
	return true;
}

/* The return stack is about to change. */
static void keep_stack(struct hwf_draft *draft)
{
	if (!draft->stack_changed)
		hwf_memo_copy_stack(&draft->known_stack, &draft->stack);
	draft->stack_changed = true;
}

/* Execution goes on at an address behind an indirect branch. */
static bool add_jump(struct hwf_draft *draft, uint64_t address, uint8_t is, uint8_t isa)
{
	struct hwf_graph *graph = draft->follower->graph;
	struct hwf_draft_progress *progress = &draft->progress;
	const struct hwf_jump *jump;

	progress->node = hwf_graph_find(graph, draft->follower->space, address, isa);
	if (!draft->follower->counting || !progress->node)
		return progress->node;
	if (progress->jumps == HWF_MEMO_BYTES)
		return false;
	jump = hwf_graph_jump_entry(graph, HWF_STEP_NODE(progress->step), address | is);
	if (!jump)
		return false;
	draft->jumps[progress->jumps++] = (uint32_t)(jump - graph->jumps);
	progress->ends_with_jump = true;
	return true;
}

/* A return whose address was not traced: the return stack has it. */
static bool add_return(struct hwf_draft *draft)
{
	uint64_t address;
	uint8_t isa;

	if (!draft->config->return_stack)
		return false;
	keep_stack(draft);
	return hwf_return_stack_pop(&draft->stack, &address, &isa) &&
	       add_jump(draft, address, isa == HWF_ISA_T32, isa);
}

/* The node where execution is was executed. @at: index of the packet */
static bool add_step(struct hwf_draft *draft, bool taken, uint32_t at)
{
	struct hwf_draft_progress *progress = &draft->progress;
	const struct hwf_node *node;

	if (!progress->node && !add_return(draft))
		return false;
	node = hwf_graph_node(draft->follower->graph, progress->node);
	progress->step = HWF_STEP(progress->node, taken);
	progress->ends_with_jump = false;
	if (!add_word(draft, (uint64_t)at << 32 | progress->step))
		return false;
	if (taken && node->insn.sub == HWF_SUB_LINK && draft->config->return_stack) {
		keep_stack(draft);
		hwf_return_stack_push(&draft->stack, node->end, node->isa);
	}
	progress->node = node->after[taken];
	/*
	 * There is none behind an outcome that is not possible, and none behind an indirect branch.
	 * An exception return may be an event.
	 */
	return progress->node ||
	       (taken && node->insn.kind == HWF_INSN_INDIRECT && node->insn.sub != HWF_SUB_ERET);
}

static size_t add_atoms(struct hwf_draft *draft, const uint8_t *bytes, uint32_t at)
{
	const struct hwf_ete_atoms *atoms = &hwf_ete_atom_table[bytes[at] - HWF_ATOM_HEADERS].atoms;

	for (uint32_t i = 0; i < atoms->count; i++)
		if (!add_step(draft, atoms->bits >> i & 1, at))
			return 0;
	return 1;
}

static size_t add_target(struct hwf_draft *draft, const uint8_t *bytes, uint32_t at)
{
	const struct hwf_follower *follower = draft->follower;
	struct hwf_draft_progress *progress = &draft->progress;
	const size_t size = hwf_packed_target(&progress->history, bytes + at);
	const struct hwf_el_address address = hwf_packed_newest(&progress->history);
	const uint8_t isa = hwf_flow_isa(&follower->context, address.is);
	bool added;

	if (!size)
		return 0;
	/* with branch broadcasting it is the address of the node; else the trace is wrong */
	if (progress->node)
		added = hwf_node_is(&follower->graph->nodes[progress->node], follower->space,
				    address.value, isa);
	else
		added = add_jump(draft, address.value, address.is, isa);
	return added ? size : 0;
}

/* See take_source() of the loop without speculation. */
static size_t add_source(struct hwf_draft *draft, const uint8_t *bytes, uint32_t at)
{
	struct hwf_draft_progress *progress = &draft->progress;
	const size_t size = hwf_packed_source(&progress->history, bytes + at);
	const uint64_t address = progress->history.address[0] & ~UINT64_C(1);
	uint32_t node;

	/* in ETMv4 these headers are reserved */
	if (!size || !progress->node || draft->config->protocol != HWF_PROTOCOL_ETE)
		return 0;
	node = hwf_graph_find_joined(draft->follower->graph, progress->node, address);
	if (!node || (node != progress->node && draft->follower->split_source))
		return 0;
	progress->node = node;
	return add_step(draft, true, at) ? size : 0;
}

static size_t add_cycles(struct hwf_draft *draft, const uint8_t *bytes, uint32_t at)
{
	const struct hwf_count count = hwf_count_read(draft->config, bytes + at);

	/* no P0 element is unresolved that it could commit */
	if (!count.size || count.commit)
		return 0;
	if (!draft->follower->counting && !(add_word(draft, (uint64_t)at << 32 | HWF_STEP_CYCLES) &&
					    add_word(draft, draft->threshold + count.count)))
		return 0;
	return count.size;
}

/* Add the packet at @at. Return: its size; 0 if it cannot be part of an entry */
static size_t add_packet(struct hwf_draft *draft, const uint8_t *bytes, uint32_t at)
{
	if (bytes[at] >= HWF_ATOM_HEADERS)
		return add_atoms(draft, bytes, at);
	switch (bytes[at] >> 4) {
	case HWF_TARGET_HEADERS:
		return add_target(draft, bytes, at);
	case HWF_SOURCE_HEADERS:
		return add_source(draft, bytes, at);
	default:
		return add_cycles(draft, bytes, at);
	}
}

bool hwf_draft_packets(struct hwf_draft *draft, const uint8_t *bytes)
{
	struct hwf_draft_progress known = draft->progress;

	for (uint32_t at = 0; at < HWF_MEMO_BYTES;) {
		const size_t size = add_packet(draft, bytes, at);

		if (!size || at + size > HWF_MEMO_BYTES)
			break;
		draft->progress.last = at;
		at += (uint32_t)size;
		draft->progress.size = at;
		if (!draft->progress.node)
			continue;
		known = draft->progress;
		draft->stack_changed = false;
	}
	draft->progress = known;
	if (draft->stack_changed)
		hwf_memo_copy_stack(&draft->stack, &draft->known_stack);
	return known.size;
}
