/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow report: where instructions were executed. */
#include <stdlib.h>

#include "base/error.h"
#include "base/print.h"
#include "base/progress.h"
#include "commands.h"
#include "measure.h"
#include "names.h"
#include "options.h"
#include "report_calls.h"
#include "shorten.h"
#include "summary.h"
#include "tally.h"

static const char usage[] =
	"usage: hwflow report [OPTIONS] [SRC]\n\n"
	"Counts the instructions that were executed and prints a row for each function: the\n"
	"number of instructions, of calls, and of branches taken and not taken. Gaps, where the\n"
	"execution is not known, are counted below the table and reported on standard error.\n\n"
	"  --by=function|dso|line|address|thread|process|cgroup\n"
	"                       what a row stands for (default: function)\n"
	"  --comm=NAME          count what threads of this name executed, and nothing else\n"
	"  --filter=function:PATTERN, --filter=dso:PATTERN\n"
	"                       rows of code that matches, alone; shares are of everything.\n"
	"                       The option can be repeated\n"
	"  --sort=instructions|calls|taken|not-taken|name\n"
	"                       column to sort by (default: instructions)\n"
	"  --limit=N            print at most N rows; 0: all (default: 40)\n"
	"  --width=N            print at most N columns in a row, and shorten longer names; 0: "
	"whole\n"
	"                       names (default: the width of the terminal; 160 elsewhere)\n"
	"  --percent-limit=P    leave rows out whose share is smaller than P percent\n"
	"  --inclusive          count for each function what it calls, too\n"
	"  --call-graph[=caller|callee]\n"
	"                       print each function below its caller (the default), or its "
	"callers\n"
	"                       below it\n"
	"  --measure=time|cycles|instructions\n"
	"                       count this for each function, as --inclusive does (default:\n"
	"                       instructions)\n"
	"  --no-demangle        print C++ names as they are in the symbol table\n" DEBUG_DIR_HELP
		SELECTION_HELP GAPS_HELP;

/**
 * struct report - state of the command
 * @by: what a row stands for
 * @sort: column
 * @limit: rows at most; 0: all
 * @width: columns at most; 0: names are whole
 * @least: share of a row, in percent
 * @view: enum report_calls_view; -1: the table of @tally
 * @measure: enum spans_clock
 * @is_table: an option was given that only this table has
 * @no_demangle: names are as in the symbol table
 * @comm: of threads
 * @filter: functions and files that have rows
 * @tally: counts
 * @symbols: names of functions
 * @threads: names of threads
 */
struct report {
	enum tally_by by;
	enum tally_sort sort;
	size_t limit;
	size_t width;
	double least;
	int view;
	int measure;
	bool is_table;
	bool no_demangle;
	const char *comm;
	struct row_filter filter;
	struct tally *tally;
	struct symbols *symbols;
	struct threads *threads;
};

static bool take_percent(struct report *report, const char *text)
{
	char *end;

	report->least = strtod(text, &end);
	if (end != text && !*end && report->least >= 0 && report->least <= 100)
		return true;
	print(stderr, "hwflow report: --percent-limit=%s: expected a number from 0 to 100\n", text);
	return false;
}

static bool take_option(void *ctx, int value, const char *text)
{
	static const char *const graphs[] = {"caller", "callee", NULL};
	struct report *report = ctx;
	int chosen;

	switch (value) {
	case 'p':
		return take_percent(report, text);
	case 'i':
		report->view = REPORT_INCLUSIVE;
		return true;
	case 'g':
		chosen = text ? verb_choice("report", "call-graph", text, graphs) : 0;
		report->view = REPORT_CALLER + chosen;
		return chosen >= 0;
	case 'm':
		report->measure = verb_choice("report", "measure", text, measure_words);
		if (report->view < 0 && report->measure != SPANS_INSTRUCTIONS)
			report->view = REPORT_INCLUSIVE;
		return report->measure >= 0;
	case 'b':
		report->is_table = true;
		chosen = verb_choice("report", "by", text, tally_bys);
		report->by = (enum tally_by)chosen;
		return chosen >= 0;
	case 's':
		report->is_table = true;
		chosen = verb_choice("report", "sort", text, tally_sorts);
		report->sort = (enum tally_sort)chosen;
		return chosen >= 0;
	case 'c':
		report->is_table = true;
		report->comm = text;
		return true;
	case 'd':
		report->is_table = true;
		report->no_demangle = true;
		return true;
	case 'f':
		return row_filter_take(&report->filter, "report", text);
	case 'w':
		return verb_number("report", "width", text, &report->width);
	default:
		return verb_number("report", "limit", text, &report->limit);
	}
}

