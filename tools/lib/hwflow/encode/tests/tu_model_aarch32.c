/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The model PE in AArch32: random A32 and T32 programs that call each other, and what they execute.
 */
#include <stdlib.h>

#include "tu_model.h"

#define A32_NOP   0x01a00000u
#define A32_B     0x0a000000u
#define A32_BL    0x0b000000u
#define A32_BLX   0xfa000000u
#define A32_BX_LR 0x012fff1eu
#define A32_AL    0xe0000000u
#define A32_ISB   0xf57ff06fu

enum t32_kind {
	T32_NOP,
	T32_NOP_WIDE,
	T32_B,
	T32_B_WIDE,
	T32_B_COND,
	T32_B_COND_WIDE,
	T32_CBZ,
	T32_BL,
	T32_BLX,
	T32_BX_LR,
	T32_INDIRECT,
	T32_LDR_PC,
	T32_ISB,
	T32_WFI,
	T32_SVC,
	T32_IT,
	T32_IN_IT = 0x80, /* not to be branched to */
};

/* ---- T32 program: first kinds and sizes, then encodings ---- */

static bool is_wide(unsigned int kind)
{
	switch (kind & ~(unsigned int)T32_IN_IT) {
	case T32_NOP_WIDE:
	case T32_B_WIDE:
	case T32_B_COND_WIDE:
	case T32_BL:
	case T32_BLX:
	case T32_LDR_PC:
	case T32_ISB:
		return true;
	default:
		return false;
	}
}

static unsigned int add_kind(struct t32 *t32, unsigned int at, unsigned int kind)
{
	t32->start[t32->count] = (uint16_t)at;
	t32->kind[t32->count++] = (uint8_t)kind;
	return at + 1 + is_wide(kind);
}

/* An IT block: only its last instruction may branch. */
static unsigned int add_it_block(struct model *model, unsigned int at)
{
	static const uint8_t last[] = {T32_B,     T32_B_WIDE,   T32_BL,     T32_BLX,
				       T32_BX_LR, T32_INDIRECT, T32_LDR_PC, T32_NOP};
	unsigned int length = 1 + model_random(model, 4);

	/* the encoding wants the length: it stands in the half-word */
	model->t32.half[at] = (uint16_t)length;
	at = add_kind(&model->t32, at, T32_IT);
	while (--length)
		at = add_kind(&model->t32, at, T32_IN_IT | model_random(model, 2));
	return add_kind(&model->t32, at, T32_IN_IT | last[model_random(model, sizeof(last))]);
}

static void lay_out(struct model *model)
{
	unsigned int at = 0;

	while (at < MODEL_HALVES - 12) {
		unsigned int kind = model_random(model, 2 * T32_IT);

		if (kind > T32_IT)
			kind = model_random(model, 3) ? T32_NOP : T32_NOP_WIDE;
		at = kind == T32_IT ? add_it_block(model, at) : add_kind(&model->t32, at, kind);
	}
	while (at < MODEL_HALVES - 2)
		at = add_kind(&model->t32, at, T32_NOP);
	add_kind(&model->t32, at, T32_B_WIDE);
}

/* Somewhere to branch to, about the instruction number @about */
static uint64_t t32_place(struct model *model, unsigned int about, unsigned int range)
{
	const struct t32 *t32 = &model->t32;
	unsigned int number = about + model_random(model, range) - range / 2;

	if (number >= t32->count)
		number = about < t32->count / 2 ? about + 1 : about - 1;
	while (t32->kind[number] & T32_IN_IT)
		number--;
	return MODEL_T32 + UINT64_C(2) * t32->start[number];
}

/* Encodings T4 of B, T1 of BL, T2 of BLX */
static uint32_t t32_wide_branch(uint32_t base, uint32_t offset)
{
	uint32_t s = offset >> 31, i1 = offset >> 23 & 1, i2 = offset >> 22 & 1;

	return base | s << 26 | (offset >> 12 & 0x3ff) << 16 | ((i1 ^ 1) ^ s) << 13 |
	       ((i2 ^ 1) ^ s) << 11 | (offset >> 1 & 0x7ff);
}

