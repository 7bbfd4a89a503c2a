// SPDX-License-Identifier: GPL-2.0-only
/* hwflow verify: what was decoded against what was executed. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "format.h"
#include "input_riscv.h"
#include "options.h"
#include "progress.h"
#include "truth.h"
#include "verify_plan.h"
#include "verify_riscv.h"
#include "verify_show.h"
#include "verify_threads.h"

static const char usage[] =
	"usage: hwflow verify [OPTIONS] FILE [--truth=LOG]\n\n"
	"Decodes a recording and compares it, instruction by instruction and exception by\n"
	"exception, with the ground-truth log made at the same time. Prints the first difference "
	"of\n"
	"each thread with what came before it. Where the recording says that trace was lost, what "
	"is\n"
	"missing is counted and not a difference. A recording of CPUs is compared CPU by CPU, "
	"with\n"
	"what the log of a machine has of its time.\n\n"
	"  --truth=LOG          the log (default: FILE.truth)\n"
	"  --filtered           the trace unit was told to leave instructions out\n\n"
	"Exit status: 0 equal; 1 wrong usage; 2 unreadable; 3 different.\n\n";

/* Instructions before the difference that are shown */
#define SHOWN 5

struct verify {
	const char *truth_path;
	bool filtered;
};

/* One thread or CPU: where in the log we are, and what was found */
struct thread {
	const struct verify *verify;
	struct verify_log log;
	bool may_skip; /* the trace has a gap here, or an edge */
	bool nothing;  /* was decoded of this piece */
	bool edge;     /* only what no P0 element could tell may be missing */
	bool lost;     /* trace, in this piece */
	bool missed;   /* trace, before the next piece that has any */
	bool wrong;
	bool quiet;                     /* a try: say nothing of what is different */
	bool skipped;                   /* a gap was seen, and no plan is there yet */
	const struct verify_plan *plan; /* where to go on behind gaps; NULL: none was made */
	size_t gap;                     /* the next of its places */
	bool uncertain;                 /* there is more than one place for what comes now */
	int32_t number;                 /* of the thread or CPU */
	uint64_t instructions;
	uint64_t *total; /* of all threads */
	uint64_t exceptions;
	uint64_t unknown;  /* executed on a path the trace does not give */
	uint64_t missing;  /* lost, or filtered out */
	uint64_t anywhere; /* equal, but not there alone */
	uint64_t untold;   /* traps that the trace does not tell of */
	bool is_riscv;
	uint8_t dialect; /* of RISC-V */
	bool between;    /* trace ended, and begins again here */
	uint64_t unseen; /* after the last P0 element of a piece: no trace can show them */
	struct verify_insn last[SHOWN];
	const struct hwf_code *code; /* of the piece */
	const void *space;
	size_t piece;
	bool wfx;
};

/* verify_log_advance(), and says what is wrong with the log, once */
static bool advance(struct thread *thread)
{
	if (verify_log_advance(&thread->log))
		return true;
	if (thread->log.error) {
		progress_hide();
		fprintf(stderr, "hwflow: %s\n", thread->log.reader.message);
	}
	return false;
}

static void consume(struct thread *thread, uint32_t count)
{
	for (uint32_t i = count > SHOWN ? count - SHOWN : 0; i < count; i++) {
		memmove(thread->last, thread->last + 1,
			sizeof(thread->last) - sizeof(*thread->last));
		thread->last[SHOWN - 1] = verify_insn(&thread->log.run, i);
	}
	thread->log.run.pc += truth_run_bytes(&thread->log.run, count);
	thread->log.run.opcodes += count;
	thread->log.run.count -= count;
}

static void show_log(struct thread *thread)
{
	if (!advance(thread))
		puts("  log:     nothing more");
	else if (thread->log.run.count)
		printf("  log:     %" PRIx64 "%s\n", thread->log.run.pc,
		       verify_isa_text(thread->log.run.isa));
	else
		printf("  log:     exception %s, returns to %" PRIx64 "\n",
		       truth_exception_name(thread->log.event.u.exception.type),
		       thread->log.event.u.exception.ret);
}

static const char *kind_of(const struct thread *thread)
{
	return thread->log.is_cpu ? "cpu" : "thread";
}

