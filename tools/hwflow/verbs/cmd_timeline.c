/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow timeline: calls over time, as files for viewers. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/output.h"
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

static bool take_budget(struct command *command, const char *text)
{
	static const char suffixes[] = "KMG";
	const char *suffix;
	char *end;
	uint64_t size;

	errno = 0;
	size = strtoull(text, &end, 10);
	suffix = *end ? strchr(suffixes, *end) : NULL;
	if (suffix && *text >= '0' && *text <= '9' && !errno && !end[1] && !(size >> 32)) {
		command->choice.budget = size << 10 * (suffix - suffixes + 1);
	} else if (!*end && *text >= '0' && *text <= '9' && !errno) {
		command->choice.budget = size;
	} else {
		print(stderr,
		      "hwflow timeline: --budget=%s: a number of bytes expected, with K, M or G "
		      "behind it or without\n",
		      text);
		return false;
	}
	command->budget = text;
	return true;
}

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
		return take_budget(command, text);
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

/* As of struct gaps_taker: while events are counted, gaps are not reported. */
static void drop_gap(void *ctx, const struct gap *gap, const char *file)
{
	(void)ctx;
	(void)gap;
	(void)file;
}

static void drop_resume(void *ctx, uint64_t offset)
{
	(void)ctx;
	(void)offset;
}

/* What times are, for people */
static const char *name_times(const struct measure *measure)
{
	if (measure->by == SPANS_INSTRUCTIONS)
		return "executed instructions of each thread; each is shown as 1 ns";
	return measure->clock ? "perf clock" : "ticks of the timestamps; each is shown as 1 ns";
}

/* What follows a duration that is not of the perf clock */
static const char *unit_of(const struct measure *measure)
{
	if (measure->clock)
		return "";
	return measure->by == SPANS_TIME ? " ticks" : " instructions";
}

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
	static const struct gaps_taker nobody = {drop_gap, drop_resume};
	struct timeline *timeline = feed->timeline;
	char text[MEASURE_TEXT], unit[MEASURE_TEXT + sizeof(" instructions")];
	int status, error;

	gaps_forward(feed->input->gaps, &nobody, NULL);
	status = timeline_feed_run(feed);
	gaps_forward(feed->input->gaps, NULL, NULL);
	if (status && status != EXIT_GAPS)
		return status;
	error = timeline->error ? timeline->error : timeline_choose(timeline);
	if (error)
		return report_error(command, timeline, error);
	if (timeline->choice.least && timeline->choice.least != UINT64_MAX) {
		measure_text(&feed->measure, timeline->choice.least, text);
		snprintf(unit, sizeof(unit), "%s%s", text, unit_of(&feed->measure));
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

/* As run of verb_process() */
static int run(const void *ctx, struct input_options *options, int fd)
{
	const struct command *command = ctx;
	/* it has a buffer */
	static struct timeline timeline;
	struct timeline_feed feed = {.timeline = &timeline, .options = options};
	int status = verb_open(options);

	if (!status)
		status = input_open(&feed.input, options);
	if (status)
		return status;
	status = measure_choose(&feed.measure, -1, feed.input);
	timeline = (struct timeline){.choice = command->choice,
				     .writer = formats[command->format].writer,
				     .times = name_times(&feed.measure),
				     .needs_time = feed.measure.by == SPANS_TIME};
	if (!status && command->least &&
	    !measure_parse(&feed.measure, command->least, &timeline.choice.least)) {
		print(stderr, "hwflow timeline: --min-duration=%s: expected %s\n", command->least,
		      feed.measure.clock ? "a number and ns, us, ms or s"
					 : "a number, as times are");
		status = EXIT_USAGE;
	}
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
	struct output output;
	int status, error;
	bool written;

	if (options->path_count > 1) {
		print(stderr,
		      "hwflow timeline: one SRC at a time, and '%s' is a second; try --help\n",
		      options->paths[1]);
		return EXIT_USAGE;
	}
	options->path = options->paths[0];
	if (!strcmp(command->output, "-") && isatty(STDOUT_FILENO) &&
	    !formats[command->format].writer->is_text) {
		print(stderr, "hwflow timeline: the format %s is not for a terminal; use -o FILE\n",
		      formats[command->format].name);
		return EXIT_USAGE;
	}
	error = output_open(&output, command->output, options->paths, options->path_count);
	if (error == -EEXIST)
		return verb_error("%s: the timeline would replace SRC; name another file",
				  output.name);
	if (error)
		return verb_error("%s: %s", output.name, strerror(-error));
	status = verb_process(run, command, options, fileno(output.file));
	written = !status || status == EXIT_GAPS;
	error = output_close(&output, written);
	if (error && written)
		status = verb_error("%s: %s", output.name, strerror(-error));
	return status;
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
