/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Random RISC-V programs and a hart that runs them */
#include "rv_model.h"

#include <string.h>

#define HANDLER_INDEX 3u
#define PRIV_M        3u
#define PRIV_U        0u

/* what an instruction is made as */
enum {
	MAKE_PLAIN,
	MAKE_BRANCH,
	MAKE_JUMP,
	MAKE_JUMP_REG,
	MAKE_RETURN,
	MAKE_UPPER, /* auipc x6, and behind it... */
	MAKE_KNOWN, /* ...a jump to x6 */
	MAKE_TRAP_RETURN,
	MAKE_ECALL,
	MAKE_EBREAK,
	MAKE_ILLEGAL,
};

uint64_t rv_model_random(struct rv_model *model)
{
	model->random ^= model->random >> 12;
	model->random ^= model->random << 25;
	model->random ^= model->random >> 27;
	return model->random * 0x2545f4914f6cdd1d;
}

static unsigned int below(struct rv_model *model, unsigned int limit)
{
	return (unsigned int)((rv_model_random(model) >> 33) % limit);
}

/* Once in @rate; never for 0 */
static bool chance(struct rv_model *model, unsigned int rate)
{
	return rate && below(model, rate) == 0;
}

static uint8_t choose(struct rv_model *model)
{
	static const uint8_t kinds[] = {
		MAKE_BRANCH,   MAKE_BRANCH,   MAKE_BRANCH, MAKE_BRANCH, MAKE_JUMP,
		MAKE_JUMP,     MAKE_JUMP_REG, MAKE_RETURN, MAKE_RETURN, MAKE_UPPER,
		MAKE_JUMP_REG, MAKE_PLAIN,    MAKE_PLAIN,  MAKE_PLAIN,  MAKE_PLAIN,
		MAKE_PLAIN,    MAKE_PLAIN,    MAKE_PLAIN,  MAKE_PLAIN,  MAKE_PLAIN,
	};
	static const uint8_t trapping[] = {MAKE_TRAP_RETURN, MAKE_TRAP_RETURN, MAKE_ECALL,
					   MAKE_EBREAK, MAKE_ILLEGAL};

	if (!model->options.no_trap_insns && chance(model, 12))
		return trapping[below(model, sizeof(trapping))];
	return kinds[below(model, sizeof(kinds))];
}

static void put(struct rv_model *model, unsigned int index, uint32_t opcode)
{
	uint32_t at = model->starts[index];
	unsigned int size = hwf_rv_size((uint16_t)opcode);

	for (unsigned int i = 0; i < size; i++)
		model->code[at + i] = (uint8_t)(opcode >> (8 * i));
}

/* Kinds that have a short form choose one; of the others the size is fixed. */
static unsigned int size_of(struct rv_model *model, uint8_t kind)
{
	switch (kind) {
	case MAKE_UPPER:
	case MAKE_KNOWN:
	case MAKE_TRAP_RETURN:
	case MAKE_ECALL:
	case MAKE_EBREAK:
		return 4;
	default:
		return model->options.long_only || below(model, 2) ? 4 : 2;
	}
}

static uint32_t branch_opcode(uint32_t offset)
{
	return 0x00000063 | (offset >> 12 & 1) << 31 | (offset >> 5 & 0x3f) << 25 |
	       (offset >> 1 & 0xf) << 8 | (offset >> 11 & 1) << 7;
}

static uint32_t jump_opcode(uint32_t offset, uint32_t rd)
{
	return 0x0000006f | rd << 7 | (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3ff) << 21 |
	       (offset >> 11 & 1) << 20 | (offset >> 12 & 0xff) << 12;
}

static uint32_t short_branch_opcode(uint32_t offset)
{
	return 0xc001 | (offset >> 8 & 1) << 12 | (offset >> 3 & 3) << 10 | (offset >> 6 & 3) << 5 |
	       (offset >> 1 & 3) << 3 | (offset >> 5 & 1) << 2;
}

static uint32_t short_jump_opcode(uint32_t offset)
{
	return 0xa001 | (offset >> 11 & 1) << 12 | (offset >> 4 & 1) << 11 |
	       (offset >> 8 & 3) << 9 | (offset >> 10 & 1) << 8 | (offset >> 6 & 1) << 7 |
	       (offset >> 7 & 1) << 6 | (offset >> 1 & 7) << 3 | (offset >> 5 & 1) << 2;
}

static uint32_t distance(const struct rv_model *model, unsigned int from, unsigned int to)
{
	return model->starts[to] - model->starts[from];
}

/* Any instruction near by; branches may go back, so there are loops. */
static uint32_t near(struct rv_model *model, unsigned int index)
{
	unsigned int low = index < 30 ? 0 : index - 30;
	unsigned int high = index + 30 < model->count ? index + 30 : model->count;

	return distance(model, index, low + below(model, high - low));
}

