/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow stat: what recording costs, beside the same program without a recording. */
#include <stdio.h>
#include <stdlib.h>

#include "base/command_status.h"
#include "base/error.h"
#include "base/option_next.h"
#include "base/print.h"
#include "commands.h"
#include "record/record.h"
#include "source/input.h"

static const char usage[] =
	"usage: hwflow stat [OPTIONS] [-- COMMAND [ARG...]]\n\n"
	"Runs COMMAND with a recording and without one, and prints what recording costs: time,\n"
	"the amount of trace, losses, and how full the trace buffers were. Without a COMMAND it\n"
	"records until ^C. Results are printed on standard error, as perf stat does.\n\n"
	"  -r, --repeat=N       run COMMAND N times with and N times without a recording, in\n"
	"                       turns, and print medians (default: 1)\n"
	"  -o, --output=FILE    write the recording to FILE, which keeps the last one; by\n"
	"                       default the trace is read from the buffers and dropped\n"
	"  -h, --help           print this text\n\n"
	"All options of hwflow record select what is recorded: 'hwflow record --help' prints "
	"them.\n\n"
	"Exit status: as of hwflow record; of several runs of COMMAND, that of the first that "
	"does not\n"
	"end with 0.\n";

/* most runs of -r */
#define REPEAT_MAX 1000

static const struct option longs[] = {
	{"repeat", required_argument, NULL, 'r'},
	{NULL, 0, NULL, 0},
};

static int take_option(void *ctx, int option, const char *text)
{
	unsigned int *repeat = ctx;
	char rest;

	(void)option;
	if (sscanf(text, "%u%c", repeat, &rest) == 1 && *repeat && *repeat <= REPEAT_MAX)
		return 0;
	verb_error("-r %s: a number of runs from 1 to 1000 expected", text);
	return EXIT_USAGE;
}

/* struct costs - of several runs */
struct costs {
	struct record_cost *runs;
	unsigned int count;
};

static int compare_values(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double seconds_of(const struct record_cost *cost)
{
	return cost->seconds;
}

static double user_of(const struct record_cost *cost)
{
	return cost->user;
}

static double system_of(const struct record_cost *cost)
{
	return cost->system;
}

static double bytes_of(const struct record_cost *cost)
{
	return (double)cost->trace_bytes;
}

static double median(const struct costs *costs, double (*value)(const struct record_cost *),
		     double *values)
{
	for (unsigned int i = 0; i < costs->count; i++)
		values[i] = value(&costs->runs[i]);
	qsort(values, costs->count, sizeof(*values), compare_values);
	return costs->count % 2 ? values[costs->count / 2]
				: (values[costs->count / 2 - 1] + values[costs->count / 2]) / 2;
}

static void print_time(const char *name, const struct costs *untraced, const struct costs *traced,
		       double (*value)(const struct record_cost *), double *values)
{
	const double with = median(traced, value, values);
	double without;

	print(stderr, "%-16s", name);
	if (!untraced->count) {
		print(stderr, " %10.3f s\n", with);
		return;
	}
	without = median(untraced, value, values);
	print(stderr, " %10.3f s %10.3f s", without, with);
	if (without > 0)
		print(stderr, " %9.1f %%\n", 100 * (with - without) / without);
	else
		fputs("           -\n", stderr);
}

static void print_trace(const struct costs *traced, double *values)
{
	const double bytes = median(traced, bytes_of, values);
	const double seconds = median(traced, seconds_of, values);
	uint64_t losses = 0, lost_records = 0;
	unsigned int fill = 0;

	for (unsigned int i = 0; i < traced->count; i++) {
		losses += traced->runs[i].losses;
		lost_records += traced->runs[i].lost_records;
		if (traced->runs[i].fill > fill)
			fill = traced->runs[i].fill;
	}
	print(stderr, "\n%-16s %10.3f MB, %.3f MB/s\n", "trace", bytes / 1e6,
	      seconds > 0 ? bytes / 1e6 / seconds : 0);
	print(stderr, "%-16s %10.1f %% full at most\n", "trace buffers", fill / 10.0);
	print(stderr, "%-16s %10llu in %u run%s\n", "losses of trace", (unsigned long long)losses,
	      traced->count, traced->count == 1 ? "" : "s");
	print(stderr, "%-16s %10llu\n", "lost records", (unsigned long long)lost_records);
	if (losses)
		fputs("\nThe trace buffers became full: use larger ones (-m ,SIZE), or record "
		      "less.\n",
		      stderr);
}

static int print_costs(const struct costs *untraced, const struct costs *traced)
{
	double *values = calloc(traced->count, sizeof(*values));

	if (!values)
		return verb_error("out of memory");
	if (untraced->count)
		print(stderr, "\n%-16s %12s %12s %11s\n", "", "untraced", "traced", "overhead");
	print_time(untraced->count ? "elapsed time" : "time", untraced, traced, seconds_of, values);
	if (untraced->count) {
		print_time("user time", untraced, traced, user_of, values);
		print_time("system time", untraced, traced, system_of, values);
	}
	print_trace(traced, values);
	free(values);
	return EXIT_GOOD;
}

/* A program that fails did perhaps not do its work: the first failure is reported. */
static void take_end(const struct record_options *options, const struct record_cost *cost,
		     int *ended)
{
	if (*ended)
		return;
	*ended = cost->status;
	command_report("stat", options->command[0], cost->status);
}

/* @ended: receives the status of the program in the first run that failed, as waitpid(2) has it */
static int measure(const struct record_options *options, struct costs *untraced,
		   struct costs *traced, unsigned int repeat, int *ended)
{
	int status = 0, lost = 0;

	for (unsigned int i = 0; !status && i < repeat; i++) {
		status = record_run(options, &traced->runs[i]);
		traced->count++;
		if (status == EXIT_GAPS) {
			lost = status;
			status = 0;
		}
		if (options->command)
			take_end(options, &traced->runs[i], ended);
		if (status || !options->command || traced->runs[i].interrupted)
			break;
		/* after the traced run: the program does not run at all if nothing can be recorded
		 */
		status = record_untraced(options, &untraced->runs[i]);
		untraced->count++;
		if (!status)
			take_end(options, &untraced->runs[i], ended);
	}
	if (!status)
		status = print_costs(untraced, traced);
	return status ? status : lost;
}

int cmd_stat(int argc, char **argv)
{
	struct record_options options = {
		.output = "/dev/null",
		.quiet = true,
		.stat = true,
		.arguments = (const char *const *)argv,
		.argument_count = (size_t)argc,
	};
	struct costs untraced = {.count = 0}, traced = {.count = 0};
	unsigned int repeat = 1;
	const struct record_verb verb = {.name = "stat",
					 .usage = usage,
					 .longs = longs,
					 .take = take_option,
					 .ctx = &repeat};
	int ended = 0, status = record_parse(&options, &verb, argc, argv);

	if (status)
		return status < 0 ? EXIT_GOOD : status;
	if (!options.command)
		repeat = 1;
	untraced.runs = calloc(repeat, sizeof(*untraced.runs));
	traced.runs = calloc(repeat, sizeof(*traced.runs));
	if (untraced.runs && traced.runs)
		status = measure(&options, &untraced, &traced, repeat, &ended);
	else
		status = verb_error("out of memory");
	free(untraced.runs);
	free(traced.runs);
	return options.command ? command_status(status, ended, options.fail_on_loss) : status;
}
