/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The trace unit: random programs round trip through the decoder, over a cover of options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tu_model.h"

static void check_every_sync(struct model *model)
{
	size_t at = model_next_sync(model, 1);

	for (; at < model->length; at = model_next_sync(model, at + 1)) {
		model_decode(model, at);
		if (!model_matches(model, true))
			fail_msg("decoding from byte %zx differs", at);
	}
}

/* Cancels that reached behind a Trace Info, in all runs of one cover() */
static unsigned int canceled_syncs;

/* What AArch32 code did, in all runs of one cover() */
static unsigned int interworking, it_not_taken, exceptions_t32, exceptions_a32;

static void check(struct model *model, const char *what, bool syncs)
{
	assert_int_equal(model_start(model), 0);
	model_run(model, 3000);
	model_stop(model);
	model_decode(model, 0);
	if (!model_matches(model, false))
		fail_msg("%s, MAXSPEC %u: decoded and executed differ", what,
			 model->options.regs.trcidr8);
	assert_true(model->decoded.count > 20);
	if (syncs)
		check_every_sync(model);
	canceled_syncs += model_canceled_syncs(model);
	interworking += model->interworking;
	it_not_taken += model->it_not_taken;
	exceptions_t32 += model->exceptions_t32;
	exceptions_a32 += model->exceptions_a32;
	model_free(model);
}

typedef void vary_fn(struct model *model);

#define DEPTHS  4
#define CONFIGS 5

/* A model with the options of one cell of the cover */
static struct model *model_of(unsigned int depth, unsigned int config, vary_fn *vary)
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

/* Each option alone and many together, over the depths of speculation */
static void cover(const char *what, vary_fn *vary, bool syncs)
{
	canceled_syncs = 0;
	interworking = 0;
	it_not_taken = 0;
	exceptions_t32 = 0;
	exceptions_a32 = 0;
	for (unsigned int i = 0; i < DEPTHS; i++) {
		for (unsigned int j = 0; j < CONFIGS; j++)
			check(model_of(i, j, vary), what, syncs);
	}
}

/* A run is its block and its P0 instruction: not a byte is different. */
static void check_runs(vary_fn *vary)
{
	for (unsigned int i = 0; i < DEPTHS; i++) {
		for (unsigned int j = 0; j < CONFIGS; j++) {
			struct model *blocks = model_of(i, j, vary), *runs = model_of(i, j, vary);

			blocks->blocks = true;
			runs->blocks = true;
			runs->runs = true;
			assert_int_equal(model_start(blocks), 0);
			assert_int_equal(model_start(runs), 0);
			model_run(blocks, 3000);
			model_run(runs, 3000);
			model_stop(blocks);
			model_stop(runs);
			assert_true(blocks->length > 50);
			assert_int_equal(blocks->length, runs->length);
			assert_memory_equal(blocks->bytes, runs->bytes, runs->length);
			model_free(blocks);
			model_free(runs);
		}
	}
}

static void vary_nothing(struct model *model)
{
	(void)model;
}

static void vary_filters(struct model *model)
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

static void vary_syncs(struct model *model)
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

static void vary_q(struct model *model)
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

static void vary_source(struct model *model)
{
	if (model_random(model, 3))
		vary_syncs(model);
	model->options.source_address_interval = 1 + model_random(model, 8);
}

static void vary_loss(struct model *model)
{
	vary_syncs(model);
	model->lost_writes = 3;
}

static void speculate(struct model *model)
{
	if (model->options.regs.trcidr8)
		model->options.spec_seed = model->random | 1;
}

static void vary_speculation(struct model *model)
{
	speculate(model);
}

static void vary_speculation_and_all_else(struct model *model)
{
	speculate(model);
	vary_q(model);
	model->options.source_address_interval = 9;
}

/* Tracing pauses often, and Q and Source Address elements stand on both sides of it. */
static void vary_speculation_filters_and_both(struct model *model)
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

static void vary_transactions(struct model *model)
{
	model->transactions = 12;
	if (model_random(model, 2))
		model->options.regs.trcidr0 |= MODEL_COMMTRANS;
}

static void vary_transactions_and_speculation(struct model *model)
{
	vary_transactions(model);
	speculate(model);
	if (model_random(model, 2))
		vary_syncs(model);
}

static void vary_transactions_and_all_else(struct model *model)
{
	vary_transactions(model);
	vary_speculation_filters_and_both(model);
}

static void vary_speculation_and_syncs(struct model *model)
{
	speculate(model);
	vary_syncs(model);
}

static void vary_speculation_and_loss(struct model *model)
{
	speculate(model);
	vary_loss(model);
}

/* A32, T32 and A64 at EL0 */
static void vary_aarch32(struct model *model)
{
	model->aarch32 = true;
	model->blocks = model_random(model, 2);
}

