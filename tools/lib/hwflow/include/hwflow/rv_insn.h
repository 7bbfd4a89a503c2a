/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * RISC-V instructions as trace sees them: how long one is, where it goes, whether its target can be
 * told from the program, and which itype it has.
 */
#ifndef HWFLOW_RV_INSN_H
#define HWFLOW_RV_INSN_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/**
 * enum hwf_rv_isa - what of the instruction set changes how words are decoded; a set of bits
 * @HWF_RV_64: RV64, else RV32: c.jal is there on RV32 only, and addresses have 32 bits there
 * @HWF_RV_ZCM: Zcmp and Zcmt in place of c.fsdsp: cm.popret, cm.popretz, cm.jt, cm.jalt
 */
enum hwf_rv_isa {
	HWF_RV_64 = 1 << 0,
	HWF_RV_ZCM = 1 << 1,
};

/**
 * enum hwf_rv_kind - what an instruction is to the trace
 * @HWF_RV_OTHER: the next one follows it
 * @HWF_RV_BRANCH: conditional, with its target in the encoding
 * @HWF_RV_JUMP: jal and its short forms: always goes to the target in the encoding
 * @HWF_RV_JUMP_REG: jalr, its short forms, and jumps whose target comes from memory
 * @HWF_RV_TRAP_RETURN: uret, sret, mret, mnret, dret
 * @HWF_RV_ECALL: ecall
 * @HWF_RV_EBREAK: ebreak and c.ebreak
 * @HWF_RV_UPPER: lui, c.lui, auipc: puts what the program tells into a register
 */
enum hwf_rv_kind {
	HWF_RV_OTHER,
	HWF_RV_BRANCH,
	HWF_RV_JUMP,
	HWF_RV_JUMP_REG,
	HWF_RV_TRAP_RETURN,
	HWF_RV_ECALL,
	HWF_RV_EBREAK,
	HWF_RV_UPPER,
};

/** HWF_RV_NO_REG - in place of a register: the target of the jump comes from memory */
#define HWF_RV_NO_REG 32

/**
 * struct hwf_rv_insn - one decoded instruction
 * @target: of a branch or jump: the address it goes to when taken; of HWF_RV_UPPER: the value it
 *	puts into @rd; of HWF_RV_JUMP_REG: what it adds to @rs1, sign-extended. 32 bits on RV32
 * @size: bytes: 2, 4, or, by the length encoding of longer instructions, 6 to 22 and even;
 *	0 where the encoding of the length is reserved
 * @kind: enum hwf_rv_kind
 * @rd: register written by HWF_RV_JUMP, HWF_RV_JUMP_REG (the return address) and HWF_RV_UPPER, else
 *	0
 * @rs1: register that HWF_RV_JUMP_REG jumps to, or HWF_RV_NO_REG; else 0
 */
struct hwf_rv_insn {
	uint64_t target;
	uint8_t size;
	uint8_t kind;
	uint8_t rd;
	uint8_t rs1;
};

/**
 * hwf_rv_size() - length of an instruction
 * @first: its first half-word
 *
 * Return: bytes, as hwf_rv_insn.size.
 */
unsigned int hwf_rv_size(uint16_t first);

/**
 * hwf_rv_insn() - decode one instruction
 * @opcode: its first two half-words, the first one lowest; of a short one the upper half-word is
 *	not looked at
 * @pc: its virtual address
 * @isa: set of enum hwf_rv_isa
 * @insn: receives the result, every field set
 *
 * Every word decodes: what changes no flow, and what is reserved, is HWF_RV_OTHER.
 */
void hwf_rv_insn(uint32_t opcode, uint64_t pc, unsigned int isa, struct hwf_rv_insn *insn);

/**
 * hwf_rv_is_inferable() - is it a jump whose target its own encoding tells?
 * @insn: a decoded instruction
 *
 * HWF_RV_JUMP, and jalr of x0, whose target is then hwf_rv_insn.target with bit 0 clear (ratified
 * E-Trace, jump classification). The 0.026 draft has only the former.
 */
bool hwf_rv_is_inferable(const struct hwf_rv_insn *insn);

/**
 * hwf_rv_is_sequential() - is it a jump to a register that the instruction before it has set to
 *	what the program tells?
 * @before: the instruction executed directly before, NULL for none or not known
 * @insn: the instruction
 *
 * The ratified specification calls such a jump sequentially inferable, the 0.026 draft (Table 3.2)
 * predictable.
 */
bool hwf_rv_is_sequential(const struct hwf_rv_insn *before, const struct hwf_rv_insn *insn);

