// SPDX-License-Identifier: GPL-2.0-only
/* A recording as a stored profile: blocks by the counts of sessions, contexts by its branches. */
#include "profile_decode.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/progress.h"
#include "profile_contexts.h"
#include "profile_counts.h"

/* struct taker - what takes the execution of a recording; @contexts: NULL without contexts */
struct taker {
	struct profile_counts *counts;
	struct profile_contexts *contexts;
};

static void take_counts(void *ctx, const struct execution *execution,
			const struct hwf_profile *profile)
{
	const struct taker *taker = ctx;

	profile_counts_take(taker->counts, execution, profile);
}

static void take_branch(void *ctx, const struct execution *execution,
			const struct hwf_branch *branch)
{
	const struct taker *taker = ctx;

	profile_contexts_branch(taker->contexts, execution, branch);
}

static void take_range(void *ctx, const struct execution *execution,
		       const struct hwf_flow_range *range)
{
	const struct taker *taker = ctx;

	profile_contexts_range(taker->contexts, execution, range);
}

static void take_sum(void *ctx, const struct execution *execution,
		     const struct hwf_branches_sum *sum)
{
	const struct taker *taker = ctx;

	execution_calls_summed(profile_contexts_calls(taker->contexts), execution, sum);
}

static void take_gap(void *ctx, const struct execution *execution, const struct gap *gap)
{
	const struct taker *taker = ctx;

	execution_calls_gap(profile_contexts_calls(taker->contexts), execution, gap);
}

static int out_of_memory(const struct input_options *options)
{
	input_error(options->path, UINT64_MAX, "out of memory");
	return EXIT_UNREADABLE;
}

/* Decodes an input; an exit status */
static int run(struct profile_decode *decode, struct taker *taker, struct input *input,
	       const struct input_options *options)
{
	struct execution_sink sink = {.counts = decode->no_blocks ? NULL : take_counts,
				      .ctx = taker};
	struct execution_calls *calls = NULL;
	struct execution execution;
	int status;

	if (hwf_stored_profile_has_contexts(decode->stored)) {
		if (profile_contexts_new(&taker->contexts, decode->stored, taker->counts,
					 &decode->measure, input, options))
			return out_of_memory(options);
		calls = profile_contexts_calls(taker->contexts);
		sink.order = calls->order;
		sink.branch = take_branch;
		sink.range = take_range;
		sink.gap = take_gap;
		sink.summed = take_sum;
		/* contexts with counts of blocks take each range */
		if (!hwf_stored_profile_has_context_counts(decode->stored))
			sink.sum = calls_sum(calls->calls);
	}
	input_progress(input, decode->verb, NULL, false);
	status = execution_run(&execution, input, &sink);
	progress_end();
	if (calls) {
		if (profile_contexts_end(taker->contexts))
			status = out_of_memory(options);
		decode->instructions = calls->instructions;
		decode->ranges = calls->ranges;
	}
	if (decode->measure.by == SPANS_CYCLES && !execution.has_cycles)
		status = measure_no_cycles(input);
	profile_contexts_free(taker->contexts);
	return status;
}

int profile_decode(struct profile_decode *decode, struct input *input,
		   const struct input_options *options)
{
	struct taker taker = {.counts = profile_counts_new(decode->stored, options)};
	int status;

	if (!taker.counts)
		return out_of_memory(options);
	status = run(decode, &taker, input, options);
	if (decode->no_blocks) {
		if (hwf_stored_profile_failed(decode->stored))
			status = out_of_memory(options);
	} else {
		profile_counts_input(taker.counts, input);
		if (profile_counts_end(taker.counts, options))
			status = out_of_memory(options);
	}
	profile_counts_free(taker.counts);
	return status;
}
