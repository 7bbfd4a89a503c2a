/*
 * Arm trace: what the PE executes, as the trace unit wants to be told
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A block that was entered is pending until it is known how far it came:
 *  - when the next block begins, or an interrupt is taken: it was executed to
 *    its end, and its last instruction went there;
 *  - when a synchronous exception is taken: from the return address;
 *  - when it was left in the middle to be entered again, as for an access that
 *    has to be made by itself: arm_trace_left() has noted where.
 * P0 instructions are found at the end of blocks only: see translate-trace.c.
 *
 * Blocks wait in ARMTraceFeed.entries, a batch of them, while nothing can
 * depend on what becomes of them: see trace_batch(). What might observe trace
 * settles them first, all but the block it is in: trace_feed_catch_up(). All
 * of a batch have one context, as the first block after a change of the flags
 * of translated code looks at the context anew: arm_trace_flags().
 *
 * PSCI and semihosting calls that QEMU itself answers are no exceptions: HVC or
 * SMC is executed and execution goes on behind it.
 */
#include "qemu/osdep.h"
#include "hw/core/cpu.h"
#include "exec/translation-block.h"
#include "cpu.h"
#include "internals.h"
#include "syndrome.h"
#include "exec/helper-proto.h"
#include "cpu-trace-internal.h"

FIELD(TRCRSR, TA, 12, 1)

FIELD(TRCVICTLR, TRCRESET, 10, 1)
FIELD(TRCVICTLR, TRCERR, 11, 1)

typedef struct TracePlace {
    uint64_t pc;
    enum hwf_isa isa;
} TracePlace;

/* A P0 instruction, or one more than the straight ones before it */
typedef struct TraceP0 {
    struct hwf_insn insn;
    bool taken;
    TracePlace next;
} TraceP0;

/* Where the PE is */
static TracePlace trace_here(CPUARMState *env)
{
    if (is_a64(env)) {
        return (TracePlace) { env->pc, HWF_ISA_A64 };
    }
    return (TracePlace) { env->regs[15], env->thumb ? HWF_ISA_T32 :
                          HWF_ISA_A32 };
}

static bool trace_is_block(const struct hwf_tu_run *e)
{
    return e->code != NULL;
}

static TracePlace trace_entry_place(const struct hwf_tu_run *e)
{
    return (TracePlace) { e->pc, e->code->isa };
}

/* The size of @count instructions of the block */
static inline uint32_t trace_size(const struct hwf_tu_code *code,
                                  uint32_t count)
{
    return count * code->last.size;
}

/* The last instruction of the block, a P0 instruction */
static inline void trace_last(const struct hwf_tu_run *e, struct hwf_insn *insn)
{
    *insn = e->code->last;
    insn->target += e->pc - e->code->pc;
    if (e->code->isa != HWF_ISA_A64) {
        insn->target = (uint32_t)insn->target;
    }
}

/*
 * Was the last instruction taken, or executed? Of a branch to the instruction
 * behind it whose condition is not noted no one can tell.
 */
static bool trace_taken(const ARMTraceFeed *f, const struct hwf_tu_run *e,
                        const TraceP0 *p0)
{
    if (arm_trace_code_of(e)->noted) {
        return f->passed;
    }
    return p0->insn.kind != HWF_INSN_DIRECT || p0->next.pc == p0->insn.target;
}

/* @count instructions from @pc on, none of them a P0 instruction; then @p0 */
static inline void trace_block(ARMTrace *trace, const struct hwf_tu_code *code,
                               uint64_t pc, uint32_t count, const TraceP0 *p0)
{
    struct hwf_tu *tu = trace->unit.tu;
    uint32_t bytes = trace_size(code, count);

    if (p0 && likely(p0->next.isa == code->isa)) {
        hwf_tu_run(tu, pc, code->isa, count + 1, &p0->insn, p0->taken,
                   p0->next.pc);
        return;
    }
    hwf_tu_block(tu, pc, code->isa, count, bytes);
    if (p0) {
        hwf_tu_insn(tu, pc + bytes, code->isa, &p0->insn, p0->taken,
                    p0->next.pc, p0->next.isa);
    }
}

