/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The RISC-V trace encoder, box by box: figure 5.1 of Processor Trace 0.026, the reference
 * algorithm of ratified E-Trace, and what both do with contexts, sidebands and triggers. What is
 * sent is as te_test.h has it.
 */
#include "te_test.h"

static struct te_test t;

static void draft(void)
{
	te_test_init(&t, HWF_RISCV_DRAFT_026);
}

static void ratified(void)
{
	te_test_init(&t, HWF_RISCV_V2);
}

/* @count instructions that do nothing */
static void nops(uint64_t address, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		te_test_insn(&t, address + (uint64_t)4 * i, NOP);
}

/* Branches not taken */
static void branches(uint64_t address, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		te_test_insn(&t, address + (uint64_t)4 * i, BEQ);
}

static void insn_of(uint64_t address, unsigned int priv, uint32_t context, unsigned int type)
{
	te_test_event(&t, &(struct hwf_te_event){.address = address,
						 .opcode = NOP,
						 .priv = (uint8_t)priv,
						 .context = context,
						 .context_type = (uint8_t)type,
						 .retired = true});
}

/* ---- figure 5.1 ---- */

static void nothing_but_a_start_and_an_end(void **state)
{
	(void)state;
	draft();
	te_test_start(&t);
	nops(0x1000, 5);
	te_test_end(&t, "on 1000 @1010 off:1");
}

static void branch_is_in_the_map_or_with_the_address(void **state)
{
	(void)state;
	draft();
	te_test_start(&t);
	te_test_insn(&t, 0x1000, BEQ); /* not taken: with the start */
	te_test_insn(&t, 0x1004, BEQ); /* taken */
	te_test_insn(&t, 0x100c, BEQ); /* not taken */
	te_test_insn(&t, 0x1010, JR);
	te_test_insn(&t, 0x4000, BEQ); /* its own bit is with its address */
	nops(0x4008, 2);
	te_test_end(&t, "on !1000 f1:010@4000 @400c off:1");
}

static void exception_is_reported_before_and_behind(void **state)
{
	(void)state;
	draft();
	t.params.notval_p = 1;
	te_test_start(&t);
	nops(0x1000, 2);
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
	draft();
	te_test_start(&t);
	te_test_insn(&t, 0x1000, JR);
	te_test_trap(&t, 0x4000, NOP, HWF_TE_EXCEPTION, 1); /* no rule 5 for what did not retire */
	te_test_trap(&t, 0x2000, NOP, HWF_TE_EXCEPTION, 2);
	nops(0x2000, 2);
	te_test_end(&t, "on 1000 2000?2 @2004 off:1");
}

static void privilege_has_a_start_of_its_own(void **state)
{
	(void)state;
	draft();
	te_test_start(&t);
	te_test_insn(&t, 0x1000, NOP);
	insn_of(0x1004, 0, 0, 2); /* nothing to say before it: the map is empty */
	te_test_event(&t,
		      &(struct hwf_te_event){.address = 0x1008, .opcode = BEQ, .retired = true});
	te_test_insn(&t, 0x100c, NOP); /* prch_br */
	te_test_end(&t, "on 1000 1004p0 f1:1@1008 100c off:3");
}

static void full_map_has_no_address(void **state)
{
	(void)state;
	draft();
	te_test_start(&t);
	te_test_insn(&t, 0x1000, NOP);
	branches(0x1004, 32);
	nops(0x1084, 2);
	te_test_end(&t, "on 1000 f0:1111111111111111111111111111111 f1:1@1088 off:1");
}

/* 31 branches and an address: the instruction before the last of them was a jump. */
static void full_map_behind_a_jump(void **state)
{
	(void)state;
	draft();
	te_test_start(&t);
	te_test_insn(&t, 0x1000, NOP);
	branches(0x1004, 30);
	te_test_insn(&t, 0x107c, JR);
	te_test_insn(&t, 0x4000, BEQ);
	nops(0x4004, 2);
	te_test_end(&t, "on 1000 f1:1111111111111111111111111111111@4000 @4008 off:1");
}

