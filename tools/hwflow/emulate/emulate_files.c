// SPDX-License-Identifier: GPL-2.0-only
/* hwflow emulate: build ids of the files that the programs had mapped. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "emulate.h"
#include "hwflow/image.h"
#include "source/input.h"

_Static_assert(HWF_BUILD_ID_MAX == sizeof((struct run_happening){0}.build_id), "same size");

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct run_happening *)a)->text,
		      ((const struct run_happening *)b)->text);
}

/* As the file is now: perf record reads build ids after the recording, too. */
static int read_build_id(struct hwf_image *image, struct run_happening *happening)
{
	const struct hwf_image_elf *elf;
	struct hwf_image_file *file;

	if (hwf_image_add_file(image, happening->text, NULL, &file))
		return verb_error("not enough memory");
	if (hwf_image_file_open(file))
		return 0;
	elf = hwf_image_file_elf(file);
	if (!elf)
		return 0;
	memcpy(happening->build_id, elf->build_id, sizeof(happening->build_id));
	happening->build_id_size = elf->build_id_size;
	return 0;
}

static void keep_node(void *node)
{
	(void)node;
}

/* Of each path, the first happening that has it reads the file; the others copy. */
static int find_all(struct run *run, struct hwf_image *image, void **tree)
{
	int status = 0;

	for (size_t i = 0; i < run->happening_count && !status; i++) {
		struct run_happening *happening = &run->happenings[i];
		const struct run_happening *const *first;

		if (happening->event.kind != RUN_MAP || !happening->text)
			continue;
		first = tsearch(happening, tree, compare_paths);
		if (!first)
			return verb_error("not enough memory");
		if (*first == happening)
			status = read_build_id(image, happening);
		memcpy(happening->build_id, (*first)->build_id, sizeof(happening->build_id));
		happening->build_id_size = (*first)->build_id_size;
	}
	return status;
}

int run_find_build_ids(struct run *run)
{
	struct hwf_image *image;
	void *tree = NULL;
	int status;

	if (hwf_image_new(&image, NULL, NULL))
		return verb_error("not enough memory");
	status = find_all(run, image, &tree);
	tdestroy(tree, keep_node);
	hwf_image_free(image);
	return status;
}
