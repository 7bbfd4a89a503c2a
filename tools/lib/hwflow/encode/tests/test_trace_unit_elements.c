/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The trace unit: directed sequences, compared with the elements they must give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tu_model.h"

static void jump(struct model *model, uint32_t opcode, uint64_t target)
{
	model_execute(model, opcode, true, target);
}

static void test_exception_forms(void **state)
{
	struct model *model = model_directed(0);

	(void)state;
	model_begin_traced(model);
	model_nop(model);
	model_exception(model, HWF_EXC_IRQ, 0x400008);
	/* the handler itself faults: its address was not output yet */
	model_exception(model, HWF_EXC_DATA_FAULT, model->pc);
	model_nop(model);
	jump(model, RET, MODEL_EL1 + 0x400);
	model_exception(model, HWF_EXC_FIQ, MODEL_EL1 + 0x400);
	model_branch(model, true);
	model_expect(
		model,
		"EXC(14,400008) CTX(1,0) EXC(12,ffff8000080001c0,target) TA(ffff800008000180) E "
		"EXC(15,ffff800008000400,target) TA(ffff8000080001e0) E");
	model_free(model);
}

static void test_pe_reset_has_no_address(void **state)
{
	struct model *model = model_directed(0);

	(void)state;
	model_begin_traced(model);
	model_nop(model);
	model_exception(model, HWF_EXC_PE_RESET, 0);
	model_branch(model, true);
	model_expect(model, "EXC(0,0) CTX(1,0) TA(ffff800008000000) E");
	model_free(model);
}

static void test_exception_is_filtered_with_what_comes_before_it(void **state)
{
	struct model *model = model_directed(0);

	(void)state;
	model->options.el_mask = 1;
	model_begin_traced(model);
	model_nop(model);
	/* the handler is not traced */
	model_exception(model, HWF_EXC_IRQ, 0x400008);
	model_nop(model);
	/* nor is an exception from it */
	model_exception(model, HWF_EXC_FIQ, model->pc);
	model_nop(model);
	jump(model, ERET, 0x400008);
	model_set_context(model, 0, 1);
	model_branch(model, true);
	model_expect(model, "EXC(14,400008) ON TA(400008) E");
	/* not even where nothing was executed in between */
	model_exception(model, HWF_EXC_IRQ, 0x400018);
	model_exception(model, HWF_EXC_FIQ, model->pc);
	model_nop(model);
	model_expect(model, "EXC(14,400018)");
	model_free(model);
}

static void test_return_stack_omits_what_a_decoder_keeps(void **state)
{
	struct model *model = model_directed(MODEL_RS);

	(void)state;
	model_begin_traced(model);
	for (unsigned int i = 0; i < 16; i++)
		jump(model, BL | 4, model->pc + 16);
	for (unsigned int i = 0; i < 16; i++)
		jump(model, RET, 0x400004 + 16 * (15 - i) + 4);
	model_branch(model, true);
	/* fifteen entries; the first call is not known any more */
	model_expect(model, "EEEEEEEEEEEEEEEEEEEEEEEE EEEEEEEE TA(400008) E");
	model_free(model);
}

static void test_return_stack_never_serves_a_call(void **state)
{
	struct model *model = model_directed(MODEL_RS);

	(void)state;
	model_begin_traced(model);
	jump(model, BL | 4, model->pc + 16);
	jump(model, BLR, model->pc + 4);
	model_branch(model, true);
	model_expect(model, "EE TA(400018) E");
	model_free(model);
}

static void test_return_stack_forgets_at_a_synchronisation(void **state)
{
	struct model *model = model_directed(MODEL_RS);

	(void)state;
	model_begin_traced(model);
	jump(model, BL | 4, model->pc + 16);
	hwf_tu_sync(model->unit);
	jump(model, RET, 0x400008);
	model_branch(model, true);
	model_expect(model, "E TI(0) CTX(0,0) TA(400014) E TA(400008) E");
	jump(model, BL | 4, model->pc + 16);
	hwf_tu_gap(model->unit);
	jump(model, RET, model->pc - 12);
	model_branch(model, true);
	model_expect(model, "E ON TA(400028) E TA(40001c) E");
	model_free(model);
}

