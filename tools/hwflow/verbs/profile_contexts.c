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
 * struct context_thread - a thread
 * @next: another one
 * @contexts: numbers of the contexts of its calls, the outermost first; 0 without memory
 * @count: how many
 * @room: of @contexts
 * @now: the last event
 * @is_paused: the thread is not traced
 */
struct context_thread {
	struct context_thread *next;
	uint32_t *contexts;
	size_t count;
	size_t room;
	uint64_t now;
	bool is_paused;
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
	bool failed;
};

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

/* The context of a call from another one, or from outside: 0. Its number; 0 without memory */
static uint32_t context_of(struct profile_contexts *contexts, uint32_t caller,
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
	if (!thread->count || !passed)
		return;
	context = thread->contexts[thread->count - 1];
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
	uint32_t *more = thread->contexts;

	if (thread->count == thread->room) {
		thread->room = thread->room ? 2 * thread->room : 64;
		more = reallocarray(more, thread->room, sizeof(*more));
		if (!more) {
			thread->room = thread->count;
			contexts->failed = true;
			return;
		}
		thread->contexts = more;
	}
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
	case SPAN_RESUME:
		thread->is_paused = event->kind == SPAN_PAUSE;
		break;
	}
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
	if (contexts->spans)
		sink = spans_sink(contexts->spans);
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
