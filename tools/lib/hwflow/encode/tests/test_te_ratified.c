/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The reference algorithm of ratified E-Trace. What is sent is as te_test.h has it. */
#include "te_test.h"

static struct te_test t;

static void trap_that_nobody_saw_the_address_of(void **state)
{
	(void)state;
	te_test_begin(&t, HWF_RISCV_V2); /* at the target of a discontinuity */
	te_test_insn(&t, 0x1000, JR);
	te_test_trap(&t, 0x4000, NOP, HWF_TE_EXCEPTION, 1);
	te_test_nops(&t, 0x2000, 2);
	te_test_end(&t, "on !1000 !4000?-1 !2000 @2004 off:1");
	te_test_begin(&t, HWF_RISCV_V2); /* the first one traced */
	te_test_trap(&t, 0x4000, NOP, HWF_TE_INTERRUPT, 7);
	te_test_nops(&t, 0x2000, 2);
	te_test_end(&t, "on !4000?-i7 !2000 @2004 off:1");
	te_test_begin(&t, HWF_RISCV_V2); /* two and three in a row: each is told of once */
	te_test_nops(&t, 0x1000, 1);
	te_test_trap(&t, 0x1004, NOP, HWF_TE_EXCEPTION, 1);
	te_test_trap(&t, 0x2000, NOP, HWF_TE_EXCEPTION, 2);
	te_test_trap(&t, 0x2000, NOP, HWF_TE_EXCEPTION, 3);
	te_test_nops(&t, 0x2000, 2);
	te_test_end(&t, "on !1000 !2000?-1 !2000?-2 !2000?3 @2004 off:1");
	te_test_begin(&t, HWF_RISCV_V2);
	te_test_insn(&t, 0x1000, JR);
	te_test_trap(&t, 0x4000, NOP, HWF_TE_EXCEPTION, 1);
	te_test_trap(&t, 0x2000, NOP, HWF_TE_EXCEPTION, 2);
	te_test_trap(&t, 0x2000, ECALL, HWF_TE_EXCEPTION, 8);
	te_test_nops(&t, 0x2000, 1);
	te_test_end(&t, "on !1000 !4000?-1 !2000?2 !2000?8 off:3");
}

/* Of illegal instructions 1.0 has the address in place of the trap value, and no thaddr. */
static void trap_of_1_0(void **state)
{
	(void)state;
	te_test_begin(&t, HWF_RISCV_V1);
	te_test_insn(&t, 0x1000, JR);
	te_test_trap(&t, 0x4000, NOP, HWF_TE_EXCEPTION, 2);
	te_test_nops(&t, 0x2000, 2);
	te_test_trap(&t, 0x2008, NOP, HWF_TE_INTERRUPT, 2);
	te_test_nops(&t, 0x2000, 1);
	te_test_end(&t, "on !1000 !2000?2,4000 @2004 !2000?i2 off:3");
}

static void updiscon_says_that_format_3_follows(void **state)
{
	(void)state;
	te_test_begin(&t, HWF_RISCV_V2); /* a trap without retirement */
	te_test_insn(&t, 0x1000, JR);
	te_test_insn(&t, 0x2000, NOP);
	te_test_trap(&t, 0x2004, NOP, HWF_TE_EXCEPTION, 5);
	te_test_nops(&t, 0x3000, 1);
	te_test_end(&t, "on !1000 @2000u !3000?5 off:3");
	te_test_init(&t, HWF_RISCV_V2); /* a trap of the instruction itself, and not of the next
					 * one, which is reported
					 */
	te_test_start(&t);
	te_test_insn(&t, 0x1000, JR);
	te_test_trap(&t, 0x2000, ECALL, HWF_TE_EXCEPTION, 8);
	te_test_insn(&t, 0x3000, JR);
	te_test_insn(&t, 0x4000, NOP);
	te_test_trap(&t, 0x4004, ECALL, HWF_TE_EXCEPTION, 8);
	te_test_nops(&t, 0x3000, 1);
	te_test_end(&t, "on !1000 @2000u !3000?8 @4000 @4004 !3000?8 off:3");
	te_test_init(&t, HWF_RISCV_V2); /* privilege, and resynchronisation */
	t.params.max_resync = 1;
	te_test_start(&t);
	te_test_insn(&t, 0x1000, JR);
	te_test_insn(&t, 0x2000, JR);
	te_test_insn(&t, 0x3000, JR);
	te_test_insn(&t, 0x4000, JR);
	te_test_insn(&t, 0x5000, NOP);
	te_test_insn_of(&t, 0x5004, 0, 0, 0);
	te_test_end(&t, "on !1000 @2000 @3000u !4000 @5000u !5004p0 off:3");
}

