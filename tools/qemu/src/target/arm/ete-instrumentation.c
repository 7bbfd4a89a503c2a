/*
 * Arm trace: the Instrumentation Trace Extension, FEAT_ITE
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * TRCIT writes a value into the trace. TRCITECR_ELx say at which Exception
 * levels, as TRFCR_ELx do for all trace (I_CMDFW).
 *
 * Self-hosted trace is always enabled here: there is no external debugger.
 * TRCITEEDCR and TRCCONFIGR.ITO, which are ignored then, keep what is written
 * and do nothing (R_RTKDL, R_DKCFL).
 *
 * A choice made here: the instructions of a translated block are looked at when
 * the next block begins. ETEEvents of those before TRCIT in the same block come
 * after the Instrumentation element. P0 elements do not, as a P0 instruction is
 * the last one of its block.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "cpu-trace-internal.h"

/* TRCITECR_EL1; in TRCITECR_EL2 they are E0HE and E2E. */
FIELD(TRCITECR, E0E, 0, 1)
FIELD(TRCITECR, E1E, 1, 1)

/* ---- TRCITECR_EL1, TRCITECR_EL2, TRCITECR_EL12 ---- */

/* MDCR_EL3.EnITE */
static CPAccessResult trcitecr_el3_access(CPUARMState *env)
{
    if (arm_current_el(env) < 3 && arm_feature(env, ARM_FEATURE_EL3) &&
        !(env->cp15.mdcr_el3 & MDCR_EL3_ENITE)) {
        return CP_ACCESS_TRAP_EL3;
    }
    env_trace(env)->count.filter++;
    return CP_ACCESS_OK;
}

/* HDFGRTR2_EL2 and HDFGWTR2_EL2, which are 0 without SCR_EL3.FGTEn2 */
static bool trcitecr_fine_grained_trap(CPUARMState *env, bool isread)
{
    uint64_t traps = isread ? env->cp15.fgt_read[FGTREG_HDFGRTR2] :
        env->cp15.fgt_write[FGTREG_HDFGWTR2];

    return arm_is_el2_enabled(env) &&
        ((arm_feature(env, ARM_FEATURE_EL3) &&
          !(env->cp15.scr_el3 & SCR_FGTEN2)) ||
         !FIELD_EX64(traps, HDFGRTR2_EL2, NTRCITECR_EL1));
}

static CPAccessResult trcitecr_el1_access(CPUARMState *env,
                                          const ARMCPRegInfo *ri, bool isread)
{
    if (arm_current_el(env) == 1 && trcitecr_fine_grained_trap(env, isread)) {
        return CP_ACCESS_TRAP_EL2;
    }
    return trcitecr_el3_access(env);
}

/* At EL1 these belong to FEAT_NV, whose trap to EL2 comes first. */
static CPAccessResult trcitecr_el2_access(CPUARMState *env,
                                          const ARMCPRegInfo *ri, bool isread)
{
    return arm_current_el(env) == 1 ? CP_ACCESS_OK : trcitecr_el3_access(env);
}

static CPAccessResult trcitecr_el12_access(CPUARMState *env,
                                           const ARMCPRegInfo *ri, bool isread)
{
    if (arm_current_el(env) >= 2 && !(arm_hcr_el2_eff(env) & HCR_E2H)) {
        return CP_ACCESS_UNDEFINED;
    }
    return trcitecr_el2_access(env, ri, isread);
}

/* The register that the encoding accesses: FEAT_VHE redirects TRCITECR_EL1. */
static TraceReg trcitecr_reg(CPUARMState *env, const ARMCPRegInfo *ri)
{
    bool redirected = ri->opc1 == 0 && arm_current_el(env) == 2 &&
        (arm_hcr_el2_eff(env) & HCR_E2H);

    return redirected || ri->opc1 == 4 ? TRACE_REG_TRCITECR2 :
        TRACE_REG_TRCITECR1;
}

static uint64_t trcitecr_raw_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return CPREG_FIELD64(env, ri);
}

static uint64_t trcitecr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return trace_reg_read(env, trcitecr_reg(env, ri));
}

