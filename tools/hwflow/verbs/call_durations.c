/* SPDX-License-Identifier: GPL-2.0-only */
/* Durations of calls, from their beginnings and ends. */
#include "call_durations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"

/* Of a function: its name was compared, and is one of the two that were asked for */
#define COMPARED 1u
#define IS_FROM  2u
#define IS_TO    4u

/**
 * struct open_call - a call that goes on
 * @begin: what the clock said
 * @instructions: of the thread until then
 * @function: for functions_get()
 * @number: of a chosen call; 0: it is none
 * @shown: its index in call_durations.shown, plus 1; 0: it is not shown
 * @is_whole: @begin is known
 */
struct open_call {
	uint64_t begin;
	uint64_t instructions;
	uint64_t function;
	uint64_t number;
	size_t shown;
	bool is_whole;
};

/**
 * struct call_thread - a thread
 * @next: another one
 * @calls: those that go on, the outermost first
 * @count: how many
 * @room: of @calls
 * @between: the call of choice.from since which choice.to was not called; its number is 0 if there
 *	is none
 * @between_caller: its caller
 */
struct call_thread {
	struct call_thread *next;
	struct open_call *calls;
	size_t count;
	size_t room;
	struct open_call between;
	uint64_t between_caller;
};

void call_durations_init(struct call_durations *durations, const struct call_choice *choice,
			 const struct measure *measure)
{
	*durations = (struct call_durations){.choice = *choice, .measure = *measure};
}

void call_durations_free(struct call_durations *durations)
{
	struct call_thread *next;

	for (struct call_thread *thread = durations->threads; thread; thread = next) {
		next = thread->next;
		free(thread->calls);
		free(thread);
	}
	for (size_t i = 0; i < durations->function_count; i++) {
		if (durations->functions[i]) {
			durations_free(&durations->functions[i]->durations);
			free(durations->functions[i]->longest);
		}
		free(durations->functions[i]);
	}
	free(durations->functions);
	free(durations->matches);
	free(durations->longest);
	free(durations->shown);
	durations_free(&durations->chosen);
	*durations = (struct call_durations){0};
}

/* Room for one more item; false without memory */
static bool grow(struct call_durations *durations, void **items, size_t count, size_t *room,
		 size_t size)
{
	const size_t more = *room ? 2 * *room : 64;
	void *moved;

	if (count < *room)
		return true;
	moved = reallocarray(*items, more, size);
	if (!moved) {
		durations->failed = true;
		return false;
	}
	*items = moved;
	*room = more;
	return true;
}

static struct call_thread *get_thread(struct call_durations *durations, void **own)
{
	struct call_thread *thread = *own;

	if (thread)
		return thread;
	thread = calloc(1, sizeof(*thread));
	if (!thread) {
		durations->failed = true;
		return NULL;
	}
	thread->next = durations->threads;
	durations->threads = thread;
	*own = thread;
	return thread;
}

/* Room for functions up to this one; false without memory */
static bool reach_function(struct call_durations *durations, uint64_t id)
{
	const size_t count = durations->function_count;
	size_t more = count ? count : 256;
	void *functions, *matches;

	if (id < count)
		return true;
	while (more <= id)
		more *= 2;
	functions = reallocarray(durations->functions, more, sizeof(*durations->functions));
	if (functions)
		durations->functions = functions;
	matches = realloc(durations->matches, more);
	if (matches)
		durations->matches = matches;
	if (!functions || !matches)
		return false;
	memset(durations->functions + count, 0, (more - count) * sizeof(*durations->functions));
	memset(durations->matches + count, 0, more - count);
	durations->function_count = more;
	return true;
}

/* The function is called; false without memory */
static bool call_function(struct call_durations *durations, uint64_t id)
{
	if (reach_function(durations, id) && !durations->functions[id])
		durations->functions[id] = calloc(1, sizeof(**durations->functions));
	if (id < durations->function_count && durations->functions[id])
		return true;
	durations->failed = true;
	return false;
}