static uint32_t t32_branch(struct model *model, unsigned int number, unsigned int kind)
{
	uint64_t pc = MODEL_T32 + UINT64_C(2) * model->t32.start[number] + 4;
	uint32_t near = (uint32_t)(t32_place(model, number, 24) - pc);
	uint32_t any = (uint32_t)(t32_place(model, MODEL_HALVES / 4, MODEL_HALVES / 2) - pc);
	uint32_t cond = model_random(model, 14);

	switch (kind) {
	case T32_B:
		return 0xe000 | (near >> 1 & 0x7ff);
	case T32_B_WIDE:
		return t32_wide_branch(0xf0009000, any);
	case T32_B_COND:
		return 0xd000 | cond << 8 | (near >> 1 & 0xff);
	case T32_B_COND_WIDE:
		return 0xf0008000 | near >> 31 << 26 | cond << 22 | (near >> 12 & 0x3f) << 16 |
		       (near >> 18 & 1) << 13 | (near >> 19 & 1) << 11 | (near >> 1 & 0x7ff);
	case T32_CBZ: /* forwards, over an IT block at most */
		near = 2 + 2 * model_random(model, 3);
		while (model->t32.kind[number + near] & T32_IN_IT)
			near++;
		near = (uint32_t)(MODEL_T32 + UINT64_C(2) * model->t32.start[number + near] - pc);
		return 0xb100 | (near & 0x40) << 3 | (near & 0x3e) << 2;
	case T32_BL:
		return t32_wide_branch(0xf000d000, any);
	default: /* BLX */
		any = (uint32_t)(MODEL_A32 + UINT64_C(4) * model_random(model, MODEL_WORDS) -
				 (pc & ~UINT64_C(3)));
		return t32_wide_branch(0xf000c000, any);
	}
}

static uint32_t t32_encode(struct model *model, unsigned int number, unsigned int kind)
{
	static const uint16_t indirect[] = {0x4718, 0x4798, 0xbd10, 0xbd00};
	/* lowest set bit of the mask: length of the block */
	static const uint8_t masks[] = {0, 0x8, 0xc, 0xa, 0xf};

	switch (kind) {
	case T32_NOP:
		return 0xbf00;
	case T32_NOP_WIDE:
		return 0xf3af8000;
	case T32_BX_LR:
		return 0x4770;
	case T32_INDIRECT: /* BX, BLX, POP */
		return indirect[model_random(model, 4)];
	case T32_LDR_PC:
		return 0xf85dfb04;
	case T32_ISB:
		return 0xf3bf8f6f;
	case T32_WFI:
		return 0xbf30;
	case T32_SVC:
		return 0xdf00;
	case T32_IT:
		return 0xbf00 | model_random(model, 14) << 4 |
		       masks[model->t32.half[model->t32.start[number]]];
	default:
		return t32_branch(model, number, kind);
	}
}

static void encode_t32(struct model *model)
{
	struct t32 *t32 = &model->t32;

	for (unsigned int i = 0; i < t32->count; i++) {
		unsigned int kind = t32->kind[i] & ~(unsigned int)T32_IN_IT;
		uint32_t opcode = t32_encode(model, i, kind);
		uint16_t *half = &t32->half[t32->start[i]];

		if (is_wide(kind))
			*half++ = (uint16_t)(opcode >> 16);
		*half = (uint16_t)opcode;
	}
}

/* ---- A32 program ---- */

