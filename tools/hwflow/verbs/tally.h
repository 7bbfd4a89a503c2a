/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of what was executed, by function, file or thread, and the table of them. */
#ifndef HWFLOW_VERBS_TALLY_H
#define HWFLOW_VERBS_TALLY_H

#include <stdio.h>

#include "execution.h"
#include "symbols/symbols.h"
#include "threads.h"

/** enum tally_by - what a row stands for */
enum tally_by {
	TALLY_FUNCTION,
	TALLY_DSO,
	TALLY_THREAD,
	TALLY_PROCESS,
};

/** enum tally_sort - what rows are sorted by */
enum tally_sort {
	TALLY_INSTRUCTIONS,
	TALLY_CALLS,
	TALLY_TAKEN,
	TALLY_NOT_TAKEN,
	TALLY_NAME,
};

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
 *	each name
 * @comm: only what threads of this name execute is counted; NULL: all
 * @symbols: names; must outlive it
 * @threads: names of threads; must outlive it
 *
 * Return: 0 or -ENOMEM.
 */
int tally_new(struct tally **result, enum tally_by by, const char *comm, struct symbols *symbols,
	      const struct threads *threads);

/** tally_range() - count instructions that were executed; as execution_sink.range */
void tally_range(void *ctx, const struct execution *execution, const struct hwf_flow_range *range);

/** tally_branch() - count a branch; as execution_sink.branch */
void tally_branch(void *ctx, const struct execution *execution, const struct hwf_branch *branch);

/** tally_graph() - add ranges and branches that were counted; as execution_sink.counts */
void tally_graph(void *ctx, const struct execution *execution, const struct hwf_graph *graph);

/** tally_ranges() - the number of ranges */
uint64_t tally_ranges(const struct tally *tally);

/** tally_total() - counts of all rows together */
struct tally_counts tally_total(const struct tally *tally);

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
 * tally_print() - write the table
 * @tally: the rows
 * @sort: what to sort them by; then by instructions, then by name
 * @limit: how many rows at most; 0: all
 * @width: columns of a row at most, longer names are shortened; 0: names are whole
 * @out: where to
 */
void tally_print(struct tally *tally, enum tally_sort sort, size_t limit, size_t width, FILE *out);

/** tally_free() - free everything; NULL is allowed */
void tally_free(struct tally *tally);

#endif /* HWFLOW_VERBS_TALLY_H */
