/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A32 instructions as trace sees them. What is a P0 instruction: R_GWKSD, R_DTZVJ of Arm DDI 0487
 * section D4.4. Encodings: section F4.1.
 *
 * Should-be-zero and should-be-one bits are ignored, as in the decode tables of the manual. Of the
 * forms that are UNPREDICTABLE with the PC as their destination, data processing with a shift by
 * register is taken as a branch; multiplies, LDRT, MOVW and the like are not.
 */
#include "hwflow/insn.h"

#define A32_SIZE      4
#define A32_COND_AL   0xe
#define A32_COND_NONE 0xf
#define A32_PC        15u
#define A32_PC_AHEAD  8u
#define A32_ADDR_MASK 0xffffffffu

static uint64_t a32_target(uint32_t opcode, uint64_t pc)
{
	uint32_t offset = (opcode & 0x00ffffff) << 2;

	if ((opcode & 0x00800000) != 0)
		offset |= 0xfc000000;
	return (pc + A32_PC_AHEAD + offset) & A32_ADDR_MASK;
}

static void a32_set_indirect(struct hwf_insn *insn, enum hwf_insn_sub sub)
{
	insn->kind = HWF_INSN_INDIRECT;
	insn->sub = (uint8_t)sub;
}

/* The space of condition 0b1111. */
static void a32_decode_unconditional(uint32_t opcode, uint64_t pc, struct hwf_insn *insn)
{
	if ((opcode & 0xfe000000) == 0xfa000000) { /* BLX (immediate) */
		insn->kind = HWF_INSN_DIRECT;
		insn->sub = HWF_SUB_LINK;
		insn->target_isa = HWF_ISA_T32;
		insn->target = (a32_target(opcode, pc) + (opcode >> 23 & 2)) & A32_ADDR_MASK;
	} else if ((opcode & 0xfe500000) == 0xf8100000) { /* RFE */
		a32_set_indirect(insn, HWF_SUB_ERET);
	} else if ((opcode & 0xfff000f0) == 0xf5700060) {
		insn->kind = HWF_INSN_ISB;
	} else if ((opcode & 0xfff000f0) == 0xf5700040 || /* DSB */
		   (opcode & 0xfff000f0) == 0xf5700050 || /* DMB */
		   (opcode & 0xfff000f0) == 0xf5700070) { /* SB */
		insn->kind = HWF_INSN_BARRIER;
	}
}

/* The part of the data-processing space with opcode 10xx and S zero, bit 7 zero. */
static void a32_decode_miscellaneous(uint32_t opcode, struct hwf_insn *insn)
{
	unsigned int op1 = opcode >> 21 & 3;
	unsigned int op2 = opcode >> 4 & 7;

	switch (op1 << 4 | op2) {
	case 0x11: /* BX */
		a32_set_indirect(insn, (opcode & 0xf) == 14 ? HWF_SUB_IMPLIED_RET : HWF_SUB_NONE);
		break;
	case 0x12: /* BXJ */
		a32_set_indirect(insn, HWF_SUB_NONE);
		break;
	case 0x13: /* BLX (register) */
		a32_set_indirect(insn, HWF_SUB_LINK);
		break;
	case 0x36:
		a32_set_indirect(insn, HWF_SUB_ERET);
		break;
	case 0x07:
		insn->call = HWF_CALL_HLT;
		break;
	case 0x17:
		insn->call = HWF_CALL_BRK;
		break;
	case 0x27:
		insn->call = HWF_CALL_HVC;
		break;
	case 0x37:
		insn->call = HWF_CALL_SMC;
		break;
	}
}

/* Data processing with Rd the PC: with S it returns from an exception. */
static void a32_decode_alu_to_pc(uint32_t opcode, struct hwf_insn *insn)
{
	if ((opcode & 0x01800000) == 0x01000000) /* TST, TEQ, CMP, CMN write no register */
		return;
	if ((opcode & 0x00100000) != 0)
		a32_set_indirect(insn, HWF_SUB_ERET);
	else if ((opcode & 0x0fe00fff) == 0x01a0000e) /* MOV PC, LR */
		a32_set_indirect(insn, HWF_SUB_IMPLIED_RET);
	else
		a32_set_indirect(insn, HWF_SUB_NONE);
}

