/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Segments of an ELF file in order. Those of a hostile file overlap: the beginnings and ends of all
 * segments divide the addresses into pieces, and each piece belongs to one segment. Segments take
 * their pieces in order of precedence, and skip pieces that are taken.
 */
#include "segments.h"

#include <stdlib.h>

/**
 * struct segments - segments in order
 * @starts: the addresses at which a piece begins, and the one behind the last piece, in order
 * @owners: of each piece; NULL for none
 * @next: the first piece from here on that is not taken, or a piece on the way to it
 * @count: elements of each
 */
struct segments {
	uint64_t *starts;
	const struct hwf_image_segment **owners;
	size_t *next;
	size_t count;
};

/* struct range - addresses of a segment */
struct range {
	uint64_t start;
	uint64_t end;
};

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static struct range range_of(const struct hwf_image_segment *segment, bool by_offset)
{
	const uint64_t start = by_offset ? segment->offset : segment->address;
	const uint64_t room = UINT64_MAX - start;

	return (struct range){start, start + (segment->size < room ? segment->size : room)};
}

/* The last piece that begins at an address or before it; one of the first piece at the least */
static size_t piece_of(const struct segments *segments, uint64_t at)
{
	size_t low = 0, high = segments->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (segments->starts[middle] <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : 0;
}

/* The first piece from @piece on that is not taken; the way there becomes shorter. */
static size_t find_free(struct segments *segments, size_t piece)
{
	while (segments->next[piece] != piece) {
		segments->next[piece] = segments->next[segments->next[piece]];
		piece = segments->next[piece];
	}
	return piece;
}

static void take_pieces(struct segments *segments, const struct hwf_image_segment *segment,
			bool by_offset)
{
	const struct range range = range_of(segment, by_offset);
	const size_t end = piece_of(segments, range.end);
	size_t piece = find_free(segments, piece_of(segments, range.start));

	while (piece < end) {
		segments->owners[piece] = segment;
		segments->next[piece] = piece + 1;
		piece = find_free(segments, piece + 1);
	}
}

static void divide(struct segments *segments, const struct hwf_image_elf *elf, bool by_offset)
{
	size_t used = 0;

	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct range range = range_of(&elf->segments[i], by_offset);

		segments->starts[segments->count++] = range.start;
		segments->starts[segments->count++] = range.end;
	}
	qsort(segments->starts, segments->count, sizeof(*segments->starts), compare);
	for (size_t i = 0; i < segments->count; i++)
		if (!used || segments->starts[used - 1] != segments->starts[i])
			segments->starts[used++] = segments->starts[i];
	segments->count = used;
	for (size_t i = 0; i < used; i++)
		segments->next[i] = i;
}

static struct segments *make(const struct hwf_image_elf *elf, bool by_offset)
{
	const size_t room = 2 * elf->segment_count + 1;
	struct segments *segments = calloc(1, sizeof(*segments));

	if (!segments)
		return NULL;
	segments->starts = calloc(room, sizeof(*segments->starts));
	segments->owners = calloc(room, sizeof(*segments->owners));
	segments->next = calloc(room, sizeof(*segments->next));
	if (!segments->starts || !segments->owners || !segments->next) {
		segments_free(segments);
		return NULL;
	}
	divide(segments, elf, by_offset);
	for (int executable = 1; executable >= (by_offset ? 0 : 1); executable--)
		for (size_t i = 0; i < elf->segment_count; i++)
			if (elf->segments[i].executable == executable)
				take_pieces(segments, &elf->segments[i], by_offset);
	return segments;
}

struct segments *segments_by_address(const struct hwf_image_elf *elf)
{
	return make(elf, false);
}

struct segments *segments_by_offset(const struct hwf_image_elf *elf)
{
	return make(elf, true);
}

const struct hwf_image_segment *segments_find(const struct segments *segments, uint64_t at)
{
	if (!segments || !segments->count || at < segments->starts[0])
		return NULL;
	return segments->owners[piece_of(segments, at)];
}

void segments_free(struct segments *segments)
{
	if (!segments)
		return;
	free(segments->starts);
	free(segments->owners);
	free(segments->next);
	free(segments);
}