static uint32_t a32_word(struct model *model, uint32_t at)
{
	static const uint32_t indirect[] = {0x012fff13, 0x012fff33, 0x049df004, 0x08bd8010,
					    0x01a0f00e};
	uint64_t pc = MODEL_A32 + UINT64_C(4) * at + 8;
	uint32_t to = ((at + model_random(model, 60)) % MODEL_WORDS - at - 2) & 0xffffff;
	uint32_t cond = model_random(model, 2) ? A32_AL : model_random(model, 14) << 28;
	uint32_t blx = (uint32_t)(t32_place(model, MODEL_HALVES / 4, MODEL_HALVES / 2) - pc);

	switch (model_random(model, 30)) {
	case 0:
	case 1:
	case 2:
	case 3:
		return A32_B | cond | to;
	case 4:
	case 5:
		return A32_BL | cond | to;
	case 6:
	case 7:
		return A32_BLX | (blx & 2) << 23 | (blx >> 2 & 0xffffff);
	case 8:
	case 9:
		return A32_BX_LR | cond;
	case 10:
	case 11:
		return indirect[model_random(model, 5)] | cond;
	case 12: /* ISB; WFI; CP15ISB */
		return model_random(model, 3)   ? A32_ISB
		       : model_random(model, 2) ? 0x0320f003 | cond
						: 0x0e070f95 | cond;
	case 13:
		return 0x0f000000 | cond;
	default:
		return A32_NOP | cond;
	}
}

void model_aarch32_program(struct model *model)
{
	lay_out(model);
	encode_t32(model);
	for (uint32_t i = 0; i < MODEL_WORDS; i++)
		model->a32[i] = a32_word(model, i);
	model->a32[MODEL_WORDS - 1] = A32_B | A32_AL | (0xffffffu - MODEL_WORDS);
}

/* ---- execution ---- */

struct call model_aarch32_anywhere(struct model *model)
{
	if (model_random(model, 2))
		return (struct call){t32_place(model, MODEL_HALVES / 4, MODEL_HALVES / 2),
				     HWF_ISA_T32};
	return (struct call){MODEL_A32 + UINT64_C(4) * model_random(model, MODEL_WORDS),
			     HWF_ISA_A32};
}

static void fetch(struct model *model, struct hwf_insn *insn)
{
	const uint64_t word = (model->pc - MODEL_A32) / 4, half = (model->pc - MODEL_T32) / 2;

	if (model->isa == HWF_ISA_A32) {
		if (word >= MODEL_WORDS)
			abort();
		hwf_insn_a32(model->a32[word], model->pc, insn);
		return;
	}
	if (half >= MODEL_HALVES - 1)
		abort();
	hwf_insn_t32(model->t32.half[half], model->t32.half[half + 1], model->pc, &model->it_left,
		     insn);
}

static struct call target_of(struct model *model, const struct hwf_insn *insn)
{
	struct call next = {insn->target, (enum hwf_isa)insn->target_isa};

	if (insn->kind == HWF_INSN_DIRECT)
		return next;
	if (insn->sub == HWF_SUB_IMPLIED_RET && model_return(model, &next))
		return next;
	return model_aarch32_anywhere(model);
}

void model_aarch32_step(struct model *model)
{
	struct call next = {.isa = model->isa};
	bool in_it = model->it_left != 0;
	struct hwf_insn insn;
	bool branch, taken;

	fetch(model, &insn);
	branch = insn.kind == HWF_INSN_DIRECT || insn.kind == HWF_INSN_INDIRECT;
	taken = !insn.conditional || model_random(model, 2);
	next.pc = model->pc + insn.size;
	if (branch && taken) {
		next = target_of(model, &insn);
		model->it_left = 0;
	}
	model->interworking += next.isa != model->isa;
	model->it_not_taken += in_it && branch && !taken;
	if (insn.sub == HWF_SUB_LINK && taken)
		model_call(model, &insn, &next);
	else
		model_run_insn(model, &insn, taken, &next);
	if (insn.call == HWF_CALL_SVC && taken && model->frames < 8)
		model_exception(model, HWF_EXC_CALL, model->pc);
	if (insn.kind == HWF_INSN_ISB && taken && model->contexts && !model_random(model, 3))
		model_set_context(model, model->el, model->cid ^ model_random(model, 4));
}
