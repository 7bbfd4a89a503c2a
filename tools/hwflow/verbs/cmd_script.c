/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow script: what was executed, one branch or one instruction a line. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/print.h"
#include "base/progress.h"
#include "base/temporary.h"
#include "commands.h"
#include "decode/time_merge.h"
#include "last_lines.h"
#include "mapping_lines.h"
#include "names.h"
#include "options.h"
#include "perfdata/perfdata_read.h"
#include "sample_lines.h"
#include "script_lines.h"
#include "symbols/symbols.h"
#include "threads.h"

static const char usage[] =
	"usage: hwflow script [OPTIONS] [SRC]\n\n"
	"Prints each branch taken: thread, time, source, destination and kind of the branch, with\n"
	"function names, and with source lines if the program has them.\n\n"
	"  --insn               print each instruction instead of each branch\n"
	"  --not-taken          print branches that were not taken as well\n"
	"  -F, --fields=LIST    print these columns only: comm, tid, cpu, time, cyc, insn, ip,\n"
	"                       sym, symoff, dso, dsoff, buildid, srcline, addr, flags; as perf "
	"script\n"
	"                       -F has them\n"
	"  --mappings           print the recording's mappings of code, and nothing else\n"
	"  --sort=time|thread   merge all threads and CPUs by their timestamps (the default if "
	"all\n"
	"                       of them have timestamps, and time is printed), or print one after\n"
	"                       the other\n"
	"  --tail=N             print the last N lines of each thread, thread by thread\n"
	"  --full-paths         print whole paths of files and source files\n"
	"  --no-lines           print no source lines\n"
	"  --no-demangle        print C++ names as they are in the symbol table\n" DEBUG_DIR_HELP
	"  --no-events          print no lines for samples of other events, such as "
	"tracepoints\n" SELECTION_HELP LIMIT_HELP GAPS_HELP "\n"
	"All times are in one unit. If the recording has the conversion of timestamps, they are\n"
	"seconds of the perf clock; if it does not, ticks, and a line that begins with '# time'\n"
	"reports that. A trace without timestamps has the time at which its piece ended.\n";

/* enum script_sort - --sort */
enum script_sort {
	SORT_DEFAULT,
	SORT_TIME,
	SORT_THREAD,
};

/* struct script - state of the command; lines go to @lines.merge, or if that is NULL to stdout */
struct script {
	enum script_sort sort;
	unsigned int fields; /* of --fields; 0: it was not given */
	size_t tail;         /* of --tail; 0: it was not given */
	bool insn;
	bool no_lines;
	bool no_demangle;
	bool no_events;
	bool mappings;
	struct script_lines lines;
};

static bool take_sort(struct script *script, const char *name)
{
	script->sort = !strcmp(name, "time")     ? SORT_TIME
		       : !strcmp(name, "thread") ? SORT_THREAD
						 : SORT_DEFAULT;
	if (script->sort == SORT_DEFAULT)
		print(stderr, "hwflow script: --sort=%s: time or thread\n", name);
	return script->sort != SORT_DEFAULT;
}

static bool take_tail(struct script *script, const char *text)
{
	if (!verb_number("script", "tail", text, &script->tail))
		return false;
	if (!script->tail)
		print(stderr, "hwflow script: --tail=0: at least one line expected\n");
	return script->tail > 0;
}

static bool take_option(void *ctx, int value, const char *argument)
{
	struct script *script = ctx;

	if (value == 's')
		return take_sort(script, argument);
	if (value == 't')
		return take_tail(script, argument);
	if (value == 'F')
		return script_fields_parse(argument, &script->fields);
	script->insn |= value == 'i';
	script->lines.not_taken |= value == 'n';
	script->lines.full_paths |= value == 'f';
	script->no_lines |= value == 'l';
	script->no_demangle |= value == 'd';
	script->no_events |= value == 'e';
	script->mappings |= value == 'm';
	return true;
}

static const struct option longs[] = {
	GAPS_LONG_OPTIONS,
	SELECTION_LONG_OPTIONS,
	LIMIT_LONG_OPTION,
	{"insn", no_argument, NULL, 'i'},
	{"not-taken", no_argument, NULL, 'n'},
	{"fields", required_argument, NULL, 'F'},
	{"sort", required_argument, NULL, 's'},
	{"tail", required_argument, NULL, 't'},
	{"full-paths", no_argument, NULL, 'f'},
	{"no-lines", no_argument, NULL, 'l'},
	{"debug-dir", required_argument, NULL, INPUT_OPT_DEBUG_DIR},
	{"no-demangle", no_argument, NULL, 'd'},
	{"no-events", no_argument, NULL, 'e'},
	{"mappings", no_argument, NULL, 'm'},
	{NULL, 0, NULL, 0},
};

static const struct verb_options command_line = {
	.usage = usage, .wants = "SRC", .longs = longs, .take = take_option};