static const struct option longs[] = {
	GAPS_LONG_OPTIONS,
	SELECTION_LONG_OPTIONS,
	{"by", required_argument, NULL, 'b'},
	{"comm", required_argument, NULL, 'c'},
	{"filter", required_argument, NULL, 'f'},
	{"sort", required_argument, NULL, 's'},
	{"limit", required_argument, NULL, 'l'},
	{"width", required_argument, NULL, 'w'},
	{"debug-dir", required_argument, NULL, INPUT_OPT_DEBUG_DIR},
	{"no-demangle", no_argument, NULL, 'd'},
	{"percent-limit", required_argument, NULL, 'p'},
	{"inclusive", no_argument, NULL, 'i'},
	{"call-graph", optional_argument, NULL, 'g'},
	{"measure", required_argument, NULL, 'm'},
	{NULL, 0, NULL, 0},
};

static const struct verb_options command_line = {
	.usage = usage, .wants = "SRC", .longs = longs, .take = take_option};

/* The cgroups of threads are recorded if one asks for that. */
static bool has_no_cgroups(const struct report *report, const struct input *input)
{
	if (report->by != TALLY_CGROUP || threads_has_cgroups(report->threads))
		return false;
	input_error(input->path, UINT64_MAX,
		    "--by=cgroup: the recording has no cgroups; record it with 'hwflow record "
		    "--all-cgroups', or 'perf record --all-cgroups -e context-switches -e ...'");
	return true;
}

/* A profile does not say which thread executed what, or when. */
static bool has_no_threads(const struct report *report, const struct input *input)
{
	if (!input->stored || (report->by < TALLY_THREAD && !report->comm))
		return false;
	input_error(input->path, UINT64_MAX,
		    "a profile has no threads: --by=thread, --by=process, --by=cgroup and --comm "
		    "are for recordings");
	return true;
}

static int run_calls(const struct report *report, struct input *input,
		     const struct input_options *options)
{
	const struct report_calls calls = {.view = (enum report_calls_view)report->view,
					   .measure = report->measure,
					   .limit = report->limit,
					   .width = report->width,
					   .least = report->least,
					   .filter = &report->filter};

	return report_calls_run(&calls, input, options);
}

static int run(struct report *report, struct input *input, const struct input_options *options)
{
	struct execution_sink sink = {.counts = tally_profile};
	struct execution execution;
	int status;

	if (has_no_threads(report, input))
		return EXIT_USAGE;
	if (threads_new(&report->threads, input_recording(input)) ||
	    names_open(&report->symbols, input, options, !report->no_demangle) ||
	    tally_new(&report->tally, report->by, report->comm, report->symbols, report->threads)) {
		input_error(input->path, UINT64_MAX, "out of memory");
		return EXIT_UNREADABLE;
	}
	if (has_no_cgroups(report, input))
		return EXIT_USAGE;
	if (row_filter_is_set(&report->filter))
		tally_set_filter(report->tally, &report->filter);
	input_progress(input, "report", NULL, false);
	sink.ctx = report->tally;
	status = execution_run(&execution, input, &sink);
	progress_end();
	if (tally_failed(report->tally)) {
		input_error(input->path, UINT64_MAX, "out of memory: counts are missing");
		status = EXIT_GAPS;
	}
	summary_print_input(input, tally_total(report->tally).instructions,
			    tally_ranges(report->tally), stdout);
	fputc('\n', stdout);
	tally_print(report->tally,
		    &(struct tally_rows){report->sort, report->limit, report->width, report->least},
		    stdout);
	fputc('\n', stdout);
	summary_print_gaps(input, stdout);
	gaps_print(input->gaps);
	symbols_report_stripped(report->symbols);
	if (report->comm && !tally_total(report->tally).instructions) {
		input_error(input->path, UINT64_MAX,
			    "--comm=%s: no thread of this name executed anything; 'hwflow report "
			    "--by=thread --limit=0' lists the threads",
			    report->comm);
		return EXIT_USAGE;
	}
	if (row_filter_is_set(&report->filter) && !tally_has_rows(report->tally))
		return row_filter_no_match(input->path);
	return status;
}

/**
 * cmd_report() - hwflow report
 * @argc: words of @argv
 * @argv: the verb and what follows it
 *
 * Return: an enum exit_status.
 */
int cmd_report(int argc, char **argv)
{
	struct report report = {.limit = 40,
				.width = shorten_width(stdout),
				.view = -1,
				.measure = SPANS_INSTRUCTIONS};
	struct input_options options;
	struct input *input;
	int status;

	input_options_init(&options);
	options.profiles = true;
	status = verb_parse(&command_line, argc, argv, &options, &report);
	if (!status && report.view >= 0 && report.is_table) {
		print(stderr,
		      "hwflow report: --by, --sort, --comm and --no-demangle are for the table "
		      "without --inclusive, --call-graph and --measure\n");
		status = EXIT_USAGE;
	}
	if (!status)
		status = input_open(&input, &options);
	if (!status) {
		status = report.view < 0 ? run(&report, input, &options)
					 : run_calls(&report, input, &options);
		tally_free(report.tally);
		symbols_free(report.symbols);
		threads_free(report.threads);
		input_close(input);
	}
	row_filter_free(&report.filter);
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
