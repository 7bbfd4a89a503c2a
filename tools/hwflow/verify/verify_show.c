// SPDX-License-Identifier: GPL-2.0-only
/* What 'verify' says of an instruction. */
#include <inttypes.h>
#include <stdio.h>

#include "base/print.h"
#include "core/bits.h"
#include "verify_show.h"

struct verify_insn verify_insn(const struct truth_run *run, uint32_t i)
{
	return (struct verify_insn){run->pc + truth_run_bytes(run, i), run->opcodes[i], run->isa,
				    (uint8_t)truth_insn_size(run, i)};
}

const char *verify_isa_text(uint8_t isa)
{
	return isa == HWF_ISA_A32 ? " A32" : isa == HWF_ISA_T32 ? " T32" : "";
}

void verify_show_image(const struct verify_insn *insn, const struct hwf_code *code,
		       const void *space)
{
	uint8_t bytes[4] = {0};
	uint32_t word;

	if (!code || code->read(code->ctx, space, insn->pc, bytes, insn->size) != insn->size)
		return;
	word = hwf_load32(bytes);
	/* as the log has it: the first half-word above the second */
	if (insn->isa == HWF_ISA_T32 && insn->size == 4)
		word = word << 16 | word >> 16;
	if (word != insn->opcode)
		print(stdout,
		      "  image:   %" PRIx64 " has %0*" PRIx32 ", executed was %0*" PRIx32 "\n",
		      insn->pc, 2 * insn->size, word, 2 * insn->size, insn->opcode);
}
