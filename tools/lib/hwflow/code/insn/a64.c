/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A64 instructions as trace sees them. What is a P0 instruction: R_TWTMK, R_LTZGC of Arm DDI 0487
 * section D4.4, and TEXIT, which FEAT_TEV adds. Encodings: section C4.1.
 */
#include "hwflow/insn.h"

#define A64_SIZE 4

static uint64_t a64_target(uint64_t pc, uint32_t field, unsigned int width)
{
	uint64_t sign = (uint64_t)1 << (width - 1);

	return pc + ((((uint64_t)field ^ sign) - sign) << 2);
}

static void a64_set_direct(struct hwf_insn *insn, uint64_t target, bool conditional)
{
	insn->kind = HWF_INSN_DIRECT;
	insn->target = target;
	insn->conditional = conditional;
}

static void a64_set_indirect(struct hwf_insn *insn, enum hwf_insn_sub sub)
{
	insn->kind = HWF_INSN_INDIRECT;
	insn->sub = (uint8_t)sub;
}

/* CB<cc>: two of the eight conditions of each form are not allocated, nor is size 01. */
static void a64_decode_compare_branch(uint32_t opcode, uint64_t pc, struct hwf_insn *insn)
{
	bool imm = (opcode & 0x01000000) != 0;
	unsigned int cc = opcode >> 21 & 7;
	unsigned int size = opcode >> 14 & 3;

	if (cc == 4 || cc == 5)
		return;
	if (imm && (opcode & 0x00004000) != 0)
		return;
	if (!imm && (size == 1 || (size != 0 && (opcode & 0x80000000) != 0)))
		return;
	a64_set_direct(insn, a64_target(pc, opcode >> 5 & 0x1ff, 9), true);
}

static void a64_decode_direct(uint32_t opcode, uint64_t pc, struct hwf_insn *insn)
{
	if ((opcode & 0x7c000000) == 0x14000000) {
		a64_set_direct(insn, a64_target(pc, opcode & 0x03ffffff, 26), false);
		if ((opcode & 0x80000000) != 0)
			insn->sub = HWF_SUB_LINK;
	} else if ((opcode & 0xff000000) == 0x54000000) {
		a64_set_direct(insn, a64_target(pc, opcode >> 5 & 0x7ffff, 19), true);
	} else if ((opcode & 0x7e000000) == 0x34000000) {
		a64_set_direct(insn, a64_target(pc, opcode >> 5 & 0x7ffff, 19), true);
	} else if ((opcode & 0x7e000000) == 0x36000000) {
		a64_set_direct(insn, a64_target(pc, opcode >> 5 & 0x3fff, 14), true);
	} else if ((opcode & 0x7e000000) == 0x74000000) {
		a64_decode_compare_branch(opcode, pc, insn);
	}
}

/* Unconditional branch (register), bits 31:25 already known to be 1101011. */
static void a64_decode_branch_register(uint32_t opcode, struct hwf_insn *insn)
{
	if ((opcode & 0xfffffc1f) == 0xd61f0000 || /* BR */
	    (opcode & 0xfffff81f) == 0xd61f081f || /* BRAAZ, BRABZ */
	    (opcode & 0xfffff800) == 0xd71f0800) { /* BRAA, BRAB */
		a64_set_indirect(insn, HWF_SUB_NONE);
	} else if ((opcode & 0xfffffc1f) == 0xd63f0000 || /* BLR */
		   (opcode & 0xfffff81f) == 0xd63f081f || /* BLRAAZ, BLRABZ */
		   (opcode & 0xfffff800) == 0xd73f0800) { /* BLRAA, BLRAB */
		a64_set_indirect(insn, HWF_SUB_LINK);
	} else if ((opcode & 0xfffffc1f) == 0xd65f0000 || /* RET */
		   (opcode & 0xfffffbe0) == 0xd65f0be0) { /* RETAA, RETAASPPCR and B */
		a64_set_indirect(insn, HWF_SUB_RET);
	} else if (opcode == 0xd69f03e0 ||                /* ERET */
		   (opcode & 0xfffffbff) == 0xd69f0bff || /* ERETAA, ERETAB */
		   (opcode & 0xfffffbff) == 0xd6ff03e0) { /* TEXIT */
		a64_set_indirect(insn, HWF_SUB_ERET);
	}
}

/* SVC to HLT. DCPS1 to DCPS3 and TENTER share the space and are none of the calls. */
static void a64_decode_exception(uint32_t opcode, struct hwf_insn *insn)
{
	switch (opcode & 0xffe0001f) {
	case 0xd4000001:
		insn->call = HWF_CALL_SVC;
		break;
	case 0xd4000002:
		insn->call = HWF_CALL_HVC;
		break;
	case 0xd4000003:
		insn->call = HWF_CALL_SMC;
		break;
	case 0xd4200000:
		insn->call = HWF_CALL_BRK;
		break;
	case 0xd4400000:
		insn->call = HWF_CALL_HLT;
		break;
	}
}

/*
 * ISB, DSB and DMB allocate every value of CRm, bits 11:8. SB has it as should-be-zero, so another
 * value may still be SB. DSB nXS has CRm xx10 only.
 */
static void a64_decode_system(uint32_t opcode, struct hwf_insn *insn)
{
	if ((opcode & 0xfffff0ff) == 0xd50330df) {
		insn->kind = HWF_INSN_ISB;
	} else if ((opcode & 0xfffff0ff) == 0xd503309f || /* DSB */
		   (opcode & 0xfffff0ff) == 0xd50330bf || /* DMB */
		   (opcode & 0xfffff0ff) == 0xd50330ff || /* SB */
		   (opcode & 0xfffff3ff) == 0xd503323f) { /* DSB nXS */
		insn->kind = HWF_INSN_BARRIER;
	} else if ((opcode & 0xffffffdf) == 0xd503205f || /* WFE, WFI */
		   (opcode & 0xffffffc0) == 0xd5031000) { /* WFET, WFIT */
		insn->kind = HWF_INSN_WFX;
	} else if ((opcode & 0xffffffe0) == 0xd5233060) {
		insn->kind = HWF_INSN_TSTART;
	}
}

void hwf_insn_a64(uint32_t opcode, uint64_t pc, struct hwf_insn *insn)
{
	*insn = (struct hwf_insn){.size = A64_SIZE, .target_isa = HWF_ISA_A64};

	if ((opcode & 0xfe000000) == 0xd6000000)
		a64_decode_branch_register(opcode, insn);
	else if ((opcode & 0xff000000) == 0xd4000000)
		a64_decode_exception(opcode, insn);
	else if ((opcode & 0xff000000) == 0xd5000000)
		a64_decode_system(opcode, insn);
	else if ((opcode & 0xffc0001f) == 0x5500001f) /* RETAASPPC, RETABSPPC */
		a64_set_indirect(insn, HWF_SUB_RET);
	else if ((opcode & 0xffff0000) == 0)
		insn->call = HWF_CALL_UDF;
	else
		a64_decode_direct(opcode, pc, insn);
}
