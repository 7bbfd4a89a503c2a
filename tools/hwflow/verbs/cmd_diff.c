// SPDX-License-Identifier: GPL-2.0-only
/* hwflow diff: what two recordings executed, side by side. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/print.h"
#include "base/progress.h"
#include "commands.h"
#include "difference.h"
#include "names.h"
#include "options.h"
#include "shorten.h"
#include "summary.h"

static const char usage[] =
	"usage: hwflow diff [OPTIONS] [OLD [NEW]]\n\n"
	"Compares two recordings function by function: the number of instructions that were\n"
	"executed in each, the difference, the ratio (new divided by old), and the number of "
	"calls.\n"
	"The function whose instructions differ most is first. A function that one recording has\n"
	"alone is marked 'only old' or 'only new'. Files are the same if their build ids or "
	"their\n"
	"names are; one program may have another name. Files whose build ids differ are named "
	"below\n"
	"the table. OLD is perf.data.old and NEW is perf.data if they are not named; both are a "
	"SRC, "
	"as\n"
	"described below.\n\n"
	"  --by=function|dso    what a row stands for (default: function)\n"
	"  --map=OLD=NEW        the file NEW of the second recording is the file OLD of the "
	"first;\n"
	"                       may be repeated\n"
	"  --limit=N            print at most N rows; 0: all (default: 40)\n"
	"  --width=N            print at most N columns in a row, and shorten longer names; 0: "
	"whole\n"
	"                       names (default: the width of the terminal; 160 elsewhere)\n"
	"  --no-demangle        print C++ names as they are in the symbol table\n" DEBUG_DIR_HELP
		GAPS_HELP;

/* struct diff - state of the command */
struct diff {
	enum tally_by by;
	size_t limit;
	size_t width;
	bool no_demangle;
	const char **maps;
	size_t map_count;
	struct difference *difference;
};

/* struct recording - one of the two, while it is counted */
struct recording {
	struct tally *tally;
	struct symbols *symbols;
	struct threads *threads;
};

/* OLD=NEW; it is an argument of the command, which outlives @diff */
static bool take_map(struct diff *diff, const char *argument)
{
	const char *equal = strchr(argument, '=');
	const char **maps;

	if (!equal || equal == argument || !equal[1]) {
		print(stderr, "hwflow diff: --map=%s: OLD=NEW expected, the names of two files\n",
		      argument);
		return false;
	}
	maps = reallocarray(diff->maps, diff->map_count + 1, sizeof(*maps));
	if (!maps) {
		print(stderr, "hwflow diff: out of memory\n");
		return false;
	}
	diff->maps = maps;
	maps[diff->map_count++] = argument;
	return true;
}

static bool take_option(void *ctx, int value, const char *argument)
{
	static const char *const bys[] = {"function", "dso", NULL};
	struct diff *diff = ctx;
	int chosen;

	switch (value) {
	case 'b':
		chosen = verb_choice("diff", "by", argument, bys);
		diff->by = chosen ? TALLY_DSO : TALLY_FUNCTION;
		return chosen >= 0;
	case 'c':
		return verb_number("diff", "limit", argument, &diff->limit);
	case 'm':
		return take_map(diff, argument);
	case 'w':
		return verb_number("diff", "width", argument, &diff->width);
	default:
		diff->no_demangle = true;
		return true;
	}
}

static const struct option longs[] = {
	GAPS_LONG_OPTIONS,
	{"by", required_argument, NULL, 'b'},
	{"map", required_argument, NULL, 'm'},
	{"limit", required_argument, NULL, 'c'},
	{"width", required_argument, NULL, 'w'},
	{"debug-dir", required_argument, NULL, INPUT_OPT_DEBUG_DIR},
	{"no-demangle", no_argument, NULL, 'd'},
	{NULL, 0, NULL, 0},
};

static const struct verb_options command_line = {
	.usage = usage, .wants = "OLD", .second = "NEW", .longs = longs, .take = take_option};

static int out_of_memory(const struct input *input)
{
	input_error(input->path, UINT64_MAX, "out of memory");
	return EXIT_UNREADABLE;
}

