// SPDX-License-Identifier: GPL-2.0-only
/* hwflow VERB: finds the verb and hands on. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/print.h"
#include "base/text.h"
#include "commands.h"
#include "source/input.h"
#include "verbs/manual.h"
#include "verbs/options.h"

struct verb {
	const char *name;
	const char *words; /* as in messages */
	int (*run)(int argc, char **argv);
	const char *does;
};

static const struct verb verbs[] = {
#define V(name, does) {#name, "hwflow " #name, cmd_##name, does},
#include "commands.def"
#undef V
};

static void help(FILE *out)
{
	fputs("usage: hwflow VERB [OPTIONS] ...\n\n"
	      "Shows which instructions a program executed, from the trace of Arm processors (the\n"
	      "Embedded Trace Extension ETE, ETMv4, ETMv3) or RISC-V processors (Processor "
	      "Trace).\n\n",
	      out);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		print(out, "  %-9s  %s\n", verbs[i].name, verbs[i].does);
	fputs("\n'hwflow VERB --help' lists the options of a verb; 'hwflow help VERB' shows its "
	      "manual\n"
	      "page.\n"
	      "\nExit status: 0 success; 1 wrong command line; 2 the input cannot be read, or is "
	      "not a\n"
	      "trace; 3 decoded with gaps or errors, or (verify) a difference, or (list, "
	      "doctor) this\n"
	      "machine cannot trace. record, stat and emulate exit with the status of the command "
	      "that\n"
	      "they run.\n",
	      out);
}

static const struct verb *find(const char *name)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!strcmp(name, verbs[i].name))
			return &verbs[i];
	}
	print(stderr, "hwflow: unknown verb '%s'; 'hwflow --help' lists the verbs\n", name);
	return NULL;
}

/* Output that did not get out is a failure, whatever the verb thinks of it. */
static int finish(int status)
{
	bool failed;

	text_flush(text_stdout());
	failed = ferror(stdout);
	errno = -text_stdout()->hwf.error;
	if ((!fflush(stdout) && !failed) || status == EXIT_UNREADABLE)
		return status;
	print(stderr, "hwflow: standard output: %s; the output is not complete\n",
	      errno ? strerror(errno) : "writing failed");
	return EXIT_UNREADABLE;
}

/* @argv: a verb and what follows it. getopt_long() begins its messages with the first word. */
static int run(int argc, char **argv)
{
	const struct verb *verb = find(argv[0]);

	if (!verb)
		return EXIT_USAGE;
	verb_alone();
	argv[0] = (char *)(uintptr_t)verb->words;
	return finish(verb->run(argc, argv));
}

int main(int argc, char **argv)
{
	char dashes[] = "--help";
	char *help_words[] = {NULL, dashes, NULL};

	if (argc < 2) {
		help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "help") && argc > 2) {
		manual_show(argv[2]);
		help_words[0] = argv[2];
		return run(2, help_words);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help(stdout);
		return finish(EXIT_GOOD);
	}
	if (!strcmp(argv[1], "--version")) {
		puts("hwflow " HWFLOW_VERSION);
		return finish(EXIT_GOOD);
	}
	return run(argc - 1, argv + 1);
}
