/*
 * Arm trace: trace filter registers (FEAT_TRF), reset, migration
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "hw/irq.h"
#include "migration/vmstate.h"
#include "system/runstate.h"
#include "cpu.h"
#include "internals.h"
#include "cpu-trace-internal.h"
#include "trbe-fields.h"

FIELD(TRFCR, E0TRE, 0, 1)
FIELD(TRFCR, E1TRE, 1, 1)
FIELD(TRFCR, CX, 3, 1)
FIELD(TRFCR, TS, 5, 2)

void arm_trace_finalize(ARMCPU *cpu)
{
    if (cpu->trace) {
        if (cpu->trace->vm_state) {
            qemu_del_vm_change_state_handler(cpu->trace->vm_state);
        }
        g_free(cpu->trace->unit.memory);
        g_free(cpu->trace->unit.saved);
        g_free(cpu->trace->log_path);
        g_free(cpu->trace->cpus);
    }
    g_free(cpu->trace);
    cpu->trace = NULL;
}

bool arm_cpu_has_ete(ARMCPU *cpu)
{
    return cpu->trace && cpu->trace->config.ete;
}

bool arm_cpu_has_trbe(ARMCPU *cpu)
{
    return cpu->trace && cpu->trace->config.trbe;
}

uint32_t arm_cpu_trbe_ppi(ARMCPU *cpu)
{
    return cpu->trace->config.ppi;
}

/*
 * What is under way is settled when the machine stops, while guest memory may
 * still change: what is saved later goes with it.
 */
static void trace_vm_state(void *opaque, bool running, RunState state)
{
    ARMCPU *cpu = opaque;
    ARMTrace *trace = cpu->trace;
    CPUState *current = current_cpu;

    if (running) {
        return;
    }
    /* in its place: it does not run */
    current_cpu = CPU(cpu);
    trace_feed_stopped(&cpu->env, trace);
    current_cpu = current;
    if (trace->log) {
        trace_log_stopped(trace->log);
    }
}

FIELD(TRACE_PFR0, RME, 52, 4)
FIELD(TRACE_DFR1, ITE, 44, 4)

bool arm_trace_realize(ARMCPU *cpu, Error **errp)
{
    CPUARMState *env = &cpu->env;
    ARMISARegisters *isar = &cpu->isar;
    ARMTraceConfig *c;
    const char *conflict;

    if (!cpu->trace) {
        return true;
    }
    if (!trace_cpus_apply(cpu, errp)) {
        return false;
    }
    c = &cpu->trace->config;
    c->el2 = arm_feature(env, ARM_FEATURE_EL2);
    c->el3 = arm_feature(env, ARM_FEATURE_EL3);
    c->sel2 = c->el2 && isar_feature_aa64_sel2(isar);
    conflict = trace_config_conflict(c);
    if (conflict) {
        error_setg(errp, "%s", conflict);
        return false;
    }
    c->batched = !c->strict && !c->specseed && !trace_faults_configured(c);
    if (!trace_log_open(cpu->trace, CPU(cpu)->cpu_index, errp)) {
        return false;
    }
    if (c->ete) {
        cpu->trace->vm_state =
            qemu_add_vm_change_state_handler(trace_vm_state, cpu);
    }
    if (c->ete) {
        isar->id_aa64dfr0 =
            FIELD_DP64(isar->id_aa64dfr0, ID_AA64DFR0, TRACEVER, c->idversion);
        isar->id_aa64dfr0 =
            FIELD_DP64(isar->id_aa64dfr0, ID_AA64DFR0, TRACEFILT, c->idfilter);
        isar->id_dfr0 = FIELD_DP32(isar->id_dfr0, ID_DFR0, TRACEFILT, 1);
    }
    if (c->trbe) {
        isar->id_aa64dfr0 =
            FIELD_DP64(isar->id_aa64dfr0, ID_AA64DFR0, TRACEBUFFER,
                       c->idbuffer);
    }
    if (c->ite) {
        isar->id_aa64dfr1 = FIELD_DP64(isar->id_aa64dfr1, TRACE_DFR1, ITE, 1);
        if (c->el2) {
            isar->id_aa64mmfr0 =
                FIELD_DP64(isar->id_aa64mmfr0, ID_AA64MMFR0, FGT, 2);
        }
    }
    isar->id_aa64pfr0 =
        FIELD_DP64(isar->id_aa64pfr0, TRACE_PFR0, RME, c->idrme);
    return true;
}