static void resynchronisation(void **state)
{
	(void)state;
	draft();
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
	draft();
	te_test_start(&t);
	te_test_insn(&t, 0x7fff0000, BEQ);
	te_test_insn(&t, 0x7fff0004, BEQ);
	te_test_insn(&t, 0x7fff0008, JR);
	te_test_insn(&t, 0x00000100, BEQ);
	te_test_insn(&t, 0x00000104, JR);
	te_test_insn(&t, 0x00000300, BEQ); /* 300 and +200: both have ten bits */
	te_test_insn(&t, 0x00000304, JR);
	te_test_insn(&t, 0x00000500, NOP); /* without a map a difference */
	te_test_end(&t, "on !7fff0000 f0:11@100 f1:1@300 @500 off:3");
	draft();
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
	draft();
	te_test_start(&t);
	te_test_insn(&t, 0x1000, JR);
	te_test_insn(&t, 0x2000, NOP);
	te_test_end(&t, "on 1000 @2000 off:3");
	draft();
	te_test_start(&t);
	te_test_end(&t, "on off");
}

/* ---- context (Table 3.3) ---- */

static void context_of_the_draft(void **state)
{
	static const char *const want[] = {
		"on 1000c1 @1004 1008?0c2 @100c off:1", /* discontinuity: as a trap */
		"on 1000c1 1008c2 @100c off:1",         /* precise: as a privilege */
		"on 1000c1 c2 @100c off:1",             /* imprecise: alone */
		"on 1000c1 @1008 @100c off:1",          /* notification: the address */
	};

	(void)state;
	for (unsigned int type = 0; type < NR(want); type++) {
		draft();
		te_test_start(&t);
		insn_of(0x1000, 3, 1, 2);
		insn_of(0x1004, 3, 1, 2);
		insn_of(0x1008, 3, 2, type);
		insn_of(0x100c, 3, type == 3 ? 1 : 2, 2);
		te_test_end(&t, want[type]);
	}
	draft();
	t.params.nocontext_p = 1;
	te_test_start(&t);
	insn_of(0x1000, 3, 1, 0);
	insn_of(0x1004, 3, 2, 0);
	insn_of(0x1008, 3, 3, 3);
	te_test_end(&t, "on 1000 @1008 off:1");
}

/* It waits for an instruction that sends nothing else, or goes with what carries it anyway. */
static void imprecise_context_waits(void **state)
{
	(void)state;
	draft();
	te_test_start(&t);
	te_test_insn(&t, 0x1000, JR);
	insn_of(0x2000, 3, 5, 2); /* reported as a target */
	insn_of(0x2004, 3, 5, 2);
	insn_of(0x2008, 0, 6, 2); /* start, which has it */
	insn_of(0x200c, 0, 6, 2);
	te_test_end(&t, "on 1000 @2000 c5 2008p0c6 @200c off:1");
}

static void context_of_ratified(void **state)
{
	static const char *const want[] = {
		"on !1000c1 @100c off:1",
		"on !1000c1 c2 @100c off:1",
		"on !1000c1 !1008c2 @100c off:1",
		"on !1000c1 @1004 !1008c2 @100c off:1",
	};

	(void)state;
	for (unsigned int type = 0; type < NR(want); type++) {
		ratified();
		te_test_start(&t);
		insn_of(0x1000, 3, 1, 0);
		insn_of(0x1004, 3, 1, 0);
		insn_of(0x1008, 3, 2, type);
		insn_of(0x100c, 3, 2, 0);
		te_test_end(&t, want[type]);
	}
}

/* ---- sidebands and triggers ---- */

