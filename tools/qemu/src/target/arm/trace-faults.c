/*
 * Arm trace: faults and errata on demand
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Each is a property, off by default; the errata are those that Linux works
 * around, and a PE has them whatever its MIDR_EL1 says. Where an erratum only
 * may happen, it always does:
 *  - 2119858, 2139208: in Fill mode up to three cache lines of trace that
 *    comes after the buffer is full are written from the Base pointer on, and
 *    the current write pointer moves;
 *  - 2054223, 2067961: TSB CSYNC in a Trace Prohibited region does nothing
 *    unless it follows another one;
 *  - 2224489, 2253138: the cache line of trace that is to be written behind a
 *    wrap is written at the Limit pointer;
 *  - 2064142: once the buffer is disabled, writes to its registers are ignored
 *    until TSB CSYNC and DSB;
 *  - 2038923: trace is corrupted if trace is allowed, or is not any more, with
 *    less than two Context synchronization events since the buffer is
 *    enabled; the exception, or the return, that makes it so is one of them;
 *  - 1902691: some trace is corrupted.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "migration/vmstate.h"
#include "cpu.h"
#include "internals.h"
#include "cpu-trace-internal.h"
#include "trbe-fields.h"

#define CACHE_LINE 64
#define OVERWRITTEN (3 * CACHE_LINE)

static uint32_t fault_period(const ARMTraceConfig *c, TraceFault fault)
{
    switch (fault) {
    case TRACE_FAULT_TRANSLATION:
        return c->faultafter;
    case TRACE_FAULT_ABORT:
        return c->abortafter;
    default:
        return c->spuriousafter;
    }
}

/* How many of @piece bytes are written before a fault comes? */
uint64_t trace_faults_piece(const ARMTrace *trace, uint64_t piece)
{
    for (TraceFault fault = 0; fault < TRACE_FAULTS; fault++) {
        if (trace->faults.left[fault]) {
            piece = MIN(piece, trace->faults.left[fault]);
        }
    }
    return piece;
}

/* @bytes were written. */
void trace_faults_count(ARMTrace *trace, uint64_t bytes)
{
    for (TraceFault fault = 0; fault < TRACE_FAULTS; fault++) {
        if (fault_period(&trace->config, fault)) {
            trace->faults.left[fault] -= bytes;
        }
    }
}

/* Is it time for this one? Then it is the last for as many bytes. */
bool trace_faults_due(ARMTrace *trace, TraceFault fault)
{
    uint32_t period = fault_period(&trace->config, fault);

    if (!period || trace->faults.left[fault]) {
        return false;
    }
    trace->faults.left[fault] = period;
    return true;
}

/*
 * The class of the fault that is due: stage 1, stage 2, a Granule Protection
 * Check, IMPLEMENTATION DEFINED, and one that is reserved
 */
unsigned trace_faults_class(ARMTrace *trace)
{
    static const uint8_t classes[] = { 0x24, 0x25, 0x1e, 0x1f, 0x3f };
    ARMTraceFaults *f = &trace->faults;

    if (trace->config.faultclass) {
        return trace->config.faultclass;
    }
    return classes[f->turn++ % ARRAY_SIZE(classes)];
}

/* The buffer has wrapped; in Fill mode, it is full. */
void trace_faults_wrapped(ARMTrace *trace, bool full)
{
    trace->faults.beyond = trace->config.beyond ? CACHE_LINE : 0;
    trace->faults.overwrites =
        full && trace->config.overwrites ? OVERWRITTEN : 0;
}

/* Where @piece bytes, or less of them, are written */
uint64_t trace_faults_address(ARMTrace *trace, uint64_t *piece)
{
    ARMTraceFaults *f = &trace->faults;
    uint64_t address = trace->trbe.ptr;

    if (f->beyond) {
        address = (trace->trbe.limitr & R_TRBLIMITR_LIMIT_MASK) + CACHE_LINE -
            f->beyond;
        *piece = MIN(*piece, f->beyond);
        f->beyond -= *piece;
    }
    return address;
}

/* Trace data comes while collection is stopped: what of it is written? */
void trace_faults_stopped(CPUARMState *env, ARMTrace *trace,
                          const uint8_t *bytes, size_t length)
{
    ARMTraceFaults *f = &trace->faults;
    uint64_t piece = length;

    if (f->beyond) {
        uint64_t address = trace_faults_address(trace, &piece);

        trbe_store(env, trace, address, bytes, piece);
    }
    if (f->overwrites) {
        piece = MIN(length, f->overwrites);
        f->overwrites -= piece;
        if (trbe_store(env, trace, trace->trbe.ptr, bytes, piece)) {
            trace->trbe.ptr += piece;
        }
    }
}

