/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When calls begin and end.
 *
 * The trace says what time it is, or how many cycles have passed, now and then. What happens
 * between two such readings of a clock is interpolated by the number of instructions: an event is
 * as late between them as its instruction is. A thread may pause, and time passes: behind the last
 * reading before that, and before the first one after it, the thread is executed at the pace of the
 * readings before.
 */
#ifndef HWFLOW_CALLS_SPANS_H
#define HWFLOW_CALLS_SPANS_H

#include "calls.h"

/**
 * enum spans_clock - what is measured
 * @SPANS_TIME: time, in ticks of the timestamps; calls_place.clock is the last timestamp
 * @SPANS_CYCLES: cycles that the thread was executed; calls_place.clock is a sum of cycle counts
 * @SPANS_INSTRUCTIONS: instructions that the thread has executed, without interpolation
 */
enum spans_clock {
	SPANS_TIME,
	SPANS_CYCLES,
	SPANS_INSTRUCTIONS,
};

/**
 * enum span_event_kind - what happens
 * @SPAN_BEGIN: a function is called, or an exception is taken
 * @SPAN_FOUND: a call goes on that has begun at an unknown time: before the trace, or on a stack
 *	that the thread has switched to
 * @SPAN_END: the innermost call has ended
 * @SPAN_LOST: the innermost call is not seen any more: trace is missing or ends, or the thread has
 *	switched to another stack
 * @SPAN_PAUSE: from here on the thread is not traced: it waits, is in code that is not traced, or
 *	trace is missing. With SPANS_TIME
 * @SPAN_RESUME: the thread is traced again
 */
enum span_event_kind {
	SPAN_BEGIN,
	SPAN_FOUND,
	SPAN_END,
	SPAN_LOST,
	SPAN_PAUSE,
	SPAN_RESUME,
};

/**
 * struct span_event - a call begins or ends
 * @clock: what the clock says; it never goes backwards within a thread
 * @instructions: that the thread has executed before
 * @function: of the call: for functions_get()
 * @place: of the call: for functions_get_site(), or 0
 * @kind: enum span_event_kind
 * @is_called: the call begins here: SPAN_BEGIN, or SPAN_FOUND where the clock was not read yet
 * @is_whole: the callers of the call are known
 * @is_exception: the call handles an exception or a signal
 * @exception: of SPAN_BEGIN, with @is_exception: as in struct calls_thread
 */
struct span_event {
	uint64_t clock;
	uint64_t instructions;
	uint64_t function;
	uint64_t place;
	uint8_t kind;
	bool is_called;
	bool is_whole;
	bool is_exception;
	uint32_t exception;
};

/**
 * typedef span_fn - takes an event
 * @ctx: the caller's own
 * @thread: where it happens; its stack may be a later one. Events of a thread come in their order,
 *	and each call that began ends, those in it first
 * @own: the caller's own, of the thread; NULL at first
 * @event: the event
 */
typedef void span_fn(void *ctx, const struct calls_thread *thread, void **own,
		     const struct span_event *event);

/**
 * typedef span_item_fn - takes what the caller counts, see calls_item()
 * @ctx: the caller's own
 * @own: see span_fn
 * @item: what is counted, in the order of the events of its thread
 */
typedef void span_item_fn(void *ctx, void **own, uint64_t item);

/** struct spans - threads, and their events that wait for a reading of the clock */
struct spans;

/** spans_new() - none; NULL without memory. @take is called with @ctx */
struct spans *spans_new(enum spans_clock clock, span_fn *take, void *ctx);

/** spans_take_items() - call @take for items, too; for SPANS_INSTRUCTIONS, whose events never wait
 */
void spans_take_items(struct spans *spans, span_item_fn *take);

/** spans_sink() - what calls_new() needs for these spans, which must outlive the calls */
struct calls_sink spans_sink(struct spans *spans);

/**
 * spans_end() - hand on what is left, behind calls_end()
 *
 * Return: 0; -ENOMEM: events are missing.
 */
int spans_end(struct spans *spans);

/** spans_free() - free everything; NULL is allowed */
void spans_free(struct spans *spans);

#endif /* HWFLOW_CALLS_SPANS_H */
