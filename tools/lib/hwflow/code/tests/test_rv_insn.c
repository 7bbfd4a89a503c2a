/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * RISC-V instructions, by vectors assembled by hand from the encodings of the unprivileged and
 * privileged specifications, and their itypes, by Table 3.2 of Processor Trace 0.026 and the jump
 * classification of ratified E-Trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "hwflow/rv_insn.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))
#define RV32      0
#define RV64      HWF_RV_64

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order that rows are read */
struct vector {
	const char *text;
	unsigned int isa;
	uint32_t opcode;
	uint64_t pc;
	enum hwf_rv_kind kind;
	uint64_t target;
	unsigned int rd;
	unsigned int rs1;
	unsigned int size;
};

static const struct vector vectors[] = {
	{"jal x1, +0x800", RV64, 0x001000ef, 0x1000, HWF_RV_JUMP, 0x1800, 1, 0, 4},
	{"jal x5, -4", RV64, 0xffdff2ef, 0, HWF_RV_JUMP, 0xfffffffffffffffc, 5, 0, 4},
	{"jal x5, -4 on RV32", RV32, 0xffdff2ef, 0, HWF_RV_JUMP, 0xfffffffc, 5, 0, 4},
	{"jal x0, +0xffffe", RV64, 0x7ffff06f, 0x200000, HWF_RV_JUMP, 0x2ffffe, 0, 0, 4},
	{"jal x7, -0x100000", RV64, 0x800003ef, 0x200000, HWF_RV_JUMP, 0x100000, 7, 0, 4},
	{"beq x1, x2, +0xffe", RV64, 0x7e208fe3, 0x1000, HWF_RV_BRANCH, 0x1ffe, 0, 0, 4},
	{"bne x0, x0, +0x800", RV64, 0x000010e3, 0x1000, HWF_RV_BRANCH, 0x1800, 0, 0, 4},
	{"blt x0, x9, +2", RV64, 0x00904163, 0x1000, HWF_RV_BRANCH, 0x1002, 0, 0, 4},
	{"bge x0, x9, +2", RV64, 0x00905163, 0x1000, HWF_RV_BRANCH, 0x1002, 0, 0, 4},
	{"bltu x0, x9, +2", RV64, 0x00906163, 0x1000, HWF_RV_BRANCH, 0x1002, 0, 0, 4},
	{"bgeu x3, x4, -0x1000", RV64, 0x8041f063, 0x1000, HWF_RV_BRANCH, 0, 0, 0, 4},
	{"bgeu over the top on RV32", RV32, 0x8041f063, 0, HWF_RV_BRANCH, 0xfffff000, 0, 0, 4},
	{"branch 010, reserved", RV64, 0x00902163, 0x1000, HWF_RV_OTHER, 0, 0, 0, 4},
	{"branch 011, reserved", RV64, 0x00903163, 0x1000, HWF_RV_OTHER, 0, 0, 0, 4},
	{"jalr x1, -0x800(x6)", RV64, 0x800300e7, 0x1000, HWF_RV_JUMP_REG, 0xfffffffffffff800, 1, 6,
	 4},
	{"jalr x1, -0x800(x6) on RV32", RV32, 0x800300e7, 0x1000, HWF_RV_JUMP_REG, 0xfffff800, 1, 6,
	 4},
	{"jalr x0, 0x7ff(x5)", RV64, 0x7ff28067, 0x1000, HWF_RV_JUMP_REG, 0x7ff, 0, 5, 4},
	{"jalr with 001, reserved", RV64, 0x7ff29067, 0x1000, HWF_RV_OTHER, 0, 0, 0, 4},
	{"lui x5, 0x80000", RV64, 0x800002b7, 0x1000, HWF_RV_UPPER, 0xffffffff80000000, 5, 0, 4},
	{"lui x5, 0x80000 on RV32", RV32, 0x800002b7, 0x1000, HWF_RV_UPPER, 0x80000000, 5, 0, 4},
	{"auipc x6, 0xfffff", RV64, 0xfffff317, 0x3004, HWF_RV_UPPER, 0x2004, 6, 0, 4},
	{"auipc x6 over the top on RV32", RV32, 0xfffff317, 4, HWF_RV_UPPER, 0xfffff004, 6, 0, 4},
	{"ecall", RV64, 0x00000073, 0x1000, HWF_RV_ECALL, 0, 0, 0, 4},
	{"ebreak", RV64, 0x00100073, 0x1000, HWF_RV_EBREAK, 0, 0, 0, 4},
	{"uret", RV64, 0x00200073, 0x1000, HWF_RV_TRAP_RETURN, 0, 0, 0, 4},
	{"sret", RV64, 0x10200073, 0x1000, HWF_RV_TRAP_RETURN, 0, 0, 0, 4},
	{"mret", RV64, 0x30200073, 0x1000, HWF_RV_TRAP_RETURN, 0, 0, 0, 4},
	{"mnret", RV64, 0x70200073, 0x1000, HWF_RV_TRAP_RETURN, 0, 0, 0, 4},
	{"dret", RV64, 0x7b200073, 0x1000, HWF_RV_TRAP_RETURN, 0, 0, 0, 4},
	{"wfi", RV64, 0x10500073, 0x1000, HWF_RV_OTHER, 0, 0, 0, 4},
	{"csrrw x0, 0, x4", RV64, 0x00021073, 0x1000, HWF_RV_OTHER, 0, 0, 0, 4},
	{"add x1, x2, x3", RV64, 0x003100b3, 0x1000, HWF_RV_OTHER, 0, 0, 0, 4},
	{"c.j -0x800", RV64, 0xb001, 0x1000, HWF_RV_JUMP, 0x800, 0, 0, 2},
	{"c.j +0x7fe", RV64, 0xaffd, 0x1000, HWF_RV_JUMP, 0x17fe, 0, 0, 2},
	{"c.j +0x7fe, more above", RV64, 0xffffaffd, 0x1000, HWF_RV_JUMP, 0x17fe, 0, 0, 2},
	{"c.jal -0x800", RV32, 0x3001, 0x1000, HWF_RV_JUMP, 0x800, 1, 0, 2},
	{"c.addiw in place of c.jal", RV64, 0x3001, 0x1000, HWF_RV_OTHER, 0, 0, 0, 2},
	{"c.beqz x8, -0x100", RV64, 0xd001, 0x1000, HWF_RV_BRANCH, 0xf00, 0, 0, 2},
	{"c.bnez x15, +0xfe", RV64, 0xeffd, 0x1000, HWF_RV_BRANCH, 0x10fe, 0, 0, 2},
	{"c.jr x1", RV64, 0x8082, 0x1000, HWF_RV_JUMP_REG, 0, 0, 1, 2},
	{"c.jr x5", RV64, 0xffff8282, 0x1000, HWF_RV_JUMP_REG, 0, 0, 5, 2},
	{"c.jr x0, reserved", RV64, 0x8002, 0x1000, HWF_RV_OTHER, 0, 0, 0, 2},
	{"c.jalr x5", RV64, 0x9282, 0x1000, HWF_RV_JUMP_REG, 0, 1, 5, 2},
	{"c.ebreak", RV64, 0x9002, 0x1000, HWF_RV_EBREAK, 0, 0, 0, 2},
	{"c.mv x1, x2", RV64, 0x808a, 0x1000, HWF_RV_OTHER, 0, 0, 0, 2},
	{"c.add x1, x2", RV64, 0x908a, 0x1000, HWF_RV_OTHER, 0, 0, 0, 2},
	{"c.lui x7, 1", RV64, 0x6385, 0x1000, HWF_RV_UPPER, 0x1000, 7, 0, 2},
	{"c.lui x7, -0x20", RV64, 0x7381, 0x1000, HWF_RV_UPPER, 0xfffffffffffe0000, 7, 0, 2},
	{"c.lui x7, 0, reserved", RV64, 0x6381, 0x1000, HWF_RV_OTHER, 0, 0, 0, 2},
	{"c.addi16sp 32", RV64, 0x6105, 0x1000, HWF_RV_OTHER, 0, 0, 0, 2},
	{"c.addi x8, 1", RV64, 0x0405, 0x1000, HWF_RV_OTHER, 0, 0, 0, 2},
	{"all zeros", RV64, 0, 0x1000, HWF_RV_OTHER, 0, 0, 0, 2},
	{"c.fsdsp in place of cm.popret", RV32, 0xbe52, 0x1000, HWF_RV_OTHER, 0, 0, 0, 2},
	{"cm.popret", HWF_RV_ZCM, 0xbe52, 0x1000, HWF_RV_JUMP_REG, 0, 0, 1, 2},
	{"cm.popretz", HWF_RV_ZCM, 0xbc42, 0x1000, HWF_RV_JUMP_REG, 0, 0, 1, 2},
	{"cm.popretz of no registers, reserved", HWF_RV_ZCM, 0xbc32, 0x1000, HWF_RV_OTHER, 0, 0, 0,
	 2},
	{"cm.pop", HWF_RV_ZCM, 0xba42, 0x1000, HWF_RV_OTHER, 0, 0, 0, 2},
	{"cm.jt 31", HWF_RV_ZCM, 0xa07e, 0x1000, HWF_RV_JUMP_REG, 0, 0, HWF_RV_NO_REG, 2},
	{"cm.jalt 32", HWF_RV_ZCM, 0xa082, 0x1000, HWF_RV_JUMP_REG, 0, 1, HWF_RV_NO_REG, 2},
	{"cm.jalt 255", HWF_RV_ZCM, 0xa3fe, 0x1000, HWF_RV_JUMP_REG, 0, 1, HWF_RV_NO_REG, 2},
	{"c.jr x1 with Zcm", HWF_RV_ZCM, 0x8082, 0x1000, HWF_RV_JUMP_REG, 0, 0, 1, 2},
	{"48 bits", RV64, 0x0000001f, 0x1000, HWF_RV_OTHER, 0, 0, 0, 6},
	{"48 bits, all ones above", RV64, 0xffffffdf, 0x1000, HWF_RV_OTHER, 0, 0, 0, 6},
	{"64 bits", RV64, 0xffffffbf, 0x1000, HWF_RV_OTHER, 0, 0, 0, 8},
	{"80 bits", RV64, 0x00008fff, 0x1000, HWF_RV_OTHER, 0, 0, 0, 10},
	{"176 bits", RV64, 0x0000e07f, 0x1000, HWF_RV_OTHER, 0, 0, 0, 22},
	{"192 bits and more, reserved", RV64, 0xffffffff, 0x1000, HWF_RV_OTHER, 0, 0, 0, 0},
};

