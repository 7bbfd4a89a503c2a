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

/* Exception returns that were decoded, in all runs of one cover() */
static unsigned int erets;

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
	/* each is said; behind the last one may be the end of trace */
	if (model->options.regs.protocol == HWF_PROTOCOL_ETMV4)
		assert_in_range(model->exception_returns, model->erets - (model->erets != 0),
				model->erets);
	erets += model->exception_returns;
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
	erets = 0;
	for (unsigned int i = 0; i < DEPTHS; i++) {
		for (unsigned int j = 0; j < CONFIGS; j++)
			check(model_of(i, j, vary), what, syncs);
	}
}

/* Told or run otherwise, the trace unit makes the same trace, byte by byte. */
static void check_same(vary_fn *vary, vary_fn *one, vary_fn *other)
{
	for (unsigned int i = 0; i < DEPTHS; i++) {
		for (unsigned int j = 0; j < CONFIGS; j++) {
			struct model *a = model_of(i, j, vary), *b = model_of(i, j, vary);

			one(a);
			other(b);
			assert_int_equal(model_start(a), 0);
			assert_int_equal(model_start(b), 0);
			model_run(a, 3000);
			model_run(b, 3000);
			model_stop(a);
			model_stop(b);
			assert_true(a->length > 50);
			assert_int_equal(a->length, b->length);
			assert_memory_equal(a->bytes, b->bytes, a->length);
			model_free(a);
			model_free(b);
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

static void vary_transactions_and_loss(struct model *model)
{
	vary_transactions(model);
	vary_loss(model);
	model->options.regs.trcconfigr |= MODEL_RS;
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
	vary_speculation_filters_and_both,
	vary_aarch32,
	vary_aarch32_syncs,
};

static void by_blocks(struct model *model)
{
	model->blocks = true;
}

static void by_runs(struct model *model)
{
	model->blocks = true;
	model->runs = true;
}

static void test_runs_are_blocks_and_p0_instructions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(varies) / sizeof(varies[0]); i++)
		check_same(varies[i], by_blocks, by_runs);
}

static void by_moving(struct model *model)
{
	model->moves = 7;
}

static void by_moving_each_time(struct model *model)
{
	model->moves = 1;
}

static void vary_virtual_contexts(struct model *model)
{
	vary_syncs(model);
	model->options.regs.trcconfigr |= MODEL_VMID;
}

/* Ranges that the trace unit was not made with: kinds of them */
#define OTHER_RANGES 6
#define SOME                                      \
	{                                         \
		MODEL_EL0 + 200, MODEL_EL0 + 1183 \
	}
#define FEW                                      \
	{                                        \
		MODEL_EL0 + 400, MODEL_EL0 + 483 \
	}
static unsigned int other_ranges;

static void vary_other_ranges(struct model *model)
{
	static const struct hwf_tu_options other[OTHER_RANGES] = {
		{.bb_ranges = 1, .bb = {SOME}},
		{.bb_ranges = 1, .bb = {SOME}, .bb_exclude = true},
		{.q_ranges = 1, .q = {SOME}},
		{.q_ranges = 1, .q = {SOME}, .q_exclude = true},
		{.include_ranges = 1, .include = {SOME}},
		{.exclude_ranges = 1, .exclude = {FEW}},
	};

	model->other = &other[other_ranges];
	model->options.regs.trcconfigr |= MODEL_BB;
	if (model->other->q_ranges) {
		model->options.regs.trcconfigr |= MODEL_QE1;
		model->options.q_interval = 1;
	}
}

static void test_saved_and_restored_it_goes_on_as_before(void **state)
{
	static vary_fn *const more[] = {
		vary_speculation_and_syncs,     vary_transactions_and_speculation,
		vary_transactions_and_all_else, vary_transactions_and_loss,
		vary_virtual_contexts,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(varies) / sizeof(varies[0]); i++)
		check_same(varies[i], vary_nothing, by_moving);
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		check_same(more[i], vary_nothing, by_moving_each_time);
	for (other_ranges = 0; other_ranges < OTHER_RANGES; other_ranges++)
		check_same(vary_other_ranges, vary_nothing, by_moving_each_time);
}

/* A call is the last of a Q element, and has to become an Atom where the trace unit went. */
static void check_call_in_q(bool moves)
{
	struct model *model = model_directed(MODEL_QE1 | MODEL_RS);

	model->options.q_interval = 1;
	model->moves = moves;
	model_begin(model);
	model_execute(model, BL | 4, true, 0x400010);
	if (moves)
		model_move(model);
	hwf_tu_flush(model->unit);
	model_execute(model, RET, true, 0x400004);
	hwf_tu_flush(model->unit);
	model_branch(model, false);
	hwf_tu_flush(model->unit);
	/* the return stack knows where the return goes */
	model_expect(model, "TI(0) ON CTX(0,0) TA(400000) E E N");
	model_free(model);
}

static void test_saved_in_a_q_element(void **state)
{
	(void)state;
	check_call_in_q(false);
	check_call_in_q(true);
}

static struct hwf_tu *unit_of(struct model *model, const struct hwf_tu_options *options)
{
	struct hwf_tu *unit;

	assert_int_equal(hwf_tu_init(malloc(hwf_tu_size(options)), options, &model->port, &unit),
			 0);
	return unit;
}

/* A model in the middle of much, and what its trace unit has saved */
static struct model *saved_model(uint8_t **bytes, size_t *length)
{
	struct model *model = model_of(2, 4, vary_speculation_and_all_else);

	model->blocks = false;
	assert_int_equal(model_start(model), 0);
	model_run(model, 1500);
	*length = hwf_tu_state_size(model->unit);
	*bytes = malloc(*length + 1);
	hwf_tu_save(model->unit, *bytes);
	return model;
}

static void test_state_of_another_kind_is_refused(void **state)
{
	uint8_t *bytes, *after;
	size_t length;
	struct model *model = saved_model(&bytes, &length);
	struct hwf_tu_options other = model->options;
	struct hwf_tu *unit = unit_of(model, &model->options);
	size_t size = hwf_tu_state_size(unit);
	uint8_t *before = malloc(size);

	(void)state;
	hwf_tu_save(unit, before);
	for (size_t i = 0; i < length; i++)
		assert_int_equal(hwf_tu_restore(unit, bytes, i), HWF_ERR_NEED_MORE);
	assert_int_equal(hwf_tu_restore(unit, bytes, length + 1), HWF_ERR_BAD_PAYLOAD);
	bytes[0]++;
	assert_int_equal(hwf_tu_restore(unit, bytes, length), HWF_ERR_BAD_PAYLOAD);
	bytes[0]--;
	/* nothing of it was taken */
	assert_int_equal(hwf_tu_state_size(unit), size);
	after = malloc(size);
	hwf_tu_save(unit, after);
	assert_memory_equal(before, after, size);
	assert_int_equal(hwf_tu_restore(unit, bytes, length), 0);
	free(unit);
	other.sync_period++;
	unit = unit_of(model, &other);
	assert_int_equal(hwf_tu_restore(unit, bytes, length), HWF_ERR_BAD_CONFIG);
	free(unit);
	free(before);
	free(after);
	free(bytes);
	model_free(model);
}

/* Whatever the bytes are: refused, or a state that can go on */
static void test_damaged_state_harms_nothing(void **state)
{
	uint8_t *bytes;
	size_t length;
	struct model *model = saved_model(&bytes, &length);
	unsigned int taken = 0, refused = 0;

	(void)state;
	for (size_t i = 16; i < length; i++) {
		uint8_t good = bytes[i];

		bytes[i] ^= (uint8_t)(1u << i % 8);
		if (hwf_tu_restore(model->unit, bytes, length) == 0) {
			taken++;
			model_run(model, 20);
		} else {
			refused++;
		}
		bytes[i] = good;
	}
	assert_true(taken > 100);
	assert_true(refused > 100);
	free(bytes);
	model_free(model);
}

static void test_round_trip(void **state)
{
	(void)state;
	cover("plain", vary_nothing, false);
}

static void make_etmv4(struct model *model)
{
	struct hwf_ete_regs *regs = &model->options.regs;

	regs->protocol = HWF_PROTOCOL_ETMV4;
	regs->trcidr0 &= ~(1u << 22); /* ITE */
	regs->trcidr1 = 0x4100f450;
	regs->trcdevarch = 0;
}

static void vary_etmv4_and_syncs(struct model *model)
{
	vary_syncs(model);
	make_etmv4(model);
}

static void vary_etmv4_and_speculation(struct model *model)
{
	vary_speculation_and_syncs(model);
	make_etmv4(model);
}

/* What an ETMv4 has not, it is not asked for. */
static void test_etmv4_has_no_source_addresses(void **state)
{
	struct model *model = model_of(0, 0, vary_source);

	(void)state;
	make_etmv4(model);
	assert_int_equal(model_start(model), HWF_ERR_BAD_CONFIG);
	model_free(model);
	model = model_of(0, 0, vary_nothing);
	make_etmv4(model);
	model->options.regs.trcidr0 |= 1u << 22;
	assert_int_equal(model_start(model), HWF_ERR_BAD_CONFIG);
	model_free(model);
}

static void test_round_trip_etmv4(void **state)
{
	(void)state;
	cover("ETMv4", make_etmv4, false);
	assert_true(erets > 100);
	cover("ETMv4, synchronisations", vary_etmv4_and_syncs, true);
	cover("ETMv4, speculation", vary_etmv4_and_speculation, true);
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
		cmocka_unit_test(test_saved_and_restored_it_goes_on_as_before),
		cmocka_unit_test(test_saved_in_a_q_element),
		cmocka_unit_test(test_state_of_another_kind_is_refused),
		cmocka_unit_test(test_damaged_state_harms_nothing),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_round_trip_etmv4),
		cmocka_unit_test(test_etmv4_has_no_source_addresses),
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