static void vary_aarch32_syncs(struct model *model)
{
	vary_syncs(model);
	model->aarch32 = true;
	if (model->options.include_ranges) {
		model->options.include_ranges = 4;
		model->options.include[2] = (struct hwf_tu_range){MODEL_A32 + 100, MODEL_A32 + 999};
		model->options.include[3] = (struct hwf_tu_range){MODEL_T32 + 99, MODEL_T32 + 1500};
	}
}

static void vary_aarch32_q(struct model *model)
{
	vary_q(model);
	vary_aarch32_syncs(model);
}

static void vary_aarch32_source(struct model *model)
{
	vary_source(model);
	vary_aarch32_syncs(model);
}

static void vary_aarch32_loss(struct model *model)
{
	vary_loss(model);
	vary_aarch32_syncs(model);
}

static void vary_aarch32_speculation(struct model *model)
{
	vary_aarch32(model);
	speculate(model);
}

static void vary_aarch32_speculation_and_all_else(struct model *model)
{
	vary_speculation_filters_and_both(model);
	vary_aarch32_syncs(model);
}

static void test_runs_are_blocks_and_p0_instructions(void **state)
{
	static vary_fn *const varies[] = {
		vary_nothing,
		vary_filters,
		vary_syncs,
		vary_q,
		vary_source,
		vary_loss,
		vary_transactions,
		vary_speculation,
		vary_speculation_and_all_else,
		vary_aarch32,
		vary_aarch32_syncs,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(varies) / sizeof(varies[0]); i++)
		check_runs(varies[i]);
}

static void test_round_trip(void **state)
{
	(void)state;
	cover("plain", vary_nothing, false);
}

static void test_round_trip_filters(void **state)
{
	(void)state;
	cover("filters", vary_filters, false);
}

static void test_round_trip_from_every_synchronisation(void **state)
{
	(void)state;
	cover("synchronisations", vary_syncs, true);
}

static void test_round_trip_q(void **state)
{
	(void)state;
	cover("Q", vary_q, true);
}

static void test_round_trip_source_address(void **state)
{
	(void)state;
	cover("source addresses", vary_source, true);
}

static void test_round_trip_with_trace_lost(void **state)
{
	(void)state;
	cover("loss", vary_loss, false);
}

static void test_round_trip_speculation(void **state)
{
	(void)state;
	cover("speculation", vary_speculation, false);
	cover("speculation, synchronisations", vary_speculation_and_syncs, true);
	assert_true(canceled_syncs > 20);
	cover("speculation, all else", vary_speculation_and_all_else, true);
	assert_true(canceled_syncs > 0);
	cover("speculation, loss", vary_speculation_and_loss, false);
	assert_true(canceled_syncs > 0);
}

static void test_round_trip_speculation_filters_q_and_source_addresses(void **state)
{
	(void)state;
	cover("speculation, filters, Q, source addresses", vary_speculation_filters_and_both, true);
}

static void test_round_trip_transactions(void **state)
{
	(void)state;
	cover("transactions", vary_transactions, false);
	cover("transactions, speculation", vary_transactions_and_speculation, false);
	cover("transactions, all else", vary_transactions_and_all_else, false);
}

static void test_round_trip_aarch32(void **state)
{
	(void)state;
	cover("AArch32", vary_aarch32, false);
	assert_true(interworking > 1000);
	assert_true(it_not_taken > 100);
	assert_true(exceptions_t32 > 200);
	assert_true(exceptions_a32 > 200);
	cover("AArch32, loss", vary_aarch32_loss, false);
}

static void test_round_trip_aarch32_from_every_synchronisation(void **state)
{
	(void)state;
	cover("AArch32, synchronisations", vary_aarch32_syncs, true);
	cover("AArch32, Q", vary_aarch32_q, true);
	cover("AArch32, source addresses", vary_aarch32_source, true);
}

static void test_round_trip_aarch32_speculation(void **state)
{
	(void)state;
	cover("AArch32, speculation", vary_aarch32_speculation, false);
	cover("AArch32, speculation, all else", vary_aarch32_speculation_and_all_else, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_are_blocks_and_p0_instructions),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_round_trip_filters),
		cmocka_unit_test(test_round_trip_from_every_synchronisation),
		cmocka_unit_test(test_round_trip_q),
		cmocka_unit_test(test_round_trip_source_address),
		cmocka_unit_test(test_round_trip_with_trace_lost),
		cmocka_unit_test(test_round_trip_speculation),
		cmocka_unit_test(test_round_trip_speculation_filters_q_and_source_addresses),
		cmocka_unit_test(test_round_trip_transactions),
		cmocka_unit_test(test_round_trip_aarch32),
		cmocka_unit_test(test_round_trip_aarch32_from_every_synchronisation),
		cmocka_unit_test(test_round_trip_aarch32_speculation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
