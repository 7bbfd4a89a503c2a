// SPDX-License-Identifier: GPL-2.0-only
/* The ground-truth log as text through an ETMv3 trace unit. */
#include "encode_etm3.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

/* Bytes between two synchronisations: what ETMSYNCFR is after a reset */
#define SYNC_PERIOD 1024

/* Where the vectors of the kernel are, which is not traced */
#define VECTORS 0xffff0000u

/* Cycles that the kernel takes: any number, but not 0 */
#define KERNEL_CYCLES 400

/* struct run - one text on its way; @line is the one that @after follows */
struct run {
	const struct encode_etm3 *encode;
	const struct encode_sink *sink;
	struct encode_totals *totals;
	char *message;
	struct hwf_etm3_unit unit;
	struct hwf_etm3_place place;
	const void *space;
	int32_t tid;
	bool tracing;
	bool sink_failed;
};

static int __attribute__((format(printf, 3, 4))) bad(const struct run *run,
						     const struct encode_line *line,
						     const char *format, ...)
{
	va_list args;
	int length = snprintf(run->message, TRUTH_MESSAGE, "%s: line %" PRIu64 ": ",
			      run->encode->text.name, line->number);

	if (length < 0 || length >= TRUTH_MESSAGE)
		return -EINVAL;
	va_start(args, format);
	vsnprintf(run->message + length, (size_t)(TRUTH_MESSAGE - length), format, args);
	va_end(args);
	return -EINVAL;
}

static void write_trace(void *ctx, const uint8_t *bytes, size_t length)
{
	struct run *run = ctx;

	if (!run->sink_failed && !run->sink->bytes(run->sink->ctx, bytes, length))
		run->sink_failed = true;
	run->totals->bytes += length;
}

/* Tracing begins, or has to be synchronised anew, before this instruction. */
static void begin(struct run *run, const struct encode_line *line)
{
	run->place.address = (uint32_t)line->address;
	run->place.isa = line->isa;
	if (!run->tracing)
		hwf_etm3_unit_start(&run->unit, HWF_ETM3_TRACE_ENABLE, &run->place,
				    run->totals->instructions ? KERNEL_CYCLES : 0);
	else if (run->unit.bytes >= SYNC_PERIOD)
		hwf_etm3_unit_sync(&run->unit, &run->place);
	run->tracing = true;
}

static int decode(const struct run *run, const struct encode_line *line, struct hwf_insn *insn)
{
	const struct hwf_code *code = run->encode->text.code;
	struct hwf_run walked;

	if (line->isa != HWF_ISA_A32 && line->isa != HWF_ISA_T32)
		return bad(run, line,
			   "ETMv3 traces only A32 and T32; --protocol=ete traces all instruction "
			   "sets");
	hwf_run_walk(code, run->space, line->address, line->isa, false, 1, UINT64_MAX, &walked);
	if (!walked.instructions)
		return bad(run, line,
			   "no program code at %#" PRIx64
			   "; give the program with --image=FILE[@ADDRESS]",
			   line->address);
	*insn = walked.insn;
	return 0;
}

/*
 * Did it pass, as far as the next line tells? A branch that an exception follows went to the
 * address that the exception returns to.
 */
static int find_passed(const struct run *run, const struct encode_line *line,
		       const struct hwf_insn *insn, const struct encode_line *after, bool *passed)
{
	const uint32_t behind = (uint32_t)(line->address + insn->size);
	const bool known = after && after->kind != TRUTH_EVENT_GAP;
	const bool straight = known && after->address == behind &&
			      (after->kind != TRUTH_EVENT_RUN || after->isa == line->isa);
	const bool conditional = insn->conditional || line->isa == HWF_ISA_T32;

	*passed = true;
	if (!known)
		return 0;
	if (insn->kind == HWF_INSN_INDIRECT) {
		*passed = !(conditional && straight);
	} else if (insn->kind == HWF_INSN_DIRECT && after->address == insn->target) {
		*passed = true;
	} else if (straight && (insn->kind != HWF_INSN_DIRECT || conditional)) {
		*passed = insn->kind != HWF_INSN_DIRECT;
	} else {
		return bad(run, after,
			   "%#" PRIx64
			   " follows, but the instruction before it continues at %#" PRIx64
			   "; give the --image that was executed, and mark missing lines with GAP",
			   after->address,
			   insn->kind == HWF_INSN_DIRECT ? insn->target : (uint64_t)behind);
	}
	return 0;
}

/* The instruction set after an indirect branch: of the next line, if that is an instruction */
static uint8_t isa_after(const struct encode_line *line, const struct encode_line *after)
{
	if (after->kind == TRUTH_EVENT_RUN)
		return after->isa;
	return after->address & 2 ? (uint8_t)HWF_ISA_T32 : line->isa;
}

static int feed_instruction(struct run *run, const struct encode_line *line,
			    const struct encode_line *after)
{
	struct hwf_insn insn = {0};
	bool passed = true;
	int status = decode(run, line, &insn);

	if (!status)
		status = find_passed(run, line, &insn, after, &passed);
	if (status)
		return status;
	begin(run, line);
	hwf_etm3_unit_cycles(&run->unit, 1);
	hwf_etm3_unit_insn(&run->unit, passed);
	run->totals->instructions++;
	if (insn.kind == HWF_INSN_INDIRECT && passed && after && after->kind != TRUTH_EVENT_GAP) {
		run->place.address = (uint32_t)after->address;
		run->place.isa = isa_after(line, after);
		hwf_etm3_unit_branch(&run->unit, &run->place, 0, false, false);
	}
	return 0;
}

