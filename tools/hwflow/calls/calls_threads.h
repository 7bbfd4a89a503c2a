/* SPDX-License-Identifier: GPL-2.0-only */
/* The threads of a recording, each with its stack. */
#ifndef HWFLOW_CALLS_THREADS_H
#define HWFLOW_CALLS_THREADS_H

#include "calls.h"

struct perfdata_event;

/**
 * struct stack_process - a process, and all that come from it: what their threads share
 * @pid: its number
 * @forked: stacks at fork(2)
 * @parked: see hwf_stack.parked
 * @resumes: stacks that were parked went on
 */
struct stack_process {
	int32_t pid;
	struct hwf_stack_saves *forked;
	struct hwf_stack_saves *parked;
	bool resumes;
};

/**
 * struct stack_thread - a thread
 * @thread: what the sink of the stacks sees
 * @switched: stacks that it has switched from
 * @process: that it belongs to
 * @birth: the record of its beginning; NULL: it was there before the recording
 * @is_deferred: calls_later has its steps
 */
struct stack_thread {
	struct calls_thread thread;
	struct hwf_stack_saves *switched;
	struct stack_process *process;
	const struct perfdata_event *birth;
	bool is_deferred;
};

/** struct births - records of the beginnings of threads, by thread */
struct births;

/** births_new() - those of a recording; NULL without memory */
struct births *births_new(const struct input *input);

/** births_free() - free them; NULL is allowed */
void births_free(struct births *births);

/** births_find() - the first one of a thread; NULL if the recording has none */
const struct perfdata_event *births_find(const struct births *births, int32_t tid);

/** struct stack_threads - all threads */
struct stack_threads;

/** stack_threads_new() - begin with none; @births must outlive them. NULL without memory */
struct stack_threads *stack_threads_new(const struct births *births);

/** stack_threads_free() - free everything; NULL is allowed */
void stack_threads_free(struct stack_threads *threads);

/**
 * stack_threads_get() - the thread of a place, which is added if it is new
 *
 * If the recording has the birth of a new thread, it begins as hwf_stack_fork() has it.
 *
 * Return: NULL without memory.
 */
struct stack_thread *stack_threads_get(struct stack_threads *threads,
				       const struct calls_place *place);

/** stack_threads_again() - stacks of deferred threads begin anew, and may go on with parked ones
 */
void stack_threads_again(struct stack_threads *threads);

/** stack_threads_each_process() - call a function with each process */
void stack_threads_each_process(const struct stack_threads *threads,
				void (*take)(void *ctx, struct stack_process *process), void *ctx);

/** stack_threads_lose_unseen() - a thread that has a birth and no trace may have parked stacks */
void stack_threads_lose_unseen(struct stack_threads *threads);

/** stack_threads_each() - call a function with each thread */
void stack_threads_each(const struct stack_threads *threads,
			void (*take)(void *ctx, struct stack_thread *thread), void *ctx);

#endif /* HWFLOW_CALLS_THREADS_H */
