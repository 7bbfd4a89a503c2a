/*
 * Arm trace: when trace operations and software see what the other does
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * With trace-sync=relaxed everything is seen at once. With trace-sync=strict
 * it is seen when section D6.6 says that it has to be, and no earlier:
 *  - a register that software writes is seen by trace operations from the next
 *    Context synchronization event on (R_BFJKD, R_MJQXM, R_NNRHD);
 *  - a register that trace operations write is seen by software after TSB CSYNC
 *    and a Context synchronization event (R_VTNCS), or, for those of the trace
 *    unit, when TRCSTATR says that they are stable;
 *  - trace data stays in a FIFO of the trace unit until a TSB CSYNC that
 *    finishes it (R_MRVPT), a trace unit flush (R_JQDJD), or until the FIFO is
 *    full;
 *  - what the trace buffer unit accepted is in memory after TSB CSYNC and DSB
 *    (R_NSFRQ, R_GTCKK), or when there is no place for more of it;
 *  - TSB CSYNC is abandoned once if an interrupt is pending (I_ZLDPS).
 * With trace-sync-seed other than 0 each of these choices is made by chance.
 *
 * Choices made here:
 *  - the interrupt of the trace buffer unit comes at once, and TRBSR_EL1 is
 *    what it was raised for when an interrupt is taken: the driver of Linux
 *    reads it in its handler before any TSB CSYNC;
 *  - ISB, exceptions and exception returns of AArch64 are the Context
 *    synchronization events;
 *  - a start point or a stop point is speculative until a DSB and a Context
 *    synchronization event have come, as H9.3 recommends (TRCVICTLR.SSSTATUS).
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "migration/vmstate.h"
#include "cpu.h"
#include "internals.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "cpu-trace-internal.h"
#include "trbe-fields.h"

/* Where a register is, in the state of software or of trace operations */
static uint64_t *reg_place(ETEState *ete, TRBEState *trbe, uint64_t *trfcr,
                           uint64_t *trcitecr, TraceReg reg)
{
    switch (reg) {
    case TRACE_REG_PRGCTLR:
        return &ete->prgctlr;
    case TRACE_REG_LIMITR:
        return &trbe->limitr;
    case TRACE_REG_PTR:
        return &trbe->ptr;
    case TRACE_REG_BASER:
        return &trbe->baser;
    case TRACE_REG_SR:
        return &trbe->sr;
    case TRACE_REG_MAR:
        return &trbe->mar;
    case TRACE_REG_TRG:
        return &trbe->trg;
    case TRACE_REG_TRFCR1:
        return &trfcr[0];
    case TRACE_REG_TRFCR2:
        return &trfcr[1];
    case TRACE_REG_TRCITECR1:
    case TRACE_REG_TRCITECR2:
        return &trcitecr[reg - TRACE_REG_TRCITECR1];
    default:
        return &ete->reg[reg];
    }
}

static uint64_t *reg_of_software(CPUARMState *env, TraceReg reg)
{
    ARMTraceSync *sync = &env_trace(env)->sync;

    return reg_place(&sync->ete, &sync->trbe, sync->trfcr, sync->trcitecr,
                     reg);
}

static uint64_t *reg_of_trace(CPUARMState *env, TraceReg reg)
{
    ARMTrace *trace = env_trace(env);

    return reg_place(&trace->ete, &trace->trbe, &env->cp15.trfcr_el[1],
                     &env->cp15.trcitecr_el[1], reg);
}

static bool reg_written(const ARMTraceSync *sync, TraceReg reg)
{
    return extract64(sync->written[reg / 64], reg % 64, 1);
}

static void reg_set_written(ARMTraceSync *sync, TraceReg reg, bool written)
{
    uint64_t *word = &sync->written[reg / 64];

    *word = deposit64(*word, reg % 64, 1, written);
}

static bool pe_prohibited(CPUARMState *env)
{
    int el = arm_current_el(env);

    return ete_prohibited(env, el, el == 3 || arm_is_secure_below_el3(env));
}

/* ---- start points and stop points ---- */

/* An instruction was one. */
void trace_sync_point(ARMTrace *trace)
{
    if (trace->config.strict) {
        trace->sync.points = TRACE_POINTS_SPECULATIVE;
    }
}

/*
 * The trace unit becomes disabled: TRCVICTLR.SSSTATUS is UNKNOWN while a point
 * is speculative. Here it is what the last point did not make it.
 */
