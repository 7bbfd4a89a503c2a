/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of calls: functions, percentiles and a histogram, the longest calls, and one call. */
#include "call_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/print.h"
#include "profile/context_code.h"
#include "shorten.h"

const char *const call_sorts[] = {"total", "calls", "mean", "longest", "name", NULL};

/* Columns before the name of a function, in its table, in a list of calls, and in a shown call */
#define TABLE_WIDTH 90u
#define LIST_WIDTH  72u
#define SHOWN_WIDTH 46u

/* Columns of the longest bar of a histogram */
#define BAR 40u

/* Calls that are shown are indented up to this depth; those further in say theirs. */
#define MOST_INDENTED 24u

/**
 * struct row - a function
 * @name: as in the source
 * @file: path of its file
 * @counts: its calls
 */
struct row {
	char *name;
	const char *file;
	const struct function_durations *counts;
};

static uint64_t mean_of(const struct durations *durations)
{
	return durations->count ? durations->sum / durations->count : 0;
}

static int compare_values(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* The greatest comes first; names are in the order of the alphabet. */
static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct call_tables *tables = ctx;
	const struct row *x = a, *y = b;
	const struct durations *p = &x->counts->durations, *q = &y->counts->durations;
	int order = 0;

	switch (tables->sort) {
	case CALL_SORT_TOTAL:
		order = compare_values(p->sum, q->sum);
		break;
	case CALL_SORT_CALLS:
		order = compare_values(p->count, q->count);
		break;
	case CALL_SORT_MEAN:
		order = compare_values(mean_of(p), mean_of(q));
		break;
	case CALL_SORT_LONGEST:
		order = compare_values(p->most, q->most);
		break;
	default:
		break;
	}
	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : strcmp(x->file, y->file);
}

static void free_rows(struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(rows[i].name);
	free(rows);
}

/* A row for each function that was called; NULL without memory */
static struct row *make_rows(const struct call_durations *durations, size_t *count)
{
	struct row *rows = calloc(durations->function_count + 1, sizeof(*rows));

	*count = 0;
	for (size_t i = 1; rows && i < durations->function_count; i++) {
		const struct function_durations *counts = durations->functions[i];
		const struct function *function;

		if (!counts)
			continue;
		function = functions_get(durations->names, i)->function;
		rows[*count] = (struct row){
			.name = context_demangle(function->name),
			.file = function->file,
			.counts = counts,
		};
		if (!rows[(*count)++].name) {
			free_rows(rows, *count);
			return NULL;
		}
	}
	return rows;
}

static size_t columns_of(const struct call_tables *tables, size_t before)
{
	if (!tables->width)
		return 0;
	return tables->width < before + SHORTEN_LEAST ? SHORTEN_LEAST : tables->width - before;
}

static void print_duration(const struct call_durations *durations, uint64_t duration)
{
	char text[MEASURE_TEXT];

	print(stdout, "%14s ", measure_text(&durations->measure, duration, text));
}

static void print_row(const struct call_tables *tables, const struct call_durations *durations,
		      const struct row *row)
{
	const struct durations *counts = &row->counts->durations;

	if (counts->count) {
		print_duration(durations, counts->sum);
		print(stdout, "%12" PRIu64 " ", counts->count);
		print_duration(durations, mean_of(counts));
		print_duration(durations, durations_percentile(counts, 0.5));
		print_duration(durations, durations_percentile(counts, 0.99));
		print_duration(durations, counts->most);
	} else {
		print(stdout, "%14s %12s %14s %14s %14s %14s ", "", "0", "", "", "", "");
	}
	fputc(' ', stdout);
	shorten_print_function(row->name, row->file, columns_of(tables, TABLE_WIDTH), stdout);
}

/* What the numbers are, and what they are not */
static void print_measure(const struct call_durations *durations)
{
	print(stdout, "Durations are %s%s.\n", measure_name(&durations->measure),
	      durations->measure.by == SPANS_TIME
		      ? ", between two timestamps interpolated by the number of instructions"
	      : durations->measure.by == SPANS_CYCLES
		      ? ", between two cycle counts interpolated by the number of instructions"
		      : "");
}

static void print_partial(uint64_t partial)
{
	if (partial)
		print(stdout,
		      "%" PRIu64 " %s not measured: the beginning or the end is not in the trace, "
		      "or has no time.\n",
		      partial, partial == 1 ? "call is" : "calls are");
}

