// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwflow profile: counts of recordings, summed up and written for other tools.
 *
 * Each SRC is decoded by a process of its own, and so is the profile written: they enter the
 * sandbox, and this process, which replaces a file at the end, reads nothing but profiles.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_map.h"
#include "base/input_file.h"
#include "base/output.h"
#include "base/print.h"
#include "commands.h"
#include "decode/gaps.h"
#include "names.h"
#include "options.h"
#include "profile/profile_formats.h"
#include "profile_binaries.h"
#include "profile_decode.h"
#include "profile_file.h"
#include "verb_process.h"

static const char usage[] =
	"usage: hwflow profile [OPTIONS] [SRC...]\n\n"
	"Counts how often each block of instructions was executed and where its branches went, in\n"
	"all recordings SRC together, and writes a profile. SRC is a recording, or a profile that\n"
	"this command has written; each recording is counted once.\n\n"
	"  -o, --output=FILE    write the profile to FILE (default: standard output)\n"
	"  --for=FORMAT         write it for another tool (default: a .hwprof file, hwflow's "
	"own):\n"
	"                       json, all counts as JSON Lines\n"
	"                       bolt, one binary for llvm-bolt -pa\n"
	"                       profgen, one binary for llvm-profgen --unsymbolized-profile, "
	"which\n"
	"                       makes AutoFDO profiles of it\n"
	"                       autofdo, one binary for clang -fprofile-sample-use; it needs its\n"
	"                       DWARF\n"
	"                       cs-autofdo, the same by calling contexts, of --call-graph=blocks\n"
	"                       gcc, one binary for gcc -fauto-profile of GCC 12 to 15; it needs "
	"its\n"
	"                       DWARF\n"
	"                       gcc16, the same for GCC 16\n"
	"                       order, functions of one binary in the order in which they began "
	"to\n"
	"                       run, for linkers and llvm-bolt\n"
	"                       temporal, the same for llvm-profdata\n"
	"                       propeller, a layout of the basic blocks of one binary for clang\n"
	"                       propeller-order, and of its functions, for lld\n"
	"                       pprof, all counts by function and line, for pprof and its like\n"
	"                       lcov, source lines for genhtml: how often each was executed, 0 "
	"included\n"
	"                       drcov, the blocks that were executed, as DynamoRIO's drcov lists "
	"them\n"
	"                       folded, paths of calls for flame graphs: flamegraph.pl, inferno\n"
	"                       speedscope, the same for speedscope, with source files and lines\n"
	"                       callgrind, lines, calls and jumps for callgrind_annotate and "
	"KCachegrind\n"
	"  --by=process|thread  keep the counts of each process, or of each thread, apart, too, by "
	"their\n"
	"                       names\n"
	"  --call-graph[=blocks]\n"
	"                       count the calls of each function by its callers, and by theirs, "
	"too; "
	"takes\n"
	"                       several times as long; with blocks, also the blocks of each of "
	"them\n"
	"  --measure=time|cycles|instructions\n"
	"                       count this in folded and speedscope (default: instructions)\n"
	"  --group=NAME         write what the process, or the thread, of this name has, alone\n"
	"  --dso=NAME           the program or library of this name, or path, alone; a format of "
	"one\n"
	"                       binary needs it if the profile has more than one\n" DEBUG_DIR_HELP
		SELECTION_HELP GAPS_HELP;

#define SPLIT_OTHERWISE                                                                       \
	"the counts of processes or threads are not kept apart as they are in the sum (--by)" \
	"; make it again from its recordings"

#define CONTEXTS_OTHERWISE                                                                        \
	"a profile with calling contexts and one without cannot be summed up: contexts would be " \
	"missing; make both with --call-graph from their recordings, or both without"

#define BLOCKS_OTHERWISE                                                                           \
	"a profile with the blocks of calling contexts and one without cannot be summed up; make " \
	"both with --call-graph=blocks from their recordings, or both without"

#define MEASURE_OTHERWISE \
	"a profile counts instructions: --measure=time and --measure=cycles are for recordings"

/* struct profile - state of the command */
struct profile {
	const char *output;
	const struct profile_format *format;
	const char *dso;
	const char *group;
	enum hwf_profile_by by;
	bool call_graph;
	enum spans_clock measure;
	bool context_blocks;
	struct hwf_stored_profile *sum;
	struct hwf_stored_profile *written; /* @sum, or a group of it */
};

