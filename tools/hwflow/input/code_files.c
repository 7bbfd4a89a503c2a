// SPDX-License-Identifier: GPL-2.0-only
/* Code made of files at fixed addresses: the images of a capture, and --image. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hwflow/image.h"
#include "input_private.h"

struct code_files {
	struct hwf_image *image;
	struct hwf_image_space *space;
	struct hwf_image_view *views[2]; /* by TRCIDR2.WFXMODE, when asked for */
};

struct code_files *code_files_new(void)
{
	/* one address space, for all contexts */
	const struct hwf_image_filter all = {0};
	struct code_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	if (!hwf_image_new(&files->image, NULL, NULL) &&
	    !hwf_image_add_space(files->image, &all, NULL, &files->space))
		return files;
	code_files_free(files);
	return NULL;
}

static int map_bytes(const struct code_taker *taker, const struct input_image *image,
		     struct hwf_image_file *file)
{
	uint64_t length = image->length;
	size_t size = 0;

	hwf_image_file_bytes(file, &size);
	if (image->offset > size) {
		input_error(image->file, image->offset, "the file ends before this offset");
		return -EINVAL;
	}
	if (!length || length > size - image->offset)
		length = size - image->offset;
	return taker->map(taker->ctx, image->address, length, file, image->offset);
}

/* An ELF file goes where its headers say, moved by the address if one is given. */
static int map_file(const struct code_taker *taker, const struct input_image *image,
		    struct hwf_image_file *file)
{
	const struct hwf_image_elf *elf = hwf_image_file_elf(file);
	uint64_t bias = 0;
	int err = 0;

	if (!elf || image->raw || image->length)
		return map_bytes(taker, image, file);
	if (image->has_address && elf->segment_count)
		bias = image->address - elf->segments[0].address;
	for (size_t i = 0; i < elf->segment_count && !err; i++) {
		const struct hwf_image_segment *segment = &elf->segments[i];

		err = taker->map(taker->ctx, segment->address + bias, segment->size, file,
				 segment->offset);
	}
	return err;
}

int code_file_map(const struct code_taker *taker, const struct input_image *image)
{
	struct hwf_image_file *file;
	int err = access(image->file, R_OK) ? -errno : 0;

	if (!err)
		err = hwf_image_add_file(taker->image, image->file, NULL, &file);
	if (!err)
		err = hwf_image_file_open(file);
	if (!err)
		err = map_file(taker, image, file);
	if (err)
		input_error(image->file, UINT64_MAX, "%s; its code is missing", strerror(-err));
	return err ? -1 : 0;
}

static int map_in_space(void *ctx, uint64_t start, uint64_t length, struct hwf_image_file *file,
			uint64_t offset)
{
	return hwf_image_map(ctx, start, length, file, offset);
}

int code_files_add(struct code_files *files, const struct input_image *image)
{
	const struct code_taker taker = {files->image, map_in_space, files->space};

	return code_file_map(&taker, image);
}

const struct hwf_code *code_files_code(struct code_files *files, bool wfx)
{
	struct hwf_image_view **view = &files->views[wfx];

	if (!*view && hwf_image_view_new(view, files->image, wfx))
		return NULL;
	return hwf_image_view_code(*view);
}

void code_files_free(struct code_files *files)
{
	if (!files)
		return;
	hwf_image_view_free(files->views[0]);
	hwf_image_view_free(files->views[1]);
	hwf_image_free(files->image);
	free(files);
}
