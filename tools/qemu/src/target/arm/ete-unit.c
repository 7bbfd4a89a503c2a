/*
 * Arm Embedded Trace Extension: from what the PE executes to trace
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * P0 instructions, exceptions and exception returns come here; the
 * instructions between are those from where the last one went to where the
 * next one is. libhwflow's trace unit makes packets of them.
 *
 * Not there yet: AArch32; tracing that begins or ends within an Exception
 * level; WFI and WFE; resources (TRCVICTLR.EVENT other than always, comparators
 * other than of ViewInst's include and exclude).
 */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "cpu.h"
#include "internals.h"
#include "exec/helper-proto.h"
#include "cpu-trace-internal.h"
#include "hwflow/trace_unit.h"

struct ETEUnit {
    /* the trace unit, in the memory behind it; NULL while disabled */
    struct hwf_tu *tu;
    void *memory;
    /* something was allowed to be traced since it was enabled */
    bool begun;
    /* the PE is at `place`, if that is known */
    bool known;
    uint64_t place;
    /* before the exception that is being taken, instructions were traced */
    bool was_traced;
};

static bool ete_port_write(void *opaque, const uint8_t *bytes, size_t length)
{
    return trbe_write(opaque, bytes, length);
}

static uint64_t ete_port_timestamp(void *opaque)
{
    CPUARMState *env = opaque;
    uint64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) /
        gt_cntfrq_period_ns(env_archcpu(env));
    unsigned ts = extract64(env->cp15.trfcr_el[2], 5, 2);

    if (!ts) {
        ts = extract64(env->cp15.trfcr_el[1], 5, 2);
    }
    return ts == 1 ? now - env->cp15.cntvoff_el2 : now;
}

/* Comparators of address range n */
static struct hwf_tu_range ete_range(const ETEState *s, unsigned n)
{
    return (struct hwf_tu_range) { s->reg[ETE_TRCACVR + 2 * n],
                                   s->reg[ETE_TRCACVR + 2 * n + 1] };
}

static unsigned ete_ranges(const ETEState *s, struct hwf_tu_range *ranges,
                           unsigned select)
{
    unsigned count = 0;

    for (unsigned n = 0; n < 8; n++) {
        if (extract32(select, n, 1)) {
            ranges[count++] = ete_range(s, n);
        }
    }
    return count;
}

static void ete_options(const ARMTrace *trace, struct hwf_tu_options *o)
{
    const ARMTraceConfig *c = &trace->config;
    const ETEState *s = &trace->ete;
    uint64_t victlr = s->reg[ETE_TRCVICTLR];

    *o = (struct hwf_tu_options) {
        .regs = {
            .trcconfigr = s->reg[ETE_TRCCONFIGR],
            .trctraceidr = s->reg[ETE_TRCTRACEIDR],
            .trcidr0 = ete_idr0(c),
            .trcidr1 = ete_idr1(c),
            .trcidr2 = ete_idr2(c),
            .trcidr8 = c->maxspec,
            .trcauthstatus = ete_authstatus(c),
            .trcdevarch = ete_devarch(c),
        },
        .cc_threshold = s->reg[ETE_TRCCCCTLR],
        .sync_period = s->reg[ETE_TRCSYNCPR] ? 1u << s->reg[ETE_TRCSYNCPR] : 0,
    };
    /* EXLEVEL_NS; nothing at all if stopped, or if the event never is */
    if (extract64(victlr, 9, 1) && extract64(victlr, 0, 5) == 1) {
        o->el_mask = ~extract64(victlr, 20, 3) & 7;
    }
    if (c->acpairs) {
        uint64_t viie = s->reg[ETE_TRCVIIECTLR];
        uint64_t bb = s->reg[ETE_TRCBBCTLR];

        o->include_ranges = ete_ranges(s, o->include, extract64(viie, 0, 8));
        o->exclude_ranges = ete_ranges(s, o->exclude, extract64(viie, 16, 8));
        if (extract64(bb, 8, 1)) {
            o->bb_ranges = ete_ranges(s, o->bb, extract64(bb, 0, 8));
        }
    }
}