static bool take_option(void *ctx, int value, const char *text)
{
	static const char *const bys[] = {"process", "thread", NULL};
	static const char *const graphs[] = {"blocks", NULL};
	struct profile *profile = ctx;
	int chosen;

	switch (value) {
	case 'b':
		chosen = verb_choice("profile", "by", text, bys);
		profile->by = (enum hwf_profile_by)(HWF_PROFILE_BY_PROCESS + chosen);
		return chosen >= 0;
	case 'c':
		profile->call_graph = true;
		profile->context_blocks = text != NULL;
		return !text || verb_choice("profile", "call-graph", text, graphs) >= 0;
	case 'm':
		chosen = verb_choice("profile", "measure", text, measure_words);
		profile->measure = (enum spans_clock)chosen;
		return chosen >= 0;
	case 'g':
		profile->group = text;
		return true;
	case 'o':
		profile->output = text;
		return true;
	case 'd':
		profile->dso = text;
		return true;
	default:
		profile->format = profile_format(text);
		if (!profile->format)
			print(stderr,
			      "hwflow profile: --for=%s: unknown format; the formats are in "
			      "'hwflow profile --help'\n",
			      text);
		return profile->format;
	}
}

static const struct option longs[] = {
	GAPS_LONG_OPTIONS,
	SELECTION_LONG_OPTIONS,
	{"output", required_argument, NULL, 'o'},
	{"for", required_argument, NULL, 'f'},
	{"dso", required_argument, NULL, 'd'},
	{"by", required_argument, NULL, 'b'},
	{"call-graph", optional_argument, NULL, 'c'},
	{"group", required_argument, NULL, 'g'},
	{"measure", required_argument, NULL, 'm'},
	{"debug-dir", required_argument, NULL, INPUT_OPT_DEBUG_DIR},
	{NULL, 0, NULL, 0},
};

static const struct verb_options command_line = {
	.usage = usage, .wants = "SRC", .many = true, .longs = longs, .take = take_option};

static int out_of_memory(const char *path)
{
	input_error(path, UINT64_MAX, "out of memory");
	return EXIT_UNREADABLE;
}

/* What a process has written; an exit status */
static int unpack(struct hwf_stored_profile **stored, const char *path, const struct file_map *map)
{
	const char *reason;

	if (!hwf_stored_profile_unpack(stored, map->bytes, map->size, &reason))
		return EXIT_GOOD;
	return verb_error("%s: %s", path, reason);
}

/* Decodes a recording; an exit status */
static int decode(const struct profile *profile, struct hwf_stored_profile *stored,
		  const struct input_options *options)
{
	struct profile_decode how = {.verb = "profile", .stored = stored};
	struct input *input;
	int status;

	status = input_open(&input, options);
	if (status)
		return status;
	status = measure_choose(&how.measure, (int)profile->measure, input);
	if (!status && how.measure.by == SPANS_TIME && !how.measure.clock) {
		input_error(options->path, UINT64_MAX,
			    "--measure=time: the recording does not say how long a tick of its "
			    "timestamps is");
		status = EXIT_USAGE;
	}
	if (!status)
		status = profile_decode(&how, input, options);
	gaps_print(input->gaps);
	input_close(input);
	return status;
}

