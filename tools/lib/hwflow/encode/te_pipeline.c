/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The pipeline of the RISC-V trace encoder: an item is processed when the one behind it is known.
 */
#include "encode/te_pipeline.h"

/* After a loss: nothing goes out until there is room to say so. */
bool hwf_te_recover(struct hwf_te *te)
{
	if (!hwf_te_drain(te))
		return false;
	te->lost = false;
	te->resume = true;
	hwf_te_tables_reset(te);
	hwf_te_send_support(te, true, HWF_RISCV_TRACE_LOST);
	return true;
}

/* The last qualified instruction is reported: say how its report is to be read (RISCV_SUPPORT). */
static void te_qualification_ends(struct hwf_te *te)
{
	hwf_te_send_support(te, !te->finishing,
			    te->reported == TE_REPORTED_FOR_END ? HWF_RISCV_ENDED_REP
								: HWF_RISCV_ENDED_NTR);
	te->reported = TE_NOT_REPORTED;
}

/*
 * May a synchronisation come for this item (RISCV_MAX_RESYNC)? Not where branches that stand before
 * it would be lost, and not at a jump whose target only the instruction before it tells.
 */
static bool te_may_start_at(const struct hwf_te *te, const struct te_item *next)
{
	return !next->within && !(te_params(te)->sijump_p && next->sijump);
}

static void te_step(struct hwf_te *te, const struct te_item *next)
{
	const uint64_t max = te_params(te)->max_resync;
	const bool counts = te->cur.qualified && te->cur.retired;

	te->sent_sync = false;
	if (te->lost)
		hwf_te_recover(te);
	if (te->options.post_iss) {
		hwf_te_step_post_iss(te, next);
		hwf_te_leave(te, next);
		return;
	}
	if (counts)
		te->resync_due = max && te->resync_count >= max && !te->resync_now &&
				 te_may_start_at(te, next);
	if (te_is_draft(te))
		hwf_te_step_draft(te, next);
	else
		hwf_te_step_ratified(te, next);
	if (counts && !te->sent_sync && te->resync_due)
		te->resync_now = true;
	hwf_te_leave(te, next);
	if (counts)
		te->resume = false;
	if (te->cur.qualified && !next->qualified)
		te_qualification_ends(te);
}

void hwf_te_push(struct hwf_te *te, const struct te_item *item)
{
	if (te->has_cur) {
		te_step(te, item);
		te->prev = te->cur;
	}
	te->cur = *item;
	te->has_cur = true;
}
