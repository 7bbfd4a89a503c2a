/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * T32 instructions as trace sees them. What is a P0 instruction: R_NRJKR, R_WXDRS of Arm DDI 0487
 * section D4.4. Encodings: section F3.1. Of the M profile (Arm DDI 0553) BXNS and BLXNS, which
 * differ from BX and BLX in a should-be-zero bit, BXAUT, and its loop instructions. These are
 * UNDEFINED or UNPREDICTABLE to any other PE, which goes past none of them.
 *
 * Should-be-zero and should-be-one bits are ignored, as in the decode tables of the manual.
 */
#include "hwflow/insn.h"

#define T32_NARROW    2
#define T32_WIDE      4
#define T32_PC_AHEAD  4u
#define T32_ADDR_MASK 0xffffffffu

/* @sign is the weight of the top bit of @offset. */
static void t32_set_direct(struct hwf_insn *insn, uint64_t base, uint32_t offset, uint32_t sign)
{
	insn->kind = HWF_INSN_DIRECT;
	insn->target = (base + T32_PC_AHEAD + (uint32_t)((offset ^ sign) - sign)) & T32_ADDR_MASK;
}

static void t32_set_indirect(struct hwf_insn *insn, enum hwf_insn_sub sub)
{
	insn->kind = HWF_INSN_INDIRECT;
	insn->sub = (uint8_t)sub;
}

static void t32_decode_narrow_branch(uint16_t hw1, uint64_t pc, struct hwf_insn *insn)
{
	if ((hw1 & 0xf800) == 0xe000) { /* B, encoding T2 */
		t32_set_direct(insn, pc, (hw1 & 0x7ffu) << 1, 0x800);
	} else if ((hw1 & 0xf500) == 0xb100) { /* CBZ, CBNZ: forwards only */
		t32_set_direct(insn, pc, (hw1 >> 3 & 0x40u) | (hw1 >> 2 & 0x3eu), 0);
		insn->conditional = true;
	} else if ((hw1 & 0xff00) == 0xde00) {
		insn->call = HWF_CALL_UDF;
	} else if ((hw1 & 0xff00) == 0xdf00) {
		insn->call = HWF_CALL_SVC;
	} else if ((hw1 & 0xf000) == 0xd000) { /* B, encoding T1 */
		t32_set_direct(insn, pc, (hw1 & 0xffu) << 1, 0x100);
		insn->conditional = true;
	}
}

static void t32_decode_narrow(uint16_t hw1, uint64_t pc, struct hwf_insn *insn)
{
	bool lr = (hw1 & 0x0078) == 0x0070;

	if ((hw1 & 0xff80) == 0x4700) /* BX, BXNS */
		t32_set_indirect(insn, lr ? HWF_SUB_IMPLIED_RET : HWF_SUB_NONE);
	else if ((hw1 & 0xff80) == 0x4780) /* BLX (register), BLXNS */
		t32_set_indirect(insn, HWF_SUB_LINK);
	else if ((hw1 & 0xff87) == 0x4687) /* MOV PC, Rm */
		t32_set_indirect(insn, lr ? HWF_SUB_IMPLIED_RET : HWF_SUB_NONE);
	else if ((hw1 & 0xff87) == 0x4487) /* ADD PC, Rm */
		t32_set_indirect(insn, HWF_SUB_NONE);
	else if ((hw1 & 0xff00) == 0xbd00) /* POP with the PC */
		t32_set_indirect(insn, HWF_SUB_IMPLIED_RET);
	else if ((hw1 & 0xff00) == 0xbe00)
		insn->call = HWF_CALL_BRK;
	else if ((hw1 & 0xffc0) == 0xba80)
		insn->call = HWF_CALL_HLT;
	else if ((hw1 & 0xffef) == 0xbf20) /* WFE, WFI */
		insn->kind = HWF_INSN_WFX;
	else
		t32_decode_narrow_branch(hw1, pc, insn);
}

/*
 * WLS, WLSTP: forwards past the loop, where there is nothing to do. LE, LETP: back to its
 * beginning. DLS, DLSTP, LCTP have no offset and no branch.
 */
