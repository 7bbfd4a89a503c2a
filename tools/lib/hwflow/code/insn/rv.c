/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * RISC-V instructions as trace sees them. Encodings: the RISC-V unprivileged and privileged
 * specifications; C, Zcmp and Zcmt by their own chapters.
 */
#include "hwflow/rv_insn.h"

#define RV_SHORT 2
#define RV_LONG  4
#define RV_RA    1 /* x1 */
#define RV_T0    5 /* x5, the alternate link register */

/* @count bits of @word from bit @low on, at bit @to of the result */
static uint32_t rv_bits(uint32_t word, unsigned int low, unsigned int count, unsigned int to)
{
	return (word >> low & ((1u << count) - 1)) << to;
}

static uint64_t rv_sign_extend(uint32_t value, unsigned int width)
{
	uint64_t sign = (uint64_t)1 << (width - 1);

	return (value ^ sign) - sign;
}

static uint64_t rv_address(uint64_t address, unsigned int isa)
{
	return (isa & HWF_RV_64) != 0 ? address : (uint32_t)address;
}

static void rv_set_relative(struct hwf_rv_insn *insn, enum hwf_rv_kind kind, uint64_t pc,
			    uint64_t offset)
{
	insn->kind = (uint8_t)kind;
	insn->target = pc + offset;
}

static void rv_set_jump_reg(struct hwf_rv_insn *insn, unsigned int rd, unsigned int rs1)
{
	insn->kind = HWF_RV_JUMP_REG;
	insn->rd = (uint8_t)rd;
	insn->rs1 = (uint8_t)rs1;
}

static void rv_set_upper(struct hwf_rv_insn *insn, unsigned int rd, uint64_t value)
{
	insn->kind = HWF_RV_UPPER;
	insn->rd = (uint8_t)rd;
	insn->target = value;
}

static uint64_t rv_branch_offset(uint32_t opcode)
{
	return rv_sign_extend(rv_bits(opcode, 31, 1, 12) | rv_bits(opcode, 7, 1, 11) |
				      rv_bits(opcode, 25, 6, 5) | rv_bits(opcode, 8, 4, 1),
			      13);
}

static uint64_t rv_jump_offset(uint32_t opcode)
{
	return rv_sign_extend(rv_bits(opcode, 31, 1, 20) | rv_bits(opcode, 12, 8, 12) |
				      rv_bits(opcode, 20, 1, 11) | rv_bits(opcode, 21, 10, 1),
			      21);
}

/* Returns from traps: of the debug specification, dret; of Smrnmi, mnret; of N, uret. */
static void rv_decode_system(uint32_t opcode, struct hwf_rv_insn *insn)
{
	switch (opcode) {
	case 0x00000073:
		insn->kind = HWF_RV_ECALL;
		break;
	case 0x00100073:
		insn->kind = HWF_RV_EBREAK;
		break;
	case 0x00200073: /* uret */
	case 0x10200073: /* sret */
	case 0x30200073: /* mret */
	case 0x70200073: /* mnret */
	case 0x7b200073: /* dret */
		insn->kind = HWF_RV_TRAP_RETURN;
		break;
	}
}

static void rv_decode_long(uint32_t opcode, uint64_t pc, struct hwf_rv_insn *insn)
{
	unsigned int rd = opcode >> 7 & 31;
	unsigned int funct3 = opcode >> 12 & 7;

	switch (opcode & 0x7f) {
	case 0x17: /* auipc */
		rv_set_upper(insn, rd, pc + rv_sign_extend(opcode & 0xfffff000, 32));
		break;
	case 0x37: /* lui */
		rv_set_upper(insn, rd, rv_sign_extend(opcode & 0xfffff000, 32));
		break;
	case 0x63: /* branches; 010 and 011 are reserved */
		if (funct3 != 2 && funct3 != 3)
			rv_set_relative(insn, HWF_RV_BRANCH, pc, rv_branch_offset(opcode));
		break;
	case 0x67: /* jalr */
		if (funct3 != 0)
			break;
		rv_set_jump_reg(insn, rd, opcode >> 15 & 31);
		insn->target = rv_sign_extend(opcode >> 20, 12);
		break;
	case 0x6f: /* jal */
		rv_set_relative(insn, HWF_RV_JUMP, pc, rv_jump_offset(opcode));
		insn->rd = (uint8_t)rd;
		break;
	case 0x73:
		rv_decode_system(opcode, insn);
		break;
	}
}

static uint64_t rv_short_jump_offset(uint32_t opcode)
{
	return rv_sign_extend(rv_bits(opcode, 12, 1, 11) | rv_bits(opcode, 11, 1, 4) |
				      rv_bits(opcode, 9, 2, 8) | rv_bits(opcode, 8, 1, 10) |
				      rv_bits(opcode, 7, 1, 6) | rv_bits(opcode, 6, 1, 7) |
				      rv_bits(opcode, 3, 3, 1) | rv_bits(opcode, 2, 1, 5),
			      12);
}

