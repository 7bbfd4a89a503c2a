/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The algorithm of Processor Trace 0.026, box by box of figure 5.1. What is sent is as te_test.h
 * has it.
 */
#include "te_test.h"

static struct te_test t;

static void nothing_but_a_start_and_an_end(void **state)
{
	(void)state;
	te_test_begin(&t, HWF_RISCV_DRAFT_026);
	te_test_nops(&t, 0x1000, 5);
	te_test_end(&t, "on 1000 @1010 off:1");
}

static void branch_is_in_the_map_or_with_the_address(void **state)
{
	(void)state;
	te_test_begin(&t, HWF_RISCV_DRAFT_026);
	te_test_insn(&t, 0x1000, BEQ); /* not taken: with the start */
	te_test_insn(&t, 0x1004, BEQ); /* taken */
	te_test_insn(&t, 0x100c, BEQ); /* not taken */
	te_test_insn(&t, 0x1010, JR);
	te_test_insn(&t, 0x4000, BEQ); /* its own bit is with its address */
	te_test_nops(&t, 0x4008, 2);
	te_test_end(&t, "on !1000 f1:010@4000 @400c off:1");
}

static void exception_is_reported_before_and_behind(void **state)
{
	(void)state;
	te_test_init(&t, HWF_RISCV_DRAFT_026);
	t.params.notval_p = 1;
	te_test_start(&t);
	te_test_nops(&t, 0x1000, 2);
	te_test_trap(&t, 0x1008, NOP, HWF_TE_EXCEPTION, 5); /* exc_only */
	te_test_insn(&t, 0x2000, NOP);
	te_test_trap(&t, 0x2004, ECALL, HWF_TE_EXCEPTION, 8); /* exc_ret */
	te_test_insn(&t, 0x2000, BEQ);
	te_test_insn(&t, 0x2004, BEQ);
	te_test_trap(&t, 0x2008, NOP, HWF_TE_INTERRUPT, 7);
	te_test_insn(&t, 0x3000, NOP);
	te_test_end(&t, "on 1000 @1004 2000?5 @2004 !2000?8 f1:1@2004 3000?i7 off:3");
}

/* An exception that comes before anything retired: the last one is told of. */
static void exceptions_in_a_row(void **state)
{
	(void)state;
	te_test_begin(&t, HWF_RISCV_DRAFT_026);
	te_test_insn(&t, 0x1000, JR);
	te_test_trap(&t, 0x4000, NOP, HWF_TE_EXCEPTION, 1); /* no rule 5 for what did not retire */
	te_test_trap(&t, 0x2000, NOP, HWF_TE_EXCEPTION, 2);
	te_test_nops(&t, 0x2000, 2);
	te_test_end(&t, "on 1000 2000?2 @2004 off:1");
}

static void privilege_has_a_start_of_its_own(void **state)
{
	(void)state;
	te_test_begin(&t, HWF_RISCV_DRAFT_026);
	te_test_insn(&t, 0x1000, NOP);
	te_test_insn_of(&t, 0x1004, 0, 0, 2); /* nothing to say before it: the map is empty */
	te_test_event(&t,
		      &(struct hwf_te_event){.address = 0x1008, .opcode = BEQ, .retired = true});
	te_test_insn(&t, 0x100c, NOP); /* prch_br */
	te_test_end(&t, "on 1000 1004p0 f1:1@1008 100c off:3");
}

static void full_map_has_no_address(void **state)
{
	(void)state;
	te_test_begin(&t, HWF_RISCV_DRAFT_026);
	te_test_insn(&t, 0x1000, NOP);
	te_test_branches(&t, 0x1004, 32);
	te_test_nops(&t, 0x1084, 2);
	te_test_end(&t, "on 1000 f0:1111111111111111111111111111111 f1:1@1088 off:1");
}