static void start_difference(struct thread *thread, uint64_t offset)
{
	thread->wrong = true;
	if (thread->quiet)
		return;
	progress_hide();
	printf("%s %" PRId32 ": difference after %" PRIu64
	       " equal instructions, piece %zu, trace offset %#" PRIx64 "\n",
	       kind_of(thread), thread->number, thread->instructions, thread->piece, offset);
	for (unsigned int i = 0; i < SHOWN && thread->instructions; i++) {
		if (i + thread->instructions < SHOWN)
			continue;
		printf("  both:    %" PRIx64 "%s\n", thread->last[i].pc,
		       verify_isa_text(thread->last[i].isa));
		verify_show_image(&thread->last[i], thread->code, thread->space);
	}
	show_log(thread);
	if (thread->log.run.count) {
		const struct verify_insn next = verify_insn(&thread->log.run, 0);

		verify_show_image(&next, thread->code, thread->space);
	}
}

static void pass_rounds(struct thread *thread)
{
	if (advance(thread) && !thread->log.have_event)
		thread->unseen += verify_riscv_rounds(&thread->log, thread->last[SHOWN - 1].pc);
}

/*
 * A RISC-V encoder that leaves the kernel out does not tell of the trap to it, but that trace ends
 * there and begins again: what the log has of it is passed over.
 */
static void pass_traps(struct thread *thread)
{
	if (thread->between)
		pass_rounds(thread);
	while (thread->between && advance(thread) && thread->log.have_event) {
		thread->log.have_event = false;
		thread->untold++;
	}
	thread->between = false;
}

/* Is the exception that the log has next this one? */
static bool is_expected(const struct thread *thread, const struct hwf_flow_exception *exception)
{
	const struct truth_exception *expected = &thread->log.event.u.exception;

	return expected->type == exception->type && expected->ret == exception->ret;
}

static void __attribute__((format(printf, 2, 3)))
say_decoded(const struct thread *thread, const char *format, ...)
{
	va_list values;

	if (thread->quiet)
		return;
	va_start(values, format);
	fputs("  decoded: ", stdout);
	vprintf(format, values);
	va_end(values);
}

/* Was this the kind of instruction that gives a P0 element? */
static bool front_is_p0(const struct thread *thread)
{
	struct hwf_insn insn;

	truth_run_insn(&thread->log.run, &insn);
	return hwf_insn_is_p0(&insn, thread->wfx);
}

/*
 * After a gap the log is ahead of the trace: go on where both agree again, at an address or at an
 * exception before which no instruction was traced.
 */
static void skip_to_first(struct thread *thread, uint64_t pc,
			  const struct hwf_flow_exception *exception)
{
	while (advance(thread)) {
		if (thread->log.have_event) {
			if (thread->edge || (exception && is_expected(thread, exception)))
				return;
			thread->log.have_event = false;
			continue;
		}
		if (!exception && thread->log.run.pc == pc)
			return;
		if (thread->edge && front_is_p0(thread))
			return;
		consume(thread, 1);
		if (thread->edge)
			thread->unseen++;
		else
			thread->missing++;
	}
}

/* Behind a gap: where the plan says; where it says nothing at the first place that fits */
static void skip_gap(struct thread *thread, uint64_t pc, const struct hwf_flow_exception *exception)
{
	const struct verify_plan *plan = thread->plan;

	if (!plan) {
		/* what comes later says where this is: there has to be one first */
		thread->skipped = true;
		thread->wrong = true;
	} else if (thread->gap < plan->count) {
		thread->log = plan->places[thread->gap].log;
		thread->missing += plan->places[thread->gap].missing;
		thread->uncertain = plan->places[thread->gap++].uncertain;
	} else {
		skip_to_first(thread, pc, exception);
	}
}

static void skip_to(struct thread *thread, uint64_t pc, const struct hwf_flow_exception *exception)
{
	thread->may_skip = false;
	if (thread->edge)
		skip_to_first(thread, pc, exception);
	else
		skip_gap(thread, pc, exception);
}

