/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow timeline: calls over time, as files for viewers. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/print.h"
#include "commands.h"
#include "decode/gaps.h"
#include "names.h"
#include "options.h"
#include "timeline_feed.h"
#include "verb_process.h"

static const char usage[] =
	"usage: hwflow timeline [OPTIONS] [SRC]\n\n"
	"Writes when calls of functions begin and end in each thread, and which thread each CPU\n"
	"executed, with gaps, samples and cycle counts: a file for a viewer of timelines.\n\n"
	"  -o, --output=FILE    write FILE; -: standard output (the default)\n"
	"  --for=perfetto|fxt|chrome\n"
	"                       format: of Perfetto (the default); the trace format of Fuchsia; or "
	"JSON in\n"
	"                       the trace event format, for Perfetto, chrome://tracing and "
	"speedscope\n"
	"  --budget=SIZE        write at most SIZE bytes, or K, M or G of them (default: 200M): "
	"the\n"
	"                       shortest calls are left out, and a slice around the others says "
	"so\n"
	"  --min-duration=DURATION\n"
	"                       leave out shorter calls: a number, and ns, us, ms or s if it is "
	"time\n"
	"  --depth=N            leave out calls in N others or more\n" DEBUG_DIR_HELP SELECTION_HELP
		GAPS_HELP;

/* struct format - a value of --for */
static const struct {
	const char *name;
	const struct timeline_writer *writer;
} formats[] = {
	{"perfetto", &timeline_perfetto},
	{"fxt", &timeline_fxt},
	{"chrome", &timeline_chrome},
};

static const char *const format_words[] = {"perfetto", "fxt", "chrome", NULL};

/**
 * struct command - state of the command
 * @output: value of --output
 * @format: item of @formats
 * @least: value of --min-duration; NULL: not given
 * @budget: value of --budget, as it was written
 * @choice: what is written
 */
struct command {
	const char *output;
	size_t format;
	const char *least;
	const char *budget;
	struct timeline_choice choice;
};

static bool take_option(void *ctx, int value, const char *text)
{
	struct command *command = ctx;
	size_t number;
	int chosen;

	switch (value) {
	case 'o':
		command->output = text;
		return true;
	case 'f':
		chosen = verb_choice("timeline", "for", text, format_words);
		command->format = (size_t)chosen;
		return chosen >= 0;
	case 'b':
		command->budget = text;
		return verb_size("timeline", "budget", text, &command->choice.budget);
	case 'm':
		command->least = text;
		return true;
	default:
		if (!verb_number("timeline", "depth", text, &number))
			return false;
		command->choice.depth = number;
		if (!number)
			print(stderr, "hwflow timeline: --depth=0: no call would be left\n");
		return number > 0;
	}
}

static const struct option longs[] = {
	GAPS_LONG_OPTIONS,
	SELECTION_LONG_OPTIONS,
	{"output", required_argument, NULL, 'o'},
	{"for", required_argument, NULL, 'f'},
	{"budget", required_argument, NULL, 'b'},
	{"min-duration", required_argument, NULL, 'm'},
	{"depth", required_argument, NULL, 'd'},
	{"debug-dir", required_argument, NULL, INPUT_OPT_DEBUG_DIR},
	{NULL, 0, NULL, 0},
};

/* The file is opened before the process that decodes enters the sandbox. */
static const struct verb_options command_line = {
	.usage = usage, .wants = "SRC", .many = true, .longs = longs, .take = take_option};

/* What is not as a reader expects it, on standard error */
static void print_notes(const struct timeline_feed *feed)
{
	if (!feed->measure.clock)
		print(stderr, "hwflow timeline: %s: times are %s\n", feed->input->path,
		      feed->timeline->times);
	if (feed->has_others)
		print(stderr,
		      "hwflow timeline: %s: samples and context switches are left out: their times "
		      "are not those of the trace\n",
		      feed->input->path);
	if (feed->timeline->untimed)
		print(stderr,
		      "hwflow timeline: %s: %" PRIu64 " calls are left out: their thread has no "
		      "timestamp\n",
		      feed->input->path, feed->timeline->untimed);
}

