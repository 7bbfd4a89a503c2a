/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * What has to be output before the next P0 element: Context, Target Address, Transaction Start, and
 * the synchronisation that is due. A wrong path may come before the Target Address, and has
 * synchronisations of its own: tu_spec.c calls these functions as well.
 */
#include "encode/tu.h"

/* Before the first instruction traced in Transactional state (R_KMNXW, R_CYHKB, R_RKGLY) */
static void put_start(struct hwf_tu *unit)
{
	uint32_t exec = unit->exec;
	bool omitted = unit->omitted;

	unit->attention &= ~TU_ATT_START;
	unit->transaction_traced = true;
	if (!unit->config.start_is_p0) {
		hwf_tu_put_bare(unit, HWF_EL_TRANSACTION_START);
		return;
	}
	/* R_CTLXL */
	hwf_tu_make_room(unit);
	hwf_tu_put_bare(unit, HWF_EL_TRANSACTION_START);
	tu_count_p0(unit);
	/* It implies no instruction. */
	unit->exec = exec;
	unit->omitted = omitted;
}

/* Is the target left to the decoder's return stack? */
static bool returns(struct hwf_tu *unit)
{
	if (unit->target_how != TU_TARGET_RETURN || !unit->return_stack_on)
		return false;
	unit->omitted = hwf_tu_stack_match(&unit->stack, &unit->target);
	return unit->omitted;
}

/*
 * Output what must be known before the next P0 element: the Context if it changed (R_TJLYH),
 * the target of the newest P0 element if code does not give it (R_KMFKP), the Transaction Start.
 */
void hwf_tu_settle_place(struct hwf_tu *unit)
{
	bool context = hwf_tu_context_due(unit);
	bool address = (unit->attention & TU_ATT_TARGET) != 0;

	if (address && !context && unit->target_how != TU_TARGET_FORCED &&
	    (unit->special & TU_SPECIAL_SPEC) != 0)
		hwf_tu_spec_target(unit);
	/* a Trace Info on a wrong path wants the Context again */
	context = hwf_tu_context_due(unit);
	if (address && returns(unit))
		address = false;
	unit->attention &= ~(TU_ATT_TARGET | TU_ATT_CONTEXT);
	if (address && context)
		hwf_tu_put_address_context(unit, &unit->target);
	else if (address)
		hwf_tu_put_address(unit, &unit->target);
	else if (context)
		hwf_tu_put_context(unit);
	if ((unit->attention & TU_ATT_START) != 0)
		put_start(unit);
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

/*
 * Is something to be said of what becomes of the transaction? Where trace was lost its Start may
 * be, and the result with it (R_NMWFJ); while it is, this waits for the Trace Info.
 */
bool hwf_tu_prepare_result(struct hwf_tu *unit)
{
	if (!unit->transaction_traced)
		return false;
	if (unit->sync_due == TU_SYNC_NONPERIODIC) {
		if (unit->lost)
			return false;
		hwf_tu_sync_due(unit);
	}
	return true;
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

/*
 * The transaction goes on, but what becomes of it will not be traced (R_NMWFJ). Where tracing
 * resumes inside it, it starts anew (R_MMCQD, I_MQZZY).
 */
void hwf_tu_give_up_transaction(struct hwf_tu *unit)
{
	if (!hwf_tu_prepare_result(unit))
		return;
	hwf_tu_commit_all(unit);
	hwf_tu_put_bare(unit, HWF_EL_TRANSACTION_FAILURE);
	hwf_tu_stack_flush(&unit->stack);
	unit->transaction_traced = false;
	if (unit->transaction)
		unit->attention |= TU_ATT_START;
}
