// SPDX-License-Identifier: GPL-2.0-only
/* The address space of one process, over a stretch of time. */
#include "perfmaps_space.h"

int maps_space_init(struct maps_space *space, struct hwf_image *image,
		    const struct hwf_image_space *parent)
{
	int error = hwf_image_add_space(image, NULL, parent, &space->past);

	if (!error)
		error = hwf_image_add_space(image, NULL, space->past, &space->now);
	if (!error)
		error = hwf_image_add_space(image, NULL, space->now, &space->doubt);
	return error ? error : hwf_image_add_space(image, NULL, space->doubt, &space->top);
}

static uint64_t last_of(const struct hwf_image_place *place)
{
	return place->start + (place->length - 1);
}

/* The same bytes at the same addresses */
static bool same_code(const struct hwf_image_place *a, const struct hwf_image_place *b)
{
	return a->file == b->file && a->offset - a->start == b->offset - b->start;
}

/*
 * Does other code count where a mapping begins, as its file is missing and code was given
 * otherwise? The mapping is taken as a whole: what was given covers all of a program, or nothing.
 */
static bool gives_way(const struct hwf_image_space *space, const struct hwf_image_place *mapping,
		      uint64_t address)
{
	struct hwf_image_place found;

	return hwf_image_find(space, address, &found) && found.file != mapping->file;
}

/* Marks in @marked what of @piece other code has in @space. */
static int mark(struct hwf_image_space *marked, const struct hwf_image_space *space,
		const struct hwf_image_place *piece, struct hwf_image_file *several)
{
	uint64_t at = piece->start;
	struct hwf_image_place other;
	int error = 0;

	while (!error && hwf_image_next(space, at, &other) && other.start <= last_of(piece)) {
		const uint64_t start = other.start > at ? other.start : at;
		const uint64_t last =
			last_of(&other) < last_of(piece) ? last_of(&other) : last_of(piece);

		if (!same_code(&other, piece) && !gives_way(space, &other, start))
			error = hwf_image_map(marked, start, last - start + 1, several, 0);
		if (last == last_of(piece))
			break;
		at = last + 1;
	}
	return error;
}

static int map(struct maps_space *space, const struct hwf_image_place *whole,
	       struct hwf_image_file *several, bool first)
{
	struct hwf_image_place piece = *whole;
	int error = 0;

	if (!piece.length)
		return 0;
	/* to the end of all addresses */
	if (piece.length - 1 > UINT64_MAX - piece.start)
		piece.length = UINT64_MAX - piece.start + 1;
	if (several && !first)
		error = mark(space->top, space->now, &piece, several);
	if (several && !error)
		error = mark(space->doubt, space->past, &piece, several);
	return error ? error
		     : hwf_image_map(space->now, piece.start, piece.length, piece.file,
				     piece.offset);
}

int maps_space_map(struct maps_space *space, const struct hwf_image_place *whole,
		   struct hwf_image_file *several)
{
	return map(space, whole, several, false);
}

int maps_space_map_first(struct maps_space *space, const struct hwf_image_place *whole,
			 struct hwf_image_file *several)
{
	return map(space, whole, several, true);
}

static bool has_any(const struct hwf_image_space *space)
{
	struct hwf_image_place piece;

	return hwf_image_next(space, 0, &piece);
}

/*
 * Each mapping of @from is one that was mapped once: where @space->past has other code, it cannot
 * be told which was executed. With @add it is added to @space->past.
 */
static int compare(const struct maps_space *space, const struct hwf_image_space *from,
		   struct hwf_image_file *several, bool add)
{
	struct hwf_image_place piece;
	uint64_t at = 0;
	int error = 0;

	while (!error && hwf_image_next(from, at, &piece)) {
		error = mark(space->doubt, space->past, &piece, several);
		if (!error && add)
			error = hwf_image_map(space->past, piece.start, piece.length, piece.file,
					      piece.offset);
		if (last_of(&piece) == UINT64_MAX)
			break;
		at = last_of(&piece) + 1;
	}
	return error;
}

int maps_space_replace(struct maps_space *space, const struct hwf_image_space *now,
		       struct hwf_image_file *several)
{
	int error = has_any(space->past) ? compare(space, space->now, several, true)
					 : hwf_image_space_copy(space->past, space->now);

	hwf_image_space_clear(space->now);
	if (error || !now)
		return error;
	error = compare(space, now, several, false);
	return error ? error : hwf_image_space_copy(space->now, now);
}

/* Has it, without what is below it, code there? */
static bool has(const struct hwf_image_space *space, uint64_t address)
{
	struct hwf_image_place piece;

	return hwf_image_next(space, address, &piece) && piece.start <= address;
}

bool maps_space_run(struct maps_space *space, uint64_t address)
{
	if (!has_any(space->past) || !has(space->now, address) || has(space->past, address))
		return false;
	hwf_image_space_clear(space->past);
	hwf_image_space_clear(space->doubt);
	return true;
}

bool maps_space_is_ordered(const struct maps_space *space)
{
	return has_any(space->past);
}

void maps_space_clear(struct maps_space *space)
{
	hwf_image_space_clear(space->top);
	hwf_image_space_clear(space->doubt);
	hwf_image_space_clear(space->now);
	hwf_image_space_clear(space->past);
}
