/* SPDX-License-Identifier: GPL-2.0-only */
/* The ground-truth log through a trace unit: what a thread executed, as trace. */
#ifndef HWFLOW_ENCODE_H
#define HWFLOW_ENCODE_H

#include "hwflow/trace_unit.h"
#include "truth/truth.h"

/* The log divides what was executed at pages, whatever else it divides it at. */
#define ENCODE_PAGE_MASK UINT64_C(0xfff)

/**
 * struct encode_options - beyond those of the trace unit
 * @unit: of the trace unit; VMID and CID are given where they ask for them
 * @cycle_seed: numbers of cycles that instructions take, see encode_cycles_init()
 * @strobe_on: instructions that are traced, and then
 * @strobe_off: instructions that are not, in turns; both 0: all are traced
 * @virtual_time: time goes by instructions executed, and is the same each time; else it is
 *	that of the run
 */
struct encode_options {
	struct hwf_tu_options unit;
	uint64_t cycle_seed;
	uint64_t strobe_on;
	uint64_t strobe_off;
	bool virtual_time;
};

/**
 * struct encode_sink - what takes the trace
 * @ctx: first argument of the functions
 * @bytes: takes trace; false if it cannot
 * @session: a recording session ended at @time (nanoseconds of the monotonic clock), with all
 *	the bytes since the last one; may have none
 */
struct encode_sink {
	void *ctx;
	bool (*bytes)(void *ctx, const uint8_t *bytes, size_t length);
	bool (*session)(void *ctx, uint64_t time);
};

/** struct encode_totals - what went through */
struct encode_totals {
	uint64_t instructions;
	uint64_t exceptions;
	uint64_t gaps;
	uint64_t bytes;
};

/**
 * encode_kernel() - the kernel takes over and gives back: what it executes is filtered
 * @unit: of the trace
 * @config: its configuration
 * @context: of the program
 * @exception: that led to the kernel, in the log's terms
 * @isa: instruction set that the program goes on in
 * @now: time by cycles; goes on meanwhile
 */
void encode_kernel(struct hwf_tu *unit, const struct hwf_ete_config *config,
		   const struct hwf_context *context, const struct truth_exception *exception,
		   enum hwf_isa isa, uint64_t *now);

/** struct encoder - traces one thread, event by event */
struct encoder;

/**
 * encoder_new() - begin to trace a thread
 * @result: receives the encoder
 * @tid: number of the thread, for messages
 * @options: how; must outlive the encoder
 * @sink: takes the trace; must outlive the encoder
 * @totals: added to; must outlive the encoder
 * @message: receives what is wrong
 *
 * Return: 0; -EINVAL where the trace unit cannot be programmed so; -ENOMEM.
 */
int encoder_new(struct encoder **result, int32_t tid, const struct encode_options *options,
		const struct encode_sink *sink, struct encode_totals *totals,
		char message[TRUTH_MESSAGE]);

/**
 * encoder_event() - the next event of the thread
 * @encoder: of the thread
 * @event: as truth_next() gives it
 * @message: receives what is wrong
 *
 * Return: 0; -EINVAL where the events contradict each other; -ENOMEM; -EIO where the sink takes no
 * more.
 */
int encoder_event(struct encoder *encoder, const struct truth_event *event,
		  char message[TRUTH_MESSAGE]);

/**
 * encoder_blocks() - blocks that were executed to their ends, as encoder_event() would take them
 * @encoder: of the thread
 * @cursor: in a stream of it; moved behind what was taken, which may be nothing
 * @until: events that begin before it are taken; more than the longest event follows it
 * @message: receives what is wrong
 *
 * Stops at what it cannot take, and encoder_event() can.
 *
 * Return: as encoder_event().
 */
int encoder_blocks(struct encoder *encoder, struct truth_cursor *cursor, const uint8_t *until,
		   char message[TRUTH_MESSAGE]);

/** encoder_end() - end the last session; returns as encoder_event() */
int encoder_end(struct encoder *encoder, char message[TRUTH_MESSAGE]);

/** encoder_free() - free everything; NULL is allowed */
void encoder_free(struct encoder *encoder);

/**
 * encode_thread() - trace one thread
 * @truth: the log
 * @thread: number of the thread
 * @options: how
 * @sink: takes the trace
 * @totals: added to
 * @message: receives what is wrong
 *
 * A program begun by execve, and code that took the place of other code, begin a session
 * of their own: each is decoded with one set of images.
 *
 * Return: 0; -EINVAL where the log is damaged or the trace unit cannot be programmed so; -ENOMEM;
 * -EIO where @sink takes no more.
 */
int encode_thread(const struct truth *truth, size_t thread, const struct encode_options *options,
		  const struct encode_sink *sink, struct encode_totals *totals,
		  char message[TRUTH_MESSAGE]);

#endif /* HWFLOW_ENCODE_H */
