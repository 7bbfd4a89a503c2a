/* SPDX-License-Identifier: GPL-2.0-only */
/* Sources by the number of their CPU or thread: an input may have many of them. */
#ifndef HWFLOW_SOURCE_INDEX_H
#define HWFLOW_SOURCE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct source_index - zero: it is empty; @tree: of its elements */
struct source_index {
	void *tree;
};

/**
 * source_index_get() - the sources of a CPU or thread
 * @index: the index
 * @is_cpu: @number is that of a CPU
 * @number: the number
 * @count: receives how many sources there are
 *
 * Return: numbers of the sources in the order in which they were added; valid until the next
 * source_index_add(). NULL if there are none.
 */
const size_t *source_index_get(const struct source_index *index, bool is_cpu, int32_t number,
			       size_t *count);

/** source_index_add() - add a source, after those of the same number; Return: 0 or -ENOMEM */
int source_index_add(struct source_index *index, bool is_cpu, int32_t number, size_t source);

/** source_index_free() - free the elements: the index is empty */
void source_index_free(struct source_index *index);

#endif /* HWFLOW_SOURCE_INDEX_H */
