/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* When something of a program was executed for the first time. */
#ifndef HWFLOW_FIRST_H
#define HWFLOW_FIRST_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct hwf_first - a first execution
 * @time: the last timestamp of the trace before it, in ticks; 0: there was none
 * @order: what was new later in the same counts has a larger number; 0: not known
 */
struct hwf_first {
	uint64_t time;
	uint64_t order;
};

/** hwf_first_precedes() - was @a before @b? What is known precedes what is not known. */
static inline bool hwf_first_precedes(const struct hwf_first *a, const struct hwf_first *b)
{
	if (!a->order || !b->order)
		return a->order;
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

/** hwf_first_next() - the first execution of what is new now; @latest is that of what was new last
 */
static inline struct hwf_first hwf_first_next(struct hwf_first *latest)
{
	latest->order++;
	return *latest;
}

#endif /* HWFLOW_FIRST_H */
