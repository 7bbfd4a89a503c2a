/* SPDX-License-Identifier: GPL-2.0-only */
/* The output of hwflow calls. */
#ifndef HWFLOW_VERBS_CALL_TABLES_H
#define HWFLOW_VERBS_CALL_TABLES_H

#include "call_durations.h"

/** enum call_sort - what the table of functions is sorted by */
enum call_sort {
	CALL_SORT_TOTAL,
	CALL_SORT_CALLS,
	CALL_SORT_MEAN,
	CALL_SORT_LONGEST,
	CALL_SORT_NAME,
};

/** call_sorts - the words of enum call_sort */
extern const char *const call_sorts[];

/**
 * struct call_tables - what is printed
 * @name: of the function whose calls are chosen; NULL: of none
 * @between: of two functions, as on the command line; NULL: of none
 * @is_listed: chosen calls are printed; else a row for each function
 * @sort: of the latter
 * @width: columns of a row at most; 0: names are whole
 */
struct call_tables {
	const char *name;
	const char *between;
	bool is_listed;
	enum call_sort sort;
	size_t width;
};

/**
 * call_tables_print() - print what was measured on standard output
 *
 * Return: 0; EXIT_USAGE: the chosen function was not called, or there is no call to show;
 * EXIT_UNREADABLE: there was no memory. The reason was printed on standard error.
 */
int call_tables_print(const struct call_tables *tables, const struct call_durations *durations);

#endif /* HWFLOW_VERBS_CALL_TABLES_H */
