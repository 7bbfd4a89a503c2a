// SPDX-License-Identifier: GPL-2.0-only
/* Cutting pieces into shards. */
#include "shards.h"

#include <errno.h>
#include <stdlib.h>

#include "places.h"

/* a synchronisation that is farther away from where a shard ought to begin is not looked for */
#define SYNC_DISTANCE 0x40000u

static struct shard *add(struct shards *shards, size_t *room)
{
	struct shard *items = shards->items;

	if (shards->count == *room) {
		*room = *room ? 2 * *room : 64;
		items = reallocarray(items, *room, sizeof(*items));
		if (!items)
			return NULL;
		shards->items = items;
	}
	return &shards->items[shards->count++];
}

/* Where a decoder can begin, at @from or behind it; the end of the piece if there is no such place
 * near */
static size_t next_sync(struct places *places, const struct input_piece *piece, size_t from)
{
	const size_t rest = piece->length - from;
	const size_t end = from + (rest < SYNC_DISTANCE ? rest : SYNC_DISTANCE);

	return places_near(places, piece, from, end, &from) ? from : piece->length;
}

/* The shards of one piece; false without memory */
static bool plan_piece(struct shards *shards, size_t *room, struct places *places,
		       const struct input_piece *piece, size_t bytes, size_t warmth)
{
	const size_t least = bytes + warmth + bytes / 2;
	struct input_span span = {0};

	while (span.begin < piece->length || !piece->length) {
		struct shard *shard = add(shards, room);
		size_t from = piece->length;

		if (!shard)
			return false;
		if (piece->length - span.begin > least)
			from = next_sync(places, piece, span.begin + bytes);
		span.end = piece->length - from > warmth ? from + warmth : piece->length;
		*shard = (struct shard){
			.source = places->packets.source, .piece = piece, .span = span};
		if (!piece->length)
			break;
		/* a look for a synchronisation maps pages around it */
		if (piece->map)
			file_map_release(piece->map, piece->bytes + span.from,
					 piece->bytes + span.end);
		span.from = from;
		span.begin = span.end;
	}
	return true;
}

static bool plan_source(struct shards *shards, size_t *room, const struct input_source *source,
			size_t bytes, size_t warmth)
{
	struct places places;
	bool is_planned;

	is_planned = !places_open(&places, source);
	for (size_t i = 0; i < source->piece_count && is_planned; i++)
		is_planned = plan_piece(shards, room, &places, &source->pieces[i], bytes, warmth);
	places_close(&places);
	return is_planned;
}

static void make_batches(struct shards *shards, size_t bytes)
{
	size_t batch = 0, filled = 0;

	for (size_t i = 0; i < shards->count; i++) {
		struct shard *shard = &shards->items[i];
		const size_t size = shard->span.end - shard->span.begin;

		if (filled && filled + size > bytes) {
			batch++;
			filled = 0;
		}
		shard->batch = batch;
		filled += size;
	}
}

int shards_plan(struct shards *shards, const struct input_source *sources, size_t count,
		size_t bytes, size_t warmth)
{
	size_t room = 0;

	*shards = (struct shards){0};
	for (size_t i = 0; i < count; i++) {
		if (!plan_source(shards, &room, &sources[i], bytes, warmth)) {
			shards_free(shards);
			return -ENOMEM;
		}
	}
	make_batches(shards, bytes);
	return 0;
}

void shards_free(struct shards *shards)
{
	free(shards->items);
	*shards = (struct shards){0};
}
