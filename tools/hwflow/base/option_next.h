/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of a command line, one after the other. */
#ifndef HWFLOW_BASE_OPTION_NEXT_H
#define HWFLOW_BASE_OPTION_NEXT_H

#include <getopt.h>
#include <stdbool.h>

/**
 * option_next() - getopt_long(), with the short options of letters.def
 * @argc: words of @argv
 * @argv: as for getopt_long(): messages begin with its first word, and have the words escaped
 * @longs: as for getopt_long(); an option of letters.def is accepted by its letter as well
 * @stops: do the options end at the first argument? Those after it belong to a program to run.
 * @index: receives the row of @longs that was found; may be NULL
 *
 * Return: the value of the row of @longs; -1 at the end of the options; '?' if an option is wrong:
 * the reason was printed on stderr.
 */
int option_next(int argc, char **argv, const struct option *longs, bool stops, int *index);

#endif /* HWFLOW_BASE_OPTION_NEXT_H */