static void a32_decode_register(uint32_t opcode, struct hwf_insn *insn)
{
	if ((opcode & 0x00000090) == 0x00000090) /* multiplies, extra loads and stores */
		return;
	if ((opcode & 0x01900000) == 0x01000000) {
		if ((opcode & 0x00000080) == 0)
			a32_decode_miscellaneous(opcode, insn);
		return;
	}
	if ((opcode >> 12 & 0xf) == A32_PC)
		a32_decode_alu_to_pc(opcode, insn);
}

static void a32_decode_immediate(uint32_t opcode, struct hwf_insn *insn)
{
	if ((opcode & 0x0fff00fe) == 0x03200002) /* WFE, WFI */
		insn->kind = HWF_INSN_WFX;
	else if ((opcode & 0x01900000) == 0x01000000) /* MOVW, MOVT, MSR, other hints */
		return;
	else if ((opcode >> 12 & 0xf) == A32_PC)
		a32_decode_alu_to_pc(opcode, insn);
}

/* LDR and LDM. The byte, unprivileged and media forms do not branch. */
static void a32_decode_load(uint32_t opcode, struct hwf_insn *insn)
{
	bool multiple = (opcode & 0x08000000) != 0;
	enum hwf_insn_sub sub = HWF_SUB_NONE;

	if (multiple) {
		if ((opcode & 0x00108000) != 0x00108000)
			return;
		if ((opcode & 0x00400000) != 0) /* with ^ */
			sub = HWF_SUB_ERET;
		else if ((opcode & 0x0fff2000) == 0x08bd0000)
			sub = HWF_SUB_IMPLIED_RET; /* POP */
	} else {
		if ((opcode & 0x0050f000) != 0x0010f000)
			return;
		if ((opcode & 0x02000010) == 0x02000010) /* media */
			return;
		if ((opcode & 0x01200000) == 0x00200000) /* LDRT */
			return;
		if ((opcode & 0x0fff0000) == 0x049d0000)
			sub = HWF_SUB_IMPLIED_RET; /* LDR PC, [SP], #imm */
	}
	a32_set_indirect(insn, sub);
}

/* The barriers that were CP15 operations before they were instructions; SVC. */
static void a32_decode_system(uint32_t opcode, struct hwf_insn *insn)
{
	if ((opcode & 0x0f000000) == 0x0f000000)
		insn->call = HWF_CALL_SVC;
	else if ((opcode & 0x0fff0fff) == 0x0e070f95) /* CP15ISB */
		insn->kind = HWF_INSN_ISB;
	else if ((opcode & 0x0fff0fff) == 0x0e070f9a || /* CP15DSB */
		 (opcode & 0x0fff0fff) == 0x0e070fba)   /* CP15DMB */
		insn->kind = HWF_INSN_BARRIER;
}

static void a32_decode_conditional(uint32_t opcode, uint64_t pc, struct hwf_insn *insn)
{
	switch (opcode >> 25 & 7) {
	case 0:
		a32_decode_register(opcode, insn);
		break;
	case 1:
		a32_decode_immediate(opcode, insn);
		break;
	case 2:
	case 3:
	case 4:
		if ((opcode & 0xfff000f0) == 0xe7f000f0)
			insn->call = HWF_CALL_UDF;
		else
			a32_decode_load(opcode, insn);
		break;
	case 5: /* B, BL */
		insn->kind = HWF_INSN_DIRECT;
		insn->sub = (opcode & 0x01000000) != 0 ? HWF_SUB_LINK : HWF_SUB_NONE;
		insn->target = a32_target(opcode, pc);
		break;
	default:
		a32_decode_system(opcode, insn);
	}
}

void hwf_insn_a32(uint32_t opcode, uint64_t pc, struct hwf_insn *insn)
{
	unsigned int cond = opcode >> 28;

	*insn = (struct hwf_insn){
		.size = A32_SIZE,
		.target_isa = HWF_ISA_A32,
		.conditional = cond < A32_COND_AL,
	};
	if (cond == A32_COND_NONE)
		a32_decode_unconditional(opcode, pc, insn);
	else
		a32_decode_conditional(opcode, pc, insn);
}