/* What times are, and in which order lines are printed; 0 or an enum exit_status */
static int choose_order(struct script *script, const struct input *input, bool events)
{
	const struct perfdata_info *recording = input_recording(input);
	const struct input_source *untimed = input_untimed(input);
	struct script_lines *lines = &script->lines;
	int error;

	if (!untimed)
		lines->time = recording && recording->clock.known ? TIME_CLOCK : TIME_TICKS;
	lines->clock = recording ? &recording->clock : NULL;
	if (script->sort == SORT_TIME && untimed) {
		input_error(input->path, UINT64_MAX,
			    "--sort=time: the trace of %s has no timestamps; --sort=thread needs "
			    "none",
			    untimed->name);
		return EXIT_USAGE;
	}
	/* one source is in order as it is; events can be placed if the clock is known */
	if (untimed || script->sort == SORT_THREAD || script->tail ||
	    (script->sort == SORT_DEFAULT && !(lines->fields & FIELD_TIME)) ||
	    (input->source_count == 1 && !(events && lines->time == TIME_CLOCK)))
		return 0;
	error = time_merge_new(&lines->merge);
	if (error) {
		input_error(temporary_directory(), UINT64_MAX,
			    "no temporary file: %s; TMPDIR names another directory, --sort=thread "
			    "needs no file",
			    strerror(-error));
		return EXIT_UNREADABLE;
	}
	return 0;
}

static int print_merged(struct script *script)
{
	const int error = time_merge_print(script->lines.merge, text_stdout());

	if (!error)
		return 0;
	input_error(temporary_directory(), UINT64_MAX,
		    "temporary file: %s; TMPDIR names another directory, --sort=thread needs no "
		    "file",
		    strerror(-error));
	return EXIT_UNREADABLE;
}

/* What lines need to be written: the columns, and where names come from; false without memory */
static bool prepare_lines(struct script *script, const struct input *input,
			  const struct input_options *options)
{
	struct script_lines *lines = &script->lines;

	if (threads_new(&lines->threads, input_recording(input)) || script_lines_init(lines))
		return false;
	if (!(lines->fields & FIELDS_NAMES))
		return true;
	return !names_open(&lines->symbols, input, options, !script->no_demangle);
}

static int run_tail(const struct script *script, struct last_lines *last, struct input *input)
{
	const struct execution_sink sink = last_lines_sink(last, script->insn);
	struct execution execution;
	int status;

	input_progress(input, "script", NULL, false);
	status = execution_run(&execution, input, &sink);
	progress_end();
	if (last_lines_print(last, INPUT_ANY, text_stdout())) {
		input_error(input->path, UINT64_MAX, "out of memory: lines are missing");
		status = EXIT_UNREADABLE;
	}
	return status;
}

/* Prints the last lines of each thread; an exit status */
static int print_tail(struct script *script, struct input *input)
{
	struct last_lines *last = last_lines_new(&script->lines, script->tail);
	int status;

	if (!last) {
		input_error(input->path, UINT64_MAX, "out of memory");
		return EXIT_UNREADABLE;
	}
	status = run_tail(script, last, input);
	last_lines_free(last);
	return status;
}

/* Prints all lines; an exit status */
static int print_all(struct script *script, struct input *input,
		     const struct input_options *options, bool events)
{
	struct script_lines *lines = &script->lines;
	struct execution_sink sink = {
		.branch = script->insn ? NULL : script_take_branch,
		.range = script->insn ? script_take_range : NULL,
		.gap = script_take_gap,
		.instrumentation = script_take_instrumentation,
		/* the cycles since the line before are known to one process alone */
		.lines = lines->fields & FIELD_CYC ? NULL : script_lines_restart,
		.merge = lines->merge,
		.ctx = lines,
	};
	struct execution execution;
	int status;

	if (events)
		sample_lines_print(input, options, lines);
	input_progress(input, "script", NULL, !lines->merge);
	status = execution_run(&execution, input, &sink);
	progress_end();
	if (lines->merge && print_merged(script))
		status = EXIT_UNREADABLE;
	return status;
}

static int run(struct script *script, struct input *input, const struct input_options *options)
{
	struct script_lines *lines = &script->lines;
	const bool events =
		!script->no_events && !script->tail && sample_lines_exist(input, options);
	int status;

	lines->out = text_stdout();
	lines->fields = script->fields ? script->fields : script_fields_default(script->insn);
	if (script->no_lines)
		lines->fields &= ~(unsigned int)FIELD_SRCLINE;
	status = choose_order(script, input, events);
	if (status)
		return status;
	if (!prepare_lines(script, input, options)) {
		input_error(input->path, UINT64_MAX, "out of memory");
		return EXIT_UNREADABLE;
	}
	if (lines->time == TIME_TICKS && lines->fields & FIELD_TIME) {
		text_string(lines->out, "# time: ticks of the timestamps in the trace");
		text_end_line(lines->out);
	}
	status = script->tail ? print_tail(script, input)
			      : print_all(script, input, options, events);
	gaps_print(input->gaps);
	text_flush(text_stdout());
	return status;
}

/**
 * cmd_script() - hwflow script
 * @argc: words of @argv
 * @argv: the verb and what follows it
 *
 * Return: an enum exit_status.
 */
int cmd_script(int argc, char **argv)
{
	struct script script = {0};
	struct input_options options;
	struct input *input;
	int status;

	input_options_init(&options);
	status = verb_parse(&command_line, argc, argv, &options, &script);
	if (!status && script.fields && !script_fields_fit(script.fields, script.insn))
		status = EXIT_USAGE;
	if (!status && script.tail && (script.sort != SORT_DEFAULT || options.select.limit)) {
		print(stderr, "hwflow script: --tail excludes --sort and --limit\n");
		status = EXIT_USAGE;
	}
	if (!status)
		status = input_open(&input, &options);
	if (!status) {
		status = script.mappings ? mapping_lines_print(input)
					 : run(&script, input, &options);
		time_merge_free(script.lines.merge);
		script_lines_free(&script.lines);
		symbols_free(script.lines.symbols);
		threads_free(script.lines.threads);
		input_close(input);
	}
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
