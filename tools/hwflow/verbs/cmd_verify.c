// SPDX-License-Identifier: GPL-2.0-only
/* hwflow verify: what was decoded against what was executed. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/print.h"
#include "base/progress.h"
#include "commands.h"
#include "decode/gaps.h"
#include "decode/input_sync.h"
#include "hwflow/text.h"
#include "options.h"
#include "source/protocol.h"
#include "truth/truth.h"
#include "verify/verify_ahead.h"
#include "verify/verify_compare.h"
#include "verify/verify_plan.h"
#include "verify/verify_threads.h"

static const char usage[] =
	"usage: hwflow verify [OPTIONS] [FILE] [--truth=LOG]\n\n"
	"Decodes a recording and compares each instruction and each exception with the\n"
	"ground-truth log of the same run. For each thread the result is printed: equal, or the\n"
	"first difference and the instructions before it. Instructions in a part of the trace "
	"that\n"
	"the recording marks as lost are counted, and are not a difference. A recording of CPUs "
	"is\n"
	"compared CPU by CPU, with the part of the log from the same time.\n\n"
	"  --truth=LOG          the log (default: FILE.truth)\n"
	"  --filtered           the trace unit was programmed to leave instructions out\n"
	"  --missing-code       code may be missing: gaps for this reason are counted, and are not "
	"a\n"
	"                       difference\n"
	"  --changed-code       a program may have changed its code: gaps where code contradicts\n"
	"                       the trace are counted, and are not a difference\n\n"
	"Exit status 3 means that there is a difference, or that a piece of trace is not "
	"synchronised.\n\n";

struct verify {
	const char *truth_path;
	bool is_default; /* @truth_path was not given */
	bool filtered;
	unsigned int code_gaps;
	struct source_index sources;
};

static int compare_all(struct verify_thread *thread, struct input *input,
		       const struct input_source *source)
{
	struct verify_ahead *ahead = verify_ahead_new(thread, input, source);
	int error = 0;

	for (size_t i = 0; i < source->piece_count && !error && !thread->wrong; i++)
		error = verify_piece(ahead, thread, input, source, &source->pieces[i]);
	verify_ahead_free(ahead);
	return error;
}

/* A trace with gaps goes on somewhere further on in the log; all of it has to be seen to say where.
 */
static int verify_source(struct verify_thread *thread, struct input *input,
			 const struct input_source *source)
{
	struct verify_plan places = {0};
	const uint64_t total = *thread->total;
	struct verify_thread before;
	int error;

	thread->source = source;
	thread->wfx = source->config.wfx;
	thread->has_traps = source->protocol->has_traps;
	thread->dialect = source->protocol->dialect ? source->protocol->dialect(source) : 0;
	before = *thread;
	thread->quiet = true;
	error = compare_all(thread, input, source);
	if (!error && thread->wrong && !thread->log.error) {
		bool gaps = thread->skipped;

		*thread = before;
		*thread->total = total;
		if (gaps)
			error = verify_plan_make(&places, input, source, thread->filtered,
						 thread->code_gaps, &thread->log);
		thread->plan = &places;
		if (!error)
			error = compare_all(thread, input, source);
		thread->plan = NULL;
	}
	thread->quiet = false;
	free(places.places);
	return error ? EXIT_UNREADABLE : 0;
}

/* Thread number @index of the log; with a window, CPU number @index */
static int verify_one(const struct verify *verify, const struct truth *truth, size_t index,
		      struct input *input, const struct window *window, uint64_t *total)
{
	const int32_t number = verify_number(truth, index, window != NULL);
	const struct input_source *source =
		verify_source_of(input, truth, &verify->sources, number);
	struct verify_thread thread = {.filtered = verify->filtered,
				       .code_gaps = verify->code_gaps,
				       .number = number,
				       .total = total,
				       /* the recording ended before this one had a piece */
				       .missed = !source && input->incomplete};

