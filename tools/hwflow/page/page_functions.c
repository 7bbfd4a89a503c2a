/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of functions. */
#include "page_functions.h"

#include <search.h>
#include <stdlib.h>

#include "base/json.h"

/* struct named - a function, and its number */
struct named {
	char *name;
	char *file;
	uint32_t number;
};

/**
 * struct page_functions - see page_functions.h
 * @tree: of struct named
 * @all: the same by number
 * @count: how many
 * @room: of @all
 */
struct page_functions {
	void *tree;
	struct named **all;
	uint32_t count;
	size_t room;
};

static int compare(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	const int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->file, y->file);
}

struct page_functions *page_functions_new(void)
{
	return calloc(1, sizeof(struct page_functions));
}

static void free_named(struct named *named)
{
	if (named) {
		free(named->name);
		free(named->file);
	}
	free(named);
}

static struct named *copy(const struct named *key)
{
	struct named *named = malloc(sizeof(*named));

	if (!named)
		return NULL;
	*named = (struct named){strdup(key->name), strdup(key->file), key->number};
	if (named->name && named->file)
		return named;
	free_named(named);
	return NULL;
}

static bool grow(struct page_functions *functions)
{
	const size_t room = functions->room ? 2 * functions->room : 256;
	struct named **all;

	if (functions->count < functions->room)
		return true;
	all = reallocarray(functions->all, room, sizeof(*all));
	if (!all)
		return false;
	functions->all = all;
	functions->room = room;
	return true;
}

uint32_t page_function(struct page_functions *functions, const char *name, const char *file)
{
	/* tsearch() has no const */
	const struct named key = {(char *)name, (char *)(file ? file : ""), functions->count};
	struct named **found = tfind(&key, &functions->tree, compare);
	struct named *added;

	if (found)
		return (*found)->number;
	added = grow(functions) ? copy(&key) : NULL;
	if (!added || !tsearch(added, &functions->tree, compare)) {
		free_named(added);
		return PAGE_NO_FUNCTION;
	}
	functions->all[functions->count++] = added;
	return added->number;
}

void page_functions_write(const struct page_functions *functions, struct text *out)
{
	text_char(out, '[');
	for (uint32_t i = 0; i < functions->count; i++) {
		const struct named *named = functions->all[i];

		json_separate(out, i);
		text_char(out, '[');
		json_name(out, named->name);
		text_char(out, ',');
		json_name(out, *named->file ? named->file : NULL);
		text_char(out, ']');
	}
	text_char(out, ']');
}

static void free_nothing(void *node)
{
	(void)node;
}

void page_functions_free(struct page_functions *functions)
{
	if (!functions)
		return;
	tdestroy(functions->tree, free_nothing);
	for (uint32_t i = 0; i < functions->count; i++)
		free_named(functions->all[i]);
	free(functions->all);
	free(functions);
}
