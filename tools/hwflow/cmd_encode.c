// SPDX-License-Identifier: GPL-2.0-only
/* hwflow encode: executed instructions to trace. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "emulate_options.h"
#include "encode_text.h"
#include "input_private.h"

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
	"The trace:\n"
	"  -o FILE              receives it\n"
	"  --protocol=ete|etmv4   of this protocol (default: ete); ETMv4 without Q elements\n"
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
};

/* struct command - what the command line says */
struct command {
	struct encode_options encode;
	struct unit_parse unit;
	struct input_options input;
	const char *output;
	bool print_config;
};

/*
 * struct job - the log, and where the trace goes; @text NULL: it is binary, @thread of @truth;
 * @temporary: what is written, to be renamed to @target; "" where the trace goes there itself
 */
struct job {
	const struct command *command;
	const char *name;
	const char *out_name;
	FILE *text;
	struct truth *truth;
	size_t thread;
	FILE *out;
	char target[PATH_MAX];
	char temporary[PATH_MAX];
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

static int check(struct command *command, int argc, char **argv)
{
	const char *protocol = command->input.protocol ? command->input.protocol : "ete";
	bool etmv4 = strcmp(protocol, "etmv4") == 0;

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
	if (!etmv4 && strcmp(protocol, "ete") != 0) {
		fail("--protocol=%s: want ete or etmv4", protocol);
		return EXIT_USAGE;
	}
	if (unit_parse_end(&command->unit))
		return EXIT_USAGE;
	if (etmv4 && !make_etmv4(command)) {
		fail("--protocol=etmv4: no --source-addresses, --timestamp-markers or "
		     "--q-elements");
		return EXIT_USAGE;
	}
	return 0;
}

static int parse(struct command *command, int argc, char **argv)
{
	static const struct option longs[] = {
		UNIT_LONG_OPTIONS,
		{"tid", required_argument, NULL, INPUT_OPT_TID},
		{"image", required_argument, NULL, INPUT_OPT_IMAGE},
		{"protocol", required_argument, NULL, INPUT_OPT_PROTOCOL},
		{"print-config", no_argument, NULL, OPT_PRINT_CONFIG},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int value;

	optind = 1;
	while ((value = getopt_long(argc, argv, "o:h", longs, NULL)) != -1) {
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
		else if (value >= UNIT_OPT_CYCLES && value < UNIT_OPT_OTHER)
			taken = unit_parse_option(&command->unit, value, optarg);
		else
			taken = input_option(&command->input, value, optarg);
		if (taken)
			return EXIT_USAGE;
	}
	return check(command, argc, argv);
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

/* Text begins with a number: no byte of the magic has to be put back. */
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
	if (first == EOF) {
		status = ferror(in) ? fail("%s: %s", job->name, strerror(errno))
				    : fail("%s: it is empty, and no log", job->name);
	} else if (first >= '0' && first <= '9') {
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

	return fwrite(bytes, 1, length, job->out) == length;
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
		return fail("%s: %s: %s", job->out_name, message, strerror(errno));
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
	if (!status)
		status = encode_text(&text, &job->command->encode, sink, &job->totals, message);
	code_files_free(files);
	if (!status)
		return 0;
	if (status == -EIO && !ferror(job->text))
		return fail("%s: %s: %s", job->out_name, message, strerror(errno));
	fail("%s", message);
	return status == -ENOTUNIQ ? EXIT_USAGE : EXIT_UNREADABLE;
}

/* Would writing @output destroy the file that @path names while it is read? */
static bool is_same(const struct stat *output, const char *path)
{
	struct stat status;
	int error = is_stdio(path) ? fstat(STDIN_FILENO, &status) : stat(path, &status);

	return !error && S_ISREG(status.st_mode) && status.st_dev == output->st_dev &&
	       status.st_ino == output->st_ino;
}

static mode_t mode_of_new_file(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/*
 * A file beside FILE that is to take its place, with its permissions; @old is what is there, where
 * anything is. NULL with errno set.
 */
static FILE *open_temporary(struct job *job, const struct stat *old)
{
	FILE *out = NULL;
	int fd;

	if (old && access(job->out_name, W_OK))
		return NULL;
	/* what a link points to is written, not the link */
	if (!old)
		snprintf(job->target, PATH_MAX, "%s", job->out_name);
	else if (!realpath(job->out_name, job->target))
		return NULL;
	if (snprintf(job->temporary, PATH_MAX, "%s.XXXXXX", job->target) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	fd = mkostemp(job->temporary, O_CLOEXEC);
	if (fd >= 0 && !fchmod(fd, old ? old->st_mode & 0777 : mode_of_new_file()))
		out = fdopen(fd, "w");
	if (out)
		return out;
	if (fd >= 0) {
		close(fd);
		unlink(job->temporary);
	}
	return NULL;
}

static int open_output(struct job *job)
{
	const struct command *command = job->command;
	const struct input_options *input = &command->input;
	struct stat output;
	bool exists, same;

	job->out = stdout;
	job->out_name = "standard output";
	if (is_stdio(command->output))
		return 0;
	job->out_name = command->output;
	exists = !stat(command->output, &output);
	if (exists) {
		same = is_same(&output, input->path);
		for (size_t i = 0; i < input->image_count && !same; i++)
			same = is_same(&output, input->images[i].file);
		if (same) {
			fail("-o %s: this is the log or the program: write to another file",
			     command->output);
			return EXIT_USAGE;
		}
	}
	/* FILE is what it was until the trace is whole, but for devices and the like */
	if (exists && !S_ISREG(output.st_mode))
		job->out = fopen(command->output, "we");
	else
		job->out = open_temporary(job, exists ? &output : NULL);
	return job->out ? 0 : fail("%s: %s", command->output, strerror(errno));
}

/* What is not whole is no trace: it is taken away, and FILE left as it was. */
static int close_output(struct job *job, int status)
{
	int error = job->out == stdout ? fflush(stdout) : fclose(job->out);

	if (!error && !status && *job->temporary)
		error = rename(job->temporary, job->target);
	if (error && !status)
		status = fail("%s: %s", job->out_name, strerror(errno));
	if (status && *job->temporary)
		unlink(job->temporary);
	return status;
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
	if (job.truth)
		status = choose_thread(&job);
	if (!status)
		status = open_output(&job);
	if (!status) {
		status = job.text ? encode_lines(&job, &sink) : encode_binary(&job, &sink);
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
	if (!status && command.print_config)
		print_config(&command.encode.unit.regs);
	if (!status && command.output)
		status = encode(&command);
	input_options_free(&command.input);
	return status < 0 ? EXIT_GOOD : status;
}
