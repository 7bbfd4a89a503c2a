// SPDX-License-Identifier: GPL-2.0-only
/* The ground-truth log as text. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hwflow/ete.h"
#include "truth.h"

const char *truth_gap_name(unsigned int gap)
{
	switch (gap) {
	case TRUTH_GAP_LEFT:
		return "left";
	case TRUTH_GAP_SIGNAL:
		return "signal";
	default:
		return "unknown";
	}
}

const char *truth_exception_name(uint8_t type)
{
	/* the privileged specification's, shortened */
	static const char *const causes[] = {[0] = "instruction misaligned",
					     [1] = "instruction access",
					     [2] = "illegal instruction",
					     [3] = "breakpoint",
					     [4] = "load misaligned",
					     [5] = "load access",
					     [6] = "store misaligned",
					     [7] = "store access",
					     [8] = "user ecall",
					     [9] = "supervisor ecall",
					     [11] = "machine ecall",
					     [12] = "instruction page fault",
					     [13] = "load page fault",
					     [15] = "store page fault"};
	const size_t cause = type - (size_t)TRUTH_RV_EXCEPTION;

	if (type < TRUTH_RV_EXCEPTION)
		return hwf_exception_name(type);
	if (type >= TRUTH_RV_INTERRUPT)
		return "interrupt";
	return cause < sizeof(causes) / sizeof(causes[0]) && causes[cause] ? causes[cause]
									   : "reserved cause";
}

/* The name of an exception as one word */
static void print_exception(FILE *out, const struct truth_exception *exception)
{
	for (const char *name = truth_exception_name(exception->type); *name; name++)
		putc(*name == ' ' ? '-' : *name, out);
	fprintf(out, " %" PRIx64 "\n", exception->ret);
}

static const char *isa_name(uint8_t isa)
{
	switch (isa) {
	case HWF_ISA_A64:
		return "A64";
	case HWF_ISA_A32:
		return "A32";
	case HWF_ISA_RV64:
		return "RV64";
	default:
		return "T32";
	}
}

int truth_print(const struct truth *truth, size_t thread, FILE *out, char message[TRUTH_MESSAGE])
{
	int32_t tid = truth_thread(truth, thread)->tid;
	struct truth_context context = {.cpu = -1};
	struct truth_reader reader;
	struct truth_event event;
	uint64_t seq = 0;
	int status;

	truth_reader_init(&reader, truth, thread);
	while ((status = truth_next(&reader, &event)) > 0) {
		if (event.kind == TRUTH_EVENT_RUN) {
			uint64_t pc = event.u.run.pc;

			for (uint32_t i = 0; i < event.u.run.count; i++) {
				fprintf(out, "%" PRIu64 " %d %d %u %s %" PRIx64 "\n", seq++,
					context.cpu, tid, context.el, isa_name(event.u.run.isa),
					pc);
				pc += truth_insn_size(&event.u.run, i);
			}
		} else if (event.kind == TRUTH_EVENT_EXCEPTION) {
			fprintf(out, "%" PRIu64 " %d %d EXC ", seq++, context.cpu, tid);
			print_exception(out, &event.u.exception);
		} else if (event.kind == TRUTH_EVENT_GAP) {
			fprintf(out, "%" PRIu64 " %d %d GAP %s -\n", seq++, context.cpu, tid,
				truth_gap_name(event.u.gap));
		} else if (event.kind == TRUTH_EVENT_CONTEXT) {
			context = event.u.context;
		}
		if (ferror(out)) {
			snprintf(message, TRUTH_MESSAGE, "cannot write the text of the log");
			return -EIO;
		}
	}
	if (status < 0)
		memcpy(message, reader.message, TRUTH_MESSAGE);
	return status;
}
