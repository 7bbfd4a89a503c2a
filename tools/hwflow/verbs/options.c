// SPDX-License-Identifier: GPL-2.0-only
/* The options that all decoding verbs share. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/input_limits.h"
#include "base/option_next.h"
#include "base/print.h"
#include "base/sandbox.h"
#include "base/text.h"
#include "options.h"
#include "source/protocol.h"

const char INPUT_HELP[] =
	"SRC (default: perf.data in the current directory) is one of:\n"
	"  a perf.data file with cs_etm trace, or one written by 'hwflow emulate';\n"
	"  the directory that 'perf record --kcore' or 'hwflow record' writes;\n"
	"  an archive that 'hwflow archive' writes, with the files of the machine recorded;\n"
	"  a capture directory (it has a file snapshot.ini);\n"
	"  a file of raw trace bytes, with --protocol and --config.\n"
	"\n"
	"Selection of the trace:\n"
	"  --source=NAME        only this source. In a capture: the name of its trace file "
	"without\n"
	"                       suffix, with -idXX for trace ID XX in CoreSight frames\n"
	"  -C, --cpu=N          only this CPU\n"
	"  -t, --tid=N          only this thread\n"
	"Raw trace bytes:\n"
	"  --protocol=ete|etmv4|etmv3|riscv   the trace protocol of the file\n"
	"  --dialect=ratified|0.026|1.0|2.0   for riscv: its version (default: ratified, which is "
	"2.0)\n"
	"  --config=K=V[,...]   values of the trace unit's registers: TRCCONFIGR, TRCIDR0, "
	"TRCIDR1,\n"
	"                       TRCIDR2, TRCIDR8, TRCDEVARCH, TRCTRACEIDR; for etmv3: ETMCR, "
	"ETMIDR,\n"
	"                       ETMCCER, ETMTRACEIDR, and ARMV7M=1 for the M profile; for riscv:\n"
	"                       the parameters of the trace encoder, see hwflow-riscv(5)\n"
	"  --framing=none|coresight   none (the default), or 16-byte CoreSight frames; for riscv:\n"
	"          =reference|encap|siemens|none   (default: reference)\n"
	"Program code:\n"
	"  --image=FILE[@ADDRESS][:OFFSET,LENGTH]   read program code from FILE: an ELF file at "
	"the\n"
	"                       addresses in its program headers (or from ADDRESS), any other file "
	"at\n"
	"                       ADDRESS; repeatable. Replaces the memory images of a capture. "
	"With\n"
	"                       perf.data: used where no mapped file can be read\n"
	"  --symfs=DIR          search for the files of the recorded machine below DIR\n"
	"Other:\n"
	"  -j, --jobs=N         decode with N processes (default: 0: one for each 4 MB of trace,\n"
	"                       at most as many as there are CPUs, and at most 16)\n"
	"  --max=LIMIT=N        raise or lower a limit on what SRC may ask for: a number, or one "
	"with\n"
	"                       K, M, G or T behind it; hwflow-limits(7) lists the limits\n"
	"  --sandbox[=auto|require|off]   give up writing files, the network and starting "
	"programs\n"
	"                       before SRC is decoded; require: or fail (the default: auto, where "
	"the\n"
	"                       kernel can; see hwflow-limits(7))\n"
	"  -q, --quiet          show no progress on the terminal\n"
	"  -h, --help           print this text\n"
	"\n"
	"Exit status: 0 success; 1 wrong command line; 2 SRC cannot be read, or is not a trace;\n"
	"3 gaps or errors, which were reported on standard error, or (verify) a difference.\n";

void input_options_init(struct input_options *options)
{
	*options = (struct input_options){.cpu = INPUT_ANY, .tid = INPUT_ANY};
}

void input_options_free(struct input_options *options)
{
	for (size_t i = 0; i < options->image_count; i++)
		free((char *)options->images[i].file);
	free(options->images);
	free(options->debug_directories);
	free(options->config);
	options->config = NULL;
	options->images = NULL;
	options->debug_directories = NULL;
	options->image_count = 0;
}

static int number(const char *name, const char *text, int32_t *value)
{
	char *end;
	long result;

	errno = 0;
	result = strtol(text, &end, 0);
	if (errno || *end || end == text || result < 0 || result > INT32_MAX) {
		print(stderr, "hwflow: --%s=%s: not a number, 0 or more\n", name, text);
		return -1;
	}
	*value = (int32_t)result;
	return 0;
}

/* struct fault - a part of an argument that is wrong; @wanted: what should stand there */
struct fault {
	const char *at;
	const char *wanted;
};