/* What a process does for one SRC: its profile goes to @fd. */
static int count(const void *ctx, struct input_options *options, int fd)
{
	const struct profile *profile = ctx;
	struct hwf_stored_profile *stored = NULL;
	struct file_map map = {0};
	int status = verb_open(options);

	if (status)
		return status;
	if (!file_map(&map, options->path, 0) && input_is_profile(&map)) {
		status = input_unpack_profile(&stored, &map, options);
		if (!status && profile->by && hwf_stored_profile_by(stored) != profile->by) {
			input_error(options->path, UINT64_MAX, SPLIT_OTHERWISE);
			status = EXIT_UNREADABLE;
		}
		if (!status && profile->measure != SPANS_INSTRUCTIONS) {
			input_error(options->path, UINT64_MAX, MEASURE_OTHERWISE);
			status = EXIT_USAGE;
		}
		if (!status && profile->call_graph && !hwf_stored_profile_has_contexts(stored)) {
			input_error(options->path, UINT64_MAX,
				    "the profile has no calling contexts; make it again with "
				    "--call-graph from its recordings");
			status = EXIT_UNREADABLE;
		} else if (!status && profile->context_blocks &&
			   !hwf_stored_profile_has_context_counts(stored)) {
			input_error(options->path, UINT64_MAX,
				    "the profile has no blocks of calling contexts; make it again "
				    "with --call-graph=blocks from its recordings");
			status = EXIT_UNREADABLE;
		}
	} else {
		stored = hwf_stored_profile_new();
		if (stored)
			hwf_stored_profile_split(stored, profile->by);
		if (stored && profile->call_graph)
			hwf_stored_profile_keep_contexts(stored);
		if (stored && profile->context_blocks)
			hwf_stored_profile_keep_context_counts(stored);
		status = stored ? decode(profile, stored, options) : out_of_memory(options->path);
	}
	file_unmap(&map);
	if ((!status || status == EXIT_GAPS) && profile_file_put(stored, fd))
		status = out_of_memory(options->path);
	hwf_stored_profile_free(stored);
	return status;
}

/* What a process does at the end: the sum, in a format, goes to @fd. */
static int convert(const void *ctx, struct input_options *options, int fd)
{
	const struct profile *profile = ctx;
	struct hwf_stored_profile *sorted;
	struct file_map map;
	FILE *out = fdopen(dup(fd), "w");
	size_t size;
	void *packed = hwf_stored_profile_pack(profile->written, &size);
	int status;

	options->path = profile->output;
	status = out && packed ? verb_sandbox(options) : out_of_memory(profile->output);
	if (!status) {
		/* a profile that was read has all its counts in order */
		map = (struct file_map){packed, size};
		status = unpack(&sorted, profile->output, &map);
	}
	if (!status) {
		status = profile_binaries_write(sorted, profile->format,
						measure_words[profile->measure], profile->dso,
						options, out);
		hwf_stored_profile_free(sorted);
	}
	if (out && fclose(out) && !status)
		status = verb_error("%s: %s", profile->output, strerror(errno));
	free(packed);
	return status;
}

/* Why the profile of a SRC was not added; an exit status */
static int not_added(const struct profile *profile, const struct hwf_stored_profile *stored,
		     const char *path, int error)
{
	const char *reason = SPLIT_OTHERWISE;

	if (error == -ENOMEM)
		return out_of_memory(path);
	if (error == -EEXIST)
		reason = "a recording in it was counted already, by a SRC before it; name each "
			 "recording once";
	else if (hwf_stored_profile_by(profile->sum) == hwf_stored_profile_by(stored))
		reason = hwf_stored_profile_has_contexts(profile->sum) ==
					 hwf_stored_profile_has_contexts(stored)
				 ? BLOCKS_OTHERWISE
				 : CONTEXTS_OTHERWISE;
	input_error(path, UINT64_MAX, "%s", reason);
	return EXIT_UNREADABLE;
}

/* Adds what one SRC has; an exit status */
static int add(struct profile *profile, const struct input_options *options, const char *path)
{
	struct input_options own = *options;
	struct hwf_stored_profile *stored;
	const int fd = memfd_create("hwflow-profile", MFD_CLOEXEC);
	struct file_map map = {0};
	off_t size;
	int status, error;

	if (fd < 0)
		return verb_error("memfd_create: %s", strerror(errno));
	own.path = path;
	status = verb_process(count, profile, &own, fd);
	size = lseek(fd, 0, SEEK_END);
	if (status && status != EXIT_GAPS)
		goto out;
	error = size < 0 ? -errno : file_map_fd(&map, fd, (size_t)size);
	error = error ? error : unpack(&stored, path, &map) ? -EINVAL : 0;
	if (error) {
		status = EXIT_UNREADABLE;
		goto out;
	}
	error = hwf_stored_profile_add(profile->sum, stored);
	if (error)
		status = not_added(profile, stored, path, error);
	hwf_stored_profile_free(stored);
out:
	file_unmap(&map);
	close(fd);
	return status;
}

