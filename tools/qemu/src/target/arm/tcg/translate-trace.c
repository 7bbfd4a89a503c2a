/*
 * Arm trace: what translated blocks do for the trace unit
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A traced block begins with a call that says which instructions it has. How
 * far it came, and where its last instruction went, is known when the next
 * block begins or an exception is taken: see trace-feed.c. A block that is
 * not traced has none of this.
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
#include "hwflow/insn.h"
#include "trace-end.h"

#include "exec/helper-proto.h"
#include "exec/helper-gen.h"

/* Of the block that is being translated: enum hwf_isa, then instructions */
static __thread uint32_t words[1 + TCG_MAX_INSNS];
static __thread uint32_t word_count;
/* the last of them; its displacement, if it is a direct branch */
static __thread struct hwf_insn last;
static __thread uint32_t last_displacement;
/* a helper is told of its condition */
static __thread bool last_noted;
/* the moves whose source is known at the end of the block only */
static __thread TCGOp *late[4];

static TCGv_i32 gen_late(int i)
{
    TCGv_i32 value = tcg_temp_new_i32();

    tcg_gen_mov_i32(value, tcg_constant_i32(0));
    late[i] = tcg_last_op();
    return value;
}

static void set_late(int i, uint32_t value)
{
    tcg_set_insn_param(late[i], 1, tcgv_i32_arg(tcg_constant_i32(value)));
}

void arm_trace_gen_start(DisasContext *s, TCGv_i64 pc)
{
    TCGv_i32 count = gen_late(0);
    TCGv_i32 end = gen_late(1);
    TCGv_i32 displacement = gen_late(2);
    TCGv_i32 code = gen_late(3);

    word_count = 0;
    words[0] = !s->thumb ? (s->aarch64 ? HWF_ISA_A64 : HWF_ISA_A32) :
        HWF_ISA_T32;
    last = (struct hwf_insn) { .size = 4 };
    last_noted = false;
    if (!(tb_cflags(s->base.tb) & CF_PCREL)) {
        pc = tcg_constant_i64(s->base.pc_first);
    }
    gen_helper_trace_block(tcg_env, pc, count, end, displacement, code);
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
    words[++word_count] = s->insn;
    if (s->aarch64) {
        hwf_insn_a64(s->insn, s->pc_curr, &last);
    } else if (s->thumb) {
        decode_t32(s);
    } else {
        hwf_insn_a32(s->insn, s->pc_curr, &last);
    }
    last_displacement = last.kind == HWF_INSN_DIRECT ?
        last.target - s->pc_curr : 0;
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

/* TRACE_END. A block may run at several addresses: it knows no target. */
static uint32_t trace_end(void)
{
    uint32_t end = 0;

    end = FIELD_DP32(end, TRACE_END, ISA, words[0]);
    end = FIELD_DP32(end, TRACE_END, SHIFT, ctz32(last.size));
    if (hwf_insn_is_p0(&last, true)) {
        end = FIELD_DP32(end, TRACE_END, KIND, last.kind);
        end = FIELD_DP32(end, TRACE_END, SUB, last.sub);
        end = FIELD_DP32(end, TRACE_END, CONDITIONAL, last.conditional);
        end = FIELD_DP32(end, TRACE_END, TARGET_ISA, last.target_isa);
        end = FIELD_DP32(end, TRACE_END, NOTED, last_noted);
    }
    return end;
}

void arm_trace_gen_stop(DisasContext *s)
{
    set_late(0, word_count);
    set_late(1, trace_end());
    set_late(2, last_displacement);
    set_late(3, word_count ? arm_trace_log_code(words, 1 + word_count) : 0);
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
