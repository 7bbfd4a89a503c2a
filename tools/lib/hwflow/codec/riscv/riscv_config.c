/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Parameters of an encoder: their ranges (RISCV_PARAMETERS). */
#include "hwflow/riscv.h"

#include <stddef.h>

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

/**
 * struct param - a parameter of one byte (RISCV_PARAMETERS)
 * @name: its name
 * @at: offset in struct hwf_riscv_params
 * @min: smallest value
 * @max: largest value
 * @since: the dialect that the parameter is of, and later ones: it is 0 before
 */
struct param {
	const char *name;
	size_t at;
	uint8_t min;
	uint8_t max;
	uint8_t since;
};

#define P(name, min, max, since) \
	{#name, offsetof(struct hwf_riscv_params, name), min, max, HWF_RISCV_##since}

static const struct param params_of_a_byte[] = {
	P(iaddress_width_p, 2, 64, DRAFT_026),
	P(iaddress_lsb_p, 0, 3, DRAFT_026),
	P(context_width_p, 0, 32, DRAFT_026),
	P(nocontext_p, 0, 1, DRAFT_026),
	P(privilege_width_p, 1, 4, DRAFT_026),
	P(ecause_width_p, 1, 16, DRAFT_026),
	P(notval_p, 0, 1, DRAFT_026),
	P(itype_width_p, 3, 4, DRAFT_026),
	P(return_stack_size_p, 0, MIRROR_LOG2, V1),
	P(call_counter_size_p, 0, MIRROR_LOG2, V1),
	P(time_width_p, 0, 64, V2),
	P(bpred_size_p, 0, MIRROR_LOG2, V1),
	P(cache_size_p, 0, MIRROR_LOG2, V1),
	P(f0s_width_p, 0, 1, V1),
	P(sijump_p, 0, 1, DRAFT_026),
	P(encoder_mode_width, 0, 8, DRAFT_026),
	P(ioptions_width, 0, 32, DRAFT_026),
	P(doptions_width, 0, 32, DRAFT_026),
	P(data_width_p, 0, 128, V2),
	P(daddress_width_p, 0, 64, V2),
	P(dtype_width_p, 0, 4, V2),
	P(lrid_width_p, 0, 8, V2),
	P(ddiff_width, 0, 2, V2),
	P(mmacas, 0, 1, V2),
	P(noaddr, 0, 1, V2),
	P(nodata, 0, 1, V2),
	P(full_daddress, 0, 1, V2),
	P(full_data, 0, 1, V2),
	P(irets, 0, 1, V2),
	P(implicit_return, 0, 1, V1),
	P(implicit_exception, 0, 1, V1),
	P(branch_prediction, 0, 1, V1),
	P(jump_target_cache, 0, 1, V1),
};

static bool has_fault(struct hwf_config_fault *fault, const char *name, uint64_t value,
		      const char *text)
{
	*fault = (struct hwf_config_fault){.name = name, .value = value, .text = text};
	return true;
}

/* A parameter that is out of its range, or not one of the dialect */
static bool param_fault(const struct param *param, enum hwf_riscv_dialect dialect, uint8_t value,
			struct hwf_config_fault *fault)
{
	*fault = (struct hwf_config_fault){
		.name = param->name, .value = value, .min = param->min, .max = param->max};
	if (value && dialect < param->since)
		fault->text = param->since == HWF_RISCV_V1 ? "not 0 in dialect 1.0 and later only"
							   : "not 0 in dialect 2.0 only";
	return value < param->min || value > param->max || fault->text;
}

/* Parameters that contradict each other */
static bool contradiction(const struct hwf_riscv_params *p, enum hwf_riscv_dialect dialect,
			  struct hwf_config_fault *fault)
{
	const unsigned int width = p->data_width_p;

	if (p->iaddress_lsb_p >= p->iaddress_width_p)
		return has_fault(fault, "iaddress_lsb_p", p->iaddress_lsb_p,
				 "it must be less than iaddress_width_p");
	if (width && (width < 8 || (width & (width - 1))))
		return has_fault(fault, "data_width_p", width,
				 "it must be 0, 8, 16, 32, 64 or 128");
	if (dialect == HWF_RISCV_DRAFT_026)
		return false;
	if (p->notval_p)
		return has_fault(fault, "notval_p", p->notval_p,
				 "not 0 in dialect 0.026 only: others always have the trap value");
	/* one of them, or none: with both it would not be known which counts (RISCV_IRDEPTH) */
	if (p->return_stack_size_p && p->call_counter_size_p)
		return has_fault(fault, "call_counter_size_p", p->call_counter_size_p,
				 "it or return_stack_size_p must be 0");
	/* with neither there is nothing that it could say */
	if (p->noaddr && p->nodata)
		return has_fault(fault, "nodata", p->nodata, "it or noaddr must be 0");
	/* options that can be told apart */
	if (p->branch_prediction && p->jump_target_cache && !p->f0s_width_p)
		return has_fault(fault, "f0s_width_p", p->f0s_width_p,
				 "it must be 1 with branch_prediction=1 and jump_target_cache=1");
	return false;
}

bool hwf_riscv_config_fault(enum hwf_riscv_dialect dialect, const struct hwf_riscv_params *params,
			    struct hwf_config_fault *fault)
{
	const uint8_t *bytes = (const uint8_t *)params;

	if (dialect > HWF_RISCV_V2)
		return has_fault(fault, "dialect", dialect, "there is no such dialect");
	for (size_t i = 0; i < sizeof(params_of_a_byte) / sizeof(params_of_a_byte[0]); i++) {
		const struct param *param = &params_of_a_byte[i];

		if (param_fault(param, dialect, bytes[param->at], fault))
			return true;
	}
	return contradiction(params, dialect, fault);
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
	struct hwf_config_fault fault;

	if (hwf_riscv_config_fault(dialect, params, &fault))
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
