/* SPDX-License-Identifier: GPL-2.0-only */
/* Calling contexts of a recording. */
#include "profile_contexts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/input_limits.h"

/* What contexts beyond the limit are called */
#define OTHER "[other contexts]"

/* Contexts that are found by the numbers of their calls; a power of two */
#define KNOWN 4096u

/* struct known_context - the context of a call from another one; @number 0: none */
struct known_context {
	uint64_t function;
	uint64_t place;
	uint32_t caller;
	uint32_t number;
	uint8_t open;
};

/**
 * struct context_thread - a thread
 * @next: another one
 * @contexts: numbers of the contexts of its calls, the outermost first; 0 without memory
 * @count: how many
 * @room: of @contexts
 * @now: the last event
 * @is_paused: the thread is not traced
 * @paused: context of the call that was executed last before that; 0: it is not known
 */
struct context_thread {
	struct context_thread *next;
	uint32_t *contexts;
	size_t count;
	size_t room;
	uint64_t now;
	bool is_paused;
	uint32_t paused;
};

/**
 * struct profile_contexts - see profile_contexts.h
 * @stored: receives the counts
 * @counts: has the files of @stored
 * @measure: what is counted
 * @calls: the stacks
 * @spans: beginnings and ends of calls
 * @threads: all threads
 * @most: numbers of contexts that are counted apart
 * @other: the context of all others; 0: there is none yet
 * @path: of the recording, for messages
 * @known: calls that were made lately
 * @last: the last range that was executed, if its blocks are counted in contexts
 * @failed: memory ran out
 */
struct profile_contexts {
	struct hwf_stored_profile *stored;
	struct profile_counts *counts;
	struct measure measure;
	struct execution_calls calls;
	struct spans *spans;
	struct context_thread *threads;
	uint32_t most;
	uint32_t other;
	const char *path;
	struct known_context known[KNOWN];
	struct hwf_flow_range last;
	bool failed;
};

/*
 * What is counted in a context, as calls_item() takes it: a number of the profile, and how often it
 * was executed.
 */
enum { ITEM_NOT_TAKEN, ITEM_TAKEN, ITEM_DIVERTED, ITEM_EDGE, ITEM_EDGE_TAKEN_BACK };
#define ITEM(number, kind)  ((uint64_t)(number) << 3 | (kind))
#define ITEM_IS(item, kind) (((item) & 7) == (kind))
#define ITEM_NUMBER(item)   ((uint32_t)((item) >> 3))

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

static uint8_t open_of(const struct span_event *event)
{
	if (!event->is_whole)
		return HWF_CONTEXT_UNKNOWN;
	return event->is_exception ? HWF_CONTEXT_EXCEPTION : HWF_CONTEXT_CALL;
}

/* Adds a call from another context, or from outside: 0. Its number; 0 without memory */
static uint32_t add_call(struct profile_contexts *contexts, uint32_t caller,
			 const struct span_event *event)
{
	const struct functions *functions = calls_functions(contexts->calls.calls);
	const struct called_function *function = functions_get(functions, event->function);
	struct hwf_profile_context context = {
		.caller = caller,
		.open = open_of(event),
		.entry = function->offset,
		.calls = event->is_called,
		.name = function->function->name,
	};

	if (function->file)
		context.file = profile_counts_file(contexts->counts, function->file);
	if (event->place) {
		const struct call_site *site = functions_get_site(functions, event->place);

		context.site = site->offset;
		if (site->file)
			context.site_file = profile_counts_file(contexts->counts, site->file);
	}
	return add(contexts, &context);
}

/* As add_call() */
static uint32_t context_of(struct profile_contexts *contexts, uint32_t caller,
			   const struct span_event *event)
{
	const uint64_t key = event->function ^ event->place << 16 ^ (uint64_t)caller << 32;
	const uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
	struct known_context *known = &contexts->known[hash >> 32 & (KNOWN - 1)];

	if (known->number && known->function == event->function && known->place == event->place &&
	    known->caller == caller && known->open == open_of(event)) {
		hwf_stored_profile_add_to_context(contexts->stored, known->number, event->is_called,
						  0);
		return known->number;
	}
	*known = (struct known_context){event->function, event->place, caller,
					add_call(contexts, caller, event), open_of(event)};
	return known->number;
}

static struct context_thread *get_thread(struct profile_contexts *contexts, void **own)
{
	struct context_thread *thread = *own;

