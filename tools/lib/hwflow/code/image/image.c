/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Files of code. A file is opened when its code is first needed. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image_private.h"

/* ELF machines, of the ELF for the Arm architectures */
#define MACHINE_ARM     40
#define MACHINE_AARCH64 183

/* of the RISC-V ELF psABI */
#define MACHINE_RISCV 243

int hwf_image_new(struct hwf_image **image, hwf_image_missing_fn *missing, void *missing_ctx)
{
	struct hwf_image *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	pthread_mutex_init(&made->lock, NULL);
	made->missing = missing;
	made->missing_ctx = missing_ctx;
	*image = made;
	return 0;
}

void hwf_image_free(struct hwf_image *image)
{
	if (!image)
		return;
	while (image->spaces) {
		struct hwf_image_space *space = image->spaces;

		image->spaces = space->next;
		hwf_image_space_free(space);
	}
	hwf_image_tree_free_slabs(image);
	while (image->files) {
		struct hwf_image_file *file = image->files;

		image->files = file->next;
		hwf_image_file_free(file);
	}
	pthread_mutex_destroy(&image->lock);
	free(image);
}

void hwf_image_set_open(struct hwf_image *image, hwf_image_open_fn *open)
{
	image->open = open;
}

static void free_maps(const struct hwf_image_map *maps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (maps[i].entries)
			munmap(maps[i].entries, maps[i].size);
}

void hwf_image_file_free(struct hwf_image_file *file)
{
	free_maps(file->maps, sizeof(file->maps) / sizeof(file->maps[0]));
	free_maps(file->hops, sizeof(file->hops) / sizeof(file->hops[0]));
	if (file->mapped)
		munmap((void *)(uintptr_t)file->bytes, file->size);
	free(file->segments);
	free(file->reason);
	free(file->path);
	free(file->name);
	free(file);
}

static int add_file(struct hwf_image *image, const char *path, const char *name,
		    struct hwf_image_file **result)
{
	struct hwf_image_file *file = calloc(1, sizeof(*file));

	if (!file)
		return -ENOMEM;
	file->path = strdup(path);
	file->name = strdup(name);
	if (!file->path || !file->name) {
		hwf_image_file_free(file);
		return -ENOMEM;
	}
	file->image = image;
	file->next = image->files;
	image->files = file;
	*result = file;
	return 0;
}

int hwf_image_add_file(struct hwf_image *image, const char *path,
		       const struct hwf_image_identity *identity, struct hwf_image_file **file)
{
	int error = add_file(image, path, identity && identity->name ? identity->name : path, file);

	if (error)
		return error;
	if (identity)
		(*file)->identity = *identity;
	(*file)->identity.name = (*file)->name;
	return 0;
}

int hwf_image_add_bytes(struct hwf_image *image, const char *name, const void *bytes, size_t size,
			struct hwf_image_file **result)
{
	struct hwf_image_file *file;
	int error = add_file(image, "", name, &file);

	if (error)
		return error;
	file->bytes = bytes;
	file->size = size;
	error = hwf_image_elf_read(file);
	file->state = error ? HWF_IMAGE_MISSING : HWF_IMAGE_OPEN;
	file->error = error;
	*result = file;
	return error;
}

int hwf_image_add_missing(struct hwf_image *image, const char *name, const char *reason,
			  struct hwf_image_file **file)
{
	int error = add_file(image, "", name, file);

	if (error)
		return error;
	(*file)->reason = strdup(reason);
	return (*file)->reason ? 0 : -ENOMEM;
}

/* Mark a file as missing, and report the reason once. */
static int missing(struct hwf_image_file *file, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int missing(struct hwf_image_file *file, int error, const char *format, ...)
{
	const struct hwf_image *image = file->image;
	char reason[512];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	file->error = error;
	__atomic_store_n(&file->state, (uint8_t)HWF_IMAGE_MISSING, __ATOMIC_RELEASE);
	if (image->missing)
		image->missing(image->missing_ctx, file, reason);
	return error;
}

/* Opens a file where the caller of the library does not; @size receives its size. */
static int open_regular(const char *path, uint64_t *size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	int error = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status))
		error = -errno;
	else if (!S_ISREG(status.st_mode))
		error = S_ISDIR(status.st_mode) ? -EISDIR : -ENOEXEC;
	if (error) {
		close(fd);
		return error;
	}
	*size = (uint64_t)status.st_size;
	return fd;
}

