/* SPDX-License-Identifier: GPL-2.0-only */
/* What 'verify' says of an instruction. */
#ifndef HWFLOW_VERIFY_SHOW_H
#define HWFLOW_VERIFY_SHOW_H

#include "hwflow/flow.h"
#include "truth/truth.h"

/** struct verify_insn - an instruction of the log; as in struct truth_run */
struct verify_insn {
	uint64_t pc;
	uint32_t opcode;
	uint8_t isa;
	uint8_t size;
};

/** verify_insn() - instruction number @i of a run, which has it */
struct verify_insn verify_insn(const struct truth_run *run, uint32_t i);

/** verify_isa_text() - what stands behind an address: " A32", " T32", or nothing for A64 */
const char *verify_isa_text(uint8_t isa);

/**
 * verify_show_image() - a line where the image has something else than was executed: the kernel
 *	changes its code while it runs
 * @insn: what was executed
 * @code: the image; NULL: none
 * @space: the address space
 */
void verify_show_image(const struct verify_insn *insn, const struct hwf_code *code,
		       const void *space);

#endif /* HWFLOW_VERIFY_SHOW_H */