static void instructions_have_their_kind_and_target(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(vectors); i++) {
		const struct vector *v = &vectors[i];
		struct hwf_rv_insn insn = {1, 1, 1, 1, 1};

		hwf_rv_insn(v->opcode, v->pc, v->isa, &insn);
		if (insn.kind != v->kind || insn.target != v->target || insn.rd != v->rd ||
		    insn.rs1 != v->rs1 || insn.size != v->size)
			fail_msg("%s: kind %u target %llx rd %u rs1 %u size %u", v->text, insn.kind,
				 (unsigned long long)insn.target, insn.rd, insn.rs1, insn.size);
		assert_int_equal(hwf_rv_size((uint16_t)v->opcode), v->size);
	}
}

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order that rows are read */
struct jump {
	const char *text;
	uint32_t opcode;
	enum hwf_rv_class class;
	enum hwf_rv_itype itype;  /* of 4 bits */
	enum hwf_rv_itype narrow; /* of 3 bits */
	enum hwf_rv_draft_itype draft;
	enum hwf_rv_draft_itype known; /* the register is loaded directly before */
};

static const struct jump jumps[] = {
	{"jal x1", 0x001000ef, HWF_RV_CALL, 9, 0, 9, 9},
	{"jal x5", 0xffdff2ef, HWF_RV_CALL, 9, 0, 9, 9},
	{"jal x0", 0x7ffff06f, HWF_RV_TAIL, 11, 0, 13, 13},
	{"jal x7", 0x800003ef, HWF_RV_OTHER_JUMP, 15, 0, 13, 13},
	{"c.j", 0xb001, HWF_RV_TAIL, 11, 0, 13, 13},
	{"c.jal", 0x3001, HWF_RV_CALL, 9, 0, 9, 9},
	{"jalr x1, x6", 0x000300e7, HWF_RV_CALL, 8, 6, 8, 9},
	{"jalr x5, x6", 0x000302e7, HWF_RV_CALL, 8, 6, 8, 9},
	{"jalr x1, x1", 0x000080e7, HWF_RV_CALL, 8, 6, 8, 9},
	{"jalr x5, x5", 0x000282e7, HWF_RV_CALL, 8, 6, 8, 9},
	{"jalr x1, x5", 0x000280e7, HWF_RV_SWAP, 12, 6, 8, 9},
	{"jalr x5, x1", 0x000082e7, HWF_RV_SWAP, 12, 6, 8, 9},
	{"jalr x0, x1", 0x00008067, HWF_RV_RETURN, 13, 6, 10, 11},
	{"jalr x0, x5", 0x00028067, HWF_RV_RETURN, 13, 6, 10, 11},
	{"jalr x7, x1", 0x000083e7, HWF_RV_RETURN, 13, 6, 12, 12},
	{"jalr x0, x6", 0x00030067, HWF_RV_TAIL, 10, 6, 8, 9},
	{"jalr x7, x6", 0x000303e7, HWF_RV_OTHER_JUMP, 14, 6, 12, 12},
	{"jalr x1, x0", 0x000000e7, HWF_RV_CALL, 9, 0, 8, 8},
	{"jalr x0, x0", 0x00000067, HWF_RV_TAIL, 11, 0, 8, 8},
	{"jalr x7, x0", 0x000003e7, HWF_RV_OTHER_JUMP, 15, 0, 12, 12},
	{"c.jr x1", 0x8082, HWF_RV_RETURN, 13, 6, 10, 11},
	{"c.jr x5", 0x8282, HWF_RV_RETURN, 13, 6, 10, 11},
	{"c.jr x6", 0x8302, HWF_RV_TAIL, 10, 6, 8, 9},
	{"c.jalr x6", 0x9302, HWF_RV_CALL, 8, 6, 8, 9},
	{"c.jalr x1", 0x9082, HWF_RV_CALL, 8, 6, 8, 9},
	{"c.jalr x5", 0x9282, HWF_RV_SWAP, 12, 6, 8, 9},
	{"mret", 0x30200073, HWF_RV_NO_JUMP, 3, 3, 3, 3},
	{"ecall", 0x00000073, HWF_RV_NO_JUMP, 0, 0, 0, 0},
	{"ebreak", 0x00100073, HWF_RV_NO_JUMP, 0, 0, 0, 0},
	{"lui x6", 0x80000337, HWF_RV_NO_JUMP, 0, 0, 0, 0},
	{"nop", 0x00000013, HWF_RV_NO_JUMP, 0, 0, 0, 0},
};

