/*
 * Arm Trace Buffer Extension: trace data on its way to memory
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Choices made here:
 *  - trace data that comes while collection is stopped is rejected, and lost;
 *  - an External abort on a write stops collection, and is reported as a stage
 *    1 Data Abort with the status code of an asynchronous External abort, and
 *    with EA set;
 *  - a current write pointer beyond the Limit pointer is incremented until a
 *    byte ends at the Limit pointer, if it ever does (R_VHNTF);
 *  - there is no separate TLB: each piece of trace data is translated anew;
 *  - with TRBIDR_EL1.Align other than 0, TSB CSYNC pads to it with Ignore
 *    packets.
 * Data is in memory as soon as it is accepted, unless trace-sync is strict.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "hw/core/cpu.h"
#include "cpu.h"
#include "internals.h"
#include "exec/exec-all.h"
#include "cpu-trace-internal.h"
#include "trbe-fields.h"

/* TRBSR_EL1.EC */
#define TRBE_EC_OTHER 0x00
#define TRBE_EC_STAGE1 0x24
#define TRBE_EC_STAGE2 0x25
/* TRBSR_EL1.BSC */
#define TRBE_BSC_RUNNING 0
#define TRBE_BSC_FULL 1
#define TRBE_BSC_TRIGGER 2
/* TRBSR_EL1.FSC */
#define TRBE_FSC_TRANSLATION_3 0x07
#define TRBE_FSC_ASYNC_EXTERNAL 0x11
/* TRBLIMITR_EL1.FM */
#define TRBE_FM_FILL 0
#define TRBE_FM_WRAP 1
#define TRBE_FM_CIRCULAR 3
/* TRBLIMITR_EL1.TM */
#define TRBE_TM_STOP 0
#define TRBE_TM_IRQ 1
#define TRBE_TM_IGNORE 3

/* TRBIDR_EL1.EA */
#define TRBIDR_EA_IGNORED 1
#define TRBIDR_EA_SERROR 2

#define ETE_IGNORE_PACKET 0x70

/*
 * Trace comes at the start of blocks, where icount allows no interrupts to be
 * raised; it will be taken at the end of this one.
 */
void trbe_raise(ARMTrace *trace)
{
    bool locked = bql_locked();
    bool can_do_io = current_cpu->neg.can_do_io;

    if (!locked) {
        bql_lock();
    }
    current_cpu->neg.can_do_io = true;
    trbe_update_irq(trace);
    current_cpu->neg.can_do_io = can_do_io;
    if (!locked) {
        bql_unlock();
    }
}

static void trbe_interrupt(ARMTrace *trace)
{
    trace->trbe.sr = FIELD_DP64(trace->trbe.sr, TRBSR, IRQ, 1);
    trbe_raise(trace);
}

/* A trace buffer management event */
static void trbe_event(ARMTrace *trace, unsigned ec, unsigned mss, bool stop)
{
    TRBEState *s = &trace->trbe;

    /* why collection stopped stays as it is */
    if (!FIELD_EX64(s->sr, TRBSR, S)) {
        s->sr = FIELD_DP64(s->sr, TRBSR, EC, ec);
        s->sr = FIELD_DP64(s->sr, TRBSR, MSS, mss);
    }
    if (stop) {
        s->sr = FIELD_DP64(s->sr, TRBSR, S, 1);
    }
    trbe_interrupt(trace);
}

/* A write to memory had an External abort. Is it ignored? */
bool trbe_external_abort(CPUARMState *env, ARMTrace *trace)
{
    if (trace->config.ea == TRBIDR_EA_IGNORED) {
        return true;
    }
    if (trace->config.ea == TRBIDR_EA_SERROR) {
        arm_trace_interrupt(env, CPU_INTERRUPT_SERR);
    }
    trace->trbe.sr = FIELD_DP64(trace->trbe.sr, TRBSR, EA, 1);
    trbe_event(trace, TRBE_EC_STAGE1, TRBE_FSC_ASYNC_EXTERNAL, true);
    return false;
}

static void trbe_trigger_event(ARMTrace *trace)
{
    ete_pmu_event(trace, ETE_PMU_TRB_TRIG);
    switch (FIELD_EX64(trace->trbe.limitr, TRBLIMITR, TM)) {
    case TRBE_TM_STOP:
        /* what the trace unit holds comes first: trbe_flushed() */
        trace->unit.flush_requested = true;
        break;
    case TRBE_TM_IRQ:
        trbe_event(trace, TRBE_EC_OTHER, TRBE_BSC_RUNNING, false);
        break;
    }
}

