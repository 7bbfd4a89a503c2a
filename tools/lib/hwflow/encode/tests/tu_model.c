/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The model PE: what it executes, what it tells the trace unit, and what is to be expected. */
#include <stdlib.h>
#include <string.h>

#include "tu_model.h"

uint32_t model_random(struct model *model, uint32_t below)
{
	model->random = model->random * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(model->random >> 4) * below >> 28);
}

static bool one_in(struct model *model, unsigned int n)
{
	return n != 0 && model_random(model, n) == 0;
}

/* ---- code ---- */

static size_t read_code(void *ctx, uint64_t address, void *bytes, size_t length)
{
	const struct model *model = ctx;
	const struct {
		uint64_t start;
		size_t size;
		const void *code;
	} regions[] = {
		{MODEL_EL0, sizeof(model->code[0]), model->code[0]},
		{MODEL_EL1, sizeof(model->code[1]), model->code[1]},
		{MODEL_A32, sizeof(model->a32), model->a32},
		{MODEL_T32, sizeof(model->t32.half), model->t32.half},
	};

	for (unsigned int i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
		uint64_t at = address - regions[i].start;

		if (at >= regions[i].size)
			continue;
		if (length > regions[i].size - at)
			length = (size_t)(regions[i].size - at);
		memcpy(bytes, (const uint8_t *)regions[i].code + at, length);
		return length;
	}
	return 0;
}

static size_t read_space(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	(void)space;
	return read_code(ctx, address, bytes, length);
}

/* ---- surroundings of the trace unit ---- */

static bool write_trace(void *ctx, const uint8_t *bytes, size_t length)
{
	struct model *model = ctx;

	if (one_in(model, model->lost_writes)) {
		model->writes_lost++;
		return false;
	}
	if (model->length + length > model->room) {
		model->room = model->room ? 2 * model->room : 0x10000;
		if (model->room > MODEL_BYTES)
			abort();
		model->bytes = realloc(model->bytes, model->room);
	}
	memcpy(model->bytes + model->length, bytes, length);
	model->length += length;
	return true;
}

static uint64_t read_time(void *ctx)
{
	struct model *model = ctx;

	return model->timeless ? 1 : model->now;
}

/* Room for twice as many items */
static void grow(struct items *items)
{
	items->room = items->room ? 2 * items->room : 4096;
	if (items->room > MODEL_ITEMS)
		abort();
	items->item = realloc(items->item, items->room * sizeof(*items->item));
}

void model_add(struct items *items, const struct item *item)
{
	if (items->count == items->room)
		grow(items);
	items->item[items->count++] = *item;
}

struct model *model_new(uint32_t seed)
{
	struct model *model = calloc(1, sizeof(*model));

	model->random = seed * 2654435761u + 12345;
	grow(&model->executed);
	grow(&model->decoded);
	model->options.regs = (struct hwf_ete_regs){
		.trcidr0 = MODEL_IDR0,
		.trcidr2 = 0xd0001088,
		.trcdevarch = 0x47735a13,
		.trcconfigr = 1,
	};
	model->options.el_mask = 0xf;
	model->exceptions = 60;
	model->port = (struct hwf_tu_port){
		.ctx = model, .write = write_trace, .timestamp = read_time, .code = read_code};
	model->image = (struct hwf_code){.ctx = model, .read = read_space};
	model_a64_program(model);
	model->pc = MODEL_EL0;
	model->isa = HWF_ISA_A64;
	model->cid = 1;
	model->now = 0x1234567;
	return model;
}

void model_free(struct model *model)
{
	free(model->memory);
	free(model->bytes);
	free(model->executed.item);
	free(model->decoded.item);
	free(model);
}

static void tell_context(struct model *model)
{
	struct hwf_context context = {
		.el = model->el,
		.sf = model->isa == HWF_ISA_A64,
		.security = HWF_SEC_NONSECURE,
		.has_cid = true,
		.cid = model->cid,
		.has_vmid = true,
		.vmid = ~model->cid,
	};

	hwf_tu_context(model->unit, &context);
}

