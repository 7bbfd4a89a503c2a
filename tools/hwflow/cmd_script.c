/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow script: what was executed, one branch or one instruction a line. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "core/bits.h"
#include "format_riscv.h"
#include "options.h"
#include "perfdata.h"
#include "report/execution.h"
#include "report/threads.h"
#include "symbols.h"

static const char usage[] =
	"usage: hwflow script [OPTIONS] SRC\n\n"
	"Prints each branch taken: thread, time, where from, where to, and what kind it was;\n"
	"functions by name, and source lines where the program has them. Times are timestamps of\n"
	"the trace, in ticks, where it has them; else in seconds when the piece of trace ended.\n\n"
	"  --insn               each instruction, in place of each branch\n"
	"  --not-taken          branches that were not taken as well\n"
	"  --full-paths         files and source files by their whole paths\n"
	"  --no-lines           no source lines\n"
	"  --no-demangle        C++ names as symbols have them\n";

/* struct script - state of the command */
struct script {
	bool insn;
	bool not_taken;
	bool full_paths;
	bool no_lines;
	bool no_demangle;
	struct symbols *symbols;
	struct threads *threads;
};

static const char *short_name(const struct script *script, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !script->full_paths ? slash + 1 : path;
}

/* Thread and time; what begins each line. */
static void print_who(const struct script *script, const struct execution *execution)
{
	const struct perfdata_info *recording = input_recording(execution->input);
	const char *name = threads_name(script->threads, execution->tid, execution->piece->time);
	const uint64_t time = recording && recording->untimed ? 0 : execution->piece->time;

	printf("%-15s ", *name ? name : execution->source->name);
	if (execution->tid < 0)
		printf("%7s ", "-");
	else
		printf("%7" PRId32 " ", execution->tid);
	if (execution->timestamp)
		printf("%16" PRIu64 "  ", execution->timestamp);
	else
		printf("%6" PRIu64 ".%09" PRIu64 "  ", time / 1000000000, time % 1000000000);
}

/* Address, function and offset, file, source line. */
static void print_where(const struct script *script, const struct hwf_image_space *space,
			uint64_t address)
{
	const struct place_name name = symbols_find(script->symbols, space, address);
	const struct source_line line = script->no_lines
						? (struct source_line){NULL, 0}
						: symbols_line(script->symbols, space, address);

	printf("%12" PRIx64 " %s", address, name.function->name);
	if (name.offset)
		printf("+%#" PRIx64, name.offset);
	if (*name.function->file)
		printf(" (%s)", short_name(script, name.function->file));
	if (line.file)
		printf(" %s:%d", short_name(script, line.file), line.line);
}

static void print_exception(const struct branch *branch, bool m_profile)
{
	const struct hwf_flow_trap *trap = &branch->trap;
	const char *name = riscv_cause_name(trap->cause, trap->interrupt);

	if (!branch->is_trap)
		printf(" %s", m_profile ? hwf_exception_m_name(branch->exception)
					: hwf_exception_name(branch->exception));
	else if (name)
		printf(" %s", name);
	else
		printf(" %s %u", trap->interrupt ? "interrupt" : "cause", trap->cause);
}

static void take_branch(void *ctx, const struct execution *execution, const struct branch *branch)
{
	const struct script *script = ctx;

	if (!branch->taken && !script->not_taken)
		return;
	print_who(script, execution);
	if (branch->has_from)
		print_where(script, branch->from_space, branch->from);
	else
		printf("%12s %s", "-", "[outside]");
	fputs(branch->taken ? "  =>  " : "  ..  ", stdout);
	if (branch->has_to)
		print_where(script, branch->to_space, branch->to);
	else
		printf("%12s %s", "-", "[outside]");
	printf("  %s", branch_kind_name(branch->kind));
	if (branch->kind == BRANCH_EXCEPTION)
		print_exception(branch, execution->source->config.m_profile);
	puts(branch->taken ? "" : " not taken");
}

static void take_range(void *ctx, const struct execution *execution,
		       const struct hwf_flow_range *range)
{
	const struct script *script = ctx;
	const struct hwf_code *code = execution->code;
	uint64_t pc = range->start;

	for (uint32_t i = 0; i < range->instructions; i++) {
		uint8_t bytes[4] = {0};
		unsigned int size = 4;
		uint32_t word;

		code->read(code->ctx, execution->space, pc, bytes, sizeof(bytes));
		word = hwf_load32(bytes);
		if (input_isa_is_mixed(range->isa))
			size = input_insn_size(range->isa, (uint16_t)word);
		if (size == 2)
			word &= 0xffff;
		else if (range->isa == HWF_ISA_T32)
			/* half-words in the order they are executed in */
			word = word << 16 | word >> 16;
		print_who(script, execution);
		printf("%0*" PRIx32 "%*s ", (int)(2 * size), word, 8 - (int)(2 * size), "");
		print_where(script, execution->space, pc);
		putchar('\n');
		pc += size;
	}
}

static void take_gap(void *ctx, const struct execution *execution, const char *why)
{
	print_who(ctx, execution);
	printf("GAP: %s\n", why);
}

static bool take_option(void *ctx, int value, const char *argument)
{
	struct script *script = ctx;

	(void)argument;
	script->insn |= value == 'i';
	script->not_taken |= value == 'n';
	script->full_paths |= value == 'f';
	script->no_lines |= value == 'l';
	script->no_demangle |= value == 'd';
	return true;
}

static const struct option longs[] = {
	VERB_LONG_OPTIONS,
	{"insn", no_argument, NULL, 'i'},
	{"not-taken", no_argument, NULL, 'n'},
	{"full-paths", no_argument, NULL, 'f'},
	{"no-lines", no_argument, NULL, 'l'},
	{"no-demangle", no_argument, NULL, 'd'},
	{NULL, 0, NULL, 0},
};

static const struct verb_options command_line = {usage, "SRC", longs, take_option};

static int run(struct script *script, struct input *input, const struct input_options *options)
{
	const struct execution_sink sink = {
		.branch = script->insn ? NULL : take_branch,
		.range = script->insn ? take_range : NULL,
		.gap = take_gap,
		.ctx = script,
	};
	struct execution execution;

	if (threads_new(&script->threads, input_recording(input)) ||
	    symbols_new(&script->symbols, options->symfs, !script->no_demangle)) {
		input_error(input->path, UINT64_MAX, "out of memory");
		return EXIT_UNREADABLE;
	}
	input_progress(input, "script", NULL, true);
	return execution_run(&execution, input, &sink);
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
		symbols_free(script.symbols);
		threads_free(script.threads);
		input_close(input);
	}
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