/* The flush that a Trigger Event asked for is complete. */
void trbe_flushed(CPUARMState *env)
{
    ARMTrace *trace = env_trace(env);

    if (trbe_running(trace)) {
        trbe_event(trace, TRBE_EC_OTHER, TRBE_BSC_TRIGGER, true);
    }
}

/* The trace unit signals a Detected Trigger. */
void trbe_detected_trigger(CPUARMState *env)
{
    ARMTrace *trace = env_trace(env);
    TRBEState *s = &trace->trbe;

    if (!trbe_running(trace) || FIELD_EX64(s->sr, TRBSR, TRG)) {
        return;
    }
    s->sr = FIELD_DP64(s->sr, TRBSR, TRG, 1);
    if (!s->trg) {
        trbe_trigger_event(trace);
    }
}

static uint64_t trbe_limit(const TRBEState *s)
{
    return s->limitr & R_TRBLIMITR_LIMIT_MASK;
}

/* The one place that moves the current write pointer: R_VHNTF */
static void trbe_advance(ARMTrace *trace, uint64_t bytes)
{
    TRBEState *s = &trace->trbe;
    bool counts = FIELD_EX64(s->sr, TRBSR, TRG) && s->trg;

    s->ptr += bytes;
    if (s->ptr == trbe_limit(s)) {
        s->ptr = s->baser;
        s->sr = FIELD_DP64(s->sr, TRBSR, WRAP, 1);
        ete_pmu_event(trace, ETE_PMU_TRB_WRAP);
        switch (FIELD_EX64(s->limitr, TRBLIMITR, FM)) {
        case TRBE_FM_FILL:
            trbe_event(trace, TRBE_EC_OTHER, TRBE_BSC_FULL, true);
            break;
        case TRBE_FM_WRAP:
            trbe_event(trace, TRBE_EC_OTHER, TRBE_BSC_RUNNING, false);
            break;
        }
        trace_faults_wrapped(trace, !trbe_running(trace));
    }
    if (counts) {
        s->trg -= bytes;
        if (!s->trg) {
            trbe_trigger_event(trace);
        }
    }
}

/* Bytes that can be taken before there is something to tell */
uint64_t trbe_space(const ARMTrace *trace)
{
    const TRBEState *s = &trace->trbe;
    uint64_t space = trbe_limit(s) - s->ptr;

    if (!trace->config.trbe || !trbe_running(trace)) {
        return UINT64_MAX;
    }
    if (FIELD_EX64(s->sr, TRBSR, TRG) && s->trg) {
        space = MIN(space, s->trg);
    }
    return space;
}

/*
 * So many bytes at most go to one place, and change nothing on the way. The
 * Limit pointer is the end of a page.
 */
static uint64_t trbe_piece(const TRBEState *s, size_t length)
{
    uint64_t piece = MIN(length, -(s->ptr | TARGET_PAGE_MASK));

    if (FIELD_EX64(s->sr, TRBSR, TRG) && s->trg) {
        piece = MIN(piece, s->trg);
    }
    return piece;
}

/* The regime of the owner; ARMMMUIdx_Phys_NS or _S where there is none */
static ARMMMUIdx trbe_regime(CPUARMState *env, const TRBEState *s, bool secure)
{
    if (FIELD_EX64(s->limitr, TRBLIMITR, NVM)) {
        /* no stage 1; stage 2 is EL1's if EL1 owns the buffer */
        if (!trbe_owned_by_el2(env) &&
            (arm_hcr_el2_eff(env) & (HCR_VM | HCR_DC))) {
            return secure ? ARMMMUIdx_Stage2_S : ARMMMUIdx_Stage2;
        }
        return secure ? ARMMMUIdx_Phys_S : ARMMMUIdx_Phys_NS;
    }
    if (!trbe_owned_by_el2(env)) {
        return ARMMMUIdx_E10_1;
    }
    return arm_hcr_el2_eff(env) & HCR_E2H ? ARMMMUIdx_E20_2 : ARMMMUIdx_E2;
}

