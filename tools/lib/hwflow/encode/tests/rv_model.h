/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Random RISC-V programs and a hart that runs them, for tests: what is executed is known, where it
 * goes is chosen at random. It has no registers; jumps go anywhere that begins an instruction.
 */
#ifndef HWF_TESTS_RV_MODEL_H
#define HWF_TESTS_RV_MODEL_H

#include "hwflow/te_ingress.h"

#define RV_MODEL_INSNS 600u
#define RV_MODEL_BYTES (4 * RV_MODEL_INSNS + 4)
#define RV_MODEL_DEPTH 64u

/*
 * struct rv_model_options - what happens how often: once in so many instructions, 0 for never
 *
 * @long_only: no compressed instructions
 * @astray: a return that does not go to where it was called from, where none has returned since
 *	the last branch or jump: what irdepth of 2.0 cannot tell apart
 * @irets: it may be anywhere, for implied returns are counted; what was executed before a return
 * counts for @no_revisit
 * @no_revisit: jumps go nowhere that was executed since the last branch or jump: before a format 3
 *	that is about a later instruction than the one reported last no dialect can tell that
 *	apart, and in the draft, which has no updiscon bit, before no format 3
 */
struct rv_model_options {
	unsigned int isa;
	uint64_t base;
	unsigned int exceptions;
	unsigned int interrupts;
	unsigned int contexts;
	unsigned int astray;
	uint8_t context_type;
	bool long_only;
	bool irets;
	bool no_revisit;
	bool no_trap_insns;
	bool m_only; /* never in U */
};

/* struct rv_model - a program and the hart's state */
struct rv_model {
	struct rv_model_options options;
	uint64_t random;
	uint8_t code[RV_MODEL_BYTES];
	uint32_t size;
	uint32_t starts[RV_MODEL_INSNS];
	uint8_t kinds[RV_MODEL_INSNS];
	unsigned int count;
	uint64_t pc;
	struct hwf_rv_insn before;
	bool has_before;
	uint8_t priv;
	uint32_t context;
	uint64_t time;
	uint64_t calls[RV_MODEL_DEPTH];
	unsigned int depth;
	bool returned; /* since the last branch or jump */
	struct {
		uint64_t epc;
		uint8_t priv;
	} traps[RV_MODEL_DEPTH];
	unsigned int trapped;
	uint64_t visited[RV_MODEL_INSNS];
	unsigned int visits;
};

uint64_t rv_model_random(struct rv_model *model);

/* rv_model_init() - a program and a hart at its beginning, by @seed */
void rv_model_init(struct rv_model *model, const struct rv_model_options *options, uint64_t seed);

/* rv_model_step() - the next instruction or trap */
void rv_model_step(struct rv_model *model, struct hwf_te_event *event);

/* rv_model_read() - as struct hwf_code.read; @ctx is the model */
size_t rv_model_read(void *ctx, const void *space, uint64_t address, void *bytes, size_t length);

#endif /* HWF_TESTS_RV_MODEL_H */
