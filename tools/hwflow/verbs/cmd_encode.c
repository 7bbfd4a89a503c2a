// SPDX-License-Identifier: GPL-2.0-only
/* hwflow encode: executed instructions to trace. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/option_next.h"
#include "base/print.h"
#include "cmd_encode.h"
#include "commands.h"

static const char help_begin[] =
	"usage: hwflow encode [OPTIONS] -o FILE [LOG]\n"
	"       hwflow encode [OPTIONS] --print-config\n"
	"\n"
	"Makes the trace that a trace unit produces for a log of executed instructions.\n"
	"\n"
	"LOG is a ground-truth log, written by 'hwflow emulate', or the text form of such a log, "
	"as\n"
	"'hwflow emulate --show-log' or another program prints it. Each line of the text is one\n"
	"event:\n"
	"\n"
	"  SEQ CPU TID EL ISA PC         17 -1 4711 0 A64 4005a8\n"
	"  SEQ CPU TID EXC TYPE RETURN   18 -1 4711 EXC call 4005ac\n"
	"  SEQ CPU TID GAP REASON -      19 -1 4711 GAP left -\n"
	"  SEQ CPU TID TRCIT EL VALUE    20 -1 4711 TRCIT 0 2a\n"
	"\n"
	"ISA is A64, A32 or T32; hwflow-truth(5) describes the fields. Without LOG, or if LOG is "
	"-,\n"
	"the log is read from standard input. FILE receives the bytes of the trace; - is standard\n"
	"output. This command decodes FILE:\n"
	"\n"
	"  hwflow flow $(hwflow encode OPTIONS --print-config) --image=PROGRAM FILE\n"
	"\n"
	"With --protocol=riscv, LOG is a ground-truth log of an RV64 program, or a text as RISC-V\n"
	"simulators write for the reference encoder: a line with these names, and then one\n"
	"instruction or trap on each line:\n"
	"\n"
	"  VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n"
	"\n"
	"The log:\n"
	"  -t, --tid=N          use the log of this thread; required if there is more than one\n"
	"  --image=FILE[@ADDRESS][:OFFSET,LENGTH]   with a text: read the program's code from "
	"FILE, an\n"
	"                       ELF file at the addresses in its program headers (or from "
	"ADDRESS),\n"
	"                       any other file at ADDRESS; repeatable\n"
	"The output:\n"
	"  -o, --output=FILE    write the trace to FILE\n"
	"  --protocol=ete|etmv4|etmv3|riscv   trace protocol (default: ete)\n"
	"  --print-config       print the options --protocol and --config that decode the trace\n"
	"ETMv3 and RISC-V:\n"
	"  --config=K=V[,...]   etmv3: registers ETMCR, ETMIDR (required), ETMCCER; LOG is a text\n"
	"  --p-headers=packed|cycle   etmv3: write as few P-headers as possible (the default), or "
	"one\n"
	"                       for each cycle (without cycle counts: for each instruction)\n"
	"  --dialect=NAME, --config=K=V[,...], --framing=NAME   riscv: as for 'hwflow flow';\n"
	"                       resync=N (in 0.026 max_resync=N): packets between "
	"synchronisations\n"
	"  --blocks=N, --filter=LO-HI   riscv: as for 'hwflow emulate'\n"
	"  --traps=kernel|direct   riscv, with a ground-truth log: as for 'hwflow emulate'\n"
	"  --privilege=N[,N...] riscv, with a text: trace only instructions at these levels\n"
	"  --quirk=post-iss     riscv: write the bytes of the reference encoder, including its\n"
	"                       deviations from the specification\n"
	"ETE:\n"
	"  --instrumentation    the trace unit has FEAT_ITE, which --revision=3 is required for:\n"
	"                       a TRCIT line of a text makes an Instrumentation packet\n"
	"The following options are for ete; etmv4 supports those without Q elements, source\n"
	"addresses and timestamp markers.\n";

static const char help_end[] =
	"Other:\n"
	"  -h, --help           print this text\n"
	"\nA text has no times and no contexts: time advances by one cycle with each instruction, "
	"and\n"
	"the context and virtual context identifiers are the thread number. Instructions above "
	"EL0\n"
	"are not traced.\n"
	"\n"
	"Exit status: 0 success; 1 wrong command line; 2 the log cannot be read, is damaged or\n"
	"contradicts the program, or FILE cannot be written.\n";

/* ---- options ---- */

static const struct encode_protocol *const protocols[INPUT_PROTOCOLS] = {
	[INPUT_ETE] = &encode_protocol_ete,
	[INPUT_ETMV4] = &encode_protocol_etmv4,
	[INPUT_ETMV3] = &encode_protocol_etm3,
	[INPUT_RISCV] = &encode_protocol_riscv,
};

static int check(struct encode_command *command, int argc, char **argv)
{
	if (argc - optind > 1) {
		encode_fail("one LOG expected, not %d; try --help", argc - optind);
		return EXIT_USAGE;
	}
	command->input.path = optind < argc ? argv[optind] : "-";
	if (!command->output && (!command->print_config || optind < argc)) {
		encode_fail("-o FILE is required; try --help");
		return EXIT_USAGE;
	}
	if (command->print_config && command->output && !strcmp(command->output, "-")) {
		encode_fail("--print-config and -o -: both write to standard output; run the "
			    "command twice");
		return EXIT_USAGE;
	}
	if (!command->input.protocol)
		command->input.protocol = INPUT_ETE;
	command->protocol = protocols[command->input.protocol];
	if (command->p_headers && command->input.protocol != INPUT_ETMV3) {
		encode_fail("--p-headers requires --protocol=etmv3");
		return EXIT_USAGE;
	}
	if (command->instrumentation && command->input.protocol != INPUT_ETE) {
		encode_fail("--instrumentation requires --protocol=ete");
		return EXIT_USAGE;
	}
	return command->protocol->check(command);
}

