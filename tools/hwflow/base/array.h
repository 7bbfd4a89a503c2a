/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that double as they grow. */
#ifndef HWFLOW_ARRAY_H
#define HWFLOW_ARRAY_H

#include <stdlib.h>

/** ARRAY_FIRST - items that an array has room for at first */
#define ARRAY_FIRST 64u

/**
 * array_room() - room for one more item
 * @array: the array; NULL if it has no room yet
 * @count: items that it has
 * @room: items that it has room for; changes with the array
 * @size: bytes of an item
 *
 * Return: the array, which may have moved; NULL without memory: then the array is as it was.
 */
static inline void *array_room(void *array, size_t count, size_t *room, size_t size)
{
	const size_t more = *room ? 2 * *room : ARRAY_FIRST;
	void *moved;

	if (array && count < *room)
		return array;
	moved = reallocarray(array, more, size);
	if (moved)
		*room = more;
	return moved;
}

#endif /* HWFLOW_ARRAY_H */
