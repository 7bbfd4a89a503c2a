/* SPDX-License-Identifier: GPL-2.0-only */
/* Durations of calls for a page. */
#ifndef HWFLOW_VERBS_PAGE_CALLS_H
#define HWFLOW_VERBS_PAGE_CALLS_H

#include "page_feed.h"

/**
 * page_calls() - append a value for each function that was called, the greatest sum first
 * @part: receives [FUNCTION, CALLS, SUM, LEAST, MOST, PARTIAL, PERCENTILES, ROWS, LONGEST]:
 *	PERCENTILES as of page_calls_scale(); ROWS: row and count of a histogram, for rows with
 *	calls;
 *	LONGEST: [BEGIN, DURATION, INSTRUCTIONS, CALLER, THREAD] of the longest calls: CALLER -1:
 *not known; THREAD null: likewise
 * @feed: has them
 *
 * Return: 0 or -ENOMEM.
 */
int page_calls(struct page_part *part, const struct page_feed *feed);

/** page_calls_scale() - append the percentiles that page_calls() has, and the least duration of
 * each row of a histogram */
void page_calls_scale(struct text *out);

#endif /* HWFLOW_VERBS_PAGE_CALLS_H */