/* A name may be that of the symbol table, that of the source, or the latter without parameters. */
static bool is_named(const char *symbol, const char *source, const char *name)
{
	const size_t length = strlen(name);

	if (!name[0])
		return false;
	if (!strcmp(symbol, name))
		return true;
	return source && !strncmp(source, name, length) &&
	       (!source[length] || source[length] == '(');
}

static unsigned int match(struct call_durations *durations, uint64_t id)
{
	const struct call_choice *choice = &durations->choice;
	unsigned int matches = durations->matches[id];
	const char *symbol;
	char *source;

	if (matches)
		return matches;
	matches = COMPARED;
	if (choice->each) {
		/* each function has its own longest calls, and no call is chosen */
	} else if (!choice->from) {
		matches |= IS_FROM;
	} else {
		symbol = functions_get(durations->names, id)->function->name;
		source = demangle(symbol);
		if (is_named(symbol, source, choice->from))
			matches |= IS_FROM;
		if (choice->to && is_named(symbol, source, choice->to))
			matches |= IS_TO;
		free(source);
		durations->has_from |= (matches & IS_FROM) != 0;
		durations->has_to |= (matches & IS_TO) != 0;
	}
	durations->matches[id] = (uint8_t)matches;
	return matches;
}

static int compare_calls(const void *a, const void *b)
{
	const struct listed_call *x = a, *y = b;

	if (x->duration != y->duration)
		return x->duration > y->duration ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static void sort_longest(struct call_durations *durations)
{
	const size_t limit = durations->choice.limit;

	if (durations->longest_count)
		qsort(durations->longest, durations->longest_count, sizeof(*durations->longest),
		      compare_calls);
	if (limit && durations->longest_count > limit)
		durations->longest_count = limit;
}

static void list(struct call_durations *durations, const struct listed_call *call)
{
	void *longest = durations->longest;

	if (call->duration <= durations->choice.over && durations->choice.over)
		return;
	durations->over_count++;
	if (durations->choice.limit && durations->longest_count / 2 >= durations->choice.limit)
		sort_longest(durations);
	if (!grow(durations, &longest, durations->longest_count, &durations->longest_room,
		  sizeof(*durations->longest)))
		return;
	durations->longest = longest;
	durations->longest[durations->longest_count++] = *call;
}

/* A recording may convert timestamps in a way that goes backwards. */
static uint64_t since(const struct open_call *call, uint64_t now)
{
	return now > call->begin ? now - call->begin : 0;
}

static struct listed_call listed(const struct calls_thread *thread, const struct open_call *call,
				 uint64_t caller, const struct span_event *event, uint64_t now)
{
	return (struct listed_call){.number = call->number,
				    .begin = call->begin,
				    .duration = since(call, now),
				    .instructions = event->instructions - call->instructions,
				    .function = call->function,
				    .caller = caller,
				    .pid = thread->pid,
				    .tid = thread->tid};
}

/* A chosen call has ended. */
static void end_chosen(struct call_durations *durations, const struct listed_call *call)
{
	if (!durations_add(&durations->chosen, call->duration))
		durations->failed = true;
	list(durations, call);
}

/* Keeps a call of a function if it is one of the longest. */
static void keep(struct call_durations *durations, struct function_durations *function,
		 const struct listed_call *call)
{
	const size_t each = durations->choice.each;
	size_t at = function->longest_count;

	if (at == each && function->longest[at - 1].duration >= call->duration)
		return;
	if (!function->longest)
		function->longest = calloc(each, sizeof(*function->longest));
	if (!function->longest) {
		durations->failed = true;
		return;
	}
	if (at < each)
		function->longest_count++;
	else
		at--;
	for (; at && function->longest[at - 1].duration < call->duration; at--)
		function->longest[at] = function->longest[at - 1];
	function->longest[at] = *call;
}

/* Is the innermost call in the one that is shown? */
static bool is_shown(const struct call_thread *thread)
{
	return thread->count && thread->calls[thread->count - 1].shown;
}

static void show(struct call_durations *durations, const struct call_thread *thread,
		 struct open_call *call)
{
	const struct open_call *caller = thread->count ? &thread->calls[thread->count - 1] : NULL;
	void *shown = durations->shown;

	if (!grow(durations, &shown, durations->shown_count, &durations->shown_room,
		  sizeof(*durations->shown)))
		return;
	durations->shown = shown;
	durations->shown[durations->shown_count++] = (struct shown_call){
		.begin = call->begin,
		.function = call->function,
		.depth =
			caller && caller->shown ? durations->shown[caller->shown - 1].depth + 1 : 0,
	};
	call->shown = durations->shown_count;
}

static void begin(struct call_durations *durations, const struct calls_thread *calls_thread,
		  struct call_thread *thread, const struct span_event *event, uint64_t now)
{
	const uint64_t caller = thread->count ? thread->calls[thread->count - 1].function : 0;
	const unsigned int matches = match(durations, event->function);
	struct open_call call = {.begin = now,
				 .instructions = event->instructions,
				 .function = event->function,
				 .is_whole = event->kind == SPAN_BEGIN};
	void *moved = thread->calls;

	if ((matches & IS_TO) && call.is_whole && thread->between.number) {
		const struct listed_call ended =
			listed(calls_thread, &thread->between, thread->between_caller, event, now);

		end_chosen(durations, &ended);
		thread->between.number = 0;
	}
	if ((matches & IS_FROM) && call.is_whole && !thread->between.number) {
		call.number = ++durations->numbers;
		if (durations->choice.to) {
			thread->between = call;
			thread->between_caller = caller;
			call.number = 0;
		}
	}
	if (is_shown(thread) || (call.number && call.number == durations->choice.show))
		show(durations, thread, &call);
	if (!grow(durations, &moved, thread->count, &thread->room, sizeof(*thread->calls)))
		return;
	thread->calls = moved;
	thread->calls[thread->count++] = call;
}

static void end(struct call_durations *durations, const struct calls_thread *calls_thread,
		struct call_thread *thread, const struct span_event *event, uint64_t now)
{
	const struct open_call *call = &thread->calls[--thread->count];
	const uint64_t caller = thread->count ? thread->calls[thread->count - 1].function : 0;
	struct function_durations *function = durations->functions[call->function];
	const bool is_whole = call->is_whole && event->kind == SPAN_END;
	const struct listed_call ended = listed(calls_thread, call, caller, event, now);

	if (call->shown) {
		struct shown_call *shown = &durations->shown[call->shown - 1];

		shown->duration = since(call, now);
		shown->instructions = event->instructions - call->instructions;
		shown->is_whole = is_whole;
	}
	if (is_whole && !durations_add(&function->durations, since(call, now)))
		durations->failed = true;
	function->partial += !is_whole;
	if (is_whole && durations->choice.each)
		keep(durations, function, &ended);
	if (event->kind == SPAN_LOST && thread->between.number) {
		thread->between.number = 0;
		durations->partial++;
	}
	if (durations->choice.to || !(match(durations, call->function) & IS_FROM))
		return;
	if (is_whole)
		end_chosen(durations, &ended);
	else
		durations->partial++;
}

void call_durations_take(void *ctx, const struct calls_thread *calls_thread, void **own,
			 const struct span_event *event)
{
	struct call_durations *durations = ctx;
	const uint64_t now = measure_now(&durations->measure, event->clock);
	struct call_thread *thread = get_thread(durations, own);

	if (!thread || durations->failed)
		return;
	if (event->kind == SPAN_END || event->kind == SPAN_LOST) {
		if (thread->count)
			end(durations, calls_thread, thread, event, now);
	} else if ((event->kind == SPAN_BEGIN || event->kind == SPAN_FOUND) &&
		   call_function(durations, event->function)) {
		begin(durations, calls_thread, thread, event, now);
	}
}

int call_durations_end(struct call_durations *durations)
{
	sort_longest(durations);
	return durations->failed ? -ENOMEM : 0;
}
