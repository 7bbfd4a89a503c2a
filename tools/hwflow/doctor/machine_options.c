// SPDX-License-Identifier: GPL-2.0-only
/* The command line of the verbs that examine a machine. */
#include "machine_options.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/option_next.h"
#include "base/print.h"
#include "source/input.h"

static int open_machine(const struct machine_verb *verb, const char *root, struct machine *machine)
{
	const int error = machine_open(machine, root);

	if (!error)
		return 0;
	print(stderr, "hwflow %s: %s: %s; --root names a directory\n", verb->name,
	      root ? root : "/", strerror(-error));
	return EXIT_UNREADABLE;
}

int machine_parse(const struct machine_verb *verb, int argc, char **argv, struct machine *machine)
{
	static const struct option all[] = {
		{"json", no_argument, NULL, 'j'},
		{"root", required_argument, NULL, 'r'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	/* a verb without --json has the options after it */
	const struct option *longs = verb->json ? all : all + 1;
	const char *root = NULL;
	int option;

	while ((option = option_next(argc, argv, longs, false, NULL)) >= 0) {
		switch (option) {
		case 'j':
			if (verb->json)
				*verb->json = true;
			break;
		case 'r':
			root = optarg;
			break;
		case 'h':
			fputs(verb->usage, stdout);
			return -1;
		default:
			return EXIT_USAGE;
		}
	}
	if (optind == argc)
		return open_machine(verb, root, machine);
	print(stderr, "hwflow %s: '%s' is not an option; try --help\n", verb->name, argv[optind]);
	return EXIT_USAGE;
}