/* Decodes one of the recordings, and adds its counts. */
static int count(struct recording *recording, struct diff *diff, enum difference_side side,
		 struct input *input, const struct input_options *options)
{
	struct execution_sink sink = {.counts = tally_profile};
	const struct perfdata_info *info = input_recording(input);
	struct execution execution;
	int status;

	if (threads_new(&recording->threads, info) ||
	    names_open(&recording->symbols, input, options, !diff->no_demangle) ||
	    tally_new(&recording->tally, TALLY_FUNCTION, NULL, recording->symbols,
		      recording->threads))
		return out_of_memory(input);
	input_progress(input, "diff", NULL, false);
	sink.ctx = recording->tally;
	status = execution_run(&execution, input, &sink);
	progress_end();
	if (tally_failed(recording->tally) ||
	    difference_add(diff->difference, side, recording->tally, input->path, info))
		return out_of_memory(input);
	summary_print_input(input, tally_total(recording->tally).instructions,
			    tally_ranges(recording->tally), stdout);
	return status;
}

static int run(struct diff *diff, enum difference_side side, struct input *input,
	       const struct input_options *options)
{
	struct recording recording = {0};
	const int status = count(&recording, diff, side, input, options);

	tally_free(recording.tally);
	if (recording.symbols)
		symbols_report_stripped(recording.symbols);
	symbols_free(recording.symbols);
	threads_free(recording.threads);
	return status;
}

static void print_difference(const struct diff *diff, struct input *const *inputs)
{
	fputc('\n', stdout);
	difference_print(diff->difference, diff->limit, diff->width, stdout);
	for (size_t i = 0; i < DIFFERENCE_SIDES; i++) {
		print(stdout, "\n%s: ", inputs[i]->path);
		summary_print_gaps(inputs[i], stdout);
		gaps_print(inputs[i]->gaps);
	}
}

/* Finds what both recordings have; the exit status, which is @status if there is no error. */
static int match(const struct diff *diff, const struct input *input, int status)
{
	const int error = difference_match(diff->difference, diff->maps, diff->map_count);

	if (error == -ENOMEM)
		return out_of_memory(input);
	return error ? EXIT_USAGE : status;
}

/* Opens and counts both recordings, and prints their differences; an enum exit_status. */
static int compare(struct diff *diff, const struct input_options *options)
{
	struct input_options each[DIFFERENCE_SIDES] = {*options, *options};
	struct input *inputs[DIFFERENCE_SIDES] = {NULL, NULL};
	int status = 0;

	diff->difference = difference_new(diff->by);
	if (!diff->difference) {
		input_error(options->path, UINT64_MAX, "out of memory");
		return EXIT_UNREADABLE;
	}
	each[DIFFERENCE_NEW].path = options->second_path;
	each[DIFFERENCE_NEW].shown = options->second_shown;
	each[DIFFERENCE_NEW].symfs = options->second_symfs;
	for (int i = 0; i < DIFFERENCE_SIDES && !status; i++)
		status = input_open(&inputs[i], &each[i]);
	for (int i = 0; i < DIFFERENCE_SIDES && (!status || status == EXIT_GAPS); i++) {
		const int one = run(diff, (enum difference_side)i, inputs[i], &each[i]);

		status = one ? one : status;
	}
	if (!status || status == EXIT_GAPS)
		status = match(diff, inputs[DIFFERENCE_NEW], status);
	if (!status || status == EXIT_GAPS)
		print_difference(diff, inputs);
	for (int i = 0; i < DIFFERENCE_SIDES; i++) {
		/* why there is no difference */
		if (status && status != EXIT_GAPS && inputs[i])
			gaps_print(inputs[i]->gaps);
		input_close(inputs[i]);
	}
	difference_free(diff->difference);
	return status;
}

/**
 * cmd_diff() - hwflow diff
 * @argc: words of @argv
 * @argv: the verb and what follows it
 *
 * Return: an enum exit_status.
 */
int cmd_diff(int argc, char **argv)
{
	struct diff diff = {.by = TALLY_FUNCTION, .limit = 40, .width = shorten_width(stdout)};
	struct input_options options;
	int status;

	input_options_init(&options);
	options.profiles = true;
	status = verb_parse(&command_line, argc, argv, &options, &diff);
	if (!status)
		status = compare(&diff, &options);
	input_options_free(&options);
	free(diff.maps);
	return status < 0 ? EXIT_GOOD : status;
}
