/*
 * Arm Embedded Trace Extension: System registers of the trace unit
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * CONSTRAINED UNPREDICTABLE and IMPLEMENTATION DEFINED choices made here:
 *  - a write to a register that wants an Idle trace unit, made while it is not,
 *    is ignored, or takes effect where the property trace-busy-writes is on;
 *  - TRCSTATR.PMSTABLE, UNKNOWN while the trace unit is enabled, reads as zero;
 *  - bits of TRCRSCTLR<n>.SELECT that only some values of GROUP give a meaning
 *    are read/write whatever GROUP is;
 *  - a register of a resource that is not there is UNDEFINED, or RAZ/WI where
 *    the property ete-absent-raz is on: the ETM driver of Linux writes to some;
 *  - Virtual context identifiers are there without EL2 as well, for its sake:
 *    it writes TRCVMIDCCTLR0 without asking;
 *  - there are no IMPLEMENTATION DEFINED features: TRCAUXCTLR and TRCIMSPEC0
 *    are zero, TRCIMSPEC<n> are not there.
 * The trace unit reset is a Cold reset, and so is every reset of a CPU here: a
 * CPU is powered down and up (PSCI), or the whole machine is reset; but for the
 * property trace-warm-reset, see cpu-trace.c.
 */
#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/log.h"
#include "cpu.h"
#include "internals.h"
#include "cpu-trace-internal.h"

FIELD(TRCEVENTCTL1R, OE, 13, 1)

static uint64_t ete_prgctlr_read(CPUARMState *env, const ARMCPRegInfo *ri);
static void ete_prgctlr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                              uint64_t value);
static uint64_t ete_statr_read(CPUARMState *env, const ARMCPRegInfo *ri);

typedef enum ETERegKind {
    ETE_KIND_RW,
    ETE_KIND_RO,
    ETE_KIND_FN,
} ETERegKind;

typedef struct ETERow {
    const char *name;
    ETERegKind kind;
    uint16_t offset;
    uint8_t step, most;
    ETERegIndex first;
    CPReadFn *readfn;
    CPWriteFn *writefn;
} ETERow;

typedef enum ETERowIndex {
#define ETE_RW(NAME, OFFSET, STEP, MOST, PRESENT, WRITABLE, ONES)       \
    ETE_ROW_##NAME,
#define ETE_RO(NAME, OFFSET, VALUE) ETE_ROW_##NAME,
#define ETE_FN(NAME, OFFSET, READ, WRITE) ETE_ROW_##NAME,
#include "ete-regs.h.inc"
#undef ETE_RW
#undef ETE_RO
#undef ETE_FN
    ETE_ROW_COUNT
} ETERowIndex;

