/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Trace protocol synchronisation: Arm ARM D4.3.2. */
#include "trace_unit/tu.h"

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

/*
 * Only in speculation mode, and only where a decoder that follows knows the target of the
 * newest P0 element without: the next P0 element may come before its Context and address.
 */
static bool may_defer(struct hwf_tu *unit)
{
	return (unit->special & TU_SPECIAL_SPEC) != 0 && (unit->attention & TU_ATT_TARGET) == 0 &&
	       !unit->omitted && !hwf_tu_context_due(unit) && hwf_tu_random(unit, 3) == 0;
}

/*
 * Periodic synchronisation. The Context and Target Address are those of the newest P0 element
 * not canceled (R_SVGNN), output before the next P0 element or right after it (I_CHTFM);
 * while ViewInst is inactive they come with the next Trace On (R_DLPYX).
 */
void hwf_tu_sync_now(struct hwf_tu *unit)
{
	bool defer;

	/* The context of what comes behind a Q element may be known to us already. */
	if (unit->q_open)
		hwf_tu_q_cut(unit);
	defer = may_defer(unit);
	hwf_tu_sync_begin(unit);
	if (!unit->active)
		return;
	if (defer) {
		unit->attention &= ~TU_ATT_CONTEXT;
		unit->defer = true;
		return;
	}
	hwf_tu_force_place(unit);
	if (unit->exec != 0)
		hwf_tu_settle_place(unit);
	unit->sync_mark = unit->output;
}

/* The synchronisation that waited, now that something is traced. */
void hwf_tu_sync_due(struct hwf_tu *unit)
{
	bool lost = unit->lost;

	if (unit->sync_due == TU_SYNC_PERIODIC && !unit->sync_aligned && unit->active) {
		hwf_tu_sync_now(unit);
		return;
	}
	hwf_tu_sync_begin(unit);
	unit->lost = false;
	/* R_NMWFJ: after an overflow the result of the transaction is UNKNOWN. */
	if (lost)
		hwf_tu_give_up_transaction(unit);
	/* R_KKQGK; after Trace On it comes by itself */
	if (unit->active)
		hwf_tu_force_place(unit);
}

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
