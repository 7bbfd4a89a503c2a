/*
 * Arm Embedded Trace Extension: resources and ETEEvents
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Choices made here:
 *  - an instruction is a cycle of the resources; an ETEEvent occurs in each
 *    cycle in which its resource event is active;
 *  - comparators, single-shot controls and inputs are seen in the cycle of
 *    their instruction, counters and the sequencer in the next one;
 *  - an address matches with that of the lowest byte of an instruction only;
 *  - PE Comparator Input n is breakpoint n: enabled, of type address match,
 *    whatever Exception levels it is for;
 *  - a resource selector that is not there, pair 0, and reserved groups are
 *    never active; reserved functions of a pair are what INV and PAIRINV make;
 *  - timestamps that TRCTSCTLR asks for come 1024 instructions apart at least.
 * ETEEvent 0 is the Detected Trigger of the trace buffer unit: I_YRQCN.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "cpu-trace-internal.h"

FIELD(TRCRSCTLR, SELECT, 0, 16)
FIELD(TRCRSCTLR, GROUP, 16, 4)
FIELD(TRCRSCTLR, INV, 20, 1)
FIELD(TRCRSCTLR, PAIRINV, 21, 1)

FIELD(TRCSSCCR, SAC, 0, 16)
FIELD(TRCSSCCR, ARC, 16, 8)
FIELD(TRCSSCCR, RST, 24, 1)

FIELD(TRCSSCSR, PENDING, 30, 1)
FIELD(TRCSSCSR, STATUS, 31, 1)

FIELD(TRCACATR, CONTEXTTYPE, 2, 2)
FIELD(TRCACATR, CONTEXT, 4, 3)
FIELD(TRCACATR, EXLEVEL_S, 8, 4)
FIELD(TRCACATR, EXLEVEL_NS, 12, 3)

FIELD(TRCRSR, EXTIN, 0, 4)
FIELD(TRCRSR, EVENT, 8, 4)

#define TIMESTAMP_INTERVAL 1024

/* An event selector: SEL and TYPE */
#define SELECTOR_MASK 0x9f
#define SELECTOR_PAIR 0x80

/* ---- what is selected ---- */

static uint64_t selector_reg(const ARMTrace *trace, unsigned n)
{
    return ete_reg(trace, ETE_TRCRSCTLR + n - 2);
}

/* Can what an event selector selects never be active? R_NRSGN */
bool ete_event_false(uint64_t selector)
{
    return !(selector & 0x1f) || (selector & 0x8f) == SELECTOR_PAIR;
}

/* What an event selector selects, in this cycle */
bool ete_event(const ARMTrace *trace, unsigned selector)
{
    uint32_t fired = trace->unit.resources.fired;
    unsigned n = extract32(selector, 0, 5);

    if (!(selector & SELECTOR_PAIR)) {
        return extract32(fired, n, 1);
    }
    n = 2 * (n & 0xf);
    return n && n < 2 * trace->config.rspairs &&
        (extract32(fired, n, 2) == 3) !=
        FIELD_EX64(selector_reg(trace, n), TRCRSCTLR, PAIRINV);
}

/* Each resource selector, with its own inversion: R_HVNQG, R_WFGMY */
static void select_resources(ARMTrace *trace)
{
    ETEResources *r = &trace->unit.resources;

    /* R_SXSQT */
    r->fired = 2;
    for (uint32_t left = r->selectors; left; left &= left - 1) {
        unsigned n = ctz32(left);
        uint64_t control = selector_reg(trace, n);
        unsigned group = FIELD_EX64(control, TRCRSCTLR, GROUP);
        unsigned active = group < ETE_GROUPS ? r->active[group] : 0;
        bool any = active & FIELD_EX64(control, TRCRSCTLR, SELECT);

        if (any != FIELD_EX64(control, TRCRSCTLR, INV)) {
            r->fired |= 1u << n;
        }
    }
}

/* ---- what is programmed ---- */