	if (thread)
		return thread;
	thread = calloc(1, sizeof(*thread));
	if (!thread) {
		contexts->failed = true;
		return NULL;
	}
	thread->next = contexts->threads;
	contexts->threads = thread;
	*own = thread;
	return thread;
}

/* What has passed since the last event belongs to the innermost call. */
static void count(struct profile_contexts *contexts, struct context_thread *thread, uint64_t now)
{
	/* a recording may convert timestamps in a way that goes backwards */
	const uint64_t passed = now > thread->now ? now - thread->now : 0;
	uint32_t context;

	if (now > thread->now)
		thread->now = now;
	context = thread->is_paused ? thread->paused
		  : thread->count   ? thread->contexts[thread->count - 1]
				    : 0;
	if (!context || !passed)
		return;
	if (thread->is_paused)
		context = add(contexts, &(struct hwf_profile_context){.caller = context,
								      .open = HWF_CONTEXT_CALL,
								      .name = PROFILE_NOT_TRACED});
	hwf_stored_profile_add_to_context(contexts->stored, context, 0, passed);
}

static void begin(struct profile_contexts *contexts, struct context_thread *thread,
		  const struct span_event *event)
{
	const uint32_t caller = thread->count ? thread->contexts[thread->count - 1] : 0;
	uint32_t *more = array_room(thread->contexts, thread->count, &thread->room, sizeof(*more));

	if (!more) {
		contexts->failed = true;
		return;
	}
	thread->contexts = more;
	more[thread->count++] = context_of(contexts, caller, event);
}

/* As span_fn */
static void take_span(void *ctx, const struct calls_thread *calls_thread, void **own,
		      const struct span_event *event)
{
	struct profile_contexts *contexts = ctx;
	struct context_thread *thread = get_thread(contexts, own);

	(void)calls_thread;
	if (!thread || contexts->failed)
		return;
	count(contexts, thread, measure_now(&contexts->measure, event->clock));
	switch ((enum span_event_kind)event->kind) {
	case SPAN_BEGIN:
	case SPAN_FOUND:
		begin(contexts, thread, event);
		break;
	case SPAN_END:
	case SPAN_LOST:
		thread->count -= thread->count > 0;
		break;
	case SPAN_PAUSE:
		thread->is_paused = true;
		/* its calls may be lost before it is traced again */
		thread->paused = thread->count ? thread->contexts[thread->count - 1] : 0;
		break;
	case SPAN_RESUME:
		thread->is_paused = false;
		break;
	}
}

/* As span_item_fn: items are of the innermost call; of a thread without calls, of no context. */
static void take_item(void *ctx, void **own, uint64_t item)
{
	struct profile_contexts *contexts = ctx;
	const struct context_thread *thread = get_thread(contexts, own);
	const uint32_t context = thread && thread->count ? thread->contexts[thread->count - 1] : 0;
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
			 struct profile_counts *counts, const struct measure *measure,
			 const struct input *input, const struct input_options *options)
{
	struct profile_contexts *contexts = calloc(1, sizeof(*contexts));
	struct calls_sink sink;

	if (!contexts)
		return -ENOMEM;
	contexts->stored = stored;
	contexts->counts = counts;
	contexts->measure = *measure;
	contexts->path = options->path;
	contexts->spans = spans_new(measure->by, take_span, contexts);
	if (contexts->spans) {
		spans_take_items(contexts->spans, take_item);
		sink = spans_sink(contexts->spans);
	}
	if (!contexts->spans || execution_calls_init(&contexts->calls, input, options, &sink)) {
		profile_contexts_free(contexts);
		return -ENOMEM;
	}
	contexts->calls.cycles = measure->by == SPANS_CYCLES;
	*result = contexts;
	return 0;
}

struct execution_calls *profile_contexts_calls(struct profile_contexts *contexts)
{
	return &contexts->calls;
}

int profile_contexts_end(struct profile_contexts *contexts)
{
	const int error = calls_end(contexts->calls.calls) | spans_end(contexts->spans);

	return error || contexts->failed ? -ENOMEM : 0;
}

void profile_contexts_free(struct profile_contexts *contexts)
{
	struct context_thread *next;

	if (!contexts)
		return;
	for (struct context_thread *thread = contexts->threads; thread; thread = next) {
		next = thread->next;
		free(thread->contexts);
		free(thread);
	}
	execution_calls_free(&contexts->calls);
	spans_free(contexts->spans);
	free(contexts);
}