/*
 * The virtual clock. With icount it must not be read in the middle of a block,
 * lest the guest sees time that depends on how its code is cut into blocks.
 * Blocks are not cut for us, and what is seen here is the end of this one.
 */
uint64_t arm_trace_now(CPUARMState *env)
{
    CPUState *cs = env_cpu(env);
    bool can_do_io = cs->neg.can_do_io;
    uint64_t now;

    cs->neg.can_do_io = true;
    now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    cs->neg.can_do_io = can_do_io;
    return now;
}

/*
 * As cpu_interrupt(). Trace comes at the start of blocks, where icount allows
 * no interrupts to be raised; it will be taken at the end of this one.
 */
void arm_trace_interrupt(CPUARMState *env, int mask)
{
    CPUState *cs = env_cpu(env);
    bool locked = bql_locked();
    bool can_do_io = cs->neg.can_do_io;

    if (!locked) {
        bql_lock();
    }
    cs->neg.can_do_io = true;
    cpu_interrupt(cs, mask);
    cs->neg.can_do_io = can_do_io;
    if (!locked) {
        bql_unlock();
    }
}

/* splitmix64 */
uint64_t arm_trace_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

uint64_t arm_trace_unknown(ARMTrace *trace)
{
    return trace->config.unknown ? arm_trace_random(&trace->random) : 0;
}

bool arm_trace_take_busy_write(CPUARMState *env, const ARMCPRegInfo *ri)
{
    ARMTrace *trace = env_trace(env);
    bool take = trace->config.busywrites ||
        (trace->config.strict && trace_sync_chooses(trace));

    qemu_log_mask(LOG_GUEST_ERROR, "%s written while enabled: %s\n", ri->name,
                  take ? "taken" : "ignored");
    return take;
}

/*
 * A Warm reset leaves the power on, and is a PE Reset in the trace. A CPU that
 * is off, or is turned on, has a Cold one.
 */
void arm_trace_reset_begins(ARMCPU *cpu)
{
    ARMTrace *trace = cpu->trace;
    CPUState *current = current_cpu;

    if (!arm_cpu_has_ete(cpu)) {
        return;
    }
    trace->warm = trace->config.warmreset && trace->was_reset &&
        cpu->power_state == PSCI_ON;
    trace->was_reset = true;
    if (!trace->warm) {
        return;
    }
    trace->oslsr = cpu->env.cp15.oslsr_el1;
    /* in its place: it does not run */
    current_cpu = CPU(cpu);
    trace_feed_pe_reset(&cpu->env, trace);
    trace_sync_complete(&cpu->env, trace);
    current_cpu = current;
}

/* R_YYHBF: the trace unit is as it was; the buffer is disabled. */
static void trace_warm_reset(CPUARMState *env, ARMTrace *trace)
{
    uint64_t limitr = trace->trbe.limitr;

    env->cp15.oslsr_el1 = trace->oslsr;
    if (trace->config.trbe) {
        trace->trbe.limitr = FIELD_DP64(limitr, TRBLIMITR, E, 0);
        trbe_limitr_changed(trace, limitr);
    }
    env->cp15.trfcr_el[1] = arm_trace_unknown(trace) & R_TRFCR_TS_MASK;
    trace_feed_reset(trace);
    trace_sync_warm_reset(env, trace);
}