static int print_functions(const struct call_tables *tables, const struct call_durations *durations)
{
	const size_t limit = durations->choice.limit;
	uint64_t partial = 0;
	size_t count;
	struct row *rows = make_rows(durations, &count);

	if (!rows)
		return verb_error("out of memory");
	qsort_r(rows, count, sizeof(*rows), compare_rows, (void *)tables);
	print_measure(durations);
	print(stdout, "\n%14s %12s %14s %14s %14s %14s  %s\n", "total", "calls", "mean", "median",
	      "99 %", "longest", "function");
	for (size_t i = 0; i < count; i++) {
		partial += rows[i].counts->partial;
		if (!limit || i < limit)
			print_row(tables, durations, &rows[i]);
	}
	if (limit && count > limit)
		print(stdout, "%14s in %zu more: --limit=0 shows all\n", "", count - limit);
	fputc('\n', stdout);
	print_partial(partial);
	free_rows(rows, count);
	return 0;
}

static void print_percentiles(const struct call_durations *durations)
{
	static const struct {
		const char *title;
		double share;
	} shares[] = {{"median", 0.5}, {"90 %", 0.9}, {"99 %", 0.99}, {"99.9 %", 0.999}};
	const struct durations *chosen = &durations->chosen;
	char text[MEASURE_TEXT];

	print(stdout, "%14s  %s\n", "shortest",
	      measure_text(&durations->measure, chosen->least, text));
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		print(stdout, "%14s  %s\n", shares[i].title,
		      measure_text(&durations->measure,
				   durations_percentile(chosen, shares[i].share), text));
	print(stdout, "%14s  %s\n", "longest",
	      measure_text(&durations->measure, chosen->most, text));
	print(stdout, "%14s  %s\n", "mean",
	      measure_text(&durations->measure, mean_of(chosen), text));
	print(stdout, "%14s  %s\n\n", "total",
	      measure_text(&durations->measure, chosen->sum, text));
}

static void print_bar(uint64_t count, uint64_t most)
{
	const unsigned int length =
		(unsigned int)((double)count / (double)most * BAR) + (count != 0);

	if (length)
		fputs("  ", stdout);
	for (unsigned int i = 0; i < length && i < BAR; i++)
		fputc('#', stdout);
	fputc('\n', stdout);
}

static void print_histogram(const struct call_durations *durations)
{
	const uint64_t *rows = durations->chosen.rows;
	unsigned int first = DURATIONS_ROWS, last = 0;
	uint64_t most = 0;

	for (unsigned int i = 0; i < DURATIONS_ROWS; i++) {
		if (!rows[i])
			continue;
		if (first == DURATIONS_ROWS)
			first = i;
		last = i;
		most = rows[i] > most ? rows[i] : most;
	}
	print(stdout, "%14s %14s %12s\n", "from", "to", "calls");
	for (unsigned int i = first; i <= last; i++) {
		print_duration(durations, durations_row(i));
		if (i + 1 < DURATIONS_ROWS)
			print_duration(durations, durations_row(i + 1));
		else
			print(stdout, "%14s ", "");
		print(stdout, "%12" PRIu64, rows[i]);
		print_bar(rows[i], most);
	}
	fputc('\n', stdout);
}

static void print_function(const struct call_tables *tables, const struct call_durations *durations,
			   uint64_t id, size_t before)
{
	const struct function *function = functions_get(durations->names, id)->function;
	char *name = context_demangle(function->name);

	shorten_print_function(name ? name : function->name, function->file,
			       columns_of(tables, before), stdout);
	free(name);
}

static const char *instructions_title(const struct call_durations *durations)
{
	return durations->measure.by == SPANS_INSTRUCTIONS ? "" : "  instructions ";
}

/* Unless they are the durations */
static void print_instructions(const struct call_durations *durations, uint64_t instructions)
{
	if (durations->measure.by != SPANS_INSTRUCTIONS)
		print(stdout, "%14" PRIu64 " ", instructions);
}

static void print_listed(const struct call_tables *tables, const struct call_durations *durations,
			 const struct listed_call *call)
{
	const bool is_between = tables->between != NULL;
	const uint64_t function = tables->name || is_between ? call->caller : call->function;
	char text[MEASURE_TEXT];

	print(stdout, "%8" PRIu64 " ", call->number);
	print_duration(durations, call->duration);
	print_instructions(durations, call->instructions);
	print(stdout, "%20s ", measure_time(&durations->measure, call->begin, text));
	if (call->tid >= 0)
		print(stdout, "%10" PRId32 "  ", call->tid);
	else
		print(stdout, "%10s  ", "-");
	if (function)
		print_function(tables, durations, function, LIST_WIDTH);
	else
		fputs("[unknown]\n", stdout);
}

