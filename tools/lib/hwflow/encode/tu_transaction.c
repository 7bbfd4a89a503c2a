/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Transactions: Arm ARM D4.3.3.1, D4.3.11. */
#include "encode/tu.h"

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
	if (!hwf_tu_prepare_result(unit))
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
