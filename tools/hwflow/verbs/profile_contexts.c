/* SPDX-License-Identifier: GPL-2.0-only */
/* Calling contexts of a recording. */
#include "profile_contexts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/input_limits.h"

/* What contexts beyond the limit are called */
#define OTHER "[other contexts]"

/**
 * struct profile_contexts - see profile_contexts.h
 * @stored: receives the counts
 * @counts: has the files of @stored
 * @calls: the stacks
 * @most: numbers of contexts that are counted apart
 * @other: the context of all others; 0: there is none yet
 * @path: of the recording, for messages
 * @last: the last range that was executed, if its blocks are counted in contexts
 */
struct profile_contexts {
	struct hwf_stored_profile *stored;
	struct profile_counts *counts;
	struct execution_calls calls;
	uint32_t most;
	uint32_t other;
	const char *path;
	struct hwf_flow_range last;
};

/*
 * What is counted in a context, as calls_item() takes it: a number of the profile, and how often it
 * was executed.
 */
enum { ITEM_NOT_TAKEN, ITEM_TAKEN, ITEM_DIVERTED, ITEM_EDGE, ITEM_EDGE_TAKEN_BACK };
#define ITEM(number, kind)  ((uint64_t)(number) << 3 | (kind))
#define ITEM_IS(item, kind) (((item) & 7) == (kind))
#define ITEM_NUMBER(item)   ((uint32_t)((item) >> 3))

static uint8_t open_of(const struct hwf_stack *stack, size_t at)
{
	if (!at && !stack->is_whole)
		return HWF_CONTEXT_UNKNOWN;
	return stack->frames[at].kind == HWF_STACK_FRAME_EXCEPTION ? HWF_CONTEXT_EXCEPTION
								   : HWF_CONTEXT_CALL;
}

/* What is called in one of the other contexts is one of them. */
static uint32_t add_other(struct profile_contexts *contexts)
{
	if (!contexts->other) {
		contexts->other = hwf_stored_profile_context(
			contexts->stored, &(struct hwf_profile_context){.name = OTHER});
		input_error(contexts->path, UINT64_MAX,
			    "too many calling contexts: the others are counted as " OTHER "; %s",
			    limit_text(LIMIT_contexts));
	}
	return contexts->other;
}

/* Counts in a context, or in the other ones if there are too many; its number, 0 without memory */
static uint32_t add(struct profile_contexts *contexts, const struct hwf_profile_context *context)
{
	uint32_t number;

	if (contexts->most < limit_of(LIMIT_contexts)) {
		number = hwf_stored_profile_context(contexts->stored, context);
		if (number > contexts->most)
			contexts->most = number;
		return number;
	}
	number = contexts->other && context->caller == contexts->other
			 ? 0
			 : hwf_stored_profile_find_context(contexts->stored, context);
	if (!number)
		number = add_other(contexts);
	hwf_stored_profile_add_to_context(contexts->stored, number, context->calls, 0);
	return number;
}

/* The context of frame number @at of a stack, whose caller has its own; 0 without memory */
static uint32_t context_of(struct profile_contexts *contexts, const struct hwf_stack *stack,
			   size_t at)
{
	const struct functions *functions = calls_functions(contexts->calls.calls);
	const struct hwf_stack_frame *frame = &stack->frames[at];
	const struct called_function *function = functions_get(functions, frame->function.id);
	struct hwf_profile_context context = {
		.caller = at ? (uint32_t)stack->frames[at - 1].tag : 0,
		.open = open_of(stack, at),
		.entry = function->offset,
		.name = function->function->name,
	};

	if (function->file)
		context.file = profile_counts_file(contexts->counts, function->file);
	if (frame->place) {
		const struct call_site *site = functions_get_site(functions, frame->place);

		context.site = site->offset;
		if (site->file)
			context.site_file = profile_counts_file(contexts->counts, site->file);
	}
	context.calls = at == stack->depth - 1 && stack->is_entered;
	return add(contexts, &context);
}

static void take_change(void *ctx, struct calls_thread *thread)
{
	struct profile_contexts *contexts = ctx;
	struct hwf_stack *stack = &thread->stack;

	for (size_t i = stack->kept; i < stack->depth; i++)
		stack->frames[i].tag = context_of(contexts, stack, i);
}

static void take_instructions(void *ctx, struct calls_thread *thread, uint64_t instructions)
{
	const struct profile_contexts *contexts = ctx;
	const struct hwf_stack *stack = &thread->stack;

	if (stack->depth)
		hwf_stored_profile_add_to_context(contexts->stored,
						  (uint32_t)stack->frames[stack->depth - 1].tag, 0,
						  instructions);
}

