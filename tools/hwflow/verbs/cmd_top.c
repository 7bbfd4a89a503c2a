/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow top: the functions that execute the most instructions, while they do. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/command_status.h"
#include "base/error.h"
#include "base/option_next.h"
#include "base/print.h"
#include "commands.h"
#include "execution.h"
#include "names.h"
#include "options.h"
#include "record/record.h"
#include "shorten.h"
#include "summary.h"
#include "tally.h"

static const char usage[] =
	"usage: hwflow top [OPTIONS] [-- COMMAND [ARG...]]\n\n"
	"Records as hwflow record does, decodes the trace at once, and prints every few seconds "
	"the\n"
	"functions that have executed the most instructions since the table before. On a terminal "
	"the\n"
	"new table replaces the old one. ^C, or the end of COMMAND, ends it. The trace is not "
	"kept.\n\n"
	"  --interval=SECONDS   time between two tables (default: 2); where there is much trace, "
	"tables\n"
	"                       come sooner\n"
	"  --by=function|dso|line|address|thread|process|cgroup\n"
	"                       what a row stands for (default: function)\n"
	"  --sort=instructions|calls|taken|not-taken|name\n"
	"                       column to sort by (default: instructions)\n"
	"  --limit=N            print at most N rows; 0: all (default: as many as the terminal "
	"has;\n"
	"                       20 elsewhere)\n"
	"  -h, --help           print this text\n\n"
	"All options of hwflow record select what is recorded: 'hwflow record --help' prints "
	"them.\n\n"
	"Exit status: as of hwflow record.\n";

/* seconds between two tables, and most of them */
#define INTERVAL     2
#define INTERVAL_MAX 3600

/* rows where the output is no terminal, and lines of a terminal that are not rows */
#define ROWS  20
#define OTHER 8

/**
 * struct top - state of the command
 * @input: how the trace is decoded
 * @by: what a row stands for
 * @sort: column to sort by
 * @limit: most rows; 0: all
 * @has_limit: the command line has @limit
 * @interval: seconds between two tables
 */
struct top {
	struct input_options input;
	enum tally_by by;
	enum tally_sort sort;
	size_t limit;
	bool has_limit;
	size_t interval;
};

static const struct option longs[] = {
	{"interval", required_argument, NULL, 'i'},
	{"by", required_argument, NULL, 'b'},
	{"sort", required_argument, NULL, 's'},
	{"limit", required_argument, NULL, 'l'},
	{NULL, 0, NULL, 0},
};

static int take_interval(struct top *top, const char *text)
{
	if (!verb_number("top", "interval", text, &top->interval))
		return EXIT_USAGE;
	if (top->interval && top->interval <= INTERVAL_MAX)
		return 0;
	verb_error("--interval %s: seconds from 1 to 3600 expected", text);
	return EXIT_USAGE;
}

static int take_option(void *ctx, int option, const char *text)
{
	struct top *top = ctx;
	int chosen;

	switch (option) {
	case 'i':
		return take_interval(top, text);
	case 'b':
		chosen = verb_choice("top", "by", text, tally_bys);
		top->by = (enum tally_by)chosen;
		return chosen < 0 ? EXIT_USAGE : 0;
	case 's':
		chosen = verb_choice("top", "sort", text, tally_sorts);
		top->sort = (enum tally_sort)chosen;
		return chosen < 0 ? EXIT_USAGE : 0;
	default:
		top->has_limit = true;
		return verb_number("top", "limit", text, &top->limit) ? 0 : EXIT_USAGE;
	}
}

static size_t rows_of(const struct top *top)
{
	struct winsize window;

	if (top->has_limit)
		return top->limit;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) || !isatty(STDOUT_FILENO))
		return ROWS;
	return window.ws_row > OTHER ? window.ws_row - OTHER : 1;
}

/* A terminal shows the new table in place of the old one. */
static void begin_table(void)
{
	if (isatty(STDOUT_FILENO))
		fputs("\033[H\033[J", stdout);
}

static int print_table(const struct top *top, struct input *input, struct symbols *symbols,
		       const struct threads *threads)
{
	struct execution_sink sink = {.counts = tally_profile};
	struct execution execution;
	struct tally *tally;
	int status;

	if (tally_new(&tally, top->by, NULL, symbols, threads))
		return verb_error("out of memory");
	sink.ctx = tally;
	status = execution_run_part(&execution, input, &sink);
	begin_table();
	summary_print_input(input, tally_total(tally).instructions, tally_ranges(tally), stdout);
	fputc('\n', stdout);
	tally_print(tally,
		    &(struct tally_rows){.sort = top->sort,
					 .limit = rows_of(top),
					 .width = shorten_width(stdout)},
		    stdout);
	fputc('\n', stdout);
	summary_print_gaps(input, stdout);
	if (!isatty(STDOUT_FILENO))
		fputc('\n', stdout);
	fflush(stdout);
	tally_free(tally);
	return status;
}

/* As record_counter.begin. Each table would have the same messages of files that are missing. */
static int begin(void *ctx)
{
	struct top *top = ctx;

	top->input.shown = "latest";
	return freopen("/dev/null", "w", stderr) ? verb_sandbox(&top->input) : EXIT_UNREADABLE;
}

static int show_part(void *ctx, const char *path)
{
	struct top *top = ctx;
	struct threads *threads = NULL;
	struct symbols *symbols = NULL;
	struct input *input;
	int status;

	top->input.path = path;
	status = input_open(&input, &top->input);
	if (status)
		return status;
	if (threads_new(&threads, input_recording(input)) ||
	    names_open(&symbols, input, &top->input, true))
		status = EXIT_UNREADABLE;
	else
		status = print_table(top, input, symbols, threads);
	symbols_free(symbols);
	threads_free(threads);
	input_close(input);
	return status;
}

static int end(void *ctx, const struct record_dropped *dropped, int fd)
{
	(void)ctx;
	(void)dropped;
	(void)fd;
	return EXIT_GOOD;
}

/**
 * cmd_top() - hwflow top
 * @argc: words of @argv
 * @argv: the verb and what follows it
 *
 * Return: an enum exit_status, or the status of the program.
 */
int cmd_top(int argc, char **argv)
{
	struct top top = {.interval = INTERVAL};
	const struct record_counter counter = {
		.begin = begin, .part = show_part, .end = end, .ctx = &top};
	struct record_options options = {
		.counter = &counter,
		.quiet = true,
		.arguments = (const char *const *)argv,
		.argument_count = (size_t)argc,
	};
	const struct record_verb verb = {
		.name = "top", .usage = usage, .longs = longs, .take = take_option, .ctx = &top};
	struct record_cost cost = {.status = 0};
	int status = record_parse(&options, &verb, argc, argv);

	if (status)
		return status < 0 ? EXIT_GOOD : status;
	input_options_init(&top.input);
	top.input.jobs = options.jobs ? options.jobs : 1;
	options.interval = (unsigned int)top.interval;
	options.all_cgroups |= top.by == TALLY_CGROUP;
	status = record_run(&options, &cost);
	if (!options.command)
		return status;
	command_report("top", options.command[0], cost.status);
	return command_status(status, cost.status, options.fail_on_loss);
}