static void points_guess(ARMTrace *trace)
{
    if (trace->sync.points == TRACE_POINTS_SETTLED) {
        return;
    }
    trace->sync.points = TRACE_POINTS_SETTLED;
    qemu_log_mask(LOG_GUEST_ERROR, "TRCPRGCTLR.EN cleared with a start or stop "
                  "point speculative: no DSB and context synchronization "
                  "event since\n");
    if (!trace_sync_chooses(trace)) {
        ete_view_mistake(trace);
    }
}

/* Trace operations see a value that software wrote. */
static void reg_take(CPUARMState *env, TraceReg reg, uint64_t value)
{
    ARMTrace *trace = env_trace(env);
    uint64_t *place = reg_of_trace(env, reg);
    uint64_t before = *place;

    *place = value;
    switch (reg) {
    case TRACE_REG_TRFCR1:
    case TRACE_REG_TRFCR2:
        trace_faults_filter(trace, pe_prohibited(env));
        arm_trace_controls_changed(env);
        break;
    case TRACE_REG_PRGCTLR:
        if (before && !value) {
            points_guess(trace);
        }
        arm_trace_controls_changed(env);
        break;
    case TRACE_REG_SR:
        trbe_raise(trace);
        break;
    case TRACE_REG_LIMITR:
        trbe_limitr_changed(trace, before);
        break;
    default:
        break;
    }
}

/* Where the architecture leaves a choice: the kind one, in one of two cases? */
bool trace_sync_chooses(ARMTrace *trace)
{
    return trace->config.syncseed &&
        (arm_trace_random(&trace->sync.random) & 1);
}

/* Software writes a register: the value is what the register can hold. */
void trace_reg_write(CPUARMState *env, TraceReg reg, uint64_t value)
{
    ARMTrace *trace = env_trace(env);

    if (!trace->config.strict) {
        reg_take(env, reg, value);
        return;
    }
    *reg_of_software(env, reg) = value;
    if (trace_sync_chooses(trace)) {
        reg_set_written(&trace->sync, reg, false);
        reg_take(env, reg, value);
    } else {
        reg_set_written(&trace->sync, reg, true);
    }
}

/* Is what software reads not what trace operations have written? */
static void reg_tell_old(CPUARMState *env, TraceReg reg)
{
    static const char *const names[] = {
        "TRBLIMITR_EL1", "TRBPTR_EL1", "TRBBASER_EL1", "TRBSR_EL1",
        "TRBMAR_EL1", "TRBTRG_EL1",
    };
    const ARMTraceSync *sync = &env_trace(env)->sync;

    if (reg < TRACE_REG_LIMITR || reg > TRACE_REG_TRG ||
        reg_written(sync, reg) ||
        *reg_of_software(env, reg) == *reg_of_trace(env, reg)) {
        return;
    }
    qemu_log_mask(LOG_GUEST_ERROR, "%s: an old value is read: no %s\n",
                  names[reg - TRACE_REG_LIMITR],
                  sync->tsb_buffer ?
                  "context synchronization event since TSB CSYNC" :
                  "TSB CSYNC since it was written by trace operations");
}

uint64_t trace_reg_read(CPUARMState *env, TraceReg reg)
{
    if (!env_trace(env)->config.strict) {
        return *reg_of_trace(env, reg);
    }
    reg_tell_old(env, reg);
    return *reg_of_software(env, reg);
}

/* A Context synchronization event: R_BFJKD, R_MJQXM, R_VTNCS, R_NNRHD */
void trace_context_sync(CPUARMState *env)
{
    ARMTrace *trace = env_trace(env);
    ARMTraceSync *sync = &trace->sync;

    trace_faults_context_sync(trace, pe_prohibited(env));
    if (!trace->config.strict) {
        return;
    }
    if (sync->points == TRACE_POINTS_DSB) {
        sync->points = TRACE_POINTS_SETTLED;
    }
    /* the enables come last in their order */
    for (TraceReg reg = 0; reg < TRACE_REG_COUNT; reg++) {
        if (reg != TRACE_REG_PRGCTLR && reg_written(sync, reg)) {
            reg_set_written(sync, reg, false);
            reg_take(env, reg, *reg_of_software(env, reg));
        }
    }
    ete_management_context_sync(env);
    if (reg_written(sync, TRACE_REG_PRGCTLR)) {
        reg_set_written(sync, TRACE_REG_PRGCTLR, false);
        reg_take(env, TRACE_REG_PRGCTLR, sync->ete.prgctlr);
    }
    if (sync->tsb_unit) {
        sync->ete = trace->ete;
    }
    if (sync->tsb_buffer) {
        sync->trbe = trace->trbe;
    }
    sync->tsb_unit = false;
    sync->tsb_buffer = false;
    sync->prohibited = pe_prohibited(env);
    arm_rebuild_hflags(env);
}

