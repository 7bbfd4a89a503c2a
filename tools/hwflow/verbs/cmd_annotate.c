// SPDX-License-Identifier: GPL-2.0-only
/* hwflow annotate: how often each instruction of a function was executed. */
#include <stdlib.h>

#include "annotation.h"
#include "base/error.h"
#include "base/print.h"
#include "base/progress.h"
#include "commands.h"
#include "disassembler.h"
#include "insn_costs.h"
#include "names.h"
#include "options.h"
#include "source_text.h"
#include "summary.h"

static const char usage[] =
	"usage: hwflow annotate [OPTIONS] [SRC]\n\n"
	"Prints functions with their source lines and instructions: how often each instruction "
	"was\n"
	"executed, and how often each branch was taken and not taken.\n\n"
	"  --symbol=NAME        print the functions of this name (default: those that executed "
	"the\n"
	"                       most instructions)\n"
	"  --limit=N            without --symbol: print at most N functions; 0: all (default: 5)\n"
	"  --all                print each instruction that was not executed, in place of one row "
	"for\n"
	"                       more than 8 in a row\n"
	"  --measure=time|cycles\n"
	"                       print what passed while each instruction was executed, and sort\n"
	"                       functions by that\n"
	"  --full-paths         print whole paths of files and source files\n"
	"  --no-lines           print no source lines\n"
	"  --no-demangle        print C++ names as they are in the symbol table\n" DEBUG_DIR_HELP
		SELECTION_HELP GAPS_HELP;

/* struct annotate - state of the command; @wanted: enum spans_clock of --measure, -1: not given */
struct annotate {
	const char *symbol;
	size_t limit;
	bool all;
	bool full_paths;
	bool no_lines;
	bool no_demangle;
	int wanted;
	struct measure measure;
	struct insn_costs costs;
	uint64_t ranges;
	uint64_t instructions;
	struct insn_counts *counts;
	struct symbols *symbols;
	struct threads *threads;
	struct source_text *source;
	struct disassembler *disassembler;
};

static void take_counts(void *ctx, const struct execution *execution,
			const struct hwf_profile *profile)
{
	const struct hwf_profile_block *block;
	struct annotate *annotate = ctx;
	size_t at = 0;

	while ((block = hwf_profile_next_block(profile, &at))) {
		const uint64_t times = block->taken + block->not_taken;

		annotate->ranges += times;
		annotate->instructions += times * block->instructions;
		insn_counts_block(annotate->counts, execution, block);
	}
}

static void take_branch(void *ctx, const struct execution *execution,
			const struct hwf_branch *branch)
{
	struct annotate *annotate = ctx;

	insn_costs_branch(&annotate->costs, execution, branch);
}

static void take_range(void *ctx, const struct execution *execution,
		       const struct hwf_flow_range *range)
{
	struct annotate *annotate = ctx;

	insn_costs_range(&annotate->costs, execution, range);
}

static bool take_option(void *ctx, int value, const char *argument)
{
	static const char *const measures[] = {"time", "cycles", NULL};
	struct annotate *annotate = ctx;

	switch (value) {
	case 'm':
		annotate->wanted = verb_choice("annotate", "measure", argument, measures);
		return annotate->wanted >= 0;
	case 's':
		annotate->symbol = argument;
		return true;
	case 'c':
		return verb_number("annotate", "limit", argument, &annotate->limit);
	case 'a':
		annotate->all = true;
		return true;
	case 'f':
		annotate->full_paths = true;
		return true;
	case 'l':
		annotate->no_lines = true;
		return true;
	default:
		annotate->no_demangle = true;
		return true;
	}
}

static const struct option longs[] = {
	GAPS_LONG_OPTIONS,
	SELECTION_LONG_OPTIONS,
	{"symbol", required_argument, NULL, 's'},
	{"limit", required_argument, NULL, 'c'},
	{"all", no_argument, NULL, 'a'},
	{"measure", required_argument, NULL, 'm'},
	{"full-paths", no_argument, NULL, 'f'},
	{"no-lines", no_argument, NULL, 'l'},
	{"debug-dir", required_argument, NULL, INPUT_OPT_DEBUG_DIR},
	{"no-demangle", no_argument, NULL, 'd'},
	{NULL, 0, NULL, 0},
};

static const struct verb_options command_line = {
	.usage = usage, .wants = "SRC", .longs = longs, .take = take_option};

