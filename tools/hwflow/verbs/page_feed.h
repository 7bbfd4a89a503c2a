/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The execution that a page shows, apart from the timeline: counts of instructions, calling
 * contexts, durations of calls, threads, gaps. All are taken in the pass over the trace in which
 * the timeline counts its events.
 */
#ifndef HWFLOW_VERBS_PAGE_FEED_H
#define HWFLOW_VERBS_PAGE_FEED_H

#include "call_durations.h"
#include "insn_counts.h"
#include "page/page_functions.h"
#include "page/page_part.h"
#include "profile/items.h"
#include "profile_contexts.h"
#include "profile_counts.h"
#include "timeline_feed.h"

/** struct page_thread - a thread; @tid is INPUT_ANY if the trace has no numbers of threads */
struct page_thread {
	int32_t tid;
	int32_t pid;
	uint64_t instructions;
};

/**
 * struct page_feed - what was counted
 * @timeline: decodes
 * @functions: numbers of functions
 * @ids: for functions_get()'s ids: the number in @functions
 * @id_count: items of @ids
 * @durations: of calls
 * @stored: has the calling contexts
 * @insns: counts of instructions
 * @symbols: names and lines for @insns
 * @threads: names of threads
 * @executed: struct page_thread, by their numbers
 * @gaps: a value for each gap, in the order of the trace
 * @instructions: that were executed
 * @ranges: of instructions
 *
 * Other members are for page_feed.c.
 */
struct page_feed {
	struct timeline_feed *timeline;
	struct page_functions *functions;
	uint32_t *ids;
	size_t id_count;
	struct call_durations durations;
	struct hwf_stored_profile *stored;
	struct insn_counts *insns;
	struct symbols *symbols;
	struct threads *threads;
	struct items executed;
	struct page_part gaps;
	uint64_t instructions;
	uint64_t ranges;
	struct execution_sink sink;
	struct profile_counts *counts;
	struct profile_contexts *contexts;
	size_t running;
	bool failed;
};

/**
 * page_feed_init() - begin to count
 * @feed: to initialise
 * @timeline: its also_span and also are set; its input and options must outlive @feed
 * @gaps: bytes of the list of gaps at most
 *
 * Return: 0; -ENOMEM: page_feed_free() frees what there is.
 */
int page_feed_init(struct page_feed *feed, struct timeline_feed *timeline, uint64_t gaps);

/**
 * page_feed_end() - the first pass has ended: nothing is counted in the next one
 *
 * Return: 0; -ENOMEM: counts are missing.
 */
int page_feed_end(struct page_feed *feed);

/** page_feed_free() - free everything */
void page_feed_free(struct page_feed *feed);

#endif /* HWFLOW_VERBS_PAGE_FEED_H */