static void jumps_have_their_itype(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(jumps); i++) {
		const struct jump *j = &jumps[i];
		struct hwf_rv_insn insn, load;

		hwf_rv_insn(j->opcode, 0x1000, RV32, &insn);
		load = (struct hwf_rv_insn){0x2000, 4, HWF_RV_UPPER, insn.rs1, 0};
		if (hwf_rv_classify(&insn) != j->class ||
		    hwf_rv_itype(&insn, true, 4) != j->itype ||
		    hwf_rv_itype(&insn, true, 3) != j->narrow ||
		    hwf_rv_draft_itype(NULL, &insn, true) != j->draft ||
		    hwf_rv_draft_itype(&load, &insn, true) != j->known)
			fail_msg("%s: class %d, itype %d, %d, %d, %d", j->text,
				 hwf_rv_classify(&insn), hwf_rv_itype(&insn, true, 4),
				 hwf_rv_itype(&insn, true, 3),
				 hwf_rv_draft_itype(NULL, &insn, true),
				 hwf_rv_draft_itype(&load, &insn, true));
	}
}

static void branches_have_their_itype(void **state)
{
	struct hwf_rv_insn insn;

	(void)state;
	hwf_rv_insn(0xd001, 0x1000, RV64, &insn);
	for (unsigned int width = 3; width <= 4; width++) {
		assert_int_equal(hwf_rv_itype(&insn, false, width), 4);
		assert_int_equal(hwf_rv_itype(&insn, true, width), 5);
	}
	assert_int_equal(hwf_rv_draft_itype(NULL, &insn, false), 0);
	assert_int_equal(hwf_rv_draft_itype(NULL, &insn, true), 6);
}