void HELPER(trace_context_sync)(CPUARMState *env)
{
    trace_context_sync(env);
}

/* An interrupt was taken, maybe the one that TRBSR_EL1 tells of. */
void trace_interrupt_taken(CPUARMState *env)
{
    ARMTrace *trace = env_trace(env);

    if (FIELD_EX64(trace->trbe.sr, TRBSR, IRQ)) {
        trace->sync.trbe.sr = trace->trbe.sr;
    }
}

/* ---- trace data in the trace unit ---- */

/* Output some of the FIFO; false: all of it is lost. */
static bool fifo_output(CPUARMState *env, ARMTraceSync *sync, uint32_t count)
{
    ARMTrace *trace = env_trace(env);

    if (!trbe_take(env, sync->fifo, count)) {
        trace->count.rejected += sync->fifo_used - count;
        sync->fifo_used = 0;
        return false;
    }
    sync->fifo_used -= count;
    memmove(sync->fifo, sync->fifo + count, sync->fifo_used);
    return true;
}

/*
 * The trace unit outputs packets. Return false if they are lost, or others
 * that it believed to be output: it has an overflow then.
 */
bool trace_fifo_write(CPUARMState *env, const uint8_t *bytes, size_t length)
{
    ARMTrace *trace = env_trace(env);
    ARMTraceSync *sync = &trace->sync;

    if (!trace->config.strict) {
        return trbe_take(env, bytes, length);
    }
    if (sync->lost) {
        sync->lost = false;
        trace->count.rejected += length;
        return false;
    }
    while (length) {
        uint32_t room = TRACE_FIFO_SIZE - sync->fifo_used;
        uint32_t piece = MIN(room, length);

        memcpy(sync->fifo + sync->fifo_used, bytes, piece);
        sync->fifo_used += piece;
        bytes += piece;
        length -= piece;
        if (sync->fifo_used == TRACE_FIFO_SIZE) {
            uint32_t count = TRACE_FIFO_SIZE / 2;

            if (trace->config.syncseed) {
                count = 1 + arm_trace_random(&sync->random) % TRACE_FIFO_SIZE;
            }
            if (!fifo_output(env, sync, count)) {
                trace->count.rejected += length;
                return false;
            }
        }
    }
    return true;
}

/* Output all that the trace unit has let go: R_JQDJD */
void trace_fifo_flush(CPUARMState *env, ARMTrace *trace)
{
    if (trace->sync.fifo_used &&
        !fifo_output(env, &trace->sync, trace->sync.fifo_used)) {
        trace->sync.lost = true;
    }
}

/*
 * Has a trace unit that was disabled output everything? Then its registers are
 * stable. It does so while software asks for it, a part each time.
 */
bool trace_sync_idle(CPUARMState *env, ARMTrace *trace)
{
    ARMTraceSync *sync = &trace->sync;

    if (!trace->config.strict) {
        return true;
    }
    if (sync->fifo_used) {
        if (!fifo_output(env, sync, DIV_ROUND_UP(sync->fifo_used, 2))) {
            sync->lost = true;
        }
        return false;
    }
    sync->ete = trace->ete;
    return true;
}

/* ---- trace data on its way to memory ---- */

static void store_complete(CPUARMState *env, const TraceStore *store)
{
    MemTxAttrs attrs = {
        .secure = store->attrs & 1,
        .space = store->attrs & 1 ? ARMSS_Secure : ARMSS_NonSecure,
    };
    AddressSpace *as = arm_addressspace(env_cpu(env), attrs);

    if (address_space_write(as, store->address, attrs, store->bytes,
                            store->length) != MEMTX_OK) {
        trbe_external_abort(env, env_trace(env));
        /* that comes after TSB CSYNC, and is seen as what it finished */
        env_trace(env)->sync.tsb_buffer = true;
    }
}

