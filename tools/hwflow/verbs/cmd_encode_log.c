// SPDX-License-Identifier: GPL-2.0-only
/* hwflow encode: its log, binary or text. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/input_file.h"
#include "base/print.h"
#include "cmd_encode.h"

int encode_fail(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("hwflow encode: ", stderr);
	va_start(args, format);
	print_list(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_UNREADABLE;
}

bool encode_is_lines(int first)
{
	return first >= '0' && first <= '9';
}

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

static int open_binary(struct encode_job *job, FILE *in, const char *magic, size_t length)
{
	char message[TRUTH_MESSAGE];
	struct stat status;
	bool mapped = !fstat(fileno(in), &status) && S_ISREG(status.st_mode);
	FILE *file = mapped ? in : spool(in, magic, length);
	int error;

	if (!file)
		return encode_fail("%s: cannot be copied to a temporary file: %s", job->name,
				   strerror(errno));
	error = truth_open_fd(&job->truth, fileno(file), job->name, message);
	if (!mapped)
		fclose(file);
	return error ? encode_fail("%s", message) : 0;
}

int encode_open_log(struct encode_job *job)
{
	const uint64_t magic = TRUTH_MAGIC;
	const char *path = job->command->input.path;
	const bool is_stdin = !strcmp(path, "-");
	FILE *in = is_stdin ? stdin : input_file_stream(path, 0);
	char bytes[sizeof(magic)];
	int first, status;

	job->name = is_stdin ? "standard input" : path;
	if (!in)
		return encode_fail("%s: %s%s", path, input_file_error(-errno),
				   errno == ESPIPE ? ", or give - and the contents on standard "
						     "input"
						   : "");
	first = getc(in);
	if (first == EOF && ferror(in)) {
		status = encode_fail("%s: %s", job->name, strerror(errno));
	} else if (job->command->protocol->is_text(first)) {
		ungetc(first, in);
		job->text = in;
		return 0;
	} else if (first == EOF) {
		status = encode_fail("%s: the log is empty", job->name);
	} else {
		bytes[0] = (char)first;
		if (fread(bytes + 1, 1, sizeof(bytes) - 1, in) == sizeof(bytes) - 1 &&
		    !memcmp(bytes, &magic, sizeof(bytes)))
			status = open_binary(job, in, bytes, sizeof(bytes));
		else
			status = encode_fail("%s: offset 0: this is neither a ground-truth log nor "
					     "the text form of a log; 'hwflow emulate' writes both",
					     job->name);
	}
	if (in != stdin)
		fclose(in);
	return status;
}

void encode_close_log(struct encode_job *job)
{
	if (job->text && job->text != stdin)
		fclose(job->text);
	truth_close(job->truth);
}

int encode_choose_thread(struct encode_job *job)
{
	size_t count = truth_threads(job->truth);
	int32_t tid = job->command->input.tid;
	ptrdiff_t thread;

	if (!count)
		return encode_fail("%s: the log has no thread", job->name);
	if (tid == INPUT_ANY && count > 1) {
		encode_fail("%s: the log has %zu threads, for example %" PRId32 " and %" PRId32
			    "; select one with --tid=N",
			    job->name, count, truth_thread(job->truth, 0)->tid,
			    truth_thread(job->truth, 1)->tid);
		return EXIT_USAGE;
	}
	thread = tid == INPUT_ANY ? 0 : truth_find(job->truth, tid);
	if (thread < 0)
		return encode_fail("%s: the log has no thread %" PRId32
				   "; select another one with --tid, for example %" PRId32,
				   job->name, tid, truth_thread(job->truth, 0)->tid);
	job->thread = (size_t)thread;
	return 0;
}

int encode_status(const struct encode_job *job, int status, const char *message)
{
	if (!status)
		return 0;
	if (status == -EIO && !(job->text && ferror(job->text)))
		return encode_fail("%s: %s: %s", job->output.name, message, strerror(errno));
	if (job->text)
		encode_fail("%s", message);
	else
		encode_fail("%s: %s", job->name, message);
	return status == -ENOTUNIQ ? EXIT_USAGE : EXIT_UNREADABLE;
}

int encode_lines(struct encode_job *job, const struct encode_sink *sink, encode_lines_fn *encode)
{
	const struct input_options *input = &job->command->input;
	struct code_files *files = code_files_new(NULL);
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
		status = encode(job, &text, sink, message);
	code_files_free(files);
	return encode_status(job, status, message);
}

void encode_print_given(const struct encode_command *command)
{
	const struct input_options *input = &command->input;

	print(stdout, "--protocol=%s", input_protocol_word(input->protocol));
	if (input->dialect)
		print(stdout, " --dialect=%s", input->dialect);
	if (input->framing)
		print(stdout, " --framing=%s", input->framing);
	if (input->config)
		print(stdout, " --config=%s", input->config);
	putchar('\n');
}
