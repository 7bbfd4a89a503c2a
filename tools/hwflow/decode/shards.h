/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shards: parts of a trace that are decoded independently of each other. The trace of a piece
 * begins not synchronised, so a piece may be a shard as it is. A long piece is cut where a decoder
 * can begin; the shard begins a little later:
 *
 *	piece  |-------- sync ---------------------- sync -----------------|
 *	shard  |.................|
 *	shard           |~~~~~~~~|......................|
 *	shard                                     |~~~~~|..................|
 *	               from    begin                   end
 *
 * Two shards decode the bytes from @from to @begin (~). At @begin the decoder of the second shard
 * has to have the state that the decoder of the first shard has at its end: then all events are
 * those that one decoder would give. If the states differ the second shard is decoded again, from
 * where a decoder had the right state.
 */
#ifndef HWFLOW_DECODE_SHARDS_H
#define HWFLOW_DECODE_SHARDS_H

#include "source/input.h"

/**
 * struct shard - part of a piece
 * @source: of the piece
 * @piece: the piece
 * @span: what part of it
 * @batch: number of the batch: shards that are decoded together, as each is small
 */
struct shard {
	const struct input_source *source;
	const struct input_piece *piece;
	struct input_span span;
	size_t batch;
};

/**
 * struct shards - all shards of some sources, in order
 * @items: the shards
 * @count: how many
 */
struct shards {
	struct shard *items;
	size_t count;
};

/**
 * shards_plan() - cut sources into shards
 * @shards: receives them; shards_free() frees them
 * @sources: the sources
 * @count: how many
 * @bytes: of trace in a shard, about
 * @warmth: bytes from @from to @begin
 *
 * Return: 0 or -ENOMEM.
 */
int shards_plan(struct shards *shards, const struct input_source *sources, size_t count,
		size_t bytes, size_t warmth);

/** shards_free() - free the list */
void shards_free(struct shards *shards);

#endif /* HWFLOW_DECODE_SHARDS_H */
