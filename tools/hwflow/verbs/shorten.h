/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that fit into the columns of a table. */
#ifndef HWFLOW_VERBS_SHORTEN_H
#define HWFLOW_VERBS_SHORTEN_H

#include <stddef.h>
#include <stdio.h>

/**
 * shorten() - escape a name, and make one of C++ or Rust fit
 * @name: UTF-8
 * @columns: that the escaped name may have, at least 8; 0: any number
 *
 * Replaces template arguments and parameters by "...", the most deeply nested first. If the name is
 * still too long, its middle is replaced by "...".
 *
 * Return: the escaped name that fits, to be freed by the caller; NULL without memory.
 */
char *shorten(const char *name, size_t columns);

/** shorten_print() - print shorten() of a name; without memory the whole name */
void shorten_print(const char *name, size_t columns, FILE *out);

/** SHORTEN_LEAST - columns that the name of a function in a table keeps */
#define SHORTEN_LEAST 32u

/**
 * shorten_print_function() - print the name of a function, that of its file in parentheses, and the
 * end of the line
 * @name: of the function
 * @file: path of its file; empty: it is in none
 * @columns: that both may have; 0: any number
 * @out: where to
 */
void shorten_print_function(const char *name, const char *file, size_t columns, FILE *out);

/**
 * shorten_width() - columns of a line of output
 * @out: the output
 *
 * Return: the width of the terminal that @out is, if it is one; else 160.
 */
size_t shorten_width(FILE *out);

#endif /* HWFLOW_VERBS_SHORTEN_H */
