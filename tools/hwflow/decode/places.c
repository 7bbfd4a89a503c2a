// SPDX-License-Identifier: GPL-2.0-only
/* Places in a trace where decoding can begin. */
#include "places.h"

#include <errno.h>

#include "source/protocol.h"

/*
 * The state of a decoder that begins at a synchronisation is that of a decoder which began earlier
 * only some packets later: what is speculative has to be resolved, a branch has to have its target.
 */
#define WARMTH 0x1000u

/* Two places of a search by time that are no farther apart are good enough */
#define NEAR 0x10000u

bool places_exist(const struct input_source *source)
{
	return source->protocol->session != NULL;
}

int places_open(struct places *places, const struct input_source *source)
{
	struct hwf_session_config config = {.size = sizeof(config)};

	*places = (struct places){.source = source};
	source->protocol->session(source, &config);
	/* the source's own configuration was made from these registers */
	return hwf_session_new(&places->session, &config) ? -ENOMEM : 0;
}

void places_close(struct places *places)
{
	hwf_session_free(places->session);
	places->session = NULL;
}

/* The first timestamp, or the last one, from a synchronisation at @from to @to */
static bool find_time(const struct places *places, const struct input_piece *piece, size_t from,
		      size_t to, bool is_last, struct place_time *time)
{
	const struct input_source *source = places->source;
	struct packet_clock clock = {0};
	struct hwf_packet packet;
	size_t released = from;
	bool is_found = false;

	hwf_session_reset(places->session, from);
	hwf_session_feed(places->session, piece->bytes + from, piece->length - from, true);
	while (!(is_found && !is_last) && !hwf_session_next_packet(places->session, &packet) &&
	       packet.offset < to) {
		const uint64_t timestamp =
			packet.valid ? source->protocol->packet_time(source, &clock, &packet) : 0;

		released = input_release(piece, released, (size_t)packet.offset);
		if (!timestamp)
			continue;
		*time = (struct place_time){(size_t)packet.offset, timestamp};
		is_found = true;
	}
	return is_found;
}

static bool find_sync(const struct places *places, const struct input_piece *piece, size_t from,
		      enum hwf_seek seek, size_t *found)
{
	return !hwf_session_seek(places->session, piece->bytes, piece->length, from, seek, found);
}

bool places_next_time(const struct places *places, const struct input_piece *piece, size_t from,
		      size_t to, struct place_time *time)
{
	size_t sync;

	return find_sync(places, piece, from, HWF_SEEK_NEXT, &sync) && sync < to &&
	       find_time(places, piece, sync, to, false, time);
}

bool places_last_time(const struct places *places, const struct input_piece *piece,
		      struct place_time *time)
{
	size_t to = piece->length, sync;

	for (; find_sync(places, piece, to, HWF_SEEK_PREVIOUS, &sync); to = sync)
		if (find_time(places, piece, sync, to, true, time))
			return true;
	return false;
}

size_t places_before(const struct places *places, const struct input_piece *piece, size_t offset)
{
	const bool needs_time = input_has_timestamps(places->source);
	size_t to = offset, at = offset > WARMTH ? offset - WARMTH : 0;
	struct place_time time;

	while (at && find_sync(places, piece, at, HWF_SEEK_PREVIOUS, &at)) {
		if (!needs_time || find_time(places, piece, at, to, false, &time))
			return at;
		to = at;
	}
	return 0;
}

size_t places_before_time(const struct places *places, const struct input_piece *piece,
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
