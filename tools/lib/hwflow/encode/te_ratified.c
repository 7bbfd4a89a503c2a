/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The reference algorithm of ratified E-Trace (RISCV_FIGURE_5_1), with its options. Where it is
 * silent, or not quite:
 *
 * - A trap without retirement is reported by itself where the decoder could not know its address:
 *   at the target of a discontinuity, at the first traced instruction, and before another one. It
 *   is never the address of F3.0.
 * - A return from a trap is a discontinuity, with or without a change of privilege.
 * - updiscon says that a format 3 follows at once: not where the next instruction retires with its
 *   trap, for that is reported first.
 * - 1.0 has no thaddr: a trap without retirement is told of with the handler, the last of several.
 */
#include "encode/te.h"

static bool te_has_thaddr(const struct hwf_te *te)
{
	return te->options.config.dialect == HWF_RISCV_V2;
}

static bool te_is_new(const struct hwf_te *te)
{
	return !te->prev.qualified || te->resume;
}

/* Does the item begin something that a format 3 has to tell of? */
static bool te_changes(const struct te_item *before, const struct te_item *item)
{
	return before->priv != item->priv || item->sync || item->discon;
}

/*
 * With irets a return that was predicted wrong is always reported by its target, which format 3
 * would not tell from a return that was predicted right: the synchronisation waits for it.
 */
static bool te_resyncs(const struct hwf_te *te)
{
	return te->resync_now && !(te_params(te)->irets && te->prev.updiscon && te->prev.irfail);
}

/* Is the next instruction to be synchronised on? */
static bool te_resync_follows(const struct hwf_te *te, const struct te_item *next)
{
	return (te->resync_due || te->resync_now) && !hwf_te_return_fails(te, next);
}

/* What stands behind the address. An implied return makes it count how deep it stands. */
static struct te_flags te_flags(const struct hwf_te *te, const struct te_item *next)
{
	const struct te_item *prev = &te->prev, *cur = &te->cur;
	bool sync_next = cur->trap || te_is_trap_only(next) || te_resync_follows(te, next) ||
			 (next->qualified && te_changes(cur, next));
	struct te_flags flags = {0};

	flags.notify = cur->notify && !prev->updiscon;
	flags.updiscon = prev->updiscon && sync_next;
	flags.irdepth = te->depth;
	if (te_params(te)->irets) { /* RISCV_IRETS */
		flags.irreport = prev->updiscon ? prev->irfail : te->irets != 0;
		flags.irdepth = te->irets;
		return flags;
	}
	if (prev->updiscon)
		flags.irreport = prev->irfail;
	else if (prev->ir_implied)
		flags.irreport = te->depth != 0;
	else
		flags.irreport = te->ret_since_call && !te->branch_since_ret;
	return flags;
}

static void te_report(struct hwf_te *te, const struct te_item *next)
{
	struct te_flags flags = te_flags(te, next);

	hwf_te_send_address(te, &flags);
}

/* A trap without retirement, as the current item (RISCV_TRAP_ONLY) */
static void te_trap_only(struct hwf_te *te)
{
	if (!te_has_thaddr(te))
		return;
	if (te->prev.trap && !te->trap_reported) {
		hwf_te_send_sync(te, HWF_RISCV_F3_TRAP, &te->cur, &te->prev, false);
		te->trap_reported = false;
	} else if (te->prev.trap) {
		/* the one before has been told of, this one is with what comes next */
		te->trap_reported = false;
	} else if (te_is_new(te) || te->prev.updiscon) {
		hwf_te_send_sync(te, HWF_RISCV_F3_TRAP, &te->cur, &te->cur, false);
		te->trap_reported = true;
		te->resume = false;
	}
}

/* The first instruction of a handler */
static void te_handler(struct hwf_te *te)
{
	if (te->trap_reported)
		hwf_te_send_sync(te, HWF_RISCV_F3_START, &te->cur, NULL, true);
	else
		hwf_te_send_sync(te, HWF_RISCV_F3_TRAP, &te->cur, &te->prev, true);
	te->trap_reported = false;
}

/* Something that format 3 cannot tell of, and so has to be reported before it: implied returns
 * count (RISCV_IRETS) */
static bool te_has_pending(const struct hwf_te *te)
{
	return te_has_branches(te) || (te_params(te)->irets && te->irets);
}

static bool te_is_last(const struct hwf_te *te, const struct te_item *next)
{
	if (!next->qualified || te_is_trap_only(next) || next->discon)
		return true;
	return te_has_pending(te) && te_changes(&te->cur, next);
}

/* Branches alone: a full map with one that was not predicted, or the first such after a full map */
static bool te_map_is_due(const struct hwf_te *te)
{
	return te->branches == TE_MAP_FULL && te->missed;
}

static bool te_count_is_full(const struct hwf_te *te)
{
	return te->predicted == TE_MAP_FULL + (uint64_t)UINT32_MAX;
}

static bool te_has_to_report(const struct hwf_te *te, const struct te_item *next)
{
	return (te->resync_due && te_has_pending(te) && te_resync_follows(te, next)) ||
	       te->cur.trap || te->cur.notify || te_count_is_full(te);
}

void hwf_te_step_ratified(struct hwf_te *te, const struct te_item *next)
{
	struct te_item *cur = &te->cur;

	if (!cur->qualified) {
		te->trap_reported = false;
		return;
	}
	if (!cur->retired) {
		te_trap_only(te);
		return;
	}
	te->reported = TE_NOT_REPORTED;
	te->context_due |= cur->imprecise;
	if (cur->branch)
		hwf_te_branch(te);
	if (te->prev.trap)
		te_handler(te);
	else if (te_is_new(te) || te_changes(&te->prev, cur) || te_resyncs(te))
		hwf_te_send_sync(te, HWF_RISCV_F3_START, cur, NULL, true);
	else if (te->prev.updiscon || te_has_to_report(te, next) || te_is_last(te, next))
		te_report(te, next);
	else if (te_map_is_due(te))
		hwf_te_send_map(te);
	else if (te->context_due)
		hwf_te_send_context(te);
}
