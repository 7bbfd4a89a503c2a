/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The core's side of the port: what was executed, as the signals of Table 3.1 of Processor Trace
 * 0.026 and of ratified E-Trace.
 */
#include "te_test.h"

#define C_NOP  0x0001
#define C_JALR 0x9302     /* c.jalr x6 */
#define AUIPC  0x00000317 /* auipc x6, 0 */
#define JR_X6  0x00830067 /* jalr x0, 8(x6) */
#define EBREAK 0x00100073

static struct hwf_te_cycle cycles[16];
static unsigned int count;

static int take_cycle(void *ctx, const struct hwf_te_cycle *cycle)
{
	(void)ctx;
	assert_true(count < NR(cycles));
	cycles[count++] = *cycle;
	return 0;
}

static const struct hwf_te_port_params draft = {
	.dialect = HWF_RISCV_DRAFT_026,
	.isa = HWF_RV_64,
	.itype_width_p = 4,
	.iretire_width_p = 8,
	.ntkn_width_p = 5,
	.taken_branches_p = 8,
};

static const struct hwf_te_port_params ratified = {
	.dialect = HWF_RISCV_V2,
	.isa = HWF_RV_64,
	.itype_width_p = 4,
	.iretire_width_p = 8,
	.taken_branches_p = 8,
};

static void execute(const struct hwf_te_port_params *params, const struct hwf_te_event *events,
		    size_t events_count)
{
	const struct hwf_te_port port = {.cycle = take_cycle};
	struct hwf_te_core core;

	count = 0;
	assert_int_equal(hwf_te_core_init(&core, params, &port), 0);
	for (size_t i = 0; i < events_count; i++)
		assert_int_equal(hwf_te_core_event(&core, &events[i]), 0);
	assert_int_equal(hwf_te_core_finish(&core), 0);
}

static struct hwf_te_event insn(uint64_t address, uint32_t opcode)
{
	return (struct hwf_te_event){
		.address = address, .opcode = opcode, .priv = 3, .retired = true};
}

static void assert_block(unsigned int cycle, unsigned int block, uint64_t iaddr,
			 unsigned int iretire, unsigned int ntkn, unsigned int itype,
			 unsigned int ilastsize)
{
	const struct hwf_te_block *b = &cycles[cycle].block[block];

	assert_true(block < cycles[cycle].blocks);
	assert_int_equal(b->iaddr, iaddr);
	assert_int_equal(b->iretire, iretire);
	assert_int_equal(b->ntkn, ntkn);
	assert_int_equal(b->itype, itype);
	assert_int_equal(b->ilastsize, ilastsize);
}

/*
 * Nine instructions in one cycle. The table itself has itype 4 in the first block, which Table 3.1
 * reserves: c.jalr to a register that nothing loads before it is an unpredictable call, 8. And it
 * has the two branches at 1004 and 1008, which are not in a block that begins at 0940 and has four
 * half-words: they are at 0944 and 0946.
 */
static void table_3_4(void **state)
{
	const struct hwf_te_event events[] = {
		insn(0x1000, 0x02c5d53b),                    /* divuw */
		insn(0x1004, 0x00b50533),                    /* add */
		insn(0x1008, 0x00b56533),                    /* or */
		insn(0x100c, C_JALR),     insn(0x0940, NOP), /* addi */
		insn(0x0944, 0xc111),                        /* c.beqz x10, +4: not taken */
		insn(0x0946, 0xe129),                        /* c.bnez x10, +0x42: taken */
		insn(0x0988, 0x00054583),                    /* lbu */
		insn(0x098c, 0x30529073),                    /* csrrw */
	};

	(void)state;
	execute(&draft, events, NR(events));
	assert_int_equal(count, 1);
	assert_int_equal(cycles[0].blocks, 3);
	assert_block(0, 0, 0x1000, 7, 0, 8, 0);
	assert_block(0, 1, 0x0940, 4, 1, 6, 0);
	assert_block(0, 2, 0x0988, 4, 0, 0, 1);
	/* ratified E-Trace has the same example: each branch ends a block */
	execute(&ratified, events, NR(events));
	assert_int_equal(count, 1);
	assert_int_equal(cycles[0].blocks, 4);
	assert_block(0, 0, 0x1000, 7, 0, 8, 0);
	assert_block(0, 1, 0x0940, 3, 0, 4, 0);
	assert_block(0, 2, 0x0946, 1, 0, 5, 0);
	assert_block(0, 3, 0x0988, 4, 0, 0, 1);
}

