/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decoding by several processes. Workers decode shards of the trace, and what they find is given by
 * input_decode() as if it had been decoded just then: the events in their order, and counts in
 * place of ranges where these are wanted.
 */
#ifndef HWFLOW_PARALLEL_DECODE_AHEAD_H
#define HWFLOW_PARALLEL_DECODE_AHEAD_H

#include "input/input.h"

/**
 * decode_ahead() - start to decode sources
 * @input: has them
 * @sources: the sources; all of their pieces will be decoded by input_decode(), in order and with
 * options as @how
 * @count: how many
 * @how: the options
 *
 * Does nothing where one process is asked for, or the trace is short. If pieces are decoded in
 * another order, input_decode() decodes them itself.
 */
void decode_ahead(struct input *input, const struct input_source *sources, size_t count,
		  const struct input_decode *how);

/**
 * decode_ahead_take() - give what was decoded of a piece
 * @input: what was opened
 * @source: a source
 * @piece: one of its pieces
 * @how: who takes the events
 * @status: receives what input_decode() is to return
 *
 * Return: false if nothing was decoded of it.
 */
bool decode_ahead_take(struct input *input, const struct input_source *source,
		       const struct input_piece *piece, const struct input_decode *how,
		       int *status);

/** decode_ahead_end() - stop decoding ahead */
void decode_ahead_end(struct input *input);

#endif /* HWFLOW_PARALLEL_DECODE_AHEAD_H */