static void target_is_known_from_the_instruction_before(void **state)
{
	struct hwf_rv_insn lui, auipc, c_lui, other, jump;

	(void)state;
	hwf_rv_insn(0x800002b7, 0x1000, RV64, &lui);   /* lui x5, 0x80000 */
	hwf_rv_insn(0xfffff297, 0x3004, RV64, &auipc); /* auipc x5, -1 */
	hwf_rv_insn(0x6285, 0x1000, RV64, &c_lui);     /* c.lui x5, 1 */
	hwf_rv_insn(0x80000337, 0x1000, RV64, &other); /* lui x6 */
	hwf_rv_insn(0x7ff28067, 0x1004, RV64, &jump);  /* jalr x0, 0x7ff(x5) */
	assert_true(hwf_rv_is_sequential(&lui, &jump));
	assert_true(hwf_rv_is_sequential(&auipc, &jump));
	assert_true(hwf_rv_is_sequential(&c_lui, &jump));
	assert_false(hwf_rv_is_sequential(&other, &jump));
	assert_false(hwf_rv_is_sequential(&jump, &jump));
	assert_false(hwf_rv_is_sequential(&lui, &lui));
	assert_false(hwf_rv_is_sequential(NULL, &jump));
	assert_int_equal(hwf_rv_jump_target(&jump, lui.target, RV64), 0xffffffff800007fe);
	assert_int_equal(hwf_rv_jump_target(&jump, lui.target, RV32), 0x800007fe);
	assert_int_equal(hwf_rv_jump_target(&jump, auipc.target, RV64), 0x2802);
	/* lui x0 loads nothing */
	hwf_rv_insn(0x80000037, 0x1000, RV64, &lui);
	hwf_rv_insn(0x00000067, 0x1004, RV64, &jump);
	assert_false(hwf_rv_is_sequential(&lui, &jump));
}

