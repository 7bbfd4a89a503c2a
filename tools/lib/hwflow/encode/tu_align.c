/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The packets of a synchronisation: Alignment Synchronisation and Trace Info. */
#include "encode/tu.h"

/* The Alignment Synchronisation packet of what is due, an Overflow before it. */
static void align(struct hwf_tu *unit)
{
	if (unit->overflow_due)
		hwf_tu_put_bare(unit, HWF_EL_OVERFLOW);
	unit->overflow_due = false;
	hwf_tu_put_align_sync(unit);
	unit->sync_aligned = true;
	unit->sync_mark = unit->output;
}

/*
 * Before an Event or Instrumentation packet. These may come before the Trace Info (R_HMDGL), so
 * that alone the Alignment Synchronisation is needed (R_VMPYW, I_MQNBT).
 */
void hwf_tu_align(struct hwf_tu *unit)
{
	if (unit->sync_due == TU_SYNC_NONE || unit->sync_aligned)
		return;
	if (unit->sync_due == TU_SYNC_NONPERIODIC || !unit->active)
		align(unit);
}

/* Alignment Synchronisation and Trace Info (R_HMDGL, R_VMPYW) */
void hwf_tu_sync_begin(struct hwf_tu *unit)
{
	struct hwf_element element = {.kind = HWF_EL_TRACE_INFO};
	struct hwf_ete_trace_info *info = &element.u.trace_info;

	if (!unit->sync_aligned)
		align(unit);
	if (unit->config.cycle_count) {
		info->info |= HWF_ETE_INFO_CC_ENABLED;
		info->cc_threshold = unit->options.cc_threshold;
	}
	if (unit->transaction_traced)
		info->info |= HWF_ETE_INFO_IN_TRANSACTION;
	/* The Atoms that wait were counted: they are put before the Trace Info. */
	info->spec_depth = unit->depth;
	hwf_tu_put(unit, &element);
	hwf_tu_stack_flush(&unit->stack);
	unit->stack.awaits = TU_AWAITS_ADDRESS | TU_AWAITS_CONTEXT;
	unit->sync_due = TU_SYNC_NONE;
	unit->sync_aligned = false;
	unit->attention &= ~TU_ATT_SYNC;
	unit->attention |= TU_ATT_CONTEXT;
	unit->defer = false;
	unit->synced = true;
	unit->sync_mark = unit->output;
	tu_want_timestamp(unit);
}
