// SPDX-License-Identifier: GPL-2.0-only
/* The ground-truth log as text through a trace unit: executed instructions one by one. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/bits.h"
#include "encode_cycles.h"
#include "encode_strobe.h"
#include "encode_text.h"

/* Straight code is given to the trace unit in blocks of at most so many instructions. */
#define BLOCK_MAX 0x10000

/* TRCIT of a register: SYS #3, C7, C2, #7 */
#define TRCIT      0xd50b72e0u
#define TRCIT_MASK 0xffffffe0u

/**
 * struct feeder - a trace unit, and what it was not told yet
 * @start: address of the first instruction of the block
 * @count: instructions of the block; 0: there is none
 * @bytes: theirs
 * @isa: of the last instruction; HWF_ISA_UNKNOWN before the first
 * @next: where straight code goes on, if @has_next
 * @is_trcit: the last instruction is TRCIT, and its value is not known yet
 * @it_left: of an IT block
 * @waiting: a P0 instruction that waits for its successor, if @has_waiting
 * @seq: that the next line has, if any was read
 */
struct feeder {
	const struct encode_text *text;
	const struct encode_options *options;
	const struct encode_sink *sink;
	struct encode_totals *totals;
	char *message;
	struct hwf_ete_config config;
	struct hwf_tu *unit;
	void *memory;
	const void *space;
	struct hwf_context context;
	struct encode_cycles cycles;
	struct encode_strobe strobe;
	uint64_t now;
	uint64_t start;
	uint64_t bytes;
	uint64_t next;
	uint64_t waiting_pc;
	uint64_t seq;
	struct hwf_insn waiting;
	uint32_t count;
	unsigned int it_left;
	int32_t tid;
	uint8_t isa;
	uint8_t waiting_isa;
	bool has_next;
	bool is_trcit;
	bool has_waiting;
	bool enabled;
	bool sink_failed;
};

static int __attribute__((format(printf, 3, 4))) bad(struct feeder *feeder,
						     const struct encode_line *line,
						     const char *format, ...)
{
	va_list args;
	int length = snprintf(feeder->message, TRUTH_MESSAGE, "%s: line %" PRIu64 ": ",
			      feeder->text->name, line->number);

	if (length < 0 || length >= TRUTH_MESSAGE)
		return -EINVAL;
	va_start(args, format);
	vsnprintf(feeder->message + length, (size_t)(TRUTH_MESSAGE - length), format, args);
	va_end(args);
	return -EINVAL;
}

static bool port_write(void *ctx, const uint8_t *bytes, size_t length)
{
	struct feeder *feeder = ctx;

	if (feeder->sink_failed || !feeder->sink->bytes(feeder->sink->ctx, bytes, length)) {
		feeder->sink_failed = true;
		return false;
	}
	feeder->totals->bytes += length;
	return true;
}

static uint64_t port_timestamp(void *ctx)
{
	const struct feeder *feeder = ctx;

	return feeder->now;
}

static size_t port_code(void *ctx, uint64_t address, void *bytes, size_t length)
{
	const struct feeder *feeder = ctx;
	const struct hwf_code *code = feeder->text->code;

	return code->read(code->ctx, feeder->space, address, bytes, length);
}

static void set_context(struct feeder *feeder, uint8_t el, uint8_t isa)
{
	/* the thread's number in both, as Linux has it; applications are not Secure */
	feeder->context = (struct hwf_context){
		.el = el,
		.security = HWF_SEC_NONSECURE,
		.sf = isa == HWF_ISA_A64,
		.cid = (uint32_t)feeder->tid,
		.has_cid = true,
		.vmid = (uint32_t)feeder->tid,
		.has_vmid = true,
	};
	if (!feeder->enabled)
		hwf_tu_enable(feeder->unit);
	feeder->enabled = true;
	hwf_tu_context(feeder->unit, &feeder->context);
}

/* The address after an instruction; in AArch32 addresses wrap around. */
static uint64_t address_after(uint64_t pc, uint8_t isa, unsigned int size)
{
	return isa == HWF_ISA_A64 ? pc + size : (uint32_t)(pc + size);
}