static void print_left_out(const struct command *command, const struct timeline *timeline)
{
	if (!timeline->octave)
		return;
	print(stderr, "hwflow timeline: --budget=%s: calls shorter than %s are left out\n",
	      command->budget, timeline->least_text ? timeline->least_text : "the trace");
}

/* Why there is no file; an exit status */
static int report_error(const struct command *command, const struct timeline *timeline, int error)
{
	if (error == -ENOSPC && timeline->needs)
		return verb_error("--budget=%s: the names of the threads need %" PRIu64
				  " bytes; --tid and --cpu choose some of them",
				  command->budget, timeline->needs);
	return verb_error("%s: %s", command->output, strerror(-error));
}

/* Decodes twice: counts events, and writes them; an exit status */
static int run_passes(const struct command *command, struct timeline_feed *feed, int fd)
{
	struct timeline *timeline = feed->timeline;
	char text[MEASURE_TEXT], unit[MEASURE_TEXT + sizeof(" instructions")];
	int status, error;

	gaps_forward(feed->input->gaps, &gaps_nobody, NULL);
	status = timeline_feed_run(feed);
	gaps_forward(feed->input->gaps, NULL, NULL);
	if (status && status != EXIT_GAPS)
		return status;
	error = timeline->error ? timeline->error : timeline_choose(timeline);
	if (error)
		return report_error(command, timeline, error);
	if (timeline->choice.least && timeline->choice.least != UINT64_MAX) {
		measure_text(&feed->measure, timeline->choice.least, text);
		snprintf(unit, sizeof(unit), "%s%s", text, measure_unit(&feed->measure));
		timeline->least_text = unit;
	}
	timeline_write(timeline, fd);
	status = timeline_feed_run(feed);
	error = timeline_finish(timeline);
	if (error)
		return report_error(command, timeline, error);
	print_notes(feed);
	print_left_out(command, timeline);
	gaps_print(feed->input->gaps);
	return status;
}

/* As run of verb_process_output() */
static int run(const void *ctx, struct input_options *options, int fd)
{
	const struct command *command = ctx;
	/* it has a buffer */
	static struct timeline timeline;
	struct timeline_feed feed = {.timeline = &timeline, .options = options, .verb = "timeline"};
	int status = verb_open(options);

	if (!status)
		status = input_open(&feed.input, options);
	if (status)
		return status;
	status = measure_choose(&feed.measure, -1, feed.input);
	timeline = (struct timeline){.choice = command->choice,
				     .writer = formats[command->format].writer,
				     .times = measure_times(&feed.measure),
				     .needs_time = feed.measure.by == SPANS_TIME};
	if (!status)
		status = measure_parse_least(&feed.measure, feed.verb, command->least,
					     &timeline.choice.least);
	if (!status) {
		timeline_init(&timeline);
		status = run_passes(command, &feed, fd);
	}
	timeline_feed_free(&feed);
	timeline_free(&timeline);
	input_close(feed.input);
	return status;
}

static int write_file(const struct command *command, struct input_options *options)
{
	if (options->path_count > 1) {
		print(stderr,
		      "hwflow timeline: one SRC at a time, and '%s' is a second; try --help\n",
		      options->paths[1]);
		return EXIT_USAGE;
	}
	if (!strcmp(command->output, "-") && isatty(STDOUT_FILENO) &&
	    !formats[command->format].writer->is_text) {
		print(stderr, "hwflow timeline: the format %s is not for a terminal; use -o FILE\n",
		      formats[command->format].name);
		return EXIT_USAGE;
	}
	return verb_process_output(run, command, options, command->output, "the timeline");
}

/**
 * cmd_timeline() - hwflow timeline
 * @argc: words of @argv
 * @argv: the verb and what follows it
 *
 * Return: an enum exit_status.
 */
int cmd_timeline(int argc, char **argv)
{
	struct command command = {
		.output = "-", .budget = "200M", .choice = {.budget = UINT64_C(200) << 20}};
	struct input_options options;
	int status;

	verb_begin("timeline");
	input_options_init(&options);
	status = verb_parse(&command_line, argc, argv, &options, &command);
	if (!status)
		status = write_file(&command, &options);
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
