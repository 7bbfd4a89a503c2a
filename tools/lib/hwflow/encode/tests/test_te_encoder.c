/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * What both algorithms of the RISC-V trace encoder have to do with contexts, sidebands, triggers
 * and blocks, and where there is no room. What is sent is as te_test.h has it.
 */
#include "te_test.h"

static struct te_test t;

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
		te_test_begin(&t, HWF_RISCV_DRAFT_026);
		te_test_insn_of(&t, 0x1000, 3, 1, 2);
		te_test_insn_of(&t, 0x1004, 3, 1, 2);
		te_test_insn_of(&t, 0x1008, 3, 2, type);
		te_test_insn_of(&t, 0x100c, 3, type == 3 ? 1 : 2, 2);
		te_test_end(&t, want[type]);
	}
	te_test_init(&t, HWF_RISCV_DRAFT_026);
	t.params.nocontext_p = 1;
	te_test_start(&t);
	te_test_insn_of(&t, 0x1000, 3, 1, 0);
	te_test_insn_of(&t, 0x1004, 3, 2, 0);
	te_test_insn_of(&t, 0x1008, 3, 3, 3);
	te_test_end(&t, "on 1000 @1008 off:1");
}

/* It waits for an instruction that sends nothing else, or goes with what carries it anyway. */
static void imprecise_context_waits(void **state)
{
	(void)state;
	te_test_begin(&t, HWF_RISCV_DRAFT_026);
	te_test_insn(&t, 0x1000, JR);
	te_test_insn_of(&t, 0x2000, 3, 5, 2); /* reported as a target */
	te_test_insn_of(&t, 0x2004, 3, 5, 2);
	te_test_insn_of(&t, 0x2008, 0, 6, 2); /* start, which has it */
	te_test_insn_of(&t, 0x200c, 0, 6, 2);
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
		te_test_begin(&t, HWF_RISCV_V2);
		te_test_insn_of(&t, 0x1000, 3, 1, 0);
		te_test_insn_of(&t, 0x1004, 3, 1, 0);
		te_test_insn_of(&t, 0x1008, 3, 2, type);
		te_test_insn_of(&t, 0x100c, 3, 2, 0);
		te_test_end(&t, want[type]);
	}
}

/* ---- sidebands and triggers ---- */

static void halt_and_reset_end_it(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		te_test_begin(&t, HWF_RISCV_DRAFT_026);
		te_test_nops(&t, 0x1000, 3);
		te_test_cycle(&t, &(struct hwf_te_cycle){.halted = i == 0, .reset = i == 1});
		te_test_cycle(&t, &(struct hwf_te_cycle){.halted = i == 0, .reset = i == 1});
		te_test_nops(&t, 0x2000, 2);
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
		te_test_nops(&t, 0x1000, 2);
		trigger(0x1008, HWF_TE_TRACE_ON);
		te_test_nops(&t, 0x100c, 2);
		trigger(0x1014, HWF_TE_TRACE_OFF);
		te_test_nops(&t, 0x1018, 2);
		trigger(0x1020, HWF_TE_TRACE_ON | HWF_TE_TRACE_OFF);
		te_test_nops(&t, 0x1024, 1);
		te_test_end(&t, dialect == HWF_RISCV_DRAFT_026
					? "on 1008 @1014 on:1 1020 on:3 off"
					: "on !1008 @1014 on:1 !1020 on:3 off");
	}
}

static void trigger_reports_one(void **state)
{
	(void)state;
	te_test_init(&t, HWF_RISCV_DRAFT_026); /* a synchronisation point, for which the map has to
						  be empty */
	te_test_start(&t);
	te_test_insn(&t, 0x1000, NOP);
	te_test_insn(&t, 0x1004, BEQ);
	trigger(0x1008, HWF_TE_TRACE_SINGLE);
	te_test_nops(&t, 0x100c, 1);
	te_test_end(&t, "on 1000 f1:1@1004 1008 @100c off:1");
	te_test_init(&t, HWF_RISCV_DRAFT_026);
	t.options.single_watchpoint = true;
	te_test_start(&t);
	te_test_insn(&t, 0x1000, NOP);
	te_test_insn(&t, 0x1004, BEQ);
	trigger(0x1008, HWF_TE_TRACE_SINGLE);
	te_test_nops(&t, 0x100c, 2);
	te_test_end(&t, "on 1000 f1:1@1008 @1010 off:1");
	te_test_begin(&t, HWF_RISCV_V2);
	te_test_nops(&t, 0x1000, 1);
	trigger(0x1004, HWF_TE_TRACE_SINGLE);
	te_test_insn(&t, 0x1008, JR);
	trigger(0x2000, HWF_TE_TRACE_SINGLE); /* a target is reported anyway */
	te_test_nops(&t, 0x2004, 1);
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
	te_test_init(&t, HWF_RISCV_V2);
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
	te_test_begin(&t, HWF_RISCV_DRAFT_026);
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
	te_test_init(&t, HWF_RISCV_V2);
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

/* ---- room ---- */

/* What cannot be sent waits for a while, then is lost; that is said, and a start follows. */
static void loss_is_told(void **state)
{
	(void)state;
	te_test_begin(&t, HWF_RISCV_V2);
	te_test_insn(&t, 0x1000, JR);
	te_test_insn(&t, 0x2000, JR);
	t.full = true;
	for (unsigned int i = 0; i < 40; i++)
		te_test_insn(&t, 0x3000 + 0x1000 * (i % 2), JR);
	t.full = false;
	assert_false(hwf_te_stall(t.te));
	te_test_nops(&t, 0x8000, 3);
	te_test_end(&t,
		    "on !1000 @2000 @3000 @4000 @3000 @4000 @3000 @4000 @3000 @4000 @3000 @4000 "
		    "@3000 @4000 @3000 @4000 on:2 !4000 @3000 @4000 @8000 @8008 off:1");
}

/* Though nothing was traced since */
static void loss_is_told_at_the_end(void **state)
{
	(void)state;
	te_test_begin(&t, HWF_RISCV_V2);
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
	te_test_begin(&t, HWF_RISCV_DRAFT_026);
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
	te_test_init(&t, HWF_RISCV_V2);
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
	te_test_init(&t, HWF_RISCV_DRAFT_026);
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
		cmocka_unit_test(context_of_the_draft),
		cmocka_unit_test(imprecise_context_waits),
		cmocka_unit_test(context_of_ratified),
		cmocka_unit_test(halt_and_reset_end_it),
		cmocka_unit_test(triggers_switch_it),
		cmocka_unit_test(trigger_reports_one),
		cmocka_unit_test(block_is_as_its_instructions),
		cmocka_unit_test(draft_counts_branches_of_a_block),
		cmocka_unit_test(cycles_that_no_core_drives),
		cmocka_unit_test(loss_is_told),
		cmocka_unit_test(loss_is_told_at_the_end),
		cmocka_unit_test(stall_loses_nothing),
		cmocka_unit_test(options_contradict_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
