/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The trace unit told or run otherwise, or saved and restored, makes the same trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tu_model_vary.h"

#define INSTRUCTIONS 3000

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
			model_run(a, INSTRUCTIONS);
			model_run(b, INSTRUCTIONS);
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

/* Writes come at other times than those of single runs, and so do timestamps. */
static void by_timeless_runs(struct model *model)
{
	by_runs(model);
	model->timeless = true;
	model->lost_writes = 0;
}

static void by_batches(struct model *model)
{
	by_timeless_runs(model);
	model->batches = true;
}

/* Plain runs, between synchronisations that come after so many bytes only */
static void vary_period(struct model *model)
{
	model->options.sync_period = 256;
	model->exceptions = 3000;
}

static void test_batches_are_runs(void **state)
{
	(void)state;
	check_same(vary_period, by_timeless_runs, by_batches);
	for (size_t i = 0; i < sizeof(varies) / sizeof(varies[0]); i++)
		check_same(varies[i], by_timeless_runs, by_batches);
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
#define SOME         {MODEL_EL0 + 200, MODEL_EL0 + 1183}
#define FEW          {MODEL_EL0 + 400, MODEL_EL0 + 483}
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_are_blocks_and_p0_instructions),
		cmocka_unit_test(test_batches_are_runs),
		cmocka_unit_test(test_saved_and_restored_it_goes_on_as_before),
		cmocka_unit_test(test_saved_in_a_q_element),
		cmocka_unit_test(test_state_of_another_kind_is_refused),
		cmocka_unit_test(test_damaged_state_harms_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
