/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* ViewInst: which addresses are traced. */
#include "encode/tu.h"

static bool inside(const struct hwf_tu_range *range, uint64_t pc)
{
	return pc >= range->low && pc <= range->high;
}

static bool in_any(const struct hwf_tu_range *ranges, unsigned int count, uint64_t pc)
{
	for (unsigned int i = 0; i < count; i++) {
		if (inside(&ranges[i], pc))
			return true;
	}
	return false;
}

bool hwf_tu_wants(const struct hwf_tu *unit, uint64_t pc)
{
	const struct hwf_tu_options *options = &unit->options;

	if (options->include_ranges != 0 && !in_any(options->include, options->include_ranges, pc))
		return false;
	return !in_any(options->exclude, options->exclude_ranges, pc);
}

/* Narrow [low, high] about @pc so that it does not cross a bound of @range. */
static void narrow(const struct hwf_tu_range *range, uint64_t pc, uint64_t *low, uint64_t *high)
{
	if (pc < range->low) {
		if (*high >= range->low)
			*high = range->low - 1;
	} else if (pc > range->high) {
		if (*low <= range->high)
			*low = range->high + 1;
	} else {
		if (*low < range->low)
			*low = range->low;
		if (*high > range->high)
			*high = range->high;
	}
}

/* Remember the answer for all addresses about @pc that have the same one. */
void hwf_tu_window(struct hwf_tu *unit, uint64_t pc)
{
	const struct hwf_tu_options *options = &unit->options;
	uint64_t low = 0, high = UINT64_MAX;

	for (unsigned int i = 0; i < options->include_ranges; i++)
		narrow(&options->include[i], pc, &low, &high);
	for (unsigned int i = 0; i < options->exclude_ranges; i++)
		narrow(&options->exclude[i], pc, &low, &high);
	unit->window_low = low;
	unit->window_span = high - low;
	unit->window_traced = hwf_tu_wants(unit, pc);
}

bool hwf_tu_broadcasts(const struct hwf_tu *unit, uint64_t pc)
{
	if (!unit->broadcast_on)
		return false;
	return unit->options.bb_ranges == 0 ||
	       in_any(unit->options.bb, unit->options.bb_ranges, pc) != unit->options.bb_exclude;
}

/* May a Q element imply the instructions from @first to @last? */
bool hwf_tu_q_permitted(const struct hwf_tu *unit, uint64_t first, uint64_t last)
{
	const struct hwf_tu_options *options = &unit->options;

	for (unsigned int i = 0; i < options->q_ranges; i++) {
		const struct hwf_tu_range *range = &options->q[i];

		if (options->q_exclude && first <= range->high && last >= range->low)
			return false;
		if (!options->q_exclude && inside(range, first) && inside(range, last))
			return true;
	}
	return options->q_ranges == 0 || options->q_exclude;
}

void hwf_tu_ranges(struct hwf_tu *unit, const struct hwf_tu_options *options)
{
	struct hwf_tu_options *now = &unit->options;

	now->include_ranges = options->include_ranges;
	now->exclude_ranges = options->exclude_ranges;
	now->bb_ranges = options->bb_ranges;
	now->q_ranges = options->q_ranges;
	now->bb_exclude = options->bb_exclude;
	now->q_exclude = options->q_exclude;
	for (unsigned int i = 0; i < HWF_TU_RANGES; i++) {
		now->include[i] = options->include[i];
		now->exclude[i] = options->exclude[i];
		now->bb[i] = options->bb[i];
		now->q[i] = options->q[i];
	}
	hwf_tu_window(unit, unit->next_pc);
	/* what comes next may be left out now, however plainly it follows */
	if ((unit->attention & TU_ATT_DISABLED) == 0)
		unit->attention |= TU_ATT_CONTEXT;
}