static void halt_and_reset_end_it(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		draft();
		te_test_start(&t);
		nops(0x1000, 3);
		te_test_cycle(&t, &(struct hwf_te_cycle){.halted = i == 0, .reset = i == 1});
		te_test_cycle(&t, &(struct hwf_te_cycle){.halted = i == 0, .reset = i == 1});
		nops(0x2000, 2);
		te_test_end(&t, "on 1000 @1008 on:1 2000 @2004 off:1");
	}
}

static void trigger(uint64_t address, unsigned int action)
{
	te_test_event(&t, &(struct hwf_te_event){.address = address,
						 .opcode = NOP,
						 .priv = 3,
						 .trigger = (uint8_t)action,
						 .retired = true});
}

/* From the instruction with action 2 on, to the one with action 3 (Table 4.1) */
static void triggers_switch_it(void **state)
{
	(void)state;
	for (unsigned int dialect = HWF_RISCV_DRAFT_026; dialect <= HWF_RISCV_V2; dialect++) {
		te_test_init(&t, (enum hwf_riscv_dialect)dialect);
		t.options.trigger_start = true;
		te_test_start(&t);
		nops(0x1000, 2);
		trigger(0x1008, HWF_TE_TRACE_ON);
		nops(0x100c, 2);
		trigger(0x1014, HWF_TE_TRACE_OFF);
		nops(0x1018, 2);
		trigger(0x1020, HWF_TE_TRACE_ON | HWF_TE_TRACE_OFF);
		nops(0x1024, 1);
		te_test_end(&t, dialect == HWF_RISCV_DRAFT_026
					? "on 1008 @1014 on:1 1020 on:3 off"
					: "on !1008 @1014 on:1 !1020 on:3 off");
	}
}

static void trigger_reports_one(void **state)
{
	(void)state;
	draft(); /* a synchronisation point, for which the map has to be empty */
	te_test_start(&t);
	te_test_insn(&t, 0x1000, NOP);
	te_test_insn(&t, 0x1004, BEQ);
	trigger(0x1008, HWF_TE_TRACE_SINGLE);
	nops(0x100c, 1);
	te_test_end(&t, "on 1000 f1:1@1004 1008 @100c off:1");
	draft();
	t.options.single_watchpoint = true;
	te_test_start(&t);
	te_test_insn(&t, 0x1000, NOP);
	te_test_insn(&t, 0x1004, BEQ);
	trigger(0x1008, HWF_TE_TRACE_SINGLE);
	nops(0x100c, 2);
	te_test_end(&t, "on 1000 f1:1@1008 @1010 off:1");
	ratified();
	te_test_start(&t);
	nops(0x1000, 1);
	trigger(0x1004, HWF_TE_TRACE_SINGLE);
	te_test_insn(&t, 0x1008, JR);
	trigger(0x2000, HWF_TE_TRACE_SINGLE); /* a target is reported anyway */
	nops(0x2004, 1);
	te_test_end(&t, "on !1000 @1004n @2000 @2004 off:1");
}

/* ---- blocks ---- */

/* One block is as its instructions one by one. */
static void block_is_as_its_instructions(void **state)
{
	const struct hwf_te_cycle cycles[] = {
		{.blocks = 2,
		 .priv = 3,
		 .block = {{.iaddr = 0x1000, .iretire = 8, .itype = 5, .ilastsize = 1},
			   {.iaddr = 0x2000, .iretire = 5, .itype = 10, .ilastsize = 0}}},
		{.blocks = 1,
		 .priv = 3,
		 .cause = 8,
		 .block = {{.iaddr = 0x3000, .iretire = 4, .itype = 1, .ilastsize = 1}}},
		{.blocks = 1,
		 .priv = 3,
		 .block = {{.iaddr = 0x4000, .iretire = 2, .itype = 0, .ilastsize = 1}}},
	};

	(void)state;
	ratified();
	t.options.single = false;
	te_test_start(&t);
	for (unsigned int i = 0; i < NR(cycles); i++)
		te_test_cycle(&t, &cycles[i]);
	te_test_end(&t, "on !1000 f1:0@3000 @3004 !4000?8 off:3");
}

