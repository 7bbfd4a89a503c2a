// SPDX-License-Identifier: GPL-2.0-only
/* The ground-truth log through a trace unit. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "encode_cycles.h"
#include "encode_feed.h"
#include "encode_strobe.h"

#define ISA HWF_ISA_A64

/* Where Linux has its vectors for exceptions from AArch64 user space. What runs there is filtered.
 */
#define VECTORS     UINT64_C(0xffff800010011800)
#define VECTOR_SYNC 0x400
#define VECTOR_IRQ  0x480

/* Cycles that the kernel takes: any number, but not 0. */
#define KERNEL_CYCLES 400

/* a P0 instruction in a block */
struct p0_insn {
	struct hwf_insn insn;
	uint32_t index;
};

/* what a block is to the trace unit; made when it is first executed */
struct plan {
	uint64_t pc;
	uint32_t instructions;
	bool plain; /* its last instruction is its only P0 instruction */
	uint32_t count;
	struct p0_insn p0[];
};

/* opcodes by address, for wrong paths; of all blocks the thread has executed so far */
struct code_word {
	uint64_t address; /* 0: free; no program has code there */
	uint32_t opcode;
};

struct encoder {
	struct hwf_tu *unit;
	void *memory;
	const struct encode_options *options;
	const struct encode_sink *sink;
	struct encode_totals *totals;
	struct hwf_ete_config config;
	int32_t tid;
	uint64_t time;
	struct plan **plans;
	size_t plan_count;
	struct code_word *words;
	size_t word_room; /* a power of two, or 0 */
	size_t word_count;
	struct hwf_context context;
	struct encode_cycles cycles;
	struct encode_strobe strobe;
	uint64_t now;
	bool enabled;
	bool sink_failed;
	/* a P0 instruction that waits for its successor */
	const struct p0_insn *waiting;
	uint64_t waiting_pc;
	const struct plan *run; /* the plain block it ends, which waits, too; else NULL */
	/* instructions behind the last P0 instruction that the trace unit has not been given */
	uint64_t straight_pc;
	uint32_t straight_count;
	const char *error;
};

static bool port_write(void *ctx, const uint8_t *bytes, size_t length)
{
	struct encoder *encoder = ctx;

	if (encoder->sink_failed || !encoder->sink->bytes(encoder->sink->ctx, bytes, length)) {
		encoder->sink_failed = true;
		return false;
	}
	encoder->totals->bytes += length;
	return true;
}

static uint64_t port_timestamp(void *ctx)
{
	const struct encoder *encoder = ctx;

	return encoder->now;
}

static struct code_word *word_slot(struct code_word *words, size_t room, uint64_t address)
{
	size_t at = (size_t)((address >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1);

	while (words[at].address && words[at].address != address)
		at = (at + 1) & (room - 1);
	return &words[at];
}

static bool words_grow(struct encoder *encoder)
{
	size_t room = encoder->word_room ? encoder->word_room * 2 : 4096;
	struct code_word *words = calloc(room, sizeof(*words));

	if (!words)
		return false;
	for (size_t i = 0; i < encoder->word_room; i++) {
		if (encoder->words[i].address)
			*word_slot(words, room, encoder->words[i].address) = encoder->words[i];
	}
	free(encoder->words);
	encoder->words = words;
	encoder->word_room = room;
	return true;
}

static size_t port_code(void *ctx, uint64_t address, void *bytes, size_t length)
{
	const struct encoder *encoder = ctx;
	size_t have = 0;

	while (encoder->word_room && (address & 3) == 0 && have + 4 <= length) {
		const struct code_word *word =
			word_slot(encoder->words, encoder->word_room, address + have);

		if (!word->address)
			break;
		memcpy((uint8_t *)bytes + have, &word->opcode, 4);
		have += 4;
	}
	return have;
}

static bool words_add(struct encoder *encoder, const struct truth_run *run)
{
	if (!encoder->options->unit.spec_seed)
		return true;
	for (uint32_t i = 0; i < run->block_count; i++) {
		struct code_word *word;

		if (2 * encoder->word_count >= encoder->word_room && !words_grow(encoder))
			return false;
		word = word_slot(encoder->words, encoder->word_room, run->pc + 4 * (uint64_t)i);
		if (!word->address)
			encoder->word_count++;
		*word = (struct code_word){.address = run->pc + 4 * (uint64_t)i,
					   .opcode = run->opcodes[i]};
	}
	return true;
}

/* The plan of the block that @run is of, which has none yet */
static struct plan *plan_make(struct encoder *encoder, const struct truth_run *run)
{
	struct plan *plan;
	struct hwf_insn insn;
	uint32_t count = 0;

