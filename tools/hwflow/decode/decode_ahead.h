/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decoding by several processes. Workers decode shards of the trace, and what they find is given by
 * input_decode() as if it had been decoded just then: the events in their order, and counts in
 * place of ranges where these are wanted.
 */
#ifndef HWFLOW_DECODE_DECODE_AHEAD_H
#define HWFLOW_DECODE_DECODE_AHEAD_H

#include "source/input.h"
#include "workers.h"

/**
 * struct decode_check - what workers do with the events of a shard in place of handing them on
 * @questions: see workers.h; a worker asks before it decodes a batch
 * @check: in a worker: checks the next shard of the batch, in order, and writes what it has found
 *as entries: WORK_BEGIN and WORK_END, as of any shard, and WORK_CHECKED. Returns false if it has
 *	written nothing: all events of the shard are handed on then
 * @start: in the first process: called before what was found in a shard is given; returns false
 *	if that does not fit to what was given before
 * @take: in the first process: takes the data of WORK_CHECKED
 * @ctx: first argument of all
 */
struct decode_check {
	struct work_questions questions;
	bool (*check)(void *ctx, const struct shard *shard, struct work_log *log);
	bool (*start)(void *ctx, const struct shard *shard);
	void (*take)(void *ctx, const void *found);
	void *ctx;
};

/**
 * decode_ahead() - start to decode sources
 * @input: has them
 * @sources: the sources; all of their pieces will be decoded by input_decode(), in order and with
 * options as @how
 * @count: how many
 * @how: the options
 * @check: what workers do with the events; NULL: they hand them on. It has to exist until
 *	decode_ahead_end()
 *
 * Does nothing where one process is asked for, or the trace is short. If pieces are decoded in
 * another order, input_decode() decodes them itself.
 */
void decode_ahead(struct input *input, const struct input_source *sources, size_t count,
		  const struct input_decode *how, const struct decode_check *check);

/** decode_ahead_end() - stop decoding ahead */
void decode_ahead_end(struct input *input);

#endif /* HWFLOW_DECODE_DECODE_AHEAD_H */
