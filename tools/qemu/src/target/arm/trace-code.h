/*
 * Arm trace: the code of traced blocks
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef TARGET_ARM_TRACE_CODE_H
#define TARGET_ARM_TRACE_CODE_H

#include "hwflow/trace_unit.h"

/*
 * What a translated block executes. One for each address and content, kept
 * until QEMU ends: translated code, entries of ARMTraceFeed and the log refer
 * to it.
 */
typedef struct ARMTraceCode {
    /* at the address where it was translated; it can run elsewhere */
    struct hwf_tu_code run;
    /* of those made before */
    uint32_t number;
    /* HELPER(trace_condition) notes whether the last instruction executes. */
    bool noted;
    const uint32_t *words;
} ARMTraceCode;

static inline const ARMTraceCode *arm_trace_code_of(const struct hwf_tu_run *r)
{
    return container_of(r->code, ARMTraceCode, run);
}

/* The code that equals @code but for its number; its words are copied. */
const ARMTraceCode *arm_trace_code(const ARMTraceCode *code);

#endif