static const ETERow ete_rows[ETE_ROW_COUNT] = {
#define ETE_RW(NAME, OFFSET, STEP, MOST, PRESENT, WRITABLE, ONES)       \
    [ETE_ROW_##NAME] = { #NAME, ETE_KIND_RW, OFFSET, STEP, MOST, ETE_##NAME },
#define ETE_RO(NAME, OFFSET, VALUE)                                     \
    [ETE_ROW_##NAME] = { #NAME, ETE_KIND_RO, OFFSET },
#define ETE_FN(NAME, OFFSET, READ, WRITE)                               \
    [ETE_ROW_##NAME] = { .name = #NAME, .kind = ETE_KIND_FN,            \
                         .offset = OFFSET, .readfn = READ, .writefn = WRITE },
#include "ete-regs.h.inc"
#undef ETE_RW
#undef ETE_RO
#undef ETE_FN
};

/* Number of registers of a row that this configuration has */
static unsigned ete_present(const ARMTraceConfig *c, ETERowIndex row)
{
    switch (row) {
#define ETE_RW(NAME, OFFSET, STEP, MOST, PRESENT, WRITABLE, ONES)       \
    case ETE_ROW_##NAME:                                                \
        return PRESENT;
#define ETE_RO(NAME, OFFSET, VALUE)
#define ETE_FN(NAME, OFFSET, READ, WRITE)
#include "ete-regs.h.inc"
#undef ETE_RW
#undef ETE_RO
#undef ETE_FN
    default:
        return 1;
    }
}

/* Bits of register i of a row that can be written */
static uint64_t ete_writable(const ARMTraceConfig *c, ETERowIndex row,
                             unsigned i)
{
    switch (row) {
#define ETE_RW(NAME, OFFSET, STEP, MOST, PRESENT, WRITABLE, ONES)       \
    case ETE_ROW_##NAME:                                                \
        return WRITABLE;
#define ETE_RO(NAME, OFFSET, VALUE)
#define ETE_FN(NAME, OFFSET, READ, WRITE)
#include "ete-regs.h.inc"
#undef ETE_RW
#undef ETE_RO
#undef ETE_FN
    default:
        return 0;
    }
}

/* Bits of a row's registers that are always one; all of it, if read-only */
static uint64_t ete_ones(const ARMTraceConfig *c, ETERowIndex row)
{
    switch (row) {
#define ETE_RW(NAME, OFFSET, STEP, MOST, PRESENT, WRITABLE, ONES)       \
    case ETE_ROW_##NAME:                                                \
        return ONES;
#define ETE_RO(NAME, OFFSET, VALUE)                                     \
    case ETE_ROW_##NAME:                                                \
        return VALUE;
#define ETE_FN(NAME, OFFSET, READ, WRITE)
#include "ete-regs.h.inc"
#undef ETE_RW
#undef ETE_RO
#undef ETE_FN
    default:
        return 0;
    }
}

/* A register is known to its functions by row and place in it. */
static void *ete_opaque(ETERowIndex row, unsigned i)
{
    return GUINT_TO_POINTER(row << 8 | i);
}

static ETERowIndex ete_row(const ARMCPRegInfo *ri)
{
    return GPOINTER_TO_UINT(ri->opaque) >> 8;
}

static unsigned ete_place(const ARMCPRegInfo *ri)
{
    return GPOINTER_TO_UINT(ri->opaque) & 0xff;
}

static CPAccessResult ete_access(CPUARMState *env, const ARMCPRegInfo *ri,
                                 bool isread)
{
    int el = arm_current_el(env);

    if (el == 1 && FIELD_EX64(env->cp15.cpacr_el1, CPACR_EL1, TTA)) {
        return CP_ACCESS_TRAP_EL1;
    }
    if (el <= 2 && arm_is_el2_enabled(env)) {
        /* with E2H, the register has the layout of CPACR_EL1 */
        bool e2h = arm_hcr_el2_eff(env) & HCR_E2H;

        if (extract64(env->cp15.cptr_el[2], e2h ? 28 : 20, 1)) {
            return CP_ACCESS_TRAP_EL2;
        }
    }
    if (arm_feature(env, ARM_FEATURE_EL3) &&
        FIELD_EX64(env->cp15.cptr_el[3], CPTR_EL3, TTA)) {
        return CP_ACCESS_TRAP_EL3;
    }
    if (isread) {
        env_trace(env)->count.unit_reads++;
    } else {
        env_trace(env)->count.unit_writes++;
    }
    return CP_ACCESS_OK;
}

static uint64_t ete_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return trace_reg_read(env, ete_rows[ete_row(ri)].first + ete_place(ri));
}

static void ete_write(CPUARMState *env, const ARMCPRegInfo *ri, uint64_t value)
{
    ARMTrace *trace = env_trace(env);
    ETERowIndex row = ete_row(ri);
    unsigned i = ete_place(ri);

    if (ete_enabled(env) && !arm_trace_take_busy_write(env, ri)) {
        return;
    }
    trace_reg_write(env, ete_rows[row].first + i,
                    (value & ete_writable(&trace->config, row, i)) |
                    ete_ones(&trace->config, row));
}

static uint64_t ete_prgctlr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return trace_reg_read(env, TRACE_REG_PRGCTLR);
}

static void ete_prgctlr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                              uint64_t value)
{
    trace_reg_write(env, TRACE_REG_PRGCTLR, value & 1);
}

static uint64_t ete_statr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    /* IDLE and PMSTABLE */
    return ete_enabled(env) || !trace_sync_idle(env, env_trace(env)) ? 0 : 3;
}