/* One instruction, with resources or start and stop points to look at */
static void trace_step(CPUARMState *env, ARMTrace *trace,
                       const struct hwf_tu_code *code, uint64_t pc,
                       const TraceP0 *p0)
{
    ARMTraceUnit *unit = &trace->unit;

    ete_cycle(env, trace, pc);
    if (ete_view(trace) || unit->must_show) {
        trace_block(trace, code, pc, !p0, p0);
        unit->viewing = true;
        unit->must_show = !p0 || !hwf_insn_is_p0(&p0->insn, trace->config.wfx);
    } else if (unit->viewing) {
        unit->viewing = false;
        hwf_tu_gap(unit->tu);
    }
    ete_signal(env, trace);
}

static void trace_steps(CPUARMState *env, ARMTrace *trace,
                        const struct hwf_tu_run *e, uint32_t count,
                        const TraceP0 *p0)
{
    uint64_t pc = e->pc;

    for (; count; count--, pc += trace_size(e->code, 1)) {
        trace_step(env, trace, e->code, pc, NULL);
    }
    if (p0) {
        trace_step(env, trace, e->code, pc, p0);
    }
}

/*
 * The first @count instructions of the block were executed; then execution
 * went to @next.
 */
static inline void trace_executed(CPUARMState *env, ARMTrace *trace,
                                  const struct hwf_tu_run *e, uint32_t count,
                                  TracePlace next)
{
    ARMTraceFeed *f = &trace->feed;
    const struct hwf_tu_code *code = e->code;
    bool has_p0 = code->last.kind != HWF_INSN_OTHER &&
        count == code->instructions;
    uint32_t straight = count - has_p0;
    bool taken = false;
    TraceP0 p0;

    if (!count) {
        return;
    }
    f->executed = true;
    if (unlikely(trace->log) && f->viewed) {
        trace_log_block(env, trace, e->pc, arm_trace_code_of(e), count);
    }
    if (!ete_operative(trace)) {
        return;
    }
    if (trace->unit.counts_cycles) {
        ete_count_cycles(env, trace);
    }
    if (has_p0) {
        p0.next = next;
        trace_last(e, &p0.insn);
        p0.taken = trace_taken(f, e, &p0);
        taken = p0.taken && (p0.insn.kind == HWF_INSN_DIRECT ||
                             p0.insn.kind == HWF_INSN_INDIRECT);
    }
    if (unlikely(trace->unit.resources.stepping)) {
        trace_steps(env, trace, e, straight, has_p0 ? &p0 : NULL);
    } else if (likely(f->viewed)) {
        trace_block(trace, code, e->pc, straight, has_p0 ? &p0 : NULL);
    } else {
        hwf_tu_gap(trace->unit.tu);
    }
    if (!taken && next.pc != e->pc + trace_size(code, count)) {
        /* someone moved the PC: a debugger, a call that QEMU answered */
        hwf_tu_gap(trace->unit.tu);
    }
}

/* How many of its instructions were executed before it was left at @pc? */
static uint32_t trace_executed_count(const struct hwf_tu_run *e, uint64_t pc)
{
    return MIN((pc - e->pc) / trace_size(e->code, 1), e->code->instructions);
}

/* The entry at @e and what it says of itself; return the entry behind it. */
static const struct hwf_tu_run *trace_settle_one(CPUARMState *env,
                                                 ARMTrace *trace,
                                                 const struct hwf_tu_run *e,
                                                 const struct hwf_tu_run *end,
                                                 TracePlace next)
{
    const struct hwf_tu_run *block = e++;
    uint32_t count = block->code->instructions;

    if (e < end && !trace_is_block(e)) {
        count = trace_executed_count(block, e++->pc);
    }
    trace_executed(env, trace, block, count,
                   e < end ? trace_entry_place(e) : next);
    return e;
}

/*
 * Blocks from @e on that went from one to the next, as blocks mostly do. Return
 * the first one that did not, or the last entry. Two blocks wait only where the
 * trace unit and the log are all that they concern: see trace_batch().
 */
static const struct hwf_tu_run *trace_settle_runs(CPUARMState *env,
                                                  ARMTrace *trace,
                                                  const struct hwf_tu_run *e,
                                                  const struct hwf_tu_run *end)
{
    size_t count;

    if (!ete_operative(trace) || end - e < 2) {
        return e;
    }
    count = hwf_tu_runs(trace->unit.tu, e, end - e);
    if (!count) {
        return e;
    }
    trace->feed.executed = true;
    if (trace->log) {
        trace_log_runs(env, trace, e, count);
    }
    return e + count;
}

