/*
 * Arm trace: what translated blocks do for the trace unit
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A traced block begins by noting that it was entered, and what its code is;
 * now and then, it calls for these notes to be looked at. How far a block came,
 * and where its last instruction went, is known when the next one begins or an
 * exception is taken: see trace-feed.c. A block that is not traced has none of
 * this.
 *
 * All instructions of a traced block have the same size: one of T32 ends where
 * the next instruction has another.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "tcg/tcg-op.h"
#include "translate.h"
#include "arm_ldst.h"
#include "translate-trace.h"
#include "cpu-trace-internal.h"

#include "exec/helper-proto.h"
#include "exec/helper-gen.h"

/* Of the block that is being translated: its instructions */
static __thread uint32_t words[TCG_MAX_INSNS];
static __thread uint32_t word_count;
/* the last of them */
static __thread struct hwf_insn last;
/* a helper is told of its condition */
static __thread bool last_noted;
/* the move of its ARMTraceCode, which is known at the end of the block */
static __thread TCGOp *code_op;

static void gen_brcond_ptr(TCGCond cond, TCGv_ptr a, TCGv_ptr b,
                           TCGLabel *label)
{
#if UINTPTR_MAX == UINT32_MAX
    tcg_gen_brcond_i32(cond, (TCGv_i32)a, (TCGv_i32)b, label);
#else
    tcg_gen_brcond_i64(cond, (TCGv_i64)a, (TCGv_i64)b, label);
#endif
}

/* Note the block in ARMTraceFeed; look at the notes if it is time. */
static void gen_entry(DisasContext *s, TCGv_i64 pc)
{
    TCGLabel *later = gen_new_label();
    TCGv_ptr trace = tcg_temp_new_ptr();
    TCGv_ptr entry = tcg_temp_new_ptr();
    TCGv_ptr code = tcg_temp_new_ptr();
    TCGv_ptr limit = tcg_temp_new_ptr();

    tcg_gen_mov_ptr(code, tcg_constant_ptr(NULL));
    code_op = tcg_last_op();
    tcg_gen_ld_ptr(trace, tcg_env, (int)offsetof(ARMCPU, trace) -
                   (int)offsetof(ARMCPU, env));
    tcg_gen_ld_ptr(entry, trace, offsetof(ARMTrace, feed.next));
    tcg_gen_st_i64(pc, entry, offsetof(struct hwf_tu_run, pc));
    tcg_gen_st_ptr(code, entry, offsetof(struct hwf_tu_run, code));
    tcg_gen_addi_ptr(entry, entry, sizeof(struct hwf_tu_run));
    tcg_gen_st_ptr(entry, trace, offsetof(ARMTrace, feed.next));
    /* HELPER(trace_condition) notes the condition of the last entry only. */
    if (s->aarch64) {
        tcg_gen_ld_ptr(limit, trace, offsetof(ARMTrace, feed.limit));
        gen_brcond_ptr(TCG_COND_LTU, entry, limit, later);
    }
    gen_helper_trace_blocks(tcg_env);
    gen_set_label(later);
}

void arm_trace_gen_start(DisasContext *s, TCGv_i64 pc)
{
    word_count = 0;
    last = (struct hwf_insn) { .size = 4 };
    last_noted = false;
    gen_entry(s, tb_cflags(s->base.tb) & CF_PCREL ? pc :
              tcg_constant_i64(s->base.pc_first));
}

/* s->insn of T32: the first half-word is above the second one, if there is. */
static void decode_t32(DisasContext *s)
{
    bool wide = s->insn >> 16;
    /* the lowest bit that is set is of the last instruction of the block */
    unsigned it_left = s->condexec_mask ? 5 - ctz32(s->condexec_mask) : 0;

    hwf_insn_t32(wide ? s->insn >> 16 : s->insn, s->insn, s->pc_curr, &it_left,
                 &last);
}

/* Of the instruction itself, or of the IT block it is in; 14: always */
static unsigned condition(DisasContext *s)
{
    if (!s->thumb) {
        return MIN(s->insn >> 28, 14);
    }
    return s->condexec_mask ? s->condexec_cond : 14;
}

/* A P0 instruction, even one that is none for us, ends its block. */
void arm_trace_insn(DisasContext *s)
{
    words[word_count++] = s->insn;
    if (s->aarch64) {
        hwf_insn_a64(s->insn, s->pc_curr, &last);
    } else if (s->thumb) {
        decode_t32(s);
    } else {
        hwf_insn_a32(s->insn, s->pc_curr, &last);
    }
    s->trace_ends = hwf_insn_is_p0(&last, true);
    if (!s->aarch64 && s->trace_ends && condition(s) < 14) {
        last_noted = true;
        gen_helper_trace_condition(tcg_env, tcg_constant_i32(condition(s)));
    }
}

void arm_trace_insn_end(DisasContext *s)
{
    if (s->trace_ends && s->base.is_jmp == DISAS_NEXT) {
        s->base.is_jmp = DISAS_TOO_MANY;
    }
}

void arm_trace_t32_end(CPUARMState *env, DisasContext *s)
{
    uint16_t next;

    arm_trace_insn_end(s);
    if (s->base.is_jmp == DISAS_NEXT) {
        next = arm_lduw_code(env, &s->base, s->base.pc_next, s->sctlr_b);
        if (hwf_insn_t32_is_wide(next) != (last.size == 4)) {
            s->base.is_jmp = DISAS_TOO_MANY;
        }
    }
}

void arm_trace_gen_stop(DisasContext *s)
{
    ARMTraceCode code = {
        .run = {
            .pc = s->base.pc_first,
            .last = hwf_insn_is_p0(&last, true) ? last :
                (struct hwf_insn) { .size = last.size },
            .instructions = word_count,
            .isa = !s->thumb ? (s->aarch64 ? HWF_ISA_A64 : HWF_ISA_A32) :
                HWF_ISA_T32,
        },
        .noted = last_noted,
        .words = words,
    };

    tcg_set_insn_param(code_op, 1, tcgv_ptr_arg(
                           tcg_constant_ptr(&arm_trace_code(&code)->run)));
}

/* ISB; true: its block ends here. */
bool arm_trace_gen_isb(DisasContext *s)
{
    if (!s->trace_barriers) {
        return false;
    }
    gen_helper_trace_context_sync(tcg_env);
    /* what follows may be traced now, or not any more */
    s->base.is_jmp = DISAS_UPDATE_EXIT;
    return true;
}

/* DSB or DMB. DSB of reads only, SSBB and PSSBB complete no write. */
void arm_trace_gen_barrier(DisasContext *s, unsigned op2, unsigned crm)
{
    if (s->trace_barriers && op2 == 4 && (crm & 3) != 1 && crm != 0 &&
        crm != 4) {
        gen_helper_trace_data_sync(tcg_env);
    }
}

/* TSB CSYNC */
void arm_trace_gen_tsb(DisasContext *s)
{
    gen_helper_trace_sync(tcg_env);
}
