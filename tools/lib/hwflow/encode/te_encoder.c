/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The RISC-V trace encoder: its memory, and what its user calls. */
#include "encode/te.h"
#include "encode/te_intake.h"
#include "encode/te_pipeline.h"

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

bool hwf_te_stall(struct hwf_te *te)
{
	return !hwf_te_drain(te) && te->options.stall;
}

int hwf_te_cycle(struct hwf_te *te, const struct hwf_te_cycle *cycle)
{
	int status = hwf_te_check_cycle(te, cycle);

	if (status)
		return status;
	if (te->options.stall && !hwf_te_drain(te))
		return HWF_ERR_NO_SPACE;
	hwf_te_take_cycle(te, cycle);
	return 0;
}

void hwf_te_finish(struct hwf_te *te)
{
	static const struct te_item nothing;

	if (te->lost)
		hwf_te_recover(te);
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