static void t32_decode_loop(uint16_t hw1, uint16_t hw2, uint64_t pc, struct hwf_insn *insn)
{
	bool le = (hw1 & 0xf) == 0xf;
	uint32_t offset = (hw2 >> 1 & 0x3ffu) << 2 | (hw2 >> 11 & 1u) << 1;
	/* LE with LR, LE without, LETP */
	bool known = !le || hw1 == 0xf00f || hw1 == 0xf02f || hw1 == 0xf01f;

	if (hw1 > 0xf04e || (hw2 & 0xf001) != 0xc001 || !known)
		return;
	t32_set_direct(insn, pc, le ? 0u - offset : offset, 0);
	insn->sub = HWF_SUB_LOOP;
	insn->conditional = hw1 != 0xf02f;
}

/* B encodings T3 and T4, BL, BLX: by bits 14 and 12 of the second half-word. */
static void t32_decode_wide_branch(uint16_t hw1, uint16_t hw2, uint64_t pc, struct hwf_insn *insn)
{
	uint32_t s = hw1 >> 10 & 1u;
	uint32_t j1 = hw2 >> 13 & 1u;
	uint32_t j2 = hw2 >> 11 & 1u;
	uint32_t low = (hw2 & 0x7ffu) << 1;
	uint32_t offset;

	if ((hw2 & 0x5000) == 0) { /* encoding T3; conditions 111x are other instructions */
		offset = s << 20 | j2 << 19 | j1 << 18 | (hw1 & 0x3fu) << 12 | low;
		t32_set_direct(insn, pc, offset, 1u << 20);
		insn->conditional = true;
		return;
	}
	offset = s << 24 | (j1 ^ s ^ 1) << 23 | (j2 ^ s ^ 1) << 22 | (hw1 & 0x3ffu) << 12 | low;
	if ((hw2 & 0x5000) == 0x4000) { /* BLX, from the word its address is in */
		if ((hw2 & 1) != 0) {
			t32_decode_loop(hw1, hw2, pc, insn);
			return;
		}
		t32_set_direct(insn, pc & ~(uint64_t)3, offset, 1u << 24);
		insn->target_isa = HWF_ISA_A32;
	} else {
		t32_set_direct(insn, pc, offset, 1u << 24);
	}
	if ((hw2 & 0x4000) != 0)
		insn->sub = HWF_SUB_LINK;
}

/* Hints, barriers, BXJ, exception return: bits 9:7 of the first half-word are 111. */
static void t32_decode_control(uint16_t hw1, uint16_t hw2, struct hwf_insn *insn)
{
	switch (hw1 & 0xfff0) {
	case 0xf3a0:
		if ((hw2 & 0x07fe) == 0x0002) /* WFE, WFI */
			insn->kind = HWF_INSN_WFX;
		break;
	case 0xf3b0:
		if ((hw2 & 0x00f0) == 0x0060)
			insn->kind = HWF_INSN_ISB;
		else if ((hw2 & 0x00e0) == 0x0040 || (hw2 & 0x00f0) == 0x0070) /* DSB, DMB, SB */
			insn->kind = HWF_INSN_BARRIER;
		break;
	case 0xf3c0: /* BXJ */
		t32_set_indirect(insn, HWF_SUB_NONE);
		break;
	case 0xf3d0: /* SUBS PC, LR, #imm and ERET */
		t32_set_indirect(insn, HWF_SUB_ERET);
		break;
	case 0xf7e0:
		if ((hw2 & 0x2000) == 0)
			insn->call = HWF_CALL_HVC;
		break;
	case 0xf7f0:
		insn->call = (hw2 & 0x2000) == 0 ? HWF_CALL_SMC : HWF_CALL_UDF;
		break;
	}
}

