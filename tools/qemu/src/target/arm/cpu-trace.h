/*
 * Arm trace: FEAT_TRF, FEAT_ETE and FEAT_TRBE
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What the rest of QEMU needs to know; the state is private to these files.
 */
#ifndef TARGET_ARM_CPU_TRACE_H
#define TARGET_ARM_CPU_TRACE_H

#include "cpu.h"
#include "qom/object.h"

/* PPI number of TRBIRQ on boards that follow the example of the binding */
#define ARM_TRBE_PPI 15

#ifndef CONFIG_USER_ONLY
/* Events of trace unit and trace buffer unit that the PMU can count */
#define ARM_TRACE_PMU_EVENTS(EVENT)                                     \
    EVENT(TRB_WRAP, 0x400c)                                             \
    EVENT(TRB_TRIG, 0x400e)                                             \
    EVENT(TRCEXTOUT0, 0x4010)                                           \
    EVENT(TRCEXTOUT1, 0x4011)                                           \
    EVENT(TRCEXTOUT2, 0x4012)                                           \
    EVENT(TRCEXTOUT3, 0x4013)

/* Is the event implemented? How often has it occurred? */
#define TRACE_EVENT(NAME, NUMBER)                                       \
    bool arm_trace_counts_##NAME(CPUARMState *env);                     \
    uint64_t arm_trace_count_##NAME(CPUARMState *env);
ARM_TRACE_PMU_EVENTS(TRACE_EVENT)
#undef TRACE_EVENT
/* A counter of the PMU overflowed; PMSWINC_EL0 is written. */
void arm_trace_pmu_overflow(CPUARMState *env, int counter);
void arm_trace_sw_increment(CPUARMState *env, uint64_t counters);
/* Give a CPU the trace properties; nothing is implemented until "ete=on". */
void aarch64_add_trace_properties(Object *obj);
/* Check the properties, and set the ID registers accordingly. */
bool arm_trace_realize(ARMCPU *cpu, Error **errp);
void arm_trace_finalize(ARMCPU *cpu);
/* All state is of before the reset yet; or it is of after it. */
void arm_trace_reset_begins(ARMCPU *cpu);
void arm_trace_reset(ARMCPU *cpu);
/* Add the System registers of what is implemented. */
void define_trace_regs(ARMCPU *cpu);
/* ete-management.c: is OSLSR_EL1 changed by it, and not by the caller? */
bool arm_trace_os_lock_write(CPUARMState *env, bool lock);
bool arm_cpu_has_ete(ARMCPU *cpu);
bool arm_cpu_has_trbe(ARMCPU *cpu);
/* PPI that TRBIRQ of a CPU with a trace buffer is */
uint32_t arm_cpu_trbe_ppi(ARMCPU *cpu);
/* Set up EL3 as firmware does for Non-secure software at EL2 or EL1. */
void arm_trace_firmware_reset(ARMCPU *cpu);
extern const VMStateDescription vmstate_arm_trace;

/* Are instructions at Exception level @el traced now? */
bool arm_trace_active(CPUARMState *env, int el);
/* The same, where the flags of translated code are made. */
bool arm_trace_flags(CPUARMState *env, int el);
/* An exception was taken, or returned from: all state is of after it. */
void arm_trace_exception(CPUState *cs);
void arm_trace_exception_return(CPUARMState *env);
/* The CPU was put back to an instruction within a block, and leaves it. */
void arm_trace_left(CPUARMState *env);
/* Do ISB and DSB matter to trace? Where they do, blocks tell of them. */
bool arm_trace_barriers(ARMCPU *cpu);
#else
#define ARM_TRACE_PMU_EVENTS(EVENT)
static inline void arm_trace_pmu_overflow(CPUARMState *env, int counter) { }
static inline void arm_trace_sw_increment(CPUARMState *env, uint64_t counters)
{
}
static inline void aarch64_add_trace_properties(Object *obj) { }
static inline bool arm_trace_realize(ARMCPU *cpu, Error **errp)
{
    return true;
}
static inline void arm_trace_finalize(ARMCPU *cpu) { }
static inline void arm_trace_reset_begins(ARMCPU *cpu) { }
static inline void arm_trace_reset(ARMCPU *cpu) { }
static inline void define_trace_regs(ARMCPU *cpu) { }
static inline void arm_trace_firmware_reset(ARMCPU *cpu) { }
static inline bool arm_trace_os_lock_write(CPUARMState *env, bool lock)
{
    return false;
}
static inline bool arm_trace_barriers(ARMCPU *cpu)
{
    return false;
}
static inline bool arm_trace_flags(CPUARMState *env, int el)
{
    return false;
}
static inline void arm_trace_exception(CPUState *cs) { }
static inline void arm_trace_exception_return(CPUARMState *env) { }
static inline void arm_trace_left(CPUARMState *env) { }
#endif

#endif
