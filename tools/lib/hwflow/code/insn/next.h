/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Where execution goes on behind an instruction. */
#ifndef HWF_CODE_INSN_NEXT_H
#define HWF_CODE_INSN_NEXT_H

#include "hwflow/insn.h"

/*
 * Where execution goes on behind an instruction that ends at @end; false where only the trace can
 * say that. ThumbEE is left by a branch to A32 only (ETMV3_THUMBEE).
 */
static inline bool hwf_insn_next(const struct hwf_insn *insn, uint64_t end, uint8_t isa, bool taken,
				 uint64_t *address, uint8_t *next_isa)
{
	*address = end;
	*next_isa = isa;
	if (!taken)
		return true;
	if (insn->kind == HWF_INSN_DIRECT) {
		*address = insn->target;
		if (isa != HWF_ISA_T32EE || insn->target_isa == HWF_ISA_A32)
			*next_isa = insn->target_isa;
	}
	return insn->kind != HWF_INSN_INDIRECT;
}

/*
 * Is an N Atom of an instruction possible? It contradicts an unconditional branch, but in T32 an IT
 * block before the address where the walk began may make any instruction conditional.
 */
static inline bool hwf_flow_n_is_possible(uint8_t isa, const struct hwf_insn *insn)
{
	return insn->conditional || isa == HWF_ISA_T32;
}

#endif /* HWF_CODE_INSN_NEXT_H */
