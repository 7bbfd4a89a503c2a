/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions and files have rows: --filter. */
#ifndef HWFLOW_VERBS_ROW_FILTER_H
#define HWFLOW_VERBS_ROW_FILTER_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct row_filter - patterns of glob(7); with none of a kind, all have rows
 * @functions: of names of functions
 * @function_count: how many
 * @files: of names or paths of programs and libraries
 * @file_count: how many
 */
struct row_filter {
	const char **functions;
	size_t function_count;
	const char **files;
	size_t file_count;
};

/**
 * row_filter_take() - take a value of --filter: function:PATTERN or dso:PATTERN
 * @filter: receives the pattern
 * @verb: for the message
 * @text: the value; must outlive @filter
 *
 * Return: false after a message.
 */
bool row_filter_take(struct row_filter *filter, const char *verb, const char *text);

/** row_filter_is_set() - was a pattern taken? */
bool row_filter_is_set(const struct row_filter *filter);

/**
 * row_filter_matches() - does a function have a row?
 * @filter: the patterns
 * @function: its name
 * @file: path of its program or library
 *
 * Return: true if a pattern of each kind that was taken matches.
 */
bool row_filter_matches(const struct row_filter *filter, const char *function, const char *file);

/** row_filter_no_match() - say that nothing of a recording matches; an enum exit_status */
int row_filter_no_match(const char *path);

/** row_filter_free() - free everything but @filter */
void row_filter_free(struct row_filter *filter);

#endif /* HWFLOW_VERBS_ROW_FILTER_H */
