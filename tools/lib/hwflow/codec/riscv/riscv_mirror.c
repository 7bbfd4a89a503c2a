/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Branch predictor, jump target cache and return stack (RISCV_MIRRORS) */
#include <string.h>

#include "hwflow/riscv_mirror.h"

/* 00 and 01 predict not taken, 11 and 10 taken; bit 0 is the last outcome (RISCV_PREDICTOR) */
#define TAKEN      0x2u
#define LAST       0x1u
#define WEAKLY_NOT 0x1u

/*
 * Index bits begin at 1, or at 2 where no instruction is at an address that is not a multiple of
 * 4.
 */
static uint32_t index_of(const struct hwf_riscv_config *config, uint64_t address, unsigned int size)
{
	const unsigned int from = config->params.iaddress_lsb_p >= 2 ? 2 : 1;

	return (uint32_t)(address >> from) & ((1u << size) - 1);
}

void hwf_riscv_predictor_reset(struct hwf_riscv_predictor *predictor,
			       const struct hwf_riscv_config *config)
{
	memset(predictor->state, WEAKLY_NOT, (size_t)1 << config->params.bpred_size_p);
}

bool hwf_riscv_predict(const struct hwf_riscv_predictor *predictor,
		       const struct hwf_riscv_config *config, uint64_t address)
{
	return predictor->state[index_of(config, address, config->params.bpred_size_p)] & TAKEN;
}

void hwf_riscv_predictor_learn(struct hwf_riscv_predictor *predictor,
			       const struct hwf_riscv_config *config, uint64_t address, bool taken)
{
	/* the prediction follows an outcome that came twice; a table, as outcomes are hard to guess
	 */
	static const uint8_t after[2][4] = {
		{0, 0, 0, TAKEN},
		{LAST, TAKEN | LAST, TAKEN | LAST, TAKEN | LAST},
	};
	uint8_t *state = &predictor->state[index_of(config, address, config->params.bpred_size_p)];

	*state = after[taken][*state];
}

void hwf_riscv_targets_reset(struct hwf_riscv_targets *targets,
			     const struct hwf_riscv_config *config)
{
	memset(targets->address, 0xff, sizeof(targets->address[0]) << config->params.cache_size_p);
}

uint32_t hwf_riscv_targets_index(const struct hwf_riscv_config *config, uint64_t address)
{
	return index_of(config, address, config->params.cache_size_p);
}

/* RISCV_TARGET_CACHE: direct mapped; the newest replaces */
void hwf_riscv_targets_put(struct hwf_riscv_targets *targets, const struct hwf_riscv_config *config,
			   uint64_t address)
{
	targets->address[hwf_riscv_targets_index(config, address)] = address;
}

void hwf_riscv_calls_reset(struct hwf_riscv_calls *calls)
{
	calls->top = 0;
	calls->depth = 0;
	calls->implied = 0;
}

/* log2 of the entries: of the stack, or what the counter counts to (RISCV_IMPLICIT_RETURN) */
static unsigned int calls_log2(const struct hwf_riscv_config *config)
{
	const struct hwf_riscv_params *params = &config->params;

	return params->return_stack_size_p ? params->return_stack_size_p
					   : params->call_counter_size_p;
}

void hwf_riscv_calls_push(struct hwf_riscv_calls *calls, const struct hwf_riscv_config *config,
			  uint64_t address)
{
	calls->address[calls->top++ % HWF_RISCV_MIRROR_MAX] = address;
	if (calls->depth < 1u << calls_log2(config))
		calls->depth++;
}

bool hwf_riscv_calls_pop(struct hwf_riscv_calls *calls, uint64_t *address)
{
	if (!calls->depth)
		return false;
	calls->depth--;
	calls->top--;
	if (address)
		*address = calls->address[calls->top % HWF_RISCV_MIRROR_MAX];
	return true;
}
