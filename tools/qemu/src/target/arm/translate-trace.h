/*
 * Arm trace: what translated blocks do for the trace unit
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef TARGET_ARM_TRANSLATE_TRACE_H
#define TARGET_ARM_TRANSLATE_TRACE_H

#ifndef CONFIG_USER_ONLY
/* At the start of a traced block; @pc is the variable that holds the PC. */
void arm_trace_gen_start(DisasContext *s, TCGv_i64 pc);
/* An instruction of a traced block is about to be translated: s->insn. */
void arm_trace_insn(DisasContext *s);
/* It has been translated. */
void arm_trace_insn_end(DisasContext *s);
/* The block is complete. */
void arm_trace_gen_stop(DisasContext *s);
#else
static inline void arm_trace_gen_start(DisasContext *s, TCGv_i64 pc) { }
static inline void arm_trace_insn(DisasContext *s) { }
static inline void arm_trace_insn_end(DisasContext *s) { }
static inline void arm_trace_gen_stop(DisasContext *s) { }
#endif

#endif
