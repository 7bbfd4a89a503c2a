/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow, and trees of tsearch(3). */
#ifndef HWFLOW_PROFILE_ITEMS_H
#define HWFLOW_PROFILE_ITEMS_H

#include <search.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct items - an array; all zero at first
 * @at: the items, which free() frees
 * @count: how many
 * @room: room for how many
 */
struct items {
	void *at;
	size_t count;
	size_t room;
};

/** items_add() - add an item of @size bytes, all zero; NULL without memory */
static inline void *items_add(struct items *items, size_t size)
{
	if (items->count == items->room) {
		const size_t room = 2 * items->room + 256;
		void *at = reallocarray(items->at, room, size);

		if (!at)
			return NULL;
		items->at = at;
		items->room = room;
	}
	return memset((char *)items->at + items->count++ * size, 0, size);
}

/** items_sort() - as qsort(), of no items, too */
static inline void items_sort(struct items *items, size_t size,
			      int (*compare)(const void *a, const void *b))
{
	if (items->count)
		qsort(items->at, items->count, size, compare);
}

/** tree_add() - add a copy of @key, of @size bytes, to a tree that has none like it; NULL without
 * memory */
static inline void *tree_add(void **tree, const void *key, size_t size,
			     int (*compare)(const void *a, const void *b))
{
	void *added = malloc(size);

	if (added)
		memcpy(added, key, size);
	if (added && tsearch(added, tree, compare))
		return added;
	free(added);
	return NULL;
}

#endif /* HWFLOW_PROFILE_ITEMS_H */