static void test_branch_broadcast_in_its_range(void **state)
{
	struct model *model = model_directed(MODEL_BB | MODEL_RS);

	(void)state;
	model->options.bb_ranges = 1;
	model->options.bb[0] = (struct hwf_tu_range){0x400010, 0x40001f};
	model_begin_traced(model);
	jump(model, BL | 4, 0x400014);
	model_branch(model, false);
	jump(model, RET, 0x400008);
	model_nop(model);
	model_nop(model);
	model_branch(model, true);
	model_branch(model, true);
	model_branch(model, true);
	model_expect(model, "ENE TA(400008) E TA(400020) EE");
	model_free(model);
}

static void test_cycle_counts_in_commit_mode_1(void **state)
{
	struct model *model = model_directed(MODEL_CCI);

	(void)state;
	model->options.cc_threshold = 16;
	model_begin(model);
	model_branch(model, false);
	model_expect(model, "TI(0) ON CTX(0,0) TA(400000) N CC(?)");
	hwf_tu_cycles(model->unit, 10);
	model_branch(model, false);
	hwf_tu_cycles(model->unit, 9);
	model_branch(model, false);
	model_expect(model, "NN CC(19)");
	hwf_tu_cycles(model->unit, 0xfff00);
	hwf_tu_cycles(model->unit, 0xfff00);
	model_branch(model, false);
	/* TRCIDR2.CCSIZE: 20 bits */
	model_expect(model, "N CC(?)");
	hwf_tu_cycles(model->unit, 1048575);
	model_branch(model, false);
	model_expect(model, "N CC(1048575)");
	model_free(model);
}

static void test_cycle_counts_in_commit_mode_0(void **state)
{
	struct model *model = model_directed(MODEL_CCI);

	(void)state;
	model->options.regs.trcidr0 &= ~MODEL_COMMOPT;
	model->options.regs.trcidr8 = 4;
	model->options.cc_threshold = 16;
	model_begin(model);
	model_branch(model, false);
	model_expect(model, "TI(0) ON CTX(0,0) TA(400000) N COMMIT(1) CC(?)");
	model_branch(model, false);
	model_branch(model, false);
	hwf_tu_cycles(model->unit, 19);
	model_branch(model, false);
	model_branch(model, false);
	model_expect(model, "NNN COMMIT(3) CC(19) N COMMIT(1)");
	model_free(model);
}

static void test_timestamps_on_request(void **state)
{
	struct model *model = model_directed(MODEL_TS | MODEL_CCI | MODEL_CID);

	(void)state;
	model->options.regs.trcidr0 |= MODEL_TSMARK;
	model->options.cc_threshold = 100;
	model->options.timestamp_interval = 4;
	model_begin(model);
	model->now = 0x1000;
	model_branch(model, false);
	model_expect(model, "TI(0) ON CTX(0,1) TA(400000) N CC(?) MARK TS(1000,0)");
	model->now = 0x1010;
	hwf_tu_cycles(model->unit, 7);
	model_branch(model, false);
	model_nop(model);
	model_nop(model);
	model_branch(model, false);
	model_expect(model, "NN MARK TS(1010,7)");
	/* a new context asks for one too */
	model_set_context(model, 0, 5);
	model_branch(model, true);
	model_expect(model, "CTX(0,5) E MARK TS(1010,7)");
	model_free(model);
}

static void test_no_marker_where_none_is_implemented(void **state)
{
	struct model *model = model_directed(MODEL_TS);

	(void)state;
	model_begin(model);
	model_branch(model, false);
	model_expect(model, "TI(0) ON CTX(0,0) TA(400000) N TS(1234567)");
	model_free(model);
}

static void test_transaction_start_after_its_tstart(void **state)
{
	struct model *model = model_directed(0);

	(void)state;
	model_begin_traced(model);
	jump(model, TSTART, model->pc + 4);
	hwf_tu_transaction_start(model->unit);
	model_branch(model, false);
	hwf_tu_transaction_end(model->unit, HWF_TRANSACTION_COMMITTED);
	model_branch(model, false);
	model_expect(model, "E START N COMMITTED N");
	jump(model, TSTART, model->pc + 4);
	hwf_tu_transaction_start(model->unit);
	model_branch(model, false);
	hwf_tu_transaction_end(model->unit, HWF_TRANSACTION_FAILED);
	model->pc -= 4;
	model_branch(model, true);
	model_expect(model, "E START N FAILED TA(400014) E");
	model_free(model);
}

