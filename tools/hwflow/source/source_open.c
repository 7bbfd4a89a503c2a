// SPDX-License-Identifier: GPL-2.0-only
/* Opening SRC, whatever it is. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cpus.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/print.h"
#include "input_private.h"
#include "perfdata/perfdata_read.h"
#include "protocol.h"
#include "truth/truth_format.h"

/* Processes that decode, where nobody says how many: the first process has more to do with the
 * results of more of them than it has time for */
#define DEFAULT_JOBS 16u
/* Bytes of trace for each of these */
#define JOB_BYTES 0x400000u

static bool selected(const struct input_source *source, const struct input_options *options)
{
	return (!options->source || !strcmp(options->source, source->name)) &&
	       (options->cpu == INPUT_ANY || options->cpu == source->cpu) &&
	       (options->tid == INPUT_ANY || options->tid == source->tid);
}

static size_t trace_bytes(const struct input_source *source)
{
	size_t bytes = 0;

	for (size_t i = 0; i < source->piece_count; i++)
		bytes += source->pieces[i].length;
	return bytes;
}

/* @bytes receives the bytes of their trace */
static int select_sources(struct input *input, const struct input_options *options, size_t *bytes)
{
	size_t all = input->source_count;
	size_t kept = 0;

	for (size_t i = 0; i < all; i++) {
		if (!selected(&input->sources[i], options)) {
			input_free_source(&input->sources[i]);
			continue;
		}
		*bytes += trace_bytes(&input->sources[i]);
		input->sources[kept++] = input->sources[i];
	}
	input->source_count = kept;
	if (kept)
		return 0;
	if (all)
		input_error(input->path, UINT64_MAX,
			    "no trace of this --source, --cpu or --tid; 'hwflow dump' without "
			    "these options prints the sources");
	else if (input->is_capture)
		input_error(
			input->path, UINT64_MAX,
			"no trace that hwflow can decode in this capture; types are ETE, ETM4 and "
			"ETM3");
	else if (input->is_raw)
		input_error(input->path, UINT64_MAX, "no CoreSight frame has a trace ID");
	else
		input_error(input->path, UINT64_MAX,
			    "no trace that hwflow can decode; a perf.data file must be recorded "
			    "with -e cs_etm// or by 'hwflow emulate'");
	return EXIT_UNREADABLE;
}

/* What a file is, from how it begins */
enum file_kind {
	FILE_OTHER,
	FILE_EMPTY,
	FILE_PERFDATA,
	FILE_PROFILE,
	FILE_TRUTH,
};

static int look_at(const char *path, enum file_kind *kind)
{
	const uint64_t truth = TRUTH_MAGIC;
	struct file_map map;
	int err = file_map(&map, path, 0);

	if (err) {
		input_error(path, UINT64_MAX, "%s", input_file_error(err));
		return EXIT_UNREADABLE;
	}
	if (!map.size)
		*kind = FILE_EMPTY;
	else if (perfdata_is_perfdata(map.bytes, map.size))
		*kind = FILE_PERFDATA;
	else if (input_is_profile(&map))
		*kind = FILE_PROFILE;
	else if (map.size >= sizeof(truth) && !memcmp(map.bytes, &truth, sizeof(truth)))
		*kind = FILE_TRUTH;
	else
		*kind = FILE_OTHER;
	file_unmap(&map);
	return 0;
}

static int open_file(struct input *input, const struct input_options *options)
{
	enum file_kind kind;
	int status = look_at(options->path, &kind);

	if (status)
		return status;
	if (options->protocol && kind == FILE_PERFDATA) {
		input_error(options->path, 0,
			    "this is a perf.data file, which contains its trace protocol; remove "
			    "--protocol");
		return EXIT_USAGE;
	}
	if (options->protocol)
		return options->protocol == INPUT_RISCV ? input_open_riscv(input, options)
							: input_open_raw(input, options);
	if (kind == FILE_PERFDATA)
		return input_open_perfdata(input, options, false);
	if (kind == FILE_PROFILE && options->profiles)
		return input_open_profile(input, options);
	if (kind == FILE_EMPTY)
		input_error(options->path, 0, "the file is empty; was the recording interrupted?");
	else if (kind == FILE_PROFILE)
		input_error(options->path, 0,
			    "this is a profile: it has counts, and no trace; 'hwflow report', "
			    "'annotate', 'diff' and 'profile' read it");
	else if (kind == FILE_TRUTH)
		input_error(options->path, 0,
			    "this is a ground-truth log; 'hwflow emulate --show-log' prints it, "
			    "and 'hwflow encode' makes a trace from it");
	else
		input_error(options->path, 0,
			    "neither a perf.data file nor a capture directory; raw trace bytes "
			    "need --protocol and --config");
	return EXIT_UNREADABLE;
}

