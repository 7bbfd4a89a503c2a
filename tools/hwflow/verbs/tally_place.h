/* SPDX-License-Identifier: GPL-2.0-only */
/* Source lines and addresses that a row of report can stand for. */
#ifndef HWFLOW_VERBS_TALLY_PLACE_H
#define HWFLOW_VERBS_TALLY_PLACE_H

#include "symbols/symbols.h"

/**
 * struct tally_place - what a row stands for within a function
 * @function: the function; of a source line one of its functions
 * @line: the source line; its file is NULL: @offset holds
 * @offset: of the instruction; UINT64_MAX: all of the function, whose lines are not known
 * @row: its row
 * @name: how it is printed
 */
struct tally_place {
	const struct function *function;
	struct source_line line;
	uint64_t offset;
	size_t row;
	char *name;
};

/** tally_place_compare() - an order of all places, as of qsort(3) */
int tally_place_compare(const void *a, const void *b);

/**
 * tally_place_get() - find a place, or add it
 * @places: of tsearch(3)
 * @wanted: what it is; its row and name are not looked at
 * @row: of a new place
 *
 * Return: the place; NULL without memory.
 */
const struct tally_place *tally_place_get(void **places, const struct tally_place *wanted,
					  size_t row);

/** tally_places_free() - free all places */
void tally_places_free(void *places);

#endif /* HWFLOW_VERBS_TALLY_PLACE_H */
