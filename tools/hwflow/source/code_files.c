// SPDX-License-Identifier: GPL-2.0-only
/* Code made of files at fixed addresses: the images of a capture, and --image. */
#include <elf.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input_file.h"
#include "hwflow/image.h"
#include "input_private.h"

/**
 * struct code_store - files of code, each opened once
 * @image: the files
 * @tree: of struct stored_file
 * @views: by TRCIDR2.WFXMODE; NULL until somebody asks
 */
struct code_store {
	struct hwf_image *image;
	void *tree;
	struct hwf_image_view *views[2];
};

/**
 * struct stored_file - node of code_store.tree
 * @device: of stat(2), like @inode
 * @inode: a file has one, whatever its names are
 * @file: the file
 */
struct stored_file {
	dev_t device;
	ino_t inode;
	struct hwf_image_file *file;
};

/**
 * struct code_files - an address space
 * @store: the files
 * @owns_store: no other address space uses @store
 * @space: what is mapped
 * @codes: views of @space, by TRCIDR2.WFXMODE; ctx is this struct's @views element
 * @views: the code of the views of @store, with this struct
 */
struct code_files {
	struct code_store *store;
	bool owns_store;
	struct hwf_image_space *space;
	struct hwf_code codes[2];
	struct space_view {
		const struct hwf_image_space *space;
		const struct hwf_code *code;
	} views[2];
};

static int compare_files(const void *a, const void *b)
{
	const struct stored_file *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->inode > y->inode) - (x->inode < y->inode);
}

struct code_store *code_store_new(void)
{
	struct code_store *store = calloc(1, sizeof(*store));

	if (store && hwf_image_new(&store->image, NULL, NULL)) {
		free(store);
		return NULL;
	}
	if (store)
		hwf_image_set_open(store->image, input_file_map);
	return store;
}

void code_store_free(struct code_store *store)
{
	if (!store)
		return;
	hwf_image_view_free(store->views[0]);
	hwf_image_view_free(store->views[1]);
	hwf_image_free(store->image);
	tdestroy(store->tree, free);
	free(store);
}

struct code_files *code_files_new(struct code_store *store)
{
	/* one address space, for all contexts */
	const struct hwf_image_filter all = {0};
	struct code_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->owns_store = !store;
	files->store = store ? store : code_store_new();
	if (files->store &&
	    !hwf_image_add_space(files->store->image, store ? NULL : &all, NULL, &files->space))
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
	/* what links an object file chooses the addresses of its sections */
	for (size_t i = 0; i < elf->segment_count && elf->type != ET_REL && !err; i++) {
		const struct hwf_image_segment *segment = &elf->segments[i];

		err = taker->map(taker->ctx, segment->address + bias, segment->size, file,
				 segment->offset);
	}
	return err;
}

static int report(const struct input_image *image, int error)
{
	if (error)
		input_error(image->file, UINT64_MAX, "%s; its code is missing",
			    input_file_error(error));
	return error ? -1 : 0;
}

int code_file_map(const struct code_taker *taker, const struct input_image *image)
{
	const struct hwf_image_identity identity = {.root = image->root};
	struct hwf_image_file *file;
	int err = hwf_image_add_file(taker->image, image->file, &identity, &file);

	if (!err)
		err = hwf_image_file_open(file);
	if (!err)
		err = map_file(taker, image, file);
	return report(image, err);
}

/* A file of the store, which is added where it is not there. Returns 0 or -errno. */
static int stored_file(struct code_store *store, const struct input_image *image,
		       struct hwf_image_file **result)
{
	const struct hwf_image_identity identity = {.root = image->root};
	const int fd = input_file_open(image->file, image->root, NULL);
	struct stored_file *node = calloc(1, sizeof(*node)), **found = NULL;
	struct stat status;
	int error = fd < 0 ? fd : 0;

	if (!error && fstat(fd, &status))
		error = -errno;
	if (fd >= 0)
		close(fd);
	if (!error && node) {
		node->device = status.st_dev;
		node->inode = status.st_ino;
		found = tsearch(node, &store->tree, compare_files);
	}
	if (!found || *found != node)
		free(node);
	if (!found)
		return error ? error : -ENOMEM;
	if (!(*found)->file)
		error = hwf_image_add_file(store->image, image->file, &identity, &(*found)->file);
	*result = (*found)->file;
	return error ? error : hwf_image_file_open(*result);
}

static int map_in_space(void *ctx, uint64_t start, uint64_t length, struct hwf_image_file *file,
			uint64_t offset)
{
	return hwf_image_map(ctx, start, length, file, offset);
}

int code_files_add(struct code_files *files, const struct input_image *image)
{
	const struct code_taker taker = {files->store->image, map_in_space, files->space};
	struct hwf_image_file *file;
	int err = stored_file(files->store, image, &file);

	if (!err)
		err = map_file(&taker, image, file);
	return report(image, err);
}

/* All contexts of this code are in one address space. */
static const void *only_space(void *ctx, const struct hwf_context *context)
{
	const struct space_view *view = ctx;

	(void)context;
	return view->space;
}

static size_t read_space(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	const struct hwf_code *code = ((const struct space_view *)ctx)->code;

	return code->read(code->ctx, space, address, bytes, length);
}

static void run_space(void *ctx, const void *space, uint64_t address, enum hwf_isa isa,
		      struct hwf_run *run)
{
	const struct hwf_code *code = ((const struct space_view *)ctx)->code;

	code->run(code->ctx, space, address, isa, run);
}

const struct hwf_code *code_files_code(struct code_files *files, bool wfx)
{
	struct hwf_image_view **view = &files->store->views[wfx];

	if (!*view && hwf_image_view_new(view, files->store->image, wfx))
		return NULL;
	if (files->owns_store)
		return hwf_image_view_code(*view);
	files->views[wfx] = (struct space_view){files->space, hwf_image_view_code(*view)};
	files->codes[wfx] =
		(struct hwf_code){&files->views[wfx], only_space, read_space, run_space};
	return &files->codes[wfx];
}

void code_files_free(struct code_files *files)
{
	if (!files)
		return;
	if (files->owns_store)
		code_store_free(files->store);
	free(files);
}