/* Jumps go forwards only: no path without a branch goes on for ever. */
static uint32_t forwards(struct rv_model *model, unsigned int index)
{
	unsigned int left = model->count - index - 1;

	return distance(model, index, index + 1 + below(model, left < 100 ? left : 100));
}

static void make(struct rv_model *model, unsigned int index, unsigned int size)
{
	static const uint8_t links[] = {0, 0, 1, 1, 5, 7};
	static const uint8_t bases[] = {1, 5, 6, 10, 10, 10};
	uint32_t link = links[below(model, sizeof(links))];
	uint32_t rs1 = bases[below(model, sizeof(bases))];
	bool wide = size == 4;

	switch (model->kinds[index]) {
	case MAKE_BRANCH:
		put(model, index,
		    wide ? branch_opcode(near(model, index))
			 : short_branch_opcode(near(model, index)));
		break;
	case MAKE_JUMP:
		put(model, index,
		    wide ? jump_opcode(forwards(model, index), link)
			 : short_jump_opcode(forwards(model, index)));
		break;
	case MAKE_JUMP_REG:
		put(model, index,
		    wide ? 0x67 | link << 7 | rs1 << 15 : 0x8002 | (link ? 0x1000u : 0) | rs1 << 7);
		break;
	case MAKE_RETURN:
		put(model, index, wide ? 0x00008067 : 0x8082);
		break;
	case MAKE_UPPER:
		put(model, index, 0x00000317); /* auipc x6, 0 */
		break;
	case MAKE_TRAP_RETURN:
		put(model, index, 0x30200073);
		break;
	case MAKE_ECALL:
		put(model, index, 0x00000073);
		break;
	case MAKE_EBREAK:
		put(model, index, 0x00100073);
		break;
	case MAKE_ILLEGAL:
		put(model, index, wide ? 0xc0001073 : 0x0000);
		break;
	default:
		put(model, index, wide ? 0x00000013 : 0x0001);
		break;
	}
}

/* Of a pair the jump adds what leads to an instruction; else it would go into the middle of one. */
static void make_known(struct rv_model *model, unsigned int index)
{
	static const uint8_t links[] = {0, 1, 7};
	uint32_t offset = distance(model, index - 1, index) + forwards(model, index);
	uint32_t link = links[below(model, sizeof(links))];

	put(model, index, 0x67 | link << 7 | 6u << 15 | offset << 20);
}

static void make_program(struct rv_model *model)
{
	static uint8_t sizes[RV_MODEL_INSNS];

	model->size = 0;
	model->count = RV_MODEL_INSNS;
	for (unsigned int i = 0; i < model->count; i++) {
		bool pair = i && model->kinds[i - 1] == MAKE_UPPER;

		model->kinds[i] = pair ? (uint8_t)MAKE_KNOWN : choose(model);
		/* nothing goes on behind the last ones, nor returns there */
		if (i + 4 > model->count)
			model->kinds[i] = MAKE_RETURN;
		else if (i + 4 == model->count)
			model->kinds[i] = MAKE_PLAIN;
		sizes[i] = (uint8_t)size_of(model, model->kinds[i]);
		model->starts[i] = model->size;
		model->size += sizes[i];
	}
	for (unsigned int i = 0; i < model->count; i++) {
		if (model->kinds[i] == MAKE_KNOWN)
			make_known(model, i);
		else
			make(model, i, sizes[i]);
	}
}

void rv_model_init(struct rv_model *model, const struct rv_model_options *options, uint64_t seed)
{
	memset(model, 0, sizeof(*model));
	model->options = *options;
	model->random = seed * 0x9e3779b97f4a7c15 + 0x123456789;
	make_program(model);
	model->pc = options->base;
	model->priv = PRIV_M;
}

static uint64_t anywhere(struct rv_model *model)
{
	return model->options.base + model->starts[below(model, model->count)];
}

static bool was_visited(const struct rv_model *model, uint64_t address)
{
	for (unsigned int i = 0; i < model->visits; i++)
		if (model->visited[i] == address)
			return true;
	return false;
}

/* Where a jump goes that the program does not tell: @wanted, unless it must not. */
static uint64_t go_where(struct rv_model *model, uint64_t wanted)
{
	while (model->options.no_revisit && was_visited(model, wanted))
		wanted = anywhere(model);
	return wanted;
}

static uint64_t jump(struct rv_model *model, uint64_t wanted)
{
	wanted = go_where(model, wanted);
	model->visits = 0;
	model->returned = false;
	return wanted;
}

static void enter_trap(struct rv_model *model, struct hwf_te_event *event, uint64_t epc)
{
	if (model->trapped == RV_MODEL_DEPTH) {
		memmove(model->traps, model->traps + 1, sizeof(model->traps[0]) * --model->trapped);
	}
	model->traps[model->trapped].epc = epc;
	model->traps[model->trapped++].priv = model->priv;
	model->priv = PRIV_M;
	model->pc = model->options.base + model->starts[HANDLER_INDEX];
	model->has_before = false;
	model->visits = 0;
	event->tval = rv_model_random(model);
}

