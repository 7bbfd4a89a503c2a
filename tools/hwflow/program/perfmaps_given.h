/* SPDX-License-Identifier: GPL-2.0-only */
/* Code that was given besides the events of a recording: where those have no file, it counts. */
#ifndef HWFLOW_PERFMAPS_GIVEN_H
#define HWFLOW_PERFMAPS_GIVEN_H

#include "hwflow/image.h"

/**
 * struct given - a stretch of addresses with code that was given
 * @start: first address
 * @length: bytes
 * @kernel: in the kernel only
 */
struct given {
	uint64_t start;
	uint64_t length;
	bool kernel;
};

/** struct given_list - all that was given: @count of @items */
struct given_list {
	struct given *items;
	size_t count;
};

/** given_add() - one more; 0 or -ENOMEM */
int given_add(struct given_list *list, uint64_t start, uint64_t length, bool kernel);

/**
 * given_uncover() - leave a mapping out where other code was given
 * @list: what was given
 * @space: has the mapping
 * @start: of the mapping
 * @length: of the mapping
 * @kernel: it is the kernel's
 *
 * Return: 0 or -ENOMEM.
 */
int given_uncover(const struct given_list *list, struct hwf_image_space *space, uint64_t start,
		  uint64_t length, bool kernel);

/** given_free() - free all */
void given_free(struct given_list *list);

#endif /* HWFLOW_PERFMAPS_GIVEN_H */
