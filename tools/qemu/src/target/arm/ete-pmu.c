/*
 * Arm trace: the PMU's events as inputs of the trace unit, and the other way
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Choices made here:
 *  - the PMU counts TRB_TRIG;
 *  - TRCEXTOUT<n> are available as External Inputs, a cycle later;
 *  - of the PMU's other events, SW_INCR, INST_RETIRED and CPU_CYCLES can be
 *    External Inputs: what else QEMU has never occurs; the latter two are
 *    active in each cycle: see ete-resources.c;
 *  - events of the last block before an exception are counted at the Exception
 *    level that it is taken to.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "internals.h"
#include "cpu-trace-internal.h"

/* Event numbers beside those of ARM_TRACE_PMU_EVENTS() */
#define SW_INCR 0x0000
#define PMU_OVFS 0x400d
#define PMU_HOVFS 0x400f

static const uint16_t numbers[] = {
#define TRACE_EVENT(NAME, NUMBER) [ETE_PMU_##NAME] = NUMBER,
    ARM_TRACE_PMU_EVENTS(TRACE_EVENT)
#undef TRACE_EVENT
};

/* An event that has a number occurred in the PE. */
static void external_input(ARMTrace *trace, unsigned number)
{
    ETEResources *r = &trace->unit.resources;

    if (!ete_operative(trace)) {
        return;
    }
    /* R_RFWZB, R_VBCBZ: what is exported while trace is prohibited */
    if (!r->running && number != numbers[ETE_PMU_TRB_TRIG] &&
        number != PMU_OVFS && number != PMU_HOVFS) {
        return;
    }
    for (unsigned i = 0; i < trace->config.extinsel; i++) {
        if (ete_reg(trace, ETE_TRCEXTINSELR + i) != number) {
            continue;
        }
        if (r->running) {
            r->external |= 1u << i;
        } else {
            /* R_KCXLF */
            trace->ete.reg[ETE_TRCRSR] |= 1u << i;
        }
    }
}

/* One of our events occurred. The PMU hears of it in ete_pmu_settle(). */
void ete_pmu_event(ARMTrace *trace, ETEPMUEvent event)
{
    trace->pmu.count[event]++;
    trace->pmu.counted = true;
    external_input(trace, numbers[event]);
}

/*
 * A counter overflowed. Maybe in another thread: the PMU's timer. PMU_OVFS and
 * PMU_HOVFS are of counters whose interrupt is enabled.
 */
void arm_trace_pmu_overflow(CPUARMState *env, int counter)
{
    ARMTrace *trace = env_trace(env);
    bool high = arm_feature(env, ARM_FEATURE_EL2) && counter != 31 &&
        counter >= (env->cp15.mdcr_el2 & MDCR_HPMN);

    if (!trace || !trace->config.ete ||
        !extract64(env->cp15.c9_pminten, counter, 1)) {
        return;
    }
    qatomic_or(&trace->pmu.overflows, high ? 2 : 1);
}

/* PMSWINC_EL0 is written: R_XGMPN, R_BXPZK. */
void arm_trace_sw_increment(CPUARMState *env, uint64_t counters)
{
    ARMTrace *trace = env_trace(env);
    unsigned there = pmu_num_counters(env);

    if (!trace || !trace->config.ete) {
        return;
    }
    if (arm_current_el(env) < 2 && arm_is_el2_enabled(env)) {
        there = MIN(there, env->cp15.mdcr_el2 & MDCR_HPMN);
    }
    if (extract64(counters, 0, 32) & ((1u << there) - 1)) {
        external_input(trace, SW_INCR);
    }
}

/* The PMU notices overflows when it looks at its counters. */
static void pmu_recount(CPUARMState *env)
{
    CPUState *cs = env_cpu(env);
    bool locked = bql_locked();
    bool can_do_io = cs->neg.can_do_io;

    if (!locked) {
        bql_lock();
    }
    cs->neg.can_do_io = true;
    pmu_op_start(env);
    pmu_op_finish(env);
    cs->neg.can_do_io = can_do_io;
    if (!locked) {
        bql_unlock();
    }
}

/*
 * Let the PMU see what it counts. Not while an exception is taken: the PMU is
 * between Exception levels then.
 */
void ete_pmu_settle(CPUARMState *env, ARMTrace *trace)
{
    unsigned overflows;

    if (likely(!trace->pmu.counted && !qatomic_read(&trace->pmu.overflows))) {
        return;
    }
    if (trace->pmu.counted && arm_feature(env, ARM_FEATURE_PMU)) {
        pmu_recount(env);
    }
    trace->pmu.counted = false;
    overflows = qatomic_xchg(&trace->pmu.overflows, 0);
    if (overflows & 1) {
        external_input(trace, PMU_OVFS);
    }
    /* R_KRSMY: TRFCR_EL2.E2TRE */
    if ((overflows & 2) && extract64(env->cp15.trfcr_el[2], 1, 1)) {
        external_input(trace, PMU_HOVFS);
    }
}

static bool counts(CPUARMState *env, ETEPMUEvent event)
{
    const ARMTraceConfig *c;

    if (!arm_cpu_has_ete(env_archcpu(env))) {
        return false;
    }
    c = &env_trace(env)->config;
    if (event < ETE_PMU_TRCEXTOUT0) {
        return c->trbe;
    }
    return c->rspairs && event - ETE_PMU_TRCEXTOUT0 < c->events;
}

/* For the PMU's table of events */
#define TRACE_EVENT(NAME, NUMBER)                                       \
bool arm_trace_counts_##NAME(CPUARMState *env)                          \
{                                                                       \
    return counts(env, ETE_PMU_##NAME);                                 \
}                                                                       \
uint64_t arm_trace_count_##NAME(CPUARMState *env)                       \
{                                                                       \
    return env_trace(env)->pmu.count[ETE_PMU_##NAME];                   \
}
ARM_TRACE_PMU_EVENTS(TRACE_EVENT)
#undef TRACE_EVENT