void arm_trace_reset(ARMCPU *cpu)
{
    ARMTrace *trace = cpu->trace;

    if (!arm_cpu_has_ete(cpu)) {
        return;
    }
    if (trace->warm) {
        trace_warm_reset(&cpu->env, trace);
        return;
    }
    trace->random = deposit64(trace->config.unknown, 32, 32,
                              CPU(cpu)->cpu_index);
    ete_reset(&cpu->env, trace);
    if (trace->config.trbe) {
        trbe_reset(trace);
    }
    /* not UNKNOWN are the enables, and what TRFCR_EL2 has */
    cpu->env.cp15.trfcr_el[1] =
        arm_trace_unknown(trace) & R_TRFCR_TS_MASK;
    trace_sync_reset(&cpu->env, trace);
}

/* What firmware at EL3 does before it starts Non-secure software */
void arm_trace_firmware_reset(ARMCPU *cpu)
{
    if (arm_cpu_has_trbe(cpu)) {
        /* NSTB: Non-secure state owns the buffer, and accesses do not trap */
        cpu->env.cp15.mdcr_el3 |= 3 << 24;
    }
    if (ete_has_instrumentation(cpu)) {
        cpu->env.cp15.mdcr_el3 |= MDCR_EL3_ENITE;
    }
}

static CPAccessResult trfcr_access(CPUARMState *env, const ARMCPRegInfo *ri,
                                   bool isread)
{
    int el = arm_current_el(env);

    if (el == 1 && (arm_mdcr_el2_eff(env) & MDCR_TTRF)) {
        return CP_ACCESS_TRAP_EL2;
    }
    if (el < 3 && arm_feature(env, ARM_FEATURE_EL3) &&
        (env->cp15.mdcr_el3 & MDCR_TTRF)) {
        return CP_ACCESS_TRAP_EL3;
    }
    env_trace(env)->count.filter++;
    return CP_ACCESS_OK;
}

/* TRFCR_EL12 exists where HCR_EL2.E2H is set; at EL1 it belongs to FEAT_NV. */
static CPAccessResult trfcr_el12_access(CPUARMState *env,
                                        const ARMCPRegInfo *ri, bool isread)
{
    if (arm_current_el(env) == 1) {
        return CP_ACCESS_OK;
    }
    return arm_hcr_el2_eff(env) & HCR_E2H ? trfcr_access(env, ri, isread) :
        CP_ACCESS_UNDEFINED;
}

/* The register that the encoding accesses: FEAT_VHE redirects TRFCR_EL1. */
static TraceReg trfcr_reg(CPUARMState *env, const ARMCPRegInfo *ri)
{
    bool redirected = ri->opc1 == 0 && arm_current_el(env) == 2 &&
        (arm_hcr_el2_eff(env) & HCR_E2H);

    return redirected || ri->opc1 == 4 ? TRACE_REG_TRFCR2 : TRACE_REG_TRFCR1;
}

static uint64_t trfcr_raw_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return CPREG_FIELD64(env, ri);
}

static uint64_t trfcr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return trace_reg_read(env, trfcr_reg(env, ri));
}

static void trfcr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                        uint64_t value)
{
    TraceReg reg = trfcr_reg(env, ri);
    uint64_t writable = R_TRFCR_E0TRE_MASK | R_TRFCR_E1TRE_MASK |
        R_TRFCR_TS_MASK;

    if (reg == TRACE_REG_TRFCR2) {
        writable |= R_TRFCR_CX_MASK;
    }
    trace_reg_write(env, reg, value & writable);
}

/* The AArch32 views are TRFCR and HTRFCR. */
static const ARMCPRegInfo trf_reginfo[] = {
    { .name = "TRFCR_EL1", .state = ARM_CP_STATE_BOTH,
      .opc0 = 3, .opc1 = 0, .crn = 1, .crm = 2, .opc2 = 1,
      .access = PL1_RW, .accessfn = trfcr_access,
      .fgt = FGT_TRFCR_EL1,
      .nv2_redirect_offset = 0x880 | NV2_REDIR_NV1,
      .readfn = trfcr_read, .raw_readfn = trfcr_raw_read,
      .writefn = trfcr_write, .raw_writefn = raw_write,
      .fieldoffset = offsetof(CPUARMState, cp15.trfcr_el[1]) },
    { .name = "TRFCR_EL2", .state = ARM_CP_STATE_BOTH,
      .opc0 = 3, .opc1 = 4, .crn = 1, .crm = 2, .opc2 = 1,
      .access = PL2_RW, .accessfn = trfcr_access,
      .readfn = trfcr_read, .raw_readfn = trfcr_raw_read,
      .writefn = trfcr_write, .raw_writefn = raw_write,
      .fieldoffset = offsetof(CPUARMState, cp15.trfcr_el[2]) },
};

