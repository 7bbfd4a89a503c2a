/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Strings of an input in text output: names, values and source lines are written so that no
 * character of them controls a terminal, reorders the text around it or begins a line.
 */
#ifndef HWFLOW_BASE_ESCAPE_H
#define HWFLOW_BASE_ESCAPE_H

#include <stddef.h>

/** ESCAPE_GROWTH - an escaped string has at most so many times as many bytes */
#define ESCAPE_GROWTH 4u

/**
 * enum escape - what is escaped, as ls -b does: as \n, \t and so on or as three octal digits for
 * each byte
 * @ESCAPE_NAME: control characters (below blank, DEL, U+0080 to U+009F, the line separators U+2028
 *	and U+2029), bytes that are not UTF-8, characters that control the direction of text
 *	(U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), and the backslash: two
 *	different names are never written alike
 * @ESCAPE_LINE: likewise, but a backslash stays: for lines of source text, which have many
 */
enum escape {
	ESCAPE_NAME,
	ESCAPE_LINE,
};

/** escape_plain() - how many bytes at the beginning of @size @bytes need no escape */
size_t escape_plain(enum escape what, const char *bytes, size_t size);

/**
 * escape_bytes() - escape a string
 * @what: to escape
 * @bytes: the string, without a NUL at its end
 * @size: bytes of it
 * @out: receives the escaped bytes, ESCAPE_GROWTH x @size at most
 *
 * Return: how many bytes @out received.
 */
size_t escape_bytes(enum escape what, const char *bytes, size_t size, char *out);

/** escape_copy() - a name, escaped, in memory that the caller frees; NULL without memory */
char *escape_copy(const char *name);

#endif /* HWFLOW_BASE_ESCAPE_H */