/* Execution went on at @next: now it is known whether the branch was taken. */
static int feed_waiting(struct feeder *feeder, const struct encode_line *line, uint64_t next,
			uint8_t next_isa)
{
	const struct hwf_insn *insn = &feeder->waiting;
	uint64_t pc = feeder->waiting_pc;
	uint8_t isa = feeder->waiting_isa;
	bool passed = next_isa == isa && next == address_after(pc, isa, insn->size);
	/* an IT block that an exception has cut cannot be told: all may be conditional */
	bool conditional = insn->conditional || isa == HWF_ISA_T32;
	bool taken = true;

	if (!feeder->has_waiting)
		return 0;
	feeder->has_waiting = false;
	if (insn->kind == HWF_INSN_DIRECT) {
		taken = next == insn->target && next_isa == insn->target_isa;
		if (!taken && (!conditional || !passed))
			return bad(feeder, line,
				   "the branch at %#" PRIx64 " goes to %#" PRIx64
				   ", not to %#" PRIx64
				   "; give the --image that was executed, and every line",
				   pc, insn->target, next);
	} else if (insn->kind == HWF_INSN_INDIRECT) {
		taken = !insn->conditional || !passed;
	} else if (!passed) {
		return bad(feeder, line,
			   "%#" PRIx64 " follows the instruction at %#" PRIx64
			   ", which is not a branch; give the --image that was executed, and every "
			   "line",
			   next, pc);
	}
	hwf_tu_insn(feeder->unit, pc, (enum hwf_isa)isa, insn, taken, next, (enum hwf_isa)next_isa);
	encode_strobe_switch(&feeder->strobe, feeder->unit);
	return 0;
}

/* End the block: after @p0, or, where that is NULL, after the last instruction. */
static void flush(struct feeder *feeder, const struct hwf_insn *p0)
{
	uint32_t count = feeder->count + (p0 != NULL);

	if (feeder->config.cycle_count)
		hwf_tu_cycles(feeder->unit, encode_cycles_next(&feeder->cycles, count));
	feeder->now += count;
	encode_strobe_passed(&feeder->strobe, count);
	feeder->totals->instructions += count;
	if (feeder->count)
		hwf_tu_block(feeder->unit, feeder->start, (enum hwf_isa)feeder->isa, feeder->count,
			     feeder->bytes);
	feeder->count = 0;
	feeder->bytes = 0;
}

static int decode(struct feeder *feeder, const struct encode_line *line, struct hwf_insn *insn)
{
	const struct hwf_code *code = feeder->text->code;
	uint8_t bytes[4] = {0};
	size_t have = code->read(code->ctx, feeder->space, line->address, bytes, sizeof(bytes));
	uint16_t low = (uint16_t)hwf_load16(bytes);
	uint16_t high = (uint16_t)hwf_load16(bytes + 2);
	size_t want = line->isa != HWF_ISA_T32 || hwf_insn_t32_is_wide(low) ? 4 : 2;

	if (have < want)
		return bad(feeder, line,
			   "no program code at %#" PRIx64
			   "; give the program with --image=FILE[@ADDRESS]",
			   line->address);
	feeder->is_trcit = line->isa == HWF_ISA_A64 && (hwf_load32(bytes) & TRCIT_MASK) == TRCIT;
	if (line->isa == HWF_ISA_A64)
		hwf_insn_a64(hwf_load32(bytes), line->address, insn);
	else if (line->isa == HWF_ISA_A32)
		hwf_insn_a32(hwf_load32(bytes), line->address, insn);
	else
		hwf_insn_t32(low, high, line->address, &feeder->it_left, insn);
	return 0;
}

/* Does the line follow from what was executed before? */
static int check_order(struct feeder *feeder, const struct encode_line *line, uint8_t isa)
{
	if (!feeder->has_next || (line->address == feeder->next && isa == feeder->isa))
		return 0;
	return bad(feeder, line,
		   "%#" PRIx64 " follows, but the instruction before it continues at %#" PRIx64
		   "; give the --image that was executed, and mark missing lines with GAP",
		   line->address, feeder->next);
}