/* Branches not taken are counted, and fill the map wherever they are. */
static void draft_counts_branches_of_a_block(void **state)
{
	const struct hwf_te_cycle cycle = {
		.blocks = 1,
		.priv = 3,
		.block = {
			{.iaddr = 0x1000, .iretire = 64, .ntkn = 31, .itype = 6, .ilastsize = 1}}};
	const struct hwf_te_cycle next = {
		.blocks = 1,
		.priv = 3,
		.block = {{.iaddr = 0x2000, .iretire = 2, .ntkn = 1, .itype = 0, .ilastsize = 1}}};

	(void)state;
	draft();
	te_test_start(&t);
	te_test_cycle(&t, &cycle);
	te_test_cycle(&t, &next);
	te_test_end(&t, "on 1000 f0:1111111111111111111111111111111 f1:01@2000 off:1");
}

static void cycles_that_no_core_drives(void **state)
{
	static const struct hwf_te_block bad[] = {
		{.iretire = 2, .itype = 7, .ilastsize = 1},            /* reserved */
		{.iretire = 2, .itype = 6, .ilastsize = 1},            /* of 3 bits only */
		{.iretire = 2, .itype = 16, .ilastsize = 1},           /* 5 bits */
		{.iretire = 0, .itype = 0},                            /* not used */
		{.iretire = 1, .itype = 0, .ilastsize = 1},            /* shorter than its end */
		{.iretire = 2, .itype = 0, .ilastsize = 3},            /* 16 bytes */
		{.iretire = 2, .itype = 0, .ilastsize = 1, .ntkn = 1}, /* no such signal */
	};

	(void)state;
	ratified();
	t.options.single = false;
	te_test_start(&t);
	for (unsigned int i = 0; i < NR(bad); i++)
		assert_int_equal(
			hwf_te_cycle(t.te, &(struct hwf_te_cycle){.blocks = 1, .block = {bad[i]}}),
			HWF_ERR_BAD_PAYLOAD);
	assert_int_equal(hwf_te_cycle(t.te, &(struct hwf_te_cycle){.blocks = HWF_TE_BLOCKS + 1}),
			 HWF_ERR_BAD_PAYLOAD);
	/* a trap that is not in the newest group */
	assert_int_equal(hwf_te_cycle(t.te,
				      &(struct hwf_te_cycle){
					      .blocks = 2,
					      .block = {{.iretire = 2, .itype = 1, .ilastsize = 1},
							{.iretire = 2, .ilastsize = 1}}}),
			 HWF_ERR_BAD_PAYLOAD);
	te_test_end(&t, "on off");
}

/* ---- ratified ---- */

static void trap_that_nobody_saw_the_address_of(void **state)
{
	(void)state;
	ratified(); /* at the target of a discontinuity */
	te_test_start(&t);
	te_test_insn(&t, 0x1000, JR);
	te_test_trap(&t, 0x4000, NOP, HWF_TE_EXCEPTION, 1);
	nops(0x2000, 2);
	te_test_end(&t, "on !1000 !4000?-1 !2000 @2004 off:1");
	ratified(); /* the first one traced */
	te_test_start(&t);
	te_test_trap(&t, 0x4000, NOP, HWF_TE_INTERRUPT, 7);
	nops(0x2000, 2);
	te_test_end(&t, "on !4000?-i7 !2000 @2004 off:1");
	ratified(); /* two and three in a row: each is told of once */
	te_test_start(&t);
	nops(0x1000, 1);
	te_test_trap(&t, 0x1004, NOP, HWF_TE_EXCEPTION, 1);
	te_test_trap(&t, 0x2000, NOP, HWF_TE_EXCEPTION, 2);
	te_test_trap(&t, 0x2000, NOP, HWF_TE_EXCEPTION, 3);
	nops(0x2000, 2);
	te_test_end(&t, "on !1000 !2000?-1 !2000?-2 !2000?3 @2004 off:1");
	ratified();
	te_test_start(&t);
	te_test_insn(&t, 0x1000, JR);
	te_test_trap(&t, 0x4000, NOP, HWF_TE_EXCEPTION, 1);
	te_test_trap(&t, 0x2000, NOP, HWF_TE_EXCEPTION, 2);
	te_test_trap(&t, 0x2000, ECALL, HWF_TE_EXCEPTION, 8);
	nops(0x2000, 1);
	te_test_end(&t, "on !1000 !4000?-1 !2000?2 !2000?8 off:3");
}