int model_start(struct model *model)
{
	int error;

	if (model->transactions)
		model_a64_transactions(model);
	if (model->aarch32)
		model_aarch32_program(model);
	model->memory = malloc(hwf_tu_size(&model->options));
	error = hwf_tu_init(model->memory, &model->options, &model->port, &model->unit);
	if (error != 0)
		return error;
	hwf_ete_config_init(&model->config, &model->options.regs);
	tell_context(model);
	hwf_tu_enable(model->unit);
	return 0;
}

/* ---- what is to be expected ---- */

static bool in_range(const struct hwf_tu_range *range, unsigned int count, uint64_t pc)
{
	while (count--) {
		if (range[count].low <= pc && pc <= range[count].high)
			return true;
	}
	return false;
}

static bool traced(const struct model *model)
{
	const struct hwf_tu_options *options = &model->options;
	const struct item *last = model->executed.item + model->executed.count - 1;

	if (!(options->el_mask & 1u << model->el))
		return false;
	/* R_KHDNX: a P0 element has to show it. */
	if (model->open && last->optional)
		return true;
	if (in_range(options->exclude, options->exclude_ranges, model->pc))
		return false;
	return !options->include_ranges ||
	       in_range(options->include, options->include_ranges, model->pc);
}

/* All before it can be known from the trace. */
static void solid(struct model *model)
{
	for (size_t i = model->executed.count; i-- && model->executed.item[i].optional;)
		model->executed.item[i].optional = false;
}

static void expect_insn(struct model *model, bool p0, bool eret)
{
	struct item on = {.kind = ITEM_ON};
	struct item item = {.kind = ITEM_INSN,
			    .value = model->pc,
			    .el = model->el,
			    .isa = (uint8_t)model->isa,
			    .cid = model->options.regs.trcconfigr & MODEL_CID ? model->cid : 0,
			    .eret = eret,
			    .optional = true};

	if (!traced(model)) {
		model->open = false;
		return;
	}
	if (!model->open)
		model_add(&model->executed, &on);
	model->open = true;
	model_add(&model->executed, &item);
	if (p0)
		solid(model);
}

static void expect_exception(struct model *model, uint8_t type, uint64_t ret)
{
	struct item item = {.kind = ITEM_EXCEPTION, .value = ret, .type = type};

	if (!model->open || !(model->options.el_mask & 1u << model->el)) {
		model->open = false;
		return;
	}
	model_add(&model->executed, &item);
	model->executed.item[model->executed.count - 1].optional = true;
	solid(model);
}

static void expect_failure(struct model *model)
{
	struct item item = {.kind = ITEM_FAILED};

	model_add(&model->executed, &item);
}

/* ---- execution ---- */

/* Execution went on at model->pc, which is not in a batch. */
static void tell_batch(struct model *model)
{
	unsigned int count = model->batch_runs;

	if (!count)
		return;
	model->batch[count] = (struct hwf_tu_run){
		.pc = model->block_insns ? model->block : model->pc,
		.code = &model->batch_code[0],
	};
	if (hwf_tu_runs(model->unit, model->batch, count + 1) != count)
		abort();
	model->batched += count > 1 ? count : 0;
	model->batch_runs = 0;
}

static void tell_block(struct model *model)
{
	tell_batch(model);
	if (model->block_insns)
		hwf_tu_block(model->unit, model->block, model->isa, model->block_insns,
			     model->block_bytes);
	model->block_insns = 0;
	model->block_bytes = 0;
}

/* Code that was translated at another address than it runs at */
static void add_to_batch(struct model *model, const struct hwf_insn *insn)
{
	uint64_t pc = model->block_insns ? model->block : model->pc;
	uint64_t elsewhere = pc & 4 ? 64 : 0;
	struct hwf_tu_code *code = &model->batch_code[model->batch_runs];

	*code = (struct hwf_tu_code){
		.pc = pc - elsewhere,
		.last = *insn,
		.instructions = model->block_insns + 1,
		.isa = HWF_ISA_A64,
	};
	code->last.target -= elsewhere;
	model->batch[model->batch_runs++] = (struct hwf_tu_run){.pc = pc, .code = code};
}

