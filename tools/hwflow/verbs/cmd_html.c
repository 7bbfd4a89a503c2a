/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow html: what a program did, as one page of HTML. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "base/print.h"
#include "commands.h"
#include "decode/gaps.h"
#include "names.h"
#include "options.h"
#include "page/page.h"
#include "page_data.h"
#include "verb_process.h"

static const char usage[] =
	"usage: hwflow html [OPTIONS] [SRC]\n\n"
	"Writes what a program did as one page of HTML, which a browser opens from disk and which "
	"loads\n"
	"nothing else: functions, a flame graph, a timeline, source lines and instructions with "
	"exact\n"
	"counts, durations of calls, and where trace is missing.\n\n"
	"  -o, --output=FILE    write FILE; -: standard output (default: report.html)\n"
	"  --budget=SIZE        write at most SIZE bytes of data, or K, M or G of them, and the "
	"names of\n"
	"                       functions (default: 16M): what is shortest or least is left out, "
	"and the\n"
	"                       page says so\n"
	"  --min-duration=DURATION\n"
	"                       leave shorter calls out of the timeline: a number, and ns, us, ms "
	"or s\n"
	"                       if it is time\n"
	"  --depth=N            leave calls in N others or more out of the "
	"timeline\n" DEBUG_DIR_HELP SELECTION_HELP GAPS_HELP;

/* Parts of the budget: the timeline has one half of it, less this part for the list of gaps; the
 * rest has the other half. */
#define TIMELINE_PART 2u
#define GAPS_PART     32u

/**
 * struct command - state of the command
 * @output: value of --output
 * @least: value of --min-duration; NULL: not given
 * @budget_text: value of --budget, as it was written
 * @budget: the same as a number
 * @depth: value of --depth; 0: not given
 */
struct command {
	const char *output;
	const char *least;
	const char *budget_text;
	uint64_t budget;
	size_t depth;
};

static bool take_option(void *ctx, int value, const char *text)
{
	struct command *command = ctx;

	switch (value) {
	case 'o':
		command->output = text;
		return true;
	case 'b':
		command->budget_text = text;
		return verb_size("html", "budget", text, &command->budget);
	case 'm':
		command->least = text;
		return true;
	default:
		if (!verb_number("html", "depth", text, &command->depth))
			return false;
		if (!command->depth)
			print(stderr, "hwflow html: --depth=0: no call would be left\n");
		return command->depth > 0;
	}
}

static const struct option longs[] = {
	GAPS_LONG_OPTIONS,
	SELECTION_LONG_OPTIONS,
	{"output", required_argument, NULL, 'o'},
	{"budget", required_argument, NULL, 'b'},
	{"min-duration", required_argument, NULL, 'm'},
	{"depth", required_argument, NULL, 'd'},
	{"debug-dir", required_argument, NULL, INPUT_OPT_DEBUG_DIR},
	{NULL, 0, NULL, 0},
};

/* The file is opened before the process that decodes enters the sandbox. */
static const struct verb_options command_line = {
	.usage = usage, .wants = "SRC", .many = true, .longs = longs, .take = take_option};

/* As write of struct hwf_text */
static int take_bytes(void *ctx, const char *bytes, size_t size)
{
	const int *fd = ctx;

	return output_write(*fd, bytes, size);
}

/* Why there is no page; an exit status */
static int report_error(const struct command *command, const struct timeline *timeline, int error)
{
	if (error == -ENOSPC && timeline->needs)
		return verb_error("--budget=%s: the names of the threads need %" PRIu64
				  " bytes; --tid and --cpu choose some of them",
				  command->budget_text, 3 * timeline->needs);
	return verb_error("%s: %s", command->output, strerror(-error));
}

/* The first pass counts; an exit status */
static int count(const struct command *command, struct page_feed *feed)
{
	struct timeline *timeline = feed->timeline->timeline;
	int status = timeline_feed_run(feed->timeline), error;

	if (status && status != EXIT_GAPS)
		return status;
	error = page_feed_end(feed);
	if (!error)
		error = timeline->error ? timeline->error : timeline_choose(timeline);
	return error ? report_error(command, timeline, error) : status;
}

