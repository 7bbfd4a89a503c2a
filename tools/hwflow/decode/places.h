/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places in a trace where decoding can begin, and the times there, from the packets around them.
 * Not for RISC-V, whose packets can be read from the beginning only.
 */
#ifndef HWFLOW_DECODE_PLACES_H
#define HWFLOW_DECODE_PLACES_H

#include "packets.h"

/**
 * struct places - the places of one source
 * @packets: its packets
 */
struct places {
	struct packets packets;
};

/** places_exist() - are places of a source found by time and offset? */
bool places_exist(const struct input_source *source);

/** places_open() - begin with a source; 0 or -ENOMEM */
int places_open(struct places *places, const struct input_source *source);

/** places_close() - free what places_open() allocated */
void places_close(struct places *places);

/**
 * places_near() - a place from @from to @end where decoding can begin, probably (HWF_SEEK_NEAR)
 * @places: the places
 * @piece: the piece
 * @from: the place is there or behind it
 * @end: and before it
 * @found: receives the place
 *
 * Return: false if there is none.
 */
bool places_near(struct places *places, const struct input_piece *piece, size_t from, size_t end,
		 size_t *found);

/**
 * struct place_time - a timestamp in a piece
 * @offset: of its packet
 * @timestamp: the value, not 0
 */
struct place_time {
	size_t offset;
	uint64_t timestamp;
};

/**
 * places_next_time() - the first timestamp after a synchronisation
 * @places: the places
 * @piece: the piece
 * @from: the synchronisation is there or behind it
 * @to: the timestamp is before it
 * @time: receives the timestamp
 *
 * Return: false if there is none.
 */
bool places_next_time(struct places *places, const struct input_piece *piece, size_t from,
		      size_t to, struct place_time *time);

/** places_last_time() - the last timestamp of a piece; false if there is none */
bool places_last_time(struct places *places, const struct input_piece *piece,
		      struct place_time *time);

/**
 * places_before() - where decoding has to begin for an offset
 * @places: the places
 * @piece: the piece
 * @offset: in the piece: from there on the decoder has the state that it has if it decodes the
 *	whole piece
 *
 * Return: offset of a synchronisation, some KB before @offset at least, and before a timestamp if
 * the source has any; 0: the beginning of the piece.
 */
size_t places_before(struct places *places, const struct input_piece *piece, size_t offset);

/**
 * places_before_time() - where decoding has to begin for a time
 * @places: the places
 * @piece: the piece, whose timestamps do not decrease
 * @is_before: is a timestamp before the time?
 * @ctx: its first argument
 *
 * Return: as places_before().
 */
size_t places_before_time(struct places *places, const struct input_piece *piece,
			  bool (*is_before)(const void *ctx, uint64_t timestamp), const void *ctx);

#endif /* HWFLOW_DECODE_PLACES_H */
