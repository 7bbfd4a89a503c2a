/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sample profiles by calling contexts, which clang reads. A context of the profile is a function at
 * the calls around it that the compiler can inline: calls of one binary, with DWARF. A function
 *that was entered otherwise has no caller:
 *
 *	contexts of the recording            samples
 *	_start                               (no DWARF)
 *	  main, called by code without it    [main]
 *	    work, called at main:3           [main:3 @ work]
 *	      leaf, by a jump of work        [leaf]
 *	[unknown]
 *	  leaf                               [leaf]
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "profile_autofdo.h"

/* A function in more calls than this has no caller: lines of a deep context name all of it. */
#define CONTEXT_DEPTH 512u

/* struct call_edge - a call in a context, by offsets in the file */
struct call_edge {
	uint32_t context;
	uint64_t from;
	uint64_t to;
};

/**
 * struct placed - where a context is in the samples
 * @call: the call of its function; without a caller, its code is of no known caller
 * @entry: address of the function; 0: @call has no caller
 * @number: of the context
 */
struct placed {
	struct samples_call call;
	uint64_t entry;
	uint32_t number;
};

/**
 * struct contexts - the profile as it is made
 * @autofdo: the profile
 * @stored: what it is made of
 * @counts: of some contexts
 * @calls: struct call_edge: calls of all contexts, sorted
 * @placed: by numbers of contexts; 0 is code of which the context is not known
 * @count: how many
 * @executed: instructions of the binary
 * @unknown: of these, those of functions whose callers are not known
 */
struct contexts {
	struct autofdo autofdo;
	struct hwf_stored_profile *stored;
	struct hwf_profile *counts;
	struct items calls;
	struct placed *placed;
	size_t count;
	uint64_t executed;
	uint64_t unknown;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_calls(const void *a, const void *b)
{
	const struct call_edge *x = a, *y = b;
	int order = compare_numbers(x->context, y->context);

	order = order ? order : compare_numbers(x->from, y->from);
	return order ? order : compare_numbers(x->to, y->to);
}

/* Instructions of the binary that were executed in a context, and its calls */
static int read_context(struct contexts *contexts, uint32_t number, uint64_t *executed)
{
	const struct hwf_profile_file *file = contexts->autofdo.binary->file;
	const struct hwf_profile_block *block;
	struct hwf_profile_edge edge;
	struct call_edge *call;
	size_t at = 0;

	hwf_profile_clear(contexts->counts);
	hwf_stored_profile_context_counts(contexts->stored, number, contexts->counts);
	while ((block = hwf_profile_next_block(contexts->counts, &at)))
		if (block->space == file)
			*executed += (block->taken + block->not_taken) * block->instructions;
	at = 0;
	while (hwf_profile_next_edge(contexts->counts, &at, &edge)) {
		if (edge.from_space != file || edge.to_space != file || !edge.count ||
		    edge.insn.sub != HWF_SUB_LINK)
			continue;
		call = items_add(&contexts->calls, sizeof(*call));
		if (!call)
			return -ENOMEM;
		*call = (struct call_edge){number, edge.from, edge.to};
	}
	return 0;
}

static int read_contexts(struct contexts *contexts)
{
	const struct hwf_profile_context *context;
	int error = read_context(contexts, 0, &contexts->unknown);
	size_t at = 0;

	while (!error && (context = hwf_stored_profile_next_context(contexts->stored, &at)))
		error = read_context(contexts, (uint32_t)at,
				     context->open == HWF_CONTEXT_UNKNOWN ? &contexts->unknown
									  : &contexts->executed);
	contexts->count = at + 1;
	contexts->executed += contexts->unknown;
	items_sort(&contexts->calls, sizeof(struct call_edge), compare_calls);
	return error;
}

/* Goes from a call to that of its caller. */
static struct samples_call outer(const struct samples_call *call)
{
	return (struct samples_call){call->caller->caller, call->caller->call};
}

static bool is_same(const struct samples_call *a, const struct samples_call *b)
{
	return a->place.line == b->place.line && a->place.discriminator == b->place.discriminator &&
	       !strcmp(a->caller->name, b->caller->name);
}

/* Do the last @count calls repeat the calls before them? @before receives the last of those. */
static bool repeats(struct samples_call last, size_t count, struct samples_call *before)
{
	struct samples_call at = last;

	for (size_t i = 0; i < count && at.caller; i++)
		at = outer(&at);
	*before = at;
	for (size_t i = 0; i < count; i++) {
		if (!at.caller || !is_same(&last, &at))
			return false;
		last = outer(&last);
		at = outer(&at);
	}
	return true;
}

/*
 * The call of a function by code at @stack, in the function that autofdo_enter() was called for.
 * Recursion, calls that repeat the calls before them, is one round, as llvm-profgen has it.
 */
static struct samples_call find_call(struct contexts *contexts, const struct source_stack *stack)
{
	struct samples_call call = samples_find_call(&contexts->autofdo.samples, stack), before;

