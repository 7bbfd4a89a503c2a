// SPDX-License-Identifier: GPL-2.0-only
/* Code that was given besides the events of a recording: where those have no file, it counts. */
#include "perfmaps_given.h"

#include <errno.h>
#include <stdlib.h>

int given_add(struct given_list *list, uint64_t start, uint64_t length, bool kernel)
{
	struct given *items = reallocarray(list->items, list->count + 1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	list->items = items;
	items[list->count++] = (struct given){start, length, kernel};
	return 0;
}

/* The part of [start, start + length) that is not before @from; false if there is none. */
static bool cut_before(uint64_t from, uint64_t *start, uint64_t *length)
{
	if (*start >= from)
		return true;
	if (*length <= from - *start)
		return false;
	*length -= from - *start;
	*start = from;
	return true;
}

int given_uncover(const struct given_list *list, struct hwf_image_space *space, uint64_t start,
		  uint64_t length, bool kernel)
{
	int err = 0;

	for (size_t i = 0; i < list->count && !err; i++) {
		uint64_t at = list->items[i].start, size = list->items[i].length, room;

		if (list->items[i].kernel && !kernel)
			continue;
		if (!cut_before(start, &at, &size) || at - start >= length)
			continue;
		room = length - (at - start);
		err = hwf_image_map(space, at, size < room ? size : room, NULL, 0);
	}
	return err;
}

void given_free(struct given_list *list)
{
	free(list->items);
	*list = (struct given_list){0};
}
