// SPDX-License-Identifier: GPL-2.0-only
/* Places in a trace where decoding can begin. */
#include "places.h"

/*
 * The state of a decoder that begins at a synchronisation is that of a decoder which began earlier
 * only some packets later: what is speculative has to be resolved, a branch has to have its target.
 */
#define WARMTH 0x1000u

/* Two places of a search by time that are no farther apart are good enough */
#define NEAR 0x10000u

bool places_exist(const struct input_source *source)
{
	return source->protocol->has_places;
}

int places_open(struct places *places, const struct input_source *source)
{
	return packets_open(&places->packets, source);
}

void places_close(struct places *places)
{
	packets_close(&places->packets);
}

/* The first timestamp, or the last one, from a synchronisation at @from to @to */
static bool find_time(struct places *places, const struct input_piece *piece, size_t from,
		      size_t to, bool is_last, struct place_time *time)
{
	struct packets *packets = &places->packets;
	struct hwf_packet packet;
	bool is_found = false;

	packets_begin(packets, piece, from);
	while (!(is_found && !is_last) && packets_next(packets, &packet) && packet.offset < to) {
		if (!packets->time)
			continue;
		*time = (struct place_time){(size_t)packet.offset, packets->time};
		is_found = true;
	}
	return is_found;
}

static bool find_sync(struct places *places, const struct input_piece *piece, size_t from,
		      enum hwf_seek seek, size_t *found)
{
	return !hwf_session_seek(places->packets.session, piece->bytes, piece->length, from, seek,
				 found);
}

bool places_near(struct places *places, const struct input_piece *piece, size_t from, size_t end,
		 size_t *found)
{
	return !hwf_session_seek(places->packets.session, piece->bytes, end, from, HWF_SEEK_NEAR,
				 found);
}

bool places_next_time(struct places *places, const struct input_piece *piece, size_t from,
		      size_t to, struct place_time *time)
{
	size_t sync;

	return find_sync(places, piece, from, HWF_SEEK_NEXT, &sync) && sync < to &&
	       find_time(places, piece, sync, to, false, time);
}

bool places_last_time(struct places *places, const struct input_piece *piece,
		      struct place_time *time)
{
	size_t to = piece->length, sync;

	for (; find_sync(places, piece, to, HWF_SEEK_PREVIOUS, &sync); to = sync)
		if (find_time(places, piece, sync, to, true, time))
			return true;
	return false;
}

size_t places_before(struct places *places, const struct input_piece *piece, size_t offset)
{
	const bool needs_time = input_has_timestamps(places->packets.source);
	size_t to = offset, at = offset > WARMTH ? offset - WARMTH : 0;
	struct place_time time;

	while (at && find_sync(places, piece, at, HWF_SEEK_PREVIOUS, &at)) {
		if (!needs_time || find_time(places, piece, at, to, false, &time))
			return at;
		to = at;
	}
	return 0;
}

size_t places_before_time(struct places *places, const struct input_piece *piece,
			  bool (*is_before)(const void *ctx, uint64_t timestamp), const void *ctx)
{
	size_t low = 0, high = piece->length;

	/* all timestamps up to @low are before the time */
	while (high - low > NEAR) {
		const size_t middle = low + (high - low) / 2;
		struct place_time time;

		if (places_next_time(places, piece, middle, high, &time) &&
		    is_before(ctx, time.timestamp))
			low = time.offset;
		else
			high = middle;
	}
	return places_before(places, piece, low);
}
