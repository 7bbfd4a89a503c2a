/* SPDX-License-Identifier: GPL-2.0-only */
/* Two recordings side by side: counts of functions or files, and their differences. */
#ifndef HWFLOW_VERBS_DIFFERENCE_H
#define HWFLOW_VERBS_DIFFERENCE_H

#include <stdio.h>

#include "difference_files.h"
#include "tally.h"

struct perfdata_info;

/** struct difference - the counts of both recordings */
struct difference;

/**
 * difference_new() - begin with no counts
 * @by: what a row stands for: TALLY_FUNCTION or TALLY_DSO
 *
 * Return: NULL without memory.
 */
struct difference *difference_new(enum tally_by by);

/**
 * difference_add() - add the counts of a recording
 * @difference: receives them
 * @side: the recording
 * @tally: its counts, by function
 * @path: of the recording
 * @info: its build ids; NULL for none
 *
 * Counts of several functions of one name in one file are added.
 *
 * Return: 0 or -ENOMEM.
 */
int difference_add(struct difference *difference, enum difference_side side,
		   const struct tally *tally, const char *path, const struct perfdata_info *info);

/**
 * difference_match() - find the functions that are in both recordings
 * @difference: both recordings were added
 * @maps: OLD=NEW of the command line
 * @count: how many
 *
 * Functions are the same if their names are, and their files; see difference_files_match().
 *
 * Return: 0; -EINVAL after a message; -ENOMEM.
 */
int difference_match(struct difference *difference, const char *const *maps, size_t count);

/**
 * difference_print() - write the table: the largest difference of instructions first
 * @difference: both recordings, matched
 * @limit: how many rows at most; 0: all
 * @width: columns of a row at most, longer names are shortened; 0: names are whole
 * @out: where to
 *
 * Rows with the same counts in both recordings are not printed, but their number. Files whose build
 * ids differ are named after the table.
 */
void difference_print(struct difference *difference, size_t limit, size_t width, FILE *out);

/** difference_free() - free everything; NULL is allowed */
void difference_free(struct difference *difference);

#endif /* HWFLOW_VERBS_DIFFERENCE_H */