static const ARMCPRegInfo trf_vhe_reginfo = {
    .name = "TRFCR_EL12", .state = ARM_CP_STATE_AA64,
    .opc0 = 3, .opc1 = 5, .crn = 1, .crm = 2, .opc2 = 1,
    .access = PL2_RW, .accessfn = trfcr_el12_access, .type = ARM_CP_NO_RAW,
    .nv2_redirect_offset = 0x880 | NV2_REDIR_NO_NV1,
    .readfn = trfcr_read, .writefn = trfcr_write,
};

/* Do ISB and DSB matter to trace? const from realize on */
bool arm_trace_barriers(ARMCPU *cpu)
{
    return arm_cpu_has_ete(cpu) &&
        (cpu->trace->config.strict ||
         trace_faults_barriers(&cpu->trace->config));
}

void define_trace_regs(ARMCPU *cpu)
{
    if (!arm_cpu_has_ete(cpu)) {
        return;
    }
    define_arm_cp_regs(cpu, trf_reginfo);
    if (arm_feature(&cpu->env, ARM_FEATURE_EL2) &&
        cpu_isar_feature(aa64_vh, cpu)) {
        define_one_arm_cp_reg(cpu, &trf_vhe_reginfo);
    }
    define_ete_regs(cpu);
    if (ete_has_instrumentation(cpu)) {
        define_instrumentation_regs(cpu);
    }
    if (arm_cpu_has_trbe(cpu)) {
        define_trbe_regs(cpu);
    }
}

static void trace_unit_forget(ARMTraceUnit *unit)
{
    g_free(unit->saved);
    unit->saved = NULL;
    unit->saved_size = 0;
}

static bool trace_unit_needed(void *opaque)
{
    return ete_operative(opaque);
}

static int trace_unit_pre_save(void *opaque)
{
    ARMTraceUnit *unit = &((ARMTrace *)opaque)->unit;

    trace_unit_forget(unit);
    unit->saved_size = hwf_tu_state_size(unit->tu);
    unit->saved = g_malloc(unit->saved_size);
    hwf_tu_save(unit->tu, unit->saved);
    return 0;
}

static int trace_unit_post_save(void *opaque)
{
    trace_unit_forget(&((ARMTrace *)opaque)->unit);
    return 0;
}

/* A trace unit that is enabled: Atoms, history, return stack and the like */
static const VMStateDescription vmstate_trace_unit = {
    .name = "cpu/trace/state/unit",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = trace_unit_needed,
    .pre_save = trace_unit_pre_save,
    .post_save = trace_unit_post_save,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(unit.viewing, ARMTrace),
        VMSTATE_BOOL(unit.must_show, ARMTrace),
        VMSTATE_UINT64(unit.cycles_mark, ARMTrace),
        VMSTATE_UINT32(unit.saved_size, ARMTrace),
        VMSTATE_VBUFFER_ALLOC_UINT32(unit.saved, ARMTrace, 0, NULL,
                                     unit.saved_size),
        VMSTATE_BOOL(unit.resources.running, ARMTrace),
        VMSTATE_UINT16(unit.resources.addresses_match, ARMTrace),
        VMSTATE_UINT16(unit.resources.ranges_match, ARMTrace),
        VMSTATE_UINT16(unit.resources.external, ARMTrace),
        VMSTATE_UINT16(unit.resources.single_shot, ARMTrace),
        VMSTATE_UINT16_ARRAY(unit.resources.active, ARMTrace, ETE_GROUPS),
        VMSTATE_UINT32(unit.resources.fired, ARMTrace),
        VMSTATE_UINT32(unit.resources.events, ARMTrace),
        VMSTATE_BOOL(unit.resources.timestamp, ARMTrace),
        VMSTATE_UINT32(unit.resources.timestamp_wait, ARMTrace),
        VMSTATE_END_OF_LIST()
    }
};

