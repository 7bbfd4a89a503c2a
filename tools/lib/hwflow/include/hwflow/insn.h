/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Instructions as trace sees them: which one is a P0 instruction, of what kind,
 * and where it goes when it is taken.
 */
#ifndef HWFLOW_INSN_H
#define HWFLOW_INSN_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** enum hwf_isa - instruction set of an address */
enum hwf_isa {
	HWF_ISA_UNKNOWN,
	HWF_ISA_A64,
	HWF_ISA_A32,
	HWF_ISA_T32,
	HWF_ISA_RV32, /* with C: see hwflow/rv_insn.h */
	HWF_ISA_RV64,
	HWF_ISA_T32EE,   /* ThumbEE: contexts of ETMv3; its ranges are called T32 */
	HWF_ISA_JAZELLE, /* Java bytecodes: contexts of ETMv3; there are no ranges of it */
};

/**
 * enum hwf_insn_kind - what an instruction is to the trace unit
 * @HWF_INSN_OTHER: never a P0 instruction
 * @HWF_INSN_DIRECT: branch with its target in the encoding
 * @HWF_INSN_INDIRECT: branch whose target only the PE knows
 * @HWF_INSN_ISB: instruction synchronisation barrier
 * @HWF_INSN_BARRIER: DSB, DMB, SB and the like; not a P0 instruction
 * @HWF_INSN_WFX: WFI, WFE, WFIT, WFET; P0 only where TRCIDR2.WFXMODE is 1
 * @HWF_INSN_TSTART: start of a transaction (R_LLCQG)
 */
enum hwf_insn_kind {
	HWF_INSN_OTHER,
	HWF_INSN_DIRECT,
	HWF_INSN_INDIRECT,
	HWF_INSN_ISB,
	HWF_INSN_BARRIER,
	HWF_INSN_WFX,
	HWF_INSN_TSTART,
};

/**
 * enum hwf_insn_sub - what a branch does besides branching
 * @HWF_SUB_NONE: nothing
 * @HWF_SUB_LINK: writes the link register: BL, BLR, BLX and their variants
 * @HWF_SUB_RET: A64 RET and its variants
 * @HWF_SUB_ERET: exception return: ERET and its variants, TEXIT
 * @HWF_SUB_IMPLIED_RET: A32 and T32 forms that return by convention, such as
 *	BX LR, MOV PC, LR, and loads of the PC from the stack
 * @HWF_SUB_LOOP: start or end of a loop of Armv8.1-M, conditional on its count
 */
enum hwf_insn_sub {
	HWF_SUB_NONE,
	HWF_SUB_LINK,
	HWF_SUB_RET,
	HWF_SUB_ERET,
	HWF_SUB_IMPLIED_RET,
	HWF_SUB_LOOP,
};

/**
 * enum hwf_insn_call - instructions that take an exception by design
 *
 * These are not P0 instructions; the trace unit needs them to name the
 * exception that follows.
 */
enum hwf_insn_call {
	HWF_CALL_NONE,
	HWF_CALL_SVC,
	HWF_CALL_HVC,
	HWF_CALL_SMC,
	HWF_CALL_BRK,
	HWF_CALL_HLT,
	HWF_CALL_UDF,
};

/**
 * struct hwf_insn - one decoded instruction
 * @target: address it goes to when taken; valid for HWF_INSN_DIRECT only
 * @size: bytes, 2 or 4
 * @kind: enum hwf_insn_kind
 * @sub: enum hwf_insn_sub
 * @target_isa: enum hwf_isa at @target, for HWF_INSN_DIRECT; for all other
 *	kinds the instruction set of the instruction itself
 * @call: enum hwf_insn_call
 * @conditional: it may be not taken, by a condition of its own, a register
 *	test, or the IT block it stands in
 */
struct hwf_insn {
	uint64_t target;
	uint8_t size;
	uint8_t kind;
	uint8_t sub;
	uint8_t target_isa;
	uint8_t call;
	bool conditional;
};

/**
 * hwf_insn_a64() - decode one A64 instruction
 * @opcode: the instruction word
 * @pc: its virtual address
 * @insn: receives the result, every field set
 *
 * Every word decodes: what is no branch, barrier or call is HWF_INSN_OTHER.
 */
void hwf_insn_a64(uint32_t opcode, uint64_t pc, struct hwf_insn *insn);

/**
 * hwf_insn_a32() - decode one A32 instruction
 * @opcode: the instruction word
 * @pc: its virtual address, bits 63:32 zero
 * @insn: receives the result, every field set
 */
void hwf_insn_a32(uint32_t opcode, uint64_t pc, struct hwf_insn *insn);

/**
 * hwf_insn_t32_is_wide() - does this half-word begin a 32-bit instruction?
 * @hw1: the first half-word
 */
static inline bool hwf_insn_t32_is_wide(uint16_t hw1)
{
	return (hw1 & 0xe000) == 0xe000 && (hw1 & 0x1800) != 0;
}

/**
 * hwf_insn_t32() - decode one T32 instruction
 * @hw1: the first half-word
 * @hw2: the second half-word; read only if hwf_insn_t32_is_wide()
 * @pc: its virtual address, bits 63:32 zero
 * @it_left: instructions of the current IT block still to come, this one
 *	included; updated: an IT instruction sets it, every other counts it down.
 *	Zero where no IT block is open.
 * @insn: receives the result, every field set
 */
void hwf_insn_t32(uint16_t hw1, uint16_t hw2, uint64_t pc, unsigned int *it_left,
		  struct hwf_insn *insn);

/**
 * hwf_insn_is_p0() - is it a P0 instruction?
 * @insn: a decoded instruction
 * @wfx: TRCIDR2.WFXMODE: WFI and the like are P0 instructions
 */
static inline bool hwf_insn_is_p0(const struct hwf_insn *insn, bool wfx)
{
	switch (insn->kind) {
	case HWF_INSN_DIRECT:
	case HWF_INSN_INDIRECT:
	case HWF_INSN_ISB:
	case HWF_INSN_TSTART:
		return true;
	case HWF_INSN_WFX:
		return wfx;
	default:
		return false;
	}
}

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_INSN_H */
