/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A page of HTML that shows a recording: page.html, with page.css and page.js in it, and the data.
 * The page needs no other file, and its Content-Security-Policy lets nothing else run or be loaded.
 *
 *	page_begin(), append the data as JSON, page_end()
 */
#ifndef HWFLOW_PAGE_H
#define HWFLOW_PAGE_H

#include "base/text.h"

/** page_begin() - append the page up to its data */
void page_begin(struct text *out);

/** page_end() - append the rest of the page */
void page_end(struct text *out);

#endif /* HWFLOW_PAGE_H */