static void groups_are_as_many_as_there_are(void **state)
{
	const struct hwf_te_event events[] = {insn(0x1000, CALL), insn(0x1008, NOP),
					      insn(0x100c, CALL), insn(0x1014, CALL),
					      insn(0x101c, NOP)};
	struct hwf_te_port_params params = draft;

	(void)state;
	params.taken_branches_p = 2;
	execute(&params, events, NR(events));
	assert_int_equal(count, 2);
	assert_int_equal(cycles[0].blocks, 2);
	assert_block(0, 0, 0x1000, 2, 0, 9, 1);
	assert_block(0, 1, 0x1008, 4, 0, 9, 1);
	assert_block(1, 0, 0x1014, 2, 0, 9, 1);
	assert_block(1, 1, 0x101c, 2, 0, 0, 1);
}

static void fields_do_not_overflow(void **state)
{
	struct hwf_te_event events[5];
	struct hwf_te_port_params params = draft;

	(void)state;
	for (unsigned int i = 0; i < NR(events); i++)
		events[i] = insn(0x1000 + 2 * i, C_NOP);
	params.iretire_width_p = 2;
	execute(&params, events, NR(events));
	assert_int_equal(cycles[0].blocks, 2);
	assert_block(0, 0, 0x1000, 3, 0, 0, 0);
	assert_block(0, 1, 0x1006, 2, 0, 0, 0);
	/* not taken branches, behind what is none */
	events[0] = insn(0x1000, NOP);
	for (unsigned int i = 1; i < NR(events); i++)
		events[i] = insn(0x1000 + 4 * i, BEQ);
	events[4] = insn(0x1010, NOP);
	params = draft;
	params.ntkn_width_p = 1;
	execute(&params, events, NR(events));
	assert_int_equal(cycles[0].blocks, 4);
	assert_block(0, 0, 0x1000, 4, 1, 0, 1);
	/* one that begins a block has it for itself */
	assert_block(0, 1, 0x1008, 2, 1, 0, 1);
	assert_block(0, 2, 0x100c, 2, 1, 0, 1);
	assert_block(0, 3, 0x1010, 2, 0, 0, 1);
}

static void instructions_a_cycle_are_limited(void **state)
{
	const struct hwf_te_event events[] = {insn(0x1000, NOP), insn(0x1004, NOP),
					      insn(0x1008, NOP)};
	struct hwf_te_port_params params = ratified;

	(void)state;
	params.retires_p = 2;
	execute(&params, events, NR(events));
	assert_int_equal(count, 2);
	assert_block(0, 0, 0x1000, 4, 0, 0, 1);
	assert_block(1, 0, 0x1008, 2, 0, 0, 1);
	/* one at a time: iretire counts instructions in ratified E-Trace, half-words in the draft
	 */
	params.retires_p = 1;
	execute(&params, events, NR(events));
	assert_int_equal(count, 3);
	assert_block(2, 0, 0x1008, 1, 0, 0, 1);
	params = draft;
	params.retires_p = 1;
	execute(&params, events, NR(events));
	assert_block(2, 0, 0x1008, 2, 0, 0, 1);
}

static void trap_is_in_the_newest_block(void **state)
{
	struct hwf_te_event events[] = {insn(0x1000, NOP), insn(0x1004, ECALL), insn(0x2000, NOP),
					insn(0x2004, NOP), insn(0x3000, NOP)};

	(void)state;
	events[1].trap = HWF_TE_EXCEPTION;
	events[1].cause = 0x108;
	events[1].tval = 0x1234;
	events[3].trap = HWF_TE_INTERRUPT;
	events[3].retired = false;
	events[3].cause = 7;
	execute(&ratified, events, NR(events));
	assert_int_equal(count, 3);
	assert_block(0, 0, 0x1000, 4, 0, 1, 1);
	assert_int_equal(cycles[0].cause, 0x108);
	assert_int_equal(cycles[0].tval, 0x1234);
	assert_int_equal(cycles[1].blocks, 2);
	assert_block(1, 0, 0x2000, 2, 0, 0, 1);
	assert_block(1, 1, 0x2004, 0, 0, 2, 1);
	assert_int_equal(cycles[1].cause, 7);
	assert_block(2, 0, 0x3000, 2, 0, 0, 1);
	assert_int_equal(cycles[2].cause, 0);
}