/* What is written, in place of @bytes; @copy has room for as many. */
const uint8_t *trace_faults_data(const ARMTrace *trace, uint64_t address,
                                 const uint8_t *bytes, uint8_t *copy,
                                 size_t length)
{
    bool all = trace->faults.corrupt;

    if (likely(!all && !trace->config.corrupts)) {
        return bytes;
    }
    for (size_t i = 0; i < length; i++) {
        bool bad = all || !((address + i) % CACHE_LINE);

        copy[i] = bad ? ~bytes[i] : bytes[i];
    }
    return copy;
}

/* TRBLIMITR_EL1.E has changed. */
void trace_faults_enabled(ARMTrace *trace, bool enabled)
{
    ARMTraceFaults *f = &trace->faults;

    f->overwrites = 0;
    f->beyond = 0;
    f->corrupt = false;
    /* strict: seen with the event that is the first one */
    f->syncs = trace->config.strict;
    f->blocked = !enabled && trace->config.ignoreswrites ? 2 : 0;
}

/* Is a write to this register ignored? */
bool trace_faults_ignores(ARMTrace *trace, TraceReg reg, const char *name)
{
    if (!trace->faults.blocked || reg == TRACE_REG_MAR) {
        return false;
    }
    qemu_log_mask(LOG_GUEST_ERROR, "%s written after TRBE was disabled, with "
                  "no %s: ignored\n", name,
                  trace->faults.blocked == 2 ? "TSB CSYNC" : "DSB");
    return true;
}

/* TSB CSYNC: does it fail? */
bool trace_faults_tsb(ARMTrace *trace, bool prohibited)
{
    ARMTraceFaults *f = &trace->faults;

    if (trace->config.tsbfails && prohibited && !f->tsb_failed) {
        f->tsb_failed = true;
        return true;
    }
    f->tsb_failed = false;
    if (f->blocked == 2) {
        f->blocked = 1;
    }
    return false;
}

/* DSB */
void trace_faults_data_sync(ARMTrace *trace)
{
    if (trace->faults.blocked == 1) {
        trace->faults.blocked = 0;
    }
}

/* Whether trace is prohibited now, with so many events at least since E */
static void faults_region(ARMTrace *trace, bool prohibited, unsigned least)
{
    ARMTraceFaults *f = &trace->faults;

    if (f->prohibited != prohibited && trace->config.inconsistent &&
        f->syncs < least && FIELD_EX64(trace->trbe.limitr, TRBLIMITR, E)) {
        f->corrupt = true;
    }
    f->prohibited = prohibited;
}

/* A Context synchronization event, before anything is seen through it */
void trace_faults_context_sync(ARMTrace *trace, bool prohibited)
{
    ARMTraceFaults *f = &trace->faults;

    f->tsb_failed = false;
    f->syncs = MIN(f->syncs + 1, 3);
    faults_region(trace, prohibited, 2);
}

/* TRFCR_ELx is seen; strict, through an event that was counted */
void trace_faults_filter(ARMTrace *trace, bool prohibited)
{
    faults_region(trace, prohibited, trace->config.strict ? 3 : 2);
}

/* Do ISB and DSB matter? */
bool trace_faults_barriers(const ARMTraceConfig *c)
{
    return c->tsbfails || c->ignoreswrites || c->inconsistent;
}

/* Is there any fault or erratum? They come at certain bytes. */
bool trace_faults_configured(const ARMTraceConfig *c)
{
    return c->faultafter || c->abortafter || c->spuriousafter ||
        c->overwrites || c->beyond || c->corrupts || trace_faults_barriers(c);
}

void trace_faults_reset(ARMTrace *trace, bool prohibited)
{
    trace->faults = (ARMTraceFaults) { .prohibited = prohibited };
    for (TraceFault fault = 0; fault < TRACE_FAULTS; fault++) {
        trace->faults.left[fault] = fault_period(&trace->config, fault);
    }
}

static bool faults_needed(void *opaque)
{
    const ARMTraceConfig *c = &((ARMTrace *)opaque)->config;

    return c->faultafter || c->abortafter || c->spuriousafter ||
        c->overwrites || c->beyond || trace_faults_barriers(c);
}

const VMStateDescription vmstate_trace_faults = {
    .name = "cpu/trace/state/faults",
    .version_id = 2,
    .minimum_version_id = 2,
    .needed = faults_needed,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_ARRAY(faults.left, ARMTrace, TRACE_FAULTS),
        VMSTATE_UINT32(faults.overwrites, ARMTrace),
        VMSTATE_UINT32(faults.beyond, ARMTrace),
        VMSTATE_UINT32(faults.syncs, ARMTrace),
        VMSTATE_UINT32(faults.blocked, ARMTrace),
        VMSTATE_UINT32(faults.turn, ARMTrace),
        VMSTATE_BOOL(faults.corrupt, ARMTrace),
        VMSTATE_BOOL(faults.tsb_failed, ARMTrace),
        VMSTATE_BOOL(faults.prohibited, ARMTrace),
        VMSTATE_END_OF_LIST()
    }
};