/* Of illegal instructions 1.0 has the address in place of the trap value, and no thaddr. */
static void trap_of_1_0(void **state)
{
	(void)state;
	te_test_init(&t, HWF_RISCV_V1);
	te_test_start(&t);
	te_test_insn(&t, 0x1000, JR);
	te_test_trap(&t, 0x4000, NOP, HWF_TE_EXCEPTION, 2);
	nops(0x2000, 2);
	te_test_trap(&t, 0x2008, NOP, HWF_TE_INTERRUPT, 2);
	nops(0x2000, 1);
	te_test_end(&t, "on !1000 !2000?2,4000 @2004 !2000?i2 off:3");
}

static void updiscon_says_that_format_3_follows(void **state)
{
	(void)state;
	ratified(); /* a trap without retirement */
	te_test_start(&t);
	te_test_insn(&t, 0x1000, JR);
	te_test_insn(&t, 0x2000, NOP);
	te_test_trap(&t, 0x2004, NOP, HWF_TE_EXCEPTION, 5);
	nops(0x3000, 1);
	te_test_end(&t, "on !1000 @2000u !3000?5 off:3");
	ratified(); /* a trap of the instruction itself, and not of the next one, which is reported
		     */
	te_test_start(&t);
	te_test_insn(&t, 0x1000, JR);
	te_test_trap(&t, 0x2000, ECALL, HWF_TE_EXCEPTION, 8);
	te_test_insn(&t, 0x3000, JR);
	te_test_insn(&t, 0x4000, NOP);
	te_test_trap(&t, 0x4004, ECALL, HWF_TE_EXCEPTION, 8);
	nops(0x3000, 1);
	te_test_end(&t, "on !1000 @2000u !3000?8 @4000 @4004 !3000?8 off:3");
	ratified(); /* privilege, and resynchronisation */
	t.params.max_resync = 1;
	te_test_start(&t);
	te_test_insn(&t, 0x1000, JR);
	te_test_insn(&t, 0x2000, JR);
	te_test_insn(&t, 0x3000, JR);
	te_test_insn(&t, 0x4000, JR);
	te_test_insn(&t, 0x5000, NOP);
	insn_of(0x5004, 0, 0, 0);
	te_test_end(&t, "on !1000 @2000 @3000u !4000 @5000u !5004p0 off:3");
}

static void implied_returns_are_not_reported(void **state)
{
	(void)state;
	ratified();
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
		ratified();
		t.params.implicit_return = true;
		t.params.call_counter_size_p = 3;
		te_test_start(&t);
		te_test_insn(&t, 0x1000, CALL);
		te_test_insn(&t, 0x1008, CALL);
		te_test_insn(&t, 0x1010, RET);
		te_test_insn(&t, 0x100c, NOP);
		te_test_insn(&t, 0x1010, branch ? BEQ : NOP);
		te_test_trap(&t, 0x1014, NOP, HWF_TE_INTERRUPT, 7);
		nops(0x2000, 1);
		te_test_end(&t, branch ? "on !1000 f1:1@1010 !2000?i7 off:3"
				       : "on !1000 @1010r1 !2000?i7 off:3");
	}
	ratified(); /* right behind a return: where the depth is not 0 */
	t.params.implicit_return = true;
	t.params.call_counter_size_p = 3;
	te_test_start(&t);
	te_test_insn(&t, 0x1000, CALL);
	te_test_insn(&t, 0x1008, RET);
	te_test_insn(&t, 0x1004, NOP);
	te_test_trap(&t, 0x1008, NOP, HWF_TE_INTERRUPT, 7);
	nops(0x2000, 1);
	te_test_end(&t, "on !1000 @1004 !2000?i7 off:3");
}

