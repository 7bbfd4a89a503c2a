// SPDX-License-Identifier: GPL-2.0-only
/* hwflow encode: executed instructions to trace. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "emulate_options.h"
#include "encode_etm3.h"
#include "etm3.h"
#include "encode_riscv.h"
#include "encode_text.h"
#include "input_private.h"
#include "output.h"

static const char help_begin[] =
	"usage: hwflow encode [OPTIONS] -o FILE [LOG]\n"
	"       hwflow encode [OPTIONS] --print-config\n\n"
	"Makes of executed instructions the trace that an ETE would give of them.\n\n"
	"LOG is a ground-truth log, as 'hwflow emulate' writes it, or its text, as 'hwflow "
	"emulate\n"
	"--show-log' prints it or any program may, one event a line:\n\n"
	"  SEQ CPU TID EL ISA PC         17 -1 4711 0 A64 4005a8\n"
	"  SEQ CPU TID EXC TYPE RETURN   18 -1 4711 EXC call 4005ac\n"
	"  SEQ CPU TID GAP REASON -      19 -1 4711 GAP left -\n\n"
	"ISA is A64, A32 or T32; the other fields: hwflow-truth(5). Without LOG, or where it is "
	"-,\n"
	"it is read from standard input. FILE receives the bytes of the trace, nothing else; - is\n"
	"standard output. To decode it:\n\n"
	"  hwflow flow $(hwflow encode OPTIONS --print-config) --image=PROGRAM FILE\n\n"
	"The log:\n"
	"  --tid=N              of this thread; needed where there are several\n"
	"  --image=FILE[@ADDRESS][:OFFSET,LENGTH]   the program, where LOG is text, which has no\n"
	"                       opcodes; repeatable; an ELF file by its headers (ADDRESS moves "
	"it),\n"
	"                       anything else as bytes at ADDRESS\n"
	"With --protocol=riscv LOG is a ground-truth log of RV64, or the text that RISC-V "
	"simulators\n"
	"write for the reference encoder, one instruction or trap a line behind a line of these\n"
	"names:\n\n"
	"  VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n\n"
	"The trace:\n"
	"  -o FILE              receives it\n"
	"  --protocol=ete|etmv4|etmv3|riscv   of this protocol (default: ete);\n"
	"                       etmv4 without Q elements\n"
	"  --dialect=NAME, --config=K=V[,...], --framing=NAME   of riscv: as for 'hwflow flow';\n"
	"                       resync=N, in 0.026 max_resync=N: packets between synchronisations\n"
	"  --config=K=V[,...]   of etmv3: ETMCR, ETMIDR, ETMCCER; ETMIDR is wanted; LOG is text\n"
	"  --p-headers=packed|cycle   of etmv3: as few P-headers as will do (the default), or one\n"
	"                       a cycle; without cycle counts one an instruction\n"
	"  --traps=kernel|direct, --blocks=N   of riscv, for a ground-truth log: as for 'hwflow\n"
	"                       emulate'; --filter=LO-HI, too\n"
	"  --quirk=post-iss     of riscv: the bytes of the reference encoder, its errors included\n"
	"  --print-config       print the options --protocol and --config with which it is "
	"decoded\n";

static const char help_end[] =
	"A text has no times and no contexts: time goes by instructions, and the context and\n"
	"virtual context identifiers are the thread's number. Instructions above EL0 are not\n"
	"traced.\n\n"
	"Exit status: 0 good; 1 wrong usage; 2 the log cannot be read, is damaged or contradicts "
	"the\n"
	"program, or FILE cannot be written.\n";

enum {
	OPT_PRINT_CONFIG = UNIT_OPT_OTHER,
	OPT_QUIRK,
	OPT_P_HEADERS,
	OPT_TRAPS,
	OPT_BLOCKS,
};

/* struct command - what the command line says; @riscv holds with @is_riscv, @etm3 with @is_etm3 */
struct command {
	struct encode_options encode;
	struct unit_parse unit;
	struct input_options input;
	struct encode_riscv riscv;
	struct encode_etm3 etm3;
	struct riscv_words words;
	const char *output;
	const char *unit_option; /* the last one of the trace unit's */
	const char *unit_only;   /* the last one that RISC-V has not */
	bool print_config;
	bool is_riscv;
	bool is_etm3;
	bool is_etmv4;
	bool p_headers; /* --p-headers was given */
};

