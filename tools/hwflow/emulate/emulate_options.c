// SPDX-License-Identifier: GPL-2.0-only
/* The options of hwflow emulate but for those of the trace unit, which unit_options.c has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/option_next.h"
#include "base/print.h"
#include "emulate_options.h"
#include "source/input.h"
#include "verbs/options.h"

enum {
	OPT_LIMIT = UNIT_OPT_OTHER,
	OPT_FIXED,
	OPT_QEMU,
	OPT_PLUGIN,
	OPT_QEMU_OPTION,
	OPT_SHOW_LOG,
	OPT_TID,
	OPT_KEEP,
	OPT_QUIET,
	OPT_FAIL_ON_LOSS,
	OPT_RECOVER,
	OPT_NO_TRUTH,
	OPT_SYSCALLS,
	OPT_PROTOCOL,
	OPT_DIALECT,
	OPT_FRAMING,
	OPT_CONFIG,
	OPT_TRAPS,
	OPT_BLOCKS,
};

static const struct option longs[] = {
	UNIT_LONG_OPTIONS,
	{"output", required_argument, NULL, 'o'},
	{"limit", required_argument, NULL, OPT_LIMIT},
	{"fixed-addresses", no_argument, NULL, OPT_FIXED},
	{"sysroot", required_argument, NULL, 'L'},
	{"qemu", required_argument, NULL, OPT_QEMU},
	{"plugin", required_argument, NULL, OPT_PLUGIN},
	{"qemu-option", required_argument, NULL, OPT_QEMU_OPTION},
	{"show-log", required_argument, NULL, OPT_SHOW_LOG},
	{"tid", required_argument, NULL, OPT_TID},
	{"keep", no_argument, NULL, OPT_KEEP},
	{"quiet", no_argument, NULL, OPT_QUIET},
	{"fail-on-loss", no_argument, NULL, OPT_FAIL_ON_LOSS},
	{"no-truth", no_argument, NULL, OPT_NO_TRUTH},
	{"syscalls", no_argument, NULL, OPT_SYSCALLS},
	{"recover", required_argument, NULL, OPT_RECOVER},
	{"protocol", required_argument, NULL, OPT_PROTOCOL},
	{"dialect", required_argument, NULL, OPT_DIALECT},
	{"framing", required_argument, NULL, OPT_FRAMING},
	{"config", required_argument, NULL, OPT_CONFIG},
	{"traps", required_argument, NULL, OPT_TRAPS},
	{"blocks", required_argument, NULL, OPT_BLOCKS},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static const char help_begin[] =
	"usage: hwflow emulate [OPTIONS] [-o FILE] -- PROGRAM [ARG...]\n"
	"       hwflow emulate --show-log=FILE.truth [-t N]\n"
	"       hwflow emulate --recover=DIR\n"
	"\n"
	"Runs an arm64 or riscv64 Linux program under QEMU and records its trace: an arm64\n"
	"program is traced as by an ETE, a riscv64 program as by a RISC-V trace encoder. Threads,\n"
	"child processes and programs started by execve are traced as well. The command writes:\n"
	"\n"
	"  FILE         the trace, in the format of perf record (perf.data)\n"
	"  FILE.truth   the ground-truth log: each instruction that was executed\n"
	"  FILE.code    code that is in no file (signal trampolines, just-in-time compilers)\n"
	"\n"
	"  -o, --output=FILE    write the recording to FILE (default: perf.data)\n"
	"The program. A name without a slash is searched for in PATH; a script (#!) runs in its\n"
	"interpreter:\n"
	"  -L, --sysroot=DIR    search for program, interpreter and libraries below DIR first\n"
	"  --limit=N            record the first N instructions of each thread (suffixes K, M, "
	"G);\n"
	"                       0: all (default: 0)\n"
	"  --fixed-addresses    disable address space randomisation\n"
	"  --qemu=FILE          run this qemu-aarch64 or qemu-riscv64, version 7.2 or later\n"
	"                       (default: the one in PATH)\n"
	"  --plugin=FILE        use this hwflow-plugin.so (default: in the directory of the\n"
	"                       command, or where it is installed)\n"
	"  --qemu-option=ARG    pass ARG to QEMU; repeatable\n";

static const char help_riscv[] =
	"For a riscv64 program, only --filter=LO-HI of these is available, up to four times, and:\n"
	"  --protocol=riscv     the default for a riscv64 program; ete for an arm64 program\n"
	"  --dialect=NAME, --framing=NAME, --config=K=V[,...]   as for 'hwflow flow'.\n"
	"                       resync=N (max_resync=N in 0.026): packets between two\n"
	"                       synchronisations; with context_width_p, the thread number is the\n"
	"                       context\n"
	"  --traps=kernel|direct   a trap enters a kernel that is not traced (kernel, the "
	"default);\n"
	"                       or continues at the next instruction of the program (direct)\n"
	"  --blocks=N           blocks that the core retires in a cycle, 1 to 8; 0: single\n"
	"                       instructions (default: 0)\n";

static const char help_end[] =
	"Other:\n"
	"  --show-log=LOG       print a log as text, one instruction or exception on each line\n"
	"  -t, --tid=N          with --show-log: print only this thread\n"
	"  --no-truth           write no FILE.truth: faster, but FILE cannot be verified\n"
	"  --syscalls           record system calls, too, as the tracepoints raw_syscalls do\n"
	"  -q, --quiet          print no message if the run succeeds\n"
	"  --fail-on-loss       exit with status 124 if some instructions are not known\n"
	"  --keep               keep the temporary directory of the run, FILE.run-...\n"
	"  --recover=DIR        make FILE from DIR, the directory FILE.run-... of a run that was\n"
	"                       killed, up to where the run had come; then remove DIR\n"
	"  -h, --help           print this text\n"
	"\n"
	"Exit status: that of PROGRAM, 128 + N if signal N ended it; 1 wrong command line; 124 "
	"some\n"
	"instructions are not known, with --fail-on-loss; 125 the recording failed; 126 PROGRAM "
	"cannot\n"
	"be executed; 127 PROGRAM was not found. Without PROGRAM: 0 success; 2 the input cannot "
	"be\n"
	"read; 3 some instructions are not known.\n";

static int riscv_option(struct emulate_parse *parse, int value, const char *text)
{
	struct riscv_words *words = &parse->riscv;

	switch (value) {
	case OPT_PROTOCOL:
		words->protocol = text;
		return 0;
	case OPT_DIALECT:
		words->dialect = text;
		return 0;
	case OPT_FRAMING:
		words->framing = text;
		return 0;
	case OPT_CONFIG:
		words->config = text;
		return 0;
	case OPT_TRAPS:
		words->traps = text;
		return 0;
	case OPT_BLOCKS:
		words->blocks = text;
		return 0;
	default:
		return 1;
	}
}

static int other_option(struct emulate_parse *parse, int value, char *text)
{
	struct emulate_options *options = &parse->options;
	uint64_t tid;

	switch (value) {
	case 'o':
		options->output = text;
		return 0;
	case 'L':
		options->sysroot = text;
		return 0;
	case OPT_LIMIT:
		return unit_number("emulate", "limit", text, INT64_MAX, &options->limit);
	case OPT_FIXED:
		options->fixed_addresses = true;
		return 0;
	case OPT_QEMU:
		options->qemu = text;
		return 0;
	case OPT_PLUGIN:
		options->plugin = text;
		return 0;
	case OPT_QEMU_OPTION:
		options->qemu_options[parse->qemu_option_count++] = text;
		return 0;
	case OPT_SHOW_LOG:
		parse->show_log = text;
		return 0;
	case OPT_TID:
		if (unit_number("emulate", "tid", text, INT32_MAX, &tid))
			return -1;
		parse->tid = (int32_t)tid;
		return 0;
	case OPT_KEEP:
		options->keep = true;
		return 0;
	case OPT_QUIET:
		options->quiet = true;
		return 0;
	case OPT_FAIL_ON_LOSS:
		options->fail_on_loss = true;
		return 0;
	case OPT_NO_TRUTH:
		options->no_truth = true;
		return 0;
	case OPT_SYSCALLS:
		options->syscalls = true;
		return 0;
	case OPT_RECOVER:
		options->recover = text;
		return 0;
	default:
		return -1;
	}
}

static int check_ete(struct emulate_parse *parse)
{
	const struct riscv_words *words = &parse->riscv;

	if (words->protocol && strcmp(words->protocol, "ete") != 0)
		return unit_complain(
			"emulate", "protocol", words->protocol,
			"only a riscv64 program is traced with this protocol; omit the option");
	if (words->dialect || words->framing || words->config || words->traps || words->blocks) {
		print(stderr,
		      "hwflow emulate: %s is not a riscv64 program: --dialect, --framing, "
		      "--config, "
		      "--traps and --blocks are for riscv64 programs only\n",
		      parse->options.name);
		return -1;
	}
	return unit_parse_end(&parse->unit);
}

static int check_riscv(struct emulate_parse *parse)
{
	struct emulate_options *options = &parse->options;
	const struct riscv_words *words = &parse->riscv;
	const char *error;

	if (words->protocol && strcmp(words->protocol, "riscv") != 0)
		return unit_complain("emulate", "protocol", words->protocol,
				     "a riscv64 program is traced with --protocol=riscv only");
	if (parse->ete_option) {
		print(stderr,
		      "hwflow emulate: --%s: not supported for a riscv64 program; try --help\n",
		      parse->ete_option);
		return -1;
	}
	error = emulate_riscv_take(words, &options->encode.unit, &options->riscv);
	if (error && *error)
		print(stderr, "hwflow emulate: %s\n", error);
	return error ? -1 : 0;
}

/* Returns 0 or an exit status. */
static int check(struct emulate_parse *parse, int argc, char **argv)
{
	struct emulate_options *options = &parse->options;
	int status;

	if (options->recover) {
		if (optind == argc)
			return 0;
		unit_complain("emulate", "recover", options->recover,
			      "PROGRAM and its options are those of the run");
		return EXIT_USAGE;
	}
	if (parse->show_log) {
		if (optind == argc)
			return 0;
		unit_complain("emulate", "show-log", parse->show_log, "and no PROGRAM");
		return EXIT_USAGE;
	}
	if (!options->output)
		options->output = DEFAULT_INPUT;
	if (optind == argc) {
		fputs("hwflow emulate: no PROGRAM to run: hwflow emulate [OPTIONS] -- PROGRAM "
		      "[ARG...]; try --help\n",
		      stderr);
		return EXIT_USAGE;
	}
	status = emulate_program_find(&parse->program, argv + optind, options->sysroot);
	if (status)
		return status;
	options->name = parse->program.name;
	options->path = parse->program.path;
	options->interpreter = parse->program.interpreter;
	options->program = parse->program.words;
	options->is_riscv = parse->program.is_riscv;
	return (options->is_riscv ? check_riscv(parse) : check_ete(parse)) ? EXIT_USAGE : 0;
}

