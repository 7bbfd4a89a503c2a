/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The model PE in AArch64: random programs, one for each Exception level, and what they execute. */
#include <stdlib.h>

#include "tu_model.h"

/* ---- program ---- */

static uint32_t branch_to(uint32_t opcode, int32_t words, bool imm26)
{
	if (imm26)
		return opcode | ((uint32_t)words & 0x3ffffff);
	return opcode | ((uint32_t)words & 0x7ffff) << 5;
}

static uint32_t random_word(struct model *model, unsigned int el, int32_t at)
{
	int32_t to = at + (int32_t)model_random(model, 60) - 25;

	if (to < 0 || to >= MODEL_WORDS)
		to = MODEL_WORDS / 2;
	to -= at;
	switch (model_random(model, 40)) {
	case 0:
		return branch_to(B, to, true);
	case 1:
	case 2:
		return branch_to(BL, to, true);
	case 3:
	case 4:
	case 5:
	case 6:
		return branch_to(B_COND, to, false) | model_random(model, 14);
	case 7:
	case 8:
		return branch_to(CBZ, to, false) | model_random(model, 31);
	case 9:
	case 10:
		return RET;
	case 11:
		return model_random(model, 2) ? BR : BLR;
	case 12:
		return model_random(model, 3) ? ISB : WFI;
	case 13:
	case 14:
	case 15:
		return el == 1 ? ERET : model_random(model, 3) ? NOP : SVC;
	default:
		return NOP;
	}
}

void model_a64_program(struct model *model)
{
	for (unsigned int el = 0; el < 2; el++) {
		for (int32_t i = 0; i < MODEL_WORDS; i++)
			model->code[el][i] = random_word(model, el, i);
		model->code[el][MODEL_WORDS - 1] =
			branch_to(B, -(int32_t)model_random(model, MODEL_WORDS - 1) - 1, true);
	}
}

/* Transactions begin where nothing was. */
void model_a64_transactions(struct model *model)
{
	for (unsigned int i = 0; i < 2 * MODEL_WORDS; i++) {
		uint32_t *word = &model->code[i / MODEL_WORDS][i % MODEL_WORDS];

		if (*word == NOP && model_random(model, 12) == 0)
			*word = TSTART;
	}
}

uint32_t model_word(const struct model *model, uint64_t pc, bool *there)
{
	uint64_t base = pc >> 63 != 0 ? MODEL_EL1 : MODEL_EL0;
	uint64_t index = (pc - base) / 4;

	*there = index < MODEL_WORDS;
	return *there ? model->code[pc >> 63][index] : 0;
}

static uint64_t base(const struct model *model)
{
	return model->el ? MODEL_EL1 : MODEL_EL0;
}

uint64_t model_a64_anywhere(struct model *model)
{
	return base(model) + UINT64_C(4) * model_random(model, MODEL_WORDS);
}

/* ---- execution ---- */

static void exception_return(struct model *model)
{
	struct frame frame = {.pc = MODEL_EL0 + UINT64_C(4) * model_random(model, MODEL_WORDS),
			      .cid = model->cid,
			      .isa = HWF_ISA_A64};
	struct hwf_insn insn;
	struct call to;

	if (model->frames)
		frame = model->frame[--model->frames];
	to = (struct call){frame.pc, frame.isa};
	if (model->aarch32 && frame.el == 0 && model_random(model, 3) == 0) {
		/* another program */
		to = model_aarch32_anywhere(model);
		frame.it_left = 0;
	}
	hwf_insn_a64(ERET, model->pc, &insn);
	model_run_insn(model, &insn, true, &to);
	model->it_left = frame.it_left;
	model_set_context(model, frame.el, frame.cid);
}

static void indirect(struct model *model, const struct hwf_insn *insn)
{
	struct call next = {model_a64_anywhere(model), HWF_ISA_A64};

	if (insn->sub == HWF_SUB_LINK) {
		model_call(model, insn, &next);
		return;
	}
	if (insn->sub == HWF_SUB_RET)
		model_return(model, &next);
	model_run_insn(model, insn, true, &next);
}

static void direct(struct model *model, const struct hwf_insn *insn)
{
	bool is_taken = !insn->conditional || model_random(model, 2);
	struct call next = {is_taken ? insn->target : model->pc + 4, HWF_ISA_A64};

	if (insn->sub == HWF_SUB_LINK)
		model_call(model, insn, &next);
	else
		model_run_insn(model, insn, is_taken, &next);
}

/* Not executed in a transaction, or it fails. */
static bool fails(const struct hwf_insn *insn)
{
	return insn->sub == HWF_SUB_ERET || insn->call != HWF_CALL_NONE ||
	       insn->kind == HWF_INSN_ISB || insn->kind == HWF_INSN_WFX;
}

static void fetch(struct model *model, struct hwf_insn *insn)
{
	bool there;
	uint32_t opcode = model_word(model, model->pc, &there);

	if (!there)
		abort();
	hwf_insn_a64(opcode, model->pc, insn);
}

void model_a64_step(struct model *model)
{
	struct call next = {.isa = HWF_ISA_A64};
	struct hwf_insn insn;

	fetch(model, &insn);
	if (model->in_transaction && fails(&insn)) {
		model_end_transaction(model, true);
		fetch(model, &insn);
	}
	next.pc = model->pc + 4;
	if (insn.sub == HWF_SUB_ERET)
		exception_return(model);
	else if (insn.kind == HWF_INSN_INDIRECT)
		indirect(model, &insn);
	else if (insn.kind == HWF_INSN_DIRECT)
		direct(model, &insn);
	else
		model_run_insn(model, &insn, true, &next);
	if (insn.call == HWF_CALL_SVC && model->frames < 8)
		model_exception(model, HWF_EXC_CALL, model->pc);
	if (insn.kind == HWF_INSN_TSTART && model->transactions && !model->in_transaction)
		model_begin_transaction(model);
	if (insn.kind == HWF_INSN_ISB && model->contexts && !model_random(model, 3))
		model_set_context(model, model->el, model->cid ^ model_random(model, 4));
}