static void implied_returns_are_not_reported(void **state)
{
	(void)state;
	te_test_init(&t, HWF_RISCV_V2);
	t.params.implicit_return = true;
	t.params.return_stack_size_p = 3;
	te_test_start(&t);
	te_test_insn(&t, 0x1000, CALL);
	te_test_insn(&t, 0x1008, RET);
	te_test_insn(&t, 0x1004, CALL);
	te_test_insn(&t, 0x100c, RET);
	te_test_insn(&t, 0x4000, RET); /* not where it was called from: one entry on the stack */
	te_test_insn(&t, 0x1008, NOP); /* the entry is there still */
	te_test_insn(&t, 0x100c, RET); /* and nothing behind it */
	te_test_insn(&t, 0x5000, NOP);
	te_test_end(&t, "on !1000 @4000r1 @5000 off:3");
}

/* Before a trap the depth has to be told where a return was implied, and no branch came since. */
static void depth_is_told_before_a_trap(void **state)
{
	(void)state;
	for (unsigned int branch = 0; branch < 2; branch++) {
		te_test_init(&t, HWF_RISCV_V2);
		t.params.implicit_return = true;
		t.params.call_counter_size_p = 3;
		te_test_start(&t);
		te_test_insn(&t, 0x1000, CALL);
		te_test_insn(&t, 0x1008, CALL);
		te_test_insn(&t, 0x1010, RET);
		te_test_insn(&t, 0x100c, NOP);
		te_test_insn(&t, 0x1010, branch ? BEQ : NOP);
		te_test_trap(&t, 0x1014, NOP, HWF_TE_INTERRUPT, 7);
		te_test_nops(&t, 0x2000, 1);
		te_test_end(&t, branch ? "on !1000 f1:1@1010 !2000?i7 off:3"
				       : "on !1000 @1010r1 !2000?i7 off:3");
	}
	te_test_init(&t, HWF_RISCV_V2); /* right behind a return: where the depth is not 0 */
	t.params.implicit_return = true;
	t.params.call_counter_size_p = 3;
	te_test_start(&t);
	te_test_insn(&t, 0x1000, CALL);
	te_test_insn(&t, 0x1008, RET);
	te_test_insn(&t, 0x1004, NOP);
	te_test_trap(&t, 0x1008, NOP, HWF_TE_INTERRUPT, 7);
	te_test_nops(&t, 0x2000, 1);
	te_test_end(&t, "on !1000 @1004 !2000?i7 off:3");
}

static void predicted_branches_are_counted(void **state)
{
	(void)state;
	te_test_init(&t, HWF_RISCV_V2);
	t.params.branch_prediction = true;
	t.params.bpred_size_p = 1;
	te_test_start(&t);
	te_test_nops(&t, 0x1000, 1);
	te_test_branches(&t, 0x1004, 33); /* not taken, as predicted */
	te_test_insn(&t, 0x1088, BEQ);
	te_test_nops(&t, 0x1090, 1); /* it was taken */
	te_test_branches(&t, 0x1094, 31);
	te_test_insn(&t, 0x1110, JR);
	te_test_insn(&t, 0x2000, BEQ); /* predicted right, as the target */
	te_test_branches(&t, 0x2004, 31);
	te_test_insn(&t, 0x2080, JR);
	te_test_insn(&t, 0x3000, BEQ); /* and wrong */
	te_test_insn(&t, 0x3008, NOP);
	te_test_end(&t, "on !1000 n2/0 n1/2@2000 n0/3@3000 @3008 off:1");
}

/* One of the first 31 was not predicted: the map it is. */
static void map_goes_out_where_a_branch_was_missed(void **state)
{
	(void)state;
	te_test_init(&t, HWF_RISCV_V2);
	t.params.branch_prediction = true;
	t.params.bpred_size_p = 1;
	te_test_start(&t);
	te_test_insn(&t, 0x1000, NOP);
	te_test_insn(&t, 0x1004, BEQ); /* taken */
	te_test_branches(&t, 0x100c, 30);
	te_test_nops(&t, 0x1084, 1);
	te_test_end(&t, "on !1000 f1:0111111111111111111111111111111 @1084 off:1");
}