/**
 * hwf_rv_jump_target() - where a jump to a register goes
 * @insn: of HWF_RV_JUMP_REG
 * @value: of the register: 0 for x0, hwf_rv_insn.target of the instruction before where
 *	hwf_rv_is_sequential()
 * @isa: set of enum hwf_rv_isa
 */
uint64_t hwf_rv_jump_target(const struct hwf_rv_insn *insn, uint64_t value, unsigned int isa);

/**
 * enum hwf_rv_class - jumps by the calling convention (ratified E-Trace, jump classification)
 * @HWF_RV_NO_JUMP: no jump, or a return from a trap
 * @HWF_RV_CALL: links in x1 or x5
 * @HWF_RV_TAIL: links nowhere; a jump within a function too
 * @HWF_RV_RETURN: to x1 or x5, and does not link there
 * @HWF_RV_SWAP: to one of x1 and x5, linking in the other
 * @HWF_RV_OTHER_JUMP: links elsewhere
 */
enum hwf_rv_class {
	HWF_RV_NO_JUMP,
	HWF_RV_CALL,
	HWF_RV_TAIL,
	HWF_RV_RETURN,
	HWF_RV_SWAP,
	HWF_RV_OTHER_JUMP,
};

/**
 * hwf_rv_classify() - what a jump is by the calling convention
 * @insn: a decoded instruction
 */
enum hwf_rv_class hwf_rv_classify(const struct hwf_rv_insn *insn);

/**
 * enum hwf_rv_itype - termination types of ratified E-Trace
 *
 * From HWF_RV_UNINFERABLE_CALL on they need an itype of 4 bits; HWF_RV_UNINFERABLE_JUMP is there
 * with 3 bits only. Of the 0.026 draft (enum hwf_rv_draft_itype) 0 to 3 are the same.
 */
enum hwf_rv_itype {
	HWF_RV_ITYPE_NONE,
	HWF_RV_ITYPE_EXCEPTION,
	HWF_RV_ITYPE_INTERRUPT,
	HWF_RV_ITYPE_TRAP_RETURN,
	HWF_RV_ITYPE_NOT_TAKEN,
	HWF_RV_ITYPE_TAKEN,
	HWF_RV_ITYPE_UNINFERABLE_JUMP,
	HWF_RV_ITYPE_RESERVED,
	HWF_RV_ITYPE_UNINFERABLE_CALL,
	HWF_RV_ITYPE_INFERABLE_CALL,
	HWF_RV_ITYPE_UNINFERABLE_TAIL,
	HWF_RV_ITYPE_INFERABLE_TAIL,
	HWF_RV_ITYPE_SWAP,
	HWF_RV_ITYPE_RETURN,
	HWF_RV_ITYPE_UNINFERABLE_OTHER,
	HWF_RV_ITYPE_INFERABLE_OTHER,
};

/**
 * enum hwf_rv_draft_itype - termination types of Processor Trace 0.026 (Tables 3.1 and 3.2); 4, 5
 *	and 7 are reserved
 */
enum hwf_rv_draft_itype {
	HWF_RV_DRAFT_NONE = 0,
	HWF_RV_DRAFT_EXCEPTION = 1,
	HWF_RV_DRAFT_INTERRUPT = 2,
	HWF_RV_DRAFT_TRAP_RETURN = 3,
	HWF_RV_DRAFT_TAKEN = 6,
	HWF_RV_DRAFT_UNPREDICTABLE_CALL = 8,
	HWF_RV_DRAFT_PREDICTABLE_CALL = 9,
	HWF_RV_DRAFT_UNPREDICTABLE_RETURN = 10,
	HWF_RV_DRAFT_PREDICTABLE_RETURN = 11,
	HWF_RV_DRAFT_UNPREDICTABLE_JUMP = 12,
	HWF_RV_DRAFT_PREDICTABLE_JUMP = 13,
};

/**
 * hwf_rv_itype() - itype of a block that ends with this instruction, ratified
 * @insn: the instruction
 * @taken: for a branch: it was taken
 * @width: itype_width_p, 3 or 4
 *
 * Exceptions and interrupts are not the instruction's and not said here.
 */
enum hwf_rv_itype hwf_rv_itype(const struct hwf_rv_insn *insn, bool taken, unsigned int width);

/**
 * hwf_rv_draft_itype() - itype of a block that ends with this instruction, 0.026 draft
 * @before: the instruction retired directly before, NULL for none or not known
 * @insn: the instruction
 * @taken: for a branch: it was taken
 *
 * A branch that is not taken ends no block by itself: HWF_RV_DRAFT_NONE.
 */
enum hwf_rv_draft_itype hwf_rv_draft_itype(const struct hwf_rv_insn *before,
					   const struct hwf_rv_insn *insn, bool taken);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_RV_INSN_H */
