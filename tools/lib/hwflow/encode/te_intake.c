/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The encoder's side of the port (RISCV_BLOCKS). Of a block only its first and its last instruction
 * can make a packet: those are the items; the packets are those of single retirement, but that the
 * draft does not say where in a block its branches not taken are, so a resynchronisation that would
 * come there comes at its end.
 */
#include "encode/te_intake.h"
#include "encode/te_pipeline.h"

/* itypes that are allocated: of the draft, of 3 bits, of 4 bits */
#define TE_DRAFT_ITYPES  0x3f4fu
#define TE_NARROW_ITYPES 0x007fu
#define TE_WIDE_ITYPES   0xff3fu

static bool te_itype_is_valid(const struct hwf_te *te, unsigned int itype)
{
	bool wide = te_params(te)->itype_width_p == 4;
	unsigned int valid = te_is_draft(te) ? TE_DRAFT_ITYPES & (wide ? 0xffff : 0xff)
			     : wide          ? TE_WIDE_ITYPES
					     : TE_NARROW_ITYPES;

	return itype < 16 && (valid >> itype & 1);
}

static unsigned int te_last_bytes(const struct hwf_te_block *block)
{
	return 2u << block->ilastsize;
}

static bool te_block_is_valid(const struct hwf_te *te, const struct hwf_te_block *block,
			      bool newest)
{
	bool trap = block->itype == HWF_TE_EXCEPTION || block->itype == HWF_TE_INTERRUPT;

	if (!te_itype_is_valid(te, block->itype) || block->ilastsize > 2 || (trap && !newest))
		return false;
	if (!block->iretire)
		return trap && !block->ntkn;
	if (te->options.single)
		return block->iretire == 1 && !block->ntkn;
	return block->iretire * 2u >= te_last_bytes(block) &&
	       (te_is_draft(te) ? block->ntkn <= block->iretire : !block->ntkn);
}

int hwf_te_check_cycle(const struct hwf_te *te, const struct hwf_te_cycle *cycle)
{
	if (cycle->blocks > HWF_TE_BLOCKS)
		return HWF_ERR_BAD_PAYLOAD;
	for (unsigned int i = 0; i < cycle->blocks; i++)
		if (!te_block_is_valid(te, &cycle->block[i], i + 1u == cycle->blocks))
			return HWF_ERR_BAD_PAYLOAD;
	return 0;
}

/* What the end of a block is; Table 3.2's predictable jumps are like any other instruction. */
static void te_set_end_draft(struct te_item *item, unsigned int itype)
{
	item->taken = itype == HWF_RV_DRAFT_TAKEN;
	item->uninferable = itype == HWF_RV_DRAFT_TRAP_RETURN ||
			    itype == HWF_RV_DRAFT_UNPREDICTABLE_CALL ||
			    itype == HWF_RV_DRAFT_UNPREDICTABLE_RETURN ||
			    itype == HWF_RV_DRAFT_UNPREDICTABLE_JUMP;
	item->branch = item->taken || (item->not_taken && !item->within);
}

static void te_set_end_ratified(struct te_item *item, unsigned int itype)
{
	item->branch = itype == HWF_RV_ITYPE_TAKEN || itype == HWF_RV_ITYPE_NOT_TAKEN;
	item->taken = itype == HWF_RV_ITYPE_TAKEN;
	item->call = itype == HWF_RV_ITYPE_UNINFERABLE_CALL || itype == HWF_RV_ITYPE_INFERABLE_CALL;
	item->returns = itype == HWF_RV_ITYPE_RETURN;
	item->uninferable = itype == HWF_RV_ITYPE_TRAP_RETURN ||
			    itype == HWF_RV_ITYPE_UNINFERABLE_JUMP ||
			    itype == HWF_RV_ITYPE_UNINFERABLE_CALL ||
			    itype == HWF_RV_ITYPE_UNINFERABLE_TAIL || itype == HWF_RV_ITYPE_SWAP ||
			    itype == HWF_RV_ITYPE_RETURN || itype == HWF_RV_ITYPE_UNINFERABLE_OTHER;
}

static uint64_t te_last(const struct hwf_te *te, const struct hwf_te_block *block)
{
	if (!block->iretire || te->options.single)
		return block->iaddr;
	return block->iaddr + (uint64_t)2 * block->iretire - te_last_bytes(block);
}