/* The fine-grained trap of a register: HDFGRTR_EL2, HDFGWTR_EL2 */
static FGTBit ete_fgt(ETERowIndex row)
{
    switch (row) {
    case ETE_ROW_TRCAUTHSTATUS:
        return FGT_TRCAUTHSTATUS;
    case ETE_ROW_TRCAUXCTLR:
        return FGT_TRCAUXCTLR;
    case ETE_ROW_TRCCLAIMSET:
    case ETE_ROW_TRCCLAIMCLR:
        return FGT_TRCCLAIM;
    case ETE_ROW_TRCCNTVR:
        return FGT_TRCCNTVRn;
    case ETE_ROW_TRCIDR0 ... ETE_ROW_TRCIDR7:
    case ETE_ROW_TRCIDR8 ... ETE_ROW_TRCIDR13:
    case ETE_ROW_TRCDEVARCH:
    case ETE_ROW_TRCDEVID:
        return FGT_TRCID;
    case ETE_ROW_TRCIMSPEC0:
        return FGT_TRCIMSPECN;
    case ETE_ROW_TRCOSLSR:
        return FGT_TRCOSLSR;
    case ETE_ROW_TRCPRGCTLR:
        return FGT_TRCPRGCTLR;
    case ETE_ROW_TRCSEQSTR:
        return FGT_TRCSEQSTR;
    case ETE_ROW_TRCSSCSR:
        return FGT_TRCSSCSRN;
    case ETE_ROW_TRCSTATR:
        return FGT_TRCSTATR;
    case ETE_ROW_TRCVICTLR:
        return FGT_TRCVICTLR;
    default:
        return FGT_TRC;
    }
}

static void define_ete_reg(ARMCPU *cpu, ETERowIndex row, unsigned i,
                           bool present)
{
    const ETERow *r = &ete_rows[row];
    unsigned n = (r->offset + i * r->step) / 4;
    g_autofree char *name = r->most > 1 ?
        g_strdup_printf("%s%u", r->name, i) : g_strdup(r->name);
    ARMCPRegInfo ri = {
        .name = name, .state = ARM_CP_STATE_AA64,
        .opc0 = 2, .opc1 = 1, .crn = extract32(n, 7, 3),
        .crm = extract32(n, 0, 4), .opc2 = extract32(n, 4, 3),
        .access = PL1_RW, .type = ARM_CP_NO_RAW, .accessfn = ete_access,
        .fgt = ete_fgt(row),
    };

    if (!present) {
        ri.type = ARM_CP_CONST;
        define_one_arm_cp_reg(cpu, &ri);
        return;
    }
    switch (r->kind) {
    case ETE_KIND_RW:
        ri.readfn = ete_read;
        ri.writefn = ete_write;
        break;
    case ETE_KIND_RO:
        ri.access = PL1_R;
        ri.type = ARM_CP_CONST;
        ri.resetvalue = ete_ones(&cpu->trace->config, row);
        break;
    case ETE_KIND_FN:
        ri.access = r->writefn ? PL1_RW : PL1_R;
        ri.readfn = r->readfn;
        ri.writefn = r->writefn;
        break;
    }
    define_one_arm_cp_reg_with_opaque(cpu, &ri, ete_opaque(row, i));
}

void define_ete_regs(ARMCPU *cpu)
{
    for (ETERowIndex row = 0; row < ETE_ROW_COUNT; row++) {
        unsigned present = ete_present(&cpu->trace->config, row);
        unsigned last = cpu->trace->config.absentraz ? ete_rows[row].most :
            present;

        for (unsigned i = 0; i < MAX(present, last); i++) {
            define_ete_reg(cpu, row, i, i < present);
        }
    }
}

void ete_reset(CPUARMState *env, ARMTrace *trace)
{
    trace_feed_reset(trace);
    ete_unit_reset(trace);
    trace->ete.prgctlr = 0;
    trace->ete.claim = 0;
    for (ETERowIndex row = 0; row < ETE_ROW_COUNT; row++) {
        unsigned present = ete_present(&trace->config, row);

        if (ete_rows[row].kind != ETE_KIND_RW) {
            continue;
        }
        for (unsigned i = 0; i < present; i++) {
            trace->ete.reg[ete_rows[row].first + i] =
                (arm_trace_unknown(trace) &
                 ete_writable(&trace->config, row, i)) |
                ete_ones(&trace->config, row);
        }
    }
    /* one of its fields is not UNKNOWN */
    trace->ete.reg[ETE_TRCEVENTCTL1R] &= ~R_TRCEVENTCTL1R_OE_MASK;
}