/* A number, up to one of the characters of @stops or to the end; false with a fault. */
static bool place_number(const char **at, const char *stops, const char *wanted, uint64_t *value,
			 struct fault *fault)
{
	char *end;

	*fault = (struct fault){*at, wanted};
	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	*value = strtoull(*at, &end, 0);
	if (errno || (*end && !strchr(stops, *end)))
		return false;
	*at = end;
	return true;
}

/* What follows the file's name: [@ADDRESS][:OFFSET,LENGTH]; false with a fault */
static bool image_place(const char *text, struct input_image *image, struct fault *fault)
{
	*fault = (struct fault){text, "@ADDRESS or :OFFSET,LENGTH"};
	if (*text == '@') {
		text++;
		if (!place_number(&text, ":", "an address", &image->address, fault))
			return false;
		image->has_address = true;
	}
	if (*text == ':') {
		text++;
		if (!place_number(&text, ",", "an offset", &image->offset, fault))
			return false;
		*fault = (struct fault){text, "a length"};
		if (*text != ',')
			return false;
		text++;
		if (!place_number(&text, "", "a length", &image->length, fault))
			return false;
	}
	return !*text;
}

/*
 * Where the name ends: it may hold '@' and ':' itself, so it is the longest one that leaves a sound
 * rest, but what can be an address is one.
 */
static size_t image_name(const char *text)
{
	struct input_image image;
	struct fault fault;
	size_t without = 0;

	for (size_t name = strlen(text); name; name--) {
		image = (struct input_image){0};
		if (!text[name] || !image_place(text + name, &image, &fault))
			continue;
		if (image.has_address)
			return name;
		if (!without)
			without = name;
	}
	return without ? without : strlen(text);
}

/*
 * A name without a file, which may be one with a place that is not sound: after the last '/', from
 * the first '@' on, or else the first ':'. Returns false after a message.
 */
static bool check_image_name(const char *text, const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	const char *place = strchr(name, '@');
	struct input_image image = {0};
	struct fault fault;

	if (!place)
		place = strchr(name, ':');
	if (!place || place == file || input_file_exists(file, 0) ||
	    image_place(place, &image, &fault))
		return true;
	print(stderr,
	      "hwflow: --image=%s: %s expected %s%s%s, and there is no file %s; use "
	      "FILE[@ADDRESS][:OFFSET,LENGTH]\n",
	      text, fault.wanted, *fault.at ? "in place of '" : "at the end", fault.at,
	      *fault.at ? "'" : "", file);
	return false;
}

static int add_image(struct input_options *options, const char *text)
{
	struct input_image image = {0};
	struct input_image *images;
	const size_t name = image_name(text);
	struct fault fault;

	image_place(text + name, &image, &fault);
	images = realloc(options->images, (options->image_count + 1) * sizeof(*images));
	if (!images)
		return -1;
	options->images = images;
	image.file = strndup(text, name);
	if (!image.file)
		return -1;
	images[options->image_count++] = image;
	return check_image_name(text, image.file) ? 0 : -1;
}

/* Of two --config the second one adds to the first one, and replaces values of the same names. */
static int add_config(struct input_options *options, const char *text)
{
	char *config;

	if (asprintf(&config, "%s%s%s", options->config ? options->config : "",
		     options->config ? "," : "", text) < 0)
		return -1;
	free(options->config);
	options->config = config;
	return 0;
}

