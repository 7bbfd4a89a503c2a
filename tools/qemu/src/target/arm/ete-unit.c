/*
 * Arm Embedded Trace Extension: the trace unit at work
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What it makes of the executed instructions is the library's business; here
 * it is programmed, gets its surroundings, and is enabled and disabled.
 *
 * Choices made here:
 *  - trace is output at once when the trace unit becomes disabled, or TSB CSYNC
 *    asks for it: TRCSTATR.IDLE never reads as zero after that, but for what is
 *    in the FIFO of trace-sync.c;
 *  - no Alignment Synchronization where nothing else is output (I_MQNBT);
 *  - the PE waits for each packet to be written: it never has to be stalled,
 *    and an overflow is what the trace buffer unit rejects, whatever
 *    TRCSTALLCTLR says.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "cpu.h"
#include "internals.h"
#include "cpu-trace-internal.h"

FIELD(TRCCONFIGR, CCI, 4, 1)
FIELD(TRCCONFIGR, TS, 11, 1)

FIELD(TRCRSR, TA, 12, 1)

/*
 * Is trace prohibited? TRFCR_ELx, MDCR_EL3.STE, and what the owner of the
 * buffer may not see (I_FGGXR).
 */
bool ete_prohibited(CPUARMState *env, int el, bool secure)
{
    uint64_t trfcr;

    if (el == 3 || (secure && !extract64(env->cp15.mdcr_el3, 18, 1))) {
        return true;
    }
    if (!trbe_allows(env, el, secure)) {
        return true;
    }
    if (el == 2 || (el == 0 && (arm_hcr_el2_eff(env) & HCR_TGE))) {
        trfcr = env->cp15.trfcr_el[2];
    } else {
        trfcr = env->cp15.trfcr_el[1];
    }
    /* E0TRE and E0HTRE, E1TRE and E2TRE */
    return !extract64(trfcr, el ? 1 : 0, 1);
}

/* Is the trace unit enabled, and trace not prohibited at this level? */
bool ete_allowed(CPUARMState *env, int el)
{
    return ete_enabled(env) &&
        !ete_prohibited(env, el, el == 3 || arm_is_secure_below_el3(env));
}

/*
 * Are blocks at this Exception level to tell that they are executed? With each
 * rebuilt hflags.
 */
bool arm_trace_active(CPUARMState *env, int el)
{
    ARMTrace *trace = env_trace(env);

    if (!trace || !trace->ete.prgctlr || !ete_allowed(env, el)) {
        return false;
    }
    /* AArch32 at EL0 only, under AArch64 */
    if (!is_a64(env) && (el || !arm_el_is_aa64(env, 1))) {
        return false;
    }
    /*
     * Resources are Running whatever ViewInst is; and if TRCRSR.TA is set, what
     * is not traced is to clear it.
     */
    return ete_views_el(trace, el, el == 3 || arm_is_secure_below_el3(env)) ||
        FIELD_EX64(ete_reg(trace, ETE_TRCRSR), TRCRSR, TA) ||
        (trace->unit.enabled ? trace->unit.resources.stepping :
         ete_steps(trace));
}

/* ---- what the trace unit wants from outside ---- */

static bool ete_write(void *opaque, const uint8_t *bytes, size_t length)
{
    CPUARMState *env = opaque;

    return trace_fifo_write(env, bytes, length);
}

/* FEAT_ECV: the offset of the guest's physical counter */
static uint64_t ete_physical_offset(CPUARMState *env)
{
    ARMCPU *cpu = env_archcpu(env);

    if (!arm_feature(env, ARM_FEATURE_EL2) ||
        !cpu_isar_feature(aa64_ecv, cpu) ||
        (arm_feature(env, ARM_FEATURE_EL3) &&
         !(env->cp15.scr_el3 & SCR_ECVEN)) ||
        !FIELD_EX64(env->cp15.cnthctl_el2, CNTHCTL, ECV)) {
        return 0;
    }
    return env->cp15.cntpoff_el2;
}

static uint64_t ete_timestamp(void *opaque)
{
    CPUARMState *env = opaque;
    uint64_t now = arm_trace_now(env) / gt_cntfrq_period_ns(env_archcpu(env));
    unsigned ts = 0;

    if (arm_feature(env, ARM_FEATURE_EL2)) {
        ts = extract64(env->cp15.trfcr_el[2], 5, 2);
    }
    if (!ts) {
        ts = extract64(env->cp15.trfcr_el[1], 5, 2);
    }
    switch (ts) {
    case 1: /* virtual */
        return now - env->cp15.cntvoff_el2;
    case 2: /* guest physical */
        return now - ete_physical_offset(env);
    default:
        return now;
    }
}

/* Code, for wrong paths: what the PE that has just executed @feed.el sees */
static size_t ete_code(void *opaque, uint64_t address, void *bytes,
                       size_t length)
{
    CPUARMState *env = opaque;

    if (arm_current_el(env) != env_trace(env)->feed.el ||
        cpu_memory_rw_debug(env_cpu(env), address, bytes, length, false)) {
        return 0;
    }
    return length;
}

/* Time passed: the cycle counter */
void ete_count_cycles(CPUARMState *env, ARMTrace *trace)
{
    ARMTraceUnit *unit = &trace->unit;
    /* PMCCNTR_EL0 runs at 1 GHz */
    uint64_t now = arm_trace_now(env);

    hwf_tu_cycles(unit->tu, MIN(now - unit->cycles_mark, UINT32_MAX));
    unit->cycles_mark = now;
}

