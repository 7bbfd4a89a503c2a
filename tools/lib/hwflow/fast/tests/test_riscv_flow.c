/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What packets say of small programs: baseline of both dialects, traps, gaps, resynchronisation */
#include "riscv_flow_test.h"

/* 1000 nop; 1002 beqz 1008; 1004 nop; 1006 j 1000; 1008 nop; 100a jr a5; 100c nop */
static const uint16_t simple[] = {C_NOP, C_BEQZ(6), C_NOP, C_J(-6), C_NOP, C_JR(A5), C_NOP};

/* A bit that is clear is a branch taken; the oldest is bit 0. */
static void branch_map_polarity(void **state)
{
	struct run run;

	(void)state;
	START(&run, HWF_RISCV_V2, simple, 0x1000);
	f1(&run, 1, 2, 0xa);
	run_ended(&run, "on mode3 1000 1002- 1004 1006+ 1000 1002+ 1008 100a+ end");
}

/* The branch bit of format 3 is that of a branch at its address. */
static void branch_bit_of_a_start(void **state)
{
	struct run run;

	(void)state;
	START(&run, HWF_RISCV_DRAFT_026, simple, 0x1002);
	f1(&run, 0, 1, 0x1008 - 0x1002);
	run_ended(&run, "on mode3 1002- 1004 1006+ 1000 1002+ 1008 end");
}

/* A full map takes execution to the branch that its last bit is of, and not through it. */
static void full_map(void **state)
{
	struct run run;
	char want[4096] = "on mode3 ";

	(void)state;
	START(&run, HWF_RISCV_V2, simple, 0x1000);
	f1_full(&run, 0x3fffffff);
	support(&run, HWF_RISCV_ENDED_REP);
	repeat(want, sizeof(want), 30, "1000 1002- 1004 1006+ ");
	repeat(want, sizeof(want), 1, "1000 1002+ end");
	run_end(&run, want);
}

/* The bit of a branch that a packet ends at is used with the next one. */
static void outcome_is_carried(void **state)
{
	struct run run;

	(void)state;
	START(&run, HWF_RISCV_V2, simple, 0x1002);
	run.at = 0;
	f1_full(&run, 0x3fffffff);
	run.at = 0;
	f2(&run, 0xa, NO_BITS);
	run_end(&run, "1000 1002+ 1008 100a+ 100c end");
}

/*
 * The example of 2.0, "Format 2 notify and updiscon": 1000 nop; 1002 label: nop; 1004 nop; 1006 jr.
 * Execution falls in at the label, and comes there again by the jump.
 */
static const uint16_t loop[] = {C_NOP, C_NOP, C_NOP, C_JR(A5), C_NOP};

static void second_arrival(void **state)
{
	struct run run;

	(void)state;
	/* case 1: another address comes next, so the jump was taken */
	START(&run, HWF_RISCV_V2, loop, 0x1000);
	f2(&run, 2, NO_BITS);
	f2(&run, 4, NO_BITS);
	run_ended(&run, "on mode3 1000 1002 1004 1006+ 1002 1004 1006+ end");
	/* case 2: updiscon says so itself */
	START(&run, HWF_RISCV_V2, loop, 0x1000);
	f2(&run, 2, UPDISCON);
	trap(&run, 7, true, true, 0x1000);
	run_end(&run, "on mode3 1000 1002 1004 1006+ 1002 irq7@1004 1000 end");
}

static void first_arrival(void **state)
{
	struct run run;

	(void)state;
	/* case 3: format 3 comes next */
	START(&run, HWF_RISCV_V2, loop, 0x1000);
	f2(&run, 2, NO_BITS);
	trap(&run, 7, true, true, 0x1000);
	run_end(&run, "on mode3 1000 1002 irq7@1004 1000 end");
	/* case 4: a notification, and the jump later */
	START(&run, HWF_RISCV_V2, loop, 0x1000);
	f2(&run, 2, NOTIFY);
	f2(&run, 0, NO_BITS);
	run_ended(&run, "on mode3 1000 1002 1004 1006+ 1002 end");
}

/* What qual_status says; and the draft, where only what comes next tells */
static void arrival_at_the_end(void **state)
{
	static const enum hwf_riscv_dialect dialects[] = {HWF_RISCV_DRAFT_026, HWF_RISCV_V2};
	struct run run;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		START(&run, dialects[i], loop, 0x1000);
		f2(&run, 2, NO_BITS);
		run_ended(&run, "on mode3 1000 1002 end");
		START(&run, dialects[i], loop, 0x1000);
		f2(&run, 2, NO_BITS);
		support(&run, HWF_RISCV_ENDED_NTR);
		run_end(&run, "on mode3 1000 1002 1004 1006+ 1002 end");
		START(&run, dialects[i], loop, 0x1000);
		f2(&run, 2, NO_BITS);
		f2(&run, 6, NO_BITS);
		trap(&run, 7, true, true, 0x1000);
		run_end(&run,
			"on mode3 1000 1002 1004 1006+ 1002 1004 1006+ 1008 irq7@100a 1000 end");
	}
}

