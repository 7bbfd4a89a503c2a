/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The trace unit: address ranges of all kinds, and what is requested from outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tu_model.h"

/* What is included is shown by the P0 instruction behind it, which is not. */
static void test_R_KHDNX_traced_to_the_next_p0_instruction(void **state)
{
	struct model *model = model_directed(0);

	(void)state;
	model->options.include_ranges = 1;
	model->options.include[0] = (struct hwf_tu_range){0x400000, 0x400007};
	model_begin_traced(model);
	model_nop(model);
	model_nop(model);
	model_branch(model, false);
	model_branch(model, false);
	model_nop(model);
	model_expect(model, "N");
	hwf_tu_flush(model->unit);
	model->pc = 0x400004;
	model_branch(model, true);
	model_expect(model, "ON TA(400004) E");
	model_free(model);
}

/* The same for an exception behind it */
static void test_R_KHDNX_traced_to_the_next_exception(void **state)
{
	struct model *model = model_directed(0);

	(void)state;
	model->options.include_ranges = 1;
	model->options.include[0] = (struct hwf_tu_range){0x400000, 0x400007};
	model_begin_traced(model);
	model_nop(model);
	model_nop(model);
	model_exception(model, HWF_EXC_IRQ, 0x40000c);
	model_branch(model, true);
	model_expect(model, "EXC(14,40000c)");
	model_free(model);
}

static void count_overflows(void *ctx, const struct hwf_element *element)
{
	unsigned int *count = ctx;

	*count += element->kind == HWF_EL_OVERFLOW;
}

/* A trace of pieces, none of which comes to a P0 instruction, is output like any other. */
static void test_pieces_without_p0_elements(void **state)
{
	struct model *model = model_directed(0);
	unsigned int overflows = 0;

	(void)state;
	model_begin(model);
	for (unsigned int i = 0; i < 5000; i++) {
		model->pc = 0x400000 + 64 * (i % 3);
		model_nop(model);
	}
	model_stop(model);
	model_elements(model, count_overflows, &overflows);
	assert_int_equal(overflows, 0);
	assert_true(model->length > 4096);
	model_free(model);
}

static void force(struct model *model, uint8_t type)
{
	hwf_tu_exception_forced(model->unit, type, model->pc, HWF_ISA_A64, MODEL_EL1, HWF_ISA_A64);
}

/* An exception that is traced although the instructions before and behind it are not */
static void test_R_BBBBT_forced_exception_of_what_is_not_traced(void **state)
{
	struct model *model = model_directed(0);

	(void)state;
	model->options.include_ranges = 1;
	model->options.include[0] = (struct hwf_tu_range){0x500000, 0x500003};
	model_begin(model);
	force(model, HWF_EXC_SYSTEM_ERROR);
	model_expect(model, "TI(0) ON CTX(0,0) TA(400000) EXC(4,400000)");
	assert_true(hwf_tu_active(model->unit));
	model_nop(model);
	assert_false(hwf_tu_active(model->unit));
	force(model, HWF_EXC_SYSTEM_ERROR);
	model_expect(model, "ON TA(400004) EXC(4,400004)");
	model_branch(model, true);
	force(model, HWF_EXC_PE_RESET);
	model_expect(model, "ON TA(400014) EXC(0,0)");
	hwf_tu_gap(model->unit);
	hwf_tu_sync(model->unit);
	force(model, HWF_EXC_SYSTEM_ERROR);
	model_expect(model, "TI(0) ON CTX(0,0) TA(400014) EXC(4,400014)");
	model_free(model);
}

/* What came before is traced: it is an exception as any other. */
static void test_forced_exception_of_what_is_traced(void **state)
{
	struct model *model = model_directed(0);

	(void)state;
	model_begin_traced(model);
	model_nop(model);
	force(model, HWF_EXC_SYSTEM_ERROR);
	model_expect(model, "EXC(4,400008)");
	/* of the first instruction of the handler */
	model->pc = MODEL_EL1;
	force(model, HWF_EXC_DATA_FAULT);
	model_expect(model, "EXC(12,ffff800008000000,target)");
	model->pc = MODEL_EL1;
	model_branch(model, false);
	model_expect(model, "TA(ffff800008000000) N");
	model_free(model);
}

static void test_branch_broadcast_outside_of_ranges(void **state)
{
	struct model *model = model_directed(MODEL_BB);

	(void)state;
	model->options.bb_ranges = 1;
	model->options.bb_exclude = true;
	model->options.bb[0] = (struct hwf_tu_range){0x400010, 0x40001f};
	model_begin_traced(model);
	model_branch(model, true);
	model_branch(model, true);
	model_branch(model, true);
	model_branch(model, true);
	model_expect(model, "E TA(400014) EE TA(400034) E");
	model_free(model);
}

static void count_q(void *ctx, const struct hwf_element *element)
{
	unsigned int *count = ctx;

	*count += element->kind == HWF_EL_Q;
}

