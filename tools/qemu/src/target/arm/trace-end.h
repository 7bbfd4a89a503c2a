/*
 * Arm trace: the last instruction of a block, as translated code tells of it
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef TARGET_ARM_TRACE_END_H
#define TARGET_ARM_TRACE_END_H

#include "hw/registerfields.h"

/* 0: it is no P0 instruction; otherwise what struct hwf_insn has of it */
FIELD(TRACE_END, KIND, 0, 4)
FIELD(TRACE_END, SUB, 4, 4)
FIELD(TRACE_END, CONDITIONAL, 8, 1)

#endif