static void ete_unit_start(CPUARMState *env)
{
    ARMTrace *trace = env_trace(env);
    const struct hwf_tu_port port = {
        .ctx = env,
        .write = ete_port_write,
        .timestamp = ete_port_timestamp,
    };
    struct hwf_tu_options options;
    int error;

    if (!trace->unit) {
        trace->unit = g_new0(ETEUnit, 1);
    }
    ete_options(trace, &options);
    trace->unit->memory = g_malloc(hwf_tu_size(&options));
    trace->unit->known = false;
    trace->unit->begun = false;
    error = hwf_tu_init(trace->unit->memory, &options, &port,
                        &trace->unit->tu);
    if (error) {
        /* reserved values: nothing is traced */
        g_free(trace->unit->memory);
        trace->unit->memory = NULL;
        trace->unit->tu = NULL;
    }
}

static void ete_unit_stop(ETEUnit *unit)
{
    if (unit->begun) {
        hwf_tu_disable(unit->tu, true);
    }
    g_free(unit->memory);
    unit->memory = NULL;
    unit->tu = NULL;
}

/* TRCPRGCTLR or the OS Lock may have changed */
void ete_unit_update(CPUARMState *env)
{
    ETEUnit *unit = env_trace(env)->unit;
    bool running = unit && unit->tu;

    if (running && !ete_enabled(env)) {
        ete_unit_stop(unit);
    } else if (!running && ete_enabled(env)) {
        ete_unit_start(env);
    }
}

void ete_unit_reset(ARMTrace *trace)
{
    if (trace->unit) {
        g_free(trace->unit->memory);
        g_free(trace->unit);
        trace->unit = NULL;
    }
}

/* The trace unit, if there is one and it is enabled */
static ETEUnit *ete_running(CPUARMState *env)
{
    ARMTrace *trace = env_trace(env);

    if (!trace || !trace->config.ete || !ete_enabled(env)) {
        return NULL;
    }
    ete_unit_update(env);
    return trace->unit && trace->unit->tu ? trace->unit : NULL;
}

/* TRFCR_ELx, MDCR_EL3.STE, and the owner of the buffer */
bool arm_trace_allowed(CPUARMState *env, int el)
{
    ARMTrace *trace = env_trace(env);
    uint64_t el1 = env->cp15.trfcr_el[1], el2 = env->cp15.trfcr_el[2];

    if (!trace || !trace->config.ete || !ete_enabled(env)) {
        return false;
    }
    if (arm_is_secure(env) && !(env->cp15.mdcr_el3 & MDCR_STE)) {
        return false;
    }
    if (trace->config.trbe && (!trbe_owned_by_this_state(env) ||
                               (el == 2 && !trbe_owned_by_el2(env)))) {
        return false;
    }
    switch (el) {
    case 0:
        return extract64(arm_hcr_el2_eff(env) & HCR_TGE ? el2 : el1, 0, 1);
    case 1:
        return extract64(el1, 1, 1);
    case 2:
        return extract64(el2, 1, 1);
    default:
        return false;
    }
}

static void ete_context(CPUARMState *env, ETEUnit *unit)
{
    bool secure = arm_is_secure(env);
    bool cx = extract64(env->cp15.trfcr_el[2], 3, 1);
    const struct hwf_context context = {
        .el = arm_current_el(env),
        .security = secure ? HWF_SEC_SECURE : HWF_SEC_NONSECURE,
        .sf = is_a64(env),
        .has_cid = true,
        .cid = env->cp15.contextidr_el[1],
        .has_vmid = true,
        .vmid = cx ? env->cp15.contextidr_el[2] : 0,
    };

    hwf_tu_context(unit->tu, &context);
}

/*
 * From here on, at `pc`, instructions are traced again, or for the first time.
 * A unit enabled in a prohibited region puts out nothing (D6.6, YWSDB).
 */
static void ete_resume(CPUARMState *env, ETEUnit *unit, uint64_t pc)
{
    if (!unit->begun) {
        hwf_tu_enable(unit->tu);
        unit->begun = true;
    } else {
        hwf_tu_gap(unit->tu);
    }
    ete_context(env, unit);
    unit->known = true;
    unit->place = pc;
}

/* Straight on from the place where the PE was known to be, up to `pc` */
static void ete_straight_to(ARMTrace *trace, ETEUnit *unit, uint64_t pc)
{
    uint64_t count = (pc - unit->place) / 4;

    if (!unit->known || !count) {
        return;
    }
    hwf_tu_block(unit->tu, unit->place, HWF_ISA_A64, count, 4 * count);
    if (extract64(trace->ete.reg[ETE_TRCCONFIGR], 4, 1)) {
        hwf_tu_cycles(unit->tu, count);
    }
}

