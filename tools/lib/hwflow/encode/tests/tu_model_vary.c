/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Models with the options of a cover. */
#include "tu_model_vary.h"

/* A model with the options of one cell of the cover */
struct model *model_of(unsigned int depth, unsigned int config, vary_fn *vary)
{
	static const uint32_t max_spec[DEPTHS] = {0, 1, 4, 120};
	static const uint32_t configr[CONFIGS] = {
		0, MODEL_RS, MODEL_CID | MODEL_RS | MODEL_CCI, MODEL_BB | MODEL_CID | MODEL_TS,
		MODEL_BB | MODEL_CCI | MODEL_CID | MODEL_TS | MODEL_RS};
	uint32_t seed = depth * CONFIGS + config + 1;
	struct model *model = model_new(seed);

	model->options.regs.trcidr8 = max_spec[depth];
	model->options.regs.trcconfigr |= configr[config];
	if (!max_spec[depth] || seed % 3 == 0)
		model->options.regs.trcidr0 |= MODEL_COMMOPT;
	if (seed % 2)
		model->options.regs.trcidr0 |= MODEL_TSMARK;
	model->options.cc_threshold = seed % 4 * 10;
	model->contexts = true;
	vary(model);
	return model;
}

void vary_nothing(struct model *model)
{
	(void)model;
}

void vary_filters(struct model *model)
{
	struct hwf_tu_options *options = &model->options;

	model->gaps = 150;
	model->blocks = model_random(model, 2);
	if (model_random(model, 2))
		options->el_mask = (uint8_t)(1 + model_random(model, 2));
	options->include_ranges = 2;
	options->include[0] = (struct hwf_tu_range){MODEL_EL0 + 100, MODEL_EL0 + 1583};
	options->include[1] = (struct hwf_tu_range){MODEL_EL1, MODEL_EL1 + 1583};
	options->exclude_ranges = 1;
	options->exclude[0] = (struct hwf_tu_range){MODEL_EL0 + 400, MODEL_EL0 + 483};
}

void vary_syncs(struct model *model)
{
	model->options.sync_period = 200;
	model->options.sync_late = model_random(model, 2);
	model->options.resync_after_idle = model_random(model, 2);
	model->options.sync_only_if_output = model_random(model, 2);
	model->options.timestamp_interval = 60;
	model->options.event_interval = 100;
	model->syncs = 50;
	model->events = 60;
	model->gaps = 300;
	if (model_random(model, 2))
		vary_filters(model);
}

void vary_q(struct model *model)
{
	if (model_random(model, 3))
		vary_syncs(model);
	model->options.regs.trcconfigr |= model_random(model, 2) ? MODEL_QE1 : MODEL_QE3;
	model->options.q_interval = 1 + model_random(model, 8);
	model->options.q_ranges = (uint8_t)model_random(model, 3);
	model->options.q_exclude = model_random(model, 2);
	model->options.q[0] = (struct hwf_tu_range){MODEL_EL0 + 300, MODEL_EL0 + 883};
	model->options.q[1] = (struct hwf_tu_range){MODEL_EL1 + 20, MODEL_EL1 + 1101};
}

void vary_source(struct model *model)
{
	if (model_random(model, 3))
		vary_syncs(model);
	model->options.source_address_interval = 1 + model_random(model, 8);
}

void vary_loss(struct model *model)
{
	vary_syncs(model);
	model->lost_writes = 3;
}

static void speculate(struct model *model)
{
	if (model->options.regs.trcidr8)
		model->options.spec_seed = model->random | 1;
}

void vary_speculation(struct model *model)
{
	speculate(model);
}

void vary_speculation_and_all_else(struct model *model)
{
	speculate(model);
	vary_q(model);
	model->options.source_address_interval = 9;
}

/* Tracing pauses often, and Q and Source Address elements stand on both sides of it. */
void vary_speculation_filters_and_both(struct model *model)
{
	speculate(model);
	vary_filters(model);
	model->options.exclude_ranges = 3;
	model->options.exclude[1] = (struct hwf_tu_range){MODEL_EL0 + 800, MODEL_EL0 + 899};
	model->options.exclude[2] = (struct hwf_tu_range){MODEL_EL1 + 300, MODEL_EL1 + 399};
	model->options.regs.trcconfigr |= model_random(model, 2) ? MODEL_QE1 : MODEL_QE3;
	model->options.q_interval = 1 + model_random(model, 8);
	model->options.source_address_interval = 1 + model_random(model, 8);
	model->options.sync_period = model_random(model, 2) * 200;
}

void vary_transactions(struct model *model)
{
	model->transactions = 12;
	if (model_random(model, 2))
		model->options.regs.trcidr0 |= MODEL_COMMTRANS;
}

void vary_transactions_and_speculation(struct model *model)
{
	vary_transactions(model);
	speculate(model);
	if (model_random(model, 2))
		vary_syncs(model);
}

void vary_transactions_and_loss(struct model *model)
{
	vary_transactions(model);
	vary_loss(model);
	model->options.regs.trcconfigr |= MODEL_RS;
}

void vary_transactions_and_all_else(struct model *model)
{
	vary_transactions(model);
	vary_speculation_filters_and_both(model);
}

void vary_speculation_and_syncs(struct model *model)
{
	speculate(model);
	vary_syncs(model);
}

void vary_speculation_and_loss(struct model *model)
{
	speculate(model);
	vary_loss(model);
}

/* A32, T32 and A64 at EL0 */
void vary_aarch32(struct model *model)
{
	model->aarch32 = true;
	model->blocks = model_random(model, 2);
}

void vary_aarch32_syncs(struct model *model)
{
	vary_syncs(model);
	model->aarch32 = true;
	if (model->options.include_ranges) {
		model->options.include_ranges = 4;
		model->options.include[2] = (struct hwf_tu_range){MODEL_A32 + 100, MODEL_A32 + 999};
		model->options.include[3] = (struct hwf_tu_range){MODEL_T32 + 99, MODEL_T32 + 1500};
	}
}

void vary_aarch32_q(struct model *model)
{
	vary_q(model);
	vary_aarch32_syncs(model);
}

void vary_aarch32_source(struct model *model)
{
	vary_source(model);
	vary_aarch32_syncs(model);
}

void vary_aarch32_loss(struct model *model)
{
	vary_loss(model);
	vary_aarch32_syncs(model);
}

void vary_aarch32_speculation(struct model *model)
{
	vary_aarch32(model);
	speculate(model);
}

void vary_aarch32_speculation_and_all_else(struct model *model)
{
	vary_speculation_filters_and_both(model);
	vary_aarch32_syncs(model);
}

vary_fn *const varies[VARIES] = {
	vary_nothing,
	vary_filters,
	vary_syncs,
	vary_q,
	vary_source,
	vary_loss,
	vary_transactions,
	vary_speculation,
	vary_speculation_and_all_else,
	vary_speculation_filters_and_both,
	vary_aarch32,
	vary_aarch32_syncs,
};
