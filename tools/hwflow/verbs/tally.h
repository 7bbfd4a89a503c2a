/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of what was executed, by function, file or thread, and the table of them. */
#ifndef HWFLOW_VERBS_TALLY_H
#define HWFLOW_VERBS_TALLY_H

#include <stdio.h>

#include "execution.h"
#include "row_filter.h"
#include "symbols/symbols.h"
#include "threads.h"

/** enum tally_by - what a row stands for */
enum tally_by {
	TALLY_FUNCTION,
	TALLY_DSO,
	TALLY_LINE,
	TALLY_ADDRESS,
	TALLY_THREAD,
	TALLY_PROCESS,
	TALLY_CGROUP,
};

/** enum tally_sort - what rows are sorted by */
enum tally_sort {
	TALLY_INSTRUCTIONS,
	TALLY_CALLS,
	TALLY_TAKEN,
	TALLY_NOT_TAKEN,
	TALLY_NAME,
};

/** tally_bys - the words for enum tally_by; the last one is NULL */
extern const char *const tally_bys[];

/** tally_sorts - the words for enum tally_sort; the last one is NULL */
extern const char *const tally_sorts[];

/**
 * struct tally_counts - counts of one row
 * @instructions: executed
 * @calls: how often it was entered by a call, or by a jump to its beginning from elsewhere
 * @taken: branches in it that were taken
 * @not_taken: and that were not
 */
struct tally_counts {
	uint64_t instructions;
	uint64_t calls;
	uint64_t taken;
	uint64_t not_taken;
};

/** struct tally - all rows */
struct tally;

/**
 * tally_new() - begin with no rows
 * @result: receives it
 * @by: what a row stands for. A thread or process that changed its name, as by exec, has a row for
 *	each name. Code without a source line has a row for each function
 * @comm: only what threads of this name execute is counted; NULL: all
 * @symbols: names; must outlive it
 * @threads: names of threads; must outlive it
 *
 * Return: 0 or -ENOMEM.
 */
int tally_new(struct tally **result, enum tally_by by, const char *comm, struct symbols *symbols,
	      const struct threads *threads);

/** tally_set_filter() - before anything is counted: only code that a filter matches has rows; the
 * filter must outlive the tally */
void tally_set_filter(struct tally *tally, const struct row_filter *filter);

/** tally_profile() - add what was counted; as execution_sink.counts */
void tally_profile(void *ctx, const struct execution *execution, const struct hwf_profile *profile);

/** tally_ranges() - the number of ranges */
uint64_t tally_ranges(const struct tally *tally);

/** tally_total() - counts of all rows together, and of code that the filter does not match */
struct tally_counts tally_total(const struct tally *tally);

/** tally_has_rows() - has anything a row? */
bool tally_has_rows(const struct tally *tally);

/**
 * tally_visit() - call a function with each row
 * @tally: the rows; of a tally by function or by file
 * @visit: receives @ctx, the function, of a file one of its functions, and the counts
 * @ctx: first argument of @visit
 */
void tally_visit(const struct tally *tally,
		 void (*visit)(void *ctx, const struct function *function,
			       const struct tally_counts *counts),
		 void *ctx);

/** tally_failed() - did memory run out? */
bool tally_failed(const struct tally *tally);

/**
 * struct tally_rows - which rows are printed
 * @sort: what to sort them by; then by instructions, then by name
 * @limit: how many at most; 0: all
 * @width: columns of a row at most, longer names are shortened; 0: names are whole
 * @least: those with a smaller share of the instructions, in percent, are left out
 */
struct tally_rows {
	enum tally_sort sort;
	size_t limit;
	size_t width;
	double least;
};

/**
 * tally_print() - write the table
 * @tally: the rows
 * @rows: which of them
 * @out: where to
 */
void tally_print(struct tally *tally, const struct tally_rows *rows, FILE *out);

/** tally_free() - free everything; NULL is allowed */
void tally_free(struct tally *tally);

#endif /* HWFLOW_VERBS_TALLY_H */