/* `next` has bit 0 set if the branch was not taken */
void HELPER(trace_branch)(CPUARMState *env, uint64_t pc, uint64_t next,
                          uint32_t opcode)
{
    ARMTrace *trace = env_trace(env);
    ETEUnit *unit = ete_running(env);
    struct hwf_insn insn;

    if (!unit) {
        return;
    }
    hwf_insn_a64(opcode, pc, &insn);
    if (!unit->known) {
        ete_resume(env, unit, pc);
    }
    ete_straight_to(trace, unit, pc);
    hwf_tu_insn(unit->tu, pc, HWF_ISA_A64, &insn, !(next & 1), next & ~1ull,
                HWF_ISA_A64);
    if (extract64(trace->ete.reg[ETE_TRCCONFIGR], 4, 1)) {
        hwf_tu_cycles(unit->tu, 1);
    }
    unit->place = next & ~1ull;
}

void HELPER(trace_tsb)(CPUARMState *env)
{
    ETEUnit *unit = ete_running(env);

    if (unit && unit->begun) {
        hwf_tu_flush(unit->tu);
    }
}

static uint8_t ete_exception_type(CPUARMState *env, int index)
{
    uint32_t ec = syn_get_ec(env->exception.syndrome);
    uint32_t fsc = extract32(env->exception.syndrome, 0, 6);

    switch (index) {
    case EXCP_SWI:
    case EXCP_HVC:
    case EXCP_SMC:
        return HWF_EXC_CALL;
    case EXCP_IRQ:
    case EXCP_VIRQ:
        return HWF_EXC_IRQ;
    case EXCP_FIQ:
    case EXCP_VFIQ:
        return HWF_EXC_FIQ;
    case EXCP_VSERR:
        return HWF_EXC_SYSTEM_ERROR;
    case EXCP_DATA_ABORT:
        if (ec == EC_WATCHPOINT || ec == EC_WATCHPOINT_SAME_EL) {
            return HWF_EXC_DATA_DEBUG;
        }
        return fsc == 0x21 ? HWF_EXC_ALIGNMENT : HWF_EXC_DATA_FAULT;
    case EXCP_PREFETCH_ABORT:
        if (ec == EC_BREAKPOINT || ec == EC_BREAKPOINT_SAME_EL) {
            return HWF_EXC_INST_DEBUG;
        }
        return ec == EC_PCALIGNMENT ? HWF_EXC_ALIGNMENT : HWF_EXC_INST_FAULT;
    case EXCP_BKPT:
        return HWF_EXC_INST_DEBUG;
    default:
        return ec == EC_SOFTWARESTEP || ec == EC_SOFTWARESTEP_SAME_EL ?
            HWF_EXC_INST_DEBUG : HWF_EXC_TRAP;
    }
}

void arm_trace_pre_exception(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    ETEUnit *unit = ete_running(env);

    if (unit) {
        unit->was_traced = unit->known && is_a64(env) &&
            arm_trace_allowed(env, arm_current_el(env));
    }
}

void arm_trace_exception(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    ETEUnit *unit = ete_running(env);
    int el = arm_current_el(env);
    uint64_t ret;

    if (!unit) {
        return;
    }
    if (unit->was_traced && is_a64(env)) {
        ret = env->elr_el[el];
        ete_straight_to(cpu->trace, unit, ret);
        hwf_tu_exception(unit->tu,
                         ete_exception_type(env, CPU(cpu)->exception_index),
                         ret, HWF_ISA_A64, env->pc, HWF_ISA_A64);
    }
    unit->known = is_a64(env) && arm_trace_allowed(env, el);
    if (unit->known && unit->was_traced) {
        ete_context(env, unit);
        unit->place = env->pc;
    } else if (unit->known) {
        ete_resume(env, unit, env->pc);
    }
}

void arm_trace_exception_return(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    ETEUnit *unit = ete_running(env);

    if (!unit) {
        return;
    }
    unit->known = is_a64(env) && arm_trace_allowed(env, arm_current_el(env));
    if (unit->known) {
        ete_resume(env, unit, env->pc);
    }
}
