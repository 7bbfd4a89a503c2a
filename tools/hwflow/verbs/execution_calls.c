/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of an execution. */
#include "execution_calls.h"

#include <errno.h>
#include <stdlib.h>

#include "names.h"
#include "threads.h"

int execution_calls_init(struct execution_calls *calls, const struct input *input,
			 const struct input_options *options, const struct calls_sink *sink)
{
	*calls = (struct execution_calls){.order = calls_order(input)};
	if (!calls->order || names_open(&calls->symbols, input, options, false) ||
	    threads_new(&calls->threads, input_recording(input)))
		return -ENOMEM;
	calls->calls = calls_new(input, calls->symbols, sink);
	return calls->calls ? 0 : -ENOMEM;
}

void execution_calls_free(struct execution_calls *calls)
{
	calls_free(calls->calls);
	symbols_free(calls->symbols);
	threads_free(calls->threads);
	free(calls->order);
	*calls = (struct execution_calls){0};
}

static const struct calls_place *place_of(struct execution_calls *calls,
					  const struct execution *execution)
{
	struct calls_place *place = &calls->place;
	bool is_cut = false;

	if (place->source != execution->source || place->piece != execution->piece ||
	    place->tid != execution->tid) {
		is_cut = execution->cut && place->piece != execution->piece;
		place->source = execution->source;
		place->piece = execution->piece;
		place->tid = execution->tid;
		place->pid = execution_process(execution, calls->threads);
	}
	place->time = execution->timestamp;
	place->clock = calls->cycles ? execution->cycles : execution->timestamp;
	/* what is not selected of a piece is missing */
	if (is_cut)
		calls_gap(calls->calls, place);
	return place;
}

void execution_calls_branch(void *ctx, const struct execution *execution,
			    const struct hwf_branch *branch)
{
	struct execution_calls *calls = ctx;

	calls_branch(calls->calls, place_of(calls, execution), branch);
}

void execution_calls_range(void *ctx, const struct execution *execution,
			   const struct hwf_flow_range *range)
{
	struct execution_calls *calls = ctx;

	calls->instructions += range->instructions;
	calls->ranges++;
	calls_range(calls->calls, place_of(calls, execution), range->instructions);
}

void execution_calls_summed(void *ctx, const struct execution *execution,
			    const struct hwf_branches_sum *sum)
{
	struct execution_calls *calls = ctx;

	calls->instructions += sum->instructions;
	calls->ranges += sum->ranges;
	calls_range(calls->calls, place_of(calls, execution), sum->instructions);
}

void execution_calls_item(struct execution_calls *calls, const struct execution *execution,
			  uint64_t item)
{
	calls_item(calls->calls, place_of(calls, execution), item);
}

void execution_calls_gap(void *ctx, const struct execution *execution, const struct gap *gap)
{
	struct execution_calls *calls = ctx;

	(void)gap;
	calls_gap(calls->calls, place_of(calls, execution));
}
