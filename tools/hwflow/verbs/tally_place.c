/* SPDX-License-Identifier: GPL-2.0-only */
/* Places by source line, or by function and offset. */
#include "tally_place.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* A line is the same in all functions of a file. */
int tally_place_compare(const void *a, const void *b)
{
	const struct tally_place *x = a, *y = b;
	int order = strcmp(x->line.file ? x->line.file : "", y->line.file ? y->line.file : "");

	if (order)
		return order;
	if (x->line.file) {
		order = compare_numbers((uint64_t)x->line.line, (uint64_t)y->line.line);
		return order ? order : strcmp(x->function->file, y->function->file);
	}
	order = compare_numbers(x->function->id, y->function->id);
	return order ? order : compare_numbers(x->offset, y->offset);
}

static char *name_place(const struct tally_place *place)
{
	char *name;
	int size;

	if (place->line.file) {
		const char *slash = strrchr(place->line.file, '/');

		size = asprintf(&name, "%s:%d", slash ? slash + 1 : place->line.file,
				place->line.line);
	} else if (place->offset == UINT64_MAX || !place->offset) {
		size = asprintf(&name, "%s", place->function->name);
	} else if (place->function->stem) {
		size = asprintf(&name, "%s+0x%" PRIx64, place->function->stem,
				place->function->start + place->offset);
	} else {
		size = asprintf(&name, "%s+0x%" PRIx64, place->function->name, place->offset);
	}
	return size < 0 ? NULL : name;
}

static void free_place(void *node)
{
	struct tally_place *place = node;

	free(place->name);
	free(place);
}

const struct tally_place *tally_place_get(void **places, const struct tally_place *wanted,
					  size_t row)
{
	struct tally_place **found = tsearch(wanted, places, tally_place_compare);
	struct tally_place *place;

	if (!found || *found != wanted)
		return found ? *found : NULL;
	place = malloc(sizeof(*place));
	if (place) {
		*place = *wanted;
		place->row = row;
		place->name = name_place(wanted);
	}
	if (!place || !place->name) {
		tdelete(wanted, places, tally_place_compare);
		free(place);
		return NULL;
	}
	*found = place;
	return place;
}

void tally_places_free(void *places)
{
	tdestroy(places, free_place);
}