static void take_range(struct thread *thread, uint64_t offset, const struct hwf_flow_range *range)
{
	uint64_t pc = range->start;
	uint32_t left = range->instructions;

	if (thread->may_skip)
		skip_to(thread, pc, NULL);
	pass_traps(thread);
	while (left && !thread->wrong) {
		uint32_t count;

		if (!advance(thread) || thread->log.have_event || thread->log.run.pc != pc ||
		    thread->log.run.isa != range->isa) {
			start_difference(thread, offset);
			say_decoded(thread, "%" PRIx64 "%s (in %" PRIx64 " .. %" PRIx64 ")\n", pc,
				    verify_isa_text(range->isa), range->start, range->end);
			return;
		}
		count = left < thread->log.run.count ? left : thread->log.run.count;
		pc += truth_run_bytes(&thread->log.run, count);
		consume(thread, count);
		if (thread->uncertain) {
			thread->anywhere += count;
		} else {
			thread->instructions += count;
			*thread->total += count;
		}
		left -= count;
	}
}

static void take_exception(struct thread *thread, uint64_t offset,
			   const struct hwf_flow_exception *exception)
{
	if (thread->may_skip)
		skip_to(thread, 0, exception);
	if (thread->wrong)
		return;
	if (!advance(thread) || !thread->log.have_event || !is_expected(thread, exception)) {
		start_difference(thread, offset);
		say_decoded(thread, "exception %s, returns to %" PRIx64 "\n",
			    hwf_exception_name(exception->type), exception->ret);
		return;
	}
	thread->log.have_event = false;
	thread->exceptions += !thread->uncertain;
}

static void take_trap(struct thread *thread, uint64_t offset, const struct hwf_flow_trap *trap)
{
	const uint8_t type = verify_riscv_type(trap);

	/* of an instruction that was not traced: it is one of those that are missing */
	if (thread->may_skip && !trap->has_epc)
		return;
	if (thread->may_skip)
		skip_to(thread, 0, &(struct hwf_flow_exception){.ret = trap->epc, .type = type});
	thread->between = false;
	if (thread->wrong)
		return;
	pass_rounds(thread);
	if (!advance(thread) || !thread->log.have_event ||
	    !verify_riscv_trap(&thread->log.event.u.exception, trap, thread->dialect)) {
		start_difference(thread, offset);
		say_decoded(thread, "trap %s, cause %u, from %" PRIx64 ", value %" PRIx64 "\n",
			    truth_exception_name(type), trap->cause, trap->epc, trap->tval);
		return;
	}
	thread->log.have_event = false;
	thread->exceptions += !thread->uncertain;
}

/* Q elements tell how many instructions, not which. */
static void take_q(struct thread *thread, uint64_t offset, const struct hwf_flow_q *q)
{
	uint32_t left = q->instructions;

	/* It may be the first after a gap, and counts from where the trace goes on. */
	if (thread->may_skip && q->has_start)
		skip_to(thread, q->start, NULL);
	thread->may_skip = false;
	if (thread->wrong)
		return;
	if (q->has_start &&
	    (!advance(thread) || thread->log.have_event || thread->log.run.pc != q->start)) {
		start_difference(thread, offset);
		say_decoded(thread, "an unknown path from %" PRIx64 "\n", q->start);
		return;
	}
	if (!q->has_count) {
		thread->may_skip = true;
		thread->edge = false;
		return;
	}
	while (left) {
		uint32_t count;

		if (!advance(thread) || thread->log.have_event) {
			start_difference(thread, offset);
			say_decoded(thread, "%u instructions on an unknown path\n", left);
			return;
		}
		count = left < thread->log.run.count ? left : thread->log.run.count;
		consume(thread, count);
		thread->unknown += count;
		left -= count;
	}
}