/* The second pass writes the timeline, after all other data; an exit status */
static int write_page(const struct command *command, struct page_feed *feed, int fd)
{
	static struct text out;
	struct timeline *timeline = feed->timeline->timeline;
	char text[MEASURE_TEXT], unit[MEASURE_TEXT + sizeof(" instructions")];
	int status, error;

	text_init(&out, take_bytes, &fd);
	page_begin(&out);
	status = page_data(&out, feed, command->budget / TIMELINE_PART);
	if (status && status != EXIT_GAPS)
		return status;
	text_flush(&out);
	if (timeline->choice.least && timeline->choice.least != UINT64_MAX) {
		measure_text(&feed->timeline->measure, timeline->choice.least, text);
		snprintf(unit, sizeof(unit), "%s%s", text, measure_unit(&feed->timeline->measure));
		timeline->least_text = unit;
	}
	gaps_forward(feed->timeline->input->gaps, &gaps_nobody, NULL);
	timeline_write(timeline, fd);
	timeline_feed_run(feed->timeline);
	error = timeline_finish(timeline);
	gaps_forward(feed->timeline->input->gaps, NULL, NULL);
	page_data_end(&out, feed);
	page_end(&out);
	text_flush(&out);
	error = error ? error : out.hwf.error;
	return error ? report_error(command, timeline, error) : status;
}

static int run_passes(const struct command *command, struct timeline_feed *timeline, int fd)
{
	static struct page_feed feed;
	int status, written;

	if (page_feed_init(&feed, timeline, command->budget / GAPS_PART)) {
		page_feed_free(&feed);
		return verb_error("out of memory");
	}
	status = count(command, &feed);
	if (!status || status == EXIT_GAPS) {
		written = write_page(command, &feed, fd);
		status = written ? written : status;
	}
	page_feed_free(&feed);
	return status;
}

/* As run of verb_process_output() */
static int run(const void *ctx, struct input_options *options, int fd)
{
	const struct command *command = ctx;
	/* it has a buffer */
	static struct timeline timeline;
	struct timeline_feed feed = {.timeline = &timeline, .options = options, .verb = "html"};
	int status = verb_open(options);

	if (!status)
		status = input_open(&feed.input, options);
	if (status)
		return status;
	status = measure_choose(&feed.measure, -1, feed.input);
	timeline = (struct timeline){
		.choice = {.budget = command->budget / TIMELINE_PART - command->budget / GAPS_PART,
			   .depth = command->depth},
		.writer = &timeline_page,
		.times = measure_name(&feed.measure),
		.needs_time = feed.measure.by == SPANS_TIME};
	if (!status)
		status = measure_parse_least(&feed.measure, feed.verb, command->least,
					     &timeline.choice.least);
	if (!status) {
		timeline_init(&timeline);
		status = run_passes(command, &feed, fd);
		gaps_print(feed.input->gaps);
	}
	timeline_feed_free(&feed);
	timeline_free(&timeline);
	input_close(feed.input);
	return status;
}

/**
 * cmd_html() - hwflow html
 * @argc: words of @argv
 * @argv: the verb and what follows it
 *
 * Return: an enum exit_status.
 */
int cmd_html(int argc, char **argv)
{
	struct command command = {
		.output = "report.html", .budget_text = "16M", .budget = UINT64_C(16) << 20};
	struct input_options options;
	int status;

	verb_begin("html");
	input_options_init(&options);
	status = verb_parse(&command_line, argc, argv, &options, &command);
	if (!status && options.path_count > 1) {
		print(stderr, "hwflow html: one SRC at a time, and '%s' is a second; try --help\n",
		      options.paths[1]);
		status = EXIT_USAGE;
	}
	if (!status)
		status = verb_process_output(run, &command, &options, command.output, "the page");
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
