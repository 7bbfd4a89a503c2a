/*
 * Arm Trace Buffer Extension: trace into memory
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Trace is written as soon as it is accepted. Choices made here:
 *  - a second management event leaves the syndrome of the first as it is;
 *  - with pointers that were programmed against the rules (not base <= current
 *    write pointer < limit), bytes are written up to the limit all the same,
 *    be it by going round.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "internals.h"
#include "cpu-trace-internal.h"
#include "trbe-regs.h"

enum {
    TRBE_FM_FILL = 0,
    TRBE_FM_WRAP = 1,
    TRBE_TM_STOP = 0,
    TRBE_TM_IRQ = 1,
    TRBE_EC_OTHER = 0,
    TRBE_EC_STAGE1 = 0x24,
    TRBE_EC_STAGE2 = 0x25,
    TRBE_BSC_NOT_STOPPED = 0,
    TRBE_BSC_FILLED = 1,
    TRBE_BSC_TRIGGER = 2,
};

static uint64_t trbe_base(const TRBEState *s)
{
    return s->baser;
}

static uint64_t trbe_limit(const TRBEState *s)
{
    return s->limitr & R_TRBLIMITR_LIMIT_MASK;
}

/* A trace buffer management event: the interrupt, and how it came to it */
static void trbe_event(ARMTrace *trace, bool stop, unsigned ec, unsigned mss)
{
    TRBEState *s = &trace->trbe;
    bool locked = qemu_mutex_iothread_locked();

    if (!FIELD_EX64(s->sr, TRBSR, IRQ)) {
        s->sr = FIELD_DP64(s->sr, TRBSR, EC, ec);
        s->sr = FIELD_DP64(s->sr, TRBSR, MSS, mss);
    }
    s->sr = FIELD_DP64(s->sr, TRBSR, IRQ, 1);
    if (stop) {
        s->sr = FIELD_DP64(s->sr, TRBSR, S, 1);
    }
    if (!locked) {
        qemu_mutex_lock_iothread();
    }
    trbe_update_irq(trace);
    if (!locked) {
        qemu_mutex_unlock_iothread();
    }
}

static void trbe_wrap(ARMTrace *trace)
{
    TRBEState *s = &trace->trbe;

    s->ptr = trbe_base(s);
    s->sr = FIELD_DP64(s->sr, TRBSR, WRAP, 1);
    switch (FIELD_EX64(s->limitr, TRBLIMITR, FM)) {
    case TRBE_FM_FILL:
        trbe_event(trace, true, TRBE_EC_OTHER, TRBE_BSC_FILLED);
        break;
    case TRBE_FM_WRAP:
        trbe_event(trace, false, TRBE_EC_OTHER, TRBE_BSC_NOT_STOPPED);
        break;
    }
}

static void trbe_trigger_event(ARMTrace *trace)
{
    switch (FIELD_EX64(trace->trbe.limitr, TRBLIMITR, TM)) {
    case TRBE_TM_STOP:
        trbe_event(trace, true, TRBE_EC_OTHER, TRBE_BSC_TRIGGER);
        break;
    case TRBE_TM_IRQ:
        trbe_event(trace, false, TRBE_EC_OTHER, TRBE_BSC_NOT_STOPPED);
        break;
    }
}

/* Bytes that go to one page, come to the limit at most, and to the trigger */
static size_t trbe_run(const TRBEState *s, size_t length)
{
    size_t n = MIN(length, TARGET_PAGE_SIZE - (s->ptr & ~TARGET_PAGE_MASK));

    n = MIN(n, trbe_limit(s) - s->ptr);
    if (FIELD_EX64(s->sr, TRBSR, TRG) && s->trg) {
        n = MIN(n, s->trg);
    }
    return n;
}

/* The one place that moves the current write pointer and the trigger counter */
static void trbe_advance(ARMTrace *trace, size_t n)
{
    TRBEState *s = &trace->trbe;
    bool trigger = false;

    s->ptr += n;
    if (FIELD_EX64(s->sr, TRBSR, TRG) && s->trg) {
        s->trg -= n;
        trigger = !s->trg;
    }
    if (s->ptr == trbe_limit(s)) {
        trbe_wrap(trace);
    }
    if (trigger) {
        trbe_trigger_event(trace);
    }
}

/* The translation regime of the owning Exception level */
static ARMMMUIdx trbe_regime(CPUARMState *env)
{
    if (!trbe_owned_by_el2(env)) {
        return ARMMMUIdx_E10_1;
    }
    return arm_hcr_el2_eff(env) & HCR_E2H ? ARMMMUIdx_E20_2 : ARMMMUIdx_E2;
}

/* Where the current write pointer leads; an event, if to nowhere */
static bool trbe_translate(CPUARMState *env, hwaddr *address, MemTxAttrs *attrs)
{
    ARMTrace *trace = env_trace(env);
    GetPhysAddrResult result = {};
    ARMMMUFaultInfo fi = {};

    if (get_phys_addr(env, trace->trbe.ptr, MMU_DATA_STORE, trbe_regime(env),
                      &result, &fi)) {
        trbe_event(trace, true, fi.stage2 ? TRBE_EC_STAGE2 : TRBE_EC_STAGE1,
                   arm_fi_to_lfsc(&fi) & 0x3f);
        return false;
    }
    *address = result.f.phys_addr |
        (trace->trbe.ptr & ~TARGET_PAGE_MASK);
    *attrs = result.f.attrs;
    return true;
}

bool trbe_collecting(CPUARMState *env)
{
    const TRBEState *s = &env_trace(env)->trbe;

    return FIELD_EX64(s->limitr, TRBLIMITR, E) &&
        !FIELD_EX64(s->sr, TRBSR, S);
}

bool trbe_write(CPUARMState *env, const uint8_t *bytes, size_t length)
{
    ARMTrace *trace = env_trace(env);
    CPUState *cs = env_cpu(env);

    if (!FIELD_EX64(trace->trbe.limitr, TRBLIMITR, E)) {
        /* a disabled unit discards */
        return true;
    }
    while (length) {
        hwaddr address;
        MemTxAttrs attrs;
        size_t n;

        if (!trbe_collecting(env) || !trbe_translate(env, &address, &attrs)) {
            return false;
        }
        n = trbe_run(&trace->trbe, length);
        if (address_space_write(arm_addressspace(cs, attrs), address, attrs,
                                bytes, n) != MEMTX_OK) {
            trace->trbe.sr = FIELD_DP64(trace->trbe.sr, TRBSR, EA, 1);
            trbe_event(trace, true, TRBE_EC_OTHER, TRBE_BSC_NOT_STOPPED);
            return false;
        }
        trbe_advance(trace, n);
        bytes += n;
        length -= n;
    }
    return true;
}
