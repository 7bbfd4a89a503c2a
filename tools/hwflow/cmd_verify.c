// SPDX-License-Identifier: GPL-2.0-only
/* hwflow verify: what was decoded against what was executed. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "format.h"
#include "options.h"
#include "progress.h"
#include "truth.h"

static const char usage[] =
	"usage: hwflow verify [OPTIONS] FILE [--truth=LOG]\n\n"
	"Decodes a recording and compares it, instruction by instruction and exception by\n"
	"exception, with the ground-truth log made at the same time. Prints the first difference "
	"of\n"
	"each thread with what came before it. Where the recording says that trace was lost, what "
	"is\n"
	"missing is counted and not a difference.\n\n"
	"  --truth=LOG          the log (default: FILE.truth)\n"
	"  --filtered           the trace unit was told to leave instructions out\n\n"
	"Exit status: 0 equal; 1 wrong usage; 2 unreadable; 3 different.\n\n";

/* Instructions before the difference that are shown */
#define SHOWN 5

struct verify {
	const char *truth_path;
	bool filtered;
};

/* One thread: where in the log we are, and what was found */
struct thread {
	const struct verify *verify;
	struct truth_reader reader;
	struct truth_run run; /* rest of the current run */
	struct truth_event event;
	bool have_event;
	bool may_skip; /* the trace has a gap here, or an edge */
	bool nothing;  /* was decoded of this piece */
	bool edge;     /* only what no P0 element could tell may be missing */
	bool lost;     /* trace, in this piece */
	bool missed;   /* trace, before the next piece that has any */
	bool wrong;
	bool quiet;     /* a try: say nothing of what is different */
	bool no_place;  /* the log has no place where the piece could go on */
	uint32_t place; /* after a loss: go on at the first place that fits, or a later one */
	int error;
	int32_t tid;
	uint64_t instructions;
	uint64_t *total; /* of all threads */
	uint64_t exceptions;
	uint64_t unknown; /* executed on a path the trace does not give */
	uint64_t missing; /* lost, or filtered out */
	uint64_t unseen;  /* after the last P0 element of a piece: no trace can show them */
	uint64_t last[SHOWN];
	size_t piece;
	bool wfx;
};

/* The next event of the log that is execution: a run in @run, or an exception in @event */
static bool advance(struct thread *thread)
{
	while (!thread->run.count && !thread->have_event) {
		int more = truth_next(&thread->reader, &thread->event);

		if (more < 0) {
			thread->error = more;
			progress_hide();
			fprintf(stderr, "hwflow: %s\n", thread->reader.message);
		}
		if (more <= 0)
			return false;
		if (thread->event.kind == TRUTH_EVENT_RUN)
			thread->run = thread->event.u.run;
		else
			thread->have_event = thread->event.kind == TRUTH_EVENT_EXCEPTION;
	}
	return true;
}

static void consume(struct thread *thread, uint32_t count)
{
	for (uint32_t i = count > SHOWN ? count - SHOWN : 0; i < count; i++) {
		memmove(thread->last, thread->last + 1, sizeof(thread->last) - sizeof(uint64_t));
		thread->last[SHOWN - 1] = thread->run.pc + UINT64_C(4) * i;
	}
	thread->run.pc += UINT64_C(4) * count;
	thread->run.opcodes += count;
	thread->run.count -= count;
}

static void show_log(struct thread *thread)
{
	if (!advance(thread))
		puts("  log:     nothing more");
	else if (thread->run.count)
		printf("  log:     %" PRIx64 "\n", thread->run.pc);
	else
		printf("  log:     exception %s, returns to %" PRIx64 "\n",
		       hwf_exception_name(thread->event.u.exception.type),
		       thread->event.u.exception.ret);
}

static void start_difference(struct thread *thread, uint64_t offset)
{
	thread->wrong = true;
	if (thread->quiet)
		return;
	progress_hide();
	printf("thread %" PRId32 ": difference after %" PRIu64
	       " equal instructions, piece %zu, trace offset %#" PRIx64 "\n",
	       thread->tid, thread->instructions, thread->piece, offset);
	for (unsigned int i = 0; i < SHOWN && thread->instructions; i++) {
		if (i + thread->instructions >= SHOWN)
			printf("  both:    %" PRIx64 "\n", thread->last[i]);
	}
	show_log(thread);
}

/* Is the exception that the log has next this one? */
static bool is_expected(const struct thread *thread, const struct hwf_flow_exception *exception)
{
	const struct truth_exception *expected = &thread->event.u.exception;

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

	hwf_insn_a64(thread->run.opcodes[0], thread->run.pc, &insn);
	return hwf_insn_is_p0(&insn, thread->wfx);
}

/* Where log and trace agree again after a loss, do they go on together? One of many places. */
static bool place_found(struct thread *thread)
{
	if (thread->edge || !thread->place)
		return true;
	thread->place--;
	return false;
}

