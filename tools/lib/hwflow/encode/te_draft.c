/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The algorithm of Processor Trace 0.026, figure 5.1 (RISCV_FIGURE_5_1): from top to bottom, the
 * first box that is reached ends it. Where the figure is silent:
 *
 * - A trap without retirement is no "current" instruction: what it does is in "next" and "last" of
 *   its neighbours. Of two such traps in a row the last one is told of.
 * - A change of context by Table 3.3: with a discontinuity, it is a trap to the old context and a
 *   change of privilege to the new; a precise one is a change of privilege; an imprecise one waits
 * for an instruction that sends nothing else; a notification sends the address.
 * - max_resync is exceeded by the instruction behind the one that finds it reached; where that
 *   cannot be one of format 3, both wait. What resync_br reports has to be followed by it at once.
 */
#include "encode/te.h"

static void te_map_add(struct hwf_te *te, bool not_taken)
{
	if (te->branches == TE_MAP_FULL)
		hwf_te_send_map(te);
	te->map |= (uint32_t)not_taken << te->branches++;
}

static void te_map_update(struct hwf_te *te)
{
	for (unsigned int i = 0; i < te->cur.not_taken; i++)
		te_map_add(te, true);
	if (te->cur.branch && te->cur.taken)
		te_map_add(te, false);
}

/* First qualified or unhalted, change of privilege, more than max_resync */
static bool te_starts(const struct hwf_te *te)
{
	const struct te_item *cur = &te->cur;

	return !te->prev.qualified || te->resume || cur->priv != te->prev.priv || cur->sync ||
	       te->resync_now;
}

static bool te_has_to_report(const struct hwf_te *te)
{
	bool resync_br = te->resync_due && te->branches;

	return resync_br || te->cur.trap || te->cur.notify;
}

/* Next is halt, exception without retirement, change of privilege behind branches, or unqualified
 */
static bool te_ends(const struct hwf_te *te, const struct te_item *next)
{
	if (!next->qualified || te_is_trap_only(next) || next->discon)
		return true;
	return te->branches && (next->priv != te->cur.priv || next->sync);
}

void hwf_te_step_draft(struct hwf_te *te, const struct te_item *next)
{
	static const struct te_flags none;
	static const struct te_item no_trap = {.trap = HWF_TE_EXCEPTION};

	if (!te->cur.qualified || !te->cur.retired)
		return;
	te->reported = TE_NOT_REPORTED;
	te->context_due |= te->cur.imprecise;
	te_map_update(te);
	if (te->prev.trap)
		hwf_te_send_sync(te, HWF_RISCV_F3_TRAP, &te->cur, &te->prev, true);
	else if (te->cur.discon && te->prev.qualified)
		hwf_te_send_sync(te, HWF_RISCV_F3_TRAP, &te->cur, &no_trap, true);
	else if (te_starts(te))
		hwf_te_send_sync(te, HWF_RISCV_F3_START, &te->cur, NULL, true);
	else if (te->prev.updiscon || te_has_to_report(te) || te_ends(te, next))
		hwf_te_send_address(te, &none);
	else if (te->branches == TE_MAP_FULL)
		hwf_te_send_map(te);
	else if (te->context_due)
		hwf_te_send_context(te);
}