/* Items are of the innermost function; of a thread without a stack, of no context. */
static void take_item(void *ctx, struct calls_thread *thread, uint64_t item)
{
	const struct profile_contexts *contexts = ctx;
	const struct hwf_stack *stack = &thread->stack;
	const uint32_t context = stack->depth ? (uint32_t)stack->frames[stack->depth - 1].tag : 0;
	const struct hwf_profile_block once = {.taken = ITEM_IS(item, ITEM_TAKEN),
					       .not_taken = ITEM_IS(item, ITEM_NOT_TAKEN),
					       .diverted = ITEM_IS(item, ITEM_DIVERTED)};

	if (ITEM_IS(item, ITEM_EDGE) || ITEM_IS(item, ITEM_EDGE_TAKEN_BACK))
		hwf_stored_profile_count_edge(contexts->stored, context, ITEM_NUMBER(item),
					      ITEM_IS(item, ITEM_EDGE) ? 1 : UINT64_MAX);
	else
		hwf_stored_profile_count_block(contexts->stored, context, ITEM_NUMBER(item), &once);
}

static void count_edge(struct profile_contexts *contexts, const struct execution *execution,
		       const struct hwf_profile_edge *edge)
{
	const uint32_t number = hwf_stored_profile_edge_number(contexts->stored, edge);

	execution_calls_item(&contexts->calls, execution,
			     ITEM(number, edge->count == 1 ? ITEM_EDGE : ITEM_EDGE_TAKEN_BACK));
}

/* Counts the end of the last range: not at all, taken, or not taken to the target of its code. */
static void count_block(struct profile_contexts *contexts, const struct execution *execution,
			const struct hwf_profile_block *counted)
{
	const struct hwf_flow_range *range = &contexts->last;
	struct hwf_profile_block block = *counted, placed;
	struct hwf_profile_edge edge;
	uint32_t number;

	block.start = range->start;
	block.end = range->end;
	block.insn = range->insn;
	block.instructions = range->instructions;
	block.isa = range->isa;
	block.p0 = range->p0;
	if (!profile_counts_block(contexts->counts, execution, &block, &placed, &edge))
		return;
	number = hwf_stored_profile_block_number(contexts->stored, &placed);
	if (placed.taken || placed.not_taken)
		execution_calls_item(&contexts->calls, execution,
				     ITEM(number, placed.taken ? ITEM_TAKEN : ITEM_NOT_TAKEN));
	if (placed.diverted)
		execution_calls_item(&contexts->calls, execution, ITEM(number, ITEM_DIVERTED));
	if (edge.count)
		count_edge(contexts, execution, &edge);
}

/* The branch at the end of the last range; that to its target follows from the range. */
static void count_branch(struct profile_contexts *contexts, const struct execution *execution,
			 const struct hwf_branch *branch)
{
	const struct hwf_insn *insn = &contexts->last.insn;
	const struct hwf_profile_edge edge = {.from = branch->from,
					      .to = branch->to,
					      .from_space = branch->from_space,
					      .to_space = branch->to_space,
					      .count = 1,
					      .insn = *insn};
	struct hwf_profile_edge placed;

	if (!branch->taken || !branch->has_from || !branch->has_to ||
	    branch->kind == HWF_BRANCH_EXCEPTION || hwf_profile_edge_follows(&edge))
		return;
	if (insn->kind == HWF_INSN_DIRECT)
		count_block(
			contexts, execution,
			&(struct hwf_profile_block){.space = branch->from_space, .diverted = 1});
	if (profile_counts_edge(contexts->counts, execution, &edge, &placed))
		count_edge(contexts, execution, &placed);
}

void profile_contexts_branch(void *ctx, const struct execution *execution,
			     const struct hwf_branch *branch)
{
	struct profile_contexts *contexts = ctx;

	/* the caller's context has the branch, before the stack changes */
	if (hwf_stored_profile_has_context_counts(contexts->stored))
		count_branch(contexts, execution, branch);
	execution_calls_branch(&contexts->calls, execution, branch);
}

void profile_contexts_range(void *ctx, const struct execution *execution,
			    const struct hwf_flow_range *range)
{
	struct profile_contexts *contexts = ctx;

	execution_calls_range(&contexts->calls, execution, range);
	if (!hwf_stored_profile_has_context_counts(contexts->stored))
		return;
	contexts->last = *range;
	count_block(contexts, execution,
		    &(struct hwf_profile_block){.space = execution->branches.space,
						.taken = range->taken,
						.not_taken = !range->taken});
}

int profile_contexts_new(struct profile_contexts **result, struct hwf_stored_profile *stored,
			 struct profile_counts *counts, const struct input *input,
			 const struct input_options *options)
{
	struct profile_contexts *contexts = calloc(1, sizeof(*contexts));

	if (!contexts)
		return -ENOMEM;
	contexts->stored = stored;
	contexts->counts = counts;
	contexts->path = options->path;
	if (execution_calls_init(&contexts->calls, input, options,
				 &(struct calls_sink){.changed = take_change,
						      .executed = take_instructions,
						      .item = take_item,
						      .ctx = contexts})) {
		profile_contexts_free(contexts);
		return -ENOMEM;
	}
	*result = contexts;
	return 0;
}

void profile_contexts_free(struct profile_contexts *contexts)
{
	if (!contexts)
		return;
	execution_calls_free(&contexts->calls);
	free(contexts);
}

struct execution_calls *profile_contexts_calls(struct profile_contexts *contexts)
{
	return &contexts->calls;
}