	if (!call.caller || call.caller->depth > CONTEXT_DEPTH)
		return (struct samples_call){0};
	for (size_t i = 1; 2 * i <= call.caller->depth; i++)
		if (repeats(call, i, &before))
			return before;
	return call;
}

/* Was the function of a context called, and not entered by a jump, or by code of another file? */
static bool is_called(const struct contexts *contexts, const struct hwf_profile_context *context)
{
	const struct hwf_profile_file *file = contexts->autofdo.binary->file;
	const struct call_edge call = {context->caller, context->site, context->entry};

	return context->caller && context->open == HWF_CONTEXT_CALL && context->site_file == file &&
	       context->file == file && contexts->calls.count &&
	       bsearch(&call, contexts->calls.at, contexts->calls.count, sizeof(call),
		       compare_calls);
}

static void enter_context(struct contexts *contexts, const struct placed *placed)
{
	contexts->autofdo.call = placed->call;
	contexts->autofdo.entry = placed->entry;
}

static void place_context(struct contexts *contexts, const struct hwf_profile_context *context,
			  struct placed *placed)
{
	struct autofdo *autofdo = &contexts->autofdo;
	struct source_stack stack;
	uint64_t site, entry;

	if (!is_called(contexts, context) ||
	    !profile_address(autofdo->binary->elf, context->site, &site) ||
	    !profile_address(autofdo->binary->elf, context->entry, &entry))
		return;
	stack = autofdo_frames(autofdo, entry);
	if (!stack.count || stack.entry != entry)
		return;
	stack = autofdo_frames(autofdo, site);
	enter_context(contexts, &contexts->placed[context->caller]);
	autofdo_enter(autofdo, stack.entry);
	placed->call = find_call(contexts, &stack);
	if (placed->call.caller)
		placed->entry = entry;
}

static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int order = compare_numbers((uintptr_t)x->call.caller, (uintptr_t)y->call.caller);

	order = order ? order : compare_numbers(x->call.place.line, y->call.place.line);
	order = order ? order
		      : compare_numbers(x->call.place.discriminator, y->call.place.discriminator);
	return order ? order : compare_numbers(x->entry, y->entry);
}

/* A callee has a caller if place_context() gives it one. */
static void add_edge(struct contexts *contexts, const struct hwf_profile_edge *edge)
{
	struct samples *samples = &contexts->autofdo.samples;
	struct samples_call call = {0};
	struct autofdo_entry entered;

	if (!autofdo_is_entry(&contexts->autofdo, edge, &entered))
		return;
	if (entered.from.count) {
		autofdo_enter(&contexts->autofdo, entered.from.entry);
		samples_add_call(samples, &entered.from, entered.name, edge->count);
		if (edge->insn.sub == HWF_SUB_LINK)
			call = find_call(contexts, &entered.from);
	}
	samples->call = call;
	samples_add_entry(samples, entered.name, false, edge->count);
}

/* Adds what was executed in all contexts of the same place in the samples. */
static int add_contexts(struct contexts *contexts, const struct placed *placed, size_t count)
{
	struct hwf_profile_edge edge;
	size_t at = 0;
	int error;

	hwf_profile_clear(contexts->counts);
	for (size_t i = 0; i < count; i++)
		hwf_stored_profile_context_counts(contexts->stored, placed[i].number,
						  contexts->counts);
	if (hwf_profile_failed(contexts->counts))
		return -ENOMEM;
	enter_context(contexts, placed);
	error = autofdo_add_blocks(&contexts->autofdo, contexts->counts);
	while (!error && hwf_profile_next_edge(contexts->counts, &at, &edge))
		add_edge(contexts, &edge);
	return error;
}

static int make(struct contexts *contexts)
{
	const struct hwf_profile_context *context;
	size_t at = 0, end;
	int error = read_contexts(contexts);

	contexts->placed = error ? NULL : calloc(contexts->count, sizeof(*contexts->placed));
	if (!contexts->placed)
		return -ENOMEM;
	while ((context = hwf_stored_profile_next_context(contexts->stored, &at))) {
		contexts->placed[at].number = (uint32_t)at;
		place_context(contexts, context, &contexts->placed[at]);
	}
	qsort(contexts->placed, contexts->count, sizeof(*contexts->placed), compare_placed);
	for (size_t i = 0; i < contexts->count && !error; i = end) {
		for (end = i + 1; end < contexts->count; end++)
			if (compare_placed(&contexts->placed[i], &contexts->placed[end]) != 0)
				break;
		error = add_contexts(contexts, &contexts->placed[i], end - i);
	}
	return error;
}

int profile_cs_autofdo(const struct profile_content *content, struct text *out)
{
	struct contexts contexts = {
		.autofdo = {.binary = content->binaries, .samples.rules = &samples_llvm_contexts},
		.stored = content->stored,
		.counts = hwf_profile_new(),
	};
	int error = contexts.counts ? make(&contexts) : -ENOMEM;

	if (!error)
		error = samples_write_llvm_contexts(&contexts.autofdo.samples, out);
	if (error == -ENODATA)
		autofdo_no_samples(&contexts.autofdo);
	if (!error && contexts.unknown)
		input_error(
			content->binaries->file->name, UINT64_MAX,
			"%" PRIu64 " of %" PRIu64 " instructions are of functions whose callers "
			"are not known, since trace began or was lost; they are counted without "
			"a calling context",
			contexts.unknown, contexts.executed);
	samples_free(&contexts.autofdo.samples);
	hwf_profile_free(contexts.counts);
	free(contexts.calls.at);
	free(contexts.placed);
	return error;
}
