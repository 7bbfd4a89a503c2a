/* SPDX-License-Identifier: GPL-2.0-only */
/* Separate debug files of programs: where elfutils finds them. */
#ifndef HWFLOW_DEBUG_FILES_H
#define HWFLOW_DEBUG_FILES_H

#include <elfutils/libdwfl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct debug_files - how elfutils finds debug files
 * @callbacks: for dwfl_begin()
 * @path: directories, as elfutils wants them
 */
struct debug_files {
	Dwfl_Callbacks callbacks;
	char *path;
};

/**
 * debug_files_init() - begin
 * @files: must not be moved afterwards
 * @symfs: debug files are below usr/lib/debug of this directory; "" for the root
 *
 * Debug files are found by build id and by debug link, and if DEBUGINFOD_URLS is set, by servers of
 * debuginfod.
 *
 * Return: 0 or -ENOMEM.
 */
int debug_files_init(struct debug_files *files, const char *symfs);

/** debug_files_free() - free what debug_files_init() allocated */
void debug_files_free(struct debug_files *files);

/**
 * debug_files_begin() - dwfl_begin(), with progress of downloads
 * @files: how debug files are found
 *
 * While elfutils downloads a file, a line on standard error shows how much of it, if standard error
 * is a terminal.
 *
 * Return: NULL without memory.
 */
Dwfl *debug_files_begin(const struct debug_files *files);

/**
 * struct debug_file - a separate debug file
 * @path: where it is on this machine
 * @build_id: what it is found by; of the program, or for a file that debug files share, its own
 * @build_id_size: bytes of it; 0: a debug link names the file
 */
struct debug_file {
	char path[PATH_MAX];
	uint8_t build_id[64];
	size_t build_id_size;
};

/** DEBUG_FILES - most debug files that a program has: its own, and one that it shares with others
 */
#define DEBUG_FILES 2

/**
 * debug_files_find() - find the debug files of a program
 * @files: how
 * @program: path of the program
 * @symfs: as for debug_files_init()
 * @found: receives the files
 *
 * Return: number of @found.
 */
size_t debug_files_find(const struct debug_files *files, const char *program, const char *symfs,
			struct debug_file found[DEBUG_FILES]);

#endif /* HWFLOW_DEBUG_FILES_H */