static int trace_pre_load(void *opaque)
{
    trace_unit_forget(&((ARMTrace *)opaque)->unit);
    trace_feed_reset(opaque);
    return 0;
}

static const VMStateDescription vmstate_trace_state = {
    .name = "cpu/trace/state",
    /* 3: TRCITEEDCR is one of the registers */
    .version_id = 3,
    .minimum_version_id = 3,
    .pre_load = trace_pre_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(ete.prgctlr, ARMTrace),
        VMSTATE_UINT64(ete.claim, ARMTrace),
        VMSTATE_UINT64_ARRAY(ete.reg, ARMTrace, ETE_REG_COUNT),
        VMSTATE_UINT64(trbe.limitr, ARMTrace),
        VMSTATE_UINT64(trbe.ptr, ARMTrace),
        VMSTATE_UINT64(trbe.baser, ARMTrace),
        VMSTATE_UINT64(trbe.sr, ARMTrace),
        VMSTATE_UINT64(trbe.mar, ARMTrace),
        VMSTATE_UINT64(trbe.trg, ARMTrace),
        VMSTATE_UINT64(random, ARMTrace),
        VMSTATE_BOOL(unit.enabled, ARMTrace),
        VMSTATE_BOOL(unit.enabled_unlogged, ARMTrace),
        VMSTATE_UINT64(unit.enabled_at, ARMTrace),
        VMSTATE_BOOL(unit.flush_requested, ARMTrace),
        VMSTATE_BOOL(feed.context_known, ARMTrace),
        VMSTATE_BOOL(feed.viewed, ARMTrace),
        VMSTATE_BOOL(feed.executed, ARMTrace),
        VMSTATE_INT32(feed.el, ARMTrace),
        VMSTATE_UINT32(feed.cid, ARMTrace),
        VMSTATE_UINT32(feed.vmid, ARMTrace),
        VMSTATE_UINT64(count.accepted, ARMTrace),
        VMSTATE_UINT64(count.discarded, ARMTrace),
        VMSTATE_UINT64(count.rejected, ARMTrace),
        VMSTATE_UINT64(count.unit_reads, ARMTrace),
        VMSTATE_UINT64(count.unit_writes, ARMTrace),
        VMSTATE_UINT64(count.buffer_reads, ARMTrace),
        VMSTATE_UINT64(count.buffer_writes, ARMTrace),
        VMSTATE_UINT64(count.filter, ARMTrace),
        VMSTATE_UINT64_ARRAY(pmu.count, ARMTrace, ETE_PMU_EVENTS),
        VMSTATE_BOOL(pmu.counted, ARMTrace),
        VMSTATE_UINT32(pmu.overflows, ARMTrace),
        VMSTATE_END_OF_LIST()
    },
    .subsections = (const VMStateDescription * const []) {
        &vmstate_trace_sync,
        &vmstate_trace_faults,
        &vmstate_trace_unit,
        NULL
    }
};

static int trace_post_load(void *opaque, int version)
{
    ARMCPU *cpu = opaque;
    Error *err = NULL;
    int error = ete_unit_restore(&cpu->env, cpu->trace);

    trace_unit_forget(&cpu->trace->unit);
    if (error) {
        return error;
    }
    if (!trace_log_arrive(&err)) {
        error_report_err(err);
        return -EINVAL;
    }
    trbe_update_irq(cpu->trace);
    return 0;
}

static bool trace_needed(void *opaque)
{
    return arm_cpu_has_ete(opaque);
}

const VMStateDescription vmstate_arm_trace = {
    .name = "cpu/trace",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = trace_needed,
    .post_load = trace_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT_POINTER(trace, ARMCPU, vmstate_trace_state, ARMTrace),
        VMSTATE_END_OF_LIST()
    }
};