/*
 * After a gap the log is ahead of the trace: go on where both agree again, at an address or at an
 * exception before which no instruction was traced.
 */
static void skip_to(struct thread *thread, uint64_t pc, const struct hwf_flow_exception *exception)
{
	while (advance(thread)) {
		if (thread->have_event) {
			if (thread->edge ||
			    (exception && is_expected(thread, exception) && place_found(thread)))
				return;
			thread->have_event = false;
			continue;
		}
		if (!exception && thread->run.pc == pc && place_found(thread))
			return;
		if (thread->edge && front_is_p0(thread))
			return;
		consume(thread, 1);
		if (thread->edge)
			thread->unseen++;
		else
			thread->missing++;
	}
	thread->no_place = true;
}

static void take_range(struct thread *thread, uint64_t offset, const struct hwf_flow_range *range)
{
	uint64_t pc = range->start;
	uint32_t left = range->instructions;

	if (thread->may_skip)
		skip_to(thread, pc, NULL);
	thread->may_skip = false;
	while (left) {
		uint32_t count;

		if (!advance(thread) || thread->have_event || thread->run.pc != pc) {
			start_difference(thread, offset);
			say_decoded(thread, "%" PRIx64 " (in %" PRIx64 " .. %" PRIx64 ")\n", pc,
				    range->start, range->end);
			return;
		}
		count = left < thread->run.count ? left : thread->run.count;
		consume(thread, count);
		thread->instructions += count;
		*thread->total += count;
		pc += UINT64_C(4) * count;
		left -= count;
	}
}

static void take_exception(struct thread *thread, uint64_t offset,
			   const struct hwf_flow_exception *exception)
{
	if (thread->may_skip)
		skip_to(thread, 0, exception);
	thread->may_skip = false;
	if (!advance(thread) || !thread->have_event || !is_expected(thread, exception)) {
		start_difference(thread, offset);
		say_decoded(thread, "exception %s, returns to %" PRIx64 "\n",
			    hwf_exception_name(exception->type), exception->ret);
		return;
	}
	thread->have_event = false;
	thread->exceptions++;
}

/* Q elements tell how many instructions, not which. */
static void take_q(struct thread *thread, uint64_t offset, const struct hwf_flow_q *q)
{
	uint32_t left = q->instructions;

	/* It may be the first after a gap, and counts from where the trace goes on. */
	if (thread->may_skip && q->has_start)
		skip_to(thread, q->start, NULL);
	thread->may_skip = false;
	if (q->has_start &&
	    (!advance(thread) || thread->have_event || thread->run.pc != q->start)) {
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

		if (!advance(thread) || thread->have_event) {
			start_difference(thread, offset);
			say_decoded(thread, "%u instructions on an unknown path\n", left);
			return;
		}
		count = left < thread->run.count ? left : thread->run.count;
		consume(thread, count);
		thread->unknown += count;
		left -= count;
	}
}

