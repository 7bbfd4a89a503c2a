/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow crash: how a program came to its end, from its core file and its trace. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/print.h"
#include "base/progress.h"
#include "commands.h"
#include "core_file.h"
#include "execution_calls.h"
#include "last_lines.h"
#include "names.h"
#include "options.h"
#include "profile/context_code.h"
#include "threads.h"

static const char usage[] =
	"usage: hwflow crash [OPTIONS] CORE [SRC]\n\n"
	"Prints how the thread that a core file is of came to its end: the signal, the call stack "
	"that\n"
	"follows from the trace, and the last branches with source lines. SRC is a recording of "
	"the\n"
	"program, made while it was ended; 'hwflow record --snapshot --trigger=signal:SEGV' makes "
	"one.\n\n"
	"  --tail=N             print the last N branches (default: 20)\n"
	"  --insn               print instructions instead of branches\n"
	"  --full-paths         print whole paths of files and source files\n" DEBUG_DIR_HELP
		GAPS_HELP;

/* Frames that are printed at most, half of them the innermost */
#define MOST_FRAMES 64u

/**
 * struct crash - state of the command
 * @core: the core file
 * @tail: lines
 * @insn: they are instructions
 * @lines: how they are written
 * @last: the lines
 * @last_sink: takes what they are made of
 * @calls: the stacks
 * @thread: the thread of the core file; NULL: it has no trace
 * @is_end: the trace of the thread ends where the core file has its program counter
 * @end: address where the trace of the thread ends, if @has_end
 * @has_end: the trace of the thread has instructions
 * @has_line: @line was looked for
 * @line: the source line of the program counter; its file is NULL where not known
 */
struct crash {
	struct core_file core;
	size_t tail;
	bool insn;
	struct script_lines lines;
	struct last_lines *last;
	struct execution_sink last_sink;
	struct execution_calls calls;
	struct calls_thread *thread;
	bool is_end;
	uint64_t end;
	bool has_end;
	bool has_line;
	struct source_line line;
};

static bool take_option(void *ctx, int value, const char *text)
{
	struct crash *crash = ctx;

	crash->insn |= value == 'i';
	crash->lines.full_paths |= value == 'f';
	if (value == 't')
		return verb_number("crash", "tail", text, &crash->tail);
	return true;
}

static const struct option longs[] = {
	GAPS_LONG_OPTIONS,
	{"tail", required_argument, NULL, 't'},
	{"insn", no_argument, NULL, 'i'},
	{"full-paths", no_argument, NULL, 'f'},
	{"debug-dir", required_argument, NULL, INPUT_OPT_DEBUG_DIR},
	{NULL, 0, NULL, 0},
};

static const struct verb_options command_line = {.usage = usage,
						 .wants = "CORE",
						 .second = "SRC",
						 .is_needed = true,
						 .longs = longs,
						 .take = take_option};

/* ---- while the trace is decoded ---- */

static bool is_thread(const struct crash *crash, const struct execution *execution)
{
	return execution->tid == crash->core.tid;
}

/* The trace has the execution up to an instruction. */
static void reach(struct crash *crash, const void *space, uint64_t address, bool is_end)
{
	crash->is_end = is_end;
	crash->end = address;
	crash->has_end = true;
	if (!is_end || crash->has_line)
		return;
	crash->line = symbols_line(crash->lines.symbols, space, crash->core.pc);
	crash->has_line = true;
}

/* The program counter of a fault is where its exception returns to. */
static void take_branch(void *ctx, const struct execution *execution,
			const struct hwf_branch *branch)
{
	struct crash *crash = ctx;
	const uint64_t pc = crash->core.pc;

	execution_calls_branch(&crash->calls, execution, branch);
	if (crash->last_sink.branch)
		crash->last_sink.branch(crash->last_sink.ctx, execution, branch);
	if (!is_thread(crash, execution))
		return;
	if (branch->kind == HWF_BRANCH_EXCEPTION && branch->has_from)
		reach(crash, branch->from_space, branch->from,
		      branch->from == pc || branch->next == pc);
	else if (branch->has_to)
		reach(crash, branch->to_space, branch->to, branch->to == pc);
}