static void jumps_are_inferable_from_their_encoding(void **state)
{
	struct hwf_rv_insn insn;

	(void)state;
	hwf_rv_insn(0x001000ef, 0x1000, RV64, &insn); /* jal */
	assert_true(hwf_rv_is_inferable(&insn));
	hwf_rv_insn(0xfff00067, 0x1000, RV64, &insn); /* jalr x0, -1(x0) */
	assert_true(hwf_rv_is_inferable(&insn));
	assert_int_equal(hwf_rv_jump_target(&insn, 0, RV64), 0xfffffffffffffffe);
	assert_int_equal(hwf_rv_jump_target(&insn, 0, RV32), 0xfffffffe);
	hwf_rv_insn(0x00008067, 0x1000, RV64, &insn); /* ret */
	assert_false(hwf_rv_is_inferable(&insn));
	hwf_rv_insn(0xa07e, 0x1000, HWF_RV_ZCM, &insn); /* cm.jt */
	assert_false(hwf_rv_is_inferable(&insn));
	hwf_rv_insn(0xd001, 0x1000, RV64, &insn); /* c.beqz */
	assert_false(hwf_rv_is_inferable(&insn));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_have_their_kind_and_target),
		cmocka_unit_test(jumps_have_their_itype),
		cmocka_unit_test(branches_have_their_itype),
		cmocka_unit_test(target_is_known_from_the_instruction_before),
		cmocka_unit_test(jumps_are_inferable_from_their_encoding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