/* 31 branches and an address: the instruction before the last of them was a jump. */
static void full_map_behind_a_jump(void **state)
{
	(void)state;
	te_test_begin(&t, HWF_RISCV_DRAFT_026);
	te_test_insn(&t, 0x1000, NOP);
	te_test_branches(&t, 0x1004, 30);
	te_test_insn(&t, 0x107c, JR);
	te_test_insn(&t, 0x4000, BEQ);
	te_test_nops(&t, 0x4004, 2);
	te_test_end(&t, "on 1000 f1:1111111111111111111111111111111@4000 @4008 off:1");
}

static void resynchronisation(void **state)
{
	(void)state;
	te_test_init(&t, HWF_RISCV_DRAFT_026);
	t.params.max_resync = 2;
	te_test_start(&t);
	te_test_insn(&t, 0x1000, JR);
	te_test_insn(&t, 0x2000, JR);
	te_test_insn(&t, 0x3000, NOP); /* the second packet: reached */
	te_test_insn(&t, 0x3004, BEQ); /* resync_br */
	te_test_insn(&t, 0x3008, NOP); /* exceeded */
	te_test_insn(&t, 0x300c, JR);
	te_test_insn(&t, 0x2000, JR);
	te_test_insn(&t, 0x3000, NOP);
	te_test_insn(&t, 0x3004, NOP); /* reached, nothing to say */
	te_test_insn(&t, 0x3008, NOP);
	te_test_end(&t, "on 1000 @2000 @3000 f1:1@3004 3008 @2000 @3000 3008 off:3");
}

/* Of both the one with more equal top bits; difference where there are as many */
static void address_is_full_or_a_difference(void **state)
{
	(void)state;
	te_test_begin(&t, HWF_RISCV_DRAFT_026);
	te_test_insn(&t, 0x7fff0000, BEQ);
	te_test_insn(&t, 0x7fff0004, BEQ);
	te_test_insn(&t, 0x7fff0008, JR);
	te_test_insn(&t, 0x00000100, BEQ);
	te_test_insn(&t, 0x00000104, JR);
	te_test_insn(&t, 0x00000300, BEQ); /* 300 and +200: both have ten bits */
	te_test_insn(&t, 0x00000304, JR);
	te_test_insn(&t, 0x00000500, NOP); /* without a map a difference */
	te_test_end(&t, "on !7fff0000 f0:11@100 f1:1@300 @500 off:3");
	te_test_init(&t, HWF_RISCV_DRAFT_026);
	t.params.full_address = true;
	te_test_start(&t);
	te_test_insn(&t, 0x1000, BEQ);
	te_test_insn(&t, 0x1004, BEQ);
	te_test_insn(&t, 0x1008, JR);
	te_test_insn(&t, 0x1100, JR);
	te_test_insn(&t, 0x1200, NOP);
	te_test_end(&t, "on !1000 f0:1@1100 @1200 off:3");
}

/* ended_ntr where the last instruction is reported anyway, else ended_rep (Table 6.4) */
static void end_says_how(void **state)
{
	(void)state;
	te_test_begin(&t, HWF_RISCV_DRAFT_026);
	te_test_insn(&t, 0x1000, JR);
	te_test_insn(&t, 0x2000, NOP);
	te_test_end(&t, "on 1000 @2000 off:3");
	te_test_begin(&t, HWF_RISCV_DRAFT_026);
	te_test_end(&t, "on off");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_but_a_start_and_an_end),
		cmocka_unit_test(branch_is_in_the_map_or_with_the_address),
		cmocka_unit_test(exception_is_reported_before_and_behind),
		cmocka_unit_test(exceptions_in_a_row),
		cmocka_unit_test(privilege_has_a_start_of_its_own),
		cmocka_unit_test(full_map_has_no_address),
		cmocka_unit_test(full_map_behind_a_jump),
		cmocka_unit_test(resynchronisation),
		cmocka_unit_test(address_is_full_or_a_difference),
		cmocka_unit_test(end_says_how),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