static int add_debug_directory(struct input_options *options, const char *directory)
{
	const char **directories =
		reallocarray(options->debug_directories, options->debug_directory_count + 1,
			     sizeof(*directories));

	if (!directories)
		return -1;
	options->debug_directories = directories;
	directories[options->debug_directory_count++] = directory;
	return 0;
}

static int take_protocol(struct input_options *options, const char *word)
{
	const struct protocol *protocol = protocol_of_word(word);

	if (protocol) {
		options->protocol = protocol->number;
		return 0;
	}
	print(stderr, "hwflow: --protocol=%s: unknown protocol; use ete, etmv4, etmv3 or riscv\n",
	      word);
	return -1;
}

static int choice(const char *name, const char *text, const char *const *allowed)
{
	for (const char *const *each = allowed; *each; each++) {
		if (!strcmp(text, *each))
			return 0;
	}
	print(stderr, "hwflow: --%s=%s: unknown; try --help\n", name, text);
	return -1;
}

/* More processes than that nobody has CPUs for */
#define MOST_JOBS 256

static int take_jobs(struct input_options *options, const char *argument)
{
	int32_t jobs;

	if (number("jobs", argument, &jobs))
		return -1;
	options->jobs = jobs > MOST_JOBS ? MOST_JOBS : (unsigned int)jobs;
	return 0;
}

int input_option(struct input_options *options, int value, const char *argument)
{
	static const char *const framings[] = {"none",  "coresight", "reference",
					       "encap", "siemens",   NULL};
	static const char *const gaps[] = {"kinds", "all", NULL};

	switch (value) {
	case INPUT_OPT_SOURCE:
		options->source = argument;
		return 0;
	case INPUT_OPT_CPU:
		return number("cpu", argument, &options->cpu);
	case INPUT_OPT_TID:
		return number("tid", argument, &options->tid);
	case INPUT_OPT_PROTOCOL:
		return take_protocol(options, argument);
	case INPUT_OPT_DIALECT:
		options->dialect = argument;
		return 0;
	case INPUT_OPT_CONFIG:
		return add_config(options, argument);
	case INPUT_OPT_IMAGE:
		return add_image(options, argument);
	case INPUT_OPT_FRAMING:
		options->framing = argument;
		return choice("framing", argument, framings);
	case INPUT_OPT_SYMFS:
		options->symfs = argument;
		return 0;
	case INPUT_OPT_DEBUG_DIR:
		return add_debug_directory(options, argument);
	case INPUT_OPT_JOBS:
		return take_jobs(options, argument);
	case INPUT_OPT_MAX:
		return limit_take(argument) ? 0 : -1;
	case INPUT_OPT_SANDBOX:
		return sandbox_take(argument, &options->sandbox) ? 0 : -1;
	case INPUT_OPT_QUIET:
		options->quiet = true;
		return 0;
	case INPUT_OPT_TIME:
		return selection_take_time(&options->select, argument) ? 0 : -1;
	case INPUT_OPT_REQUEST:
		return selection_take_request(&options->select, argument) ? 0 : -1;
	case INPUT_OPT_OFFSET:
		return selection_take_offset(&options->select, argument) ? 0 : -1;
	case INPUT_OPT_LIMIT:
		return selection_take_limit(&options->select, argument) ? 0 : -1;
	case INPUT_OPT_GAPS:
		options->all_gaps = !strcmp(argument, "all");
		return choice("gaps", argument, gaps);
	default:
		return 1;
	}
}

int verb_choice(const char *verb, const char *option, const char *text, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(text, words[i]))
			return i;
	print(stderr, "hwflow %s: --%s=%s: unknown; try --help\n", verb, option, text);
	return -1;
}

bool verb_number(const char *verb, const char *option, const char *text, size_t *number)
{
	char *end;

	errno = 0;
	*number = strtoul(text, &end, 10);
	if (!errno && !*end && *text >= '0' && *text <= '9')
		return true;
	print(stderr, "hwflow %s: --%s=%s: not a number\n", verb, option, text);
	return false;
}

