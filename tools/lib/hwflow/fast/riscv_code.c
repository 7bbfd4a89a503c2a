/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Addresses of RISC-V, and the instructions there. */
#include "fast/riscv_walk.h"

#include "core/bits.h"

uint64_t hwf_riscv_address(const struct hwf_riscv_flow *flow, uint64_t address)
{
	const unsigned int width = flow->config.params.iaddress_width_p;
	const uint64_t sign = UINT64_C(1) << (width - 1);

	if (width < 64)
		address &= (sign << 1) - 1;
	/* RISCV_SIGN_EXTENSION: of virtual addresses */
	return flow->isa & HWF_RV_64 ? (address ^ sign) - sign : (uint32_t)address;
}

static int read_insn(const struct hwf_riscv_flow *flow, uint64_t address, uint32_t *opcode)
{
	const struct hwf_code *code = flow->code;
	uint8_t bytes[4] = {0};
	const size_t got = code->read(code->ctx, flow->space, address, bytes, sizeof(bytes));

	if (got < 2)
		return HWF_ERR_NO_IMAGE;
	*opcode = hwf_load32(bytes);
	return got < 4 && hwf_rv_size((uint16_t)*opcode) > 2 ? HWF_ERR_NO_IMAGE : 0;
}

int hwf_riscv_fetch(struct hwf_riscv_flow *flow, uint64_t address, struct hwf_rv_insn *insn)
{
	const unsigned int slot = (unsigned int)(address >> 1) % HWF_RISCV_KNOWN;
	uint32_t opcode;
	int err;

	/* also: an empty entry has an odd address */
	if (address & 1)
		return HWF_ERR_IMAGE_MISMATCH;
	if (flow->known[slot].pc == address) {
		*insn = flow->known[slot].insn;
		return 0;
	}
	err = read_insn(flow, address, &opcode);
	if (err)
		return err;
	hwf_rv_insn(opcode, address, flow->isa, insn);
	if (!insn->size)
		return HWF_ERR_IMAGE_MISMATCH;
	flow->known[slot].pc = address;
	flow->known[slot].insn = *insn;
	return 0;
}

void hwf_riscv_forget_code(struct hwf_riscv_flow *flow)
{
	for (unsigned int i = 0; i < HWF_RISCV_KNOWN; i++)
		flow->known[i].pc = UINT64_MAX;
}

static uint8_t sub_of(const struct hwf_rv_insn *insn)
{
	if (insn->kind == HWF_RV_TRAP_RETURN)
		return HWF_SUB_ERET;
	switch (hwf_rv_classify(insn)) {
	case HWF_RV_CALL:
	case HWF_RV_SWAP:
		return HWF_SUB_LINK;
	case HWF_RV_RETURN:
		return HWF_SUB_RET;
	default:
		return HWF_SUB_NONE;
	}
}

struct hwf_insn hwf_riscv_common(const struct hwf_rv_insn *insn, unsigned int isa)
{
	struct hwf_insn result = {
		.size = insn->size,
		.kind = HWF_INSN_OTHER,
		.target_isa = isa & HWF_RV_64 ? HWF_ISA_RV64 : HWF_ISA_RV32,
	};

	switch (insn->kind) {
	case HWF_RV_BRANCH:
	case HWF_RV_JUMP:
		result.kind = HWF_INSN_DIRECT;
		result.target = insn->target;
		result.conditional = insn->kind == HWF_RV_BRANCH;
		break;
	case HWF_RV_JUMP_REG:
	case HWF_RV_TRAP_RETURN:
		result.kind = HWF_INSN_INDIRECT;
		break;
	default:
		return result;
	}
	result.sub = sub_of(insn);
	return result;
}
