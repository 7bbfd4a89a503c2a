/*
 * Arm trace: what translated blocks do for the trace unit
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A traced block begins with a call that says which instructions it has. How
 * far it came, and where its last instruction went, is known when the next
 * block begins or an exception is taken: see trace-feed.c. A block that is
 * not traced has none of this.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "tcg/tcg-op.h"
#include "translate.h"
#include "cpu-trace.h"
#include "translate-trace.h"
#include "hwflow/insn.h"
#include "trace-end.h"

#include "exec/helper-proto.h"
#include "exec/helper-gen.h"

/* Instructions of the block that is being translated */
static __thread uint32_t words[TCG_MAX_INSNS];
static __thread uint32_t word_count;
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
    if (!TARGET_TB_PCREL) {
        pc = tcg_constant_i64(s->base.pc_first);
    }
    gen_helper_trace_block(cpu_env, pc, count, end, displacement, code);
    tcg_temp_free_i32(count);
    tcg_temp_free_i32(end);
    tcg_temp_free_i32(displacement);
    tcg_temp_free_i32(code);
}

/* A P0 instruction, even one that is none for us, ends its block. */
void arm_trace_insn(DisasContext *s)
{
    struct hwf_insn insn;

    words[word_count++] = s->insn;
    hwf_insn_a64(s->insn, s->pc_curr, &insn);
    s->trace_ends = hwf_insn_is_p0(&insn, true);
}

void arm_trace_insn_end(DisasContext *s)
{
    if (s->trace_ends && s->base.is_jmp == DISAS_NEXT) {
        s->base.is_jmp = DISAS_TOO_MANY;
    }
}

/* TRACE_END. A block may run at several addresses: it knows no target. */
static uint32_t trace_end(const struct hwf_insn *insn)
{
    uint32_t end = 0;

    if (hwf_insn_is_p0(insn, true)) {
        end = FIELD_DP32(end, TRACE_END, KIND, insn->kind);
        end = FIELD_DP32(end, TRACE_END, SUB, insn->sub);
        end = FIELD_DP32(end, TRACE_END, CONDITIONAL, insn->conditional);
    }
    return end;
}

void arm_trace_gen_stop(DisasContext *s)
{
    /* 0 is UDF */
    uint32_t last = word_count ? words[word_count - 1] : 0;
    struct hwf_insn insn;

    hwf_insn_a64(last, 0, &insn);
    set_late(0, word_count);
    set_late(1, trace_end(&insn));
    set_late(2, insn.kind == HWF_INSN_DIRECT ? insn.target : 0);
    set_late(3, word_count ? arm_trace_log_code(words, word_count) : 0);
}

/* ISB; true: its block ends here. */
bool arm_trace_gen_isb(DisasContext *s)
{
    if (!s->trace_barriers) {
        return false;
    }
    gen_helper_trace_context_sync(cpu_env);
    /* what follows may be traced now, or not any more */
    s->base.is_jmp = DISAS_UPDATE_EXIT;
    return true;
}

/* DSB or DMB. DSB of reads only, SSBB and PSSBB complete no write. */
void arm_trace_gen_barrier(DisasContext *s, unsigned op2, unsigned crm)
{
    if (s->trace_barriers && op2 == 4 && (crm & 3) != 1 && crm != 0 &&
        crm != 4) {
        gen_helper_trace_data_sync(cpu_env);
    }
}
