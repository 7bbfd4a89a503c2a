/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in the log each stretch of a trace with gaps is, as far as that is certain. */
#ifndef HWFLOW_VERIFY_PLAN_H
#define HWFLOW_VERIFY_PLAN_H

#include "source/input.h"
#include "verify_stretches.h"

/**
 * struct verify_place - where a stretch behind a gap is
 * @log: there
 * @missing: instructions that were passed over to get there
 * @uncertain: it may be further on as well
 */
struct verify_place {
	struct verify_log log;
	uint64_t missing;
	bool uncertain;
};

/**
 * struct verify_plan - the places of all stretches behind gaps, in order
 * @places: for free()
 * @count: how many; fewer than there are stretches where the next has none
 */
struct verify_plan {
	struct verify_place *places;
	size_t count;
};

/**
 * verify_plan_make() - find the places
 * @result: receives them
 * @input: what @source is of
 * @source: all of its trace
 * @filtered: some instructions were left out on purpose
 * @code_gaps: gaps that are allowed for a reason of the code: a bit for each HWF_GAP_*
 * @log: at its beginning
 *
 * A place has what follows it in one go too, and all that comes later has its place behind it. Such
 * are looked for from the front and from the back: where the two differ, it is not certain.
 *
 * Return: 0, or EXIT_UNREADABLE when memory ran out; it was said on stderr.
 */
int verify_plan_make(struct verify_plan *result, struct input *input,
		     const struct input_source *source, bool filtered, unsigned int code_gaps,
		     const struct verify_log *log);

#endif /* HWFLOW_VERIFY_PLAN_H */
