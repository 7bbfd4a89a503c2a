/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that fit into the columns of a table. */
#include "shorten.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/print.h"

#define DOTS_LENGTH   ((size_t)3)
#define WIDTH         160u
#define LEAST_WIDTH   80u
#define MOST_BRACKETS 64u

/* struct bracket - an open bracket: its place, and the deepest nesting inside it */
struct bracket {
	size_t at;
	unsigned int inside;
};

static bool continues(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

static size_t columns_of(const char *name)
{
	size_t columns = 0;

	for (; *name; name++)
		columns += !continues(*name);
	return columns;
}

/* Does name[0, at) end in the word operator? */
static bool follows_operator(const char *name, size_t at)
{
	static const char word[] = "operator";
	const size_t length = sizeof(word) - 1;

	return at >= length && !strncmp(name + at - length, word, length);
}

/* Is name[at] a part of an operator's name, or of an arrow, and no bracket? */
static bool is_operator(const char *name, size_t at)
{
	if (name[at] == '(')
		return follows_operator(name, at);
	if (name[at] == ')')
		return at && name[at - 1] == '(' && follows_operator(name, at - 1);
	if (name[at] == '>' && at && (name[at - 1] == '-' || name[at - 1] == '='))
		return true;
	for (unsigned int i = 0; i < 3; i++, at--) {
		if (follows_operator(name, at))
			return true;
		if (!at || !strchr("<>=", name[at - 1]))
			return false;
	}
	return false;
}

/* Replaces name[from, to) by "..."; the name becomes shorter. */
static void cut(char *name, size_t from, size_t to)
{
	memset(name + from, '.', DOTS_LENGTH);
	memmove(name + from + DOTS_LENGTH, name + to, strlen(name + to) + 1);
}

static bool is_worth(const char *name, size_t from, size_t to)
{
	return to - from >= 2 * DOTS_LENGTH &&
	       strncmp(name + from, "anonymous namespace", to - from) != 0;
}

/*
 * Empties one pair of brackets with @depth levels of others in it; false if there is none. The
 * bracket that begins a name is the type of a Rust method, <T as Trait>, and stays.
 */
static bool cut_arguments(char *name, unsigned int depth)
{
	struct bracket open[MOST_BRACKETS];
	unsigned int count = 0;

	for (size_t i = 0; name[i]; i++) {
		if (!strchr("<>()", name[i]) || is_operator(name, i))
			continue;
		if (name[i] == '<' || name[i] == '(') {
			if (count == MOST_BRACKETS)
				return false;
			open[count++] = (struct bracket){i, 0};
			continue;
		}
		if (!count || (name[open[count - 1].at] == '<') != (name[i] == '>'))
			return false;
		count--;
		if (open[count].inside == depth && open[count].at &&
		    is_worth(name, open[count].at + 1, i)) {
			cut(name, open[count].at + 1, i);
			return true;
		}
		if (count && open[count - 1].inside <= open[count].inside)
			open[count - 1].inside = open[count].inside + 1;
	}
	return false;
}

/* Whole characters on both sides of the middle, which is cut */
static void cut_middle(char *name, size_t columns)
{
	const size_t length = strlen(name);
	const size_t head = (columns - DOTS_LENGTH) / 2, tail = columns - DOTS_LENGTH - head;
	size_t from = 0, to = length;

	for (size_t i = 0; i < head || continues(name[from]); from++)
		i += !continues(name[from]);
	for (size_t i = 0; i < tail; i += !continues(name[to]))
		to--;
	cut(name, from, to);
}

char *shorten(const char *name, size_t columns)
{
	char *text = escape_copy(name);

	if (!columns)
		return text;
	/* a bracket of depth 0 has no others in it */
	for (unsigned int depth = 0; text && depth < MOST_BRACKETS; depth++) {
		while (columns_of(text) > columns && cut_arguments(text, depth))
			;
	}
	if (text && columns_of(text) > columns)
		cut_middle(text, columns);
	return text;
}

void shorten_print(const char *name, size_t columns, FILE *out)
{
	char *text = shorten(name, columns);

	if (text)
		fputs(text, out);
	else
		print(out, "%s", name);
	free(text);
}

/* Columns of the name of a file at most */
#define MOST_FILE 40u

void shorten_print_function(const char *name, const char *file, size_t columns, FILE *out)
{
	const char *slash = strrchr(file, '/');
	char *fitting = shorten(slash ? slash + 1 : file, columns ? MOST_FILE : 0);
	const size_t length = fitting && *fitting ? strlen(fitting) + 4 : 0;

	if (columns)
		columns = columns < length + SHORTEN_LEAST ? SHORTEN_LEAST : columns - length;
	shorten_print(name, columns, out);
	if (length) {
		fputs("  (", out);
		fputs(fitting, out);
		fputc(')', out);
	}
	fputc('\n', out);
	free(fitting);
}

size_t shorten_width(FILE *out)
{
	struct winsize window;

	if (ioctl(fileno(out), TIOCGWINSZ, &window) || !isatty(fileno(out)))
		return WIDTH;
	return window.ws_col < LEAST_WIDTH ? LEAST_WIDTH : window.ws_col;
}