static void take_range(void *ctx, const struct execution *execution,
		       const struct hwf_flow_range *range)
{
	struct crash *crash = ctx;

	execution_calls_range(&crash->calls, execution, range);
	if (crash->last_sink.range)
		crash->last_sink.range(crash->last_sink.ctx, execution, range);
	if (is_thread(crash, execution))
		reach(crash, execution->space, range->end,
		      crash->core.pc > range->start && crash->core.pc <= range->end);
}

static void take_gap(void *ctx, const struct execution *execution, const struct gap *gap)
{
	struct crash *crash = ctx;

	execution_calls_gap(&crash->calls, execution, gap);
	crash->last_sink.gap(crash->last_sink.ctx, execution, gap);
	if (is_thread(crash, execution))
		crash->is_end = false;
}

static void take_change(void *ctx, struct calls_thread *thread)
{
	struct crash *crash = ctx;

	if (thread->tid == crash->core.tid)
		crash->thread = thread;
}

static void take_instructions(void *ctx, struct calls_thread *thread, uint64_t instructions)
{
	(void)ctx;
	(void)thread;
	(void)instructions;
}

/* ---- what is printed ---- */

static void print_signal(const struct core_file *core)
{
	print(stdout, "%s (process %" PRId32 ", thread %" PRId32 ")",
	      *core->name ? core->name : "a program", core->pid, core->tid);
	if (core->signal)
		print(stdout, " was ended by signal %" PRId32 " (%s)", core->signal,
		      strsignal(core->signal));
	print(stdout, " at %" PRIx64, core->pc);
	if (core->has_address)
		print(stdout, ", address %" PRIx64, core->address);
	fputs(".\n\n", stdout);
}

/* The line of code of a call */
static struct source_line line_of(const struct crash *crash, uint64_t place)
{
	const struct call_site *site =
		functions_get_site(calls_functions(crash->calls.calls), place);

	if (!site->file)
		return (struct source_line){.file = NULL};
	return symbols_line_in_file(crash->calls.symbols, site->file, site->offset);
}

/* Prints frame number @at of the stack, which is where it has called the next one, or at the end.
 */
static void print_frame(const struct crash *crash, size_t at)
{
	const struct hwf_stack *stack = &crash->thread->stack;
	const struct hwf_stack_frame *frame = &stack->frames[at];
	const struct called_function *function =
		functions_get(calls_functions(crash->calls.calls), frame->function.id);
	char *name = context_demangle(function->function->name);
	struct source_line line = {.file = NULL};
	const char *slash;

	print(stdout, "#%-3zu %s%s", stack->depth - 1 - at,
	      frame->kind == HWF_STACK_FRAME_EXCEPTION ? "[handles a signal] " : "",
	      name ? name : function->function->name);
	free(name);
	if (at + 1 == stack->depth && crash->is_end)
		line = crash->line;
	else if (at + 1 < stack->depth && stack->frames[at + 1].place)
		line = line_of(crash, stack->frames[at + 1].place);
	if (line.file) {
		slash = strrchr(line.file, '/');
		print(stdout, "  %s:%d", slash && !crash->lines.full_paths ? slash + 1 : line.file,
		      line.line);
	}
	fputc('\n', stdout);
}

static void print_stack(const struct crash *crash)
{
	const struct hwf_stack *stack = &crash->thread->stack;

	fputs("The calls that had not returned, the innermost first:\n", stdout);
	for (size_t i = stack->depth; i--;) {
		const size_t from_top = stack->depth - 1 - i;

		if (stack->depth <= MOST_FRAMES || from_top < MOST_FRAMES / 2 ||
		    i < MOST_FRAMES / 2)
			print_frame(crash, i);
		else if (from_top == MOST_FRAMES / 2)
			print(stdout, "     %zu more\n", stack->depth - MOST_FRAMES);
	}
	if (!stack->is_whole)
		fputs("     [unknown]: these calls are older than the trace\n", stdout);
	fputc('\n', stdout);
}

