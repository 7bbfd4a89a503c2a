// SPDX-License-Identifier: GPL-2.0-only
/* hwflow archive: ELF files that are stored inside the files of a recording. */
#include "archive_inner.h"

#include <search.h>
#include <stdlib.h>

#include "perfdata/perfdata.h"
#include "symbols/inner_files.h"

/* struct outer - node of archive_inner.outers: a file, and the ELF files inside it */
struct outer {
	struct hwf_image_file *file;
	struct inner_files *inner;
};

static int compare_outers(const void *a, const void *b)
{
	const uintptr_t x = (uintptr_t)((const struct outer *)a)->file;
	const uintptr_t y = (uintptr_t)((const struct outer *)b)->file;

	return (x > y) - (x < y);
}

static void free_outer(void *node)
{
	struct outer *outer = node;

	inner_files_free(outer->inner);
	free(outer);
}

/* The ELF files inside a file; NULL without memory */
static struct inner_files *inner_of(struct archive_inner *inner, struct hwf_image_file *file)
{
	const struct outer key = {.file = file};
	struct outer **found = tfind(&key, &inner->outers, compare_outers), *outer;

	if (found)
		return (*found)->inner;
	outer = calloc(1, sizeof(*outer));
	if (!outer)
		return NULL;
	outer->file = file;
	if (!tsearch(outer, &inner->outers, compare_outers)) {
		free(outer);
		return NULL;
	}
	outer->inner = inner_files_new(file);
	return outer->inner;
}

/* Does the ELF file itself have the code of a mapping? */
static bool has_code(const struct hwf_image_file *file, const struct perfdata_mapping *mapping)
{
	const struct hwf_image_elf *elf = hwf_image_file_elf(file);
	const uint64_t offset = mapping->file_offset;

	for (size_t i = 0; elf && i < elf->segment_count; i++) {
		const struct hwf_image_segment *segment = &elf->segments[i];

		if (segment->executable && (offset - segment->offset < segment->size ||
					    segment->offset - offset < mapping->length))
			return true;
	}
	return false;
}

struct hwf_image_file *archive_inner_find(struct archive_inner *inner, struct hwf_image_file *outer,
					  const struct perfdata_mapping *mapping, uint64_t *begin)
{
	struct inner_files *files;
	struct hwf_image_file *file;

	if (hwf_image_file_open(outer) || has_code(outer, mapping))
		return NULL;
	files = inner_of(inner, outer);
	file = files ? inner_files_find(files, mapping->file_offset, mapping->length, begin) : NULL;
	return file && !hwf_image_file_open(file) ? file : NULL;
}

void archive_inner_free(struct archive_inner *inner)
{
	tdestroy(inner->outers, free_outer);
	inner->outers = NULL;
}