/* Note the resource selectors of an event selector. */
static void note_event(const ARMTrace *trace, uint32_t *selectors,
                       uint64_t selector)
{
    unsigned n = extract32(selector, 0, 5);

    if (selector & SELECTOR_PAIR) {
        *selectors |= 3u << (2 * (n & 0xf));
    } else {
        *selectors |= 1u << n;
    }
}

/*
 * The resource selectors that something depends on. Bit 1 is TRUE: some event
 * is active in each cycle.
 */
static uint32_t selectors_used(const ARMTrace *trace)
{
    const ARMTraceConfig *c = &trace->config;
    uint32_t used = 0;

    for (unsigned i = 0; i < c->events; i++) {
        note_event(trace, &used,
                   extract64(ete_reg(trace, ETE_TRCEVENTCTL0R), 8 * i, 8));
    }
    note_event(trace, &used, ete_reg(trace, ETE_TRCTSCTLR));
    for (unsigned i = 0; i < c->counters; i++) {
        uint64_t control = ete_reg(trace, ETE_TRCCNTCTLR + i);

        note_event(trace, &used, extract64(control, 0, 8));
        note_event(trace, &used, extract64(control, 8, 8));
    }
    for (unsigned i = 0; i < 3 && c->seqstates; i++) {
        uint64_t control = ete_reg(trace, ETE_TRCSEQEVR + i);

        note_event(trace, &used, extract64(control, 0, 8));
        note_event(trace, &used, extract64(control, 8, 8));
    }
    if (c->seqstates) {
        note_event(trace, &used, ete_reg(trace, ETE_TRCSEQRSTEVR));
    }
    /* ViewInst as a whole is TRUE or FALSE without being looked at each time */
    if (ete_reg(trace, ETE_TRCVICTLR) & SELECTOR_MASK & ~1) {
        note_event(trace, &used, ete_reg(trace, ETE_TRCVICTLR));
    }
    /* FALSE, and what is not there */
    return used & ((1ull << (2 * c->rspairs)) - 1) & ~1u;
}

static bool single_shots_used(const ARMTrace *trace)
{
    for (unsigned i = 0; i < trace->config.sscc; i++) {
        if (ete_reg(trace, ETE_TRCSSCCR + i) & 0xffffff ||
            (trace->config.numpc && ete_reg(trace, ETE_TRCSSPCICR + i))) {
            return true;
        }
    }
    return false;
}

/*
 * Is there anything to look at with each instruction? From the registers alone:
 * whether blocks are traced depends on it.
 */
bool ete_steps(const ARMTrace *trace)
{
    return selectors_used(trace) || ete_has_points(trace) ||
        single_shots_used(trace);
}

static void note_comparators(const ARMTrace *trace, ETEResources *r)
{
    const ARMTraceConfig *c = &trace->config;

    r->addresses = r->ranges = 0;
    for (uint32_t left = r->selectors; left; left &= left - 1) {
        uint64_t control = selector_reg(trace, ctz32(left));
        unsigned select = FIELD_EX64(control, TRCRSCTLR, SELECT);

        switch (FIELD_EX64(control, TRCRSCTLR, GROUP)) {
        case ETE_GROUP_ADDRESS:
            r->addresses |= select;
            break;
        case ETE_GROUP_RANGE:
            r->ranges |= select;
            break;
        }
    }
    for (unsigned i = 0; i < c->sscc; i++) {
        uint64_t control = ete_reg(trace, ETE_TRCSSCCR + i);

        r->addresses |= FIELD_EX64(control, TRCSSCCR, SAC);
        r->ranges |= FIELD_EX64(control, TRCSSCCR, ARC);
    }
    if (c->acpairs) {
        uint64_t points = ete_reg(trace, ETE_TRCVISSCTLR);

        r->addresses |= points | points >> 16;
    }
    r->addresses &= (1u << (2 * c->acpairs)) - 1;
    r->ranges &= (1u << c->acpairs) - 1;
}