/* Twenty times round: from 0x400004 to 0x400010, and back */
static unsigned int rounds(const struct hwf_tu_range *range, bool exclude)
{
	struct model *model = model_directed(MODEL_QE1);
	unsigned int count = 0;

	model->options.q_interval = 1;
	model->options.q_ranges = range != NULL;
	model->options.q_exclude = exclude;
	if (range)
		model->options.q[0] = *range;
	model_begin(model);
	model_nop(model);
	for (int i = 0; i < 20; i++) {
		model_nop(model);
		model_nop(model);
		model_execute(model, BL | 4, true, 0x40001c);
		model_execute(model, RET, true, 0x400004);
	}
	model_stop(model);
	model_elements(model, count_q, &count);
	model_free(model);
	return count;
}

static void test_q_elements_in_their_ranges(void **state)
{
	static const struct hwf_tu_range all = {0x400000, 0x40001f}, call = {0x400004, 0x40000f},
					 first = {0x400004, 0x400007},
					 middle = {0x400008, 0x40000b}, back = {0x40001c, 0x40001f},
					 elsewhere = {0x500000, 0x500fff};

	(void)state;
	assert_in_range(rounds(NULL, false), 1, 39);
	assert_in_range(rounds(&all, false), 1, 39);
	assert_int_equal(rounds(&elsewhere, false), 0);
	assert_in_range(rounds(&elsewhere, true), 1, 39);
	assert_int_equal(rounds(&all, true), 0);
	/*
	 * Each Q element is one call, or one return: the other P0 instruction is not in it. Of the
	 * first call not all is in the range; what the last return is alone in becomes an Atom when
	 * the trace unit is disabled.
	 */
	assert_int_equal(rounds(&call, false), 19);
	assert_int_equal(rounds(&back, false), 19);
	assert_int_equal(rounds(&call, true), 19);
	assert_int_equal(rounds(&back, true), 20);
	/* the first instruction of what would be implied, and one in the middle of it */
	assert_int_equal(rounds(&first, false), 0);
	assert_int_equal(rounds(&middle, false), 0);
	assert_int_equal(rounds(&middle, true), 19);
}

static void test_ranges_change_with_the_context(void **state)
{
	struct model *model = model_directed(MODEL_BB);
	struct hwf_tu_options other;

	(void)state;
	model->options.bb_ranges = 1;
	model->options.bb[0] = (struct hwf_tu_range){0x500000, 0x500fff};
	model_begin_traced(model);
	model_branch(model, true);
	model_expect(model, "E");
	other = model->options;
	other.bb_ranges = 0;
	other.exclude_ranges = 1;
	other.exclude[0] = (struct hwf_tu_range){0x400024, 0x400027};
	hwf_tu_ranges(model->unit, &other);
	model_branch(model, true);
	model->pc = 0x400024;
	model_branch(model, true);
	model_branch(model, true);
	model_expect(model, "E ON TA(400034) E");
	hwf_tu_ranges(model->unit, &model->options);
	model_branch(model, true);
	model->pc = 0x400024;
	model_branch(model, true);
	model_expect(model, "TA(400044) E ON TA(400024) E");
	model_free(model);
}

static void test_ranges_change_in_a_straight_line(void **state)
{
	struct model *model = model_directed(0);
	struct hwf_tu_options other;

	(void)state;
	model_begin_traced(model);
	model_branch(model, false);
	model_expect(model, "N");
	other = model->options;
	other.exclude_ranges = 1;
	other.exclude[0] = (struct hwf_tu_range){model->pc, model->pc + 7};
	hwf_tu_ranges(model->unit, &other);
	model_branch(model, false);
	model_branch(model, false);
	model_branch(model, false);
	model_expect(model, "ON TA(400010) N");
	model_free(model);
}

static void test_timestamp_when_requested(void **state)
{
	struct model *model = model_directed(MODEL_TS);

	(void)state;
	model_begin(model);
	model_branch(model, false);
	model_branch(model, false);
	model->seen = model->length;
	hwf_tu_flush(model->unit);
	model->seen = model->length;
	model_branch(model, false);
	model_expect(model, "N");
	hwf_tu_timestamp(model->unit);
	hwf_tu_timestamp(model->unit);
	model_branch(model, false);
	model_branch(model, false);
	model_expect(model, "N TS(1234567) N");
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_R_KHDNX_traced_to_the_next_p0_instruction),
		cmocka_unit_test(test_R_KHDNX_traced_to_the_next_exception),
		cmocka_unit_test(test_pieces_without_p0_elements),
		cmocka_unit_test(test_R_BBBBT_forced_exception_of_what_is_not_traced),
		cmocka_unit_test(test_forced_exception_of_what_is_traced),
		cmocka_unit_test(test_branch_broadcast_outside_of_ranges),
		cmocka_unit_test(test_q_elements_in_their_ranges),
		cmocka_unit_test(test_ranges_change_with_the_context),
		cmocka_unit_test(test_ranges_change_in_a_straight_line),
		cmocka_unit_test(test_timestamp_when_requested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
