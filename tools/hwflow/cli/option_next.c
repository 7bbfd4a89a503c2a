// SPDX-License-Identifier: GPL-2.0-only
/* getopt_long() prints words of the command line as they are: it is told to print nothing. */
#include "option_next.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "print.h"

/* Is a word, which begins with two dashes, the beginning of several long options? */
static bool is_ambiguous(const char *word, const struct option *longs)
{
	const size_t length = strcspn(word + 2, "=");
	unsigned int count = 0;

	for (const struct option *each = longs; each->name; each++)
		count += !strncmp(each->name, word + 2, length);
	return count > 1;
}

/* An unknown long option has no value; others have theirs in optopt. */
static void explain_long(const char *command, const char *word, const struct option *longs)
{
	if (!optopt)
		print(stderr,
		      is_ambiguous(word, longs) ? "%s: option '%s' is ambiguous\n"
						: "%s: unrecognized option '%s'\n",
		      command, word);
	else if (strchr(word, '='))
		print(stderr, "%s: option '%.*s' doesn't allow an argument\n", command,
		      (int)strcspn(word, "="), word);
	else
		print(stderr, "%s: option '%s' requires an argument\n", command, word);
}

int option_next(int argc, char **argv, const char *shorts, const struct option *longs, int *index)
{
	int value;
	const char *word;

	opterr = 0;
	value = getopt_long(argc, argv, shorts, longs, index);
	if (value != '?')
		return value;
	word = argv[optind - 1];
	if (!strncmp(word, "--", 2) && word[2])
		explain_long(argv[0], word, longs);
	else if (optopt && optopt != ':' && strchr(shorts, optopt))
		print(stderr, "%s: option requires an argument -- '%c'\n", argv[0], optopt);
	else
		print(stderr, "%s: invalid option -- '%c'\n", argv[0], optopt);
	return value;
}
