// SPDX-License-Identifier: GPL-2.0-only
/* hwflow VERB: finds the verb and hands on. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "input.h"

struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *does;
};

static const struct verb verbs[] = {
#define V(name, does) {#name, cmd_##name, does},
#include "commands.def"
#undef V
};

static void help(FILE *out)
{
	fputs("usage: hwflow VERB [OPTIONS] ...\n\n"
	      "Program flow trace of Arm processors: what a program executed, instruction by\n"
	      "instruction, from the trace of the Embedded Trace Extension (ETE).\n\n",
	      out);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		fprintf(out, "  %-8s  %s\n", verbs[i].name, verbs[i].does);
	fputs("\n  hwflow VERB --help says more; so do the manual pages, hwflow(1) and "
	      "hwflow-VERB(1).\n"
	      "\nExit status: 0 good; 1 wrong usage; 2 input cannot be read or is no trace;\n"
	      "3 decoded with gaps or errors, or (verify) a difference.\n",
	      out);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help(stdout);
		return EXIT_GOOD;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("hwflow " HWFLOW_VERSION);
		return EXIT_GOOD;
	}
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].run(argc - 1, argv + 1);
	}
	fprintf(stderr, "hwflow: there is no verb '%s'; 'hwflow --help' lists them\n", argv[1]);
	return EXIT_USAGE;
}
