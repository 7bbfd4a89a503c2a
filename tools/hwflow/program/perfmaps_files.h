/* SPDX-License-Identifier: GPL-2.0-only */
/* The files that a recording has mapped: which of this machine's they are. */
#ifndef HWFLOW_PERFMAPS_FILES_H
#define HWFLOW_PERFMAPS_FILES_H

#include <limits.h>

#include "perfdata/perfdata_read.h"

struct hwf_image;
struct hwf_image_file;
struct kcore;

/** struct perfmaps_files - files of a recording, and the image they are in */
struct perfmaps_files;

/**
 * perfmaps_files_new() - begin with no files
 * @result: receives them
 * @info: the recording; must outlive them
 * @symfs: files are looked for below this directory; NULL for the root
 *
 * Return: 0 or -ENOMEM.
 */
int perfmaps_files_new(struct perfmaps_files **result, const struct perfdata_info *info,
		       const char *symfs);

/** perfmaps_files_image() - the image they are in; it lives as long as they do */
struct hwf_image *perfmaps_files_image(const struct perfmaps_files *files);

/**
 * perfmaps_files_kcore() - the kernel that gave processes their vdso
 * @files: where that is looked up
 * @kcore: the kernel's memory; must outlive @files
 */
void perfmaps_files_kcore(struct perfmaps_files *files, struct kcore *kcore);

/**
 * perfmaps_files_get() - the file of a mapping
 * @files: where it is looked up, and added if need be
 * @mapping: of the recording
 * @pid: process that has mapped it; -1 for the kernel
 *
 * Return: the file; NULL without memory.
 */
struct hwf_image_file *perfmaps_files_get(struct perfmaps_files *files,
					  const struct perfdata_mapping *mapping, int32_t pid);

/**
 * struct perfmaps_location - where the file of a mapping is on this machine
 * @path: of the file; "" if there is no file to look for
 * @root: see input_file_open()
 * @reason: why there is none; else NULL
 * @build_id: what the recording has of the file
 * @build_id_size: bytes of it; 0 if the recording does not have it
 * @differs: the file that is there has another build id, or is no ELF file
 * @is_copy: the file is FILE.code of the recording FILE
 * @is_vdso: the file is a copy of the vdso
 * @bytes: the vdso itself, where it is that of this machine; NULL for files
 * @size: bytes of it
 */
struct perfmaps_location {
	char path[PATH_MAX];
	size_t root;
	const char *reason;
	uint8_t build_id[20];
	uint8_t build_id_size;
	bool differs;
	bool is_copy;
	bool is_vdso;
	const uint8_t *bytes;
	size_t size;
};

/**
 * perfmaps_files_locate() - find the file of a mapping, without opening it for good
 * @files: files of the recording
 * @mapping: of the recording
 * @pid: process that has mapped it; -1 for the kernel
 * @location: receives where it is
 */
void perfmaps_files_locate(const struct perfmaps_files *files,
			   const struct perfdata_mapping *mapping, int32_t pid,
			   struct perfmaps_location *location);

/** perfmaps_is_vdso() - is it, by its path, what the kernel maps into each program? */
bool perfmaps_is_vdso(const char *path);

/** perfmaps_files_free() - free everything; NULL is allowed */
void perfmaps_files_free(struct perfmaps_files *files);

#endif /* HWFLOW_PERFMAPS_FILES_H */
