// SPDX-License-Identifier: GPL-2.0-only
/* hwflow archive: a recording with the files that it needs, for another machine. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive_pack.h"
#include "base/error.h"
#include "base/option_next.h"
#include "base/print.h"
#include "commands.h"
#include "options.h"

static const char usage[] =
	"usage: hwflow archive [OPTIONS] [FILE]\n\n"
	"Packs a recording (default: perf.data) with the files that it needs: programs, "
	"libraries,\n"
	"separate debug files, names of code made at run time. The archive is decoded on any "
	"machine:\n"
	"each verb takes it in place of the recording.\n\n"
	"  -o, --output=ARCHIVE   write the archive to ARCHIVE (default: FILE.tar.zst)\n"
	"  --truth              pack the ground-truth log FILE.truth as well\n"
	"  --no-debug           pack no separate debug files\n"
	"  --symfs=DIR          search for the files of the recorded machine below DIR\n"
	"  --debug-dir=DIR      search for separate debug files below DIR as well; repeatable\n"
	"  -q, --quiet          print no summary\n"
	"  -h, --help           print this text\n\n"
	"Exit status: 0 success; 1 wrong command line; 2 FILE cannot be read, or ARCHIVE cannot "
	"be\n"
	"written; 3 the archive lacks files, which were reported on standard error.\n";

enum {
	OPT_TRUTH = INPUT_OPT_OTHER,
	OPT_NO_DEBUG,
	OPT_HELP,
};

static const struct option longs[] = {
	{"output", required_argument, NULL, 'o'},
	{"truth", no_argument, NULL, OPT_TRUTH},
	{"no-debug", no_argument, NULL, OPT_NO_DEBUG},
	{"symfs", required_argument, NULL, INPUT_OPT_SYMFS},
	{"debug-dir", required_argument, NULL, INPUT_OPT_DEBUG_DIR},
	{"quiet", no_argument, NULL, 'q'},
	{"help", no_argument, NULL, OPT_HELP},
	{NULL, 0, NULL, 0},
};

static bool take_option(struct archive_options *options, int option)
{
	switch (option) {
	case 'o':
		options->output = optarg;
		return true;
	case OPT_TRUTH:
		options->truth = true;
		return true;
	case OPT_NO_DEBUG:
		options->no_debug = true;
		return true;
	case INPUT_OPT_SYMFS:
	case INPUT_OPT_DEBUG_DIR:
		return !input_option(&options->input, option, optarg);
	case 'q':
		options->quiet = true;
		return true;
	default:
		return false;
	}
}

/* The name of the archive if none was given: a directory may be named with a slash. */
static char *default_output(const char *path)
{
	size_t length = strlen(path);
	char *output;

	while (length > 1 && path[length - 1] == '/')
		length--;
	return asprintf(&output, "%.*s.tar.zst", (int)length, path) < 0 ? NULL : output;
}

/**
 * cmd_archive() - hwflow archive
 * @argc: words of @argv
 * @argv: the verb and what follows it
 *
 * Return: an enum exit_status.
 */
int cmd_archive(int argc, char **argv)
{
	struct archive_options options = {.path = DEFAULT_INPUT};
	char *output = NULL;
	int option, status;

	input_options_init(&options.input);
	optind = 1;
	while ((option = option_next(argc, argv, longs, false, NULL)) != -1) {
		if (option == OPT_HELP) {
			fputs(usage, stdout);
			return EXIT_GOOD;
		}
		if (!take_option(&options, option)) {
			fputs("try 'hwflow archive --help'\n", stderr);
			return EXIT_USAGE;
		}
	}
	if (argc - optind > 1) {
		print(stderr,
		      "hwflow archive: one FILE at a time, and '%s' is a second; try --help\n",
		      argv[optind + 1]);
		return EXIT_USAGE;
	}
	if (optind < argc)
		options.path = argv[optind];
	if (!options.output)
		options.output = output = default_output(options.path);
	if (!options.output) {
		input_error(options.path, UINT64_MAX, "out of memory");
		return EXIT_UNREADABLE;
	}
	status = archive_pack(&options);
	free(output);
	input_options_free(&options.input);
	return status;
}