/* R_MTGKB: an event number that is not implemented is never active. */
static bool counts_each_cycle(CPUARMState *env, unsigned number)
{
    /* INST_RETIRED, CPU_CYCLES */
    return (number == 0x08 || number == 0x11) &&
        extract64(env_archcpu(env)->pmceid0, number, 1);
}

/* The trace unit becomes enabled. */
void ete_resources_start(CPUARMState *env, ARMTrace *trace)
{
    ETEResources *r = &trace->unit.resources;

    *r = (ETEResources) {
        .stepping = ete_steps(trace),
        /* selector 1 is TRUE without being looked at */
        .selectors = selectors_used(trace) & ~2u,
        .ranges_match = UINT16_MAX,
    };
    note_comparators(trace, r);
    for (unsigned i = 0; i < 2 * trace->config.acpairs; i++) {
        r->qualified |= ete_reg(trace, ETE_TRCACATR + i) != 0;
    }
    for (unsigned i = 0; i < trace->config.extinsel; i++) {
        if (counts_each_cycle(env, ete_reg(trace, ETE_TRCEXTINSELR + i))) {
            r->external_always |= 1u << i;
        }
    }
    ete_counters_start(trace);
}

/* ---- Running and Paused ---- */

/* A context identifier comparator, with the bytes that it leaves out */
static bool context_matches(const ARMTrace *trace, ETERegIndex value,
                            ETERegIndex masks, unsigned i, uint32_t id)
{
    unsigned leave_out = extract64(ete_reg(trace, masks + i / 4), 8 * (i % 4),
                                   8);
    uint32_t mask = 0;

    for (int byte = 0; byte < 4; byte++) {
        if (!extract32(leave_out, byte, 1)) {
            mask |= 0xffu << (8 * byte);
        }
    }
    return !((ete_reg(trace, value + i) ^ id) & mask);
}

/* What depends on the context, and on nothing else */
static void match_contexts(CPUARMState *env, ARMTrace *trace)
{
    const ARMTraceConfig *c = &trace->config;
    ETEResources *r = &trace->unit.resources;
    /* R_FLXQL: TRFCR_EL2.CX */
    bool has_vmid = arm_is_el2_enabled(env) &&
        extract64(env->cp15.trfcr_el[2], 3, 1);

    r->active[ETE_GROUP_CONTEXT] = 0;
    r->active[ETE_GROUP_VIRTUAL_CONTEXT] = 0;
    for (unsigned i = 0; i < c->cidc; i++) {
        if (context_matches(trace, ETE_TRCCIDCVR, ETE_TRCCIDCCTLR, i,
                            trace->feed.cid)) {
            r->active[ETE_GROUP_CONTEXT] |= 1u << i;
        }
    }
    for (unsigned i = 0; i < c->vmidc && has_vmid; i++) {
        if (context_matches(trace, ETE_TRCVMIDCVR, ETE_TRCVMIDCCTLR, i,
                            trace->feed.vmid)) {
            r->active[ETE_GROUP_VIRTUAL_CONTEXT] |= 1u << i;
        }
    }
}

/* Can address comparator i match in this context? R_DKCFF, R_QFNSK */
static bool qualifies(CPUARMState *env, const ARMTrace *trace, unsigned i)
{
    const ETEResources *r = &trace->unit.resources;
    uint64_t attributes = ete_reg(trace, ETE_TRCACATR + i);
    unsigned context = FIELD_EX64(attributes, TRCACATR, CONTEXT);
    unsigned type = FIELD_EX64(attributes, TRCACATR, CONTEXTTYPE);
    unsigned not_at = arm_is_secure_below_el3(env) ?
        FIELD_EX64(attributes, TRCACATR, EXLEVEL_S) :
        FIELD_EX64(attributes, TRCACATR, EXLEVEL_NS);

    if (extract32(not_at, trace->feed.el, 1)) {
        return false;
    }
    return (!(type & 1) ||
            extract32(r->active[ETE_GROUP_CONTEXT], context, 1)) &&
        (!(type & 2) ||
         extract32(r->active[ETE_GROUP_VIRTUAL_CONTEXT], context, 1));
}

