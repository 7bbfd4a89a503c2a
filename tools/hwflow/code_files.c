// SPDX-License-Identifier: GPL-2.0-only
/* Code made of files at fixed addresses. */
#include <stdlib.h>
#include <string.h>

#include "input_private.h"

struct region {
	uint64_t start;
	uint64_t length;
	const uint8_t *bytes;
};

struct code_files {
	struct hwf_code code;
	struct region *regions;
	size_t count;
	struct file_map *maps;
	size_t map_count;
};

static size_t read_code(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	struct code_files *files = ctx;

	(void)space;
	for (size_t i = 0; i < files->count; i++) {
		const struct region *region = &files->regions[i];
		uint64_t at = address - region->start;

		if (at < region->length) {
			size_t room = (size_t)(region->length - at);

			if (room < length)
				length = room;
			memcpy(bytes, region->bytes + at, length);
			return length;
		}
	}
	return 0;
}

struct code_files *code_files_new(void)
{
	struct code_files *files = calloc(1, sizeof(*files));

	if (files)
		files->code = (struct hwf_code){.ctx = files, .read = read_code};
	return files;
}

int code_files_add(struct code_files *files, const struct input_image *image)
{
	struct file_map map;
	struct region *regions;
	struct file_map *maps;
	uint64_t length;
	int err = file_map(&map, image->file);

	if (err) {
		input_error(image->file, UINT64_MAX, "%s; its code will be missing",
			    strerror(-err));
		return -1;
	}
	regions = realloc(files->regions, (files->count + 1) * sizeof(*regions));
	if (regions)
		files->regions = regions;
	maps = realloc(files->maps, (files->map_count + 1) * sizeof(*maps));
	if (maps)
		files->maps = maps;
	if (!regions || !maps) {
		file_unmap(&map);
		return -1;
	}
	files->maps[files->map_count++] = map;
	length = image->offset < map.size ? map.size - image->offset : 0;
	if (image->length && image->length < length)
		length = image->length;
	files->regions[files->count++] =
		(struct region){image->address, length, map.bytes + image->offset};
	return 0;
}

const struct hwf_code *code_files_code(struct code_files *files, bool wfx)
{
	(void)wfx;
	return &files->code;
}

void code_files_free(struct code_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->map_count; i++)
		file_unmap(&files->maps[i]);
	free(files->regions);
	free(files->maps);
	free(files);
}