/* A P0 instruction, with the block before it */
static void tell_run(struct model *model, const struct hwf_insn *insn, bool taken, uint64_t next)
{
	bool seen = taken == (insn->kind != HWF_INSN_DIRECT || next == insn->target);

	if (model->batches && model->isa == HWF_ISA_A64 && seen) {
		add_to_batch(model, insn);
	} else {
		tell_batch(model);
		hwf_tu_run(model->unit, model->block_insns ? model->block : model->pc, model->isa,
			   model->block_insns + 1, insn, taken, next);
	}
	model->block_insns = 0;
	model->block_bytes = 0;
}

void model_set_context(struct model *model, uint8_t el, uint32_t cid)
{
	tell_block(model);
	model->el = el;
	model->cid = cid;
	tell_context(model);
}

void model_run_insn(struct model *model, const struct hwf_insn *insn, bool taken,
		    const struct call *next)
{
	bool p0 = hwf_insn_is_p0(insn, model->config.wfx);

	expect_insn(model, p0, insn->sub == HWF_SUB_ERET);
	model->instructions++;
	if (model->blocks && !p0 && next->pc == model->pc + insn->size) {
		if (model->block_bytes != model->block_insns * insn->size)
			tell_block(model);
		if (!model->block_insns++)
			model->block = model->pc;
		model->block_bytes += insn->size;
	} else if (model->runs && p0 && next->isa == model->isa &&
		   model->block_bytes == model->block_insns * insn->size) {
		tell_run(model, insn, taken, next->pc);
	} else {
		tell_block(model);
		hwf_tu_insn(model->unit, model->pc, model->isa, insn, taken, next->pc, next->isa);
	}
	model->pc = next->pc;
	model->isa = next->isa;
	if (model->batch_runs == MODEL_BATCH)
		tell_batch(model);
}

void model_execute(struct model *model, uint32_t opcode, bool taken, uint64_t next)
{
	struct call to = {next, HWF_ISA_A64};
	struct hwf_insn insn;

	hwf_insn_a64(opcode, model->pc, &insn);
	model_run_insn(model, &insn, taken, &to);
}

void model_nop(struct model *model)
{
	model_execute(model, NOP, true, model->pc + 4);
}

void model_branch(struct model *model, bool taken)
{
	model_execute(model, B_COND | 4u << 5, taken, model->pc + (taken ? 16 : 4));
}

/* The trace unit goes on in another one. */
void model_move(struct model *model)
{
	size_t size = hwf_tu_state_size(model->unit), memory = hwf_tu_size(&model->options);
	uint8_t *state = malloc(size);

	hwf_tu_save(model->unit, state);
	free(model->memory);
	model->memory = malloc(memory);
	memset(model->memory, 0xa5, memory);
	if (hwf_tu_init(model->memory, &model->options, &model->port, &model->unit) ||
	    hwf_tu_restore(model->unit, state, size))
		abort();
	free(state);
}

void model_begin_transaction(struct model *model)
{
	model->in_transaction = true;
	model->restart = model->pc;
	tell_block(model);
	hwf_tu_transaction_start(model->unit);
}

void model_end_transaction(struct model *model, bool failed)
{
	if (!model->in_transaction)
		return;
	/* A Q element would end here, and show what R_KHDNX has traced: this waits until it has. */
	if (!failed && model->options.q_interval && model->open &&
	    model->executed.item[model->executed.count - 1].optional)
		return;
	model->in_transaction = false;
	tell_block(model);
	if (failed) {
		expect_failure(model);
		model->pc = model->restart;
	}
	hwf_tu_transaction_end(model->unit,
			       failed ? HWF_TRANSACTION_FAILED : HWF_TRANSACTION_COMMITTED);
	if (model->moves)
		model_move(model);
}