static void known_targets_are_in_the_cache(void **state)
{
	(void)state;
	te_test_init(&t, HWF_RISCV_V2);
	t.params.jump_target_cache = true;
	t.params.cache_size_p = 4;
	te_test_start(&t);
	te_test_insn(&t, 0x1000, JR);
	te_test_insn(&t, 0x20000, JR); /* new, at 0 */
	te_test_insn(&t, 0x50006, JR); /* new, at 3 */
	te_test_insn(&t, 0x20000, JR);
	te_test_insn(&t, 0x50006, BEQ);
	te_test_insn(&t, 0x5000a, JR);
	te_test_insn(&t, 0x30000, JR); /* takes the place of 20000 */
	te_test_insn(&t, 0x20000, NOP);
	te_test_trap(&t, 0x20004, NOP, HWF_TE_EXCEPTION, 5); /* updiscon has no place there */
	te_test_insn(&t, 0x1000, JR); /* nothing is known behind a synchronisation */
	te_test_insn(&t, 0x20000, NOP);
	te_test_end(&t, "on !1000 @20000 @50006 i0: i3:1 @30000 @20000u !1000?5 @20000 off:3");
}

static void sequential_jumps_are_not_reported(void **state)
{
	(void)state;
	for (unsigned int known = 0; known < 2; known++) {
		te_test_init(&t, HWF_RISCV_V2);
		t.params.sijump_p = (uint8_t)known;
		t.port.sequential = true;
		te_test_start(&t);
		te_test_insn(&t, 0x1000, NOP);
		te_test_insn(&t, 0x1004, 0x00000317); /* auipc x6, 0 */
		te_test_insn(&t, 0x1008, 0x00c30067); /* jalr x0, 12(x6) */
		te_test_nops(&t, 0x1010, 2);
		te_test_end(&t, known ? "on !1000 @1014 off:1" : "on !1000 @1010 @1014 off:1");
	}
	/* not where what loads the register is not traced */
	te_test_init(&t, HWF_RISCV_V2);
	t.params.sijump_p = 1;
	t.port.sequential = true;
	t.options.trigger_start = true;
	te_test_start(&t);
	te_test_insn(&t, 0x1004, 0x00000317);
	te_test_event(&t, &(struct hwf_te_event){.address = 0x1008,
						 .opcode = 0x00c30067,
						 .priv = 3,
						 .trigger = HWF_TE_TRACE_ON,
						 .retired = true});
	te_test_nops(&t, 0x1010, 2);
	te_test_end(&t, "on !1008 @1010 @1014 off:1");
}

static void implied_handlers_have_no_address(void **state)
{
	(void)state;
	te_test_init(&t, HWF_RISCV_V2);
	t.params.implicit_exception = true;
	te_test_start(&t);
	te_test_insn(&t, 0x1000, NOP);
	te_test_trap(&t, 0x1004, NOP, HWF_TE_EXCEPTION, 5);
	te_test_insn(&t, 0x2000, JR);
	te_test_trap(&t, 0x3000, NOP, HWF_TE_EXCEPTION, 5); /* thaddr 0: this one is needed */
	te_test_insn(&t, 0x2000, NOP);
	te_test_end(&t, "on !1000 !?5 !3000?-5 !2000 off:3");
}

static void time_is_in_format_3(void **state)
{
	(void)state;
	te_test_init(&t, HWF_RISCV_V2);
	t.params.time_width_p = 16;
	te_test_start(&t);
	te_test_event(&t, &(struct hwf_te_event){.address = 0x1000,
						 .opcode = NOP,
						 .priv = 3,
						 .time = 0x12345678,
						 .retired = true});
	te_test_end(&t, "on !1000t5678 off:3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trap_that_nobody_saw_the_address_of),
		cmocka_unit_test(trap_of_1_0),
		cmocka_unit_test(updiscon_says_that_format_3_follows),
		cmocka_unit_test(implied_returns_are_not_reported),
		cmocka_unit_test(depth_is_told_before_a_trap),
		cmocka_unit_test(predicted_branches_are_counted),
		cmocka_unit_test(map_goes_out_where_a_branch_was_missed),
		cmocka_unit_test(known_targets_are_in_the_cache),
		cmocka_unit_test(sequential_jumps_are_not_reported),
		cmocka_unit_test(implied_handlers_have_no_address),
		cmocka_unit_test(time_is_in_format_3),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