static void take(void *ctx, const struct hwf_flow_event *event)
{
	struct thread *thread = ctx;

	if (thread->wrong || thread->log.error)
		return;
	if (verify_is_gap(event, thread->verify->filtered)) {
		thread->may_skip = true;
		thread->edge = false;
		return;
	}
	switch (event->kind) {
	case HWF_FLOW_CONTEXT:
		if (thread->code && thread->code->space)
			thread->space =
				thread->code->space(thread->code->ctx, &event->u.context.context);
		break;
	case HWF_FLOW_RANGE:
		thread->nothing = false;
		take_range(thread, event->offset, &event->u.range);
		break;
	case HWF_FLOW_EXCEPTION:
		thread->nothing = false;
		take_exception(thread, event->offset, &event->u.exception);
		break;
	case HWF_FLOW_TRAP:
		thread->nothing = false;
		take_trap(thread, event->offset, &event->u.trap);
		break;
	case HWF_FLOW_TRACE_ON:
		thread->between = thread->is_riscv;
		break;
	case HWF_FLOW_Q_RANGE:
		take_q(thread, event->offset, &event->u.q);
		break;
	case HWF_FLOW_NO_SYNC:
		if (thread->lost && event->u.no_sync.error == HWF_ERR_NEED_MORE) {
			/* the buffer was full in the middle of a packet */
			break;
		}
		if (event->u.no_sync.reason != HWF_NO_SYNC_INIT &&
		    event->u.no_sync.reason != HWF_NO_SYNC_DISCARD) {
			start_difference(thread, event->offset);
			say_decoded(thread, "%s\n", hwf_err_text(event->u.no_sync.error));
		}
		break;
	case HWF_FLOW_GAP:
		start_difference(thread, event->offset);
		say_decoded(thread, "gap: %s\n", gap_text(event->u.gap.reason));
		break;
	default:
		break;
	}
}

/* The end of the trace must be the end of the log, but where what was behind it was lost. */
static void finish(struct thread *thread)
{
	if (thread->wrong || thread->log.error)
		return;
	thread->may_skip = thread->verify->filtered || thread->may_skip || thread->missed;
	thread->edge = !thread->is_riscv && (!thread->may_skip || thread->edge);
	thread->between = thread->is_riscv;
	pass_traps(thread);
	/* no instruction is at this address */
	if (thread->edge || thread->may_skip)
		skip_to_first(thread, UINT64_MAX, NULL);
	if (advance(thread)) {
		start_difference(thread, 0);
		say_decoded(thread, "end of trace\n");
	}
}

static void print_result(const struct thread *thread)
{
	if (thread->wrong || thread->log.error)
		return;
	progress_hide();
	printf("%s %" PRId32 ": equal: %" PRIu64 " instructions, %" PRIu64 " exceptions",
	       kind_of(thread), thread->number, thread->instructions, thread->exceptions);
	if (thread->unknown)
		printf("; %" PRIu64 " more on paths the trace does not give", thread->unknown);
	if (thread->anywhere)
		printf("; %" PRIu64 " more not verified: they fit several places of the log",
		       thread->anywhere);
	if (thread->missing)
		printf("; %" PRIu64 " more lost or filtered out", thread->missing);
	if (thread->untold)
		printf("; %" PRIu64 " more traps the trace does not tell of", thread->untold);
	if (thread->unseen)
		printf("; %" PRIu64 " more after the last P0 element", thread->unseen);
	putchar('\n');
}

static int decode(struct thread *thread, struct input *input, const struct input_source *source,
		  const struct input_piece *piece)
{
	const struct input_decode how = {.sink = take, .ctx = thread, .stop = &thread->wrong};
	int error;

	thread->piece = piece->number;
	/* RISC-V tells of the first instruction and of the last one */
	thread->may_skip = !thread->is_riscv || piece->lost || thread->missed;
	thread->missed = thread->missed || piece->overwritten;
	thread->edge = !piece->lost && !thread->missed;
	thread->lost = piece->lost;
	thread->nothing = true;
	thread->code = input_code(input, source, piece);
	thread->space = NULL;
	error = input_decode(input, source, piece, &how);
	thread->missed = piece->lost || (thread->missed && thread->nothing);
	return error;
}

static int decode_all(struct thread *thread, struct input *input, const struct input_source *source)
{
	int error = 0;

	for (size_t i = 0; i < source->piece_count && !error && !thread->wrong; i++)
		error = decode(thread, input, source, &source->pieces[i]);
	return error;
}

/* A trace with gaps goes on somewhere further on in the log; all of it has to be seen to say where.
 */
