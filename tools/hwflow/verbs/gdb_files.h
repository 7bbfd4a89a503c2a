/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a program, as gdb wants to know them: where each is, and which one is the program.
 */
#ifndef HWFLOW_VERBS_GDB_FILES_H
#define HWFLOW_VERBS_GDB_FILES_H

#include "gdb_history.h"

/**
 * struct gdb_file - an ELF file that a history has code of
 * @file: the file
 * @path: absolute path on this machine
 * @bias: what was added to the addresses of its program header
 * @dynamic: address of the dynamic section in the program header; 0 if the file has none
 * @entry: address of the first instruction in the file
 * @is_program: the file is the program, and not a library
 */
struct gdb_file {
	const struct hwf_image_file *file;
	char *path;
	uint64_t bias;
	uint64_t dynamic;
	uint64_t entry;
	bool is_program;
};

/**
 * struct gdb_files - the files of a process
 * @items: the files, each once, in the order in which they were found
 * @count: how many
 * @room: elements that @items has memory for
 */
struct gdb_files {
	struct gdb_file *items;
	size_t count;
	size_t room;
};

/**
 * gdb_files_add() - add the files of a thread
 * @files: the files; zero at first
 * @thread: the thread
 *
 * Code that is in no ELF file of this machine is left out: gdb has no symbols for it.
 *
 * Return: 0 or -ENOMEM.
 */
int gdb_files_add(struct gdb_files *files, const struct gdb_thread *thread);

/** gdb_files_free() - free the list */
void gdb_files_free(struct gdb_files *files);

#endif /* HWFLOW_VERBS_GDB_FILES_H */