static void take(void *ctx, const struct hwf_flow_event *event)
{
	struct thread *thread = ctx;

	if (thread->wrong || thread->error)
		return;
	switch (event->kind) {
	case HWF_FLOW_RANGE:
		thread->nothing = false;
		take_range(thread, event->offset, &event->u.range);
		break;
	case HWF_FLOW_EXCEPTION:
		thread->nothing = false;
		take_exception(thread, event->offset, &event->u.exception);
		break;
	case HWF_FLOW_Q_RANGE:
		take_q(thread, event->offset, &event->u.q);
		break;
	case HWF_FLOW_TRACE_ON:
		if (thread->verify->filtered || event->u.overflow) {
			thread->may_skip = true;
			thread->edge = false;
		}
		break;
	case HWF_FLOW_NO_SYNC:
		if (event->u.no_sync.reason == HWF_NO_SYNC_OVERFLOW) {
			thread->may_skip = true;
			thread->edge = false;
		} else if (thread->lost && event->u.no_sync.error == HWF_ERR_NEED_MORE) {
			/* the buffer was full in the middle of a packet */
			break;
		} else if (event->u.no_sync.reason != HWF_NO_SYNC_INIT &&
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

/* The end of the trace must be the end of the log. */
static void finish(struct thread *thread)
{
	if (thread->wrong || thread->error)
		return;
	thread->may_skip = thread->verify->filtered || thread->may_skip;
	if (!thread->may_skip || thread->edge)
		thread->edge = true;
	/* no instruction is at this address */
	skip_to(thread, UINT64_MAX, NULL);
	if (advance(thread)) {
		start_difference(thread, 0);
		say_decoded(thread, "end of trace\n");
	}
}

static void print_result(const struct thread *thread)
{
	if (thread->wrong || thread->error)
		return;
	progress_hide();
	printf("thread %" PRId32 ": equal: %" PRIu64 " instructions, %" PRIu64 " exceptions",
	       thread->tid, thread->instructions, thread->exceptions);
	if (thread->unknown)
		printf("; %" PRIu64 " more on paths the trace does not give", thread->unknown);
	if (thread->missing)
		printf("; %" PRIu64 " more lost or filtered out", thread->missing);
	if (thread->unseen)
		printf("; %" PRIu64 " more after the last P0 element", thread->unseen);
	putchar('\n');
}

/* Places in the log that are tried after a loss */
#define PLACES 100000

static int verify_piece(struct thread *thread, struct input *input,
			const struct input_source *source, const struct input_piece *piece)
{
	const struct input_decode how = {.sink = take, .ctx = thread};
	int error;

	thread->piece = piece->number;
	thread->may_skip = true;
	thread->edge = !piece->lost && !thread->missed;
	thread->lost = piece->lost;
	thread->nothing = true;
	error = input_decode(input, source, piece, &how);
	thread->missed = piece->lost || (thread->missed && thread->nothing);
	return error;
}

/*
 * After a loss the trace goes on somewhere further on in the log: code that loops was there more
 * than once, and just one place goes on as the trace does.
 */
static int verify_after_loss(struct thread *thread, struct input *input,
			     const struct input_source *source, const struct input_piece *piece)
{
	const struct thread before = *thread;
	const uint64_t total = *thread->total;
	uint32_t place = 0;
	int error;

	do {
		*thread = before;
		*thread->total = total;
		thread->quiet = true;
		thread->no_place = false;
		thread->place = place;
		error = verify_piece(thread, input, source, piece);
	} while (!error && !thread->error && thread->wrong && !thread->no_place &&
		 ++place < PLACES);
	if (error || !thread->wrong) {
		thread->quiet = false;
		return error;
	}
	*thread = before;
	*thread->total = total;
	return verify_piece(thread, input, source, piece);
}

static int verify_source(struct thread *thread, struct input *input,
			 const struct input_source *source)
{
	int error = 0;

	thread->wfx = source->config.wfx;
	for (size_t i = 0; i < source->piece_count && !error && !thread->wrong; i++) {
		const struct input_piece *piece = &source->pieces[i];

		error = piece->lost || thread->missed
				? verify_after_loss(thread, input, source, piece)
				: verify_piece(thread, input, source, piece);
	}
	return error ? EXIT_UNREADABLE : 0;
}

/* A log made by a machine may have PEs for threads: pid -1, and the number of the PE as tid. */
static bool same(const struct truth_thread *thread, const struct input_source *source)
{
	return thread->pid < 0 ? source->tid < 0 && source->cpu == thread->tid
			       : source->tid == thread->tid;
}

static const struct input_source *source_of(const struct input *input,
					    const struct truth_thread *thread)
{
	for (size_t i = 0; i < input->source_count; i++) {
		if (same(thread, &input->sources[i]))
			return &input->sources[i];
	}
	return NULL;
}

static bool in_log(const struct truth *truth, const struct input_source *source)
{
	for (size_t i = 0; i < truth_threads(truth); i++) {
		if (same(truth_thread(truth, i), source))
			return true;
	}
	return false;
}

static int verify_thread(const struct verify *verify, const struct truth *truth, size_t index,
			 struct input *input, uint64_t *total)
{
	const struct truth_thread *which = truth_thread(truth, index);
	const struct input_source *source = source_of(input, which);
	struct thread thread = {.verify = verify, .tid = which->tid, .total = total};

	truth_reader_init(&thread.reader, truth, index);
	if (source && verify_source(&thread, input, source))
		return EXIT_UNREADABLE;
	finish(&thread);
	print_result(&thread);
	if (thread.error)
		return EXIT_UNREADABLE;
	return thread.wrong ? EXIT_GAPS : 0;
}

/* Trace of a thread that the log does not know is a difference too. */
static int check_strangers(const struct truth *truth, const struct input *input)
{
	int status = 0;

	for (size_t i = 0; i < input->source_count; i++) {
		if (in_log(truth, &input->sources[i]))
			continue;
		printf("%s: has trace, but is not in the log\n", input->sources[i].name);
		status = EXIT_GAPS;
	}
	return status;
}

static int verify_all(const struct verify *verify, const struct truth *truth, struct input *input,
		      const struct input_options *options)
{
	int status = check_strangers(truth, input);
	uint64_t total = 0;
	size_t threads = 0;

	input_progress(input, "verify", &total, false);
	for (size_t i = 0; i < truth_threads(truth); i++) {
		int one;

		if (options->tid != INPUT_ANY && truth_thread(truth, i)->tid != options->tid)
			continue;
		one = verify_thread(verify, truth, i, input, &total);
		threads++;
		if (one == EXIT_UNREADABLE) {
			progress_end();
			return one;
		}
		if (one)
			status = one;
	}
	/* @total goes out of scope */
	progress_end();
	printf("%s: %zu thread%s, %" PRIu64 " instructions\n", status ? "DIFFERENT" : "equal",
	       threads, threads == 1 ? "" : "s", total);
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