/* Options that RISC-V alone has, and that no other protocol may be given; or raw bytes alone */
static bool is_misplaced(const struct input_options *options)
{
	const struct protocol *protocol = protocol_number(options->protocol);
	const char *framing = options->framing ? options->framing : "none";

	if (protocol && protocol->dialect)
		return false;
	if (options->dialect)
		print(stderr, "hwflow: --dialect=%s: only with --protocol=riscv\n",
		      options->dialect);
	else if (strcmp(framing, "none") != 0 && strcmp(framing, "coresight") != 0)
		print(stderr, "hwflow: --framing=%s: only with --protocol=riscv\n", framing);
	else if (!options->protocol && (options->config || options->framing))
		print(stderr, "hwflow: --%s: only with --protocol, for raw bytes\n",
		      options->config ? "config" : "framing");
	else
		return false;
	return true;
}

static int check_directory(const char *option, const char *directory)
{
	struct stat st;
	int error = 0;

	if (stat(directory, &st))
		error = errno;
	else if (!S_ISDIR(st.st_mode))
		error = ENOTDIR;
	if (!error)
		return 0;
	print(stderr, "hwflow: --%s=%s: %s\n", option, directory, strerror(error));
	return EXIT_UNREADABLE;
}

int input_check_directories(const struct input_options *options)
{
	int status = options->symfs ? check_directory("symfs", options->symfs) : 0;

	for (size_t i = 0; !status && i < options->debug_directory_count; i++)
		status = check_directory("debug-dir", options->debug_directories[i]);
	return status;
}

static int open_path(struct input *input, const struct input_options *options)
{
	struct stat st;
	int status = input_check_directories(options);

	if (status)
		return status;
	if (stat(options->path, &st)) {
		input_error(options->path, UINT64_MAX, "%s", strerror(errno));
		return EXIT_UNREADABLE;
	}
	if (S_ISREG(st.st_mode))
		return open_file(input, options);
	if (!S_ISDIR(st.st_mode)) {
		input_error(options->path, UINT64_MAX,
			    "neither a file nor a directory; copy the contents of a pipe "
			    "or a device to a file first");
		return EXIT_UNREADABLE;
	}
	if (options->protocol) {
		input_error(options->path, UINT64_MAX,
			    "this is a directory; --protocol requires a file of raw trace bytes");
		return EXIT_USAGE;
	}
	return input_is_perf_directory(options->path) ? input_open_perfdata(input, options, true)
						      : input_open_snapshot(input, options);
}

/* Processes that decode where nobody says how many: fewer where each would have less than
 * JOB_BYTES of trace, since starting them would take longer than they save */
static unsigned int default_jobs(size_t bytes)
{
	const unsigned int cpus = cpus_available();
	const size_t most = cpus < DEFAULT_JOBS ? cpus : DEFAULT_JOBS;
	const size_t jobs = bytes / JOB_BYTES;

	return (unsigned int)(jobs < 1 ? 1 : jobs < most ? jobs : most);
}

/* Pieces without trace have an address as well: 0 cannot be added to a null pointer. */
static void place_empty_pieces(struct input *input)
{
	static const uint8_t nothing[1];

	for (size_t i = 0; i < input->source_count; i++)
		for (size_t j = 0; j < input->sources[i].piece_count; j++)
			if (!input->sources[i].pieces[j].bytes)
				input->sources[i].pieces[j].bytes = nothing;
}

int source_open(struct input **result, const struct input_options *options)
{
	struct input *input;
	size_t bytes = 0;
	int status;

	if (is_misplaced(options))
		return EXIT_USAGE;
	input = calloc(1, sizeof(*input));
	if (!input) {
		input_error(options->path, UINT64_MAX, "out of memory");
		return EXIT_UNREADABLE;
	}
	input->path = options->shown ? options->shown : options->path;
	status = open_path(input, options);
	if (!status)
		status = select_sources(input, options, &bytes);
	if (status) {
		source_close(input);
		return status;
	}
	input->jobs = options->jobs ? options->jobs : default_jobs(bytes);
	place_empty_pieces(input);
	*result = input;
	return 0;
}

void source_close(struct input *input)
{
	struct input_state *state = input->private_data;

	for (size_t i = 0; i < input->source_count; i++)
		input_free_source(&input->sources[i]);
	free(input->sources);
	if (state)
		state->kind->close(input);
	free(input);
}