/* The trace buffer unit writes. */
void trace_store(CPUARMState *env, uint64_t address, MemTxAttrs attrs,
                 const uint8_t *bytes, size_t length)
{
    ARMTraceSync *sync = &env_trace(env)->sync;

    while (length) {
        size_t piece = MIN(length, TRACE_STORE_SIZE);
        TraceStore *store;

        if (sync->stores_used == TRACE_STORES) {
            store_complete(env, &sync->stores[0]);
            sync->stores_used--;
            memmove(&sync->stores[0], &sync->stores[1],
                    sync->stores_used * sizeof(sync->stores[0]));
        }
        store = &sync->stores[sync->stores_used++];
        store->address = address;
        store->attrs = attrs.secure;
        store->length = piece;
        store->synchronized = false;
        memcpy(store->bytes, bytes, piece);
        address += piece;
        bytes += piece;
        length -= piece;
    }
}

/* DSB: R_NSFRQ. What no TSB CSYNC was for is none of its business. */
void HELPER(trace_data_sync)(CPUARMState *env)
{
    ARMTrace *trace = env_trace(env);
    ARMTraceSync *sync = &trace->sync;
    uint32_t kept = 0;

    trace_faults_data_sync(trace);
    if (sync->points == TRACE_POINTS_SPECULATIVE) {
        sync->points = TRACE_POINTS_DSB;
    }
    for (uint32_t i = 0; i < sync->stores_used; i++) {
        if (sync->stores[i].synchronized) {
            store_complete(env, &sync->stores[i]);
        } else {
            sync->stores[kept++] = sync->stores[i];
        }
    }
    sync->stores_used = kept;
}

/* ---- TSB CSYNC ---- */

/* Is an interrupt to be taken before the next instruction? */
static bool interrupt_pending(CPUARMState *env)
{
    uint32_t request = env_cpu(env)->interrupt_request;

    return ((request & CPU_INTERRUPT_HARD) && !(env->daif & PSTATE_I)) ||
        ((request & CPU_INTERRUPT_FIQ) && !(env->daif & PSTATE_F));
}

/* I_ZLDPS: it will be executed again, with the interrupt taken before. */
static void tsb_abandon(CPUARMState *env, ARMTrace *trace, uintptr_t ra)
{
    CPUState *cs = env_cpu(env);

    if (trace->sync.abandoned || !interrupt_pending(env) ||
        trace_sync_chooses(trace)) {
        return;
    }
    trace->sync.abandoned = true;
    cpu_restore_state(cs, ra);
    cpu_loop_exit_noexc(cs);
}

static void tsb_strict(CPUARMState *env, ARMTrace *trace, uintptr_t ra)
{
    ARMTraceSync *sync = &trace->sync;

    sync->tsb_unit = true;
    if (!sync->prohibited) {
        qemu_log_mask(LOG_GUEST_ERROR, "TSB CSYNC: no context synchronization "
                      "event since trace is prohibited, or it is not\n");
        return;
    }
    tsb_abandon(env, trace, ra);
    ete_flush(env);
    /* in two parts, with time for an interrupt in between */
    if (sync->fifo_used &&
        !fifo_output(env, sync, DIV_ROUND_UP(sync->fifo_used, 2))) {
        sync->lost = true;
    }
    tsb_abandon(env, trace, ra);
    trace_fifo_flush(env, trace);
    if (trace->config.trbe) {
        trbe_sync(env);
    }
    for (uint32_t i = 0; i < sync->stores_used; i++) {
        sync->stores[i].synchronized = true;
    }
    sync->tsb_buffer = true;
    sync->abandoned = false;
}

/* TSB CSYNC: R_VWJNN, R_MRVPT. Relaxed, it is the only way to finish trace. */
void HELPER(trace_sync)(CPUARMState *env)
{
    ARMTrace *trace = env_trace(env);

    if (!arm_cpu_has_ete(env_archcpu(env))) {
        return;
    }
    trace_feed_catch_up(env);
    if (trace_faults_tsb(trace, pe_prohibited(env))) {
        return;
    }
    if (trace->config.strict) {
        tsb_strict(env, trace, GETPC());
        return;
    }
    ete_flush(env);
    trbe_sync(env);
}

/* ---- reset, migration ---- */

void trace_sync_reset(CPUARMState *env, ARMTrace *trace)
{
    ARMTraceSync *sync = &trace->sync;

    *sync = (ARMTraceSync) {
        .ete = trace->ete,
        .trbe = trace->trbe,
        .trfcr = { env->cp15.trfcr_el[1], env->cp15.trfcr_el[2] },
        .random = deposit64(trace->config.syncseed, 32, 32,
                            env_cpu(env)->cpu_index),
    };
    sync->prohibited = pe_prohibited(env);
    trace_faults_reset(trace, sync->prohibited);
}

