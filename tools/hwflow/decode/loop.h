/* SPDX-License-Identifier: GPL-2.0-only */
/* The loop from trace bytes to program flow: all verbs decode by it, and it decodes by sessions. */
#ifndef HWFLOW_DECODE_LOOP_H
#define HWFLOW_DECODE_LOOP_H

#include "hwflow/session.h"
#include "source/input.h"

/**
 * struct decode_options - how to decode
 * @sink: takes the events
 * @taken_back: takes what a failed transaction took back; NULL: nobody
 * @ctx: first argument of both
 * @split_source: split Source Address ranges at each branch not taken
 * @raw_transactions: give execution in transactions at once, whatever becomes of them
 * @each_instruction: ETMv3: a range for each instruction
 * @stop: no more is decoded soon after this has become true; NULL: all of it
 * @counts: takes the counts of all ranges, which are not given to @sink, see HWF_FLOW_COUNTED:
 *	before the context of another thread, and at the end. NULL: all ranges are given
 * @steps: takes ranges many at a time where it can, in place of @sink; NULL: @sink takes each
 * @part: what part of the piece; NULL: all of it
 * @code: the program, in place of that of the input; NULL: that
 */
struct decode_options {
	hwf_flow_fn *sink;
	void (*counts)(void *ctx, const struct hwf_profile *profile);
	hwf_flow_fn *taken_back;
	void *ctx;
	bool split_source;
	bool raw_transactions;
	bool each_instruction;
	const bool *stop;
	hwf_steps_fn *steps;
	const struct input_part *part;
	const struct hwf_code *code;
};

/**
 * decode_piece() - decode one piece to program flow
 * @input: what was opened
 * @source: the source
 * @piece: one of its pieces
 * @how: options, and the functions that take the events
 *
 * Return: 0, or EXIT_UNREADABLE when memory ran out.
 */
int decode_piece(struct input *input, const struct input_source *source,
		 const struct input_piece *piece, const struct decode_options *how);

/** decode_free() - free what decode_piece() has kept */
void decode_free(struct input *input);

#endif /* HWFLOW_DECODE_LOOP_H */
