// SPDX-License-Identifier: GPL-2.0-only
#include "perfmaps_jit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/source_index.h"
#include "hwflow/image.h"
#include "jit_files.h"
#include "jit_memory.h"
#include "jit_read.h"
#include "memory_names.h"

/* struct jit_map - code of a process; @event: it is mapped after this event of the process */
struct jit_map {
	size_t event;
	struct hwf_image_place place;
};

/* struct jit_dump - a jitdump file */
struct jit_dump {
	struct jit_dump *next;
	struct jit_file file;
};

/**
 * struct jit_maps - code of all processes of a recording
 * @maps: by event, once sorted
 * @places: the place of each element of @maps
 * @count: number of @maps
 * @room: room for how many
 * @dumps: files that are open
 * @replaced: has the addresses of code that the program replaced
 */
struct jit_maps {
	struct jit_map *maps;
	struct hwf_image_place *places;
	size_t count;
	size_t room;
	struct jit_dump *dumps;
	struct hwf_image_file *replaced;
};

static int add_map(struct jit_maps *maps, const struct jit_map *map)
{
	if (maps->count == maps->room) {
		const size_t room = maps->room ? 2 * maps->room : 256;
		struct jit_map *more = reallocarray(maps->maps, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		maps->maps = more;
		maps->room = room;
	}
	maps->maps[maps->count++] = *map;
	return 0;
}

static bool is_same(const struct jit_code *a, const struct jit_code *b)
{
	return a->start == b->start && a->end == b->end && a->content == b->content;
}

/* The entries from @first on that overlap each other. Returns the first behind them. */
static size_t take_overlapping(const struct jit_codes *codes, size_t first, bool *is_replaced)
{
	uint64_t end = codes->codes[first].end;
	size_t at = first + 1;

	*is_replaced = false;
	for (; at < codes->count && codes->codes[at].start < end; at++) {
		*is_replaced |= !is_same(&codes->codes[first], &codes->codes[at]);
		if (codes->codes[at].end > end)
			end = codes->codes[at].end;
	}
	return at;
}

/* The code of one jitdump file */
static int add_codes(struct jit_maps *maps, struct jit_memory *memory, int32_t pid,
		     const struct jit_codes *codes, const uint8_t *begin,
		     struct hwf_image_file *file)
{
	int error = jit_memory_begin(memory, pid);
	size_t next;

	for (size_t i = 0; i < codes->count && !error; i = next) {
		bool is_replaced;

		next = take_overlapping(codes, i, &is_replaced);
		for (size_t j = i; j < next && !error; j++) {
			const struct jit_code *code = &codes->codes[j];
			struct jit_map map = {.place = {.start = code->start,
							.length = code->end - code->start,
							.file = maps->replaced}};

			if (!code->bytes || !jit_memory_find(memory, code->start, &map.event) ||
			    !memory_may_have_made_code(memory->info->events[map.event].u.mapping))
				continue;
			if (!is_replaced) {
				map.place.file = file;
				map.place.offset = (uint64_t)(code->bytes - begin);
			}
			error = add_map(maps, &map);
		}
	}
	return error;
}

/* A file that cannot be read, or not all of it, is reported where its names are read. */
static int read_dump(struct jit_maps *maps, struct jit_memory *memory, const char *symfs,
		     struct hwf_image *image, const struct perfdata_event *event)
{
	struct jit_dump *dump = calloc(1, sizeof(*dump));
	struct jit_codes codes = {0};
	struct hwf_image_file *file;
	int error;
	size_t at;

	if (!dump)
		return -ENOMEM;
	if (!jit_file_open(&dump->file, memory->info, symfs, event->u.mapping->path)) {
		free(dump);
		return 0;
	}
	dump->next = maps->dumps;
	maps->dumps = dump;
	error = hwf_image_add_bytes(image, dump->file.path, dump->file.bytes, dump->file.size,
				    &file);
	if (!error) {
		jit_read_dump(&codes, dump->file.bytes, dump->file.size, &at);
		jit_sort(&codes);
		error = jit_number_contents(&codes);
	}
	if (!error)
		error = add_codes(maps, memory, event->pid, &codes, dump->file.bytes, file);
	free(codes.codes);
	return error ? -ENOMEM : 0;
}

/* A process maps its file once; records of it may be repeated. @readers has the processes. */
static bool was_read(const struct source_index *readers, int32_t pid)
{
	size_t count;

	return source_index_get(readers, false, pid, &count) != NULL;
}

static int compare_maps(const void *a, const void *b)
{
	const struct jit_map *x = a, *y = b;

	return (x->event > y->event) - (x->event < y->event);
}

/* Sorts the code by event, so that jit_maps_at() finds all places of one together. */
static int sort_maps(struct jit_maps *maps)
{
	maps->places = calloc(maps->count + 1, sizeof(*maps->places));
	if (!maps->places)
		return -ENOMEM;
	if (maps->count)
		qsort(maps->maps, maps->count, sizeof(*maps->maps), compare_maps);
	for (size_t i = 0; i < maps->count; i++)
		maps->places[i] = maps->maps[i].place;
	return 0;
}

int jit_maps_new(struct jit_maps **result, const struct perfdata_info *info, const char *symfs,
		 struct hwf_image *image)
{
	struct jit_maps *maps = calloc(1, sizeof(*maps));
	struct source_index readers = {0};
	struct jit_memory memory = {.info = info};
	int error = 0;

	if (!maps ||
	    hwf_image_add_missing(image, "[replaced code]",
				  "the program replaced code that it made at run time, and the "
				  "recording does not say which of it was executed",
				  &maps->replaced)) {
		free(maps);
		return -ENOMEM;
	}
	for (size_t i = 0; i < info->event_count && !error; i++) {
		const struct perfdata_event *event = &info->events[i];

		if (!jit_is_dump(event) || was_read(&readers, event->pid))
			continue;
		error = source_index_add(&readers, false, event->pid, i);
		if (!error)
			error = read_dump(maps, &memory, symfs ? symfs : "", image, event);
	}
	source_index_free(&readers);
	jit_memory_free(&memory);
	if (!error)
		error = sort_maps(maps);
	if (error)
		jit_maps_free(maps);
	else
		*result = maps;
	return error;
}

size_t jit_maps_at(const struct jit_maps *maps, size_t event, const struct hwf_image_place **places)
{
	size_t low = 0, high = maps ? maps->count : 0, end;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (maps->maps[middle].event < event)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; maps && end < maps->count && maps->maps[end].event == event;)
		end++;
	*places = maps ? maps->places + low : NULL;
	return end - low;
}

void jit_maps_free(struct jit_maps *maps)
{
	if (!maps)
		return;
	while (maps->dumps) {
		struct jit_dump *dump = maps->dumps;

		maps->dumps = dump->next;
		jit_file_close(&dump->file);
		free(dump);
	}
	free(maps->maps);
	free(maps->places);
	free(maps);
}