static void print_longest(const struct call_tables *tables, const struct call_durations *durations)
{
	char text[MEASURE_TEXT];

	if (durations->choice.over)
		print(stdout, "%" PRIu64 " %s longer than %s.\n\n", durations->over_count,
		      durations->over_count == 1 ? "takes" : "take",
		      measure_text(&durations->measure, durations->choice.over, text));
	if (durations->longest_count)
		print(stdout, "%8s %14s %s%20s %10s  %s\n", "call", "duration",
		      instructions_title(durations), "begins at", "thread",
		      tables->name || tables->between ? "caller" : "function");
	for (size_t i = 0; i < durations->longest_count; i++)
		print_listed(tables, durations, &durations->longest[i]);
	if (durations->over_count > durations->longest_count)
		print(stdout, "%8s in %" PRIu64 " more: --limit=0 shows all\n", "",
		      durations->over_count - durations->longest_count);
	if (durations->longest_count)
		fputc('\n', stdout);
}

static bool is_not_called(const char *name, bool is_called)
{
	if (!name || is_called)
		return false;
	print(stderr,
	      "hwflow calls: %s: no function with this name was called; 'hwflow calls --limit=0' "
	      "lists all that were\n",
	      name);
	return true;
}

static int print_chosen(const struct call_tables *tables, const struct call_durations *durations)
{
	const char *name = tables->between ? tables->between : tables->name;
	const struct durations *chosen = &durations->chosen;

	if (is_not_called(durations->choice.from, durations->has_from) ||
	    is_not_called(durations->choice.to, durations->has_to))
		return EXIT_USAGE;
	if (name)
		print(stdout, "%s: %" PRIu64 " %s\n", name, chosen->count,
		      tables->between      ? "times"
		      : chosen->count == 1 ? "call"
					   : "calls");
	print_measure(durations);
	print_partial(durations->partial);
	fputc('\n', stdout);
	if (name && chosen->count) {
		print_percentiles(durations);
		print_histogram(durations);
	}
	print_longest(tables, durations);
	return 0;
}

static void print_shown(const struct call_tables *tables, const struct call_durations *durations,
			const struct shown_call *call)
{
	const uint32_t indented = call->depth < MOST_INDENTED ? call->depth : MOST_INDENTED;
	const uint64_t from = durations->shown[0].begin;

	print_duration(durations, call->begin > from ? call->begin - from : 0);
	if (call->is_whole)
		print_duration(durations, call->duration);
	else
		print(stdout, "%14s ", "?");
	print_instructions(durations, call->instructions);
	print(stdout, " %*s", (int)(2 * indented), "");
	if (call->depth > MOST_INDENTED)
		print(stdout, "[%" PRIu32 "] ", call->depth);
	print_function(tables, durations, call->function, SHOWN_WIDTH + 2 * indented);
}

static int print_one(const struct call_tables *tables, const struct call_durations *durations)
{
	const size_t limit = durations->choice.limit;
	char text[MEASURE_TEXT];

	if (is_not_called(tables->name, durations->has_from))
		return EXIT_USAGE;
	if (!durations->shown_count) {
		print(stderr, "hwflow calls: --show=%" PRIu64 ": %s has %" PRIu64 " calls\n",
		      durations->choice.show, tables->name, durations->numbers);
		return EXIT_USAGE;
	}
	print(stdout, "Call %" PRIu64 " of %s begins at %s.\n", durations->choice.show,
	      tables->name, measure_time(&durations->measure, durations->shown[0].begin, text));
	print_measure(durations);
	print(stdout, "\n%14s %14s %s function\n", "after", "duration",
	      instructions_title(durations));
	for (size_t i = 0; i < durations->shown_count && (!limit || i < limit); i++)
		print_shown(tables, durations, &durations->shown[i]);
	if (limit && durations->shown_count > limit)
		print(stdout, "%14s in %zu more calls: --limit=0 shows all\n", "",
		      durations->shown_count - limit);
	fputc('\n', stdout);
	return 0;
}

int call_tables_print(const struct call_tables *tables, const struct call_durations *durations)
{
	if (durations->choice.show)
		return print_one(tables, durations);
	return tables->is_listed ? print_chosen(tables, durations)
				 : print_functions(tables, durations);
}
