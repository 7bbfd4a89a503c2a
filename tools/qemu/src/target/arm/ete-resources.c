/*
 * Arm Embedded Trace Extension: resources and ETEEvents
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Choices made here:
 *  - a resource is active for a block of instructions as a whole, if it is for
 *    one of them; an ETEEvent occurs once in it at most;
 *  - ETEEvent 0 is the Detected Trigger of the trace buffer unit.
 * Comparators are resources so far; external inputs, counters, the sequencer,
 * single-shot comparators and PE comparator inputs are never active.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "cpu-trace-internal.h"
#include "hw/registerfields.h"

FIELD(TRCRSCTLR, SELECT, 0, 16)
FIELD(TRCRSCTLR, GROUP, 16, 4)
FIELD(TRCRSCTLR, INV, 20, 1)
FIELD(TRCRSCTLR, PAIRINV, 21, 1)

enum {
    GROUP_ADDRESS = 4,
    GROUP_RANGE = 5,
    GROUP_CONTEXT = 6,
    GROUP_VIRTUAL_CONTEXT = 7,
};

static uint64_t resource_reg(const ARMTrace *trace, unsigned n)
{
    return trace->ete.reg[ETE_TRCRSCTLR + n - 2];
}

/* A context identifier comparator, with the bytes that it leaves out */
static bool context_matches(const ARMTrace *trace, ETERegIndex value,
                            ETERegIndex masks, unsigned i, uint32_t id)
{
    unsigned leave_out = extract64(trace->ete.reg[masks + i / 4], 8 * (i % 4),
                                   8);
    uint32_t mask = 0;

    for (int byte = 0; byte < 4; byte++) {
        if (!extract32(leave_out, byte, 1)) {
            mask |= 0xffu << (8 * byte);
        }
    }
    return !((trace->ete.reg[value + i] ^ id) & mask);
}

/* Does comparator i of a group match for one of the instructions? */
static bool comparator_matches(const ARMTrace *trace, unsigned group,
                               unsigned i, uint64_t first, uint64_t last)
{
    const ARMTraceConfig *c = &trace->config;
    const uint64_t *address = &trace->ete.reg[ETE_TRCACVR];

    switch (group) {
    case GROUP_ADDRESS:
        return i < 2 * c->acpairs && address[i] >= first && address[i] <= last;
    case GROUP_RANGE:
        return i < c->acpairs && address[2 * i] <= last &&
            address[2 * i + 1] >= first;
    case GROUP_CONTEXT:
        return i < c->cidc && context_matches(trace, ETE_TRCCIDCVR,
                                              ETE_TRCCIDCCTLR, i,
                                              trace->feed.cid);
    case GROUP_VIRTUAL_CONTEXT:
        return i < c->vmidc && context_matches(trace, ETE_TRCVMIDCVR,
                                               ETE_TRCVMIDCCTLR, i,
                                               trace->feed.vmid);
    default:
        return false;
    }
}

/* Resource selector n, with its own inversion */
static bool resource_active(const ARMTrace *trace, unsigned n, uint64_t first,
                            uint64_t last)
{
    uint64_t control;
    bool active = false;

    if (n < 2) {
        return n;
    }
    if (n >= 2 * trace->config.rspairs) {
        return false;
    }
    control = resource_reg(trace, n);
    for (unsigned i = 0; i < 16; i++) {
        if (extract64(control, i, 1)) {
            active |= comparator_matches(trace,
                                         FIELD_EX64(control, TRCRSCTLR, GROUP),
                                         i, first, last);
        }
    }
    return active ^ FIELD_EX64(control, TRCRSCTLR, INV);
}

/* What an event selector, TYPE [7] and SEL, selects */
static bool event_active(const ARMTrace *trace, unsigned selector,
                         uint64_t first, uint64_t last)
{
    unsigned n = extract32(selector, 0, 5);
    bool both;

    if (!extract32(selector, 7, 1)) {
        return resource_active(trace, n, first, last);
    }
    n = 2 * (n & 0xf);
    both = resource_active(trace, n, first, last) &&
        resource_active(trace, n + 1, first, last);
    /* the first pair is fixed */
    return n && n < 2 * trace->config.rspairs ?
        both ^ FIELD_EX64(resource_reg(trace, n), TRCRSCTLR, PAIRINV) : both;
}

/* @count instructions from @pc on were executed: ETEEvents */
void ete_events(CPUARMState *env, ARMTrace *trace, uint64_t pc, uint32_t count)
{
    uint64_t selectors = trace->ete.reg[ETE_TRCEVENTCTL0R];
    uint64_t in_trace = trace->ete.reg[ETE_TRCEVENTCTL1R];
    unsigned events = 0;

    for (unsigned i = 0; i < trace->config.events; i++) {
        if (event_active(trace, extract64(selectors, 8 * i, 8), pc,
                         pc + 4 * count - 1)) {
            events |= 1 << i;
        }
    }
    if (events & in_trace) {
        hwf_tu_event(trace->unit.tu, events & in_trace);
    }
    if ((events & 1) && trace->config.trbe) {
        trbe_detected_trigger(env);
    }
}
