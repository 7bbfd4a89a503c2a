/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow script: what was executed, one branch or one instruction a line. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/progress.h"
#include "commands.h"
#include "core/bits.h"
#include "execution.h"
#include "insn_counts.h"
#include "listing/format_riscv.h"
#include "perfdata/perfdata_read.h"
#include "sample_lines.h"
#include "symbols/symbols.h"
#include "threads.h"
#include "time_merge.h"

static const char usage[] =
	"usage: hwflow script [OPTIONS] [SRC]\n\n"
	"Prints each branch taken: thread, time, source, destination and kind of the branch, with\n"
	"function names, and with source lines if the program has them.\n\n"
	"  --insn               print each instruction instead of each branch\n"
	"  --not-taken          print branches that were not taken as well\n"
	"  --sort=time|thread   merge all threads and CPUs by their timestamps (the default if "
	"all\n"
	"                       of them have timestamps), or print one after the other\n"
	"  --full-paths         print whole paths of files and source files\n"
	"  --no-lines           print no source lines\n"
	"  --no-demangle        print C++ names as they are in the symbol table\n"
	"  --no-events          print no lines for samples of other events, such as "
	"tracepoints\n" GAPS_HELP "\n"
	"All times are in one unit. If the recording has the conversion of timestamps, they are\n"
	"seconds of the perf clock; if it does not, ticks, and a line that begins with '# time'\n"
	"reports that. A trace without timestamps has the time at which its piece ended.\n";

/* enum script_sort - --sort */
enum script_sort {
	SORT_DEFAULT,
	SORT_TIME,
	SORT_THREAD,
};

/* enum script_time - what times are */
enum script_time {
	TIME_OF_PIECE, /* when the piece ended, in seconds */
	TIME_TICKS,    /* timestamps */
	TIME_CLOCK,    /* timestamps, in seconds of the perf clock */
};

/* struct script - state of the command; lines go to @merge, or if that is NULL to stdout */
struct script {
	enum script_sort sort;
	enum script_time time;
	const struct perfdata_clock *clock;
	struct time_merge *merge;
	bool insn;
	bool not_taken;
	bool full_paths;
	bool no_lines;
	bool no_demangle;
	bool no_events;
	struct symbols *symbols;
	struct threads *threads;
};

static const char *short_name(const struct script *script, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !script->full_paths ? slash + 1 : path;
}

static void print_seconds(FILE *out, uint64_t time)
{
	fprintf(out, "%6" PRIu64 ".%09" PRIu64 "  ", time / 1000000000, time % 1000000000);
}

static void print_time(const struct script *script, FILE *out, const struct execution *execution)
{
	const struct perfdata_info *recording = input_recording(execution->input);
	const uint64_t timestamp = execution->timestamp;
	const bool timed = !recording || !recording->untimed;

	if (script->time == TIME_OF_PIECE && timed && execution->piece->time)
		print_seconds(out, execution->piece->time);
	else if (script->time == TIME_CLOCK && timestamp)
		print_seconds(out, perfdata_clock_time(script->clock, timestamp));
	else if (script->time == TIME_TICKS && timestamp)
		fprintf(out, "%16" PRIu64 "  ", timestamp);
	else
		fprintf(out, "%16s  ", "-");
}

/* Begins a line with thread and time. Returns the stream for the rest of the line. */
static FILE *begin_line(const struct script *script, const struct execution *execution)
{
	const char *name = threads_name(script->threads, execution->tid, execution->piece->time);
	FILE *out = stdout;

	/* the names of all addresses in this line are those of this process and time */
	symbols_at(script->symbols, execution_process(execution, script->threads),
		   execution->piece->since, execution->piece->time);
	if (script->merge)
		out = time_merge_at(script->merge, execution->source, execution->piece,
				    execution->timestamp);
	fprintf(out, "%-15s ", *name ? name : execution->source->name);
	if (execution->tid < 0)
		fprintf(out, "%7s ", "-");
	else
		fprintf(out, "%7" PRId32 " ", execution->tid);
	print_time(script, out, execution);
	return out;
}