	for (uint32_t i = 0; i < run->block_count; i++) {
		hwf_insn_a64(run->opcodes[i], run->pc + 4 * (uint64_t)i, &insn);
		count += hwf_insn_is_p0(&insn, encoder->config.wfx);
	}
	plan = malloc(sizeof(*plan) + count * sizeof(plan->p0[0]));
	if (!plan || !words_add(encoder, run)) {
		free(plan);
		return NULL;
	}
	plan->count = 0;
	for (uint32_t i = 0; i < run->block_count && plan->count < count; i++) {
		hwf_insn_a64(run->opcodes[i], run->pc + 4 * (uint64_t)i, &insn);
		if (hwf_insn_is_p0(&insn, encoder->config.wfx))
			plan->p0[plan->count++] = (struct p0_insn){.insn = insn, .index = i};
	}
	plan->pc = run->pc;
	plan->instructions = run->block_count;
	plan->plain = plan->count == 1 && plan->p0[0].index == run->block_count - 1;
	encoder->plans[run->number] = plan;
	return plan;
}

/* Blocks are translated while the thread runs: there is one more now and then. */
static bool plans_grow(struct encoder *encoder, uint32_t number)
{
	size_t count = encoder->plan_count ? encoder->plan_count : 1024;
	struct plan **plans;

	while (count <= number)
		count *= 2;
	plans = realloc(encoder->plans, count * sizeof(struct plan *));
	if (!plans)
		return false;
	memset(plans + encoder->plan_count, 0,
	       (count - encoder->plan_count) * sizeof(struct plan *));
	encoder->plans = plans;
	encoder->plan_count = count;
	return true;
}

static const struct plan *plan_of(struct encoder *encoder, const struct truth_run *run)
{
	if (run->number >= encoder->plan_count && !plans_grow(encoder, run->number))
		return NULL;
	return encoder->plans[run->number] ? encoder->plans[run->number] : plan_make(encoder, run);
}

static int fail(struct encoder *encoder, const char *error)
{
	encoder->error = error;
	return -EINVAL;
}

/* Execution went on at @next: now it is known whether the branch was taken. */
static int feed_waiting(struct encoder *encoder, uint64_t next)
{
	const struct hwf_insn *insn = &encoder->waiting->insn;
	uint64_t pc = encoder->waiting_pc;
	bool taken = true;

	encoder->waiting = NULL;
	if (insn->kind == HWF_INSN_DIRECT) {
		taken = next == insn->target;
		if (!taken && (!insn->conditional || next != pc + insn->size))
			return fail(encoder,
				    "the target of a direct branch is not the next instruction");
	} else if (insn->kind != HWF_INSN_INDIRECT && next != pc + insn->size) {
		return fail(encoder, "an instruction that is not a branch is followed by an "
				     "instruction at another address");
	}
	if (encoder->run)
		hwf_tu_run(encoder->unit, encoder->run->pc, ISA, encoder->run->instructions, insn,
			   taken, next);
	else
		hwf_tu_insn(encoder->unit, pc, ISA, insn, taken, next, ISA);
	encode_strobe_switch(&encoder->strobe, encoder->unit);
	encoder->run = NULL;
	return 0;
}

static void feed_straight(struct encoder *encoder, uint64_t pc, uint32_t count)
{
	if (count)
		hwf_tu_block(encoder->unit, pc, ISA, count, 4 * (uint64_t)count);
}

/*
 * Give the trace unit the straight instructions that were executed, and the cycles of them and of
 * the P0 instruction that follows them, if @p0 says that one does. Wherever the log divides a run,
 * cycles are counted up to a P0 instruction: a Q element may end there.
 */
static void flush_straight(struct encoder *encoder, bool p0)
{
	uint32_t count = encoder->straight_count + p0;

	if (!count)
		return;
	if (encoder->config.cycle_count)
		hwf_tu_cycles(encoder->unit, encode_cycles_next(&encoder->cycles, count));
	encoder->now += count;
	encode_strobe_passed(&encoder->strobe, count);
	feed_straight(encoder, encoder->straight_pc, encoder->straight_count);
	encoder->straight_count = 0;
}

static void add_straight(struct encoder *encoder, uint64_t pc, uint32_t count)
{
	if (!encoder->straight_count)
		encoder->straight_pc = pc;
	encoder->straight_count += count;
}

/* Does execution at @pc continue the straight instructions? Those of a page are given with it. */
static bool continues_straight(const struct encoder *encoder, uint64_t pc)
{
	return pc == encoder->straight_pc + 4 * (uint64_t)encoder->straight_count &&
	       (pc & ENCODE_PAGE_MASK) != 0;
}

static int feed_run(struct encoder *encoder, const struct truth_run *run)
{
	const struct plan *plan;
	uint32_t at = 0;

	if (run->isa != ISA)
		return fail(encoder, "the log has instructions that are not A64; encode A32 and "
				     "T32 from the text form, and RV64 with --protocol=riscv");
	plan = plan_of(encoder, run);
	if (!plan)
		return -ENOMEM;
	if (encoder->waiting && feed_waiting(encoder, run->pc))
		return -EINVAL;
	if (!run->count)
		return 0;
	if (!continues_straight(encoder, run->pc))
		flush_straight(encoder, false);
	encoder->totals->instructions += run->count;
	for (uint32_t i = 0; i < plan->count && plan->p0[i].index < run->count; i++) {
		const struct p0_insn *p0 = &plan->p0[i];
		uint64_t pc = run->pc + 4 * (uint64_t)p0->index;

		add_straight(encoder, run->pc + 4 * (uint64_t)at, p0->index - at);
		flush_straight(encoder, true);
		at = p0->index + 1;
		encoder->waiting = p0;
		encoder->waiting_pc = pc;
		if (at < run->count && feed_waiting(encoder, pc + p0->insn.size))
			return -EINVAL;
	}
	add_straight(encoder, run->pc + 4 * (uint64_t)at, run->count - at);
	return 0;
}

void encode_kernel(struct hwf_tu *unit, const struct hwf_ete_config *config,
		   const struct hwf_context *context, const struct truth_exception *exception,
		   enum hwf_isa isa, uint64_t *now)
{
	bool irq = exception->type == HWF_EXC_IRQ || exception->type == HWF_EXC_FIQ;
	uint64_t vector = VECTORS + (irq ? VECTOR_IRQ : VECTOR_SYNC);
	struct hwf_context kernel = *context;

