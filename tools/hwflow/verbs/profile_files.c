/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of an input, as a stored profile has them. */
#include "profile_files.h"

#include <elf.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "program/binary.h"

/**
 * struct known_file - a file of the image, and what it is in the profile
 * @image: the file
 * @file: in the profile; NULL: its code is left out
 */
struct known_file {
	const struct hwf_image_file *image;
	const struct hwf_profile_file *file;
};

static int compare_known(const void *a, const void *b)
{
	const struct known_file *x = a, *y = b;
	const uintptr_t p = (uintptr_t)x->image, q = (uintptr_t)y->image;

	return (p > q) - (p < q);
}

/* A file has its build id, or a checksum of what it contains. */
static void identify(struct hwf_profile_file *file, const struct hwf_image_file *image,
		     const struct hwf_image_elf *elf)
{
	if (elf->build_id_size) {
		file->id_kind = HWF_FILE_ID_BUILD;
		file->id_size = elf->build_id_size;
		memcpy(file->id, elf->build_id, elf->build_id_size);
		return;
	}
	file->id_kind = HWF_FILE_ID_CONTENT;
	file->id_size = 16;
	binary_content(image, file->id);
}

static const struct hwf_profile_file *add_file(struct profile_files *files,
					       struct hwf_image_file *image)
{
	struct hwf_profile_file file = {.name = hwf_image_file_name(image)};
	const struct hwf_image_elf *elf;

	/* a worker may have decoded all of it */
	if (hwf_image_file_open(image))
		return NULL;
	elf = hwf_image_file_elf(image);
	if (!elf)
		return NULL;
	file.machine = elf->machine;
	identify(&file, image, elf);
	return hwf_stored_profile_file(files->stored, &file);
}

const struct hwf_profile_file *profile_files_find(struct profile_files *files,
						  struct hwf_image_file *image)
{
	const struct known_file key = {.image = image};
	struct known_file **node = tfind(&key, &files->known, compare_known);
	struct known_file *known;

	if (node)
		return (*node)->file;
	known = malloc(sizeof(*known));
	if (!known) {
		files->failed = true;
		return NULL;
	}
	*known = (struct known_file){image, add_file(files, image)};
	if (!tsearch(known, &files->known, compare_known)) {
		files->failed = true;
		free(known);
		return NULL;
	}
	return known->file;
}

bool profile_files_is_memory(struct hwf_image_file *image)
{
	const struct hwf_image_elf *elf =
		hwf_image_file_open(image) ? NULL : hwf_image_file_elf(image);

	return elf && elf->type == ET_CORE;
}

void profile_files_forget(struct profile_files *files)
{
	tdestroy(files->known, free);
	files->known = NULL;
}