	if (verify_log_start(&thread.log, truth, index, window)) {
		progress_hide();
		print(stderr, "hwflow: %s\n", thread.log.reader.message);
		return EXIT_UNREADABLE;
	}
	if (source && verify_source(&thread, input, source))
		return EXIT_UNREADABLE;
	verify_finish(&thread);
	verify_print_result(&thread);
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
		one = verify_one(verify, truth, i, input, cpus ? &window : NULL, &total);
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
	print(stdout, "%s: %zu %s%s, %" PRIu64 " instructions\n", status ? "DIFFERENT" : "equal",
	      count, cpus ? "CPU" : "thread", count == 1 ? "" : "s", total);
	return status;
}

static bool take_option(void *ctx, int value, const char *argument)
{
	struct verify *verify = ctx;

	if (value == 't')
		verify->truth_path = argument;
	else if (value == 'f')
		verify->filtered = true;
	else if (value == 'm')
		verify->code_gaps |= 1u << HWF_GAP_NO_IMAGE;
	else
		verify->code_gaps |= 1u << HWF_GAP_MISMATCH;
	return true;
}

static const struct option longs[] = {
	VERB_LONG_OPTIONS,
	{"truth", required_argument, NULL, 't'},
	{"filtered", no_argument, NULL, 'f'},
	{"missing-code", no_argument, NULL, 'm'},
	{"changed-code", no_argument, NULL, 'c'},
	{NULL, 0, NULL, 0},
};

static const struct verb_options command_line = {
	.usage = usage, .wants = "FILE", .longs = longs, .take = take_option};

/* A comparison with a trace that cannot be decoded is none, whatever the log has. */
static int report_sync(struct input *input, int status)
{
	if (sync_status(input, INPUT_SYNC_FLOW, status) == status)
		return status;
	input_error(input->path, UINT64_MAX, "%s%s", hwf_err_text(HWF_ERR_NO_SYNC),
		    input->sources[0].protocol->no_sync);
	return EXIT_UNREADABLE;
}

/* A piece that is not synchronised is missing, also where the log has no instruction of it. */
static int report_pieces(struct input *input, int status)
{
	for (size_t i = 0; i < input->source_count; i++) {
		const struct input_source *source = &input->sources[i];

		for (size_t j = 0; j < source->piece_count; j++) {
			struct gap gap;

			if (!sync_gap(input, source, &source->pieces[j], &gap))
				continue;
			gaps_add(input->gaps, &gap);
			gaps_resume(input->gaps, source->pieces[j].length);
			status = EXIT_GAPS;
		}
	}
	gaps_print(input->gaps);
	return status;
}

static int run(struct verify *verify, const struct input_options *options)
{
	char message[TRUTH_MESSAGE];
	struct truth *truth;
	struct input *input;
	int status = input_open(&input, options);

	if (status)
		return status;
	if (truth_open(&truth, verify->truth_path, message)) {
		print(stderr, "hwflow: %s%s\n", message,
		      verify->is_default ? "; --truth=LOG names the ground truth" : "");
		status = EXIT_UNREADABLE;
	} else if (verify_index_sources(&verify->sources, input)) {
		input_error(options->path, UINT64_MAX, "out of memory");
		status = EXIT_UNREADABLE;
		truth_close(truth);
	} else {
		status = verify_all(verify, truth, input, options);
		if (!status && input->damaged)
			status = EXIT_GAPS;
		status = report_sync(input, status);
		if (!status || status == EXIT_GAPS)
			status = report_pieces(input, status);
		truth_close(truth);
	}
	source_index_free(&verify->sources);
	input_close(input);
	return status;
}

/* FILE.truth; beside the file that FILE links to, if it is there only. NULL without memory */
static char *default_truth(const char *file)
{
	char *path, *real, *linked = NULL;

	if (asprintf(&path, "%s.truth", file) < 0)
		return NULL;
	real = access(path, F_OK) ? realpath(file, NULL) : NULL;
	if (real && (asprintf(&linked, "%s.truth", real) < 0 || access(linked, F_OK))) {
		free(linked);
		linked = NULL;
	}
	free(real);
	if (!linked)
		return path;
	free(path);
	return linked;
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
		path = default_truth(options.path);
		if (!path) {
			input_error(options.path, UINT64_MAX, "out of memory");
			status = EXIT_UNREADABLE;
		}
		verify.truth_path = path;
		verify.is_default = true;
	}
	if (!status)
		status = run(&verify, &options);
	free(path);
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