static void predicted_branches_are_counted(void **state)
{
	(void)state;
	ratified();
	t.params.branch_prediction = true;
	t.params.bpred_size_p = 1;
	te_test_start(&t);
	nops(0x1000, 1);
	branches(0x1004, 33); /* not taken, as predicted */
	te_test_insn(&t, 0x1088, BEQ);
	nops(0x1090, 1); /* it was taken */
	branches(0x1094, 31);
	te_test_insn(&t, 0x1110, JR);
	te_test_insn(&t, 0x2000, BEQ); /* predicted right, as the target */
	branches(0x2004, 31);
	te_test_insn(&t, 0x2080, JR);
	te_test_insn(&t, 0x3000, BEQ); /* and wrong */
	te_test_insn(&t, 0x3008, NOP);
	te_test_end(&t, "on !1000 n2/0 n1/2@2000 n0/3@3000 @3008 off:1");
}

/* One of the first 31 was not predicted: the map it is. */
static void map_goes_out_where_a_branch_was_missed(void **state)
{
	(void)state;
	ratified();
	t.params.branch_prediction = true;
	t.params.bpred_size_p = 1;
	te_test_start(&t);
	te_test_insn(&t, 0x1000, NOP);
	te_test_insn(&t, 0x1004, BEQ); /* taken */
	branches(0x100c, 30);
	nops(0x1084, 1);
	te_test_end(&t, "on !1000 f1:0111111111111111111111111111111 @1084 off:1");
}

static void known_targets_are_in_the_cache(void **state)
{
	(void)state;
	ratified();
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
		ratified();
		t.params.sijump_p = (uint8_t)known;
		t.port.sequential = true;
		te_test_start(&t);
		te_test_insn(&t, 0x1000, NOP);
		te_test_insn(&t, 0x1004, 0x00000317); /* auipc x6, 0 */
		te_test_insn(&t, 0x1008, 0x00c30067); /* jalr x0, 12(x6) */
		nops(0x1010, 2);
		te_test_end(&t, known ? "on !1000 @1014 off:1" : "on !1000 @1010 @1014 off:1");
	}
	/* not where what loads the register is not traced */
	ratified();
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
	nops(0x1010, 2);
	te_test_end(&t, "on !1008 @1010 @1014 off:1");
}

static void implied_handlers_have_no_address(void **state)
{
	(void)state;
	ratified();
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
	ratified();
	t.params.time_width_p = 16;
	te_test_start(&t);
	te_test_event(&t, &(struct hwf_te_event){.address = 0x1000,
						 .opcode = NOP,
						 .priv = 3,
						 .time = 0x12345678,
						 .retired = true});
	te_test_end(&t, "on !1000t5678 off:3");
}

/* ---- room ---- */

/* What cannot be sent waits for a while, then is lost; that is said, and a start follows. */
static void loss_is_told(void **state)
{
	(void)state;
	ratified();
	te_test_start(&t);
	te_test_insn(&t, 0x1000, JR);
	te_test_insn(&t, 0x2000, JR);
	t.full = true;
	for (unsigned int i = 0; i < 40; i++)
		te_test_insn(&t, 0x3000 + 0x1000 * (i % 2), JR);
	t.full = false;
	assert_false(hwf_te_stall(t.te));
	nops(0x8000, 3);
	te_test_end(&t,
		    "on !1000 @2000 @3000 @4000 @3000 @4000 @3000 @4000 @3000 @4000 @3000 @4000 "
		    "@3000 @4000 @3000 @4000 on:2 !4000 @3000 @4000 @8000 @8008 off:1");
}