/* LDM, POP, RFE: four addressing modes, of which RFE has those that LDM lacks. */
static void t32_decode_load_multiple(uint16_t hw1, uint16_t hw2, struct hwf_insn *insn)
{
	unsigned int mode = hw1 >> 7 & 3u;

	if ((hw1 & 0x0010) == 0)
		return;
	if (mode == 0 || mode == 3)
		t32_set_indirect(insn, HWF_SUB_ERET);
	else if ((hw2 & 0x8000) != 0)
		t32_set_indirect(insn, hw1 == 0xe8bd ? HWF_SUB_IMPLIED_RET : HWF_SUB_NONE);
}

/* LDR of a word to the PC: literal, 12-bit offset, 8-bit offset, register. */
static void t32_decode_load(uint16_t hw1, uint16_t hw2, struct hwf_insn *insn)
{
	unsigned int puw = hw2 >> 8 & 7u;
	enum hwf_insn_sub sub = HWF_SUB_NONE;

	if ((hw2 & 0xf000) != 0xf000)
		return;
	if ((hw1 & 0x0080) == 0 && (hw1 & 0x000f) != 0x000f) {
		if ((hw2 & 0x0800) != 0) {
			if (puw == 0 || puw == 2 || puw == 6) /* UNDEFINED; LDRT */
				return;
			if ((hw1 & 0x000f) == 13 && puw == 3)
				sub = HWF_SUB_IMPLIED_RET;
		} else if ((hw2 & 0x0fc0) != 0) {
			return;
		}
	}
	t32_set_indirect(insn, sub);
}

static void t32_decode_wide(uint16_t hw1, uint16_t hw2, uint64_t pc, struct hwf_insn *insn)
{
	if ((hw1 & 0xf800) == 0xf000 && (hw2 & 0x8000) != 0) {
		if ((hw2 & 0x5000) == 0 && (hw1 & 0x0380) == 0x0380)
			t32_decode_control(hw1, hw2, insn);
		else
			t32_decode_wide_branch(hw1, hw2, pc, insn);
	} else if ((hw1 & 0xfe40) == 0xe800) {
		t32_decode_load_multiple(hw1, hw2, insn);
	} else if ((hw1 & 0xfff0) == 0xe8d0 && (hw2 & 0x00e0) == 0) { /* TBB, TBH */
		t32_set_indirect(insn, HWF_SUB_NONE);
	} else if ((hw1 & 0xff70) == 0xf850) {
		t32_decode_load(hw1, hw2, insn);
	} else if ((hw1 & 0xfff0) == 0xfb50 && (hw2 & 0x0ff0) == 0x0f10) { /* BXAUT */
		t32_set_indirect(insn, (hw1 & 0xf) == 14 ? HWF_SUB_IMPLIED_RET : HWF_SUB_NONE);
	} else if (hw1 == 0xee07) {
		if ((hw2 & 0x0fff) == 0x0f95) /* CP15ISB */
			insn->kind = HWF_INSN_ISB;
		else if ((hw2 & 0x0fdf) == 0x0f9a) /* CP15DSB, CP15DMB */
			insn->kind = HWF_INSN_BARRIER;
	}
}

static bool t32_is_it(uint16_t hw1)
{
	return (hw1 & 0xff00) == 0xbf00 && (hw1 & 0x000f) != 0;
}

/* The lowest set bit of the mask of an IT instruction ends the block. */
static unsigned int t32_it_length(uint16_t hw1)
{
	unsigned int length = 4;
	unsigned int mask = hw1 & 0xfu;

	while ((mask & 1) == 0) {
		mask >>= 1;
		length--;
	}
	return length;
}

void hwf_insn_t32(uint16_t hw1, uint16_t hw2, uint64_t pc, unsigned int *it_left,
		  struct hwf_insn *insn)
{
	bool wide = hwf_insn_t32_is_wide(hw1);

	*insn = (struct hwf_insn){
		.size = wide ? T32_WIDE : T32_NARROW,
		.target_isa = HWF_ISA_T32,
		.conditional = *it_left != 0,
	};
	if (t32_is_it(hw1)) {
		*it_left = t32_it_length(hw1);
		return;
	}
	if (*it_left != 0)
		(*it_left)--;
	if (wide)
		t32_decode_wide(hw1, hw2, pc, insn);
	else
		t32_decode_narrow(hw1, pc, insn);
}
