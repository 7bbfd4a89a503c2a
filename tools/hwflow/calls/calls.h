/* SPDX-License-Identifier: GPL-2.0-only */
/* The call stacks of all threads of a recording, while it is decoded. */
#ifndef HWFLOW_CALLS_H
#define HWFLOW_CALLS_H

#include "functions.h"
#include "hwflow/branch.h"
#include "hwflow/stack.h"
#include "source/input.h"

struct perfdata_info;

/**
 * struct calls_thread - a thread, and its stack
 * @stack: its stack
 * @pid: its process; INPUT_ANY where not known
 * @tid: its number; INPUT_ANY: the trace has no numbers of threads, and this is the thread of
 *	@source
 * @source: of a thread without a number, and of number 0, which the idle threads of all CPUs have;
 *	else NULL
 * @exception: number of the last exception, plus 1: enum hwf_exception or hwf_exception_m; 0:
 *	there was none, or the trace does not have its number
 * @own: of the sink; NULL at first
 */
struct calls_thread {
	struct hwf_stack stack;
	int32_t pid;
	int32_t tid;
	const struct input_source *source;
	uint32_t exception;
	void *own;
};

/**
 * struct calls_sink - who takes the stacks
 * @changed: the frames of a thread above stack.kept have changed, or there are fewer
 * @executed: a thread has executed instructions in its innermost frame; if it has no frames, in a
 *	function that is not known
 * @item: a thread has an item of calls_item(), likewise; NULL: there are none
 * @clock: calls_place.clock has changed; NULL: nobody wants to know
 * @paused: trace begins again, or another thread is executed: time may have passed when the thread
 *	goes on. Set if @clock is
 * @ctx: first argument of all
 */
struct calls_sink {
	void (*changed)(void *ctx, struct calls_thread *thread);
	void (*executed)(void *ctx, struct calls_thread *thread, uint64_t instructions);
	void (*item)(void *ctx, struct calls_thread *thread, uint64_t item);
	void (*clock)(void *ctx, struct calls_thread *thread, uint64_t clock);
	void (*paused)(void *ctx, struct calls_thread *thread);
	void *ctx;
};

/**
 * struct calls_place - where execution is
 * @source: the source of trace
 * @piece: and the piece of that
 * @pid: the process; INPUT_ANY where not known
 * @tid: the thread, likewise
 * @time: last timestamp of the trace, in ticks; 0 before the first
 * @clock: what the sink wants to know of: the same, or a sum of cycle counts, which must not go
 *	backwards in a source
 */
struct calls_place {
	const struct input_source *source;
	const struct input_piece *piece;
	int32_t pid;
	int32_t tid;
	uint64_t time;
	uint64_t clock;
};

/** struct calls - the stacks */
struct calls;

/**
 * calls_new() - begin with no threads
 * @input: what is decoded
 * @symbols: names as they are in symbol tables
 * @sink: copied
 *
 * Return: NULL without memory.
 */
struct calls *calls_new(const struct input *input, struct symbols *symbols,
			const struct calls_sink *sink);

/**
 * calls_order() - the order in which sources are to be decoded: a thread after its parent
 * @input: what is decoded
 *
 * Return: the indexes of all sources, for free(); NULL without memory.
 */
size_t *calls_order(const struct input *input);

/** calls_starts_program() - does a program begin behind a branch: at the entry point of its file,
 * or of its interpreter?
 */
bool calls_starts_program(const struct hwf_branch *branch);

/** calls_free() - free everything; NULL is allowed */
void calls_free(struct calls *calls);

/** calls_functions() - the functions that the frames of stacks name by their ids */
struct functions *calls_functions(const struct calls *calls);

/** calls_sum() - the function that is executed, for hwf_branches.sum: what is summed in it need not
 * be given to calls_branch(), and is given to calls_range()
 */
struct hwf_branches_sum *calls_sum(struct calls *calls);

/** calls_branch() - take a branch; all of a source in their order */
void calls_branch(struct calls *calls, const struct calls_place *place,
		  const struct hwf_branch *branch);

/** calls_range() - take the instructions behind the last branch */
void calls_range(struct calls *calls, const struct calls_place *place, uint64_t instructions);

/** calls_item() - take what the caller counts by stacks: less than 2^62; in the order of branches
 */
void calls_item(struct calls *calls, const struct calls_place *place, uint64_t item);

/** calls_gap() - trace of a source is missing here */
void calls_gap(struct calls *calls, const struct calls_place *place);

/**
 * calls_end() - the trace has ended
 *
 * Return: 0; -ENOMEM: stacks are missing.
 */
int calls_end(struct calls *calls);

#endif /* HWFLOW_CALLS_H */