static void interrupt(struct rv_model *model, struct hwf_te_event *event)
{
	event->opcode = 0x13;
	event->trap = HWF_TE_INTERRUPT;
	event->cause = (uint16_t)(1 + below(model, 15));
	enter_trap(model, event, model->pc);
}

static void exception(struct rv_model *model, struct hwf_te_event *event, unsigned int cause,
		      uint64_t epc)
{
	event->trap = HWF_TE_EXCEPTION;
	event->cause = (uint16_t)cause;
	enter_trap(model, event, epc);
}

static uint64_t return_address(struct rv_model *model)
{
	bool may = model->options.irets || !model->returned;
	bool astray = may && chance(model, model->options.astray);

	if (!model->depth || astray)
		return anywhere(model);
	return model->calls[--model->depth];
}

static void call(struct rv_model *model, uint64_t link)
{
	if (model->depth == RV_MODEL_DEPTH)
		memmove(model->calls, model->calls + 1, sizeof(model->calls[0]) * --model->depth);
	model->calls[model->depth++] = link;
}

static uint64_t jump_reg(struct rv_model *model, const struct hwf_rv_insn *insn)
{
	uint64_t target;

	if (model->has_before && hwf_rv_is_sequential(&model->before, insn))
		return hwf_rv_jump_target(insn, model->before.target, model->options.isa);
	if (hwf_rv_classify(insn) != HWF_RV_RETURN)
		return jump(model, anywhere(model));
	target = return_address(model);
	target = model->options.irets ? go_where(model, target) : jump(model, target);
	model->returned = true;
	return target;
}

/* mret: in U it is an illegal instruction. */
static uint64_t trap_return(struct rv_model *model)
{
	if (!model->trapped)
		return jump(model, anywhere(model));
	model->priv = model->traps[--model->trapped].priv;
	if (model->priv == PRIV_M && !model->options.m_only && chance(model, 3))
		model->priv = PRIV_U;
	return jump(model, model->traps[model->trapped].epc);
}

static uint64_t go(struct rv_model *model, const struct hwf_rv_insn *insn)
{
	uint64_t link = model->pc + insn->size, next = link;

	switch (insn->kind) {
	case HWF_RV_BRANCH:
		model->visits = 0;
		model->returned = false;
		/* mostly the same way, so that a predictor has something to learn */
		if ((model->pc >> 3 & 1) ? below(model, 24) != 0 : below(model, 24) == 0)
			next = insn->target;
		break;
	case HWF_RV_JUMP:
		next = insn->target;
		break;
	case HWF_RV_JUMP_REG:
		next = jump_reg(model, insn);
		break;
	case HWF_RV_TRAP_RETURN:
		next = trap_return(model);
		break;
	}
	if (hwf_rv_classify(insn) == HWF_RV_CALL)
		call(model, link);
	return next;
}

static bool is_illegal(const struct rv_model *model, const struct hwf_te_event *event,
		       const struct hwf_rv_insn *insn)
{
	return event->opcode == 0xc0001073 || (uint16_t)event->opcode == 0 ||
	       (insn->kind == HWF_RV_TRAP_RETURN && model->priv != PRIV_M);
}

static void execute(struct rv_model *model, struct hwf_te_event *event)
{
	struct hwf_rv_insn insn;

	rv_model_read(model, NULL, model->pc, &event->opcode, 4);
	hwf_rv_insn(event->opcode, model->pc, model->options.isa, &insn);
	if (is_illegal(model, event, &insn)) {
		exception(model, event, 2, model->pc + insn.size);
		return;
	}
	if (chance(model, model->options.exceptions)) {
		exception(model, event, 5, model->pc);
		return;
	}
	event->retired = true;
	if (model->visits < RV_MODEL_INSNS)
		model->visited[model->visits++] = model->pc;
	if (insn.kind == HWF_RV_ECALL || insn.kind == HWF_RV_EBREAK) {
		exception(model, event, insn.kind == HWF_RV_ECALL ? 8 : 3, model->pc + insn.size);
		return;
	}
	model->pc = go(model, &insn);
	model->before = insn;
	model->has_before = true;
}

void rv_model_step(struct rv_model *model, struct hwf_te_event *event)
{
	if (chance(model, model->options.contexts))
		model->context = (uint32_t)rv_model_random(model);
	*event = (struct hwf_te_event){
		.address = model->pc,
		.priv = model->priv,
		.context = model->context,
		.context_type = model->options.context_type,
		.time = model->time++ / 64,
	};
	if (chance(model, model->options.interrupts))
		interrupt(model, event);
	else
		execute(model, event);
}

size_t rv_model_read(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	const struct rv_model *model = ctx;
	uint64_t at = address - model->options.base;

	(void)space;
	if (at >= model->size)
		return 0;
	if (length > model->size - at)
		length = model->size - (size_t)at;
	memcpy(bytes, model->code + at, length);
	return length;
}
