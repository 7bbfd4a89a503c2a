/*
 * Arm trace: state shared by trace unit and trace buffer unit
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef TARGET_ARM_CPU_TRACE_INTERNAL_H
#define TARGET_ARM_CPU_TRACE_INTERNAL_H

#include "cpu-trace.h"
#include "cpregs.h"

/* What is implemented: set by properties, const from realize on */
typedef struct ARMTraceConfig {
#define TRACE_BOOL(NAME, FIELD, DEFAULT, TEXT) bool FIELD;
#define TRACE_UINT(NAME, FIELD, DEFAULT, LEAST, MOST, TEXT) uint32_t FIELD;
#include "cpu-trace-props.h.inc"
#undef TRACE_BOOL
#undef TRACE_UINT
    /* of the PE, not of the trace unit */
    bool el2, el3, sel2;
} ARMTraceConfig;

/* An index for each register that has storage, arrays in one piece */
typedef enum ETERegIndex {
#define ETE_RW(NAME, OFFSET, STEP, MOST, PRESENT, WRITABLE, ONES)       \
    ETE_##NAME, ETE_##NAME##_LAST = ETE_##NAME + (MOST) - 1,
#define ETE_RO(NAME, OFFSET, VALUE)
#define ETE_FN(NAME, OFFSET, READ, WRITE)
#include "ete-regs.h.inc"
#undef ETE_RW
#undef ETE_RO
#undef ETE_FN
    ETE_REG_COUNT
} ETERegIndex;

/* Architected state of the trace unit */
typedef struct ETEState {
    uint64_t prgctlr;
    uint64_t claim;
    uint64_t reg[ETE_REG_COUNT];
} ETEState;

/* Architected state of the trace buffer unit */
typedef struct TRBEState {
    uint64_t limitr;
    uint64_t ptr;
    uint64_t baser;
    uint64_t sr;
    uint64_t mar;
    uint64_t trg;
} TRBEState;

/* The trace unit at work: private to ete-unit.c */
typedef struct ETEUnit ETEUnit;

typedef struct ARMTrace {
    ARMTraceConfig config;
    ETEState ete;
    TRBEState trbe;
    ETEUnit *unit;
    /* state of the generator that gives UNKNOWN values */
    uint64_t random;
    qemu_irq trbirq;
} ARMTrace;

static inline ARMTrace *env_trace(CPUARMState *env)
{
    return env_archcpu(env)->trace;
}

/* An UNKNOWN value for a field that resets to one */
uint64_t arm_trace_unknown(ARMTrace *trace);
/* A write that the manual lets us ignore: tell, and say whether to take it. */
bool arm_trace_take_busy_write(CPUARMState *env, const ARMCPRegInfo *ri);

/* ete-config.c: what the ID registers say */
uint64_t ete_idr0(const ARMTraceConfig *c);
uint64_t ete_idr1(const ARMTraceConfig *c);
uint64_t ete_idr2(const ARMTraceConfig *c);
uint64_t ete_idr3(const ARMTraceConfig *c);
uint64_t ete_idr4(const ARMTraceConfig *c);
uint64_t ete_idr5(const ARMTraceConfig *c);
uint64_t ete_authstatus(const ARMTraceConfig *c);
uint64_t ete_devarch(const ARMTraceConfig *c);

/* ete.c */
void define_ete_regs(ARMCPU *cpu);
void ete_reset(CPUARMState *env, ARMTrace *trace);
bool ete_enabled(CPUARMState *env);

/* ete-unit.c */
void ete_unit_update(CPUARMState *env);
void ete_unit_reset(ARMTrace *trace);

/* trbe.c */
bool trbe_owned_by_this_state(CPUARMState *env);
bool trbe_owned_by_el2(CPUARMState *env);
void define_trbe_regs(ARMCPU *cpu);
void trbe_reset(ARMTrace *trace);
void trbe_update_irq(ARMTrace *trace);

/* trbe-buffer.c */
bool trbe_collecting(CPUARMState *env);
/* Take trace; false if some of it could not be taken, and is lost. */
bool trbe_write(CPUARMState *env, const uint8_t *bytes, size_t length);

#endif
