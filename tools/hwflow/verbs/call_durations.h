/* SPDX-License-Identifier: GPL-2.0-only */
/* The durations of calls: of each function, of chosen calls, and the longest of these. */
#ifndef HWFLOW_VERBS_CALL_DURATIONS_H
#define HWFLOW_VERBS_CALL_DURATIONS_H

#include "calls/functions.h"
#include "durations.h"
#include "measure.h"

/**
 * struct call_choice - which calls are chosen
 * @from: the name of a function; NULL: all functions
 * @to: a duration begins with a call of @from, and ends with the next call of this function in the
 *	thread; NULL: it ends with the call
 * @over: only calls that take longer than this are listed
 * @limit: list so many at most, the longest; 0: all
 * @show: number of the call whose calls are kept; 0: none
 * @each: keep so many of the longest calls of each function, and choose none; 0: none
 */
struct call_choice {
	const char *from;
	const char *to;
	uint64_t over;
	size_t limit;
	uint64_t show;
	size_t each;
};

/**
 * struct listed_call - a call
 * @number: counts the chosen calls as they begin, in the order in which they are decoded, from 1
 * @begin: what the clock said
 * @duration: until the end
 * @instructions: that the thread executed from the beginning to the end
 * @function: for functions_get()
 * @caller: likewise; 0: not known
 * @pid: process; INPUT_ANY where not known
 * @tid: thread, likewise
 */
struct listed_call {
	uint64_t number;
	uint64_t begin;
	uint64_t duration;
	uint64_t instructions;
	uint64_t function;
	uint64_t caller;
	int32_t pid;
	int32_t tid;
};

/**
 * struct shown_call - a call in the one that is shown
 * @begin: what the clock said
 * @duration: until the end
 * @instructions: likewise
 * @function: for functions_get()
 * @depth: 0: the call itself; 1: what it called; and so on
 * @is_whole: the beginning and the end are known
 */
struct shown_call {
	uint64_t begin;
	uint64_t duration;
	uint64_t instructions;
	uint64_t function;
	uint32_t depth;
	bool is_whole;
};

/**
 * struct function_durations - the calls of a function
 * @durations: of those that were seen from their beginning to their end
 * @partial: how many were not
 * @longest: the longest of them, the longest first: call_choice.each at most
 * @longest_count: how many
 */
struct function_durations {
	struct durations durations;
	uint64_t partial;
	struct listed_call *longest;
	size_t longest_count;
};

/**
 * struct call_durations - what was measured
 * @choice: see there
 * @measure: the unit
 * @functions: by their ids; NULL: of a function that was not called
 * @function_count: items of @functions
 * @chosen: the chosen calls
 * @partial: how many of these were not seen from the beginning to the end
 * @longest: some of them, the longest first after call_durations_end()
 * @longest_count: how many
 * @has_from: a function named @choice.from was called
 * @has_to: likewise
 * @over_count: how many take longer than @choice.over
 * @shown: calls in the one that is shown, as they begin
 * @shown_count: how many
 *
 * Other members are for call_durations.c.
 */
struct call_durations {
	struct call_choice choice;
	struct measure measure;
	struct function_durations **functions;
	size_t function_count;
	struct durations chosen;
	uint64_t partial;
	struct listed_call *longest;
	size_t longest_count;
	bool has_from;
	bool has_to;
	uint64_t over_count;
	struct shown_call *shown;
	size_t shown_count;
	const struct functions *names;
	uint8_t *matches;
	size_t longest_room;
	size_t shown_room;
	struct call_thread *threads;
	uint64_t numbers;
	bool failed;
};

/**
 * call_durations_init() - begin with no calls
 * @durations: to initialise
 * @choice: copied
 * @measure: copied
 */
void call_durations_init(struct call_durations *durations, const struct call_choice *choice,
			 const struct measure *measure);

/** call_durations_take() - take an event, as span_fn; @ctx is the struct call_durations, whose
 * @names are set */
void call_durations_take(void *ctx, const struct calls_thread *thread, void **own,
			 const struct span_event *event);

/**
 * call_durations_end() - there are no more events
 *
 * Return: 0; -ENOMEM: calls are missing.
 */
int call_durations_end(struct call_durations *durations);

/** call_durations_free() - free everything */
void call_durations_free(struct call_durations *durations);

#endif /* HWFLOW_VERBS_CALL_DURATIONS_H */
