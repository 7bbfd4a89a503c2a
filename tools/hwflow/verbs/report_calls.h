/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow report: functions with what they call. */
#ifndef HWFLOW_VERBS_REPORT_CALLS_H
#define HWFLOW_VERBS_REPORT_CALLS_H

#include "row_filter.h"
#include "source/input.h"

/**
 * enum report_calls_view - what is printed
 * @REPORT_INCLUSIVE: a row for each function
 * @REPORT_CALLER: a tree of calls: each function is below its caller
 * @REPORT_CALLEE: a tree for each function: its callers are below it
 */
enum report_calls_view {
	REPORT_INCLUSIVE,
	REPORT_CALLER,
	REPORT_CALLEE,
};

/**
 * struct report_calls - how it is printed
 * @view: what
 * @measure: enum spans_clock: what is counted
 * @limit: rows at most; 0: all
 * @width: columns of a row at most, longer names are shortened; 0: names are whole
 * @least: rows with a smaller share, in percent, are not printed
 * @filter: functions that are printed; of REPORT_CALLER with their callers, of REPORT_CALLEE those
 *	at the top
 */
struct report_calls {
	enum report_calls_view view;
	int measure;
	size_t limit;
	size_t width;
	double least;
	const struct row_filter *filter;
};

/**
 * report_calls_run() - count calling contexts and print them
 * @report: how
 * @input: a recording, or a profile with calling contexts
 * @options: of @input
 *
 * Return: an enum exit_status.
 */
int report_calls_run(const struct report_calls *report, struct input *input,
		     const struct input_options *options);

#endif /* HWFLOW_VERBS_REPORT_CALLS_H */