/* The entries up to @end; then execution went to @next. */
static void trace_settle_to(CPUARMState *env, ARMTrace *trace,
                            const struct hwf_tu_run *end, TracePlace next)
{
    const struct hwf_tu_run *e = trace->feed.entries;

    while (e < end) {
        e = trace_settle_runs(env, trace, e, end);
        e = trace_settle_one(env, trace, e, end, next);
    }
}

/* Nothing is pending; the next block looks at what is around it. */
static void trace_empty(ARMTrace *trace)
{
    trace->feed.next = trace->feed.entries;
    trace->feed.limit = trace->feed.entries;
}

/* Execution goes on at @next, all or part of what is pending behind it. */
static void trace_settle(CPUARMState *env, ARMTrace *trace, TracePlace next)
{
    trace_settle_to(env, trace, trace->feed.next, next);
    trace_empty(trace);
}

/* The newest entry that is a block; NULL if nothing is pending */
static const struct hwf_tu_run *trace_newest(const ARMTrace *trace)
{
    const struct hwf_tu_run *e = trace->feed.next;

    if (e == trace->feed.entries) {
        return NULL;
    }
    return trace_is_block(e - 1) ? e - 1 : e - 2;
}

/* Behind the block that is pending */
static TracePlace trace_behind(const ARMTrace *trace)
{
    const struct hwf_tu_run *e = trace_newest(trace);

    if (!e) {
        return (TracePlace) {};
    }
    return (TracePlace) {
        e->pc + trace_size(e->code, e->code->instructions), e->code->isa
    };
}

/* Settle all but the newest block, which is being executed. */
static void trace_catch_up(CPUARMState *env, ARMTrace *trace)
{
    ARMTraceFeed *f = &trace->feed;
    const struct hwf_tu_run *newest = trace_newest(trace);
    size_t kept;

    if (!newest || newest == f->entries) {
        return;
    }
    trace_settle_to(env, trace, newest, trace_entry_place(newest));
    kept = f->next - newest;
    memmove(f->entries, newest, kept * sizeof(*newest));
    f->next = f->entries + kept;
}

/*
 * Something might observe the trace, or what it depends on will change: blocks
 * that are complete are settled, and the next one looks at the context.
 */
void trace_feed_catch_up(CPUARMState *env)
{
    ARMTrace *trace = env_trace(env);

    trace_catch_up(env, trace);
    trace->feed.limit = trace->feed.entries;
}

/* The machine stops between two blocks: that is how far this one came. */
void trace_feed_stopped(CPUARMState *env, ARMTrace *trace)
{
    trace_settle(env, trace, trace_here(env));
    ete_after(env, trace);
}

void trace_feed_reset(ARMTrace *trace)
{
    trace->feed = (ARMTraceFeed){};
    trace_empty(trace);
}

/* The context of what is executed, or was executed last, at @el */
static void trace_context(CPUARMState *env, ARMTrace *trace, int el, bool sf)
{
    ARMTraceFeed *f = &trace->feed;
    uint32_t cid = env->cp15.contextidr_el[1];
    uint32_t vmid = env->cp15.contextidr_el[2];

    if (likely(f->context_known && f->el == el && f->cid == cid &&
               f->vmid == vmid)) {
        return;
    }
    f->el = el;
    f->cid = cid;
    f->vmid = vmid;
    f->sf = sf;
    f->context_known = true;
    f->viewed = ete_views_el(trace, el, arm_is_secure_below_el3(env));
    if (f->viewed) {
        trace_log_context(env, trace);
    }
    if (ete_operative(trace)) {
        ete_context(env, trace);
        ete_resources_run(env, trace);
    }
}

/*
 * TRCRSR.TA: was the last instruction or exception traced that did not come
 * from a prohibited region? R_BFSWZ, R_MLTTK, R_BJQDP
 */
void trace_feed_note_active(CPUARMState *env, ARMTrace *trace)
{
    uint64_t *rsr = &trace->ete.reg[ETE_TRCRSR];
    uint64_t before = *rsr;

    if (!trace->feed.executed) {
        return;
    }
    trace->feed.executed = false;
    *rsr = FIELD_DP64(before, TRCRSR, TA, ete_operative(trace) &&
                      hwf_tu_active(trace->unit.tu));
    if (*rsr != before) {
        arm_rebuild_hflags(env);
    }
}

