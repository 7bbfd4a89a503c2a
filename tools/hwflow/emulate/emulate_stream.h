/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hwflow emulate: what the plugin writes, made into trace and log while the program runs.
 *
 * The plugin waits where it is RUN_AHEAD before what was read; what was read is taken out of its
 * files, so that these stay small on the disk.
 */
#ifndef HWFLOW_EMULATE_STREAM_H
#define HWFLOW_EMULATE_STREAM_H

#include "emulate_trace.h"

/** struct live - the streams of a run */
struct live;

/* Functions that return int return 0 or an exit status. */

/**
 * live_open() - begin
 * @result: receives it
 * @run: with its directory
 * @options: of the run
 * @tracer: receives the events
 *
 * With @options->recover, what is in the log already comes from there.
 */
int live_open(struct live **result, struct run *run, const struct emulate_options *options,
	      struct tracer *tracer);

/** live_poll() - take what there is; @busy: set if it was more than a little */
int live_poll(struct live *live, bool *busy);

/** live_end() - no process is left: end all streams, and the log */
int live_end(struct live *live);

/** live_free() - free everything; NULL is allowed */
void live_free(struct live *live);

/** run_replay() - what the log of a run that was killed has, to the tracer; 0 or an exit status */
int run_replay(const struct truth *before, struct tracer *tracer);

/** struct stream_tail - events that a thread could not write any more; @length: bytes of them */
struct stream_tail {
	uint8_t bytes[64];
	size_t length;
};

/**
 * stream_end_run() - the block entered last, as far as it certainly was executed
 * @tail: receives what follows it
 * @run: the block
 * @reached: so many instructions of it were certainly executed
 * @signal: that its process died of; 0 if that is not known
 */
void stream_end_run(struct stream_tail *tail, const struct truth_run *run, uint32_t reached,
		    int signal);

#endif /* HWFLOW_EMULATE_STREAM_H */
