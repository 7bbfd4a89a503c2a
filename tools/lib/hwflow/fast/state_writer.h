/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The state of a decoder as bytes: what the states of all protocols have in common. Two decoders of
 * one trace with equal bytes give the same events from there on. The bytes have no caches, no
 * members that are unused at present, and no padding.
 */
#ifndef HWF_FAST_STATE_WRITER_H
#define HWF_FAST_STATE_WRITER_H

#include "hwflow/flow.h"
#include "hwflow/riscv.h"

/* struct hwf_state_writer - bytes written so far; @at is NULL once they do not fit */
struct hwf_state_writer {
	uint8_t *at;
	uint8_t *end;
};

static inline void hwf_state_put(struct hwf_state_writer *writer, uint64_t value)
{
	if (writer->at && writer->end - writer->at < 8)
		writer->at = NULL;
	for (unsigned int i = 0; writer->at && i < 8; i++)
		*writer->at++ = (uint8_t)(value >> 8 * i);
}

static inline void hwf_state_put_context(struct hwf_state_writer *writer,
					 const struct hwf_context *context)
{
	hwf_state_put(writer, (uint64_t)context->vmid << 32 | context->cid);
	hwf_state_put(writer,
		      (uint64_t)context->el << 48 | (uint64_t)context->security << 40 |
			      (uint64_t)context->sf << 24 | (uint64_t)context->has_vmid << 16 |
			      (uint64_t)context->has_cid << 8 | (uint64_t)context->el_unknown);
}

/* RISCV_OPTIONS: the parameters that a support packet changes */
static inline void hwf_state_put_options(struct hwf_state_writer *writer,
					 const struct hwf_riscv_params *params)
{
	hwf_state_put(writer, (uint64_t)params->implicit_return << 8 |
				      (uint64_t)params->implicit_exception << 7 |
				      (uint64_t)params->full_address << 6 |
				      (uint64_t)params->jump_target_cache << 5 |
				      (uint64_t)params->branch_prediction << 4 |
				      (uint64_t)params->noaddr << 3 |
				      (uint64_t)params->nodata << 2 |
				      (uint64_t)params->full_daddress << 1 | params->full_data);
}

/* Return: bytes written from @state on; 0 if they did not fit */
static inline size_t hwf_state_size(const struct hwf_state_writer *writer, const uint8_t *state)
{
	return writer->at ? (size_t)(writer->at - state) : 0;
}

#endif /* HWF_FAST_STATE_WRITER_H */
