/* SPDX-License-Identifier: GPL-2.0-only */
/* ELF files that are stored inside another file. */
#ifndef HWFLOW_INNER_FILES_H
#define HWFLOW_INNER_FILES_H

#include "hwflow/image.h"

/** struct inner_files - ELF files inside one file */
struct inner_files;

/**
 * inner_files_new() - begin with none
 * @outer: the file they are in; open, and it must outlive the result
 *
 * Return: NULL without memory.
 */
struct inner_files *inner_files_new(const struct hwf_image_file *outer);

/**
 * inner_files_find() - the ELF file that has code at an offset
 * @files: those of a file
 * @offset: in the outer file
 * @length: bytes from there on, any of which may be the code
 * @begin: receives the offset at which the inner file begins
 *
 * An ELF file is found if it begins at a multiple of 4 KB, before its code: such code can be mapped
 * from the outer file. Android maps libraries from the archive of a program in this way, and hwflow
 * emulate copies the vdso, page by page, to its file of code.
 *
 * Return: the inner file, open, which belongs to @files; NULL if there is none.
 */
struct hwf_image_file *inner_files_find(struct inner_files *files, uint64_t offset, uint64_t length,
					uint64_t *begin);

/** inner_files_free() - free everything; NULL is allowed */
void inner_files_free(struct inner_files *files);

#endif /* HWFLOW_INNER_FILES_H */