static int take_unit_option(struct encode_command *command, const struct option *option, int value)
{
	command->unit_option = option->name;
	/* the only one that RISC-V has, too */
	if (value != UNIT_OPT_FILTER)
		command->unit_only = option->name;
	return unit_parse_option(&command->unit, value, optarg);
}

static int take_option(struct encode_command *command, const struct option *option, int value)
{
	int taken = encode_etm3_option(command, value, optarg);

	if (taken > 0)
		taken = encode_riscv_option(command, value, optarg);
	if (taken > 0 && value >= UNIT_OPT_CYCLES && value < UNIT_OPT_OTHER)
		return take_unit_option(command, option, value);
	return taken > 0 ? input_option(&command->input, value, optarg) : taken;
}

static int parse(struct encode_command *command, int argc, char **argv)
{
	static const struct option longs[] = {
		UNIT_LONG_OPTIONS,
		{"output", required_argument, NULL, 'o'},
		{"tid", required_argument, NULL, INPUT_OPT_TID},
		{"image", required_argument, NULL, INPUT_OPT_IMAGE},
		{"protocol", required_argument, NULL, INPUT_OPT_PROTOCOL},
		{"dialect", required_argument, NULL, INPUT_OPT_DIALECT},
		{"config", required_argument, NULL, INPUT_OPT_CONFIG},
		{"framing", required_argument, NULL, INPUT_OPT_FRAMING},
		{"quirk", required_argument, NULL, ENCODE_OPT_QUIRK},
		{"p-headers", required_argument, NULL, ENCODE_OPT_P_HEADERS},
		{"traps", required_argument, NULL, ENCODE_OPT_TRAPS},
		{"blocks", required_argument, NULL, ENCODE_OPT_BLOCKS},
		{"privilege", required_argument, NULL, ENCODE_OPT_PRIVILEGE},
		{"instrumentation", no_argument, NULL, ENCODE_OPT_INSTRUMENTATION},
		{"print-config", no_argument, NULL, ENCODE_OPT_PRINT_CONFIG},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int value, index = 0;

	optind = 1;
	while ((value = option_next(argc, argv, longs, false, &index)) != -1) {
		if (value == 'h') {
			fputs(help_begin, stdout);
			fputs(UNIT_HELP, stdout);
			fputs(help_end, stdout);
			return -1;
		}
		if (value == 'o')
			command->output = optarg;
		else if (value == ENCODE_OPT_PRINT_CONFIG)
			command->print_config = true;
		else if (value == ENCODE_OPT_INSTRUMENTATION)
			command->instrumentation = true;
		else if (take_option(command, &longs[index], value))
			return EXIT_USAGE;
	}
	return check(command, argc, argv);
}

/* ---- the trace ---- */

static bool take_bytes(void *ctx, const uint8_t *bytes, size_t length)
{
	struct encode_job *job = ctx;

	return fwrite(bytes, 1, length, job->output.file) == length;
}

static bool take_session(void *ctx, uint64_t time)
{
	(void)ctx;
	(void)time;
	return true;
}

/* Writing FILE must not destroy what is read. */
static int open_output(struct encode_job *job)
{
	const struct input_options *input = &job->command->input;
	const char **read = calloc(input->image_count + 1, sizeof(*read));
	int status;

	if (!read)
		return encode_fail("not enough memory");
	read[0] = input->path;
	for (size_t i = 0; i < input->image_count; i++)
		read[i + 1] = input->images[i].file;
	status = output_open(&job->output, job->command->output, read, input->image_count + 1);
	free(read);
	if (status == -EEXIST) {
		encode_fail("-o %s: this file is the log or the program; write to another file",
			    job->command->output);
		return EXIT_USAGE;
	}
	return status ? encode_fail("%s: %s", job->command->output, strerror(-status)) : 0;
}

static int close_output(struct encode_job *job, int status)
{
	int error = output_close(&job->output, status == 0);

	return error && !status ? encode_fail("%s: %s", job->output.name, strerror(-error))
				: status;
}

static void say_notes(const struct encode_job *job)
{
	if (job->totals.gaps)
		print(stderr,
		      "hwflow encode: %" PRIu64
		      " gaps in the log: the instructions executed there are unknown\n",
		      job->totals.gaps);
	if (!job->totals.instructions)
		print(stderr, "hwflow encode: %s: the trace is empty: the log has no instruction\n",
		      job->name);
}

static int encode(const struct encode_command *command)
{
	const struct encode_protocol *protocol = command->protocol;
	struct encode_job job = {.command = command};
	const struct encode_sink sink = {.ctx = &job, .bytes = take_bytes, .session = take_session};
	int status = encode_open_log(&job);

	if (status)
		return status;
	if (protocol->check_log)
		status = protocol->check_log(&job);
	if (!status && job.truth)
		status = encode_choose_thread(&job);
	if (!status)
		status = open_output(&job);
	if (!status) {
		status = protocol->encode(&job, &sink);
		status = close_output(&job, status);
	}
	if (!status)
		say_notes(&job);
	encode_close_log(&job);
	return status;
}

/**
 * cmd_encode() - the verb encode
 * @argc: of the verb
 * @argv: of the verb
 *
 * Return: an exit status.
 */
int cmd_encode(int argc, char **argv)
{
	struct encode_command command = {0};
	int status;

	input_options_init(&command.input);
	unit_parse_init(&command.unit, "encode", &command.encode);
	status = parse(&command, argc, argv);
	if (!status && command.print_config)
		command.protocol->print_config(&command);
	if (!status && command.output)
		status = encode(&command);
	input_options_free(&command.input);
	return status < 0 ? EXIT_GOOD : status;
}
