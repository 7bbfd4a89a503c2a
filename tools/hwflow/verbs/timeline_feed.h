/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording has for a timeline: calls, threads on CPUs, gaps, cycles, samples, switches. */
#ifndef HWFLOW_VERBS_TIMELINE_FEED_H
#define HWFLOW_VERBS_TIMELINE_FEED_H

#include "execution_calls.h"
#include "measure.h"
#include "timeline/timeline.h"
#include "timeline_syscalls.h"

/**
 * struct timeline_feed - decodes an input, and gives its events to a timeline
 * @timeline: receives them
 * @measure: what its times are
 * @input: what is decoded
 * @options: of @input
 * @verb: the name of the command, for progress
 * @also: takes the execution as well; its @order is not used. NULL: nobody
 * @also_span: takes the beginnings and ends of calls as well, with @also_ctx; NULL: nobody
 * @also_ctx: first argument of @also_span
 * @has_others: the input has samples or switches, whose times are not those of the trace
 *
 * Other members are for timeline_feed.c.
 */
struct timeline_feed {
	struct timeline *timeline;
	struct measure measure;
	struct input *input;
	const struct input_options *options;
	const char *verb;
	const struct execution_sink *also;
	span_fn *also_span;
	void *also_ctx;
	bool has_others;
	struct execution_calls calls;
	struct feed_source *sources;
	struct feed_thread *threads;
	void *rows;
	bool has_switches;
	uint64_t last_switch;
	struct timeline_syscalls syscalls;
};

/**
 * timeline_feed_run() - decode the input
 * @feed: with the members that are described; others are zero, or as the last call has left them
 *
 * Gives the same events each time. The timeline's name_of is set, with @feed as its ctx.
 *
 * Return: an enum exit_status.
 */
int timeline_feed_run(struct timeline_feed *feed);

/** timeline_feed_free() - free everything */
void timeline_feed_free(struct timeline_feed *feed);

#endif /* HWFLOW_VERBS_TIMELINE_FEED_H */