static int out_of_memory(const struct input *input, const char *rest)
{
	input_error(input->path, UINT64_MAX, "out of memory%s", rest);
	return EXIT_UNREADABLE;
}

/* Prints all but the gaps on standard error; returns @status, or a worse one. */
static int print_functions(const struct annotate *annotate, const struct input *input, int status)
{
	const struct annotation annotation = {
		.counts = annotate->counts,
		.symbols = annotate->symbols,
		.source = annotate->source,
		.disassembler = annotate->disassembler,
		.name = annotate->symbol,
		.limit = annotate->limit,
		.all = annotate->all,
		.full_paths = annotate->full_paths,
		.measure = annotate->wanted >= 0 ? &annotate->measure : NULL,
		.out = stdout,
	};
	size_t found;

	summary_print_input(input, annotate->instructions, annotate->ranges, stdout);
	fputc('\n', stdout);
	if (annotation_print(&annotation, &found))
		return out_of_memory(input, "");
	if (!annotate->symbol && annotate->limit && found > annotate->limit)
		print(stdout, "%zu more functions: --limit=0 prints all\n",
		      found - annotate->limit);
	summary_print_gaps(input, stdout);
	if (annotate->symbol && !found) {
		input_error(input->path, UINT64_MAX,
			    "--symbol=%s: no function of this name was executed; 'hwflow report "
			    "--limit=0 --width=0' lists the functions",
			    annotate->symbol);
		return EXIT_USAGE;
	}
	return status;
}

/* What is measured, if anything is; an exit status */
static int choose_measure(struct annotate *annotate, const struct input *input)
{
	if (annotate->wanted < 0)
		return 0;
	if (input->stored) {
		input_error(input->path, UINT64_MAX,
			    "a profile counts instructions: --measure is for recordings");
		return EXIT_USAGE;
	}
	return measure_choose(&annotate->measure, annotate->wanted, input);
}

static int run(struct annotate *annotate, struct input *input, const struct input_options *options)
{
	struct execution_sink sink = {.counts = take_counts, .ctx = annotate};
	struct execution execution;
	int status = choose_measure(annotate, input);

	if (status)
		return status;
	if (threads_new(&annotate->threads, input_recording(input)) ||
	    names_open(&annotate->symbols, input, options, !annotate->no_demangle) ||
	    insn_counts_new(&annotate->counts, annotate->symbols, annotate->threads))
		return out_of_memory(input, "");
	if (!annotate->no_lines) {
		annotate->source = source_text_new(options->given_symfs);
		if (!annotate->source)
			return out_of_memory(input, "");
	}
	annotate->disassembler = disassembler_new();
	if (!annotate->disassembler)
		fputs("hwflow annotate: no LLVM library (libLLVM) is installed: instructions are "
		      "printed as opcodes alone\n",
		      stderr);
	if (annotate->wanted >= 0) {
		annotate->costs.measure = &annotate->measure;
		annotate->costs.counts = annotate->counts;
		sink.branch = take_branch;
		sink.range = take_range;
	}
	input_progress(input, "annotate", NULL, false);
	status = execution_run(&execution, input, &sink);
	progress_end();
	if (annotate->wanted == SPANS_CYCLES && !execution.has_cycles)
		return measure_no_cycles(input);
	if (insn_counts_failed(annotate->counts) || annotate->costs.failed) {
		out_of_memory(input, ": counts are missing");
		status = EXIT_GAPS;
	}
	status = print_functions(annotate, input, status);
	gaps_print(input->gaps);
	symbols_report_stripped(annotate->symbols);
	return status;
}

/**
 * cmd_annotate() - hwflow annotate
 * @argc: words of @argv
 * @argv: the verb and what follows it
 *
 * Return: an enum exit_status.
 */
int cmd_annotate(int argc, char **argv)
{
	struct annotate annotate = {.limit = 5, .wanted = -1};
	struct input_options options;
	struct input *input;
	int status;

	input_options_init(&options);
	options.profiles = true;
	status = verb_parse(&command_line, argc, argv, &options, &annotate);
	if (!status)
		status = input_open(&input, &options);
	if (!status) {
		status = run(&annotate, input, &options);
		disassembler_free(annotate.disassembler);
		source_text_free(annotate.source);
		insn_costs_free(&annotate.costs);
		insn_counts_free(annotate.counts);
		symbols_free(annotate.symbols);
		threads_free(annotate.threads);
		input_close(input);
	}
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