static int verify_source(struct thread *thread, struct input *input,
			 const struct input_source *source)
{
	struct verify_plan places = {0};
	const uint64_t total = *thread->total;
	struct thread before;
	int error;

	thread->wfx = source->config.wfx;
	thread->is_riscv = source->riscv != NULL;
	thread->dialect = source->riscv ? source->riscv->config.dialect : 0;
	before = *thread;
	thread->quiet = true;
	error = decode_all(thread, input, source);
	if (!error && thread->wrong && !thread->log.error) {
		bool gaps = thread->skipped;

		*thread = before;
		*thread->total = total;
		if (gaps)
			error = verify_plan_make(&places, input, source, thread->verify->filtered,
						 &thread->log);
		thread->plan = &places;
		if (!error)
			error = decode_all(thread, input, source);
		thread->plan = NULL;
	}
	thread->quiet = false;
	free(places.places);
	return error ? EXIT_UNREADABLE : 0;
}

/* Thread number @index of the log; with a window, CPU number @index */
static int verify_thread(const struct verify *verify, const struct truth *truth, size_t index,
			 struct input *input, const struct window *window, uint64_t *total)
{
	const int32_t number = verify_number(truth, index, window != NULL);
	const struct input_source *source = verify_source_of(input, truth, number);
	struct thread thread = {.verify = verify, .number = number, .total = total};

	if (verify_log_start(&thread.log, truth, index, window)) {
		progress_hide();
		fprintf(stderr, "hwflow: %s\n", thread.log.reader.message);
		return EXIT_UNREADABLE;
	}
	if (source && verify_source(&thread, input, source))
		return EXIT_UNREADABLE;
	finish(&thread);
	print_result(&thread);
	if (thread.log.error)
		return EXIT_UNREADABLE;
	return thread.wrong ? EXIT_GAPS : 0;
}

static int verify_all(const struct verify *verify, const struct truth *truth, struct input *input,
		      const struct input_options *options)
{
	const bool cpus = verify_by_cpu(input);
	const int32_t wanted = cpus ? options->cpu : options->tid;
	int status = verify_strangers(truth, input);
	struct window window;
	uint64_t total = 0;
	size_t count = 0;

	if (cpus && window_of(&window, input))
		return EXIT_UNREADABLE;
	input_progress(input, "verify", &total, false);
	for (size_t i = 0; i < verify_count(truth, cpus); i++) {
		int one;

		if (wanted != INPUT_ANY && verify_number(truth, i, cpus) != wanted)
			continue;
		one = verify_thread(verify, truth, i, input, cpus ? &window : NULL, &total);
		count++;
		if (one == EXIT_UNREADABLE) {
			progress_end();
			return one;
		}
		if (one)
			status = one;
	}
	/* @total goes out of scope */
	progress_end();
	printf("%s: %zu %s%s, %" PRIu64 " instructions\n", status ? "DIFFERENT" : "equal", count,
	       cpus ? "CPU" : "thread", count == 1 ? "" : "s", total);
	return status;
}

static bool take_option(void *ctx, int value, const char *argument)
{
	struct verify *verify = ctx;

	if (value == 't')
		verify->truth_path = argument;
	else
		verify->filtered = true;
	return true;
}

static const struct option longs[] = {
	VERB_LONG_OPTIONS,
	{"truth", required_argument, NULL, 't'},
	{"filtered", no_argument, NULL, 'f'},
	{NULL, 0, NULL, 0},
};

static const struct verb_options command_line = {usage, "FILE", longs, take_option};

static int run(const struct verify *verify, const struct input_options *options)
{
	char message[TRUTH_MESSAGE];
	struct truth *truth;
	struct input *input;
	int status;

	if (truth_open(&truth, verify->truth_path, message)) {
		fprintf(stderr, "hwflow: %s\n", message);
		return EXIT_UNREADABLE;
	}
	status = input_open(&input, options);
	if (!status) {
		status = verify_all(verify, truth, input, options);
		if (!status && input->damaged)
			status = EXIT_GAPS;
		input_close(input);
	}
	truth_close(truth);
	return status;
}

int cmd_verify(int argc, char **argv)
{
	struct verify verify = {0};
	struct input_options options;
	char *path = NULL;
	int status;

	input_options_init(&options);
	status = verb_parse(&command_line, argc, argv, &options, &verify);
	if (!status && !verify.truth_path) {
		if (asprintf(&path, "%s.truth", options.path) < 0)
			status = EXIT_UNREADABLE;
		verify.truth_path = path;
	}
	if (!status)
		status = run(&verify, &options);
	free(path);
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