/* All options, and nothing of PROGRAM; as emulate_parse() */
static int take_options(struct emulate_parse *parse, int argc, char **argv)
{
	int value, at = 0;

	*parse = (struct emulate_parse){.tid = INPUT_ANY};
	unit_parse_init(&parse->unit, "emulate", &parse->options.encode);
	parse->options.argv = (const char *const *)argv;
	parse->options.argc = (size_t)argc;
	parse->options.qemu_options = calloc((size_t)argc + 1, sizeof(char *));
	if (!parse->options.qemu_options) {
		fputs("hwflow emulate: not enough memory\n", stderr);
		return EXIT_UNREADABLE;
	}
	optind = 1;
	while ((value = option_next(argc, argv, longs, true, &at)) != -1) {
		int taken;

		if (value == 'h') {
			fputs(help_begin, stdout);
			fputs(UNIT_HELP, stdout);
			fputs(help_riscv, stdout);
			fputs(help_end, stdout);
			return -1;
		}
		taken = unit_parse_option(&parse->unit, value, optarg);
		if (!taken && value != UNIT_OPT_FILTER)
			parse->ete_option = longs[at].name;
		if (taken > 0)
			taken = riscv_option(parse, value, optarg);
		if (taken > 0)
			taken = other_option(parse, value, optarg);
		if (taken)
			return EXIT_USAGE;
	}
	return 0;
}

int emulate_parse(struct emulate_parse *parse, int argc, char **argv)
{
	int status = take_options(parse, argc, argv);

	return status ? status : check(parse, argc, argv);
}

int emulate_parse_recovered(struct emulate_parse *parse, int argc, char **argv, bool riscv)
{
	int status = take_options(parse, argc, argv);

	if (status || optind == argc)
		return EXIT_USAGE;
	parse->options.name = argv[optind];
	parse->options.is_riscv = riscv;
	return (riscv ? check_riscv(parse) : check_ete(parse)) ? EXIT_USAGE : 0;
}

void emulate_parse_free(struct emulate_parse *parse)
{
	emulate_program_free(&parse->program);
	free(parse->options.qemu_options);
}
