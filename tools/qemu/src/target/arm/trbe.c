/*
 * Arm Trace Buffer Extension: System registers of the trace buffer unit
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * CONSTRAINED UNPREDICTABLE and IMPLEMENTATION DEFINED choices made here:
 *  - a write to a pointer or to the attributes while TRBLIMITR_EL1.E is set is
 *    ignored, and so is one to TRBLIMITR_EL1 that leaves E set; they take
 *    effect where the property trace-busy-writes is on;
 *  - bits of TRBPTR_EL1 and TRBTRG_EL1 below TRBIDR_EL1.Align are RES0;
 *  - MDCR_EL2.E2TB == 0b01, reserved, behaves as 0b11;
 *  - TRBSR_EL1.EA and all of MSS are read/write; MSS2 is RES0.
 * FEAT_TRBE_EXT, External mode, is not implemented: XE, DAT and PAS are RES0.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "hw/irq.h"
#include "cpu.h"
#include "internals.h"
#include "cpu-trace-internal.h"
#include "trbe-regs.h"

#define TRBLIMITR_WRITABLE                                              \
    (R_TRBLIMITR_E_MASK | R_TRBLIMITR_FM_MASK | R_TRBLIMITR_TM_MASK |   \
     R_TRBLIMITR_NVM_MASK | R_TRBLIMITR_LIMIT_MASK)
#define TRBBASER_WRITABLE R_TRBLIMITR_LIMIT_MASK
#define TRBSR_WRITABLE                                                  \
    (R_TRBSR_MSS_MASK | R_TRBSR_S_MASK | R_TRBSR_EA_MASK |              \
     R_TRBSR_WRAP_MASK | R_TRBSR_TRG_MASK | R_TRBSR_IRQ_MASK |          \
     R_TRBSR_EC_MASK)
#define TRBMAR_WRITABLE (R_TRBMAR_ATTR_MASK | R_TRBMAR_SH_MASK)

#define MDCR_E2TB_SHIFT 24
#define MDCR_NSTB_SHIFT 24

/* MDCR_EL3.NSTB[1] is the owning Security state; without EL3, it is ours. */
bool trbe_owned_by_this_state(CPUARMState *env)
{
    return !arm_feature(env, ARM_FEATURE_EL3) ||
        extract64(env->cp15.mdcr_el3, MDCR_NSTB_SHIFT + 1, 1) ==
        !arm_is_secure_below_el3(env);
}

/* Does EL2 own the buffer, in a Security state that has EL2? */
bool trbe_owned_by_el2(CPUARMState *env)
{
    return arm_is_el2_enabled(env) &&
        extract64(env->cp15.mdcr_el2, MDCR_E2TB_SHIFT, 2) == 0;
}

static CPAccessResult trbe_access(CPUARMState *env, const ARMCPRegInfo *ri,
                                  bool isread)
{
    int el = arm_current_el(env);

    if (el == 1 && arm_is_el2_enabled(env) &&
        !extract64(env->cp15.mdcr_el2, MDCR_E2TB_SHIFT, 1)) {
        return CP_ACCESS_TRAP_EL2;
    }
    if (el < 3 && arm_feature(env, ARM_FEATURE_EL3) &&
        (!extract64(env->cp15.mdcr_el3, MDCR_NSTB_SHIFT, 1) ||
         !trbe_owned_by_this_state(env))) {
        return CP_ACCESS_TRAP_EL3;
    }
    return CP_ACCESS_OK;
}

/* The one place that derives the level of TRBIRQ. Call with the BQL held. */
void trbe_update_irq(ARMTrace *trace)
{
    qemu_set_irq(trace->trbirq, FIELD_EX64(trace->trbe.sr, TRBSR, IRQ));
}

static uint64_t trbe_align_mask(const ARMTrace *trace)
{
    return MAKE_64BIT_MASK(trace->config.align, 64 - trace->config.align);
}

/* Is a write to be ignored because the unit is enabled? */
static bool trbe_ignores_write(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return FIELD_EX64(env_trace(env)->trbe.limitr, TRBLIMITR, E) &&
        !arm_trace_take_busy_write(env, ri);
}

static uint64_t trblimitr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return env_trace(env)->trbe.limitr;
}

static void trblimitr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                            uint64_t value)
{
    if (FIELD_EX64(value, TRBLIMITR, E) && trbe_ignores_write(env, ri)) {
        return;
    }
    env_trace(env)->trbe.limitr = value & TRBLIMITR_WRITABLE;
}

