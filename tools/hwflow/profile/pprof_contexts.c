/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples of pprof with whole stacks: one of each calling context. Its first location is the
 * function of the context as a whole; the others are the calls that it was entered by, the
 * innermost first.
 */
#include <stdlib.h>
#include <string.h>

#include "context_code.h"
#include "frame_tree.h"
#include "pprof_locations.h"

/* What contexts are below whose caller is not known */
#define UNKNOWN "[unknown]"

/**
 * struct stack - the stack of a context
 * @caller: number of the context that it was called from
 * @depth: contexts on it, with this one
 * @function: number of the location of the function
 * @site: and of the call; without one, of the calling function; 0: it is outermost
 * @name: of the function, by symbols; NULL: its location has the name
 * @is_unknown: its caller is not known
 * @counts: of all contexts below the deepest one that has a stack of its own
 */
struct stack {
	uint32_t caller;
	uint32_t depth;
	uint64_t function;
	uint64_t site;
	const char *name;
	bool is_unknown;
	uint64_t counts[PPROF_COUNTS];
};

/**
 * struct stacks - all of them
 * @pprof: the profile
 * @files: by the numbers of files
 * @at: by the numbers of contexts, from 1
 * @unknown: number of the location of callers that are not known; 0: there are none
 * @numbers: the locations of one stack: at most two of each context
 * @count: how many
 */
struct stacks {
	struct pprof *pprof;
	struct pprof_file *files;
	struct stack *at;
	uint64_t unknown;
	uint64_t numbers[2 * FRAMES_MOST + 4];
	size_t count;
};

static uint64_t number_of(const struct pprof_location *location)
{
	return location ? location->number : 0;
}

/* The number of the location of a function as a whole, with the line of its declaration */
static uint64_t function_location(struct stacks *stacks, const struct hwf_profile_context *context,
				  const char **name)
{
	struct pprof_file *file = context->file ? &stacks->files[context->file->number] : NULL;
	struct source_frame frame;
	struct pprof_place place;

	if (!file || !file->binary)
		return number_of(
			pprof_named(stacks->pprof, file ? context->file->name : context->name));
	pprof_find_place(file, context->entry, &place);
	place.key.is_function = true;
	if (place.stack.count) {
		frame = place.stack.frames[0];
		frame.at.line = frame.line ? frame.line : frame.at.line;
		place.stack.frames = &frame;
		place.stack.count = 1;
	} else {
		*name = place.name;
	}
	return number_of(pprof_location(stacks->pprof, place.key, &place.stack, place.name));
}

/* The number of the location of a call; of the calling function if the call is not known */
static uint64_t site_location(struct stacks *stacks, const struct hwf_profile_context *context)
{
	struct pprof_file *file =
		context->site_file ? &stacks->files[context->site_file->number] : NULL;
	const char *name = stacks->at[context->caller].name;
	struct pprof_place place;

	if (!file || !file->binary)
		return stacks->at[context->caller].function;
	pprof_find_place(file, context->site, &place);
	/* code that a function goes on in without a call, by symbols of another one */
	if (!place.stack.count && name && strcmp(place.name, name) != 0) {
		place.key.name = pprof_string(stacks->pprof, name);
		place.name = name;
	}
	return number_of(pprof_location(stacks->pprof, place.key, &place.stack, place.name));
}

static void push(struct stacks *stacks, uint64_t number)
{
	stacks->numbers[stacks->count++] = number;
}

/* Pushes what a context was called by, from the innermost call on. */
static void push_callers(struct stacks *stacks, uint32_t number)
{
	for (; number; number = stacks->at[number].caller) {
		if (stacks->at[number].is_unknown)
			push(stacks, stacks->unknown);
		if (stacks->at[number].site)
			push(stacks, stacks->at[number].site);
	}
}

static void put_sample(struct stacks *stacks, const uint64_t counts[PPROF_COUNTS])
{
	struct pprof *pprof = stacks->pprof;

	message_numbers(&pprof->inner, 1, stacks->numbers, stacks->count);
	message_numbers(&pprof->inner, 2, counts, PPROF_COUNTS);
	message_message(&pprof->profile, PROFILE_SAMPLE, &pprof->inner);
	stacks->count = 0;
}

/* Adds a context to the stacks. One that is too deep is of the deepest one that is not. */
static void add_stack(struct stacks *stacks, const struct hwf_profile_context *context,
		      uint32_t number)
{
	struct stack *stack = &stacks->at[number];

	stack->caller = context->caller;
	stack->depth = stacks->at[context->caller].depth + 1;
	if (stack->depth > FRAMES_MOST) {
		while (stacks->at[stack->caller].depth > FRAMES_MOST)
			stack->caller = stacks->at[stack->caller].caller;
		return;
	}
	stack->is_unknown = context->open == HWF_CONTEXT_UNKNOWN;
	if (stack->is_unknown && !stacks->unknown)
		stacks->unknown = number_of(pprof_named(stacks->pprof, UNKNOWN));
	stack->function = function_location(stacks, context, &stack->name);
	if (context->caller)
		stack->site = site_location(stacks, context);
}

static void add_context(struct stacks *stacks, const struct hwf_profile_context *context,
			uint32_t number, bool is_all)
{
	struct pprof_file *file = context->file ? &stacks->files[context->file->number] : NULL;
	const uint64_t counts[PPROF_COUNTS] = {
		[PPROF_INSTRUCTIONS] = context->instructions,
		[PPROF_OTHER] = context->calls,
	};

	add_stack(stacks, context, number);
	if (!is_all && (!file || !file->binary))
		return;
	if (file)
		file->instructions += context->instructions;
	if (stacks->at[number].depth > FRAMES_MOST) {
		for (size_t i = 0; i < PPROF_COUNTS; i++)
			stacks->at[stacks->at[number].caller].counts[i] += counts[i];
	} else if (context->instructions || context->calls) {
		push(stacks, stacks->at[number].function);
		push_callers(stacks, number);
		put_sample(stacks, counts);
	}
}

/* Samples of contexts that are too deep */
static void put_deeper(struct stacks *stacks, size_t count)
{
	for (uint32_t i = 1; i <= count; i++) {
		const struct stack *stack = &stacks->at[i];

		if (!stack->counts[PPROF_INSTRUCTIONS] && !stack->counts[PPROF_OTHER])
			continue;
		push(stacks, number_of(pprof_named(stacks->pprof, FRAMES_DEEPER)));
		push(stacks, stack->function);
		push_callers(stacks, i);
		put_sample(stacks, stack->counts);
	}
}

void pprof_add_contexts(struct pprof *pprof, const struct profile_content *content,
			struct pprof_file *files)
{
	const bool is_all = content->count == profile_count_files(content->stored);
	struct stacks *stacks = calloc(1, sizeof(*stacks));
	const struct hwf_profile_context *context;
	size_t count = 0, at = 0;

	while (hwf_stored_profile_next_context(content->stored, &count))
		;
	if (stacks)
		*stacks = (struct stacks){.pprof = pprof,
					  .files = files,
					  .at = calloc(count + 1, sizeof(*stacks->at))};
	if (stacks && stacks->at) {
		while ((context = hwf_stored_profile_next_context(content->stored, &at)))
			add_context(stacks, context, (uint32_t)at, is_all);
		put_deeper(stacks, count);
	} else {
		pprof->failed = true;
	}
	if (stacks)
		free(stacks->at);
	free(stacks);
}