/* Though nothing was traced since */
static void loss_is_told_at_the_end(void **state)
{
	(void)state;
	ratified();
	te_test_start(&t);
	t.full = true;
	for (unsigned int i = 0; i < 40; i++)
		te_test_insn(&t, 0x3000 + 0x1000 * (i % 2), JR);
	te_test_cycle(&t, &(struct hwf_te_cycle){.halted = true});
	te_test_cycle(&t, &(struct hwf_te_cycle){.halted = true});
	t.full = false;
	t.text[0] = '\0';
	assert_false(hwf_te_stall(t.te));
	t.text[0] = '\0';
	te_test_end(&t, "on:2 off");
}

/* The draft has no way to say so: the core has to wait. */
static void stall_loses_nothing(void **state)
{
	const struct hwf_te_cycle cycle = {
		.blocks = 1,
		.priv = 3,
		.block = {{.iaddr = 0x4000, .iretire = 2, .itype = 8, .ilastsize = 1}}};

	(void)state;
	draft();
	te_test_start(&t);
	te_test_insn(&t, 0x1000, JR);
	te_test_insn(&t, 0x2000, NOP);
	assert_false(hwf_te_stall(t.te));
	t.full = true;
	assert_int_equal(hwf_te_core_finish(&t.core), 0);
	assert_true(hwf_te_stall(t.te));
	assert_int_equal(hwf_te_cycle(t.te, &cycle), HWF_ERR_NO_SPACE);
	t.full = false;
	assert_false(hwf_te_stall(t.te));
	assert_int_equal(hwf_te_cycle(t.te, &cycle), 0);
	te_test_end(&t, "on 1000 @2000 @4000 off:1");
}

static void options_contradict_each_other(void **state)
{
	static const struct hwf_te_sink sink;
	static uint64_t memory[4096];
	struct hwf_te_options bad[8];
	struct hwf_te *te;

	(void)state;
	ratified();
	assert_int_equal(hwf_riscv_config_init(&t.options.config, HWF_RISCV_V2, &t.params), 0);
	for (unsigned int i = 0; i < NR(bad); i++)
		bad[i] = t.options;
	bad[0].config.params.implicit_return = true; /* no stack, no counter */
	bad[1].config.params.implicit_return = true;
	bad[1].config.params.return_stack_size_p = 2;
	bad[1].config.params.itype_width_p = 3;
	bad[2].config.params.branch_prediction = true;
	bad[3].config.params.jump_target_cache = true;
	bad[4].post_iss = true;
	bad[4].config.params.sijump_p = 1;
	bad[5].post_iss = true;
	bad[5].single = false;
	draft();
	assert_int_equal(hwf_riscv_config_init(&t.options.config, HWF_RISCV_DRAFT_026, &t.params),
			 0);
	bad[6] = t.options;
	bad[6].stall = false;
	bad[7] = t.options;
	bad[7].single = true;
	for (unsigned int i = 0; i < NR(bad); i++) {
		assert_true(hwf_te_size(&bad[i]) <= sizeof(memory));
		assert_int_equal(hwf_te_init(memory, &bad[i], &sink, &te), HWF_ERR_BAD_CONFIG);
	}
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
		cmocka_unit_test(context_of_the_draft),
		cmocka_unit_test(imprecise_context_waits),
		cmocka_unit_test(context_of_ratified),
		cmocka_unit_test(halt_and_reset_end_it),
		cmocka_unit_test(triggers_switch_it),
		cmocka_unit_test(trigger_reports_one),
		cmocka_unit_test(block_is_as_its_instructions),
		cmocka_unit_test(draft_counts_branches_of_a_block),
		cmocka_unit_test(cycles_that_no_core_drives),
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
		cmocka_unit_test(loss_is_told),
		cmocka_unit_test(loss_is_told_at_the_end),
		cmocka_unit_test(stall_loses_nothing),
		cmocka_unit_test(options_contradict_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
