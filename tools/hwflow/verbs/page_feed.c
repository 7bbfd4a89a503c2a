/* SPDX-License-Identifier: GPL-2.0-only */
/* The execution that a page shows. */
#include "page_feed.h"

#include <errno.h>
#include <stdlib.h>

#include "base/json.h"
#include "names.h"
#include "symbols/demangle.h"
#include "threads.h"

/* Longest calls of a function that are kept */
#define LONGEST_CALLS 10u

/* Takes the number of a function when its first call begins. */
static void take_function(struct page_feed *feed, uint64_t id)
{
	const size_t count = feed->id_count;
	const struct called_function *called;
	size_t more = count ? count : 256;
	uint32_t *ids = feed->ids;
	char *name;

	while (more <= id)
		more *= 2;
	if (more != count) {
		ids = reallocarray(ids, more, sizeof(*ids));
		if (!ids) {
			feed->failed = true;
			return;
		}
		for (size_t i = count; i < more; i++)
			ids[i] = PAGE_NO_FUNCTION;
		feed->ids = ids;
		feed->id_count = more;
	}
	if (ids[id] != PAGE_NO_FUNCTION)
		return;
	called = functions_get(calls_functions(feed->timeline->calls.calls), id);
	name = demangle(called->function->name);
	ids[id] = page_function(feed->functions, name ? name : called->function->name,
				called->file ? hwf_image_file_name(called->file) : NULL);
	free(name);
	feed->failed |= ids[id] == PAGE_NO_FUNCTION;
}

/* As span_fn */
static void take_span(void *ctx, const struct calls_thread *thread, void **own,
		      const struct span_event *event)
{
	struct page_feed *feed = ctx;

	if (event->kind == SPAN_BEGIN || event->kind == SPAN_FOUND)
		take_function(feed, event->function);
	call_durations_take(&feed->durations, thread, own, event);
}

/* The thread that is executed; NULL without memory */
static struct page_thread *find_thread(struct page_feed *feed, const struct execution *execution)
{
	struct page_thread *threads = feed->executed.at, *added;

	if (feed->running < feed->executed.count && threads[feed->running].tid == execution->tid)
		return &threads[feed->running];
	for (size_t i = 0; i < feed->executed.count; i++) {
		if (threads[i].tid != execution->tid)
			continue;
		feed->running = i;
		return &threads[i];
	}
	added = items_add(&feed->executed, sizeof(*added));
	if (!added) {
		feed->failed = true;
		return NULL;
	}
	added->tid = execution->tid;
	added->pid = execution_process(execution, feed->threads);
	feed->running = feed->executed.count - 1;
	return added;
}

/* As branch of struct execution_sink, and so on */
static void take_branch(void *ctx, const struct execution *execution,
			const struct hwf_branch *branch)
{
	const struct page_feed *feed = ctx;

	execution_calls_branch(profile_contexts_calls(feed->contexts), execution, branch);
}

static void take_range(void *ctx, const struct execution *execution,
		       const struct hwf_flow_range *range)
{
	struct page_feed *feed = ctx;
	struct page_thread *thread = find_thread(feed, execution);

	if (thread)
		thread->instructions += range->instructions;
	feed->instructions += range->instructions;
	feed->ranges++;
	execution_calls_range(profile_contexts_calls(feed->contexts), execution, range);
}

static void take_gap(void *ctx, const struct execution *execution, const struct gap *gap)
{
	struct page_feed *feed = ctx;
	struct text *out = page_part_item(&feed->gaps);
	char place[GAPS_PLACE];

	execution_calls_gap(profile_contexts_calls(feed->contexts), execution, gap);
	if (!out)
		return;
	gaps_place(execution->input->gaps, gap, place);
	text_char(out, '[');
	json_name(out, gap->reason);
	text_char(out, ',');
	json_name(out, place);
	text_char(out, ',');
	if (execution->timestamp && feed->timeline->measure.by == SPANS_TIME)
		json_number(out, measure_now(&feed->timeline->measure, execution->timestamp));
	else
		text_string(out, "null");
	text_char(out, ']');
	page_part_end_item(&feed->gaps);
}

static void take_counts(void *ctx, const struct execution *execution,
			const struct hwf_profile *profile)
{
	const struct page_feed *feed = ctx;
	const struct hwf_profile_block *block;
	size_t at = 0;

	while ((block = hwf_profile_next_block(profile, &at)))
		insn_counts_block(feed->insns, execution, block);
}

int page_feed_init(struct page_feed *feed, struct timeline_feed *timeline, uint64_t gaps)
{
	const struct measure instructions = {.by = SPANS_INSTRUCTIONS};
	struct input *input = timeline->input;
	const struct input_options *options = timeline->options;

	*feed = (struct page_feed){
		.timeline = timeline,
		.functions = page_functions_new(),
		.stored = hwf_stored_profile_new(),
		.sink = {.branch = take_branch,
			 .range = take_range,
			 .gap = take_gap,
			 .counts = take_counts,
			 .ctx = feed},
	};
	page_part_init(&feed->gaps, gaps);
	call_durations_init(&feed->durations, &(struct call_choice){.each = LONGEST_CALLS},
			    &timeline->measure);
	if (!feed->functions || !feed->stored)
		return -ENOMEM;
	hwf_stored_profile_keep_contexts(feed->stored);
	feed->counts = profile_counts_new(feed->stored, options);
	if (!feed->counts || threads_new(&feed->threads, input_recording(input)) ||
	    names_open(&feed->symbols, input, options, true) ||
	    insn_counts_new(&feed->insns, feed->symbols, feed->threads) ||
	    profile_contexts_new(&feed->contexts, feed->stored, feed->counts, &instructions, input,
				 options))
		return -ENOMEM;
	timeline->also = &feed->sink;
	timeline->also_span = take_span;
	timeline->also_ctx = feed;
	return 0;
}

static int compare_threads(const void *a, const void *b)
{
	const struct page_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

int page_feed_end(struct page_feed *feed)
{
	int error = profile_contexts_end(feed->contexts);

	error |= call_durations_end(&feed->durations);
	feed->timeline->also = NULL;
	feed->timeline->also_span = NULL;
	items_sort(&feed->executed, sizeof(struct page_thread), compare_threads);
	if (error || feed->failed || insn_counts_failed(feed->insns) ||
	    hwf_stored_profile_failed(feed->stored))
		return -ENOMEM;
	return 0;
}

void page_feed_free(struct page_feed *feed)
{
	page_part_free(&feed->gaps);
	call_durations_free(&feed->durations);
	profile_contexts_free(feed->contexts);
	profile_counts_free(feed->counts);
	hwf_stored_profile_free(feed->stored);
	insn_counts_free(feed->insns);
	symbols_free(feed->symbols);
	threads_free(feed->threads);
	page_functions_free(feed->functions);
	free(feed->executed.at);
	free(feed->ids);
}
