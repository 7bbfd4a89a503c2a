/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A part of a page's data: a list of JSON values in the order of their importance. Values that the
 * budget has no room for are left out, and counted.
 *
 *	page_part_init()
 *	page_part_item(), append the value, page_part_end_item(), for each value
 *	page_part_write(), page_part_free()
 */
#ifndef HWFLOW_PAGE_PART_H
#define HWFLOW_PAGE_PART_H

#include "base/text.h"

/**
 * struct page_part - such a list
 * @text: for values
 * @budget: bytes of all values at most
 * @skips: a value after one that is left out may be in the list; else none is
 * @count: values that are in the list
 * @left: values that are left out
 * @bytes: the values that have ended
 * @size: bytes of them, and of the value that has not ended
 * @room: of @bytes
 * @ended: bytes of the values that have ended
 */
struct page_part {
	struct text text;
	uint64_t budget;
	bool skips;
	uint64_t count;
	uint64_t left;
	char *bytes;
	size_t size;
	size_t room;
	size_t ended;
};

/** page_part_init() - begin with an empty list */
void page_part_init(struct page_part *part, uint64_t budget);

/** page_part_item() - a value begins; NULL: the list is full, and the value is left out */
struct text *page_part_item(struct page_part *part);

/**
 * page_part_end_item() - the value has ended
 *
 * Return: false if it is left out, since the budget has no room for it.
 */
bool page_part_end_item(struct page_part *part);

/** page_part_write() - append the list, in brackets. An error of its memory becomes one of @out */
void page_part_write(struct page_part *part, struct text *out);

/** page_part_free() - free the values */
void page_part_free(struct page_part *part);

#endif /* HWFLOW_PAGE_PART_H */