bool verb_size(const char *verb, const char *option, const char *text, uint64_t *size)
{
	static const char suffixes[] = "KMG";
	const char *suffix;
	char *end;

	errno = 0;
	*size = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !errno) {
		if (!*end)
			return true;
		suffix = strchr(suffixes, *end);
		if (suffix && !end[1] && !(*size >> 32)) {
			*size <<= 10 * (suffix - suffixes + 1);
			return true;
		}
	}
	print(stderr,
	      "hwflow %s: --%s=%s: a number of bytes expected, with K, M or G after it or "
	      "without\n",
	      verb, option, text);
	return false;
}

/* A file that the verb reads if no other was named: as perf does */
static int take_default(const char *command, const char *wants, const char *path)
{
	if (!access(path, F_OK))
		return 0;
	print(stderr,
	      "%s: no %s was named, and %s: %s; name one, or record: hwflow emulate -- PROGRAM\n",
	      command, wants, path, strerror(errno));
	return EXIT_UNREADABLE;
}

/* A file that has no default, and a recording */
static int take_needed(const struct verb_options *verb, int argc, char **argv,
		       struct input_options *input)
{
	if (optind == argc) {
		print(stderr, "%s: no %s was named; try --help\n", argv[0], verb->wants);
		return EXIT_USAGE;
	}
	input->path = argv[optind];
	input->second_path = optind + 1 < argc ? argv[optind + 1] : DEFAULT_INPUT;
	return optind + 1 < argc ? 0 : take_default(argv[0], verb->second, input->second_path);
}

/* The words that are left: a recording, or two. Of two that are wanted the last one may be alone.
 */
static int take_paths(const struct verb_options *verb, int argc, char **argv,
		      struct input_options *input)
{
	const int most = verb->second ? 2 : 1, words = argc - optind;
	int status = 0;

	if (verb->many && words) {
		input->paths = (const char *const *)argv + optind;
		input->path_count = (size_t)words;
		return 0;
	}
	if (words > most) {
		print(stderr, "%s: one %s at a time, and '%s' is a second; try --help\n", argv[0],
		      verb->second ? verb->second : verb->wants, argv[optind + most]);
		return EXIT_USAGE;
	}
	if (verb->is_needed)
		return take_needed(verb, argc, argv, input);
	input->path = words == most ? argv[optind] : DEFAULT_INPUT;
	if (!verb->second)
		return words ? 0 : take_default(argv[0], verb->wants, input->path);
	input->second_path = words ? argv[argc - 1] : DEFAULT_INPUT;
	if (words < 2) {
		input->path = DEFAULT_OLD_INPUT;
		status = take_default(argv[0], verb->wants, input->path);
	}
	return status || words ? status : take_default(argv[0], verb->second, input->second_path);
}

/* Does this process do nothing but the verb? */
static bool is_verb_alone;

void verb_alone(void)
{
	is_verb_alone = true;
}

int verb_parse(const struct verb_options *verb, int argc, char **argv, struct input_options *input,
	       void *ctx)
{
	int value, status;

	optind = 1;
	while ((value = option_next(argc, argv, verb->longs, false, NULL)) != -1) {
		int taken = input_option(input, value, optarg);

		if (value == 'h') {
			text_string(text_stdout(), verb->usage);
			text_string(text_stdout(), INPUT_HELP);
			return -1;
		}
		if (taken < 0 || value == '?' || (taken && !verb->take(ctx, value, optarg)))
			return EXIT_USAGE;
	}
	status = take_paths(verb, argc, argv, input);
	if (verb->many && !status && !input->path_count) {
		input->paths = &input->path;
		input->path_count = 1;
	}
	return status || verb->many ? status : verb_open(input);
}

int verb_open(struct input_options *input)
{
	const int status = archive_open_inputs(input);

	return status ? status : verb_sandbox(input);
}

int verb_sandbox(const struct input_options *input)
{
	return !is_verb_alone || sandbox_enter(input->sandbox) ? EXIT_GOOD : EXIT_UNREADABLE;
}