static uint64_t trbptr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return env_trace(env)->trbe.ptr;
}

static void trbptr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                         uint64_t value)
{
    ARMTrace *trace = env_trace(env);

    if (!trbe_ignores_write(env, ri)) {
        trace->trbe.ptr = value & trbe_align_mask(trace);
    }
}

static uint64_t trbbaser_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return env_trace(env)->trbe.baser;
}

static void trbbaser_write(CPUARMState *env, const ARMCPRegInfo *ri,
                           uint64_t value)
{
    if (!trbe_ignores_write(env, ri)) {
        env_trace(env)->trbe.baser = value & TRBBASER_WRITABLE;
    }
}

static uint64_t trbsr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return env_trace(env)->trbe.sr;
}

static void trbsr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                        uint64_t value)
{
    ARMTrace *trace = env_trace(env);

    trace->trbe.sr = value & TRBSR_WRITABLE;
    trbe_update_irq(trace);
}

static uint64_t trbmar_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return env_trace(env)->trbe.mar;
}

static void trbmar_write(CPUARMState *env, const ARMCPRegInfo *ri,
                         uint64_t value)
{
    if (!trbe_ignores_write(env, ri)) {
        env_trace(env)->trbe.mar = value & TRBMAR_WRITABLE;
    }
}

static uint64_t trbtrg_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return env_trace(env)->trbe.trg;
}

static void trbtrg_write(CPUARMState *env, const ARMCPRegInfo *ri,
                         uint64_t value)
{
    ARMTrace *trace = env_trace(env);

    if (!trbe_ignores_write(env, ri)) {
        trace->trbe.trg = (uint32_t)value & trbe_align_mask(trace);
    }
}

static uint64_t trbidr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    const ARMTraceConfig *c = &env_trace(env)->config;
    int el = arm_current_el(env);
    bool not_allowed = el < 3 && (!trbe_owned_by_this_state(env) ||
                                  (el == 1 && trbe_owned_by_el2(env)));
    uint64_t v = 0;

    v = FIELD_DP64(v, TRBIDR, ALIGN, c->align);
    v = FIELD_DP64(v, TRBIDR, P, not_allowed);
    v = FIELD_DP64(v, TRBIDR, F, c->flag);
    v = FIELD_DP64(v, TRBIDR, EA, c->ea);
    return v;
}

#define TRBE_REG(NAME, OPC2, STEM, TYPE)                                \
    { .name = NAME, .state = ARM_CP_STATE_AA64,                         \
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 11, .opc2 = OPC2,          \
      .access = PL1_RW, .type = ARM_CP_NO_RAW | (TYPE),                 \
      .accessfn = trbe_access,                                          \
      .readfn = STEM##_read, .writefn = STEM##_write }

static const ARMCPRegInfo trbe_reginfo[] = {
    TRBE_REG("TRBLIMITR_EL1", 0, trblimitr, 0),
    TRBE_REG("TRBPTR_EL1", 1, trbptr, 0),
    TRBE_REG("TRBBASER_EL1", 2, trbbaser, 0),
    TRBE_REG("TRBSR_EL1", 3, trbsr, ARM_CP_IO),
    TRBE_REG("TRBMAR_EL1", 4, trbmar, 0),
    TRBE_REG("TRBTRG_EL1", 6, trbtrg, 0),
    /* no access control: whoever is refused learns it from P */
    { .name = "TRBIDR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 11, .opc2 = 7,
      .access = PL1_R, .type = ARM_CP_NO_RAW, .readfn = trbidr_read },
};

void define_trbe_regs(ARMCPU *cpu)
{
    define_arm_cp_regs(cpu, trbe_reginfo);
}

void trbe_reset(ARMTrace *trace)
{
    TRBEState *s = &trace->trbe;

    s->limitr = arm_trace_unknown(trace) & TRBLIMITR_WRITABLE;
    s->limitr = FIELD_DP64(s->limitr, TRBLIMITR, E, 0);
    s->ptr = arm_trace_unknown(trace) & trbe_align_mask(trace);
    s->baser = arm_trace_unknown(trace) & TRBBASER_WRITABLE;
    s->sr = arm_trace_unknown(trace) & TRBSR_WRITABLE;
    s->mar = arm_trace_unknown(trace) & TRBMAR_WRITABLE;
    s->trg = (uint32_t)arm_trace_unknown(trace) & trbe_align_mask(trace);
    trbe_update_irq(trace);
}
