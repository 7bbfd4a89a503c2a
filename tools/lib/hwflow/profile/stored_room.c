/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Arrays of a stored profile that grow. */
#include <stdlib.h>

#include "profile/stored_private.h"

bool hwf_stored_make_room(struct hwf_stored_profile *stored, void *array, size_t *room,
			  size_t count)
{
	void ***const items = array;
	const size_t larger = 2 * count + 16;
	void *moved;

	if (count < *room)
		return true;
	moved = larger < UINT32_MAX ? realloc(*items, larger * sizeof(**items)) : NULL;
	if (!moved) {
		stored->failed = true;
		return false;
	}
	*items = moved;
	*room = larger;
	return true;
}
