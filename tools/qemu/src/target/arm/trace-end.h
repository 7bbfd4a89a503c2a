/*
 * Arm trace: the last instruction of a block, as translated code tells of it
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef TARGET_ARM_TRACE_END_H
#define TARGET_ARM_TRACE_END_H

#include "hw/registerfields.h"

/* What struct hwf_insn has of it; KIND is 0 if it is no P0 instruction */
FIELD(TRACE_END, KIND, 0, 4)
FIELD(TRACE_END, SUB, 4, 4)
FIELD(TRACE_END, CONDITIONAL, 8, 1)
FIELD(TRACE_END, TARGET_ISA, 9, 2)
/* HELPER(trace_condition) says whether its condition holds. */
FIELD(TRACE_END, NOTED, 11, 1)
/* Of all instructions of the block: enum hwf_isa, and log2 of their size */
FIELD(TRACE_END, ISA, 12, 2)
FIELD(TRACE_END, SHIFT, 14, 2)

#endif