/* An interrupt makes a transaction fail, and is taken from where that restarts. */
static void test_exception_after_a_failed_transaction(void **state)
{
	static const uint8_t types[] = {HWF_EXC_IRQ, HWF_EXC_PE_RESET};
	static const char *const texts[] = {
		"E START N FAILED TA(400008) EXC(14,400008) CTX(1,0) TA(ffff8000080001c0) N",
		"E START N FAILED EXC(0,0) CTX(1,0) TA(ffff800008000000) N"};

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		struct model *model = model_directed(0);

		model_begin_traced(model);
		jump(model, TSTART, model->pc + 4);
		hwf_tu_transaction_start(model->unit);
		model_branch(model, false);
		hwf_tu_transaction_end(model->unit, HWF_TRANSACTION_FAILED);
		model_exception(model, types[i], model->pc - 4);
		model_branch(model, false);
		model_expect(model, texts[i]);
		model_free(model);
	}
}

static void test_transaction_start_is_p0_unless_commtrans(void **state)
{
	(void)state;
	for (unsigned int commtrans = 0; commtrans < 2; commtrans++) {
		struct model *model = model_directed(0);

		model->options.regs.trcidr8 = 8;
		if (commtrans)
			model->options.regs.trcidr0 |= MODEL_COMMTRANS;
		model_begin(model);
		jump(model, TSTART, model->pc + 4);
		hwf_tu_transaction_start(model->unit);
		model_branch(model, false);
		model_expect(model, commtrans ? "TI(0) ON CTX(0,0) TA(400000) E START N COMMIT(2)"
					      : "TI(0) ON CTX(0,0) TA(400000) E START N COMMIT(3)");
		model_free(model);
	}
}

static void test_R_RKGLY_trace_begins_inside_a_transaction(void **state)
{
	struct model *model = model_directed(0);

	(void)state;
	model_begin(model);
	hwf_tu_transaction_start(model->unit);
	model_branch(model, false);
	hwf_tu_sync(model->unit);
	model_branch(model, false);
	model_expect(model,
		     "TI(0) ON CTX(0,0) TA(400000) START N TI(0,trans) CTX(0,0) TA(400004) N");
	model_free(model);
}

static void test_R_NMWFJ_result_unknown_after_a_prohibited_region(void **state)
{
	struct model *model = model_directed(0);

	(void)state;
	model_begin_traced(model);
	jump(model, TSTART, model->pc + 4);
	hwf_tu_transaction_start(model->unit);
	model_branch(model, false);
	hwf_tu_gap(model->unit);
	model_branch(model, false);
	model_expect(model, "E START N FAILED ON TA(40000c) START N");
	hwf_tu_disable(model->unit, true);
	assert_string_equal(model_text(model, model->seen), "FAILED");
	model_free(model);
}

static void test_R_NMWFJ_result_unknown_after_an_overflow(void **state)
{
	struct model *model = model_directed(0);

	(void)state;
	model_begin_traced(model);
	jump(model, TSTART, model->pc + 4);
	hwf_tu_transaction_start(model->unit);
	model_branch(model, false);
	model_expect(model, "E START N");
	model_branch(model, false);
	model->lost_writes = 1;
	hwf_tu_flush(model->unit);
	model->lost_writes = 0;
	model_branch(model, false);
	model_expect(model, "OVERFLOW TI(0,trans) FAILED ON CTX(0,0) TA(400010) START N");
	model_free(model);
}