/* 1000 nop; 1002 ecall; 1006 nop; 1008 nop; 100a mret; 100e nop; 1010 ebreak; 1014 j 1000 */
static const uint16_t trapping[] = {C_NOP, ECALL, C_NOP, C_NOP, MRET, C_NOP, EBREAK, C_J(-20)};

static void trap_with_retirement(void **state)
{
	struct run run;

	(void)state;
	BEGIN(&run, HWF_RISCV_V2, trapping);
	start(&run, 0x1000, 0, true);
	f2(&run, 2, NO_BITS);
	trap(&run, 8, false, true, 0x1008);
	run_end(&run, "on mode0 1000 1002 exc8@1002 mode3 1008 end");
}

/* The same place, but it is the next instruction that trapped */
static void trap_without_retirement(void **state)
{
	struct run run;

	(void)state;
	START(&run, HWF_RISCV_DRAFT_026, trapping, 0x1006);
	trap(&run, 2, false, true, 0x100e);
	f2(&run, 2, NO_BITS);
	trap(&run, 3, false, true, 0x1006);
	run_end(&run, "on mode3 1006 exc2@1008 100e 1010 exc3@1010 1006 end");
	/* behind a jump of its own, and an interrupt with ecall not yet executed */
	START(&run, HWF_RISCV_V2, trapping, 0x1014);
	trap(&run, 11, true, true, 0x1008);
	run_end(&run, "on mode3 1014+ irq11@1000 1008 end");
}

/* Without thaddr: the exception is at the target of a jump; its handler comes with F3.0. */
static void trap_at_a_jump_target(void **state)
{
	struct run run;

	(void)state;
	START(&run, HWF_RISCV_V2, loop, 0x1004);
	f2(&run, 2, NO_BITS);
	trap(&run, 2, false, false, 0x2222);
	start(&run, 0x1000, 3, true);
	f2(&run, 4, NO_BITS);
	run_ended(&run, "on mode3 1004 1006+ exc2@2222 1000 1002 1004 end");
}

/* Another privilege is reached by a return from a trap, not by falling in. */
static void privilege_of_a_start(void **state)
{
	struct run run;

	(void)state;
	START(&run, HWF_RISCV_V2, trapping, 0x1006);
	start(&run, 0x1008, 0, true);
	run_end(&run, "on mode3 1006 1008 100a+ mode0 1008 end");
	START(&run, HWF_RISCV_V2, trapping, 0x1006);
	start(&run, 0x1008, 3, true);
	run_end(&run, "on mode3 1006 1008 end");
}

/* Resynchronisation while tracing loses nothing and repeats nothing. */
static void resynchronised(void **state)
{
	struct run run;

	(void)state;
	BEGIN(&run, HWF_RISCV_DRAFT_026, simple);
	start(&run, 0x1000, 3, false);
	f1(&run, 1, 1, 4);
	start(&run, 0x1006, 3, false);
	start(&run, 0x1002, 3, false);
	f2(&run, 6, NO_BITS);
	run_ended(&run, "on mode3 1000 1002- 1004 1006+ 1000 1002+ 1008 end");
}

/* The mode holds from the address of its packet on. */
static void context_changes(void **state)
{
	struct run run;

	(void)state;
	BEGIN(&run, HWF_RISCV_V2, loop);
	run.params.nocontext_p = 0;
	run.params.context_width_p = 8;
	start(&run, 0x1000, 3, true);
	PUSH(&run, HWF_RISCV_F3_START,
	     {.sync = {.address = 0x1004 >> 1, .privilege = 3, .context = 5, .has_address = true}});
	PUSH(&run, HWF_RISCV_F3_CONTEXT, {.sync = {.privilege = 3, .context = 5}});
	PUSH(&run, HWF_RISCV_F3_CONTEXT, {.sync = {.privilege = 1, .context = 6}});
	f2(&run, 2, NO_BITS);
	run_end(&run, "on mode3 1000 1002 mode3 1004 mode1 1006+ end");
}

/* What was given before a change of context is not given again, however far the walk goes. */
static void context_before_straight_code(void **state)
{
	struct run run;

	(void)state;
	START(&run, HWF_RISCV_V2, loop, 0x1000);
	PUSH(&run, HWF_RISCV_F3_CONTEXT, {.sync = {.privilege = 1}});
	f2(&run, 0, NO_BITS);
	run_end(&run, "on mode3 1000 mode1 1002 1004 1006+ 1000 end");
}

