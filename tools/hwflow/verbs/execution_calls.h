/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of an execution: branches, ranges and gaps go to the stacks of their threads. */
#ifndef HWFLOW_VERBS_EXECUTION_CALLS_H
#define HWFLOW_VERBS_EXECUTION_CALLS_H

#include "calls/calls.h"
#include "execution.h"

/**
 * struct execution_calls - the stacks of an input, while it is decoded
 * @calls: the stacks
 * @order: for execution_sink.order
 * @cycles: calls_place.clock is execution.cycles; else it is the timestamp
 * @instructions: that were executed
 * @ranges: of instructions
 * @threads: processes of threads
 * @symbols: names of functions
 * @place: where execution is; its source is NULL before the first branch
 */
struct execution_calls {
	struct calls *calls;
	size_t *order;
	bool cycles;
	uint64_t instructions;
	uint64_t ranges;
	struct threads *threads;
	struct symbols *symbols;
	struct calls_place place;
};

/**
 * execution_calls_init() - begin without threads
 * @calls: receives the stacks
 * @input: what is decoded; must outlive them
 * @options: of @input
 * @sink: takes the stacks
 *
 * Return: 0; -ENOMEM: execution_calls_free() frees what there is.
 */
int execution_calls_init(struct execution_calls *calls, const struct input *input,
			 const struct input_options *options, const struct calls_sink *sink);

/** execution_calls_free() - free everything */
void execution_calls_free(struct execution_calls *calls);

/** execution_calls_branch() - as execution_sink.branch; @ctx is the struct execution_calls */
void execution_calls_branch(void *ctx, const struct execution *execution,
			    const struct hwf_branch *branch);

/** execution_calls_range() - as execution_sink.range; likewise */
void execution_calls_range(void *ctx, const struct execution *execution,
			   const struct hwf_flow_range *range);

/** execution_calls_summed() - as execution_sink.summed; likewise */
void execution_calls_summed(void *ctx, const struct execution *execution,
			    const struct hwf_branches_sum *sum);

/** execution_calls_item() - count an item by stacks, see calls_item() */
void execution_calls_item(struct execution_calls *calls, const struct execution *execution,
			  uint64_t item);

/** execution_calls_gap() - as execution_sink.gap; likewise */
void execution_calls_gap(void *ctx, const struct execution *execution, const struct gap *gap);

#endif /* HWFLOW_VERBS_EXECUTION_CALLS_H */
