/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Transactions: Arm ARM D4.3.3.1, D4.3.11. */
#include "trace_unit/tu.h"

/* Before the first instruction traced in Transactional state (R_KMNXW, R_CYHKB, R_RKGLY) */
void hwf_tu_put_start(struct hwf_tu *unit)
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

/*
 * Is something to be said of what becomes of the transaction? Where trace was lost its Start may
 * be, and the result with it (R_NMWFJ); while it is, this waits for the Trace Info.
 */
static bool prepare_result(struct hwf_tu *unit)
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

/*
 * The transaction goes on, but what becomes of it will not be traced (R_NMWFJ). Where tracing
 * resumes inside it, it starts anew (R_MMCQD, I_MQZZY).
 */
void hwf_tu_give_up_transaction(struct hwf_tu *unit)
{
	if (!prepare_result(unit))
		return;
	hwf_tu_commit_all(unit);
	hwf_tu_put_bare(unit, HWF_EL_TRANSACTION_FAILURE);
	hwf_tu_stack_flush(&unit->stack);
	unit->transaction_traced = false;
	if (unit->transaction)
		unit->attention |= TU_ATT_START;
}

void hwf_tu_transaction_start(struct hwf_tu *unit)
{
	if (unit->config.protocol == HWF_PROTOCOL_ETMV4)
		return;
	unit->transaction = true;
	if ((unit->attention & TU_ATT_DISABLED) == 0)
		unit->attention |= TU_ATT_START;
}

static void commit_transaction(struct hwf_tu *unit)
{
	if (!prepare_result(unit))
		return;
	unit->transaction_traced = false;
	hwf_tu_put_bare(unit, HWF_EL_TRANSACTION_COMMIT);
}

void hwf_tu_transaction_end(struct hwf_tu *unit, int end)
{
	unit->transaction = false;
	unit->attention &= ~TU_ATT_START;
	if ((unit->attention & TU_ATT_DISABLED) != 0)
		return;
	if (unit->q_open)
		hwf_tu_q_cut(unit);
	if (end == HWF_TRANSACTION_FAILED) {
		hwf_tu_give_up_transaction(unit);
		if (unit->active) {
			/* Execution goes on behind the TSTART; the next instruction says where. */
			unit->redirect = true;
			unit->attention |= TU_ATT_TARGET;
		}
	} else {
		commit_transaction(unit);
	}
	tu_done(unit);
}
