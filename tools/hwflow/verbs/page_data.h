/* SPDX-License-Identifier: GPL-2.0-only */
/* The data of a page as one JSON object. Documentation/html.rst describes its members. */
#ifndef HWFLOW_VERBS_PAGE_DATA_H
#define HWFLOW_VERBS_PAGE_DATA_H

#include "page_feed.h"

/**
 * page_data() - append all members but those of the timeline, which follow
 * @out: receives them
 * @feed: the first pass has ended
 * @budget: bytes at most, without the names of functions
 *
 * What the budget leaves out is counted in the data.
 *
 * Return: an enum exit_status; EXIT_GAPS: a binary was not found, after a message.
 */
int page_data(struct text *out, struct page_feed *feed, uint64_t budget);

/** page_data_end() - append what follows the members of the timeline */
void page_data_end(struct text *out, const struct page_feed *feed);

#endif /* HWFLOW_VERBS_PAGE_DATA_H */