static uint64_t rv_short_branch_offset(uint32_t opcode)
{
	return rv_sign_extend(rv_bits(opcode, 12, 1, 8) | rv_bits(opcode, 10, 2, 3) |
				      rv_bits(opcode, 5, 2, 6) | rv_bits(opcode, 3, 2, 1) |
				      rv_bits(opcode, 2, 1, 5),
			      9);
}

/* Quadrant 1. c.lui with x2 is c.addi16sp; with a constant of zero it is reserved, or Zcmop. */
static void rv_decode_quadrant1(uint32_t opcode, uint64_t pc, unsigned int isa,
				struct hwf_rv_insn *insn)
{
	unsigned int rd = opcode >> 7 & 31;
	uint32_t upper = rv_bits(opcode, 12, 1, 17) | rv_bits(opcode, 2, 5, 12);

	switch (opcode >> 13 & 7) {
	case 1: /* c.jal; on RV64 c.addiw */
		if ((isa & HWF_RV_64) != 0)
			break;
		rv_set_relative(insn, HWF_RV_JUMP, pc, rv_short_jump_offset(opcode));
		insn->rd = RV_RA;
		break;
	case 3: /* c.lui */
		if (rd != 2 && upper != 0)
			rv_set_upper(insn, rd, rv_sign_extend(upper, 18));
		break;
	case 5: /* c.j */
		rv_set_relative(insn, HWF_RV_JUMP, pc, rv_short_jump_offset(opcode));
		break;
	case 6: /* c.beqz */
	case 7: /* c.bnez */
		rv_set_relative(insn, HWF_RV_BRANCH, pc, rv_short_branch_offset(opcode));
		break;
	}
}

/* cm.popret and cm.popretz return through x1; cm.jt and cm.jalt take the target from a table. */
static void rv_decode_zcm(uint32_t opcode, struct hwf_rv_insn *insn)
{
	uint32_t index = opcode >> 2 & 0xff;

	if ((opcode & 0xfd03) == 0xbc02 && (opcode >> 4 & 15) >= 4)
		rv_set_jump_reg(insn, 0, RV_RA);
	else if ((opcode & 0xfc03) == 0xa002)
		rv_set_jump_reg(insn, index < 32 ? 0 : RV_RA, HWF_RV_NO_REG);
}

/* Quadrant 2 */
static void rv_decode_quadrant2(uint32_t opcode, unsigned int isa, struct hwf_rv_insn *insn)
{
	unsigned int rs1 = opcode >> 7 & 31;
	bool link = (opcode & 0x1000) != 0;

	if ((opcode & 0xe000) == 0xa000 && (isa & HWF_RV_ZCM) != 0) {
		rv_decode_zcm(opcode, insn);
	} else if ((opcode & 0xe07f) == 0x8002) {
		if (rs1 != 0) /* c.jr, c.jalr */
			rv_set_jump_reg(insn, link ? RV_RA : 0, rs1);
		else if (link)
			insn->kind = HWF_RV_EBREAK;
	}
}

unsigned int hwf_rv_size(uint16_t first)
{
	if ((first & 0x03) != 0x03)
		return 2;
	if ((first & 0x1f) != 0x1f)
		return 4;
	if ((first & 0x3f) == 0x1f)
		return 6;
	if ((first & 0x7f) == 0x3f)
		return 8;
	return (first & 0x7000) == 0x7000 ? 0 : 10 + 2 * (first >> 12 & 7u);
}

void hwf_rv_insn(uint32_t opcode, uint64_t pc, unsigned int isa, struct hwf_rv_insn *insn)
{
	*insn = (struct hwf_rv_insn){.size = (uint8_t)hwf_rv_size((uint16_t)opcode)};

	if (insn->size == RV_LONG)
		rv_decode_long(opcode, pc, insn);
	else if (insn->size == RV_SHORT && (opcode & 3) == 1)
		rv_decode_quadrant1(opcode, pc, isa, insn);
	else if (insn->size == RV_SHORT && (opcode & 3) == 2)
		rv_decode_quadrant2(opcode & 0xffff, isa, insn);
	insn->target = rv_address(insn->target, isa);
}

bool hwf_rv_is_inferable(const struct hwf_rv_insn *insn)
{
	return insn->kind == HWF_RV_JUMP || (insn->kind == HWF_RV_JUMP_REG && insn->rs1 == 0);
}