static void te_take_block(struct hwf_te *te, const struct hwf_te_cycle *cycle,
			  const struct hwf_te_block *block, struct te_item *item, bool notify)
{
	uint64_t last = te_last(te, block);
	bool split = last != block->iaddr;

	item->address = block->iaddr;
	item->retired = block->iretire != 0;
	if (split) {
		hwf_te_push(te, item);
		item->sync = item->discon = item->imprecise = false;
	}
	item->address = last;
	item->link = last + te_last_bytes(block);
	item->not_taken = block->ntkn;
	item->within = split && block->ntkn;
	item->notify = notify;
	if (block->itype == HWF_TE_EXCEPTION || block->itype == HWF_TE_INTERRUPT) {
		item->trap = block->itype;
		item->cause = cycle->cause;
		item->tval = cycle->tval;
	}
	if (te_is_draft(te))
		te_set_end_draft(item, block->itype);
	else
		te_set_end_ratified(item, block->itype);
	item->sijump = block->sijump;
	hwf_te_push(te, item);
}

static bool te_is_qualified(struct hwf_te *te, const struct hwf_te_cycle *cycle,
			    const struct hwf_te_block *block)
{
	const struct hwf_te_filter_input input = {
		.first = block->iaddr,
		.last = te_last(te, block),
		.cycle = cycle,
		.trap = block->itype == HWF_TE_EXCEPTION || block->itype == HWF_TE_INTERRUPT
				? block->itype
				: HWF_TE_NO_TRAP,
		.trap_return = block->itype == HWF_RV_ITYPE_TRAP_RETURN,
	};

	/* the filter has to see every block */
	return hwf_te_filter_block(&te->filter, &input) && te->triggered;
}

/* What a change of the context is to the first instruction of it (RISCV_CONTEXT_TYPE) */
static void te_set_context(struct hwf_te *te, const struct hwf_te_cycle *cycle,
			   struct te_item *item)
{
	bool draft = te_is_draft(te);
	bool changed;

	if (te_params(te)->nocontext_p)
		return;
	if (draft && cycle->context_type == HWF_TE_DRAFT_NOTIFICATION && te->has_context) {
		item->context = te->context;
		return;
	}
	item->context = cycle->context;
	changed = te->has_context && te->context != cycle->context;
	te->context = cycle->context;
	te->has_context = true;
	if (!changed)
		return;
	item->discon = cycle->context_type == (draft ? (unsigned int)HWF_TE_DRAFT_DISCONTINUITY
						     : (unsigned int)HWF_TE_CTYPE_DISCONTINUITY);
	item->sync = cycle->context_type == (draft ? (unsigned int)HWF_TE_DRAFT_PRECISE
						   : (unsigned int)HWF_TE_CTYPE_PRECISE);
	item->imprecise = cycle->context_type == (draft ? (unsigned int)HWF_TE_DRAFT_IMPRECISE
							: (unsigned int)HWF_TE_CTYPE_IMPRECISE);
}

static void te_take_blocks(struct hwf_te *te, const struct hwf_te_cycle *cycle)
{
	bool single = cycle->trigger & HWF_TE_TRACE_SINGLE;
	bool watchpoint = !te_is_draft(te) || te->options.single_watchpoint;
	bool notification = te_is_draft(te) && !te_params(te)->nocontext_p &&
			    cycle->context_type == HWF_TE_DRAFT_NOTIFICATION;
	struct te_item first = {.time = cycle->time, .priv = cycle->priv};

	te_set_context(te, cycle, &first);
	for (unsigned int i = 0; i < cycle->blocks; i++) {
		struct te_item item = first;
		bool newest = i + 1u == cycle->blocks;

		item.qualified = te_is_qualified(te, cycle, &cycle->block[i]);
		item.sync |= newest && single && !watchpoint;
		te_take_block(te, cycle, &cycle->block[i], &item,
			      newest && ((single && watchpoint) || notification));
		first.sync = first.discon = first.imprecise = false;
	}
}

/*
 * In reset, and while the core is halted, nothing is qualified (RISCV_SIDEBAND, RISCV_TRIGGER).
 * What went on before a reset is forgotten by filters.
 */
void hwf_te_take_cycle(struct hwf_te *te, const struct hwf_te_cycle *cycle)
{
	static const struct te_item nothing;

	if (cycle->trigger & HWF_TE_TRACE_ON)
		te->triggered = true;
	if (cycle->blocks)
		te_take_blocks(te, cycle);
	if (cycle->trigger & HWF_TE_TRACE_OFF)
		te->triggered = false;
	if ((cycle->halted || cycle->reset) && te->has_cur && te->cur.qualified)
		hwf_te_push(te, &nothing);
	if (cycle->reset)
		hwf_te_filter_init(&te->filter, te->options.filters, te->filter.nested);
}
