/* SPDX-License-Identifier: GPL-2.0-only */
/* A distribution of durations, in octaves of equal steps. */
#include "durations.h"

#include <stdlib.h>

/* The octave of a duration, and the step in it */
static unsigned int octave_of(uint64_t duration, unsigned int *step)
{
	unsigned int shift;

	if (duration < DURATIONS_STEPS) {
		*step = (unsigned int)duration;
		return 0;
	}
	shift = 56 - (unsigned int)__builtin_clzll(duration);
	*step = (unsigned int)(duration >> shift) - DURATIONS_STEPS;
	return shift + 1;
}

/* The greatest duration of a step */
static uint64_t step_end(unsigned int octave, unsigned int step)
{
	return octave ? ((uint64_t)(DURATIONS_STEPS + step + 1) << (octave - 1)) - 1 : step;
}

uint64_t durations_row(unsigned int row)
{
	static const uint64_t digits[] = {1, 2, 5};
	uint64_t power = 1;

	if (!row)
		return 0;
	for (unsigned int i = 0; i < (row - 1) / 3; i++)
		power *= 10;
	return digits[(row - 1) % 3] * power;
}

static unsigned int row_of(uint64_t duration)
{
	unsigned int row = 0;

	/* the last row has no end */
	while (row + 1 < DURATIONS_ROWS && durations_row(row + 1) <= duration)
		row++;
	return row;
}

bool durations_add(struct durations *durations, uint64_t duration)
{
	unsigned int step;
	uint64_t **octave = &durations->octaves[octave_of(duration, &step)];

	if (!*octave)
		*octave = calloc(DURATIONS_STEPS, sizeof(**octave));
	if (!*octave)
		return false;
	(*octave)[step]++;
	durations->rows[row_of(duration)]++;
	if (!durations->count++ || duration < durations->least)
		durations->least = duration;
	if (duration > durations->most)
		durations->most = duration;
	if (__builtin_add_overflow(durations->sum, duration, &durations->sum))
		durations->sum = UINT64_MAX;
	return true;
}

uint64_t durations_percentile(const struct durations *durations, double share)
{
	const double wanted = share * (double)durations->count;
	uint64_t count = 0;

	for (unsigned int i = 0; i < DURATIONS_OCTAVES; i++) {
		for (unsigned int j = 0; durations->octaves[i] && j < DURATIONS_STEPS; j++) {
			const uint64_t end = step_end(i, j);

			count += durations->octaves[i][j];
			if (count && (double)count >= wanted)
				return end < durations->most ? end : durations->most;
		}
	}
	return durations->most;
}

void durations_free(struct durations *durations)
{
	for (unsigned int i = 0; i < DURATIONS_OCTAVES; i++)
		free(durations->octaves[i]);
	*durations = (struct durations){0};
}