/* Code that is not there is a gap; the next address of the trace goes on behind it. */
static void gap_and_on(void **state)
{
	struct run run;

	(void)state;
	BEGIN(&run, HWF_RISCV_DRAFT_026, loop);
	start(&run, 0x1004, 3, false);
	f2(&run, 0x2000, NO_BITS);
	f2(&run, 0x100, NO_BITS);
	f2(&run, -0x2104, NO_BITS);
	f2(&run, 4, NO_BITS);
	run_ended(&run, "on mode3 1004 1006+ gap0@3004 gap0@3104 1000 1002 1004 end");
	/* with an outcome for a branch at the address, and without one */
	BEGIN(&run, HWF_RISCV_DRAFT_026, simple);
	start(&run, 0x100c, 3, false);
	f2(&run, 0x2000, NO_BITS);
	f1(&run, 2, 2, 0x1002 - 0x300c);
	f2(&run, 2, NO_BITS);
	run_ended(&run, "on mode3 100c gap0@100e 1002- 1004 end");
	/* that there is no outcome for a branch contradicts it */
	BEGIN(&run, HWF_RISCV_DRAFT_026, simple);
	start(&run, 0x100c, 3, false);
	f2(&run, 0x2000, NO_BITS);
	f2(&run, 0x1002 - 0x300c, NO_BITS);
	run_end(&run, "on mode3 100c gap0@100e 1002 gap1@1002 end");
}

/* No instruction is at an odd address. */
static void odd_addresses(void **state)
{
	struct run run;

	(void)state;
	BEGIN(&run, HWF_RISCV_V2, loop);
	run.params.iaddress_lsb_p = 0;
	start(&run, 0x1006, 3, true);
	f2(&run, -1, NO_BITS);
	start(&run, UINT64_MAX, 3, true);
	run_end(&run, "on mode3 1006+ gap1@1005 gap1@ffffffffffffffff end");
}

/* What contradicts the program is a gap, and no guess is made of what comes behind it. */
static void contradictions(void **state)
{
	struct run run;

	(void)state;
	/* a branch that no outcome is there for */
	START(&run, HWF_RISCV_V2, simple, 0x1000);
	f2(&run, 8, NO_BITS);
	start(&run, 0x1008, 3, true);
	run_end(&run, "on mode3 1000 1002 gap1@1002 1008 end");
	/* outcomes that no branch is there for, at the target of a jump */
	START(&run, HWF_RISCV_V2, loop, 0x1000);
	f1(&run, 0, 2, 4);
	run_end(&run, "on mode3 1000 1002 1004 1006+ 1004 gap1@1004 end");
	/* a jump on the way to the last branch of a full map */
	START(&run, HWF_RISCV_V2, loop, 0x1000);
	f1_full(&run, 0);
	run_end(&run, "on mode3 1000 1002 1004 1006+ gap1@1006 end");
	/* nothing before the first synchronisation */
	BEGIN(&run, HWF_RISCV_V2, loop);
	f2(&run, 4, NO_BITS);
	f1_full(&run, 0);
	start(&run, 0x1000, 3, true);
	run_end(&run, "gap5 on mode3 1000 end");
}

/* 1000 j 1000: rounds that nobody counts */
struct rounds {
	unsigned int ranges;
	unsigned int gaps;
};

static void count(void *ctx, const struct hwf_flow_event *event)
{
	struct rounds *rounds = ctx;

	rounds->ranges += event->kind == HWF_FLOW_RANGE;
	rounds->gaps += event->kind == HWF_FLOW_GAP && event->u.gap.reason == HWF_GAP_RUN_TOO_LONG;
}

static void endless_loop(void **state)
{
	static const uint16_t code[] = {C_J(0), C_NOP};
	struct rounds rounds = {0};
	struct run run;

	(void)state;
	BEGIN(&run, HWF_RISCV_V2, code);
	run_flow(&run);
	run.flow->sink = count;
	run.flow->sink_ctx = &rounds;
	start(&run, 0x1000, 3, true);
	f2(&run, 2, NO_BITS);
	assert_int_equal(rounds.gaps, 1);
	assert_int_equal(rounds.ranges, HWF_RUN_MAX + 1);
	run_free(&run);
}

static void bad_packets(void **state)
{
	struct run run;

	(void)state;
	START(&run, HWF_RISCV_V2, loop, 0x1000);
	PUSH(&run, .type = HWF_RISCV_IDLE);
	PUSH(&run, .type = HWF_RISCV_DATA);
	PUSH(&run, .type = HWF_RISCV_BAD);
	f2(&run, 4, NO_BITS);
	start(&run, 0x1002, 3, true);
	support(&run, HWF_RISCV_TRACE_LOST);
	f2(&run, 4, NO_BITS);
	start(&run, 0x1004, 3, true);
	support(&run, HWF_RISCV_ENDED_REP);
	start(&run, 0x1000, 3, true);
	run_end(&run, "on mode3 1000 nosync1 on 1002 nosync3 gap5 lost-on 1004 on 1000 end");
}