/* Number and vector of an exception in AArch32 */
static unsigned int exception_number(uint8_t type, uint32_t *vector)
{
	static const struct {
		uint8_t type;
		uint8_t number;
		uint8_t vector;
	} rows[] = {
		{HWF_EXC_PE_RESET, 8, 0x00},     {HWF_EXC_DEBUG_HALT, 1, 0x0c},
		{HWF_EXC_CALL, 10, 0x08},        {HWF_EXC_TRAP, 9, 0x04},
		{HWF_EXC_SYSTEM_ERROR, 4, 0x10}, {HWF_EXC_INST_DEBUG, 11, 0x0c},
		{HWF_EXC_DATA_DEBUG, 12, 0x10},  {HWF_EXC_ALIGNMENT, 12, 0x10},
		{HWF_EXC_INST_FAULT, 11, 0x0c},  {HWF_EXC_DATA_FAULT, 12, 0x10},
		{HWF_EXC_IRQ, 14, 0x18},         {HWF_EXC_FIQ, 15, 0x1c},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].type != type)
			continue;
		*vector = VECTORS + rows[i].vector;
		return rows[i].number;
	}
	*vector = VECTORS + 0x04;
	return 13;
}

/* The kernel is entered: its address is traced, what it executes is not. */
static void feed_exception(struct run *run, const struct encode_line *line)
{
	struct hwf_etm3_place kernel = run->place;
	unsigned int number = exception_number(line->type, &kernel.address);

	run->totals->exceptions++;
	if (!run->tracing)
		return;
	kernel.isa = HWF_ISA_A32;
	hwf_etm3_unit_branch(&run->unit, &kernel, number, false, false);
	run->tracing = false;
}

static int feed_line(struct run *run, const struct encode_line *line,
		     const struct encode_line *after)
{
	switch (line->kind) {
	case TRUTH_EVENT_EXCEPTION:
		feed_exception(run, line);
		return 0;
	case TRUTH_EVENT_GAP:
		run->totals->gaps++;
		run->tracing = false;
		return 0;
	default:
		return feed_instruction(run, line, after);
	}
}

/* The next line of the thread: 1; 0 at the end; or a negative errno, with its message. */
static int next_line(struct run *run, struct encode_line *line)
{
	const struct encode_text *text = &run->encode->text;
	const char *error;
	int got;

	do {
		got = encode_line_read(text->in, line, &error);
		if (got < 0)
			bad(run, line, "%s", error);
		if (got <= 0)
			return got;
		if (run->tid == ENCODE_TEXT_ANY)
			run->tid = line->tid;
		if (line->tid != run->tid && text->tid == ENCODE_TEXT_ANY) {
			bad(run, line,
			    "the text has several threads, for example %" PRId32 " and %" PRId32
			    "; select one with --tid=N",
			    run->tid, line->tid);
			return -ENOTUNIQ;
		}
	} while (line->tid != run->tid);
	if (line->kind == ENCODE_LINE_TRCIT)
		return bad(run, line, "ETMv3 has no Instrumentation packets; remove the line");
	return 1;
}

static int feed_lines(struct run *run)
{
	struct encode_line line = {0}, after = {0};
	int got = next_line(run, &line), status = 0;

	if (!got) {
		snprintf(run->message, TRUTH_MESSAGE, "%s: the log has no instruction",
			 run->encode->text.name);
		return -ENOENT;
	}
	run->place.cid =
		run->encode->config.context_bytes == 4
			? (uint32_t)run->tid
			: (uint32_t)run->tid & ((1u << 8 * run->encode->config.context_bytes) - 1);
	while (got > 0 && !status) {
		after.number = line.number;
		got = next_line(run, &after);
		if (got >= 0)
			status = feed_line(run, &line, got ? &after : NULL);
		if (!status && run->unit.error)
			status = bad(run, &line, "this line cannot be encoded: %s",
				     hwf_err_text(run->unit.error));
		if (!status && run->sink_failed) {
			snprintf(run->message, TRUTH_MESSAGE, "cannot write the trace");
			status = -EIO;
		}
		line = after;
	}
	return status ? status : got;
}

int encode_etm3(const struct encode_etm3 *encode, const struct encode_sink *sink,
		struct encode_totals *totals, char message[TRUTH_MESSAGE])
{
	const struct hwf_code *code = encode->text.code;
	struct run run = {.encode = encode,
			  .sink = sink,
			  .totals = totals,
			  .message = message,
			  .place = {.ns = true},
			  .tid = encode->text.tid};
	const struct hwf_context context = {.security = HWF_SEC_NONSECURE, .el_unknown = true};
	int status;

	if (code->space)
		run.space = code->space(code->ctx, &context);
	hwf_etm3_unit_init(&run.unit, &encode->config, write_trace, &run);
	run.unit.one_a_cycle = encode->one_a_cycle;
	status = feed_lines(&run);
	hwf_etm3_unit_flush(&run.unit);
	if (!status && (run.sink_failed || !sink->session(sink->ctx, 0))) {
		snprintf(message, TRUTH_MESSAGE, "cannot write the trace");
		status = -EIO;
	}
	return status;
}
