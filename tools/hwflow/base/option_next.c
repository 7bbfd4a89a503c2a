// SPDX-License-Identifier: GPL-2.0-only
/*
 * Short options are derived from the long ones by letters.def. getopt_long() prints words of the
 * command line as they are: it is told to print nothing.
 */
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

/* struct letter - the short form of a long option */
struct letter {
	char letter;
	const char *name;
};

static const struct letter letters[] = {
#define L(letter, name) {letter, name},
#include "letters.def"
#undef L
};

#define LETTERS (sizeof(letters) / sizeof(letters[0]))

/* The row of @longs that has this name; -1: none has */
static int find_long(const struct option *longs, const char *name)
{
	for (int i = 0; longs[i].name; i++)
		if (!strcmp(longs[i].name, name))
			return i;
	return -1;
}

/* The row of @longs that has this letter */
static int find_short(const struct option *longs, int letter)
{
	for (size_t i = 0; i < LETTERS; i++)
		if (letters[i].letter == letter)
			return find_long(longs, letters[i].name);
	return -1;
}

/* As getopt_long() wants them: "+" to stop, and each letter with a colon for an argument */
static void write_shorts(char shorts[2 + 3 * LETTERS], const struct option *longs, bool stops)
{
	if (stops)
		*shorts++ = '+';
	for (size_t i = 0; i < LETTERS; i++) {
		const int at = find_long(longs, letters[i].name);

		if (at < 0)
			continue;
		*shorts++ = letters[i].letter;
		for (int colons = 0; colons < longs[at].has_arg; colons++)
			*shorts++ = ':';
	}
	*shorts = '\0';
}

int option_next(int argc, char **argv, const struct option *longs, bool stops, int *index)
{
	char shorts[2 + 3 * LETTERS];
	int value, at = -1;
	const char *word;

	write_shorts(shorts, longs, stops);
	opterr = 0;
	value = getopt_long(argc, argv, shorts, longs, &at);
	if (value != '?' && value != -1) {
		if (at < 0)
			at = find_short(longs, value);
		if (index)
			*index = at;
		return longs[at].val;
	}
	if (value == -1)
		return -1;
	word = argv[optind - 1];
	if (!strncmp(word, "--", 2) && word[2])
		explain_long(argv[0], word, longs);
	else if (optopt && optopt != ':' && optopt != '+' && strchr(shorts, optopt))
		print(stderr, "%s: option requires an argument -- '%c'\n", argv[0], optopt);
	else
		print(stderr, "%s: invalid option -- '%c'\n", argv[0], optopt);
	return value;
}