/* Full addresses are no differences, and a trace may be joined at any of them. */
static void full_addresses(void **state)
{
	struct run run;

	(void)state;
	BEGIN(&run, HWF_RISCV_V2, loop);
	run.params.full_address = true;
	f2(&run, 0x1004, NO_BITS);
	f2(&run, 0x1002, NO_BITS);
	f2(&run, 0x1000, NO_BITS);
	run_ended(&run, "gap5 1004 1006+ 1002 1004 1006+ 1000 end");
	/* F0 of the draft is full, F1 never */
	BEGIN(&run, HWF_RISCV_DRAFT_026, simple);
	start(&run, 0x1002, 3, false);
	f1(&run, 1, 1, 0x1004 - 0x1002);
	run_end(&run, "on mode3 1002+ 1008 100a+ 1004 gap1@1004 end");
	START(&run, HWF_RISCV_DRAFT_026, simple, 0x1002);
	PUSH(&run, HWF_RISCV_F0_MAP,
	     {.map = {.branches = 1, .address = {.value = 0x1008 >> 1, .has = true}}});
	run_ended(&run, "on mode3 1002- 1004 1006+ 1000 1002+ 1008 end");
}

/* RV32, at @base */
static void begin_rv32(struct run *run, const uint16_t *code, size_t halves, uint64_t base)
{
	run_begin(run, HWF_RISCV_V2, code, halves);
	run->isa = 0;
	run->params.iaddress_width_p = 32;
	run->base = base;
	start(run, base, 3, true);
}

/* Addresses have XLEN bits on RV32, and are sign-extended on RV64 */
static void narrow_addresses(void **state)
{
	/* jal ra only on RV32: fffffffc c.jal 0; */
	static const uint16_t code[] = {C_JAL(4), C_NOP, C_JR(A5)};
	struct run run;

	(void)state;
	begin_rv32(&run, code, sizeof(code) / 2, 0xfffffff0);
	f2(&run, 2, NO_BITS);
	run_ended(&run, "on mode3 fffffff0+ fffffff4+ fffffff2 end");
	/* behind the last address comes 0 */
	begin_rv32(&run, code, sizeof(code) / 2, 0xfffffffe);
	f2(&run, 0, NO_BITS);
	run_end(&run, "on mode3 fffffffe+ gap0@2 end");
	begin_rv32(&run, code + 1, 1, 0xfffffffe);
	f2(&run, 4, NO_BITS);
	run_end(&run, "on mode3 fffffffe gap0@0 end");
	/* RV32 has 32 bits however many are told */
	run_begin(&run, HWF_RISCV_V2, code + 2, 1);
	run.isa = 0;
	run.base = 0;
	start(&run, 0, 3, true);
	f2(&run, 1LL << 32, NO_BITS);
	run_end(&run, "on mode3 0+ 0+ end");
	/* the same code is no jump on RV64; 39 bits of it are told */
	BEGIN(&run, HWF_RISCV_V2, code);
	run.params.iaddress_width_p = 39;
	run.base = 0xfffffff000000000;
	start(&run, 0xfffffff000000000, 1, true);
	f2(&run, 0, NO_BITS);
	f2(&run, 2, NO_BITS);
	run_ended(&run, "on mode1 fffffff000000000 fffffff000000002 fffffff000000004+ "
			"fffffff000000000 fffffff000000002 end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branch_map_polarity),
		cmocka_unit_test(branch_bit_of_a_start),
		cmocka_unit_test(full_map),
		cmocka_unit_test(outcome_is_carried),
		cmocka_unit_test(second_arrival),
		cmocka_unit_test(first_arrival),
		cmocka_unit_test(arrival_at_the_end),
		cmocka_unit_test(trap_with_retirement),
		cmocka_unit_test(trap_without_retirement),
		cmocka_unit_test(trap_at_a_jump_target),
		cmocka_unit_test(privilege_of_a_start),
		cmocka_unit_test(resynchronised),
		cmocka_unit_test(context_changes),
		cmocka_unit_test(context_before_straight_code),
		cmocka_unit_test(gap_and_on),
		cmocka_unit_test(odd_addresses),
		cmocka_unit_test(contradictions),
		cmocka_unit_test(endless_loop),
		cmocka_unit_test(bad_packets),
		cmocka_unit_test(full_addresses),
		cmocka_unit_test(narrow_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
