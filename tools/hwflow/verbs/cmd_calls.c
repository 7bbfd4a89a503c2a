/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow calls: how long calls take. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/print.h"
#include "base/progress.h"
#include "call_durations.h"
#include "call_tables.h"
#include "commands.h"
#include "execution_calls.h"
#include "names.h"
#include "options.h"
#include "shorten.h"
#include "summary.h"
#include "syscall_durations.h"

static const char usage[] =
	"usage: hwflow calls [OPTIONS] [SRC]\n\n"
	"Measures how long the calls of functions take, with all that they call. Without\n"
	"--function, --between and --over it prints a row for each function; with them the\n"
	"percentiles and a histogram of the chosen calls, and the longest of them. Calls whose\n"
	"beginning or end is not in the trace are counted, and not measured.\n\n"
	"  --function=NAME      choose the calls of this function: its name as report has it, with "
	"or\n"
	"                       without parameters, or as the symbol table has it\n"
	"  --between=A,B        choose what is between a call of A and the next call of B in the "
	"same\n"
	"                       thread\n"
	"  --over=DURATION      list only what takes longer: a number, and ns, us, ms or s if it "
	"is "
	"time\n"
	"  --syscalls           print a row for each system call instead, by the tracepoints "
	"raw_syscalls\n"
	"  --measure=time|cycles|instructions\n"
	"                       what durations are (default: time, if the trace has timestamps; "
	"else\n"
	"                       instructions)\n"
	"  --show=N             print what call number N of the chosen ones has called\n"
	"  --sort=total|calls|mean|longest|name\n"
	"                       column to sort functions by (default: total)\n"
	"  --limit=N            print at most N functions, or calls; 0: all (default: 40)\n"
	"  --width=N            print at most N columns in a row, and shorten longer names; 0: "
	"whole\n"
	"                       names (default: the width of the terminal; 160 "
	"elsewhere)\n" DEBUG_DIR_HELP SELECTION_HELP GAPS_HELP;

/**
 * struct command - state of the command
 * @choice: which calls
 * @between: value of --between, as it was written
 * @names: copies of the two names in it
 * @over: value of --over; NULL: not given
 * @measure: enum spans_clock; -1: not given
 * @syscalls: print system calls
 * @tables: how results are printed
 */
struct command {
	struct call_choice choice;
	const char *between;
	char *names;
	const char *over;
	int measure;
	bool syscalls;
	struct call_tables tables;
};

static bool take_between(struct command *command, const char *text)
{
	const char *comma = strchr(text, ',');
	char *names;

	/* a C++ name may have commas in its parentheses and template arguments */
	for (int depth = 0; comma; comma = strchr(comma + 1, ',')) {
		for (const char *at = text; at < comma; at++)
			depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
		if (!depth)
			break;
		depth = 0;
	}
	if (!comma || comma == text || !comma[1]) {
		print(stderr, "hwflow calls: --between=%s: two names with a comma expected\n",
		      text);
		return false;
	}
	names = strdup(text);
	if (!names)
		return false;
	names[comma - text] = '\0';
	free(command->names);
	command->names = names;
	command->choice.from = names;
	command->choice.to = names + (comma - text) + 1;
	command->between = text;
	return true;
}

static bool take_option(void *ctx, int value, const char *text)
{
	struct command *command = ctx;
	size_t number;
	int chosen;

	switch (value) {
	case 'f':
		command->choice.from = text;
		command->tables.name = text;
		return true;
	case 'b':
		return take_between(command, text);
	case 'o':
		command->over = text;
		return true;
	case 'm':
		command->measure = verb_choice("calls", "measure", text, measure_words);
		return command->measure >= 0;
	case 'n':
		if (!verb_number("calls", "show", text, &number))
			return false;
		command->choice.show = number;
		if (!number)
			print(stderr, "hwflow calls: --show=0: calls are counted from 1\n");
		return number > 0;
	case 'y':
		command->syscalls = true;
		return true;
	case 's':
		chosen = verb_choice("calls", "sort", text, call_sorts);
		command->tables.sort = (enum call_sort)chosen;
		return chosen >= 0;
	case 'w':
		return verb_number("calls", "width", text, &command->tables.width);
	default:
		return verb_number("calls", "limit", text, &command->choice.limit);
	}
}

