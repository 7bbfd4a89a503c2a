/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The state of a decoder of RISC-V as bytes */
#include "core/bits.h"
#include "fast/riscv_walk.h"
#include "fast/state_writer.h"

/* The instruction before pc, as far as the next step depends on it (RISCV_SEQUENTIAL) */
static void put_before(struct hwf_state_writer *writer, const struct hwf_riscv_flow *flow)
{
	const bool leads = hwf_riscv_is_sequential(flow, &flow->insn);

	hwf_state_put(writer, leads);
	if (leads)
		hwf_state_put(writer, flow->before.target);
}

/*
 * Where execution is. The instruction at pc, and those of the open range, are those of the program
 * there.
 */
static void put_place(struct hwf_state_writer *writer, const struct hwf_riscv_flow *flow)
{
	hwf_state_put(writer, (uint64_t)flow->has_address << 40 | (uint64_t)flow->started << 32 |
				      (uint64_t)flow->inferred << 24 |
				      (uint64_t)flow->gap_open << 16 |
				      (uint64_t)flow->at_begin << 8 | flow->lost);
	if (flow->has_address)
		hwf_state_put(writer, flow->address);
	hwf_state_put(writer, flow->count);
	if (flow->count)
		hwf_state_put(writer, flow->start);
	if (!flow->started)
		return;
	hwf_state_put(writer, flow->pc);
	put_before(writer, flow);
	hwf_state_put(writer, flow->ahead.mapped);
	hwf_state_put(writer, flow->ahead.map & hwf_low_bits(flow->ahead.mapped));
	hwf_state_put(writer, flow->ahead.predicted);
	hwf_state_put(writer, flow->ahead.missed);
	/* a walk to the second arrival is that of the packet before */
	if (flow->inferred)
		hwf_state_put(writer, (uint64_t)flow->irreport << 32 | flow->irdepth);
}

static void put_mode(struct hwf_state_writer *writer, const struct hwf_riscv_flow *flow)
{
	hwf_state_put(writer, flow->has_mode);
	if (flow->has_mode)
		hwf_state_put(writer, (uint64_t)flow->context << 8 | flow->privilege);
	hwf_state_put(writer, flow->time);
}

/* struct row - equal words, one after the other */
struct row {
	uint64_t word;
	uint64_t count;
};

static void put_row(struct hwf_state_writer *writer, const struct row *row)
{
	hwf_state_put(writer, row->count);
	hwf_state_put(writer, row->word);
}

/* The next word of a table. Most of a table has never been written since it was reset. */
static void put_word(struct hwf_state_writer *writer, struct row *row, uint64_t word)
{
	if (row->count && row->word != word) {
		put_row(writer, row);
		row->count = 0;
	}
	row->word = word;
	row->count++;
}

/* Entries of two bits, 32 in a word */
static void put_predictor(struct hwf_state_writer *writer,
			  const struct hwf_riscv_predictor *predictor, uint32_t entries)
{
	struct row row = {0};

	for (uint32_t i = 0; i < entries; i += 32) {
		uint64_t word = 0;

		for (uint32_t j = i; j < i + 32 && j < entries; j++)
			word |= (uint64_t)predictor->state[j] << 2 * (j - i);
		put_word(writer, &row, word);
	}
	put_row(writer, &row);
}

/*
 * The tables are written even where the options do not use them: a support packet may turn an
 * option on.
 */
static void put_mirrors(struct hwf_state_writer *writer, const struct hwf_riscv_flow *flow)
{
	const struct hwf_riscv_params *params = &flow->config.params;
	const uint32_t targets = 1u << params->cache_size_p;
	const struct hwf_riscv_calls *calls = &flow->calls;
	struct row row = {0};

	put_predictor(writer, &flow->predictor, 1u << params->bpred_size_p);
	for (uint32_t i = 0; i < targets && writer->at; i++)
		put_word(writer, &row, flow->targets.address[i]);
	put_row(writer, &row);
	hwf_state_put(writer, (uint64_t)calls->depth << 32 | calls->implied);
	for (uint32_t i = 1; i <= calls->depth && writer->at; i++)
		hwf_state_put(writer, calls->address[(calls->top - i) % HWF_RISCV_MIRROR_MAX]);
}

size_t hwf_riscv_decoder_state(const struct hwf_riscv_decoder *decoder, uint8_t *state, size_t size)
{
	struct hwf_state_writer writer = {.at = state, .end = state + size};

	hwf_state_put(&writer, decoder->at);
	hwf_state_put_options(&writer, &decoder->flow.config.params);
	put_place(&writer, &decoder->flow);
	put_mode(&writer, &decoder->flow);
	put_mirrors(&writer, &decoder->flow);
	return hwf_state_size(&writer, state);
}