static void what_holds_for_a_cycle_ends_it(void **state)
{
	struct hwf_te_event events[] = {insn(0x1000, NOP), insn(0x1004, NOP), insn(0x1008, NOP),
					insn(0x100c, NOP), insn(0x1010, NOP)};

	(void)state;
	events[1].priv = 0;
	events[2].context = 5;
	events[3].context = 5;
	events[3].time = 9;
	events[4].context = 5;
	events[4].time = 9;
	events[4].trigger = HWF_TE_TRACE_OFF;
	execute(&ratified, events, NR(events));
	assert_int_equal(count, 5);
	assert_int_equal(cycles[0].priv, 3);
	assert_int_equal(cycles[1].priv, 0);
	assert_int_equal(cycles[2].context, 5);
	assert_int_equal(cycles[3].time, 9);
	assert_int_equal(cycles[3].trigger, 0);
	assert_int_equal(cycles[4].trigger, HWF_TE_TRACE_OFF);
}

static void jump_is_known_from_the_instruction_before(void **state)
{
	struct hwf_te_event events[] = {insn(0x1000, AUIPC), insn(0x1004, JR_X6),
					insn(0x1008, NOP)};
	struct hwf_te_port_params params = draft;

	(void)state;
	execute(&params, events, NR(events));
	assert_block(0, 0, 0x1000, 4, 0, 8, 1);
	params.sequential = true;
	execute(&params, events, NR(events));
	assert_block(0, 0, 0x1000, 4, 0, 9, 1);
	params = ratified;
	execute(&params, events, NR(events));
	assert_false(cycles[0].block[0].sijump);
	params.sequential = true;
	execute(&params, events, NR(events));
	assert_block(0, 0, 0x1000, 4, 0, 10, 1);
	assert_true(cycles[0].block[0].sijump);
	/* a trap stands between */
	events[0].trap = HWF_TE_INTERRUPT;
	execute(&params, events, NR(events));
	assert_false(cycles[1].block[0].sijump);
}

static void narrow_itypes(void **state)
{
	const struct hwf_te_event events[] = {insn(0x1000, CALL), insn(0x1008, RET),
					      insn(0x2000, MRET), insn(0x3000, BEQ),
					      insn(0x3008, NOP)};
	struct hwf_te_port_params params = draft;
	static const uint8_t want_draft[] = {0, 3, 3, 6, 0}, want_ratified[] = {0, 6, 3, 5, 0},
			     want_post_iss[] = {0, 6, 6, 5, 0};

	(void)state;
	params.itype_width_p = 3;
	execute(&params, events, NR(events));
	for (unsigned int i = 0; i < NR(want_draft); i++)
		assert_int_equal(cycles[0].block[i].itype, want_draft[i]);
	params = ratified;
	params.itype_width_p = 3;
	execute(&params, events, NR(events));
	for (unsigned int i = 0; i < NR(want_ratified); i++)
		assert_int_equal(cycles[0].block[i].itype, want_ratified[i]);
	params.post_iss = true;
	execute(&params, events, NR(events));
	for (unsigned int i = 0; i < NR(want_post_iss); i++)
		assert_int_equal(cycles[0].block[i].itype, want_post_iss[i]);
}

static void last_branch_is_not_known(void **state)
{
	const struct hwf_te_event events[] = {insn(0x1000, BEQ)};
	struct hwf_te_port_params params = ratified;

	(void)state;
	execute(&params, events, NR(events));
	assert_block(0, 0, 0x1000, 2, 0, 4, 1);
	params.post_iss = true;
	execute(&params, events, NR(events));
	assert_block(0, 0, 0x1000, 2, 0, 5, 1);
}

/* What post-iss makes of traps: 8 bits of everything, and of a branch that traps, a branch */
static void post_iss_is_as_it_is(void **state)
{
	struct hwf_te_event events[] = {insn(0x1000, NOP), insn(0x2000, BEQ), insn(0x3000, 0x8282)};
	struct hwf_te_port_params params = ratified;

	(void)state;
	params.post_iss = true;
	params.retires_p = 1;
	for (unsigned int i = 0; i < 2; i++) {
		events[i].trap = HWF_TE_EXCEPTION;
		events[i].retired = false;
		events[i].cause = 0x105;
		events[i].tval = 0x1234;
	}
	execute(&params, events, NR(events));
	assert_int_equal(count, 3);
	assert_block(0, 0, 0x1000, 0, 0, 1, 1);
	assert_int_equal(cycles[0].cause, 5);
	assert_int_equal(cycles[0].tval, 0x34);
	assert_block(1, 0, 0x2000, 0, 0, 5, 1);
	/* c.jr x5 is no return to it */
	assert_block(2, 0, 0x3000, 1, 0, 14, 0);
}