static void match_qualifiers(CPUARMState *env, ARMTrace *trace)
{
    ETEResources *r = &trace->unit.resources;
    struct hwf_tu_options options = {};

    r->addresses_match = r->ranges_match = 0;
    for (unsigned i = 0; i < 2 * trace->config.acpairs; i++) {
        if (qualifies(env, trace, i)) {
            r->addresses_match |= 1u << i;
            /* of a range, the lower comparator says: R_VSBJF */
            r->ranges_match |= i & 1 ? 0 : 1u << (i / 2);
        }
    }
    if (r->qualified) {
        ete_program_ranges(trace, &options);
        hwf_tu_ranges(trace->unit.tu, &options);
    }
}

/* What waited while the resources were Paused: R_PVRGR, R_SWBRL, R_QWYSK */
static void take_pending(CPUARMState *env, ARMTrace *trace)
{
    ETEResources *r = &trace->unit.resources;
    uint64_t *rsr = &trace->ete.reg[ETE_TRCRSR];

    r->external |= FIELD_EX64(*rsr, TRCRSR, EXTIN);
    r->events = FIELD_EX64(*rsr, TRCRSR, EVENT);
    *rsr = FIELD_DP64(*rsr, TRCRSR, EXTIN, 0);
    *rsr = FIELD_DP64(*rsr, TRCRSR, EVENT, 0);
    ete_signal(env, trace);
    for (unsigned i = 0; i < trace->config.sscc; i++) {
        uint64_t *status = &trace->ete.reg[ETE_TRCSSCSR + i];

        if (!FIELD_EX64(*status, TRCSSCSR, PENDING)) {
            continue;
        }
        *status = FIELD_DP64(*status, TRCSSCSR, PENDING, 0);
        if (FIELD_EX64(ete_reg(trace, ETE_TRCSSCCR + i), TRCSSCCR, RST) ||
            !FIELD_EX64(*status, TRCSSCSR, STATUS)) {
            *status = FIELD_DP64(*status, TRCSSCSR, STATUS, 1);
            r->single_shot |= 1u << i;
        }
    }
}

/* Instructions come, in a context that may be another. */
void ete_resources_run(CPUARMState *env, ARMTrace *trace)
{
    ETEResources *r = &trace->unit.resources;

    match_contexts(env, trace);
    match_qualifiers(env, trace);
    if (!r->running) {
        r->running = true;
        take_pending(env, trace);
    }
}

/* R_JLLVN: the trace unit is disabled, or trace is prohibited. R_FHYQW */
void ete_resources_pause(ARMTrace *trace)
{
    ETEResources *r = &trace->unit.resources;
    uint64_t *rsr = &trace->ete.reg[ETE_TRCRSR];

    r->running = false;
    *rsr |= r->external;
    r->external = 0;
}

/* ---- cycles ---- */

/* R_PYMZV */
static unsigned match_addresses(const ARMTrace *trace, uint64_t pc)
{
    const ETEResources *r = &trace->unit.resources;
    unsigned active = 0;

    for (uint32_t left = r->addresses & r->addresses_match; left;
         left &= left - 1) {
        if (ete_reg(trace, ETE_TRCACVR + ctz32(left)) == pc) {
            active |= left & -left;
        }
    }
    return active;
}

/* R_LLQPL: both bounds are in the range. */
static unsigned match_ranges(const ARMTrace *trace, uint64_t pc)
{
    const ETEResources *r = &trace->unit.resources;
    unsigned active = 0;

    for (uint32_t left = r->ranges & r->ranges_match; left; left &= left - 1) {
        ETERegIndex low = ETE_TRCACVR + 2 * ctz32(left);

        if (pc >= ete_reg(trace, low) && pc <= ete_reg(trace, low + 1)) {
            active |= left & -left;
        }
    }
    return active;
}

