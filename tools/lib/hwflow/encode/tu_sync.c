/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Trace protocol synchronisation: Arm ARM D4.3.2. */
#include "encode/tu.h"

static bool output_since(const struct hwf_tu *unit, uint64_t mark)
{
	return unit->output != mark || unit->atoms.count != 0;
}

static void request(struct hwf_tu *unit)
{
	const struct hwf_tu_options *options = &unit->options;

	if (unit->sync_due == TU_SYNC_NONPERIODIC)
		return;
	if (options->resync_after_idle && unit->sync_requested &&
	    !output_since(unit, unit->request_mark)) {
		/* I_NQYXW */
		unit->sync_due = TU_SYNC_NONPERIODIC;
		unit->sync_aligned = false;
		unit->attention |= TU_ATT_SYNC;
		return;
	}
	/* I_QYQRY */
	if (options->sync_only_if_output && !output_since(unit, unit->sync_mark))
		return;
	if (options->sync_late && !unit->active) {
		/* I_MQNBT */
		unit->sync_due = TU_SYNC_PERIODIC;
		unit->attention |= TU_ATT_SYNC;
		return;
	}
	hwf_tu_sync_now(unit);
}

void hwf_tu_sync(struct hwf_tu *unit)
{
	if ((unit->attention & TU_ATT_DISABLED) != 0)
		return;
	request(unit);
	unit->sync_requested = true;
	/* What the request itself caused is no trace between two requests. */
	hwf_tu_put_atoms(unit);
	unit->request_mark = unit->output;
	tu_done(unit);
}
