// SPDX-License-Identifier: GPL-2.0-only
#include "source_index.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

/* struct element - the sources of one number; @sources has room for a power of two of them */
struct element {
	bool is_cpu;
	int32_t number;
	size_t *sources;
	size_t count;
};

static int compare(const void *a, const void *b)
{
	const struct element *x = a, *y = b;

	if (x->is_cpu != y->is_cpu)
		return x->is_cpu ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

static struct element *find(const struct source_index *index, bool is_cpu, int32_t number)
{
	const struct element key = {.is_cpu = is_cpu, .number = number};
	void *const *found = tfind(&key, &index->tree, compare);

	return found ? *found : NULL;
}

const size_t *source_index_get(const struct source_index *index, bool is_cpu, int32_t number,
			       size_t *count)
{
	const struct element *element = find(index, is_cpu, number);

	*count = element ? element->count : 0;
	return *count ? element->sources : NULL;
}

int source_index_add(struct source_index *index, bool is_cpu, int32_t number, size_t source)
{
	struct element *element = find(index, is_cpu, number);
	size_t *sources;

	if (!element) {
		element = calloc(1, sizeof(*element));
		if (!element)
			return -ENOMEM;
		element->is_cpu = is_cpu;
		element->number = number;
		if (!tsearch(element, &index->tree, compare)) {
			free(element);
			return -ENOMEM;
		}
	}
	if (!(element->count & (element->count - 1))) {
		sources = reallocarray(element->sources, element->count ? 2 * element->count : 1,
				       sizeof(*sources));
		if (!sources)
			return -ENOMEM;
		element->sources = sources;
	}
	element->sources[element->count++] = source;
	return 0;
}

static void free_element(void *element)
{
	free(((struct element *)element)->sources);
	free(element);
}

void source_index_free(struct source_index *index)
{
	tdestroy(index->tree, free_element);
	index->tree = NULL;
}
