/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shards of a trace that worker processes go through, and what they found, given in order. What the
 * trace is gone through for is the user's: for lines of text and counts (text_ahead.h), or to
 * compare it with the ground-truth log (verify/verify_ahead.h).
 */
#ifndef HWFLOW_DECODE_AHEAD_H
#define HWFLOW_DECODE_AHEAD_H

#include "hwflow/session.h"
#include "shards.h"
#include "work_log.h"
#include "workers.h"

/** AHEAD_STATE - bytes of a state at most */
#define AHEAD_STATE (HWF_SESSION_STATE + 0x400u)

/** AHEAD_WARMTH - warmth of a decoder of program flow: its return stack and the elements that wait
 * for their resolution need most of it */
#define AHEAD_WARMTH 0x1000u

/**
 * struct ahead_work - what is done with shards
 * @begin: called once in each worker
 * @shard: called in a worker: decodes a shard to a log. If the shard does not begin its piece,
 *	WORK_BEGIN is the first entry but WORK_SPACE and WORK_MESSAGE. If the piece goes on behind
 *	the shard, WORK_END is the last entry
 * @start: called before the entries of a shard are given; returns false if they do not fit, and
 *	@again has to decode it. NULL: there is nothing to do
 * @entry: gives an entry
 * @again: decodes a shard, or several of a piece as one, in this process, and calls ahead_reached()
 *	at its end if the piece goes on behind it; returns an enum exit_status
 * @most: bytes of trace in a shard at most
 * @warmth: from where a decoder is synchronised to where its state is that of one that began
 *	earlier, in bytes of trace
 * @questions: see workers.h; NULL: none
 * @ctx: first argument of all
 */
struct ahead_work {
	void (*begin)(void *ctx);
	void (*shard)(void *ctx, const struct shard *shard, struct work_log *log);
	bool (*start)(void *ctx, const struct shard *shard);
	void (*entry)(void *ctx, const struct work_entry *entry);
	int (*again)(void *ctx, const struct shard *shard);
	size_t most;
	size_t warmth;
	const struct work_questions *questions;
	void *ctx;
};

/** struct ahead - the shards */
struct ahead;

/**
 * ahead_new() - start workers
 * @input: what is decoded; says how many
 * @sources: of which all pieces will be taken, in order
 * @count: how many
 * @work: what is done
 *
 * Return: NULL where one process is enough, or no other can be started.
 */
struct ahead *ahead_new(struct input *input, const struct input_source *sources, size_t count,
			const struct ahead_work *work);

/** ahead_is_next() - is a piece the one that is to be taken next? */
bool ahead_is_next(const struct ahead *ahead, const struct input_piece *piece);

/**
 * ahead_take() - give what was found in the piece that is next
 * @ahead: the shards
 * @stop: nothing more is given soon after this has become true; NULL: all of it
 *
 * Return: 0, or what @work->again returned.
 */
int ahead_take(struct ahead *ahead, const bool *stop);

/**
 * ahead_reached() - the state at the end of a shard that was decoded again
 * @ahead: the shards
 * @state: as in WORK_END
 * @size: bytes of @state; 0: it is not known
 */
void ahead_reached(struct ahead *ahead, const uint8_t *state, size_t size);

/** ahead_free() - end the workers, finished or not; NULL is allowed */
void ahead_free(struct ahead *ahead);

#endif /* HWFLOW_DECODE_AHEAD_H */
