/* SPDX-License-Identifier: GPL-2.0-only */
/* Durations of system calls. */
#include "syscall_durations.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/print.h"
#include "perfdata/perfdata_syscalls.h"
#include "profile/items.h"
#include "sample_lines.h"

/**
 * struct row - node of a tree by number: a system call
 * @number: of the call
 * @name: NULL: not known
 * @durations: of its calls
 * @partial: calls without beginning or end
 */
struct row {
	int64_t number;
	const char *name;
	struct durations durations;
	uint64_t partial;
};

/* struct caller - node of a tree by thread: @row: of the call that it is in; NULL: none */
struct caller {
	int32_t tid;
	uint64_t since;
	struct row *row;
};

/**
 * struct syscalls - the calls of a recording
 * @rows: tree of struct row
 * @callers: tree of struct caller
 * @sorted: pointers to the rows
 * @failed: memory ran out
 */
struct syscalls {
	void *rows;
	void *callers;
	struct items sorted;
	bool failed;
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static int compare_callers(const void *a, const void *b)
{
	const struct caller *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* The node of a tree that is like @key, which becomes a copy of it if it is new */
static void *get(struct syscalls *calls, void **tree, const void *key, size_t size,
		 int (*compare)(const void *a, const void *b))
{
	void **found = tfind(key, tree, compare);
	void *node = found ? *found : tree_add(tree, key, size, compare);

	calls->failed |= !node;
	return node;
}

static void take(struct syscalls *calls, const struct perfdata_sample *sample,
		 const struct perfdata_syscall *call)
{
	const struct row wanted = {.number = call->number, .name = call->name};
	const struct caller who = {.tid = sample->tid};
	struct row *row = get(calls, &calls->rows, &wanted, sizeof(wanted), compare_rows);
	struct caller *caller = get(calls, &calls->callers, &who, sizeof(who), compare_callers);

	if (!row || !caller)
		return;
	if (!call->enters && caller->row == row && sample->time >= caller->since) {
		calls->failed |= !durations_add(&row->durations, sample->time - caller->since);
		caller->row = NULL;
		return;
	}
	/* the end of the call before is missing, or the beginning of this one */
	if (caller->row)
		caller->row->partial++;
	row->partial += !call->enters;
	caller->row = call->enters ? row : NULL;
	caller->since = sample->time;
}

static void end_caller(const void *node, VISIT visit, void *ctx)
{
	const struct caller *caller = *(const struct caller *const *)node;

	(void)ctx;
	if ((visit == postorder || visit == leaf) && caller->row)
		caller->row->partial++;
}

static void list_row(const void *node, VISIT visit, void *ctx)
{
	struct syscalls *calls = ctx;
	struct row **listed;

	if (visit != postorder && visit != leaf)
		return;
	listed = items_add(&calls->sorted, sizeof(*listed));
	if (listed)
		*listed = *(struct row *const *)node;
	else
		calls->failed = true;
}

static uint64_t mean_of(const struct durations *durations)
{
	return durations->count ? durations->sum / durations->count : 0;
}

static uint64_t key_of(const struct row *row, enum call_sort sort)
{
	switch (sort) {
	case CALL_SORT_TOTAL:
		return row->durations.sum;
	case CALL_SORT_CALLS:
		return row->durations.count;
	case CALL_SORT_MEAN:
		return mean_of(&row->durations);
	case CALL_SORT_LONGEST:
		return row->durations.most;
	default:
		return 0;
	}
}

/* Names that are not known come after the others, by number. */
static int compare_names(const struct row *x, const struct row *y)
{
	if (x->name && y->name)
		return strcmp(x->name, y->name);
	return x->name ? -1 : y->name ? 1 : compare_rows(x, y);
}

static int compare_printed(const void *a, const void *b, void *ctx)
{
	const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
	const struct call_tables *tables = ctx;
	const uint64_t p = key_of(x, tables->sort), q = key_of(y, tables->sort);

	return p == q ? compare_names(x, y) : p > q ? -1 : 1;
}

static void print_duration(const struct measure *measure, uint64_t duration)
{
	char text[MEASURE_TEXT];

	print(stdout, "%14s ", measure_text(measure, duration, text));
}

static void print_row(const struct row *row)
{
	static const struct perfdata_clock nanoseconds = {.known = true, .mult = 1};
	const struct measure measure = {.by = SPANS_TIME, .clock = &nanoseconds};
	const struct durations *durations = &row->durations;

	if (durations->count) {
		print_duration(&measure, durations->sum);
		print(stdout, "%12" PRIu64 " ", durations->count);
		print_duration(&measure, mean_of(durations));
		print_duration(&measure, durations_percentile(durations, 0.5));
		print_duration(&measure, durations_percentile(durations, 0.99));
		print_duration(&measure, durations->most);
	} else {
		print(stdout, "%14s %12s %14s %14s %14s %14s ", "", "0", "", "", "", "");
	}
	if (row->name)
		print(stdout, " %s\n", row->name);
	else
		print(stdout, " [%" PRId64 "]\n", row->number);
}

static void print_rows(struct syscalls *calls, const struct call_tables *tables, size_t limit)
{
	struct row **rows = calls->sorted.at;
	const size_t count = calls->sorted.count;
	uint64_t partial = 0;

	if (count)
		qsort_r(rows, count, sizeof(*rows), compare_printed, (void *)tables);
	print(stdout,
	      "Durations are times, from the tracepoint at the beginning of a call to the one at "
	      "its end.\n\n");
	print(stdout, "%14s %12s %14s %14s %14s %14s  %s\n", "total", "calls", "mean", "median",
	      "99 %", "longest", "system call");
	for (size_t i = 0; i < count; i++) {
		partial += rows[i]->partial;
		if (!limit || i < limit)
			print_row(rows[i]);
	}
	if (limit && count > limit)
		print(stdout, "%14s in %zu more: --limit=0 shows all\n", "", count - limit);
	if (partial)
		print(stdout,
		      "\n%" PRIu64 " %s not measured: the beginning or the end is not in the "
		      "recording.\n",
		      partial, partial == 1 ? "call is" : "calls are");
}

static void free_row(void *node)
{
	struct row *row = node;

	durations_free(&row->durations);
	free(row);
}

int syscall_durations_print(const struct call_tables *tables, size_t limit,
			    const struct input *input, const struct input_options *options)
{
	const struct perfdata_info *info = input_recording(input);
	struct syscalls calls = {.failed = false};
	struct perfdata_syscall call;
	int status = EXIT_GOOD;

	for (size_t i = 0; info && i < info->sample_count; i++)
		if (perfdata_sample_syscall(info, &info->samples[i], &call) &&
		    sample_is_selected(input, options, &info->samples[i]))
			take(&calls, &info->samples[i], &call);
	twalk_r(calls.callers, end_caller, NULL);
	twalk_r(calls.rows, list_row, &calls);
	if (calls.failed) {
		status = verb_error("out of memory");
	} else if (!calls.sorted.count) {
		input_error(input->path, UINT64_MAX,
			    "--syscalls: there are no samples of raw_syscalls:sys_enter and "
			    "raw_syscalls:sys_exit; 'hwflow emulate --syscalls' records them, and "
			    "'hwflow record -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit'");
		status = EXIT_USAGE;
	} else {
		print_rows(&calls, tables, limit);
	}
	free(calls.sorted.at);
	tdestroy(calls.callers, free);
	tdestroy(calls.rows, free_row);
	return status;
}
