/*
 * Arm Embedded Trace Extension: counters and the sequencer
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * One call is one cycle (D4.6.9.4, D4.6.10.1). Their state is in the registers;
 * what they are as resources is what the next cycle sees.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "cpu-trace-internal.h"
#include "hw/registerfields.h"

FIELD(TRCCNTCTLR, CNTEVENT, 0, 8)
FIELD(TRCCNTCTLR, RLDEVENT, 8, 8)
FIELD(TRCCNTCTLR, RLDSELF, 16, 1)
FIELD(TRCCNTCTLR, CNTCHAIN, 17, 1)

FIELD(TRCSEQEVR, F, 0, 8)
FIELD(TRCSEQEVR, B, 8, 8)

#define SEQUENCER_STATE(N) (1u << (4 + (N)))

/*
 * Counter i, in a cycle in which the one below it reloads or not. Return
 * whether it reloads. R_DDCDK: reloading comes before decrementing.
 */
static bool counter_cycle(ARMTrace *trace, unsigned i, bool lower_reloads,
                          unsigned *at_zero)
{
    uint64_t control = ete_reg(trace, ETE_TRCCNTCTLR + i);
    uint64_t *value = &trace->ete.reg[ETE_TRCCNTVR + i];
    bool self = FIELD_EX64(control, TRCCNTCTLR, RLDSELF);
    bool decrement =
        ete_event(trace, FIELD_EX64(control, TRCCNTCTLR, CNTEVENT)) ||
        (lower_reloads && FIELD_EX64(control, TRCCNTCTLR, CNTCHAIN));
    bool asked = ete_event(trace, FIELD_EX64(control, TRCCNTCTLR, RLDEVENT));
    bool around = self && decrement && !asked && !*value;

    if (asked || around) {
        *value = ete_reg(trace, ETE_TRCCNTRLDVR + i);
    } else if (decrement && *value) {
        --*value;
    }
    /* R_HYLGG, R_VGJNL */
    if (self ? around : !*value) {
        *at_zero |= 1u << i;
    }
    return asked || around;
}

static bool sequencer_event(const ARMTrace *trace, unsigned i, bool forward)
{
    uint64_t control = ete_reg(trace, ETE_TRCSEQEVR + i);

    return ete_event(trace, forward ? FIELD_EX64(control, TRCSEQEVR, F) :
                     FIELD_EX64(control, TRCSEQEVR, B));
}

/* The states that it passes through are active for a cycle: R_HQHFT. */
static unsigned sequencer_cycle(ARMTrace *trace)
{
    uint64_t *state = &trace->ete.reg[ETE_TRCSEQSTR];
    unsigned active = 0;

    /* R_KVSXC */
    if (ete_event(trace, ete_reg(trace, ETE_TRCSEQRSTEVR))) {
        *state = 0;
        return SEQUENCER_STATE(0);
    }
    while (*state < 3 && sequencer_event(trace, *state, true)) {
        active |= SEQUENCER_STATE(++*state);
    }
    /* R_NPVRQ: forward comes before backward */
    while (*state && sequencer_event(trace, *state - 1, false) &&
           !sequencer_event(trace, *state - 1, true)) {
        active |= SEQUENCER_STATE(--*state);
    }
    return active | SEQUENCER_STATE(*state);
}

void ete_counters_cycle(ARMTrace *trace)
{
    unsigned active = 0;
    bool reloads = false;

    for (unsigned i = 0; i < trace->config.counters; i++) {
        /* R_WPWQD: CNTCHAIN is there in counters 1 and 3 only */
        reloads = counter_cycle(trace, i, reloads, &active);
    }
    if (trace->config.seqstates) {
        active |= sequencer_cycle(trace);
    }
    trace->unit.resources.active[ETE_GROUP_COUNTER] = active;
}

/* As the registers have them when the trace unit becomes enabled */
void ete_counters_start(ARMTrace *trace)
{
    unsigned active = 0;

    for (unsigned i = 0; i < trace->config.counters; i++) {
        if (!FIELD_EX64(ete_reg(trace, ETE_TRCCNTCTLR + i), TRCCNTCTLR,
                        RLDSELF) &&
            !ete_reg(trace, ETE_TRCCNTVR + i)) {
            active |= 1u << i;
        }
    }
    if (trace->config.seqstates) {
        /* R_TQWHX */
        active |= SEQUENCER_STATE(ete_reg(trace, ETE_TRCSEQSTR));
    }
    trace->unit.resources.active[ETE_GROUP_COUNTER] = active;
}