/* @reason is set at an error */
static int map_contents(struct hwf_image_file *file, const char **reason)
{
	hwf_image_open_fn *open_fn = file->image->open;
	void *bytes = NULL;
	uint64_t size = 0;
	int fd, error = 0;

	fd = open_fn ? open_fn(file->path, file->identity.root, &size, reason)
		     : open_regular(file->path, &size);
	if (fd < 0) {
		if (!open_fn)
			*reason = strerror(-fd);
		return fd;
	}
	if (size)
		bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		error = -errno;
	close(fd);
	if (error)
		*reason = strerror(-error);
	if (error || !bytes)
		return error;
	file->bytes = bytes;
	file->size = (size_t)size;
	file->mapped = true;
	return 0;
}

static void unmap_contents(struct hwf_image_file *file)
{
	if (file->mapped)
		munmap((void *)(uintptr_t)file->bytes, file->size);
	file->mapped = false;
	file->bytes = NULL;
	file->size = 0;
}

/* The build ids are compared with zeros behind them: some writers add zeros. */
static bool build_id_fits(const struct hwf_image_identity *want, const struct hwf_image_elf *elf)
{
	uint8_t a[HWF_BUILD_ID_MAX] = {0}, b[HWF_BUILD_ID_MAX] = {0};

	memcpy(a, want->build_id, want->build_id_size);
	memcpy(b, elf->build_id, elf->build_id_size);
	return !memcmp(a, b, sizeof(a));
}

/* The file has another build id than the recorded one, or none. */
static int changed(struct hwf_image_file *file)
{
	const struct hwf_image_identity *want = &file->identity;
	char hex[2 * HWF_BUILD_ID_MAX + 1] = "";

	for (size_t i = 0; i < want->build_id_size; i++)
		sprintf(hex + 2 * i, "%02x", want->build_id[i]);
	return missing(file, -ENOEXEC,
		       "%s has changed since the recording: its build id differs; give the file "
		       "with build id %s",
		       file->path, hex);
}

static bool machine_fits(const struct hwf_image_identity *want, uint16_t machine)
{
	if (want->riscv)
		return machine == MACHINE_RISCV;
	return machine == MACHINE_AARCH64 || machine == MACHINE_ARM;
}

static int check_identity(struct hwf_image_file *file)
{
	const struct hwf_image_identity *want = &file->identity;
	const uint16_t machine = file->elf.machine;

	if (want->machine && file->is_elf && !machine_fits(want, machine))
		return missing(file, -ENOEXEC,
			       "%s is for another kind of machine (ELF machine %u): give the files "
			       "of the machine recorded",
			       file->path, machine);
	if (want->build_id_size && !file->is_elf)
		return missing(file, -ENOEXEC, "%s is no ELF file", file->path);
	if (want->build_id_size && !build_id_fits(want, &file->elf))
		return changed(file);
	return 0;
}

static int open_file(struct hwf_image_file *file)
{
	const char *reason = "";
	int error;

	if (file->reason)
		return missing(file, -ENOENT, "%s", file->reason);
	error = map_contents(file, &reason);
	if (error)
		return missing(file, error, "%s: %s", file->path, reason);
	error = hwf_image_elf_read(file);
	if (error)
		return missing(file, error, "%s: %s", file->path, strerror(-error));
	error = check_identity(file);
	if (error) {
		unmap_contents(file);
		return error;
	}
	__atomic_store_n(&file->state, (uint8_t)HWF_IMAGE_OPEN, __ATOMIC_RELEASE);
	return 0;
}

int hwf_image_file_open(struct hwf_image_file *file)
{
	if (__atomic_load_n(&file->state, __ATOMIC_ACQUIRE) == HWF_IMAGE_CLOSED) {
		pthread_mutex_lock(&file->image->lock);
		if (file->state == HWF_IMAGE_CLOSED)
			open_file(file);
		pthread_mutex_unlock(&file->image->lock);
	}
	return file->error;
}

void hwf_image_file_yield(struct hwf_image_file *file)
{
	file->yields = true;
}

const char *hwf_image_file_name(const struct hwf_image_file *file)
{
	return file->name;
}

const char *hwf_image_file_path(const struct hwf_image_file *file)
{
	return file->path;
}

size_t hwf_image_file_root(const struct hwf_image_file *file)
{
	return file->identity.root;
}

const uint8_t *hwf_image_file_bytes(const struct hwf_image_file *file, size_t *size)
{
	const bool open = file->state == HWF_IMAGE_OPEN;

	*size = open ? file->size : 0;
	return open ? file->bytes : NULL;
}

const struct hwf_image_elf *hwf_image_file_elf(const struct hwf_image_file *file)
{
	return file->state == HWF_IMAGE_OPEN && file->is_elf ? &file->elf : NULL;
}
