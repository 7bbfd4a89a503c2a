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
 * FEAT_TRBE_EXT, External mode, is not implemented: XE, DAT and PAS are RES0;
 * with the property trbe-external XE reads as one, and that is all.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "hw/irq.h"
#include "cpu.h"
#include "internals.h"
#include "cpu-trace-internal.h"
#include "trbe-fields.h"

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
static bool trbe_owned_by_this_state(CPUARMState *env)
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

/* Is the unit enabled, and collection not stopped? */
bool trbe_running(const ARMTrace *trace)
{
    return FIELD_EX64(trace->trbe.limitr, TRBLIMITR, E) &&
        !FIELD_EX64(trace->trbe.sr, TRBSR, S);
}

/*
 * An enabled buffer must not see more than its owner may: I_FGGXR. EL0 is
 * EL2's while HCR_EL2.TGE is set (R_XWDZV).
 */
bool trbe_allows(CPUARMState *env, int el, bool secure)
{
    if (!FIELD_EX64(env_trace(env)->trbe.limitr, TRBLIMITR, E)) {
        return true;
    }
    if (arm_feature(env, ARM_FEATURE_EL3) &&
        extract64(env->cp15.mdcr_el3, MDCR_NSTB_SHIFT + 1, 1) == secure) {
        return false;
    }
    return trbe_owned_by_el2(env) ||
        (el < 2 && !(arm_hcr_el2_eff(env) & HCR_TGE));
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
    trace_feed_catch_up(env);
    if (isread) {
        env_trace(env)->count.buffer_reads++;
    } else {
        env_trace(env)->count.buffer_writes++;
    }
    return CP_ACCESS_OK;
}

/* The one place that derives the level of TRBIRQ. Call with the BQL held. */
void trbe_update_irq(ARMTrace *trace)
{
    qemu_set_irq(trace->trbirq, FIELD_EX64(trace->trbe.sr, TRBSR, IRQ));
}

/* A register with storage */
typedef struct TRBERow {
    const char *name;
    uint8_t opc2;
    /* writes may be ignored while TRBLIMITR_EL1.E is set */
    bool held;
    /* bits below TRBIDR_EL1.Align are RES0 */
    bool aligned;
    TraceReg reg;
    FGTBit fgt;
    uint64_t writable;
} TRBERow;

static const TRBERow trbe_rows[] = {
    { "TRBLIMITR_EL1", 0, true, false, TRACE_REG_LIMITR, FGT_TRBLIMITR_EL1,
      TRBLIMITR_WRITABLE },
    { "TRBPTR_EL1", 1, true, true, TRACE_REG_PTR, FGT_TRBPTR_EL1, UINT64_MAX },
    { "TRBBASER_EL1", 2, true, false, TRACE_REG_BASER, FGT_TRBBASER_EL1,
      TRBBASER_WRITABLE },
    { "TRBSR_EL1", 3, false, false, TRACE_REG_SR, FGT_TRBSR_EL1,
      TRBSR_WRITABLE },
    { "TRBMAR_EL1", 4, true, false, TRACE_REG_MAR, FGT_TRBMAR_EL1,
      TRBMAR_WRITABLE },
    { "TRBTRG_EL1", 6, true, true, TRACE_REG_TRG, FGT_TRBTRG_EL1, UINT32_MAX },
};

static uint64_t trbe_writable(const ARMTrace *trace, const TRBERow *row)
{
    return row->aligned ? row->writable & -(1ull << trace->config.align) :
        row->writable;
}

static uint64_t trbe_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    const TRBERow *row = ri->opaque;
    uint64_t value = trace_reg_read(env, row->reg);

    if (row->reg == TRACE_REG_LIMITR && env_trace(env)->config.external) {
        value |= R_TRBLIMITR_XE_MASK;
    }
    return value;
}

static void trbe_write(CPUARMState *env, const ARMCPRegInfo *ri, uint64_t value)
{
    ARMTrace *trace = env_trace(env);
    const TRBERow *row = ri->opaque;
    /* a write to TRBLIMITR_EL1 that clears E is not ignored */
    bool disables = row->reg == TRACE_REG_LIMITR &&
        !FIELD_EX64(value, TRBLIMITR, E);

    /* TRBSR_EL1, too, may ignore it: R_DJMDD */
    bool held = row->held ||
        (trace->config.strict && row->reg == TRACE_REG_SR);

    if (held && !disables &&
        FIELD_EX64(trace->trbe.limitr, TRBLIMITR, E) &&
        !arm_trace_take_busy_write(env, ri)) {
        return;
    }
    if (trace_faults_ignores(trace, row->reg, row->name)) {
        return;
    }
    trace_reg_write(env, row->reg, value & trbe_writable(trace, row));
}

/* Trace operations see a new value of TRBLIMITR_EL1. */
void trbe_limitr_changed(ARMTrace *trace, uint64_t before)
{
    const ARMTraceSync *sync = &trace->sync;
    bool was = FIELD_EX64(before, TRBLIMITR, E);
    bool is = FIELD_EX64(trace->trbe.limitr, TRBLIMITR, E);

    if (was && !is && sync->fifo_used) {
        qemu_log_mask(LOG_GUEST_ERROR, "TRBLIMITR_EL1.E cleared with %u bytes "
                      "in the trace unit: no TSB CSYNC\n", sync->fifo_used);
    }
    if (!was && is && sync->stores_used) {
        qemu_log_mask(LOG_GUEST_ERROR, "TRBLIMITR_EL1.E set with trace of "
                      "before not in memory: no DSB after TSB CSYNC\n");
    }
    if (was != is) {
        trace_faults_enabled(trace, is);
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
    v = FIELD_DP64(v, TRBIDR, ADDRMODE, c->addrmode);
    v = FIELD_DP64(v, TRBIDR, EA, c->ea);
    v = FIELD_DP64(v, TRBIDR, MAXBUFFSIZE, c->maxsize);
    return v;
}

/* no access control: whoever is refused learns it from P */
static const ARMCPRegInfo trbidr_reginfo = {
    .name = "TRBIDR_EL1", .state = ARM_CP_STATE_AA64,
    .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 11, .opc2 = 7,
    .access = PL1_R, .type = ARM_CP_NO_RAW, .fgt = FGT_TRBIDR_EL1,
    .readfn = trbidr_read,
};

void define_trbe_regs(ARMCPU *cpu)
{
    for (int i = 0; i < ARRAY_SIZE(trbe_rows); i++) {
        const TRBERow *row = &trbe_rows[i];
        ARMCPRegInfo ri = {
            .name = row->name, .state = ARM_CP_STATE_AA64,
            .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 11, .opc2 = row->opc2,
            .access = PL1_RW, .type = ARM_CP_NO_RAW | ARM_CP_IO,
            .accessfn = trbe_access, .fgt = row->fgt,
            .readfn = trbe_read, .writefn = trbe_write,
        };

        define_one_arm_cp_reg_with_opaque(cpu, &ri, (void *)row);
    }
    define_one_arm_cp_reg(cpu, &trbidr_reginfo);
}

void trbe_reset(ARMTrace *trace)
{
    TRBEState *s = &trace->trbe;
    uint64_t *const places[] = {
        &s->limitr, &s->ptr, &s->baser, &s->sr, &s->mar, &s->trg,
    };

    for (int i = 0; i < ARRAY_SIZE(trbe_rows); i++) {
        *places[i] = arm_trace_unknown(trace) &
            trbe_writable(trace, &trbe_rows[i]);
    }
    s->limitr = FIELD_DP64(s->limitr, TRBLIMITR, E, 0);
    trbe_update_irq(trace);
}