/*
 * Whether instructions come to the trace unit from here on. Where ViewInst
 * leaves them out, it is the first of them that interrupts the trace.
 */
static void trace_place(CPUARMState *env, ARMTrace *trace)
{
    int el = arm_current_el(env);

    trace_feed_note_active(env, trace);
    if (arm_trace_active(env, el)) {
        trace_context(env, trace, el, is_a64(env));
        return;
    }
    if (ete_operative(trace)) {
        trace->unit.viewing = false;
        hwf_tu_gap(trace->unit.tu);
        ete_resources_pause(trace);
    }
}

/* Nothing is traced where this block is, which was the first to show it. */
static void trace_leave(CPUARMState *env, ARMTrace *trace)
{
    trace->feed.context_known = false;
    trace_place(env, trace);
    /* no block that tells of itself is to be chained to one that does not */
    arm_trace_interrupt(env, CPU_INTERRUPT_EXITTB);
}

/*
 * A System register write, the last instruction of its block, has changed
 * whether the trace unit is enabled, or what it may trace.
 */
void arm_trace_controls_changed(CPUARMState *env)
{
    ARMTrace *trace = env_trace(env);

    trace_settle(env, trace, trace_behind(trace));
    trace->feed.context_known = false;
    ete_pmu_settle(env, trace);
    ete_update(env);
    trace_place(env, trace);
    ete_after(env, trace);
}

/* The most bytes of trace that a block makes, and a batch of them beside it */
#define TRACE_BLOCK_BYTES 32
#define TRACE_UNIT_BYTES 1024

/* How many blocks may begin until the next look? 1: each wants one. */
static uint32_t trace_batch(CPUARMState *env, const ARMTrace *trace)
{
    uint64_t space;

    if (!trace->config.batched || !trace->feed.viewed ||
        (env_cpu(env)->tcg_cflags & CF_USE_ICOUNT) ||
        trace->unit.counts_cycles || trace->unit.resources.stepping) {
        return 1;
    }
    if (!ete_operative(trace)) {
        return TRACE_BATCH;
    }
    /* no management event comes before the batch ends */
    space = trbe_space(trace);
    if (space < TRACE_UNIT_BYTES) {
        return 1;
    }
    return CLAMP((space - TRACE_UNIT_BYTES) / TRACE_BLOCK_BYTES, 1,
                 TRACE_BATCH);
}

/*
 * A traced block begins, and it is time to look at those before it, and at its
 * context.
 */
void HELPER(trace_blocks)(CPUARMState *env)
{
    ARMTrace *trace = env_trace(env);
    ARMTraceFeed *f = &trace->feed;

    trace_catch_up(env, trace);
    ete_update(env);
    trace_context(env, trace, arm_current_el(env), is_a64(env));
    if (unlikely(!f->viewed)) {
        trace_feed_note_active(env, trace);
        if (!arm_trace_active(env, f->el)) {
            trace_leave(env, trace);
            f->next = f->entries;
        }
    }
    if (unlikely(trace->log) && f->viewed && trace_log_full(trace->log)) {
        trace_log_context(env, trace);
    }
    ete_after(env, trace);
    ete_pmu_settle(env, trace);
    f->limit = f->next + trace_batch(env, trace);
}

/* The last instruction of the block is about to be executed, if @cond holds. */
void HELPER(trace_condition)(CPUARMState *env, uint32_t cond)
{
    bool n = env->NF >> 31, z = !env->ZF, c = env->CF, v = env->VF >> 31;
    const bool holds[] = { z, c, n, v, c && !z, n == v, n == v && !z };

    env_trace(env)->feed.passed = holds[cond >> 1] != (cond & 1);
}

/* The newest block was left in front of the instruction at @pc. */
static void trace_note_left(ARMTraceFeed *f, uint64_t pc)
{
    if (trace_is_block(f->next - 1)) {
        f->next++;
    }
    f->next[-1] = (struct hwf_tu_run) { .pc = pc };
}

/* The state is put back to an instruction in the middle of a block. */
void arm_trace_left(CPUARMState *env)
{
    ARMTrace *trace = env_trace(env);

    if (trace && trace_newest(trace)) {
        trace_note_left(&trace->feed, trace_here(env).pc);
    }
}

