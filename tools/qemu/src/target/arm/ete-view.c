/*
 * Arm Embedded Trace Extension: ViewInst, and address ranges
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * ViewInst is of four functions (R_GQFSB). Exception levels, start and stop
 * points and a resource event are here; include and exclude ranges are in the
 * library, which has those for branch broadcast and Q elements as well.
 *
 * Choices made here:
 *  - an instruction that is a start and a stop point is traced, and leaves the
 *    start/stop function stopped (R_XHFYQ);
 *  - an empty list of ranges to broadcast branches in stands for all addresses.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "cpu-trace-internal.h"
#include "hw/registerfields.h"

FIELD(TRCVICTLR, EVENT, 0, 8)
FIELD(TRCVICTLR, SSSTATUS, 9, 1)
FIELD(TRCVICTLR, EXLEVEL_S, 16, 4)
FIELD(TRCVICTLR, EXLEVEL_NS, 20, 3)

FIELD(TRCVISSCTLR, START, 0, 16)
FIELD(TRCVISSCTLR, STOP, 16, 16)

FIELD(TRCVIPCSSCTLR, START, 0, 8)
FIELD(TRCVIPCSSCTLR, STOP, 16, 8)

FIELD(TRCVIIECTLR, INCLUDE, 0, 8)
FIELD(TRCVIIECTLR, EXCLUDE, 16, 8)

FIELD(TRCBBCTLR, RANGE, 0, 8)
FIELD(TRCBBCTLR, MODE, 8, 1)

FIELD(TRCQCTLR, RANGE, 0, 8)
FIELD(TRCQCTLR, MODE, 8, 1)

/* Has the ViewInst start/stop function anything to start or stop it? */
bool ete_has_points(const ARMTrace *trace)
{
    return (trace->config.acpairs && ete_reg(trace, ETE_TRCVISSCTLR)) ||
        (trace->config.numpc && ete_reg(trace, ETE_TRCVIPCSSCTLR));
}

/* ViewInst, as far as it depends on the Exception level: R_LWYJR */
bool ete_views_el(const ARMTrace *trace, int el, bool secure)
{
    uint64_t victlr = ete_reg(trace, ETE_TRCVICTLR);
    unsigned not_traced = secure ? FIELD_EX64(victlr, TRCVICTLR, EXLEVEL_S) :
        FIELD_EX64(victlr, TRCVICTLR, EXLEVEL_NS);

    return !extract32(not_traced, el, 1) &&
        !ete_event_false(FIELD_EX64(victlr, TRCVICTLR, EVENT)) &&
        (FIELD_EX64(victlr, TRCVICTLR, SSSTATUS) || ete_has_points(trace));
}

/* Do start points, or else stop points, match in this cycle? */
static bool point_matches(const ARMTrace *trace, bool start)
{
    const uint16_t *active = trace->unit.resources.active;
    unsigned addresses = 0, inputs = 0;

    if (trace->config.acpairs) {
        uint64_t points = ete_reg(trace, ETE_TRCVISSCTLR);

        addresses = start ? FIELD_EX64(points, TRCVISSCTLR, START) :
            FIELD_EX64(points, TRCVISSCTLR, STOP);
    }
    if (trace->config.numpc) {
        uint64_t points = ete_reg(trace, ETE_TRCVIPCSSCTLR);

        inputs = start ? FIELD_EX64(points, TRCVIPCSSCTLR, START) :
            FIELD_EX64(points, TRCVIPCSSCTLR, STOP);
    }
    return (addresses & active[ETE_GROUP_ADDRESS]) ||
        (inputs & active[ETE_GROUP_PE]);
}

/* The status of the start/stop function is UNKNOWN, and so what it was not. */
void ete_view_mistake(ARMTrace *trace)
{
    trace->ete.reg[ETE_TRCVICTLR] ^= R_TRCVICTLR_SSSTATUS_MASK;
}

/*
 * Is the instruction of this cycle to be traced? All but its address was
 * looked at then; R_MVDJT, R_CDFBP.
 */
bool ete_view(ARMTrace *trace)
{
    uint64_t *victlr = &trace->ete.reg[ETE_TRCVICTLR];
    bool started;

    if (point_matches(trace, true)) {
        *victlr = FIELD_DP64(*victlr, TRCVICTLR, SSSTATUS, 1);
        trace_sync_point(trace);
    }
    started = FIELD_EX64(*victlr, TRCVICTLR, SSSTATUS);
    if (point_matches(trace, false)) {
        *victlr = FIELD_DP64(*victlr, TRCVICTLR, SSSTATUS, 0);
        trace_sync_point(trace);
    }
    return started && trace->feed.viewed &&
        (!trace->config.rspairs ||
         ete_event(trace, FIELD_EX64(*victlr, TRCVICTLR, EVENT)));
}

/* Address range comparators, those of @which that match in this context */
static uint8_t ranges(const ARMTrace *trace, unsigned which,
                      struct hwf_tu_range *range)
{
    uint8_t count = 0;

    which &= trace->unit.resources.ranges_match;
    for (unsigned i = 0; i < trace->config.acpairs; i++) {
        if (extract32(which, i, 1)) {
            range[count++] = (struct hwf_tu_range) {
                .low = ete_reg(trace, ETE_TRCACVR + 2 * i),
                .high = ete_reg(trace, ETE_TRCACVR + 2 * i + 1),
            };
        }
    }
    return count;
}

/* The same, where no range means none: no instruction is at that address. */
static uint8_t ranges_or_nothing(const ARMTrace *trace, unsigned which,
                                 struct hwf_tu_range *range)
{
    uint8_t count = ranges(trace, which, range);

    if (!count) {
        range[count++] = (struct hwf_tu_range) { UINT64_MAX, UINT64_MAX };
    }
    return count;
}

/* For the context that there is now: ete_resources_run() */
void ete_program_ranges(const ARMTrace *trace, struct hwf_tu_options *options)
{
    uint64_t viie, bb, q;

    if (!trace->config.acpairs) {
        return;
    }
    viie = ete_reg(trace, ETE_TRCVIIECTLR);
    if (FIELD_EX64(viie, TRCVIIECTLR, INCLUDE)) {
        options->include_ranges =
            ranges_or_nothing(trace, FIELD_EX64(viie, TRCVIIECTLR, INCLUDE),
                              options->include);
    }
    options->exclude_ranges =
        ranges(trace, FIELD_EX64(viie, TRCVIIECTLR, EXCLUDE),
               options->exclude);
    bb = ete_reg(trace, ETE_TRCBBCTLR);
    options->bb_exclude = !FIELD_EX64(bb, TRCBBCTLR, MODE);
    options->bb_ranges = options->bb_exclude ||
        !FIELD_EX64(bb, TRCBBCTLR, RANGE) ?
        ranges(trace, FIELD_EX64(bb, TRCBBCTLR, RANGE), options->bb) :
        ranges_or_nothing(trace, FIELD_EX64(bb, TRCBBCTLR, RANGE),
                          options->bb);
    if (!trace->config.qfilt) {
        return;
    }
    q = ete_reg(trace, ETE_TRCQCTLR);
    options->q_exclude = !FIELD_EX64(q, TRCQCTLR, MODE);
    options->q_ranges = options->q_exclude ?
        ranges(trace, FIELD_EX64(q, TRCQCTLR, RANGE), options->q) :
        ranges_or_nothing(trace, FIELD_EX64(q, TRCQCTLR, RANGE), options->q);
}