	kernel.el = 1;
	kernel.sf = true;
	hwf_tu_exception(unit, exception->type, exception->ret, isa, vector, HWF_ISA_A64);
	hwf_tu_context(unit, &kernel);
	hwf_tu_block(unit, vector, HWF_ISA_A64, 1, 4);
	if (config->cycle_count)
		hwf_tu_cycles(unit, KERNEL_CYCLES);
	*now += KERNEL_CYCLES;
	hwf_tu_context(unit, context);
}

static void feed_exception(struct encoder *encoder, const struct truth_exception *exception)
{
	encode_kernel(encoder->unit, &encoder->config, &encoder->context, exception, ISA,
		      &encoder->now);
	encoder->totals->exceptions++;
}

static int session_end(struct encoder *encoder, uint64_t time)
{
	if (!encoder->enabled)
		return 0;
	hwf_tu_disable(encoder->unit, true);
	encoder->enabled = false;
	return encoder->sink->session(encoder->sink->ctx, time) && !encoder->sink_failed ? 0 : -EIO;
}

static void session_begin(struct encoder *encoder)
{
	hwf_tu_enable(encoder->unit);
	hwf_tu_context(encoder->unit, &encoder->context);
	encoder->enabled = true;
}

static void set_context(struct encoder *encoder, const struct truth_context *context)
{
	encoder->context = (struct hwf_context){
		.el = context->el,
		.security = context->security,
		.sf = true,
		.cid = context->cid,
		.has_cid = true,
		.vmid = context->vmid,
		.has_vmid = true,
	};
	if (encoder->enabled)
		hwf_tu_context(encoder->unit, &encoder->context);
}

static int feed_event(struct encoder *encoder, const struct truth_event *event, uint64_t *time)
{
	int status = 0;

	/* of another trace unit, which has left nothing to do */
	if (event->kind == TRUTH_EVENT_ENABLED || event->kind == TRUTH_EVENT_DISABLED)
		return 0;
	if (event->kind == TRUTH_EVENT_RUN) {
		if (!encoder->enabled)
			session_begin(encoder);
		return feed_run(encoder, &event->u.run);
	}
	/* the time of the log says nothing where time goes by instructions */
	if (event->kind != TRUTH_EVENT_TIME || !encoder->options->virtual_time)
		flush_straight(encoder, false);
	if (encoder->waiting) {
		if (event->kind != TRUTH_EVENT_EXCEPTION)
			return fail(encoder, "the instruction after a branch is missing");
		status = feed_waiting(encoder, event->u.exception.ret);
	}
	switch (event->kind) {
	case TRUTH_EVENT_EXCEPTION:
		if (!encoder->enabled)
			session_begin(encoder);
		if (!status)
			feed_exception(encoder, &event->u.exception);
		break;
	case TRUTH_EVENT_GAP:
		encoder->totals->gaps++;
		if (encoder->enabled)
			hwf_tu_gap(encoder->unit);
		break;
	case TRUTH_EVENT_CONTEXT:
		set_context(encoder, &event->u.context);
		break;
	case TRUTH_EVENT_PROGRAM:
		/* the program before ended before it */
		status = session_end(encoder, event->u.time - 1);
		*time = event->u.time;
		break;
	case TRUTH_EVENT_REMAP:
		status = session_end(encoder, *time - 1);
		break;
	case TRUTH_EVENT_TIME:
		*time = event->u.time;
		break;
	}
	if (!encoder->options->virtual_time && *time > encoder->now)
		encoder->now = *time;
	return status;
}

static int encoder_init(struct encoder *encoder, char *message)
{
	const struct hwf_tu_port port = {.ctx = encoder,
					 .write = port_write,
					 .timestamp = port_timestamp,
					 .code = port_code};
	const struct hwf_tu_options *options = &encoder->options->unit;
	int error = hwf_ete_config_init(&encoder->config, &options->regs);

	encoder->memory = malloc(hwf_tu_size(options));
	if (!encoder->memory) {
		snprintf(message, TRUTH_MESSAGE, "not enough memory for a trace unit");
		return -ENOMEM;
	}
	if (!error)
		error = hwf_tu_init(encoder->memory, options, &port, &encoder->unit);
	if (error) {
		snprintf(message, TRUTH_MESSAGE,
			 "the trace unit does not support these options: %s", hwf_err_text(error));
		return -EINVAL;
	}
	return 0;
}

int encoder_new(struct encoder **result, int32_t tid, const struct encode_options *options,
		const struct encode_sink *sink, struct encode_totals *totals,
		char message[TRUTH_MESSAGE])
{
	struct encoder *encoder = calloc(1, sizeof(*encoder));
	int status;

	if (!encoder) {
		snprintf(message, TRUTH_MESSAGE, "not enough memory for a trace unit");
		return -ENOMEM;
	}
	*encoder = (struct encoder){
		.tid = tid, .options = options, .sink = sink, .totals = totals, .now = 1};
	encode_cycles_init(&encoder->cycles, options->cycle_seed);
	encode_strobe_init(&encoder->strobe, options);
	status = encoder_init(encoder, message);
	if (status) {
		encoder_free(encoder);
		return status;
	}
	*result = encoder;
	return 0;
}

static int encoder_status(const struct encoder *encoder, int status, char *message)
{
	if (status == -EINVAL)
		snprintf(message, TRUTH_MESSAGE,
			 "thread %d: %s: the log contradicts itself; record the program again",
			 encoder->tid, encoder->error ? encoder->error : "");
	else if (status)
		snprintf(message, TRUTH_MESSAGE, "%s",
			 status == -EIO ? "cannot write the trace" : "not enough memory");
	return status;
}

int encoder_event(struct encoder *encoder, const struct truth_event *event,
		  char message[TRUTH_MESSAGE])
{
	int status = feed_event(encoder, event, &encoder->time);

	if (!status && encoder->sink_failed)
		status = -EIO;
	return status ? encoder_status(encoder, status, message) : 0;
}

/* The number of the block that is entered at *@at, which moves behind it; 0 if it is none */
static inline uint64_t take_block(const uint8_t **at)
{
	const uint8_t *from = *at;
	uint64_t number = *from & 0x7f;

	for (unsigned int shift = 7; (*from++ & 0x80) != 0 && shift < 63; shift += 7)
		number |= (uint64_t)(*from & 0x7f) << shift;
	*at = from;
	return number >= TRUTH_FIRST_BLOCK && *from != TRUTH_STOP ? number : 0;
}

/*
 * Plain blocks, one after the other, are most of what is executed: what encoder_event() does for
 * each of them, without the event.
 */
int encoder_blocks(struct encoder *encoder, struct truth_cursor *cursor, const uint8_t *until,
		   char message[TRUTH_MESSAGE])
{
	int status = 0;
	const struct plan *last = NULL;
	uint64_t instructions = 0;

	while (encoder->enabled && !encoder->sink_failed && cursor->at < until) {
		const uint8_t *at = cursor->at;
		uint64_t number = take_block(&at);
		const struct plan *plan;

		if (encoder->straight_count || !number ||
		    number - TRUTH_FIRST_BLOCK >= encoder->plan_count)
			break;
		plan = encoder->plans[number - TRUTH_FIRST_BLOCK];
		if (!plan || !plan->plain)
			break;
		if (encoder->waiting)
			status = feed_waiting(encoder, plan->pc);
		if (status)
			break;
		if (encoder->config.cycle_count)
			hwf_tu_cycles(encoder->unit,
				      encode_cycles_next(&encoder->cycles, plan->instructions));
		encoder->now += plan->instructions;
		encode_strobe_passed(&encoder->strobe, plan->instructions);
		instructions += plan->instructions;
		encoder->waiting = &plan->p0[0];
		encoder->waiting_pc = plan->pc + 4 * (uint64_t)plan->p0[0].index;
		encoder->run = plan;
		cursor->at = at;
		last = plan;
	}
	encoder->totals->instructions += instructions;
	if (last) {
		cursor->next_pc = last->pc + 4 * (uint64_t)last->instructions;
		cursor->isa = ISA;
	}
	if (!status && encoder->sink_failed)
		status = -EIO;
	return status ? encoder_status(encoder, status, message) : 0;
}

int encoder_end(struct encoder *encoder, char message[TRUTH_MESSAGE])
{
	int status;

	/* of a block whose end is not known */
	if (encoder->run)
		feed_straight(encoder, encoder->run->pc, encoder->run->instructions - 1);
	flush_straight(encoder, false);
	status = session_end(encoder, encoder->now > encoder->time ? encoder->now : encoder->time);
	return status ? encoder_status(encoder, status, message) : 0;
}

void encoder_free(struct encoder *encoder)
{
	if (!encoder)
		return;
	for (size_t i = 0; encoder->plans && i < encoder->plan_count; i++)
		free(encoder->plans[i]);
	free(encoder->plans);
	free(encoder->words);
	free(encoder->memory);
	free(encoder);
}

static int take_event(void *encoder, const struct truth_event *event, char message[TRUTH_MESSAGE])
{
	return encoder_event(encoder, event, message);
}

int encode_thread(const struct truth *truth, size_t thread, const struct encode_options *options,
		  const struct encode_sink *sink, struct encode_totals *totals,
		  char message[TRUTH_MESSAGE])
{
	struct encoder *encoder;
	int status = encoder_new(&encoder, truth_thread(truth, thread)->tid, options, sink, totals,
				 message);

	if (status)
		return status;
	status = encode_feed(truth, thread, take_event, encoder, message);
	if (!status)
		status = encoder_end(encoder, message);
	encoder_free(encoder);
	return status;
}