bool hwf_rv_is_sequential(const struct hwf_rv_insn *before, const struct hwf_rv_insn *insn)
{
	return before && before->kind == HWF_RV_UPPER && insn->kind == HWF_RV_JUMP_REG &&
	       insn->rs1 != 0 && insn->rs1 == before->rd;
}

uint64_t hwf_rv_jump_target(const struct hwf_rv_insn *insn, uint64_t value, unsigned int isa)
{
	return rv_address(value + insn->target, isa) & ~(uint64_t)1;
}

static bool rv_is_link(unsigned int reg)
{
	return reg == RV_RA || reg == RV_T0;
}

enum hwf_rv_class hwf_rv_classify(const struct hwf_rv_insn *insn)
{
	if (insn->kind != HWF_RV_JUMP && insn->kind != HWF_RV_JUMP_REG)
		return HWF_RV_NO_JUMP;
	if (rv_is_link(insn->rd))
		return rv_is_link(insn->rs1) && insn->rs1 != insn->rd ? HWF_RV_SWAP : HWF_RV_CALL;
	if (rv_is_link(insn->rs1))
		return HWF_RV_RETURN;
	return insn->rd == 0 ? HWF_RV_TAIL : HWF_RV_OTHER_JUMP;
}

static enum hwf_rv_itype rv_itype_jump(const struct hwf_rv_insn *insn)
{
	bool inferable = hwf_rv_is_inferable(insn);

	switch (hwf_rv_classify(insn)) {
	case HWF_RV_CALL:
		return inferable ? HWF_RV_ITYPE_INFERABLE_CALL : HWF_RV_ITYPE_UNINFERABLE_CALL;
	case HWF_RV_TAIL:
		return inferable ? HWF_RV_ITYPE_INFERABLE_TAIL : HWF_RV_ITYPE_UNINFERABLE_TAIL;
	case HWF_RV_RETURN:
		return HWF_RV_ITYPE_RETURN;
	case HWF_RV_SWAP:
		return HWF_RV_ITYPE_SWAP;
	case HWF_RV_OTHER_JUMP:
		return inferable ? HWF_RV_ITYPE_INFERABLE_OTHER : HWF_RV_ITYPE_UNINFERABLE_OTHER;
	default:
		return HWF_RV_ITYPE_NONE;
	}
}

enum hwf_rv_itype hwf_rv_itype(const struct hwf_rv_insn *insn, bool taken, unsigned int width)
{
	if (insn->kind == HWF_RV_BRANCH)
		return taken ? HWF_RV_ITYPE_TAKEN : HWF_RV_ITYPE_NOT_TAKEN;
	if (insn->kind == HWF_RV_TRAP_RETURN)
		return HWF_RV_ITYPE_TRAP_RETURN;
	if (width >= 4)
		return rv_itype_jump(insn);
	return insn->kind == HWF_RV_JUMP_REG && !hwf_rv_is_inferable(insn)
		       ? HWF_RV_ITYPE_UNINFERABLE_JUMP
		       : HWF_RV_ITYPE_NONE;
}

/* RISCV_ITYPE, Table 3.2. A jump to a register that links elsewhere is unpredictable whatever comes
 * before. */
static enum hwf_rv_draft_itype rv_draft_itype_jump_reg(const struct hwf_rv_insn *insn,
						       bool predictable)
{
	if (rv_is_link(insn->rd) || (insn->rd == 0 && !rv_is_link(insn->rs1)))
		return predictable ? HWF_RV_DRAFT_PREDICTABLE_CALL
				   : HWF_RV_DRAFT_UNPREDICTABLE_CALL;
	if (insn->rd == 0)
		return predictable ? HWF_RV_DRAFT_PREDICTABLE_RETURN
				   : HWF_RV_DRAFT_UNPREDICTABLE_RETURN;
	return HWF_RV_DRAFT_UNPREDICTABLE_JUMP;
}

enum hwf_rv_draft_itype hwf_rv_draft_itype(const struct hwf_rv_insn *before,
					   const struct hwf_rv_insn *insn, bool taken)
{
	switch (insn->kind) {
	case HWF_RV_BRANCH:
		return taken ? HWF_RV_DRAFT_TAKEN : HWF_RV_DRAFT_NONE;
	case HWF_RV_TRAP_RETURN:
		return HWF_RV_DRAFT_TRAP_RETURN;
	case HWF_RV_JUMP:
		return rv_is_link(insn->rd) ? HWF_RV_DRAFT_PREDICTABLE_CALL
					    : HWF_RV_DRAFT_PREDICTABLE_JUMP;
	case HWF_RV_JUMP_REG:
		return rv_draft_itype_jump_reg(insn, hwf_rv_is_sequential(before, insn));
	default:
		return HWF_RV_DRAFT_NONE;
	}
}