/*
 * The flags of translated code are made anew, as they are after whatever might
 * change the context. Are instructions at @el traced?
 */
bool arm_trace_flags(CPUARMState *env, int el)
{
    ARMTrace *trace = env_trace(env);

    if (trace) {
        trace->feed.limit = trace->feed.entries;
    }
    return arm_trace_active(env, el);
}

/* Is the return address behind the whole block, and not in it? */
static bool trace_exception_between(CPUState *cs, uint32_t syndrome)
{
    switch (cs->exception_index) {
    case EXCP_IRQ:
    case EXCP_VIRQ:
    case EXCP_FIQ:
    case EXCP_VFIQ:
    case EXCP_SERR:
    case EXCP_VSERR:
        return true;
    case EXCP_PREFETCH_ABORT:
        /* of a block that could not even be translated, but for this: */
        return syn_get_ec(syndrome) != EC_PCALIGNMENT;
    default:
        /* a step that was made; ISV is clear where none was */
        return (syn_get_ec(syndrome) == EC_SOFTWARESTEP ||
                syn_get_ec(syndrome) == EC_SOFTWARESTEP_SAME_EL) &&
            extract32(syndrome, 24, 1);
    }
}

/* TYPE of Table D4-4 */
static enum hwf_exception trace_exception_type(CPUState *cs, uint32_t syndrome)
{
    switch (cs->exception_index) {
    case EXCP_IRQ:
    case EXCP_VIRQ:
        return HWF_EXC_IRQ;
    case EXCP_FIQ:
    case EXCP_VFIQ:
        return HWF_EXC_FIQ;
    case EXCP_SERR:
    case EXCP_VSERR:
        return HWF_EXC_SYSTEM_ERROR;
    case EXCP_SWI:
    case EXCP_HVC:
    case EXCP_SMC:
        return HWF_EXC_CALL;
    }
    switch (syn_get_ec(syndrome)) {
    case EC_INSNABORT:
    case EC_INSNABORT_SAME_EL:
        return HWF_EXC_INST_FAULT;
    case EC_DATAABORT:
    case EC_DATAABORT_SAME_EL:
        return extract32(syndrome, 0, 6) == 0x21 ? HWF_EXC_ALIGNMENT :
            HWF_EXC_DATA_FAULT;
    case EC_PCALIGNMENT:
    case EC_SPALIGNMENT:
        return HWF_EXC_ALIGNMENT;
    case EC_BREAKPOINT:
    case EC_BREAKPOINT_SAME_EL:
    case EC_SOFTWARESTEP:
    case EC_SOFTWARESTEP_SAME_EL:
    case EC_AA32_BKPT:
    case EC_VECTORCATCH:
    case EC_AA64_BKPT:
        return HWF_EXC_INST_DEBUG;
    case EC_WATCHPOINT:
    case EC_WATCHPOINT_SAME_EL:
        return HWF_EXC_DATA_DEBUG;
    default:
        return HWF_EXC_TRAP;
    }
}

/* The preferred exception return address; of no instruction if misaligned */
static TracePlace trace_return(CPUARMState *env)
{
    int el = env->exception.target_el;
    uint64_t address = env->elr_el[el];
    uint64_t spsr = env->banked_spsr[aarch64_banked_spsr_index(el)];

    if (!(spsr & PSTATE_nRW)) {
        return (TracePlace) { address & ~3ull, HWF_ISA_A64 };
    }
    if (spsr & CPSR_T) {
        return (TracePlace) { address & ~1ull, HWF_ISA_T32 };
    }
    return (TracePlace) { address & ~3ull, HWF_ISA_A32 };
}

/* The Exception level it was taken from; 3 where nothing is traced */
static int trace_exception_from(CPUARMState *env)
{
    unsigned index = aarch64_banked_spsr_index(arm_current_el(env));
    uint64_t spsr = env->banked_spsr[index];

    if (spsr & PSTATE_nRW) {
        return !extract64(spsr, 0, 4) && arm_el_is_aa64(env, 1) ? 0 : 3;
    }
    return extract64(spsr, 2, 2);
}

/*
 * Is an exception taken from @el traced? R_DPMBQ; R_LTLBB, R_SJXYS; R_GPKSH,
 * R_NCXJN
 */
