/* SPDX-License-Identifier: GPL-2.0-only */
/* What all readers of a file's parts share: arrays, strings, numbers, notes. */
#include "perfdata_reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the more a file is damaged, the less each note helps */
#define NOTES_MAX 200

#define POOL_BLOCK 65536

void *perfdata_array_add(struct perfdata *data, struct perfdata_array *array, size_t size)
{
	char *items = array->items;

	if (!items || array->count == array->room) {
		size_t room = array->room ? 2 * array->room : 16;

		items = reallocarray(items, room, size);
		if (!items) {
			data->error = -ENOMEM;
			return NULL;
		}
		array->items = items;
		array->room = room;
	}
	return memset(items + array->count++ * size, 0, size);
}

/* struct pool_block - item of perfdata.pool */
struct pool_block {
	char *memory;
	size_t used;
	size_t size;
};

void *perfdata_pool(struct perfdata *data, size_t size)
{
	struct pool_block *block = data->pool.items;
	const size_t need = (size + 7) & ~(size_t)7;

	block = data->pool.count ? block + data->pool.count - 1 : NULL;
	if (!block || block->size - block->used < need) {
		block = perfdata_array_add(data, &data->pool, sizeof(*block));
		if (!block)
			return NULL;
		block->size = need > POOL_BLOCK ? need : POOL_BLOCK;
		block->memory = calloc(1, block->size);
		if (!block->memory) {
			data->pool.count--;
			data->error = -ENOMEM;
			return NULL;
		}
	}
	block->used += need;
	return block->memory + block->used - need;
}

void perfdata_pool_free(struct perfdata *data)
{
	struct pool_block *blocks = data->pool.items;

	for (size_t i = 0; i < data->pool.count; i++)
		free(blocks[i].memory);
	free(data->pool.items);
}

const char *perfdata_string(struct perfdata *data, struct perfdata_bytes bytes)
{
	const size_t length = strnlen((const char *)bytes.at, bytes.size);
	char *copy;

	if (!length)
		return "";
	copy = perfdata_pool(data, length + 1);
	if (!copy)
		return "";
	return memcpy(copy, bytes.at, length);
}

void perfdata_note(struct perfdata *data, enum perfdata_severity severity, uint64_t at,
		   const char *format, ...)
{
	struct perfdata_note *note;
	char text[256] = "this file has too many faults: further messages are left out";
	const char *copy;
	va_list args;

	if (data->notes.count > NOTES_MAX)
		return;
	if (data->notes.count < NOTES_MAX) {
		va_start(args, format);
		vsnprintf(text, sizeof(text), format, args);
		va_end(args);
	}
	copy = perfdata_string(data, (struct perfdata_bytes){(uint8_t *)text, sizeof(text)});
	note = perfdata_array_add(data, &data->notes, sizeof(*note));
	if (!note)
		return;
	note->at = at;
	note->severity = (uint8_t)severity;
	note->text = copy;
}

bool perfdata_slice(struct perfdata_bytes bytes, uint64_t at, uint64_t size,
		    struct perfdata_bytes *part)
{
	*part = (struct perfdata_bytes){bytes.at, 0};
	if (at > bytes.size || size > bytes.size - at)
		return false;
	part->at += at;
	part->size = size;
	return true;
}

uint32_t perfdata_u32(struct perfdata_bytes bytes, size_t at)
{
	uint32_t value;

	memcpy(&value, bytes.at + at, sizeof(value));
	return value;
}

uint64_t perfdata_u64(struct perfdata_bytes bytes, size_t at)
{
	uint64_t value;

	memcpy(&value, bytes.at + at, sizeof(value));
	return value;
}

void perfdata_note_incomplete(struct perfdata *data)
{
	if (!data->info.incomplete)
		perfdata_note(data, PERFDATA_ERROR, data->file.size,
			      "the recording was not completed (the recorder was killed, or the "
			      "disk was full) or is cut: what reached the file is read; the trace "
			      "after it "
			      "is lost");
	data->info.incomplete = true;
}
