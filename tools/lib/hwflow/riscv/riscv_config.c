/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Parameters of an encoder: their ranges (RISCV_PARAMETERS). */
#include "hwflow/riscv.h"

/* Tables that the decoder has to mirror may have this many entries, as a power of two. */
#define MIRROR_LOG2 HWF_RISCV_MIRROR_LOG2

void hwf_riscv_params_init(struct hwf_riscv_params *params, enum hwf_riscv_dialect dialect)
{
	*params = (struct hwf_riscv_params){
		.iaddress_width_p = 64,
		.iaddress_lsb_p = 1,
		.nocontext_p = 1,
		.privilege_width_p = 2,
		.ecause_width_p = 5,
		.itype_width_p = dialect == HWF_RISCV_DRAFT_026 ? 4 : 3,
	};
}

static bool is_ratified_only(const struct hwf_riscv_params *p)
{
	return p->return_stack_size_p || p->call_counter_size_p || p->time_width_p ||
	       p->bpred_size_p || p->cache_size_p || p->f0s_width_p || p->implicit_return ||
	       p->implicit_exception || p->branch_prediction || p->jump_target_cache;
}

static bool in_range(const struct hwf_riscv_params *p)
{
	return p->iaddress_width_p >= 2 && p->iaddress_width_p <= 64 && p->iaddress_lsb_p <= 3 &&
	       p->iaddress_lsb_p < p->iaddress_width_p && p->context_width_p <= 32 &&
	       p->privilege_width_p >= 1 && p->privilege_width_p <= 4 && p->ecause_width_p >= 1 &&
	       p->ecause_width_p <= 16 && p->nocontext_p <= 1 && p->notval_p <= 1 &&
	       p->itype_width_p >= 3 && p->itype_width_p <= 4 &&
	       p->return_stack_size_p <= MIRROR_LOG2 && p->call_counter_size_p <= MIRROR_LOG2 &&
	       p->time_width_p <= 64 && p->bpred_size_p <= MIRROR_LOG2 &&
	       p->cache_size_p <= MIRROR_LOG2 && p->f0s_width_p <= 1 && p->sijump_p <= 1 &&
	       p->encoder_mode_width <= 8 && p->ioptions_width <= 32 && p->doptions_width <= 32;
}

static bool data_in_range(const struct hwf_riscv_params *p)
{
	const unsigned int width = p->data_width_p;

	return (!width || (width >= 8 && width <= 128 && !(width & (width - 1)))) &&
	       p->daddress_width_p <= 64 && p->dtype_width_p <= 4 && p->lrid_width_p <= 8 &&
	       p->ddiff_width <= 2;
}

/* Does it say anything of data trace? */
static bool has_data(const struct hwf_riscv_params *p)
{
	return p->data_width_p || p->daddress_width_p || p->dtype_width_p || p->lrid_width_p ||
	       p->ddiff_width || p->mmacas || p->noaddr || p->nodata || p->full_daddress ||
	       p->full_data;
}

/* Options that can be told apart, and that have their table */
static bool consistent(const struct hwf_riscv_params *p, enum hwf_riscv_dialect dialect)
{
	if (dialect != HWF_RISCV_V2 && (has_data(p) || p->irets))
		return false;
	if (dialect == HWF_RISCV_DRAFT_026)
		return !is_ratified_only(p);
	/* 1.0 has no time, and a trap value always */
	if (p->notval_p || (dialect == HWF_RISCV_V1 && p->time_width_p))
		return false;
	/* one of them, or none: with both it would not be known which counts (RISCV_IRDEPTH) */
	if (p->return_stack_size_p && p->call_counter_size_p)
		return false;
	/* with neither there is nothing that it could say */
	if (p->noaddr && p->nodata)
		return false;
	if (p->branch_prediction && p->jump_target_cache && !p->f0s_width_p)
		return false;
	return true;
}

static unsigned int irdepth_bits(const struct hwf_riscv_params *p)
{
	if (p->irets)
		return 8;
	return p->return_stack_size_p + (p->return_stack_size_p ? 1u : 0u) + p->call_counter_size_p;
}

int hwf_riscv_config_init(struct hwf_riscv_config *config, enum hwf_riscv_dialect dialect,
			  const struct hwf_riscv_params *params)
{
	const bool draft = dialect == HWF_RISCV_DRAFT_026;

	if (dialect > HWF_RISCV_V2 || !in_range(params) || !data_in_range(params) ||
	    !consistent(params, dialect))
		return HWF_ERR_BAD_CONFIG;
	*config = (struct hwf_riscv_config){
		.params = *params,
		.dialect = (uint8_t)dialect,
		.address_bits = (uint8_t)(params->iaddress_width_p - params->iaddress_lsb_p),
		.irdepth_bits = (uint8_t)(draft ? 0 : irdepth_bits(params)),
	};
	if (params->nocontext_p)
		config->params.context_width_p = 0;
	if (!params->encoder_mode_width)
		config->params.encoder_mode_width = draft ? 2 : 1;
	if (!params->ioptions_width)
		config->params.ioptions_width = 5;
	if (!params->doptions_width)
		config->params.doptions_width = 4;
	if (params->data_width_p && !params->daddress_width_p)
		config->params.daddress_width_p = params->iaddress_width_p;
	if (params->data_width_p && !params->dtype_width_p)
		config->params.dtype_width_p = 4;
	if (params->data_width_p && !params->ddiff_width)
		config->params.ddiff_width = 2;
	return 0;
}

/* RISCV_OPTIONS */
void hwf_riscv_config_set(struct hwf_riscv_config *config, uint32_t ioptions)
{
	struct hwf_riscv_params *params = &config->params;

	if (config->dialect == HWF_RISCV_DRAFT_026)
		return;
	params->implicit_return = ioptions & HWF_RISCV_IMPLICIT_RETURN;
	params->implicit_exception = ioptions & HWF_RISCV_IMPLICIT_EXCEPTION;
	params->full_address = ioptions & HWF_RISCV_FULL_ADDRESS;
	params->jump_target_cache = ioptions & HWF_RISCV_JUMP_TARGET_CACHE;
	params->branch_prediction = ioptions & HWF_RISCV_BRANCH_PREDICTION;
}

void hwf_riscv_config_set_data(struct hwf_riscv_config *config, uint32_t doptions)
{
	struct hwf_riscv_params *params = &config->params;

	if (config->dialect != HWF_RISCV_V2)
		return;
	params->noaddr = doptions & HWF_RISCV_NO_ADDRESS;
	params->nodata = doptions & HWF_RISCV_NO_DATA;
	params->full_daddress = doptions & HWF_RISCV_FULL_DADDRESS;
	params->full_data = doptions & HWF_RISCV_FULL_DATA;
}
