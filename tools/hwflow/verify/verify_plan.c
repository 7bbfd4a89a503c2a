// SPDX-License-Identifier: GPL-2.0-only
/* Where in the log each stretch of a trace with gaps is, as far as that is certain. */
#include <stdlib.h>

#include "base/error.h"
#include "verify_plan.h"
#include "decode/loop.h"

/*
 * Code that loops was at the same addresses more than once, so that a short stretch fits in several
 * places. From the front each stretch is at the first place where it and those after it fit, from
 * the back at the last one. It is somewhere between them.
 */

/* Places that are looked at for one stretch; where there are more the last one is not known. */
#define MANY 10000u

struct plan {
	struct verify_plan *result;
	const struct verify_stretches *stretches;
	bool wfx;
	bool must_end;
};

static bool front_is_p0(const struct verify_log *log, bool wfx)
{
	struct hwf_insn insn;

	truth_run_insn(&log->run, &insn);
	return hwf_insn_is_p0(&insn, wfx);
}

/*
 * Past what no P0 element could tell of at the edge of a piece, up to @first at most; false at the
 * end of the log
 */
static bool pass_edge(struct verify_log *log, bool wfx, uint64_t first)
{
	while (verify_log_advance(log)) {
		if (log->have_event || log->run.pc == first || front_is_p0(log, wfx))
			return true;
		verify_log_step(log);
	}
	return false;
}

/* Past instructions that are only counted */
static bool pass_unknown(struct verify_log *log, uint64_t count)
{
	for (; count; count--) {
		if (!verify_log_advance(log) || log->have_event)
			return false;
		verify_log_step(log);
	}
	return true;
}

/* Does a stretch begin right here? @log goes behind it. */
static bool fits_here(struct verify_log *log, const struct verify_stretch *stretch)
{
	struct verify_stretch found = {0};

	while (found.steps < stretch->steps) {
		if (!verify_log_advance(log))
			return false;
		verify_stretch_add(&found, verify_log_step(log));
	}
	if (found.sum != stretch->sum)
		return false;
	return stretch->next == VERIFY_NOWHERE ||
	       (verify_log_advance(log) && !log->have_event && log->run.pc == stretch->next);
}

/* The stretch at @index and all that follow it without a gap, from here on; @log goes behind them.
 */
static bool fits(const struct plan *plan, struct verify_log *log, size_t index)
{
	const struct verify_stretches *all = plan->stretches;

	do {
		const struct verify_stretch *stretch = &all->list[index];

		if (stretch->how == VERIFY_AT_EDGE)
			pass_edge(log, plan->wfx, stretch->first);
		if (!pass_unknown(log, stretch->unknown) || !fits_here(log, stretch))
			return false;
		index++;
	} while (index < all->count && all->list[index].how != VERIFY_BEHIND_GAP);
	return index < all->count || !plan->must_end || !pass_edge(log, plan->wfx, VERIFY_NOWHERE);
}

/*
 * The first place from @log on where a stretch fits with what follows it: @log goes there, @behind
 * behind that. Not beyond @until.
 */
static bool find(const struct plan *plan, struct verify_log *log, size_t index, uint64_t until,
		 uint64_t *missing, struct verify_log *behind)
{
	while (verify_log_find(log, &plan->stretches->list[index], until, missing)) {
		*behind = *log;
		if (fits(plan, behind, index) && behind->passed <= until)
			return true;
		if (!verify_log_advance(log))
			return false;
		*missing += !log->have_event;
		verify_log_step(log);
	}
	return false;
}

/* From the front; false where a stretch has no place, or memory ran out */
static bool plan_forward(const struct plan *plan, const struct verify_log *log)
{
	const struct verify_stretches *all = plan->stretches;
	struct verify_plan *result = plan->result;
	struct verify_log at = *log;

	if (all->count && all->list[0].how != VERIFY_BEHIND_GAP && !fits(plan, &at, 0))
		return false;
	for (size_t i = 0; i < all->count; i++) {
		struct verify_place *place = &result->places[result->count];
		struct verify_log behind;

		if (all->list[i].how != VERIFY_BEHIND_GAP)
			continue;
		*place = (struct verify_place){.log = at};
		if (!find(plan, &place->log, i, UINT64_MAX, &place->missing, &behind))
			return false;
		result->count++;
		at = behind;
	}
	return true;
}

/* The last place of a stretch that ends before @until, where there is more than the one it has */
static uint64_t last_place(const struct plan *plan, struct verify_place *place, size_t index,
			   uint64_t until)
{
	uint64_t last = place->log.passed;
	struct verify_log log = place->log;
	struct verify_log behind;
	uint64_t missing;

	for (unsigned int i = 0; i < MANY; i++) {
		if (!verify_log_advance(&log))
			return last;
		verify_log_step(&log);
		if (!find(plan, &log, index, until, &missing, &behind))
			return last;
		place->uncertain = true;
		last = log.passed;
	}
	return until;
}

/* The places of all stretches; false without memory */
static bool find_places(struct plan *plan, const struct verify_log *log)
{
	const struct verify_stretches *stretches = plan->stretches;
	struct verify_plan *result = plan->result;
	uint64_t until = UINT64_MAX;
	size_t index = stretches->count;

	result->places = calloc(index + 1, sizeof(*result->places));
	if (!result->places)
		return false;
	if (!stretches->list)
		return true;
	if (!plan_forward(plan, log)) {
		/* if it is but the end that does not fit, that is what is to be said */
		plan->must_end = false;
		result->count = 0;
		if (!plan_forward(plan, log))
			return true;
	}
	for (size_t i = result->count; i; i--) {
		while (stretches->list[--index].how != VERIFY_BEHIND_GAP)
			;
		until = last_place(plan, &result->places[i - 1], index, until);
	}
	return true;
}

/* The stretches of all pieces; @must_end: the log ends where the trace does. */
static int gather(struct input *input, const struct input_source *source,
		  struct verify_stretches *stretches, bool *must_end)
{
	const struct decode_options how = {.sink = verify_stretches_take, .ctx = stretches};
	bool missed = false;
	int error = 0;

	for (size_t i = 0; i < source->piece_count && !error; i++) {
		const struct input_piece *piece = &source->pieces[i];

		missed = missed || piece->overwritten;
		stretches->gap = true;
		stretches->edge = !piece->lost && !missed;
		stretches->nothing = true;
		error = decode_piece(input, source, piece, &how);
		missed = piece->lost || piece->is_sample || (missed && stretches->nothing);
	}
	*must_end = stretches->edge || !(stretches->filtered || stretches->gap || missed);
	return error;
}

int verify_plan_make(struct verify_plan *result, struct input *input,
		     const struct input_source *source, bool filtered, unsigned int code_gaps,
		     const struct verify_log *log)
{
	struct verify_stretches stretches = {.filtered = filtered, .code_gaps = code_gaps};
	struct plan plan = {.result = result, .stretches = &stretches, .wfx = source->config.wfx};
	int error = gather(input, source, &stretches, &plan.must_end);

	*result = (struct verify_plan){0};
	if (!error && (stretches.failed || !find_places(&plan, log))) {
		input_error(source->file, UINT64_MAX, "out of memory");
		error = EXIT_UNREADABLE;
	}
	free(stretches.list);
	return error;
}