/* What became of the transaction while trace was lost is UNKNOWN: Transaction Failure. */
static void test_R_NMWFJ_result_while_trace_is_lost(void **state)
{
	static const int ends[] = {HWF_TRANSACTION_COMMITTED, HWF_TRANSACTION_FAILED};

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		struct model *model = model_directed(0);

		model_begin_traced(model);
		jump(model, TSTART, model->pc + 4);
		hwf_tu_transaction_start(model->unit);
		model_branch(model, false);
		model_expect(model, "E START N");
		model_branch(model, false);
		model->lost_writes = 1;
		hwf_tu_flush(model->unit);
		model->lost_writes = 0;
		hwf_tu_transaction_end(model->unit, ends[i]);
		model_branch(model, false);
		model_expect(model, "OVERFLOW TI(0,trans) FAILED ON CTX(0,0) TA(400010) N");
		model_free(model);
	}
}

static void test_overflow_is_said_even_where_nothing_follows(void **state)
{
	struct model *model = model_directed(MODEL_CCI);

	(void)state;
	model_begin(model);
	model_branch(model, false);
	hwf_tu_flush(model->unit);
	model->seen = model->length;
	model_branch(model, false);
	model->lost_writes = 1;
	hwf_tu_flush(model->unit);
	model->lost_writes = 0;
	hwf_tu_disable(model->unit, true);
	assert_string_equal(model_text(model, model->seen), "OVERFLOW");
	model_free(model);
}

static void test_count_is_unknown_after_an_overflow(void **state)
{
	struct model *model = model_directed(MODEL_CCI);

	(void)state;
	model_begin(model);
	model_branch(model, false);
	hwf_tu_flush(model->unit);
	model->seen = model->length;
	hwf_tu_cycles(model->unit, 5);
	model_branch(model, false);
	model->lost_writes = 1;
	hwf_tu_flush(model->unit);
	model->lost_writes = 0;
	hwf_tu_cycles(model->unit, 5);
	model_branch(model, false);
	model_expect(model, "OVERFLOW TI(0) ON CTX(0,0) TA(400008) N CC(?)");
	model_free(model);
}

static void test_source_address_takes_the_not_taken_along(void **state)
{
	struct model *model = model_directed(0);

	(void)state;
	model->options.source_address_interval = 6;
	model_begin(model);
	model_branch(model, true);
	for (unsigned int i = 0; i < 4; i++)
		model_branch(model, false);
	model_branch(model, true);
	model_expect(model, "TI(0) ON CTX(0,0) TA(400000) E SA(400020)");
	model_free(model);
}

static void test_a_discard_when_not_resolved(void **state)
{
	struct model *model = model_directed(0);

	(void)state;
	model->options.regs.trcidr8 = 100;
	model_begin(model);
	model_branch(model, true);
	hwf_tu_disable(model->unit, false);
	assert_string_equal(model_text(model, 0), "TI(0) ON CTX(0,0) TA(400000) E DISCARD");
	model_free(model);
}

static void test_commits_are_merged(void **state)
{
	struct model *model = model_directed(0);

	(void)state;
	model->options.regs.trcidr8 = 5;
	model_begin(model);
	for (unsigned int i = 0; i < 12; i++)
		model_branch(model, true);
	model_expect(model,
		     "TI(0) ON CTX(0,0) TA(400000) EEEEE COMMIT(5) EEEEE COMMIT(5) EE COMMIT(2)");
	model_free(model);
}

/* A32 and T32: what an address says of its instruction set */
static void test_t32_addresses_are_is1(void **state)
{
	struct hwf_insn bx = {.size = 4, .kind = HWF_INSN_INDIRECT, .target_isa = HWF_ISA_A32};
	struct hwf_insn b = {.size = 2,
			     .kind = HWF_INSN_DIRECT,
			     .target = 0x8020,
			     .target_isa = HWF_ISA_T32,
			     .conditional = true};
	struct hwf_context context = {.el = 0, .security = HWF_SEC_NONSECURE};
	struct model *model = model_directed(0);

	(void)state;
	model_begin(model);
	hwf_tu_context(model->unit, &context);
	hwf_tu_insn(model->unit, 0x8000, HWF_ISA_A32, &bx, true, 0x8012, HWF_ISA_T32);
	hwf_tu_insn(model->unit, 0x8012, HWF_ISA_T32, &b, false, 0x8014, HWF_ISA_T32);
	hwf_tu_exception(model->unit, HWF_EXC_IRQ, 0x8014, HWF_ISA_T32, 0x9000, HWF_ISA_A32);
	hwf_tu_insn(model->unit, 0x9000, HWF_ISA_A32, &bx, true, 0x8014, HWF_ISA_T32);
	model_expect(model, "TI(0) ON CTX(0,0) TA(8000) E TA(8012,IS1) N EXC(14,8014) TA(9000) E");
	model_free(model);
}

