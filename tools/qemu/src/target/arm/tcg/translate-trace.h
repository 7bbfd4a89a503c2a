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
/* It has been translated; in T32, also what follows was looked at. */
void arm_trace_insn_end(DisasContext *s);
void arm_trace_t32_end(CPUARMState *env, DisasContext *s);
/* The block is complete. */
void arm_trace_gen_stop(DisasContext *s);
/* ISB; true: its block ends here. */
bool arm_trace_gen_isb(DisasContext *s);
/* DSB or DMB */
void arm_trace_gen_barrier(DisasContext *s, unsigned op2, unsigned crm);
/* TSB CSYNC */
void arm_trace_gen_tsb(DisasContext *s);
#else
static inline void arm_trace_gen_start(DisasContext *s, TCGv_i64 pc) { }
static inline void arm_trace_insn(DisasContext *s) { }
static inline void arm_trace_insn_end(DisasContext *s) { }
static inline void arm_trace_t32_end(CPUARMState *env, DisasContext *s) { }
static inline void arm_trace_gen_stop(DisasContext *s) { }
static inline bool arm_trace_gen_isb(DisasContext *s)
{
    return false;
}
static inline void arm_trace_gen_barrier(DisasContext *s, unsigned op2,
                                         unsigned crm) { }
static inline void arm_trace_gen_tsb(DisasContext *s) { }
#endif

#endif
