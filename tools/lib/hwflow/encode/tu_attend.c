/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What is traced: Trace On, and when tracing pauses. */
#include "encode/tu.h"

static void trace_on(struct hwf_tu *unit, const struct tu_place *at)
{
	hwf_tu_put_bare(unit, HWF_EL_TRACE_ON);
	hwf_tu_stack_flush(&unit->stack);
	unit->stack.awaits |= TU_AWAITS_ADDRESS;
	unit->attention &= ~TU_ATT_GAP;
	unit->target = *at;
	unit->target_is_cse = false;
	unit->omitted = false;
	unit->defer = false;
	unit->exec = 0;
	/* R_KMFKP always, R_TJLYH if need be */
	hwf_tu_force_place(unit);
}

/* What is at @at is traced, and what came before it was not. */
void hwf_tu_begin(struct hwf_tu *unit, const struct tu_place *at)
{
	if ((unit->attention & TU_ATT_SYNC) != 0)
		hwf_tu_sync_due(unit);
	trace_on(unit, at);
	unit->active = true;
}

bool hwf_tu_active(const struct hwf_tu *unit)
{
	return unit->active;
}

/* A transaction failed, and execution goes on at @at. What comes next is output as its target. */
void hwf_tu_redirected(struct hwf_tu *unit, const struct tu_place *at)
{
	unit->redirect = false;
	unit->target = *at;
	unit->exec = 0;
	hwf_tu_force_place(unit);
}

/*
 * R_KHDNX: instructions were traced that no P0 element shows yet. Tracing goes on to the one that
 * does.
 */
static bool must_show(const struct hwf_tu *unit, const struct tu_place *at)
{
	uint32_t shown = unit->q_open ? unit->q_last_exec : 0;

	return unit->active && unit->exec != shown && at->pc == unit->next_pc &&
	       at->isa == unit->next_isa;
}

/* Instructions are not traced from here on: ViewInst is inactive, or we do not see them. */
void hwf_tu_leave(struct hwf_tu *unit)
{
	if (unit->active) {
		if (unit->q_open)
			hwf_tu_q_cut(unit);
		/*
		 * R_YGSGJ: what is traced after the gap is resolved on its own; nothing from
		 * before it can still be canceled. Nor does a decoder have to keep it while
		 * Events go by.
		 */
		hwf_tu_commit_all(unit);
	}
	unit->active = false;
	unit->redirect = false;
	unit->attention &= ~(TU_ATT_TARGET | TU_ATT_Q);
	unit->attention |= TU_ATT_GAP;
	/* R_NMWFJ: a prohibited region */
	if (!unit->el_traced)
		hwf_tu_give_up_transaction(unit);
}

/* An instruction that is not the plain successor of the last, at least one @attention. */
bool hwf_tu_attend(struct hwf_tu *unit, const struct tu_place *at)
{
	if ((unit->attention & TU_ATT_DISABLED) != 0)
		return false;
	if (at->pc - unit->window_low > unit->window_span)
		hwf_tu_window(unit, at->pc);
	unit->attention &= ~TU_ATT_SHOW;
	if (!unit->el_traced || (!unit->window_traced && !must_show(unit, at))) {
		hwf_tu_leave(unit);
		return false;
	}
	if (!unit->window_traced)
		unit->attention |= TU_ATT_SHOW;
	if (unit->redirect) {
		hwf_tu_redirected(unit, at);
	} else if (unit->active && (at->pc != unit->next_pc || at->isa != unit->next_isa)) {
		/* We were not told how it got here. */
		hwf_tu_leave(unit);
	}
	if ((unit->attention & TU_ATT_Q) != 0)
		hwf_tu_q_end(unit, at);
	if ((unit->attention & TU_ATT_SYNC) != 0)
		hwf_tu_sync_due(unit);
	if ((unit->attention & TU_ATT_GAP) != 0)
		trace_on(unit, at);
	unit->active = true;
	hwf_tu_settle_place(unit);
	return true;
}

void hwf_tu_gap(struct hwf_tu *unit)
{
	if ((unit->attention & TU_ATT_DISABLED) != 0)
		return;
	hwf_tu_leave(unit);
	hwf_tu_give_up_transaction(unit);
	tu_done(unit);
}