static void go_anywhere(struct model *model)
{
	struct call place = {.isa = HWF_ISA_A64};

	if (model->isa == HWF_ISA_A64)
		place.pc = model_a64_anywhere(model);
	else
		place = model_aarch32_anywhere(model);
	model->pc = place.pc;
	model->isa = place.isa;
	model->it_left = 0;
}

void model_exception(struct model *model, uint8_t type, uint64_t ret)
{
	uint64_t vector = MODEL_EL1 + UINT64_C(32) * type;

	tell_block(model);
	expect_exception(model, type, ret);
	model->exceptions_t32 += model->isa == HWF_ISA_T32;
	model->exceptions_a32 += model->isa == HWF_ISA_A32;
	model->frame[model->frames++] = (struct frame){.pc = ret,
						       .cid = model->cid,
						       .it_left = model->it_left,
						       .isa = model->isa,
						       .el = model->el};
	hwf_tu_exception(model->unit, type, ret, model->isa, vector, HWF_ISA_A64);
	model->isa = HWF_ISA_A64;
	model->it_left = 0;
	if (model->el != 1)
		model_set_context(model, 1, model->cid);
	model->pc = vector;
}

/* Which stack of return addresses */
static unsigned int stack_of(const struct model *model)
{
	return model->isa == HWF_ISA_A64 ? model->el : 2;
}

void model_call(struct model *model, const struct hwf_insn *insn, const struct call *next)
{
	unsigned int stack = stack_of(model);

	if (model->calls[stack] == MODEL_STACK)
		model->calls[stack] /= 2;
	model->call[stack][model->calls[stack]++] =
		(struct call){model->pc + insn->size, model->isa};
	model_run_insn(model, insn, true, next);
}

bool model_return(struct model *model, struct call *next)
{
	unsigned int stack = stack_of(model);

	if (!model->calls[stack] || !model_random(model, 8))
		return false;
	*next = model->call[stack][--model->calls[stack]];
	return true;
}

/* Something comes in between. */
static void disturb(struct model *model)
{
	if (model->other && model->instructions == 200) {
		tell_block(model);
		hwf_tu_ranges(model->unit, model->other);
	}
	if (model->moves && model->instructions % model->moves == 0)
		model_move(model);
	if (model->in_transaction && one_in(model, model->transactions)) {
		bool failed = model_random(model, 2);

		model_end_transaction(model, failed);
		/* what made it fail is taken at once */
		if (failed && one_in(model, 3) && model->frames < 8)
			model_exception(model, HWF_EXC_IRQ, model->pc);
		return;
	}
	if (one_in(model, model->syncs)) {
		tell_block(model);
		hwf_tu_sync(model->unit);
	}
	if (one_in(model, model->events)) {
		tell_block(model);
		if (model_random(model, 2))
			hwf_tu_event(model->unit, (uint8_t)(1 + model_random(model, 15)));
		else
			hwf_tu_instrumentation(model->unit, model->el, model->now);
	}
	if (one_in(model, model->gaps)) {
		tell_block(model);
		hwf_tu_gap(model->unit);
		model->open = false;
		go_anywhere(model);
	}
	if (model->in_transaction)
		return;
	if (one_in(model, model->exceptions * (1 + 3u * model->el)) && model->frames < 8)
		model_exception(model, model_random(model, 2) ? HWF_EXC_IRQ : HWF_EXC_DATA_FAULT,
				model->pc);
}

static void step(struct model *model)
{
	disturb(model);
	model->now += 1 + model_random(model, 20);
	if (model->isa == HWF_ISA_A64)
		model_a64_step(model);
	else
		model_aarch32_step(model);
	/* the trace unit counts what it was told of */
	if (!model->block_insns) {
		uint32_t cycles = model_random(model, 6);

		if (model->config.cycle_count)
			tell_batch(model);
		hwf_tu_cycles(model->unit, cycles);
	}
}

void model_run(struct model *model, unsigned int instructions)
{
	while (instructions--)
		step(model);
}

void model_stop(struct model *model)
{
	tell_block(model);
	hwf_tu_disable(model->unit, true);
}