/* Address, function and offset, file, source line. */
static void print_where(const struct script *script, FILE *out, const struct hwf_image_space *space,
			uint64_t address)
{
	const struct place_name name = symbols_find(script->symbols, space, address);
	const struct source_line line = script->no_lines
						? (struct source_line){NULL, 0}
						: symbols_line(script->symbols, space, address);

	fprintf(out, "%12" PRIx64 " %s", address, name.function->name);
	if (name.offset)
		fprintf(out, "+%#" PRIx64, name.offset);
	if (*name.function->file)
		fprintf(out, " (%s)", short_name(script, name.function->file));
	if (line.file)
		fprintf(out, " %s:%d", short_name(script, line.file), line.line);
}

static void print_exception(FILE *out, const struct branch *branch, bool m_profile)
{
	const struct hwf_flow_trap *trap = &branch->trap;
	const char *name = riscv_cause_name(trap->cause, trap->interrupt);

	if (!branch->is_trap)
		fprintf(out, " %s",
			m_profile ? hwf_exception_m_name(branch->exception)
				  : hwf_exception_name(branch->exception));
	else if (name)
		fprintf(out, " %s", name);
	else
		fprintf(out, " %s %u", trap->interrupt ? "interrupt" : "cause", trap->cause);
}

static void take_branch(void *ctx, const struct execution *execution, const struct branch *branch)
{
	const struct script *script = ctx;
	FILE *out;

	if (!branch->taken && !script->not_taken)
		return;
	out = begin_line(script, execution);
	if (branch->has_from)
		print_where(script, out, branch->from_space, branch->from);
	else
		fprintf(out, "%12s %s", "-", "[outside]");
	fputs(branch->taken ? "  =>  " : "  ..  ", out);
	if (branch->has_to)
		print_where(script, out, branch->to_space, branch->to);
	else
		fprintf(out, "%12s %s", "-", "[outside]");
	fprintf(out, "  %s", branch_kind_name(branch->kind));
	if (branch->kind == BRANCH_EXCEPTION)
		print_exception(out, branch, execution->source->config.m_profile);
	fputs(branch->taken ? "\n" : " not taken\n", out);
}

static void take_range(void *ctx, const struct execution *execution,
		       const struct hwf_flow_range *range)
{
	const struct script *script = ctx;
	const struct hwf_code *code = execution->code;
	uint64_t pc = range->start;
	FILE *out;

	for (uint32_t i = 0; i < range->instructions; i++) {
		uint8_t bytes[4] = {0};
		unsigned int size;
		uint32_t word;

		code->read(code->ctx, execution->space, pc, bytes, sizeof(bytes));
		size = input_insn_size(range->isa, (uint16_t)hwf_load32(bytes));
		word = insn_opcode(range->isa, bytes, size);
		out = begin_line(script, execution);
		fprintf(out, "%0*" PRIx32 "%*s ", (int)(2 * size), word, 8 - (int)(2 * size), "");
		print_where(script, out, execution->space, pc);
		fputc('\n', out);
		pc += size;
	}
}

static void take_gap(void *ctx, const struct execution *execution, const struct gap *gap)
{
	FILE *out = begin_line(ctx, execution);

	if (gap->has_address)
		fprintf(out, "%12" PRIx64 " ", gap->address);
	fprintf(out, "GAP: %s\n", gap->reason);
}

static bool take_sort(struct script *script, const char *name)
{
	script->sort = !strcmp(name, "time")     ? SORT_TIME
		       : !strcmp(name, "thread") ? SORT_THREAD
						 : SORT_DEFAULT;
	if (script->sort == SORT_DEFAULT)
		fprintf(stderr, "hwflow script: --sort=%s: time or thread\n", name);
	return script->sort != SORT_DEFAULT;
}

static bool take_option(void *ctx, int value, const char *argument)
{
	struct script *script = ctx;

	if (value == 's')
		return take_sort(script, argument);
	script->insn |= value == 'i';
	script->not_taken |= value == 'n';
	script->full_paths |= value == 'f';
	script->no_lines |= value == 'l';
	script->no_demangle |= value == 'd';
	script->no_events |= value == 'e';
	return true;
}