static int feed_instruction(struct feeder *feeder, const struct encode_line *line)
{
	bool sf = line->isa == HWF_ISA_A64;
	struct hwf_insn insn = {0};
	int status = check_order(feeder, line, line->isa);

	if (!status)
		status = feed_waiting(feeder, line, line->address, line->isa);
	if (status)
		return status;
	if (!feeder->enabled || feeder->context.el != line->el || feeder->context.sf != sf) {
		flush(feeder, NULL);
		set_context(feeder, line->el, line->isa);
	}
	/* the blocks of the log end with a page, too */
	if (feeder->count == BLOCK_MAX || (line->address & ENCODE_PAGE_MASK) == 0)
		flush(feeder, NULL);
	status = decode(feeder, line, &insn);
	if (status)
		return status;
	feeder->isa = line->isa;
	feeder->next = address_after(line->address, line->isa, insn.size);
	feeder->has_next = !hwf_insn_is_p0(&insn, feeder->config.wfx);
	if (!feeder->has_next) {
		flush(feeder, &insn);
		feeder->waiting = insn;
		feeder->waiting_pc = line->address;
		feeder->waiting_isa = line->isa;
		feeder->has_waiting = true;
		return 0;
	}
	/* of one size, as hwf_tu_block() wants them */
	if (feeder->bytes != feeder->count * (uint64_t)insn.size)
		flush(feeder, NULL);
	if (!feeder->count++)
		feeder->start = line->address;
	feeder->bytes += insn.size;
	return 0;
}

/* The instruction set of the return address, which the line does not say */
static uint8_t return_isa(const struct feeder *feeder, const struct encode_line *line,
			  const struct encode_line *after)
{
	if (feeder->has_next)
		return feeder->isa;
	if (after && after->kind == TRUTH_EVENT_RUN && after->address == line->address)
		return after->isa;
	if (feeder->has_waiting && feeder->waiting.kind == HWF_INSN_DIRECT &&
	    feeder->waiting.target == line->address)
		return feeder->waiting.target_isa;
	if (feeder->isa == HWF_ISA_A32 && (line->address & 2) != 0)
		return HWF_ISA_T32;
	return feeder->isa ? feeder->isa : HWF_ISA_A64;
}

static int feed_exception(struct feeder *feeder, const struct encode_line *line,
			  const struct encode_line *after)
{
	const struct truth_exception exception = {.type = line->type, .ret = line->address};
	uint8_t isa = return_isa(feeder, line, after);
	int status = check_order(feeder, line, isa);

	if (!status && (line->address & (isa == HWF_ISA_T32 ? 1 : 3)) != 0)
		status = bad(feeder, line, "the return address is not aligned");
	if (!status && isa != HWF_ISA_A64 && line->address > UINT32_MAX)
		status = bad(feeder, line, "A32 and T32 have addresses of 32 bits");
	if (!status)
		status = feed_waiting(feeder, line, line->address, isa);
	if (status)
		return status;
	flush(feeder, NULL);
	if (!feeder->enabled)
		set_context(feeder, 0, isa);
	encode_kernel(feeder->unit, &feeder->config, &feeder->context, &exception,
		      (enum hwf_isa)isa, &feeder->now);
	feeder->totals->exceptions++;
	feeder->has_next = false;
	feeder->it_left = 0;
	return 0;
}

static int feed_gap(struct feeder *feeder, const struct encode_line *line)
{
	if (feeder->has_waiting)
		return bad(feeder, line,
			   "the instruction after the branch at %#" PRIx64
			   " is missing; remove the line of the branch as well",
			   feeder->waiting_pc);
	flush(feeder, NULL);
	feeder->totals->gaps++;
	if (feeder->enabled)
		hwf_tu_gap(feeder->unit);
	feeder->has_next = false;
	feeder->it_left = 0;
	return 0;
}

/* The line follows that of the instruction. */
static int feed_trcit(struct feeder *feeder, const struct encode_line *line)
{
	if (!(feeder->options->unit.regs.trcidr0 & HWF_TU_IDR0_ITE))
		return bad(feeder, line,
			   "the trace unit has no FEAT_ITE; use --revision=3 --instrumentation");
	if (!feeder->has_next || !feeder->is_trcit || line->el != feeder->context.el)
		return bad(feeder, line,
			   "the line before it is no TRCIT instruction at EL%u; give the --image "
			   "that was executed, and every line",
			   line->el);
	feeder->is_trcit = false;
	flush(feeder, NULL);
	hwf_tu_instrumentation(feeder->unit, line->el, line->address);
	return 0;
}

static int feed_line(struct feeder *feeder, const struct encode_line *line,
		     const struct encode_line *after)
{
	switch (line->kind) {
	case TRUTH_EVENT_EXCEPTION:
		return feed_exception(feeder, line, after);
	case TRUTH_EVENT_GAP:
		return feed_gap(feeder, line);
	case ENCODE_LINE_TRCIT:
		return feed_trcit(feeder, line);
	default:
		return feed_instruction(feeder, line);
	}
}

