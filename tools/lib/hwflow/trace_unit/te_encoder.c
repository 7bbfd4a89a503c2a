/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The RISC-V trace encoder: its memory, its pipeline of three, and its way out. */
#include "trace_unit/te.h"
#include "trace_unit/te_intake.h"

static bool te_has_stack(const struct hwf_riscv_params *params)
{
	return params->implicit_return && params->return_stack_size_p;
}

static uint32_t te_nested_room(const struct hwf_te_options *options)
{
	return options->filters ? 1u << options->filters->params.filter_ecause_p : 1;
}

size_t hwf_te_size(const struct hwf_te_options *options)
{
	const struct hwf_riscv_params *params = &options->config.params;
	size_t size =
		sizeof(struct hwf_te) + te_nested_room(options) * sizeof(struct hwf_te_trap_entry);

	if (te_has_stack(params))
		size += sizeof(uint64_t) << params->return_stack_size_p;
	if (params->jump_target_cache)
		size += sizeof(uint64_t) << params->cache_size_p;
	if (params->branch_prediction)
		size += (size_t)1 << params->bpred_size_p;
	return size;
}

static int te_check_post_iss(const struct hwf_te_options *options)
{
	const struct hwf_riscv_params *params = &options->config.params;

	if (options->config.dialect != HWF_RISCV_V2 || !options->single || options->filters ||
	    options->trigger_start || params->implicit_return || params->implicit_exception ||
	    params->branch_prediction || params->jump_target_cache || params->sijump_p)
		return HWF_ERR_BAD_CONFIG;
	return 0;
}

static int te_check(const struct hwf_te_options *options)
{
	const struct hwf_riscv_params *params = &options->config.params;

	if (options->config.dialect == HWF_RISCV_DRAFT_026 && (options->single || !options->stall))
		return HWF_ERR_BAD_CONFIG;
	if (params->implicit_return &&
	    ((!params->return_stack_size_p && !params->call_counter_size_p) ||
	     params->itype_width_p != 4))
		return HWF_ERR_BAD_CONFIG;
	if ((params->branch_prediction && !params->bpred_size_p) ||
	    (params->jump_target_cache && !params->cache_size_p))
		return HWF_ERR_BAD_CONFIG;
	if (options->filters && hwf_te_filters_check(options->filters))
		return HWF_ERR_BAD_CONFIG;
	return options->post_iss ? te_check_post_iss(options) : 0;
}

int hwf_te_init(void *memory, const struct hwf_te_options *options, const struct hwf_te_sink *sink,
		struct hwf_te **result)
{
	const struct hwf_riscv_params *params = &options->config.params;
	struct hwf_te *te = memory;
	struct hwf_te_trap_entry *nested = (struct hwf_te_trap_entry *)(te + 1);
	uint64_t *words = (uint64_t *)(nested + te_nested_room(options));

	if (te_check(options))
		return HWF_ERR_BAD_CONFIG;
	*te = (struct hwf_te){.options = *options, .sink = *sink};
	te->triggered = !options->trigger_start;
	hwf_te_filter_init(&te->filter, options->filters, nested);
	if (te_has_stack(params)) {
		te->stack = words;
		words += (size_t)1 << params->return_stack_size_p;
	}
	if (params->jump_target_cache) {
		te->cache = words;
		words += (size_t)1 << params->cache_size_p;
	}
	if (params->branch_prediction)
		te->bpred = (uint8_t *)words;
	hwf_te_tables_reset(te);
	hwf_te_send_support(te, true, HWF_RISCV_NO_CHANGE);
	*result = te;
	return 0;
}

/* ---- the way out ---- */

static bool te_drain(struct hwf_te *te)
{
	while (te->queued && te->sink.packet(te->sink.ctx, &te->queue[te->queue_first])) {
		te->queue_first = (uint8_t)((te->queue_first + 1) % TE_QUEUE);
		te->queued--;
	}
	return !te->queued;
}

static void te_queue(struct hwf_te *te, const struct hwf_riscv_packet *packet)
{
	te->queue[(te->queue_first + te->queued++) % TE_QUEUE] = *packet;
}

/* After a loss: nothing goes out until there is room to say so. */
static bool te_recover(struct hwf_te *te)
{
	if (!te_drain(te))
		return false;
	te->lost = false;
	te->resume = true;
	hwf_te_tables_reset(te);
	hwf_te_send_support(te, true, HWF_RISCV_TRACE_LOST);
	return true;
}

void hwf_te_send(struct hwf_te *te, const struct hwf_riscv_packet *packet)
{
	if (te->lost)
		return;
	te_drain(te);
	if (te->queued == TE_QUEUE)
		te->lost = true;
	else if (te->queued || !te->sink.packet(te->sink.ctx, packet))
		te_queue(te, packet);
}

bool hwf_te_stall(struct hwf_te *te)
{
	return !te_drain(te) && te->options.stall;
}

/* ---- the pipeline ---- */

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
		te_recover(te);
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

int hwf_te_cycle(struct hwf_te *te, const struct hwf_te_cycle *cycle)
{
	int status = hwf_te_check_cycle(te, cycle);

	if (status)
		return status;
	if (te->options.stall && !te_drain(te))
		return HWF_ERR_NO_SPACE;
	hwf_te_take_cycle(te, cycle);
	return 0;
}

void hwf_te_finish(struct hwf_te *te)
{
	static const struct te_item nothing;

	if (te->lost)
		te_recover(te);
	if (te->options.post_iss) {
		hwf_te_close_post_iss(te);
		return;
	}
	te->finishing = true;
	if (te->has_cur && te->cur.qualified)
		hwf_te_push(te, &nothing);
	else
		hwf_te_send_support(te, false, HWF_RISCV_NO_CHANGE);
	te->has_cur = false;
}
