/* SPDX-License-Identifier: GPL-2.0-only */
/* Files with the entries of split units (NAME.dwo). */
#ifndef HWFLOW_SPLIT_FILE_H
#define HWFLOW_SPLIT_FILE_H

#include <elfutils/libdwfl.h>
#include <limits.h>
#include <stdbool.h>

/**
 * struct split_file - such a file
 * @path: where it was found
 * @fd: its descriptor
 * @elf: the file
 * @dwarf: its debug information
 */
struct split_file {
	char path[PATH_MAX];
	int fd;
	Elf *elf;
	Dwarf *dwarf;
};

/**
 * split_file_open() - open the file of a split unit
 * @file: receives it
 * @module: of a struct debug_module
 * @program: path of the file that names it
 * @name: its name there
 * @directory: where the unit was compiled; "" if that is not known
 *
 * The file is in the folder of @program or in @directory; it is not outside of --symfs.
 *
 * Return: false if there is no such file.
 */
bool split_file_open(struct split_file *file, Dwfl_Module *module, const char *program,
		     const char *name, const char *directory);

/** split_file_close() - close a file that was opened */
void split_file_close(struct split_file *file);

#endif /* HWFLOW_SPLIT_FILE_H */
