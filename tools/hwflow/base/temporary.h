/* SPDX-License-Identifier: GPL-2.0-only */
/* Temporary files without a name: they are gone when the command ends. */
#ifndef HWFLOW_TEMPORARY_H
#define HWFLOW_TEMPORARY_H

#include <stddef.h>
#include <stdint.h>

/** temporary_directory() - the directory of temporary files: TMPDIR, or /tmp */
const char *temporary_directory(void);

/**
 * temporary_open() - make a temporary file
 *
 * Return: its descriptor, for reading and writing; -1 with errno set.
 */
int temporary_open(void);

/**
 * temporary_write() - write bytes to a temporary file
 * @fd: the file
 * @at: offset in it
 * @bytes: the bytes
 * @size: how many
 *
 * Return: 0 or -errno.
 */
int temporary_write(int fd, uint64_t at, const void *bytes, size_t size);

#endif /* HWFLOW_TEMPORARY_H */