static void trcitecr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                           uint64_t value)
{
    trace_reg_write(env, trcitecr_reg(env, ri),
                    value & (R_TRCITECR_E0E_MASK | R_TRCITECR_E1E_MASK));
}

/* ---- TRCIT ---- */

/*
 * Is Instrumentation trace not prohibited at @el, for itself? R_FLGVJ. At EL3
 * there is no control, and it is.
 */
static bool instrumentation_allowed(CPUARMState *env, int el)
{
    uint64_t trcitecr;

    if (el == 3) {
        return false;
    }
    if (el == 2 || (el == 0 && (arm_hcr_el2_eff(env) & HCR_TGE))) {
        trcitecr = env->cp15.trcitecr_el[2];
    } else {
        trcitecr = env->cp15.trcitecr_el[1];
    }
    return el ? FIELD_EX64(trcitecr, TRCITECR, E1E) :
        FIELD_EX64(trcitecr, TRCITECR, E0E);
}

/*
 * R_BXTXK, R_JJZXW: a NOP where Instrumentation trace, or all trace, is
 * prohibited. What ViewInst is makes no difference (I_MHGVF): the block that
 * TRCIT is in need not be a traced one.
 */
static void trcit_write(CPUARMState *env, const ARMCPRegInfo *ri,
                        uint64_t value)
{
    ARMTrace *trace = env_trace(env);
    int el = arm_current_el(env);

    if (!instrumentation_allowed(env, el) || !ete_allowed(env, el)) {
        return;
    }
    trace_feed_catch_up(env);
    ete_update(env);
    if (ete_operative(trace)) {
        hwf_tu_instrumentation(trace->unit.tu, el, value);
    }
    ete_after(env, trace);
    ete_pmu_settle(env, trace);
}

static const ARMCPRegInfo instrumentation_reginfo[] = {
    { .name = "TRCITECR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 1, .crm = 2, .opc2 = 3,
      .access = PL1_RW, .accessfn = trcitecr_el1_access,
      .nv2_redirect_offset = 0x888 | NV2_REDIR_NV1,
      .readfn = trcitecr_read, .raw_readfn = trcitecr_raw_read,
      .writefn = trcitecr_write, .raw_writefn = raw_write,
      .fieldoffset = offsetof(CPUARMState, cp15.trcitecr_el[1]) },
    { .name = "TRCITECR_EL2", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 4, .crn = 1, .crm = 2, .opc2 = 3,
      .access = PL2_RW, .accessfn = trcitecr_el2_access,
      .readfn = trcitecr_read, .raw_readfn = trcitecr_raw_read,
      .writefn = trcitecr_write, .raw_writefn = raw_write,
      .fieldoffset = offsetof(CPUARMState, cp15.trcitecr_el[2]) },
    { .name = "TRCIT", .state = ARM_CP_STATE_AA64,
      .opc0 = 1, .opc1 = 3, .crn = 7, .crm = 2, .opc2 = 7,
      .access = PL0_W, .type = ARM_CP_NO_RAW | ARM_CP_SUPPRESS_TB_END,
      .writefn = trcit_write },
};

static const ARMCPRegInfo instrumentation_vhe_reginfo = {
    .name = "TRCITECR_EL12", .state = ARM_CP_STATE_AA64,
    .opc0 = 3, .opc1 = 5, .crn = 1, .crm = 2, .opc2 = 3,
    .access = PL2_RW, .accessfn = trcitecr_el12_access, .type = ARM_CP_NO_RAW,
    .nv2_redirect_offset = 0x888 | NV2_REDIR_NO_NV1,
    .readfn = trcitecr_read, .writefn = trcitecr_write,
};

void define_instrumentation_regs(ARMCPU *cpu)
{
    define_arm_cp_regs(cpu, instrumentation_reginfo);
    if (arm_feature(&cpu->env, ARM_FEATURE_EL2) &&
        cpu_isar_feature(aa64_vh, cpu)) {
        define_one_arm_cp_reg(cpu, &instrumentation_vhe_reginfo);
    }
}
