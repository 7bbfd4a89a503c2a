/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that a command writes: it is whole, or what it was before. */
#ifndef HWFLOW_OUTPUT_H
#define HWFLOW_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/**
 * struct output - such a file
 * @file: to write to
 * @name: for messages
 * @target: what it becomes
 * @temporary: what is written, to be renamed to @target; "" where that is written itself
 */
struct output {
	FILE *file;
	const char *name;
	char target[PATH_MAX];
	char temporary[PATH_MAX];
};

/** output_destroys() - would writing @path destroy the file @read? Both as output_open() has them
 */
bool output_destroys(const char *path, const char *read);

/**
 * output_open() - begin to write
 * @output: receives it; @output->name is set in any case
 * @path: the file; - for standard output; must outlive @output
 * @read: files that are read meanwhile, and are not to be written; - for standard input
 * @count: how many
 *
 * What is no regular file (a device, a pipe) is written itself.
 *
 * Return: 0; -EEXIST where it is one of @read; or -errno.
 */
int output_open(struct output *output, const char *path, const char *const *read, size_t count);

/**
 * output_close() - end
 * @output: opened
 * @whole: all was written: it takes the place of what was there; else that stays
 *
 * Return: 0 or -errno: it was then not put in place.
 */
int output_close(struct output *output, bool whole);

/**
 * output_write() - write(2) all bytes
 * @fd: where to
 * @bytes: to write
 * @size: how many
 *
 * Return: 0 or -errno.
 */
int output_write(int fd, const void *bytes, size_t size);

#endif /* HWFLOW_OUTPUT_H */