static unsigned match_breakpoints(CPUARMState *env, uint64_t pc)
{
    ARMCPU *cpu = env_archcpu(env);
    unsigned count = MIN(cpu->trace->config.numpc, arm_num_brps(cpu));
    unsigned active = 0;

    for (unsigned i = 0; i < count; i++) {
        uint64_t control = env->cp15.dbgbcr[i];

        /* E, and BT 0b0000 */
        if ((control & 1) && !extract64(control, 20, 4) &&
            env->cp15.dbgbvr[i] == pc) {
            active |= 1u << i;
        }
    }
    return active;
}

/* R_XFJGB */
static unsigned fire_single_shots(ARMTrace *trace)
{
    ETEResources *r = &trace->unit.resources;
    unsigned active = r->single_shot;

    r->single_shot = 0;
    for (unsigned i = 0; i < trace->config.sscc; i++) {
        uint64_t control = ete_reg(trace, ETE_TRCSSCCR + i);
        uint64_t *status = &trace->ete.reg[ETE_TRCSSCSR + i];
        unsigned inputs = trace->config.numpc ?
            ete_reg(trace, ETE_TRCSSPCICR + i) : 0;
        bool match =
            (FIELD_EX64(control, TRCSSCCR, SAC) &
             r->active[ETE_GROUP_ADDRESS]) ||
            (FIELD_EX64(control, TRCSSCCR, ARC) & r->active[ETE_GROUP_RANGE]) ||
            (inputs & r->active[ETE_GROUP_PE]);

        if (match && (FIELD_EX64(control, TRCSSCCR, RST) ||
                      !FIELD_EX64(*status, TRCSSCSR, STATUS))) {
            *status = FIELD_DP64(*status, TRCSSCSR, STATUS, 1);
            active |= 1u << i;
        }
    }
    return active;
}

/* The cycle of the instruction at @pc; ete_view() and ete_signal() follow. */
void ete_cycle(CPUARMState *env, ARMTrace *trace, uint64_t pc)
{
    const ARMTraceConfig *c = &trace->config;
    ETEResources *r = &trace->unit.resources;
    uint64_t selectors = ete_reg(trace, ETE_TRCEVENTCTL0R);

    r->active[ETE_GROUP_EXTERNAL] = r->external | r->external_always;
    r->external = 0;
    r->active[ETE_GROUP_PE] = c->numpc ? match_breakpoints(env, pc) : 0;
    r->active[ETE_GROUP_ADDRESS] = match_addresses(trace, pc);
    r->active[ETE_GROUP_RANGE] = match_ranges(trace, pc);
    r->active[ETE_GROUP_SINGLE_SHOT] = fire_single_shots(trace);
    select_resources(trace);
    if (c->counters || c->seqstates) {
        ete_counters_cycle(trace);
    }
    r->events = 0;
    for (unsigned i = 0; i < c->events && selectors; i++) {
        r->events |= ete_event(trace, extract64(selectors, 8 * i, 8)) << i;
    }
    r->timestamp |= ete_event(trace, ete_reg(trace, ETE_TRCTSCTLR));
    r->timestamp_wait -= r->timestamp_wait != 0;
}

/* What the resources ask for, behind the instruction that they saw */
void ete_signal(CPUARMState *env, ARMTrace *trace)
{
    ETEResources *r = &trace->unit.resources;
    unsigned events = r->events;

    if (unlikely(r->timestamp && !r->timestamp_wait)) {
        hwf_tu_timestamp(trace->unit.tu);
        r->timestamp = false;
        r->timestamp_wait = TIMESTAMP_INTERVAL;
    }
    if (likely(!events)) {
        return;
    }
    r->events = 0;
    for (uint32_t left = events; left; left &= left - 1) {
        ete_pmu_event(trace, ETE_PMU_TRCEXTOUT0 + ctz32(left));
    }
    if (events & ete_reg(trace, ETE_TRCEVENTCTL1R)) {
        hwf_tu_event(trace->unit.tu,
                     events & ete_reg(trace, ETE_TRCEVENTCTL1R));
    }
    if ((events & 1) && trace->config.trbe) {
        trbe_detected_trigger(env);
    }
}
