/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of text and counts, made by several processes. Workers run what a verb does with a piece of
 * trace on shards of it; their text, counts, gaps and messages are given in order, as if one
 * process had made them.
 */
#ifndef HWFLOW_DECODE_TEXT_AHEAD_H
#define HWFLOW_DECODE_TEXT_AHEAD_H

#include "base/text.h"
#include "gaps.h"
#include "source/input.h"

/** struct text_state - what the lines of a verb depend on, as it is written */
struct text_state {
	uint8_t *at;
	uint8_t *end;
	bool unknown;
};

/** text_state_put() - append a number */
static inline void text_state_put(struct text_state *state, uint64_t value)
{
	if (state->end - state->at < 8) {
		state->unknown = true;
		return;
	}
	memcpy(state->at, &value, 8);
	state->at += 8;
}

struct hwf_profile;
struct time_merge;

/** struct text_counts - what was counted: the thread @tid executed this in a piece */
struct text_counts {
	const struct input_source *source;
	const struct input_piece *piece;
	int32_t tid;
	const struct hwf_profile *profile;
};

/**
 * struct text_work - what a verb does
 * @piece: writes the lines of a part of a piece to text_stdout(), or to @merge: those between
 *	@part->span.begin and its end, and perhaps some before these; calls @part->reached. If @part
 *	is NULL it writes those of the whole piece. Returns an enum exit_status
 * @counts: takes what @piece has handed to text_ahead_counts() in a worker. NULL: @piece writes
 *	lines
 * @state: writes what the lines to come depend on, beside the state of the decoder; NULL: nothing
 * @restart: lines begin here, of which none before is known; NULL: nothing to do
 * @merge: takes the lines; NULL: text_stdout() does
 * @warmth: bytes of trace after a synchronisation until the lines depend on nothing before; 0: as
 *	many as the decoder of program flow takes
 * @most: bytes of trace in a shard at most; 0: as many as most verbs have
 * @ctx: first argument of all
 */
struct text_work {
	int (*piece)(void *ctx, const struct input_source *source, const struct input_piece *piece,
		     const struct input_part *part);
	void (*counts)(void *ctx, const struct text_counts *counts);
	void (*state)(void *ctx, struct text_state *state);
	void (*restart)(void *ctx);
	struct time_merge *merge;
	size_t warmth;
	size_t most;
	void *ctx;
};

/** struct text_ahead - lines that are written by workers */
struct text_ahead;

/**
 * text_ahead_new() - start to write the lines of all sources of an input
 * @input: what is decoded
 * @work: what a verb does; copied
 *
 * Return: NULL where one process is enough, or no other can be started.
 */
struct text_ahead *text_ahead_new(struct input *input, const struct text_work *work);

/**
 * text_ahead_piece() - write the lines of a piece
 * @ahead: lines that workers have written; NULL: there are none, and @work does it
 * @work: what the verb does
 * @source: a source; all are taken in order
 * @piece: one of its pieces, likewise
 *
 * Return: an enum exit_status.
 */
int text_ahead_piece(struct text_ahead *ahead, const struct text_work *work,
		     const struct input_source *source, const struct input_piece *piece);

/**
 * text_ahead_code() - the program that a worker decodes with, so that its counts have address
 * spaces
 * @code: the program of the piece
 *
 * Return: @code itself in the first process.
 */
const struct hwf_code *text_ahead_code(const struct hwf_code *code);

/**
 * text_ahead_counts() - hand counts to the first process
 * @counts: what was counted
 *
 * Return: false in the first process, which does with @counts what it does with those of workers.
 */
bool text_ahead_counts(const struct text_counts *counts);

/** text_ahead_free() - end the workers; NULL is allowed */
void text_ahead_free(struct text_ahead *ahead);

#endif /* HWFLOW_DECODE_TEXT_AHEAD_H */