static bool has_gaps(const struct hwf_stored_profile *stored)
{
	const struct hwf_profile_note *note;
	size_t at = 0;

	while ((note = hwf_stored_profile_next_note(stored, &at)))
		if (note->kind == HWF_NOTE_GAP)
			return true;
	return false;
}

/* Finds what is written; an exit status after a message */
static int choose_group(struct profile *profile)
{
	struct hwf_stored_profile *part;
	const char *name;
	size_t at = 0;

	profile->written = profile->sum;
	if (!profile->group)
		return EXIT_GOOD;
	while ((part = hwf_stored_profile_next_group(profile->sum, &at, &name))) {
		if (strcmp(name, profile->group) != 0)
			continue;
		profile->written = part;
		return EXIT_GOOD;
	}
	if (!at) {
		verb_error("--group=%s: the profile has no groups; make it with --by=process or "
			   "--by=thread",
			   profile->group);
		return EXIT_USAGE;
	}
	verb_error("--group=%s: the profile has no such group; it has:", profile->group);
	for (at = 0; hwf_stored_profile_next_group(profile->sum, &at, &name);)
		print(stderr, "  %s\n", name);
	return EXIT_USAGE;
}

/* Writes a .hwprof file */
static int write_profile(const struct profile *profile, FILE *out)
{
	const int error = profile_file_put(profile->written, fileno(out));

	return error ? verb_error("%s: %s", profile->output, strerror(-error)) : EXIT_GOOD;
}

static int run(struct profile *profile, struct input_options *options)
{
	struct output output;
	int status = EXIT_GOOD, error;
	bool gaps = false, written;

	profile->sum = hwf_stored_profile_new();
	if (!profile->sum)
		return out_of_memory(profile->output);
	error = output_open(&output, profile->output, options->paths, options->path_count);
	if (error == -EEXIST)
		return verb_error("%s: the profile would replace a SRC; name another file",
				  output.name);
	if (error)
		return verb_error("%s: %s", output.name, strerror(-error));
	for (size_t i = 0; i < options->path_count && (!status || status == EXIT_GAPS); i++) {
		status = add(profile, options, options->paths[i]);
		gaps |= status == EXIT_GAPS;
	}
	if (!status || status == EXIT_GAPS)
		status = choose_group(profile);
	if (!status)
		status = profile->format
				 ? verb_process(convert, profile, options, fileno(output.file))
				 : write_profile(profile, output.file);
	written = !status || status == EXIT_GAPS;
	error = output_close(&output, written);
	if (error && written)
		status = verb_error("%s: %s", output.name, strerror(-error));
	return !status && (gaps || has_gaps(profile->sum)) ? EXIT_GAPS : status;
}

/**
 * cmd_profile() - hwflow profile
 * @argc: words of @argv
 * @argv: the verb and what follows it
 *
 * Return: an enum exit_status.
 */
int cmd_profile(int argc, char **argv)
{
	struct profile profile = {.output = "-", .measure = SPANS_INSTRUCTIONS};
	struct input_options options;
	int status;

	verb_begin("profile");
	input_options_init(&options);
	status = verb_parse(&command_line, argc, argv, &options, &profile);
	if (!status && !strcmp(profile.output, "-") && isatty(STDOUT_FILENO) &&
	    !(profile.format && profile.format->is_text)) {
		print(stderr,
		      "hwflow profile: %s is not for a terminal; use -o FILE, or "
		      "--for=json\n",
		      profile.format ? profile.format->name : "a .hwprof file");
		status = EXIT_USAGE;
	}
	if (!status && profile.measure != SPANS_INSTRUCTIONS &&
	    !(profile.format && profile.format->has_measure)) {
		print(stderr,
		      "hwflow profile: --measure=%s is for --for=folded and "
		      "--for=speedscope\n",
		      measure_words[profile.measure]);
		status = EXIT_USAGE;
	}
	if (!status && profile.measure != SPANS_INSTRUCTIONS && profile.context_blocks) {
		print(stderr, "hwflow profile: --call-graph=blocks counts instructions, without "
			      "--measure\n");
		status = EXIT_USAGE;
	}
	if (!status)
		status = run(&profile, &options);
	hwf_stored_profile_free(profile.sum);
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
