/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Steps of threads that go from CPU to CPU, and of goroutines that go from thread to thread.
 * Sources are decoded one after the other; the steps wait in a temporary file, and are taken thread
 * by thread, in the order of time.
 *
 * A stretch is what a thread executes in a source until another thread does, or trace is missing.
 * The timestamps in it say when it was. If it has none, it was between the one before and the one
 * behind it.
 */
#ifndef HWFLOW_CALLS_LATER_H
#define HWFLOW_CALLS_LATER_H

#include "calls_step.h"
#include "calls_threads.h"

/** struct calls_later - the steps */
struct calls_later;

/**
 * calls_later_new() - none
 * @has_clock: keep what the clock of places says, too
 *
 * Return: NULL without memory or a temporary file.
 */
struct calls_later *calls_later_new(bool has_clock);

/** calls_later_free() - free everything; NULL is allowed */
void calls_later_free(struct calls_later *later);

/** calls_later_step() - keep a step; all of a source in their order, as the functions below */
void calls_later_step(struct calls_later *later, struct stack_thread *thread,
		      const struct calls_place *place, const struct calls_step *step);

/** calls_later_range() - keep a number of instructions */
void calls_later_range(struct calls_later *later, struct stack_thread *thread,
		       const struct calls_place *place, uint64_t instructions);

/** calls_later_item() - keep an item of the caller's own */
void calls_later_item(struct calls_later *later, struct stack_thread *thread,
		      const struct calls_place *place, uint64_t item);

/** calls_later_gap() - trace of a source is missing here */
void calls_later_gap(struct calls_later *later, const struct calls_place *place);

/**
 * struct calls_later_sink - who takes them
 * @step: takes a step of a thread
 * @range: takes instructions
 * @item: takes an item, if one was kept
 * @lose: the thread may have executed something that is missing, or the order is not known
 * @clock: the clock says something else, if that was kept
 * @pause: the thread goes on at another time
 * @ctx: first argument of all
 */
struct calls_later_sink {
	void (*step)(void *ctx, struct stack_thread *thread, const struct calls_step *step);
	void (*range)(void *ctx, struct stack_thread *thread, uint64_t instructions);
	void (*item)(void *ctx, struct stack_thread *thread, uint64_t item);
	void (*lose)(void *ctx, struct stack_thread *thread);
	void (*clock)(void *ctx, struct stack_thread *thread, uint64_t clock);
	void (*pause)(void *ctx, struct stack_thread *thread);
	void *ctx;
};

/** calls_later_end() - all steps are there */
void calls_later_end(struct calls_later *later);

/**
 * calls_later_run() - hand on all steps, after calls_later_end(); as often as is wanted
 *
 * Threads come in the order of their births, so that a parent comes before its children.
 *
 * Return: 0; -ENOMEM, or the -errno of the temporary file: steps are missing.
 */
int calls_later_run(struct calls_later *later, const struct calls_later_sink *sink);

#endif /* HWFLOW_CALLS_LATER_H */
