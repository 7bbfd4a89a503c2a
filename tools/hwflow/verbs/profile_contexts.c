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
 */
struct profile_contexts {
	struct hwf_stored_profile *stored;
	struct profile_counts *counts;
	struct execution_calls calls;
	uint32_t most;
	uint32_t other;
	const char *path;
};

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