static const struct option longs[] = {
	GAPS_LONG_OPTIONS,
	SELECTION_LONG_OPTIONS,
	{"function", required_argument, NULL, 'f'},
	{"between", required_argument, NULL, 'b'},
	{"over", required_argument, NULL, 'o'},
	{"measure", required_argument, NULL, 'm'},
	{"show", required_argument, NULL, 'n'},
	{"syscalls", no_argument, NULL, 'y'},
	{"sort", required_argument, NULL, 's'},
	{"limit", required_argument, NULL, 'l'},
	{"width", required_argument, NULL, 'w'},
	{"debug-dir", required_argument, NULL, INPUT_OPT_DEBUG_DIR},
	{NULL, 0, NULL, 0},
};

static const struct verb_options command_line = {
	.usage = usage, .wants = "SRC", .longs = longs, .take = take_option};

/* What contradicts itself; an exit status */
static int check(const struct command *command)
{
	const char *reason = NULL;

	if (command->between && command->tables.name)
		reason = "--function and --between exclude each other";
	else if (command->syscalls && (command->choice.from || command->over ||
				       command->measure >= 0 || command->choice.show))
		reason = "--syscalls excludes --function, --between, --over, --measure and --show";
	else if (command->choice.show && (command->between || !command->tables.name))
		reason = "--show is of the calls of one function: --function names it";
	if (!reason)
		return 0;
	print(stderr, "hwflow calls: %s\n", reason);
	return EXIT_USAGE;
}

static int out_of_memory(const struct input *input)
{
	input_error(input->path, UINT64_MAX, "out of memory: calls are missing");
	return EXIT_UNREADABLE;
}

/* Decodes and prints; an exit status */
static int run_spans(const struct command *command, struct call_durations *durations,
		     struct spans *spans, struct execution_calls *calls, struct input *input,
		     const struct input_options *options)
{
	const struct calls_sink stacks = spans_sink(spans);
	struct execution_sink sink = {.branch = execution_calls_branch,
				      .range = execution_calls_range,
				      .summed = execution_calls_summed,
				      .gap = execution_calls_gap,
				      .ctx = calls};
	struct execution execution;
	int status, error;

	if (execution_calls_init(calls, input, options, &stacks))
		return out_of_memory(input);
	calls->cycles = durations->measure.by == SPANS_CYCLES;
	durations->names = calls_functions(calls->calls);
	sink.order = calls->order;
	sink.sum = calls_sum(calls->calls);
	input_progress(input, "calls", NULL, false);
	status = execution_run(&execution, input, &sink);
	progress_end();
	error = calls_end(calls->calls) | spans_end(spans) | call_durations_end(durations);
	if (error)
		status = out_of_memory(input);
	if (calls->cycles && !execution.has_cycles)
		return measure_no_cycles(input);
	summary_print_input(input, calls->instructions, calls->ranges, stdout);
	fputc('\n', stdout);
	error = call_tables_print(&command->tables, durations);
	summary_print_gaps(input, stdout);
	gaps_print(input->gaps);
	symbols_report_stripped(calls->symbols);
	return error ? error : status;
}

static int run(struct command *command, struct input *input, const struct input_options *options)
{
	struct call_durations durations;
	struct execution_calls calls = {.instructions = 0};
	struct measure measure;
	struct spans *spans;
	int status = measure_choose(&measure, command->measure, input);

	if (status)
		return status;
	if (command->over && !measure_parse(&measure, command->over, &command->choice.over)) {
		print(stderr, "hwflow calls: --over=%s: expected %s\n", command->over,
		      measure.clock ? "a number and ns, us, ms or s"
				    : "a number, as durations are");
		return EXIT_USAGE;
	}
	call_durations_init(&durations, &command->choice, &measure);
	spans = spans_new(measure.by, call_durations_take, &durations);
	status = spans ? run_spans(command, &durations, spans, &calls, input, options)
		       : out_of_memory(input);
	call_durations_free(&durations);
	spans_free(spans);
	execution_calls_free(&calls);
	return status;
}

/**
 * cmd_calls() - hwflow calls
 * @argc: words of @argv
 * @argv: the verb and what follows it
 *
 * Return: an enum exit_status.
 */
int cmd_calls(int argc, char **argv)
{
	struct command command = {
		.choice = {.limit = 40}, .measure = -1, .tables = {.width = shorten_width(stdout)}};
	struct input_options options;
	struct input *input;
	int status;

	input_options_init(&options);
	status = verb_parse(&command_line, argc, argv, &options, &command);
	if (!status)
		status = check(&command);
	command.tables.is_listed = command.choice.from || command.over;
	command.tables.between = command.between;
	if (!status)
		status = input_open(&input, &options);
	if (!status) {
		status = command.syscalls
				 ? syscall_durations_print(&command.tables, command.choice.limit,
							   input, &options)
				 : run(&command, input, &options);
		input_close(input);
	}
	free(command.names);
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