/* Translate as the PE does; flags are updated if TRBIDR_EL1.F says so. */
static bool trbe_translate(CPUARMState *env, const ARMTrace *trace,
                           uint64_t address, GetPhysAddrResult *to,
                           ARMMMUFaultInfo *fault)
{
    bool secure = arm_feature(env, ARM_FEATURE_EL3) &&
        arm_is_secure_below_el3(env);
    ARMMMUIdx regime = trbe_regime(env, &trace->trbe, secure);
    uint64_t *features = &env_archcpu(env)->isar.id_aa64mmfr1;
    uint64_t all = *features;
    bool failed;

    /* a physical address beyond all of them: R_MXRFD */
    if ((regime == ARMMMUIdx_Phys_NS || regime == ARMMMUIdx_Phys_S) &&
        address >> arm_pamax(env_archcpu(env))) {
        *fault = (ARMMMUFaultInfo) { .type = ARMFault_AddressSize };
        return false;
    }
    if (!trace->config.flag) {
        *features = FIELD_DP64(all, ID_AA64MMFR1, HAFDBS, 0);
    }
    failed = get_phys_addr_with_space_nogpc(env, address, MMU_DATA_STORE, 0,
                                            regime, secure ? ARMSS_Secure :
                                            ARMSS_NonSecure, to, fault);
    *features = all;
    return !failed;
}

/* Write within a page; false: there is a management event. */
bool trbe_store(CPUARMState *env, ARMTrace *trace, uint64_t address,
                const uint8_t *bytes, size_t length)
{
    uint8_t copy[4096];
    CPUState *cs = env_cpu(env);
    GetPhysAddrResult to = {};
    ARMMMUFaultInfo fault = {};

    if (trace_faults_due(trace, TRACE_FAULT_TRANSLATION)) {
        trbe_event(trace, trace_faults_class(trace), TRBE_FSC_TRANSLATION_3,
                   true);
        return false;
    }
    if (!trbe_translate(env, trace, address, &to, &fault)) {
        trbe_event(trace, fault.stage2 ? TRBE_EC_STAGE2 : TRBE_EC_STAGE1,
                   arm_fi_to_lfsc(&fault) & 0x3f, true);
        return false;
    }
    if (trace_faults_due(trace, TRACE_FAULT_ABORT)) {
        return trbe_external_abort(env, trace);
    }
    g_assert(length <= sizeof(copy));
    bytes = trace_faults_data(trace, address, bytes, copy, length);
    if (trace->config.strict) {
        trace_store(env, to.f.phys_addr, to.f.attrs, bytes, length);
        return true;
    }
    return address_space_write(arm_addressspace(cs, to.f.attrs),
                               to.f.phys_addr, to.f.attrs, bytes,
                               length) == MEMTX_OK ||
        trbe_external_abort(env, trace);
}

/*
 * Trace data comes from the trace unit. Return false if some of it was
 * rejected: the trace unit has an overflow then.
 */
bool trbe_take(CPUARMState *env, const uint8_t *bytes, size_t length)
{
    ARMTrace *trace = env_trace(env);
    TRBEState *s = &trace->trbe;

    if (!trace->config.trbe || !FIELD_EX64(s->limitr, TRBLIMITR, E)) {
        trace->count.discarded += length;
        return true;
    }
    while (length) {
        uint64_t piece = trace_faults_piece(trace, trbe_piece(s, length));
        uint64_t address;

        if (!trbe_running(trace)) {
            trace_faults_stopped(env, trace, bytes, length);
            trace->count.rejected += length;
            return false;
        }
        address = trace_faults_address(trace, &piece);
        if (!trbe_store(env, trace, address, bytes, piece)) {
            trace->count.rejected += length;
            return false;
        }
        trace->count.accepted += piece;
        trace_faults_count(trace, piece);
        trbe_advance(trace, piece);
        if (trace_faults_due(trace, TRACE_FAULT_SPURIOUS)) {
            trbe_interrupt(trace);
        }
        bytes += piece;
        length -= piece;
    }
    return true;
}

/* TSB CSYNC has flushed the trace unit. */
void trbe_sync(CPUARMState *env)
{
    static const uint8_t ignore[] = { ETE_IGNORE_PACKET };
    ARMTrace *trace = env_trace(env);
    uint64_t low = (1ull << trace->config.align) - 1;

    while (trbe_running(trace) && (trace->trbe.ptr & low)) {
        trbe_take(env, ignore, sizeof(ignore));
    }
}