/*
 * struct job - the log, and where the trace goes; @text NULL: it is binary, @thread of @truth, and
 * of RISC-V encoded as @riscv says
 */
struct job {
	const struct command *command;
	const char *name;
	FILE *text;
	struct truth *truth;
	size_t thread;
	struct encode_riscv_log riscv;
	struct output output;
	struct encode_totals totals;
};

static int __attribute__((format(printf, 1, 2))) fail(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("hwflow encode: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_UNREADABLE;
}

static bool is_stdio(const char *path)
{
	return !strcmp(path, "-");
}

/* ---- options ---- */

/*
 * The registers of an ETMv4.5 that traces the same, where there is one; false where not. TRCIDR0:
 * COMMTRANS and TSMARK are of ETE only.
 */
static bool make_etmv4(struct command *command)
{
	struct hwf_ete_regs *regs = &command->encode.unit.regs;

	if (command->unit.markers || command->encode.unit.source_address_interval ||
	    command->encode.unit.q_interval)
		return false;
	regs->protocol = HWF_PROTOCOL_ETMV4;
	regs->trcidr0 &= ~(1u << 30 | 1u << 23);
	regs->trcidr1 = (regs->trcidr1 & ~0xff0u) | 0x450u;
	regs->trcdevarch = 0;
	return true;
}

static int check_ete(struct command *command)
{
	const struct input_options *input = &command->input;

	if (input->dialect || input->config || input->framing || command->riscv.post_iss ||
	    command->words.traps || command->words.blocks) {
		fail("--dialect, --config, --framing, --traps, --blocks and --quirk want "
		     "--protocol=riscv");
		return EXIT_USAGE;
	}
	if (unit_parse_end(&command->unit))
		return EXIT_USAGE;
	if (command->is_etmv4 && !make_etmv4(command)) {
		fail("--protocol=etmv4: no --source-addresses, --timestamp-markers or "
		     "--q-elements");
		return EXIT_USAGE;
	}
	return 0;
}

static int check_riscv(struct command *command)
{
	const struct input_options *input = &command->input;
	struct encode_riscv *riscv = &command->riscv;
	const char *error;

	if (input->image_count || command->unit_only) {
		fail("--%s: not with --protocol=riscv; try --help",
		     input->image_count ? "image" : command->unit_only);
		return EXIT_USAGE;
	}
	command->words.dialect = input->dialect;
	command->words.framing = input->framing;
	command->words.config = input->config;
	if (!riscv_options_init(&riscv->riscv, input->dialect, input->framing) ||
	    !riscv_options_config(&riscv->riscv, input->config))
		return EXIT_USAGE;
	error = encode_riscv_check(riscv);
	if (!error)
		return 0;
	fail("--config: %s", error);
	return EXIT_USAGE;
}

static bool set_etm3_register(void *ctx, const char *name, uint32_t value)
{
	return etm3_set_register(ctx, name, value);
}

static int check_etm3(struct command *command)
{
	const struct input_options *input = &command->input;
	struct encode_etm3 *etm3 = &command->etm3;
	const char *other = input->dialect            ? "--dialect"
			    : input->framing          ? "--framing"
			    : command->riscv.post_iss ? "--quirk"
						      : command->unit_option;
	int status;

	if (other) {
		fail("%s: not with --protocol=etmv3; try --help", other);
		return EXIT_USAGE;
	}
	status = input_parse_config(input->config, "ETMv3", set_etm3_register, &etm3->regs);
	if (status)
		return status;
	if (!hwf_etm3_config_init(&etm3->config, &etm3->regs) && !etm3->config.data_only)
		return 0;
	fail("--config: want the ETMIDR of an ETMv3, such as 0x410cf250, and an ETMCR that traces "
	     "instructions");
	return EXIT_USAGE;
}

static int check(struct command *command, int argc, char **argv)
{
	const char *protocol = command->input.protocol;

	command->is_riscv = protocol && !strcmp(protocol, "riscv");
	command->is_etm3 = protocol && !strcmp(protocol, "etmv3");
	command->is_etmv4 = protocol && !strcmp(protocol, "etmv4");
	if (argc - optind > 1) {
		fail("want one LOG, not %d; try --help", argc - optind);
		return EXIT_USAGE;
	}
	command->input.path = optind < argc ? argv[optind] : "-";
	if (!command->output && (!command->print_config || optind < argc)) {
		fail("want -o FILE; try --help");
		return EXIT_USAGE;
	}
	if (command->print_config && command->output && is_stdio(command->output)) {
		fail("--print-config and -o -: standard output cannot take both; run it twice");
		return EXIT_USAGE;
	}
	if (command->input.protocol && !command->is_riscv && !command->is_etm3 &&
	    !command->is_etmv4 && strcmp(command->input.protocol, "ete") != 0) {
		fail("--protocol=%s: want ete, etmv4, etmv3 or riscv", command->input.protocol);
		return EXIT_USAGE;
	}
	if (command->is_etm3)
		return check_etm3(command);
	if (command->p_headers) {
		fail("--p-headers wants --protocol=etmv3");
		return EXIT_USAGE;
	}
	return command->is_riscv ? check_riscv(command) : check_ete(command);
}

static int take_quirk(struct command *command, const char *name)
{
	command->riscv.post_iss = !strcmp(name, "post-iss");
	if (!command->riscv.post_iss)
		fail("--quirk=%s: want post-iss", name);
	return command->riscv.post_iss ? 0 : -1;
}

static int take_p_headers(struct command *command, const char *name)
{
	command->p_headers = true;
	command->etm3.one_a_cycle = !strcmp(name, "cycle");
	if (command->etm3.one_a_cycle || !strcmp(name, "packed"))
		return 0;
	fail("--p-headers=%s: want packed or cycle", name);
	return -1;
}

static int take_unit_option(struct command *command, const struct option *option, int value)
{
	command->unit_option = option->name;
	/* the only one that RISC-V has, too */
	if (value != UNIT_OPT_FILTER)
		command->unit_only = option->name;
	return unit_parse_option(&command->unit, value, optarg);
}

static int parse(struct command *command, int argc, char **argv)
{
	static const struct option longs[] = {
		UNIT_LONG_OPTIONS,
		{"tid", required_argument, NULL, INPUT_OPT_TID},
		{"image", required_argument, NULL, INPUT_OPT_IMAGE},
		{"protocol", required_argument, NULL, INPUT_OPT_PROTOCOL},
		{"dialect", required_argument, NULL, INPUT_OPT_DIALECT},
		{"config", required_argument, NULL, INPUT_OPT_CONFIG},
		{"framing", required_argument, NULL, INPUT_OPT_FRAMING},
		{"quirk", required_argument, NULL, OPT_QUIRK},
		{"p-headers", required_argument, NULL, OPT_P_HEADERS},
		{"traps", required_argument, NULL, OPT_TRAPS},
		{"blocks", required_argument, NULL, OPT_BLOCKS},
		{"print-config", no_argument, NULL, OPT_PRINT_CONFIG},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int value, index = 0;

	optind = 1;
	while ((value = getopt_long(argc, argv, "o:h", longs, &index)) != -1) {
		int taken = 0;

		if (value == 'h') {
			fputs(help_begin, stdout);
			fputs(UNIT_HELP, stdout);
			fputs(help_end, stdout);
			return -1;
		}
		if (value == 'o')
			command->output = optarg;
		else if (value == OPT_PRINT_CONFIG)
			command->print_config = true;
		else if (value == OPT_QUIRK)
			taken = take_quirk(command, optarg);
		else if (value == OPT_P_HEADERS)
			taken = take_p_headers(command, optarg);
		else if (value == OPT_TRAPS)
			command->words.traps = optarg;
		else if (value == OPT_BLOCKS)
			command->words.blocks = optarg;
		else if (value >= UNIT_OPT_CYCLES && value < UNIT_OPT_OTHER)
			taken = take_unit_option(command, &longs[index], value);
		else
			taken = input_option(&command->input, value, optarg);
		if (taken)
			return EXIT_USAGE;
	}
	return check(command, argc, argv);
}

/* What of the command line matters to the commands that decode */
static void print_given_config(const struct input_options *input)
{
	printf("--protocol=%s", input->protocol);
	if (input->dialect)
		printf(" --dialect=%s", input->dialect);
	if (input->framing)
		printf(" --framing=%s", input->framing);
	if (input->config)
		printf(" --config=%s", input->config);
	putchar('\n');
}

/* In the form that --config of the commands that decode takes */
static void print_config(const struct hwf_ete_regs *regs)
{
	printf("--protocol=%s --config=TRCCONFIGR=%#" PRIx32 ",TRCTRACEIDR=%#" PRIx32
	       ",TRCIDR0=%#" PRIx32 ",TRCIDR1=%#" PRIx32 ",TRCIDR2=%#" PRIx32 ",TRCIDR8=%#" PRIx32
	       ",TRCDEVARCH=%#" PRIx32 ",TRCAUTHSTATUS=%#" PRIx32 "\n",
	       regs->protocol == HWF_PROTOCOL_ETMV4 ? "etmv4" : "ete", regs->trcconfigr,
	       regs->trctraceidr, regs->trcidr0, regs->trcidr1, regs->trcidr2, regs->trcidr8,
	       regs->trcdevarch, regs->trcauthstatus);
}

/* ---- the log ---- */

/* What is left of a stream, as a file; @magic was read from it already. */
static FILE *spool(FILE *in, const char *magic, size_t length)
{
	FILE *file = tmpfile();
	char bytes[4096];

	while (file && length) {
		if (fwrite(magic, 1, length, file) != length)
			break;
		magic = bytes;
		length = fread(bytes, 1, sizeof(bytes), in);
	}
	if (!file || (!ferror(in) && !ferror(file) && !fflush(file)))
		return file;
	fclose(file);
	return NULL;
}

static int open_binary(struct job *job, FILE *in, const char *magic, size_t length)
{
	char message[TRUTH_MESSAGE];
	struct stat status;
	bool mapped = !fstat(fileno(in), &status) && S_ISREG(status.st_mode);
	FILE *file = mapped ? in : spool(in, magic, length);
	int error;

	if (!file)
		return fail("%s: cannot keep it in a temporary file: %s", job->name,
			    strerror(errno));
	error = truth_open_fd(&job->truth, fileno(file), job->name, message);
	if (!mapped)
		fclose(file);
	return error ? fail("%s", message) : 0;
}

/* Text begins with a number, that of RISC-V with a name: no byte of the magic is to be put back. */
static bool is_text(const struct job *job, int first)
{
	if (job->command->is_riscv)
		return first != (int)(TRUTH_MAGIC & 0xff);
	return first >= '0' && first <= '9';
}

static int open_log(struct job *job)
{
	const uint64_t magic = TRUTH_MAGIC;
	const char *path = job->command->input.path;
	FILE *in = is_stdio(path) ? stdin : fopen(path, "re");
	char bytes[sizeof(magic)];
	int first, status;

	job->name = is_stdio(path) ? "standard input" : path;
	if (!in)
		return fail("%s: %s", path, strerror(errno));
	first = getc(in);
	if (first == EOF && !job->command->is_riscv) {
		status = ferror(in) ? fail("%s: %s", job->name, strerror(errno))
				    : fail("%s: it is empty, and no log", job->name);
	} else if (is_text(job, first)) {
		ungetc(first, in);
		job->text = in;
		return 0;
	} else {
		bytes[0] = (char)first;
		if (fread(bytes + 1, 1, sizeof(bytes) - 1, in) == sizeof(bytes) - 1 &&
		    !memcmp(bytes, &magic, sizeof(bytes)))
			status = open_binary(job, in, bytes, sizeof(bytes));
		else
			status = fail("%s: offset 0: this is neither a ground-truth log nor its "
				      "text; 'hwflow emulate' makes both",
				      job->name);
	}
	if (in != stdin)
		fclose(in);
	return status;
}

static void close_log(struct job *job)
{
	if (job->text && job->text != stdin)
		fclose(job->text);
	truth_close(job->truth);
}

/* ---- the trace ---- */

static bool take_bytes(void *ctx, const uint8_t *bytes, size_t length)
{
	struct job *job = ctx;

	return fwrite(bytes, 1, length, job->output.file) == length;
}

static bool take_session(void *ctx, uint64_t time)
{
	(void)ctx;
	(void)time;
	return true;
}

/* The one thread, or the one asked for */
static int choose_thread(struct job *job)
{
	size_t count = truth_threads(job->truth);
	int32_t tid = job->command->input.tid;
	ptrdiff_t thread;

	if (!count)
		return fail("%s: nothing was executed: the log has no thread", job->name);
	if (tid == INPUT_ANY && count > 1) {
		fail("%s: there are %zu threads, %" PRId32 " and %" PRId32
		     " among them: choose one with --tid=N",
		     job->name, count, truth_thread(job->truth, 0)->tid,
		     truth_thread(job->truth, 1)->tid);
		return EXIT_USAGE;
	}
	thread = tid == INPUT_ANY ? 0 : truth_find(job->truth, tid);
	if (thread < 0)
		return fail("%s: there is no thread %" PRId32
			    ": choose another --tid, such as %" PRId32,
			    job->name, tid, truth_thread(job->truth, 0)->tid);
	job->thread = (size_t)thread;
	return 0;
}

static int encode_binary(struct job *job, const struct encode_sink *sink)
{
	char message[TRUTH_MESSAGE];
	int status = encode_thread(job->truth, job->thread, &job->command->encode, sink,
				   &job->totals, message);

	if (status == -EIO)
		return fail("%s: %s: %s", job->output.name, message, strerror(errno));
	return status ? fail("%s: %s", job->name, message) : 0;
}

static int encode_lines(struct job *job, const struct encode_sink *sink)
{
	const struct input_options *input = &job->command->input;
	struct code_files *files = code_files_new();
	struct encode_text text = {.name = job->name, .in = job->text, .tid = input->tid};
	char message[TRUTH_MESSAGE] = "not enough memory";
	int status = files ? 0 : -ENOMEM;

	for (size_t i = 0; i < input->image_count && !status; i++) {
		if (code_files_add(files, &input->images[i])) {
			code_files_free(files);
			return EXIT_UNREADABLE;
		}
	}
	if (!status && !(text.code = code_files_code(files, true)))
		status = -ENOMEM;
	if (!status && job->command->is_etm3) {
		struct encode_etm3 etm3 = job->command->etm3;

		etm3.text = text;
		status = encode_etm3(&etm3, sink, &job->totals, message);
	} else if (!status) {
		status = encode_text(&text, &job->command->encode, sink, &job->totals, message);
	}
	code_files_free(files);
	if (!status)
		return 0;
	if (status == -EIO && !ferror(job->text))
		return fail("%s: %s: %s", job->output.name, message, strerror(errno));
	fail("%s", message);
	return status == -ENOTUNIQ ? EXIT_USAGE : EXIT_UNREADABLE;
}

static int encode_csv(struct job *job, const struct encode_sink *sink)
{
	struct encode_riscv riscv = job->command->riscv;
	char message[TRUTH_MESSAGE];
	int status;

	riscv.name = job->name;
	riscv.in = job->text;
	status = encode_riscv(&riscv, sink, &job->totals, message);
	if (status == -EIO && !ferror(job->text))
		return fail("%s: %s: %s", job->output.name, message, strerror(errno));
	return status ? fail("%s", message) : 0;
}

static int encode_riscv_binary(struct job *job, const struct encode_sink *sink)
{
	char message[TRUTH_MESSAGE];
	int status = encode_riscv_thread(job->truth, job->thread, &job->riscv, sink, &job->totals,
					 message);

	if (status == -EIO)
		return fail("%s: %s: %s", job->output.name, message, strerror(errno));
	return status ? fail("%s: %s", job->name, message) : 0;
}

/* What only one of the two kinds of log has, and only that one may be asked for */
static int check_riscv_log(struct job *job)
{
	const struct command *command = job->command;
	const char *error = NULL;

	if (job->truth && command->riscv.post_iss)
		error = "--quirk=post-iss: it is for the text of a simulator";
	else if (job->truth)
		error = emulate_riscv_take(&command->words, &command->encode.unit, &job->riscv);
	else if (command->input.tid != INPUT_ANY || command->words.traps || command->words.blocks ||
		 command->encode.unit.include_ranges)
		error = "--tid, --filter, --traps and --blocks are for a ground-truth log";
	if (error && *error)
		fail("%s", error);
	return error ? EXIT_USAGE : 0;
}

static int encode_job(struct job *job, const struct encode_sink *sink)
{
	if (job->command->is_riscv)
		return job->text ? encode_csv(job, sink) : encode_riscv_binary(job, sink);
	return job->text ? encode_lines(job, sink) : encode_binary(job, sink);
}

/* Writing FILE must not destroy what is read. */
static int open_output(struct job *job)
{
	const struct input_options *input = &job->command->input;
	const char **read = calloc(input->image_count + 1, sizeof(*read));
	int status;

	if (!read)
		return fail("not enough memory");
	read[0] = input->path;
	for (size_t i = 0; i < input->image_count; i++)
		read[i + 1] = input->images[i].file;
	status = output_open(&job->output, job->command->output, read, input->image_count + 1);
	free(read);
	if (status == -EEXIST) {
		fail("-o %s: this is the log or the program: write to another file",
		     job->command->output);
		return EXIT_USAGE;
	}
	return status ? fail("%s: %s", job->command->output, strerror(-status)) : 0;
}

static int close_output(struct job *job, int status)
{
	int error = output_close(&job->output, status == 0);

	return error && !status ? fail("%s: %s", job->output.name, strerror(-error)) : status;
}

static void say_notes(const struct job *job)
{
	if (job->totals.gaps)
		fprintf(stderr, "hwflow encode: %" PRIu64 " gaps in what is known of the run\n",
			job->totals.gaps);
	if (!job->totals.instructions)
		fprintf(stderr, "hwflow encode: %s: no instruction was executed\n", job->name);
}

static int encode(const struct command *command)
{
	struct job job = {.command = command};
	const struct encode_sink sink = {.ctx = &job, .bytes = take_bytes, .session = take_session};
	int status = open_log(&job);

	if (status)
		return status;
	if (command->is_riscv)
		status = check_riscv_log(&job);
	if (job.truth && command->is_etm3)
		status = fail("%s: --protocol=etmv3 wants the text of a log: 'hwflow emulate "
			      "--show-log' prints it",
			      job.name);
	else if (!status && job.truth)
		status = choose_thread(&job);
	if (!status)
		status = open_output(&job);
	if (!status) {
		status = encode_job(&job, &sink);
		status = close_output(&job, status);
	}
	if (!status)
		say_notes(&job);
	close_log(&job);
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
	struct command command = {0};
	int status;

	input_options_init(&command.input);
	unit_parse_init(&command.unit, "encode", &command.encode);
	status = parse(&command, argc, argv);
	if (!status && command.print_config && (command.is_riscv || command.is_etm3))
		print_given_config(&command.input);
	else if (!status && command.print_config)
		print_config(&command.encode.unit.regs);
	if (!status && command.output)
		status = encode(&command);
	input_options_free(&command.input);
	return status < 0 ? EXIT_GOOD : status;
}