/* Does the trace show the end? An exit status */
static int print_end(const struct crash *crash)
{
	if (crash->is_end) {
		fputs("The trace ends where the program was ended.\n", stdout);
		return EXIT_GOOD;
	}
	print(stdout,
	      "The trace ends at %" PRIx64 ": what was executed from there to %" PRIx64
	      " is missing.\n",
	      crash->end, crash->core.pc);
	return EXIT_GAPS;
}

static int print_crash(struct crash *crash, const struct input *input)
{
	int status;

	print_signal(&crash->core);
	if (!crash->has_end) {
		input_error(input->path, UINT64_MAX,
			    "no trace of thread %" PRId32
			    ": is this a recording of the same run? 'hwflow report --by=thread' "
			    "lists its threads",
			    crash->core.tid);
		return EXIT_GAPS;
	}
	if (crash->thread && crash->thread->stack.depth)
		print_stack(crash);
	if (crash->tail) {
		print(stdout, "The last %s:\n", crash->insn ? "instructions" : "branches");
		if (last_lines_print(crash->last, crash->core.tid, text_stdout()))
			return verb_error("out of memory: lines are missing");
		text_stdout_flush();
		fputc('\n', stdout);
	}
	status = print_end(crash);
	gaps_print(input->gaps);
	return status;
}

/* Room for all that is kept; false without memory */
static bool prepare(struct crash *crash, struct input *input, const struct input_options *options)
{
	struct script_lines *lines = &crash->lines;
	const struct calls_sink stacks = {
		.changed = take_change, .executed = take_instructions, .ctx = crash};

	lines->fields = script_fields_default(crash->insn) & ~(unsigned int)FIELD_TIME;
	if (threads_new(&lines->threads, input_recording(input)) || script_lines_init(lines) ||
	    names_open(&lines->symbols, input, options, true) ||
	    execution_calls_init(&crash->calls, input, options, &stacks))
		return false;
	crash->last = last_lines_new(lines, crash->tail ? crash->tail : 1);
	if (!crash->last)
		return false;
	crash->last_sink = last_lines_sink(crash->last, crash->insn);
	return true;
}

static int run(struct crash *crash, struct input *input, const struct input_options *options)
{
	struct execution_sink sink = {
		.branch = take_branch, .range = take_range, .gap = take_gap, .ctx = crash};
	struct execution execution;
	int status, printed;

	if (!prepare(crash, input, options))
		return verb_error("out of memory");
	sink.order = crash->calls.order;
	input_progress(input, "crash", NULL, false);
	status = execution_run(&execution, input, &sink);
	progress_end();
	if (calls_end(crash->calls.calls))
		status = verb_error("out of memory: calls are missing");
	printed = print_crash(crash, input);
	return printed > status ? printed : status;
}

/**
 * cmd_crash() - hwflow crash
 * @argc: words of @argv
 * @argv: the verb and what follows it
 *
 * Return: an enum exit_status.
 */
int cmd_crash(int argc, char **argv)
{
	struct crash crash = {.tail = 20};
	struct input_options options, recording;
	struct input *input;
	int status;

	input_options_init(&options);
	status = verb_parse(&command_line, argc, argv, &options, &crash);
	if (!status)
		status = core_file_read(&crash.core, options.path);
	recording = options;
	recording.path = options.second_path;
	recording.shown = options.second_shown;
	recording.symfs = options.second_symfs;
	if (!status)
		status = input_open(&input, &recording);
	if (!status) {
		status = run(&crash, input, &recording);
		execution_calls_free(&crash.calls);
		last_lines_free(crash.last);
		script_lines_free(&crash.lines);
		symbols_free(crash.lines.symbols);
		threads_free(crash.lines.threads);
		input_close(input);
	}
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
