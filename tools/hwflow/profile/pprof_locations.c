/* SPDX-License-Identifier: GPL-2.0-only */
/* Locations of a profile of pprof, with their functions and strings. */
#include "pprof_locations.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "context_code.h"
#include "items.h"
#include "symbols/demangle.h"
#include "symbols/symbols.h"

/* struct string - node of pprof.strings, by text */
struct string {
	char *text;
	uint64_t number;
};

/* struct described - node of pprof.functions: by its strings and line */
struct described {
	uint64_t name;
	uint64_t file;
	uint64_t line;
	uint64_t number;
};

static int compare_strings(const void *a, const void *b)
{
	const struct string *x = a, *y = b;

	return strcmp(x->text, y->text);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_functions(const void *a, const void *b)
{
	const struct described *x = a, *y = b;
	int result = compare_numbers(x->name, y->name);

	result = result ? result : compare_numbers(x->file, y->file);
	return result ? result : compare_numbers(x->line, y->line);
}

static int compare_locations(const void *a, const void *b)
{
	const struct pprof_location *x = a, *y = b;
	int result = compare_numbers(x->mapping, y->mapping);

	result = result ? result : compare_numbers(x->name, y->name);
	result = result ? result : compare_numbers(x->address, y->address);
	return result ? result : compare_numbers(x->is_function, y->is_function);
}

/* Adds a copy of @key to a tree; NULL without memory. */
static void *add(struct pprof *pprof, void **tree, const void *key, size_t size,
		 int (*compare)(const void *a, const void *b))
{
	void *added = tree_add(tree, key, size, compare);

	pprof->failed |= !added;
	return added;
}

uint64_t pprof_string(struct pprof *pprof, const char *text)
{
	struct string key = {.text = escape_copy(text ? text : "")};
	struct string **found, *string;

	if (!key.text) {
		pprof->failed = true;
		return 0;
	}
	found = tfind(&key, &pprof->strings, compare_strings);
	if (found) {
		free(key.text);
		return (*found)->number;
	}
	key.number = pprof->string_count;
	string = add(pprof, &pprof->strings, &key, sizeof(key), compare_strings);
	if (!string) {
		free(key.text);
		return 0;
	}
	message_bytes(&pprof->profile, PROFILE_STRING_TABLE, key.text, strlen(key.text));
	return pprof->string_count++;
}

/* The number of a function */
static uint64_t function_of(struct pprof *pprof, const char *name, const char *file, uint32_t line)
{
	struct described key = {pprof_string(pprof, name), pprof_string(pprof, file), line, 0};
	struct described **found = tfind(&key, &pprof->functions, compare_functions);
	char *shown;

	if (found)
		return (*found)->number;
	key.number = ++pprof->function_count;
	if (!add(pprof, &pprof->functions, &key, sizeof(key), compare_functions))
		return 0;
	shown = name ? demangle(name) : NULL;
	message_number(&pprof->inner, 1, key.number);
	message_number(&pprof->inner, 2, shown ? pprof_string(pprof, shown) : key.name);
	message_number(&pprof->inner, 3, key.name);
	message_number(&pprof->inner, 4, key.file);
	message_number(&pprof->inner, 5, key.line);
	message_message(&pprof->profile, PROFILE_FUNCTION, &pprof->inner);
	free(shown);
	return key.number;
}

/* Adds a line to the location that is made. */
static void put_line(struct pprof *pprof, uint64_t function, uint32_t line)
{
	message_number(&pprof->line, 1, function);
	message_number(&pprof->line, 2, line);
}

struct pprof_location *pprof_location(struct pprof *pprof, struct pprof_location key,
				      const struct source_stack *stack, const char *name)
{
	struct pprof_location **found = tfind(&key, &pprof->locations, compare_locations);
	struct message location = {0};

	if (found)
		return *found;
	key.number = ++pprof->location_count;
	message_number(&location, 1, key.number);
	message_number(&location, 2, key.mapping);
	message_number(&location, 3, key.address);
	for (size_t i = stack->count; i; i--) {
		const struct source_frame *frame = &stack->frames[i - 1];

		put_line(pprof, function_of(pprof, frame->name, frame->file, frame->line),
			 frame->at.line);
		message_message(&location, 4, &pprof->line);
	}
	if (!stack->count) {
		put_line(pprof, function_of(pprof, name, NULL, 0), 0);
		message_message(&location, 4, &pprof->line);
	}
	message_message(&pprof->profile, PROFILE_LOCATION, &location);
	message_free(&location);
	return add(pprof, &pprof->locations, &key, sizeof(key), compare_locations);
}

/* The segment with code that has an offset; its number among these is added to @mapping. */
static const struct hwf_image_segment *find_segment(const struct hwf_image_elf *elf,
						    uint64_t offset, uint64_t *mapping)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct hwf_image_segment *segment = &elf->segments[i];

		if (!segment->executable)
			continue;
		if (offset - segment->offset < segment->size)
			return segment;
		++*mapping;
	}
	return NULL;
}

void pprof_find_place(struct pprof_file *mapped, uint64_t offset, struct pprof_place *place)
{
	const struct profile_binary *binary = mapped->binary;
	const struct hwf_image_segment *segment;
	uint64_t mapping = mapped->first, address, last;

	*place = (struct pprof_place){.bytes = UINT64_MAX};
	place->name = symbols_function(binary->symbols, binary->image, offset, &last)->name;
	place->key.mapping = mapping;
	place->key.address = mapped->base + offset;
	segment = binary->elf ? find_segment(binary->elf, offset, &mapping) : NULL;
	if (!segment)
		return;
	address = segment->address + (offset - segment->offset);
	place->key.mapping = mapping;
	place->key.address = mapped->base + address;
	place->stack = symbols_frames(binary->symbols, binary->image, address);
	place->bytes = place->stack.end - address;
	mapped->has_functions = true;
	mapped->has_lines |= place->stack.count > 0;
	if (place->stack.count)
		return;
	place->name = symbols_function(binary->symbols, binary->image, address, &last)->name;
	if (place->bytes > last - address + 1)
		place->bytes = last - address + 1;
}

struct pprof_location *pprof_named(struct pprof *pprof, const char *name)
{
	const struct source_stack none = {0};
	struct pprof_location *location, key = {0};
	char *shown = context_bracket(name);

	if (!shown) {
		pprof->failed = true;
		return NULL;
	}
	key.name = pprof_string(pprof, shown);
	location = pprof_location(pprof, key, &none, shown);
	free(shown);
	return location;
}

static void free_string(void *node)
{
	struct string *string = node;

	free(string->text);
	free(string);
}

void pprof_free(struct pprof *pprof)
{
	tdestroy(pprof->strings, free_string);
	tdestroy(pprof->functions, free);
	tdestroy(pprof->locations, free);
	message_free(&pprof->profile);
	message_free(&pprof->inner);
	message_free(&pprof->line);
}