void ete_context(CPUARMState *env, ARMTrace *trace)
{
    bool secure = arm_is_secure_below_el3(env);
    struct hwf_context context = {
        .el = trace->feed.el,
        .security = secure ? HWF_SEC_SECURE : HWF_SEC_NONSECURE,
        .sf = trace->feed.sf,
        .has_cid = true,
        .cid = trace->feed.cid,
        .has_vmid = trace->config.vmid,
    };

    /* TRFCR_EL2.CX */
    if (arm_is_el2_enabled(env) && extract64(env->cp15.trfcr_el[2], 3, 1)) {
        context.vmid = trace->feed.vmid;
    }
    hwf_tu_context(trace->unit.tu, &context);
}

/* ---- programming ---- */

static void ete_program(const ARMTrace *trace, struct hwf_tu_options *options)
{
    const ARMTraceConfig *c = &trace->config;
    uint64_t syncpr = ete_reg(trace, ETE_TRCSYNCPR) & 0x1f;

    *options = (struct hwf_tu_options) {
        .regs = {
            .trcconfigr = ete_reg(trace, ETE_TRCCONFIGR),
            .trctraceidr = ete_reg(trace, ETE_TRCTRACEIDR),
            .trcidr0 = ete_idr0(c),
            .trcidr1 = ete_idr1(c),
            .trcidr2 = ete_idr2(c),
            .trcidr8 = c->maxspec,
            .trcauthstatus = ete_authstatus(c),
            .trcdevarch = ete_devarch(c),
        },
        .cc_threshold = ete_reg(trace, ETE_TRCCCCTLR),
        .sync_period = syncpr >= 8 && syncpr <= 20 ? 1u << syncpr : 0,
        /* which Exception levels are traced is decided before */
        .el_mask = 0xf,
        .sync_late = true,
        .q_interval = c->qinterval,
        .spec_seed = c->specseed,
    };
    ete_program_ranges(trace, options);
}

/* Make a trace unit as the registers say; there is none if it cannot trace. */
static void ete_make(CPUARMState *env, ARMTrace *trace)
{
    ARMTraceUnit *unit = &trace->unit;
    const struct hwf_tu_port port = {
        .ctx = env,
        .write = ete_write,
        .timestamp = ete_timestamp,
        .code = ete_code,
    };
    struct hwf_tu_options options;
    int error;

    ete_resources_start(env, trace);
    ete_program(trace, &options);
    if (!unit->memory) {
        unit->memory = g_malloc(hwf_tu_size(&options));
    }
    error = hwf_tu_init(unit->memory, &options, &port, &unit->tu);
    if (error) {
        qemu_log_mask(LOG_GUEST_ERROR, "ETE: cannot trace as programmed, "
                      "TRCCONFIGR is 0x%x\n", options.regs.trcconfigr);
        unit->tu = NULL;
        return;
    }
    unit->counts_cycles = FIELD_EX32(options.regs.trcconfigr, TRCCONFIGR, CCI);
}

static void ete_start(CPUARMState *env, ARMTrace *trace)
{
    ARMTraceUnit *unit = &trace->unit;

    ete_make(env, trace);
    unit->cycles_mark = arm_trace_now(env);
    unit->viewing = unit->must_show = false;
    if (ete_operative(trace)) {
        hwf_tu_enable(unit->tu);
        trace->sync.lost = false;
        trace->feed.context_known = false;
    }
}

/* Go on with what the trace unit of another machine held. */
int ete_unit_restore(CPUARMState *env, ARMTrace *trace)
{
    ARMTraceUnit *unit = &trace->unit;
    ETEResources resources = unit->resources;
    int error = HWF_ERR_BAD_CONFIG;

    unit->tu = NULL;
    if (!unit->saved) {
        return 0;
    }
    ete_make(env, trace);
    if (ete_operative(trace)) {
        error = hwf_tu_restore(unit->tu, unit->saved, unit->saved_size);
    }
    if (error) {
        error_report("ETE: what the trace unit held cannot be restored: %s",
                     hwf_err_text(error));
        unit->tu = NULL;
        return -EINVAL;
    }
    /* what follows from the registers is there already */
    resources.stepping = unit->resources.stepping;
    resources.qualified = unit->resources.qualified;
    resources.selectors = unit->resources.selectors;
    resources.addresses = unit->resources.addresses;
    resources.ranges = unit->resources.ranges;
    resources.external_always = unit->resources.external_always;
    unit->resources = resources;
    return 0;
}

/* Enable or disable the trace unit: see ete_update(). */
void ete_switch(CPUARMState *env, bool enabled)
{
    ARMTrace *trace = env_trace(env);
    ARMTraceUnit *unit = &trace->unit;

    trace_feed_note_active(env, trace);
    unit->enabled = enabled;
    trace_log_enabled(env, trace, enabled, ete_timestamp(env));
    if (enabled) {
        ete_start(env, trace);
    } else if (unit->tu) {
        ete_resources_pause(trace);
        hwf_tu_disable(unit->tu, true);
        unit->tu = NULL;
    }
}

void ete_flush_requested(CPUARMState *env)
{
    ARMTrace *trace = env_trace(env);

    if (ete_operative(trace)) {
        hwf_tu_flush(trace->unit.tu);
    }
    trace_fifo_flush(env, trace);
    trace->unit.flush_requested = false;
    trbe_flushed(env);
}

void ete_flush(CPUARMState *env)
{
    ARMTrace *trace = env_trace(env);

    ete_update(env);
    if (ete_operative(trace)) {
        hwf_tu_flush(trace->unit.tu);
    }
    ete_after(env, trace);
    ete_pmu_settle(env, trace);
}

void ete_unit_reset(ARMTrace *trace)
{
    trace->unit.tu = NULL;
    trace->unit.enabled = false;
    trace->unit.flush_requested = false;
    trace->unit.resources = (ETEResources) {};
}