/* The next line of the thread: 1; 0 at the end; or a negative errno, with its message. */
static int next_line(struct feeder *feeder, struct encode_line *line)
{
	const char *error;
	int got;

	for (;;) {
		bool first = feeder->tid == ENCODE_TEXT_ANY;

		got = encode_line_read(feeder->text->in, line, &error);
		if (got < 0)
			bad(feeder, line, "%s%s", error,
			    got == -EIO ? "" : "; 'hwflow emulate --show-log' writes such a log");
		if (got <= 0)
			return got;
		if (first && feeder->text->tid == ENCODE_TEXT_ANY)
			feeder->tid = line->tid;
		if (line->tid != feeder->tid && feeder->text->tid == ENCODE_TEXT_ANY) {
			bad(feeder, line,
			    "the text has several threads, for example %" PRId32 " and %" PRId32
			    "; select one with --tid=N",
			    feeder->tid, line->tid);
			return -ENOTUNIQ;
		}
		if (line->tid != feeder->tid)
			continue;
		if (feeder->seq && line->seq != feeder->seq)
			return bad(feeder, line,
				   "SEQ is %" PRIu64 ", not %" PRIu64
				   ": lines are missing or in the wrong order; print the text "
				   "again",
				   line->seq, feeder->seq);
		feeder->seq = line->seq + 1;
		return 1;
	}
}

static int feed_lines(struct feeder *feeder)
{
	struct encode_line line = {0}, after = {0};
	int got = next_line(feeder, &line), status = 0;

	if (!got) {
		snprintf(feeder->message, TRUTH_MESSAGE, "%s: %s", feeder->text->name,
			 feeder->text->tid == ENCODE_TEXT_ANY
				 ? "the log is empty"
				 : "the log has no such thread; select another one with --tid");
		return -ENOENT;
	}
	while (got > 0 && !status) {
		after.number = line.number;
		got = next_line(feeder, &after);
		if (got >= 0)
			status = feed_line(feeder, &line, got ? &after : NULL);
		if (!status && feeder->sink_failed) {
			snprintf(feeder->message, TRUTH_MESSAGE, "cannot write the trace");
			status = -EIO;
		}
		line = after;
	}
	return status ? status : got;
}

static int feeder_init(struct feeder *feeder)
{
	const struct hwf_tu_port port = {
		.ctx = feeder, .write = port_write, .timestamp = port_timestamp, .code = port_code};
	const struct hwf_tu_options *options = &feeder->options->unit;
	const struct hwf_code *code = feeder->text->code;
	int error = hwf_ete_config_init(&feeder->config, &options->regs);

	feeder->memory = malloc(hwf_tu_size(options));
	if (!feeder->memory) {
		snprintf(feeder->message, TRUTH_MESSAGE, "not enough memory for a trace unit");
		return -ENOMEM;
	}
	if (!error)
		error = hwf_tu_init(feeder->memory, options, &port, &feeder->unit);
	if (error) {
		snprintf(feeder->message, TRUTH_MESSAGE,
			 "the trace unit does not support these options: %s", hwf_err_text(error));
		return -EINVAL;
	}
	if (code->space)
		feeder->space = code->space(code->ctx, &feeder->context);
	return 0;
}

int encode_text(const struct encode_text *text, const struct encode_options *options,
		const struct encode_sink *sink, struct encode_totals *totals,
		char message[TRUTH_MESSAGE])
{
	struct feeder feeder = {.text = text,
				.options = options,
				.sink = sink,
				.totals = totals,
				.message = message,
				.tid = text->tid,
				.now = 1};
	int status = feeder_init(&feeder);

	encode_cycles_init(&feeder.cycles, options->cycle_seed);
	encode_strobe_init(&feeder.strobe, options);
	if (!status)
		status = feed_lines(&feeder);
	if (!status) {
		flush(&feeder, NULL);
		if (feeder.enabled)
			hwf_tu_disable(feeder.unit, true);
		if (!sink->session(sink->ctx, feeder.now) || feeder.sink_failed) {
			snprintf(message, TRUTH_MESSAGE, "cannot write the trace");
			status = -EIO;
		}
	}
	free(feeder.memory);
	return status;
}