static const struct option longs[] = {
	GAPS_LONG_OPTIONS,
	{"insn", no_argument, NULL, 'i'},
	{"not-taken", no_argument, NULL, 'n'},
	{"sort", required_argument, NULL, 's'},
	{"full-paths", no_argument, NULL, 'f'},
	{"no-lines", no_argument, NULL, 'l'},
	{"no-demangle", no_argument, NULL, 'd'},
	{"no-events", no_argument, NULL, 'e'},
	{NULL, 0, NULL, 0},
};

static const struct verb_options command_line = {
	.usage = usage, .wants = "SRC", .longs = longs, .take = take_option};

/* The first source without timestamps; NULL if all have them */
static const struct input_source *first_untimed(const struct input *input)
{
	for (size_t i = 0; i < input->source_count; i++)
		if (!input_has_timestamps(&input->sources[i]))
			return &input->sources[i];
	return NULL;
}

/* What times are, and in which order lines are printed; 0 or an enum exit_status */
static int choose_order(struct script *script, const struct input *input, bool events)
{
	const struct perfdata_info *recording = input_recording(input);
	const struct input_source *untimed = first_untimed(input);
	int error;

	if (!untimed)
		script->time = recording && recording->clock.known ? TIME_CLOCK : TIME_TICKS;
	script->clock = recording ? &recording->clock : NULL;
	if (script->sort == SORT_TIME && untimed) {
		input_error(input->path, UINT64_MAX,
			    "--sort=time: the trace of %s has no timestamps; --sort=thread needs "
			    "none",
			    untimed->name);
		return EXIT_USAGE;
	}
	/* one source is in order as it is; events can be placed if the clock is known */
	if (untimed || script->sort == SORT_THREAD ||
	    (input->source_count == 1 && !(events && script->time == TIME_CLOCK)))
		return 0;
	error = time_merge_new(&script->merge);
	if (error) {
		input_error(time_merge_directory(), UINT64_MAX,
			    "no temporary file: %s; TMPDIR names another directory, --sort=thread "
			    "needs no file",
			    strerror(-error));
		return EXIT_UNREADABLE;
	}
	return 0;
}

static int print_merged(struct script *script)
{
	const int error = time_merge_print(script->merge, stdout);

	if (!error)
		return 0;
	input_error(time_merge_directory(), UINT64_MAX,
		    "temporary file: %s; TMPDIR names another directory, --sort=thread needs no "
		    "file",
		    strerror(-error));
	return EXIT_UNREADABLE;
}

static int run(struct script *script, struct input *input, const struct input_options *options)
{
	const struct execution_sink sink = {
		.branch = script->insn ? NULL : take_branch,
		.range = script->insn ? take_range : NULL,
		.gap = take_gap,
		.ctx = script,
	};
	const bool events = !script->no_events && sample_lines_exist(input, options);
	struct execution execution;
	int status = choose_order(script, input, events);

	if (status)
		return status;
	if (threads_new(&script->threads, input_recording(input)) ||
	    symbols_new(&script->symbols, options->symfs, !script->no_demangle) ||
	    symbols_recording(script->symbols, input_recording(input))) {
		input_error(input->path, UINT64_MAX, "out of memory");
		return EXIT_UNREADABLE;
	}
	if (script->time == TIME_TICKS)
		puts("# time: ticks of the timestamps in the trace");
	if (events)
		sample_lines_print(input, options, script->threads,
				   script->time == TIME_CLOCK ? script->merge : NULL);
	input_progress(input, "script", NULL, !script->merge);
	status = execution_run(&execution, input, &sink);
	progress_end();
	if (script->merge && print_merged(script))
		status = EXIT_UNREADABLE;
	gaps_print(input->gaps);
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
	if (!status)
		status = input_open(&input, &options);
	if (!status) {
		status = run(&script, input, &options);
		time_merge_free(script.merge);
		symbols_free(script.symbols);
		threads_free(script.threads);
		input_close(input);
	}
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
