/* SPDX-License-Identifier: GPL-2.0-only */
/* How durations are distributed: sum, extremes and percentiles. */
#ifndef HWFLOW_VERBS_DURATIONS_H
#define HWFLOW_VERBS_DURATIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Durations of one octave, from a power of two to the next, are counted in so many equal steps:
 * percentiles are exact to 0.8 %, and below this number exact. */
#define DURATIONS_STEPS 128u

/* Octaves: what is below DURATIONS_STEPS is the first one. */
#define DURATIONS_OCTAVES 58u

/* Rows of a histogram: from 1, 2 or 5 times a power of ten to the next such value */
#define DURATIONS_ROWS 59u

/**
 * struct durations - a distribution
 * @count: of durations
 * @sum: of them; UINT64_MAX: more
 * @least: the least
 * @most: the greatest
 * @octaves: counts of each step of an octave; NULL: none is in that
 * @rows: counts for durations_row()
 */
struct durations {
	uint64_t count;
	uint64_t sum;
	uint64_t least;
	uint64_t most;
	uint64_t *octaves[DURATIONS_OCTAVES];
	uint64_t rows[DURATIONS_ROWS];
};

/** durations_add() - count a duration; false without memory */
bool durations_add(struct durations *durations, uint64_t duration);

/**
 * durations_percentile() - the duration that a share of all does not exceed
 * @durations: the distribution
 * @share: of all, from 0 to 1
 *
 * Return: it, up to a step longer, but not longer than the longest; 0 if there are no durations.
 */
uint64_t durations_percentile(const struct durations *durations, double share);

/** durations_row() - the least duration of a row of the histogram: 0, 1, 2, 5, 10, 20, 50, ... */
uint64_t durations_row(unsigned int row);

/** durations_free() - free the counts */
void durations_free(struct durations *durations);

#endif /* HWFLOW_VERBS_DURATIONS_H */
