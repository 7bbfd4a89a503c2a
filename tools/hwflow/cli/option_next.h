/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of a command line, one after the other. */
#ifndef HWFLOW_CLI_OPTION_NEXT_H
#define HWFLOW_CLI_OPTION_NEXT_H

#include <getopt.h>

/**
 * option_next() - getopt_long(), whose messages have the words of the command line escaped
 * @argc: words of @argv
 * @argv: as for getopt_long(): messages begin with its first word
 * @shorts: as for getopt_long(), which does not begin with a colon
 * @longs: as for getopt_long()
 * @index: as for getopt_long(), may be NULL
 *
 * Return: as getopt_long(); after '?' the reason was printed on stderr.
 */
int option_next(int argc, char **argv, const char *shorts, const struct option *longs, int *index);

#endif /* HWFLOW_CLI_OPTION_NEXT_H */
