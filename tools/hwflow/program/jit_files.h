/* SPDX-License-Identifier: GPL-2.0-only */
/* The files that programs write for perf about code that they make at run time. */
#ifndef HWFLOW_JIT_FILES_H
#define HWFLOW_JIT_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfdata_info;
struct perfdata_event;

/**
 * struct jit_file - a file, in memory
 * @bytes: its contents
 * @size: bytes of it
 * @path: where it is on this machine
 * @root: see input_file_open()
 */
struct jit_file {
	const uint8_t *bytes;
	size_t size;
	char path[PATH_MAX];
	size_t root;
};

/**
 * jit_file_open() - map a file of the recorded machine
 * @file: receives it
 * @info: the recording: the file is looked for in its folder first
 * @symfs: then below this directory; "" for the root
 * @original: path of the file on the recorded machine
 *
 * As perf does, this accepts only a file of this user or of root, because all users can write to
 * /tmp.
 *
 * Return: false if there is no such file.
 */
bool jit_file_open(struct jit_file *file, const struct perfdata_info *info, const char *symfs,
		   const char *original);

/** jit_file_close() - unmap a file */
void jit_file_close(struct jit_file *file);

/** jit_is_dump_name() - whether the name of a file is jit-PID.dump, for any process */
bool jit_is_dump_name(const char *path);

/** jit_is_dump() - whether an event says that a process has mapped its jitdump file */
bool jit_is_dump(const struct perfdata_event *event);

#endif /* HWFLOW_JIT_FILES_H */