static bool trace_exception_wanted(CPUARMState *env, const ARMTrace *trace,
                                   int el, enum hwf_exception type)
{
    if (!ete_allowed(env, el)) {
        return false;
    }
    return FIELD_EX64(ete_reg(trace, ETE_TRCRSR), TRCRSR, TA) ||
        (type == HWF_EXC_SYSTEM_ERROR &&
         FIELD_EX64(ete_reg(trace, ETE_TRCVICTLR), TRCVICTLR, TRCERR)) ||
        (type == HWF_EXC_PE_RESET &&
         FIELD_EX64(ete_reg(trace, ETE_TRCVICTLR), TRCVICTLR, TRCRESET));
}

static void trace_take_exception(CPUARMState *env, ARMTrace *trace,
                                 enum hwf_exception type, TracePlace ret)
{
    ARMTraceFeed *f = &trace->feed;

    if (unlikely(trace->log)) {
        if (!f->viewed) {
            trace_log_context(env, trace);
        }
        trace_log_exception(env, trace, type, ret.pc);
    }
    if (ete_operative(trace)) {
        if (trace->unit.counts_cycles) {
            ete_count_cycles(env, trace);
        }
        hwf_tu_exception_forced(trace->unit.tu, type, ret.pc, ret.isa,
                                env->pc, HWF_ISA_A64);
    }
    f->executed = true;
}

static void trace_exception(CPUState *cs, CPUARMState *env, ARMTrace *trace)
{
    ARMTraceFeed *f = &trace->feed;
    TracePlace ret = trace_return(env);
    uint32_t syndrome = env->exception.syndrome;
    enum hwf_exception type = trace_exception_type(cs, syndrome);
    int el = trace_exception_from(env);

    if (f->next != f->entries && trace_is_block(f->next - 1) &&
        !trace_exception_between(cs, syndrome)) {
        trace_note_left(f, ret.pc);
    }
    trace_settle(env, trace, ret);
    ete_update(env);
    trace_feed_note_active(env, trace);
    if (trace_exception_wanted(env, trace, el, type)) {
        trace_context(env, trace, el, ret.isa == HWF_ISA_A64);
        trace_take_exception(env, trace, type, ret);
    }
    trace->unit.must_show = false;
    f->context_known = false;
    trace_place(env, trace);
    ete_after(env, trace);
}

/* An exception was taken, all of the PE's state changed. */
void arm_trace_exception(CPUState *cs)
{
    CPUARMState *env = cpu_env(cs);
    ARMTrace *trace = env_trace(env);

    if (!trace || !trace->config.ete) {
        return;
    }
    if (trace->unit.enabled || ete_enabled(env)) {
        trace_exception(cs, env, trace);
    }
    trace_context_sync(env);
    if (cs->exception_index == EXCP_IRQ || cs->exception_index == EXCP_FIQ) {
        trace_interrupt_taken(env);
    }
}

/* The PE is about to be reset, and trace prohibited from there on. */
void trace_feed_pe_reset(CPUARMState *env, ARMTrace *trace)
{
    TracePlace at = trace_here(env);
    int el = arm_current_el(env);

    trace_settle(env, trace, at);
    ete_update(env);
    trace_feed_note_active(env, trace);
    if ((is_a64(env) || (!el && arm_el_is_aa64(env, 1))) &&
        trace_exception_wanted(env, trace, el, HWF_EXC_PE_RESET)) {
        trace_context(env, trace, el, is_a64(env));
        trace_take_exception(env, trace, HWF_EXC_PE_RESET, at);
        trace_feed_note_active(env, trace);
    }
    trace->unit.viewing = trace->unit.must_show = false;
    if (ete_operative(trace)) {
        hwf_tu_gap(trace->unit.tu);
        ete_resources_pause(trace);
        ete_flush(env);
    }
    trace_context_sync(env);
}

/* An exception return was executed, all of the PE's state changed. */
void arm_trace_exception_return(CPUARMState *env)
{
    ARMTrace *trace = env_trace(env);

    if (!trace || !trace->config.ete) {
        return;
    }
    trace_settle(env, trace, trace_here(env));
    trace->feed.context_known = false;
    trace_place(env, trace);
    ete_after(env, trace);
    ete_pmu_settle(env, trace);
    trace_context_sync(env);
}