static void refuse(uint32_t configr, uint32_t without, uint32_t max_spec, uint64_t spec_seed)
{
	struct model *model = model_directed(configr);

	model->options.regs.trcidr0 &= ~without;
	model->options.regs.trcidr8 = max_spec;
	model->options.spec_seed = spec_seed;
	assert_int_equal(model_start(model), HWF_ERR_BAD_CONFIG);
	model_free(model);
}

static void test_what_is_not_implemented_is_refused(void **state)
{
	(void)state;
	refuse(MODEL_BB, 1u << 5, 0, 0);
	refuse(MODEL_CCI, 1u << 7, 0, 0);
	refuse(MODEL_CCI, MODEL_COMMOPT, 0, 0);
	refuse(MODEL_RS, 1u << 9, 0, 0);
	refuse(MODEL_TS, 8u << 24, 0, 0);
	refuse(MODEL_QE1, 1u << 15, 0, 0);
	refuse(MODEL_QE3, 2u << 15, 0, 0);
	refuse(2u << 13, 0, 0, 0);
	refuse(0, 0, 0, 1);
}

static void test_nothing_is_traced_while_disabled(void **state)
{
	struct model *model = model_directed(0);

	(void)state;
	model_begin(model);
	model_branch(model, true);
	hwf_tu_disable(model->unit, true);
	model->seen = model->length;
	model_branch(model, true);
	model_exception(model, HWF_EXC_IRQ, model->pc);
	hwf_tu_event(model->unit, 1);
	hwf_tu_sync(model->unit);
	hwf_tu_flush(model->unit);
	assert_int_equal(model->length, model->seen);
	hwf_tu_enable(model->unit);
	model_branch(model, true);
	model_expect(model, "TI(0) ON CTX(1,0) TA(ffff8000080001c0) E");
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exception_forms),
		cmocka_unit_test(test_pe_reset_has_no_address),
		cmocka_unit_test(test_exception_is_filtered_with_what_comes_before_it),
		cmocka_unit_test(test_return_stack_omits_what_a_decoder_keeps),
		cmocka_unit_test(test_return_stack_never_serves_a_call),
		cmocka_unit_test(test_return_stack_forgets_at_a_synchronisation),
		cmocka_unit_test(test_branch_broadcast_in_its_range),
		cmocka_unit_test(test_cycle_counts_in_commit_mode_1),
		cmocka_unit_test(test_cycle_counts_in_commit_mode_0),
		cmocka_unit_test(test_timestamps_on_request),
		cmocka_unit_test(test_no_marker_where_none_is_implemented),
		cmocka_unit_test(test_transaction_start_after_its_tstart),
		cmocka_unit_test(test_exception_after_a_failed_transaction),
		cmocka_unit_test(test_transaction_start_is_p0_unless_commtrans),
		cmocka_unit_test(test_R_RKGLY_trace_begins_inside_a_transaction),
		cmocka_unit_test(test_R_NMWFJ_result_unknown_after_a_prohibited_region),
		cmocka_unit_test(test_R_NMWFJ_result_unknown_after_an_overflow),
		cmocka_unit_test(test_R_NMWFJ_result_while_trace_is_lost),
		cmocka_unit_test(test_overflow_is_said_even_where_nothing_follows),
		cmocka_unit_test(test_count_is_unknown_after_an_overflow),
		cmocka_unit_test(test_source_address_takes_the_not_taken_along),
		cmocka_unit_test(test_a_discard_when_not_resolved),
		cmocka_unit_test(test_commits_are_merged),
		cmocka_unit_test(test_t32_addresses_are_is1),
		cmocka_unit_test(test_what_is_not_implemented_is_refused),
		cmocka_unit_test(test_nothing_is_traced_while_disabled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