/* It leaves for Debug Mode then, as of semihosting; of the last one that is not known. */
static void ebreak_without_a_trap_halts(void **state)
{
	struct hwf_te_event events[] = {insn(0x1000, NOP), insn(0x1004, EBREAK),
					insn(0x1008, 0x9002), insn(0x100a, NOP),
					insn(0x100e, EBREAK)};
	struct hwf_te_port_params params = ratified;

	(void)state;
	execute(&draft, events, NR(events));
	assert_int_equal(count, 5);
	assert_block(0, 0, 0x1000, 4, 0, 0, 1);
	assert_block(2, 0, 0x1008, 1, 0, 0, 0);
	assert_block(4, 0, 0x100a, 4, 0, 0, 1);
	for (unsigned int i = 0; i < count; i++) {
		assert_int_equal(cycles[i].halted, i % 2);
		assert_int_equal(cycles[i].blocks, !(i % 2));
		assert_int_equal(cycles[i].priv, 3);
	}
	params.post_iss = true;
	execute(&params, events, NR(events));
	assert_int_equal(count, 1);
	events[1].trap = HWF_TE_EXCEPTION;
	events[2].trap = HWF_TE_EXCEPTION;
	execute(&ratified, events, NR(events));
	for (unsigned int i = 0; i < count; i++)
		assert_false(cycles[i].halted);
}

static void long_instructions(void **state)
{
	const struct hwf_te_port port = {.cycle = take_cycle};
	const uint32_t sizes[] = {0x1f, 0x3f, 0x7f}; /* 6, 8 and 10 bytes */
	static const int want[] = {HWF_ERR_BAD_PAYLOAD, 0, HWF_ERR_BAD_PAYLOAD};
	struct hwf_te_port_params params = ratified;
	struct hwf_te_core core;

	(void)state;
	for (unsigned int i = 0; i < NR(sizes); i++) {
		const struct hwf_te_event event = insn(0x1000, sizes[i]);

		count = 0;
		assert_int_equal(hwf_te_core_init(&core, &params, &port), 0);
		assert_int_equal(hwf_te_core_event(&core, &event), 0);
		assert_int_equal(hwf_te_core_finish(&core), want[i]);
	}
	/* four half-words do not fit into two bits */
	params.iretire_width_p = 2;
	assert_int_equal(hwf_te_core_init(&core, &params, &port), 0);
	assert_int_equal(
		hwf_te_core_event(&core, &(struct hwf_te_event){.opcode = 0x3f, .retired = true}),
		0);
	assert_int_equal(hwf_te_core_finish(&core), HWF_ERR_BAD_PAYLOAD);
	/* one that is illegal did not retire, whatever its length would be */
	for (unsigned int i = 0; i < NR(sizes); i++) {
		const struct hwf_te_event event = {
			.opcode = sizes[i], .trap = HWF_TE_EXCEPTION, .cause = 2};

		assert_int_equal(hwf_te_core_init(&core, &ratified, &port), 0);
		assert_int_equal(hwf_te_core_event(&core, &event), 0);
		assert_int_equal(hwf_te_core_finish(&core), 0);
	}
}

static void parameters_have_their_ranges(void **state)
{
	const struct hwf_te_port port = {.cycle = take_cycle};
	struct hwf_te_port_params bad[10];
	struct hwf_te_core core;

	(void)state;
	for (unsigned int i = 0; i < NR(bad); i++)
		bad[i] = draft;
	bad[0].itype_width_p = 2;
	bad[1].itype_width_p = 5;
	bad[2].iretire_width_p = 1;
	bad[3].iretire_width_p = 9;
	bad[4].taken_branches_p = 0;
	bad[5].taken_branches_p = 9;
	bad[6].ntkn_width_p = 0;
	bad[7].ntkn_width_p = 6;
	bad[8].post_iss = true;
	bad[9].dialect = HWF_RISCV_V2 + 1;
	for (unsigned int i = 0; i < NR(bad); i++)
		assert_int_equal(hwf_te_core_init(&core, &bad[i], &port), HWF_ERR_BAD_CONFIG);
	assert_int_equal(hwf_te_core_init(&core, &draft, &port), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_3_4),
		cmocka_unit_test(groups_are_as_many_as_there_are),
		cmocka_unit_test(fields_do_not_overflow),
		cmocka_unit_test(instructions_a_cycle_are_limited),
		cmocka_unit_test(trap_is_in_the_newest_block),
		cmocka_unit_test(what_holds_for_a_cycle_ends_it),
		cmocka_unit_test(jump_is_known_from_the_instruction_before),
		cmocka_unit_test(narrow_itypes),
		cmocka_unit_test(last_branch_is_not_known),
		cmocka_unit_test(post_iss_is_as_it_is),
		cmocka_unit_test(ebreak_without_a_trap_halts),
		cmocka_unit_test(long_instructions),
		cmocka_unit_test(parameters_have_their_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