/* What was accepted is on its way to memory, whatever becomes of the PE. */
void trace_sync_complete(CPUARMState *env, ARMTrace *trace)
{
    ARMTraceSync *sync = &trace->sync;

    for (uint32_t i = 0; i < sync->stores_used; i++) {
        store_complete(env, &sync->stores[i]);
    }
    sync->stores_used = 0;
}

/* Registers are synchronized; what is in the trace unit stays there. */
void trace_sync_warm_reset(CPUARMState *env, ARMTrace *trace)
{
    ARMTraceSync *sync = &trace->sync;

    sync->ete = trace->ete;
    sync->trbe = trace->trbe;
    memcpy(sync->trfcr, &env->cp15.trfcr_el[1], sizeof(sync->trfcr));
    memcpy(sync->trcitecr, &env->cp15.trcitecr_el[1], sizeof(sync->trcitecr));
    memset(sync->written, 0, sizeof(sync->written));
    sync->os_lock_written = false;
    sync->claim_set = 0;
    sync->tsb_unit = sync->tsb_buffer = sync->abandoned = false;
    sync->prohibited = true;
}

static const VMStateDescription vmstate_trace_store = {
    .name = "cpu/trace/sync/store",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(address, TraceStore),
        VMSTATE_UINT32(attrs, TraceStore),
        VMSTATE_UINT8(length, TraceStore),
        VMSTATE_UINT8(synchronized, TraceStore),
        VMSTATE_UINT8_ARRAY(bytes, TraceStore, TRACE_STORE_SIZE),
        VMSTATE_END_OF_LIST()
    }
};

static bool sync_needed(void *opaque)
{
    return ((ARMTrace *)opaque)->config.strict;
}

const VMStateDescription vmstate_trace_sync = {
    .name = "cpu/trace/state/sync",
    .version_id = 4,
    .minimum_version_id = 4,
    .needed = sync_needed,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(sync.ete.prgctlr, ARMTrace),
        VMSTATE_UINT64(sync.ete.claim, ARMTrace),
        VMSTATE_UINT64_ARRAY(sync.ete.reg, ARMTrace, ETE_REG_COUNT),
        VMSTATE_UINT64(sync.trbe.limitr, ARMTrace),
        VMSTATE_UINT64(sync.trbe.ptr, ARMTrace),
        VMSTATE_UINT64(sync.trbe.baser, ARMTrace),
        VMSTATE_UINT64(sync.trbe.sr, ARMTrace),
        VMSTATE_UINT64(sync.trbe.mar, ARMTrace),
        VMSTATE_UINT64(sync.trbe.trg, ARMTrace),
        VMSTATE_UINT64_ARRAY(sync.trfcr, ARMTrace, 2),
        VMSTATE_UINT64_ARRAY(sync.trcitecr, ARMTrace, 2),
        VMSTATE_UINT64_ARRAY(sync.written, ARMTrace,
                             DIV_ROUND_UP(TRACE_REG_COUNT, 64)),
        VMSTATE_BOOL(sync.prohibited, ARMTrace),
        VMSTATE_BOOL(sync.tsb_unit, ARMTrace),
        VMSTATE_BOOL(sync.tsb_buffer, ARMTrace),
        VMSTATE_BOOL(sync.abandoned, ARMTrace),
        VMSTATE_BOOL(sync.lost, ARMTrace),
        VMSTATE_UINT32(sync.fifo_used, ARMTrace),
        VMSTATE_UINT8_ARRAY(sync.fifo, ARMTrace, TRACE_FIFO_SIZE),
        VMSTATE_UINT32(sync.stores_used, ARMTrace),
        VMSTATE_STRUCT_ARRAY(sync.stores, ARMTrace, TRACE_STORES, 1,
                             vmstate_trace_store, TraceStore),
        VMSTATE_UINT64(sync.random, ARMTrace),
        VMSTATE_UINT8(sync.points, ARMTrace),
        VMSTATE_BOOL(sync.os_lock_written, ARMTrace),
        VMSTATE_BOOL(sync.os_lock, ARMTrace),
        VMSTATE_UINT64(sync.claim_set, ARMTrace),
        VMSTATE_END_OF_LIST()
    }
};
