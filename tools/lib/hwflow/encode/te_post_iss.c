/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The reference flow's encoder, as it is: the baseline of 2.0 with these oddities (B.6), for
 * streams that have to be the same to the bit.
 *
 * - A trap without retirement takes part in every decision, and may be the address of F3.0.
 * - After two traps in a row the second one is taken for reported where a third one follows.
 * - updiscon is set before any trap, and not before a trap of the current instruction.
 * - Resynchronisation waits for one packet more than the limit.
 * - The end: the last instruction is followed by itself, then reported once more, whatever was
 * sent.
 */
#include "encode/te.h"

static struct te_flags te_flags(const struct hwf_te *te)
{
	return (struct te_flags){.updiscon = te->updiscon_said};
}

static void te_report(struct hwf_te *te)
{
	struct te_flags flags = te_flags(te);

	hwf_te_send_address(te, &flags);
}

static void te_after_trap(struct hwf_te *te, const struct te_item *next, bool reported)
{
	if (te_is_trap_only(&te->cur)) {
		hwf_te_send_sync(te, HWF_RISCV_F3_TRAP, &te->cur, &te->prev, false);
		te->trap_reported = next->trap;
	} else if (reported) {
		hwf_te_send_sync(te, HWF_RISCV_F3_START, &te->cur, NULL, true);
	} else {
		hwf_te_send_sync(te, HWF_RISCV_F3_TRAP, &te->cur, &te->prev, true);
	}
}

static void te_after_updiscon(struct hwf_te *te)
{
	if (te_is_trap_only(&te->cur)) {
		hwf_te_send_sync(te, HWF_RISCV_F3_TRAP, &te->cur, &te->cur, false);
		te->trap_reported = true;
	} else {
		te_report(te);
	}
}

void hwf_te_step_post_iss(struct hwf_te *te, const struct te_item *next)
{
	const uint64_t max = te_params(te)->max_resync;
	const struct te_item *prev = &te->prev, *cur = &te->cur;
	bool reported = te->trap_reported;
	bool at_max = te->resync_count == max;
	bool priv_next = next->priv != cur->priv;

	if (cur->branch)
		hwf_te_branch(te);
	te->updiscon_said = prev->updiscon && (next->trap || priv_next || at_max);
	te->trap_reported = false;
	if (prev->trap)
		te_after_trap(te, next, reported);
	else if (!prev->qualified || cur->priv != prev->priv || te->resync_count > max)
		hwf_te_send_sync(te, HWF_RISCV_F3_START, cur, NULL, true);
	else if (prev->updiscon)
		te_after_updiscon(te);
	else if ((at_max && te->branches) || (cur->trap && cur->retired))
		te_report(te);
	else if (te_is_trap_only(next) || (te->branches && priv_next))
		te_report(te);
	else if (te->branches == TE_MAP_FULL)
		hwf_te_send_map(te);
}

void hwf_te_close_post_iss(struct hwf_te *te)
{
	const struct te_item same = te->cur;

	if (te->has_cur) {
		hwf_te_step_post_iss(te, &same);
		te_report(te);
	}
	hwf_te_send_support(te, false, HWF_RISCV_ENDED_REP);
}
