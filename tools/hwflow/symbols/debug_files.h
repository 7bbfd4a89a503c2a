/* SPDX-License-Identifier: GPL-2.0-only */
/* Separate debug files of programs: where elfutils finds them. */
#ifndef HWFLOW_DEBUG_FILES_H
#define HWFLOW_DEBUG_FILES_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_tree;

/**
 * struct debug_files - how debug files are found
 * @callbacks: for dwfl_begin()
 * @symfs: directory with the files of the machine recorded; "" for the root
 * @tree: ELF files below @symfs; NULL for the root
 * @directories: further directories with debug files
 * @directory_count: how many
 */
struct debug_files {
	Dwfl_Callbacks callbacks;
	char *symfs;
	struct elf_tree *tree;
	struct elf_tree **directories;
	size_t directory_count;
};

/**
 * debug_files_init() - begin
 * @files: must not be moved afterwards
 * @symfs: debug files are below usr/lib/debug of this directory, or anywhere in it; "" for the root
 *
 * Debug files are found by build id and by debug link, and if DEBUGINFOD_URLS is set, by servers of
 * debuginfod.
 *
 * Return: 0 or -ENOMEM.
 */
int debug_files_init(struct debug_files *files, const char *symfs);

/**
 * debug_files_add() - look for debug files in one more directory
 * @files: initialised
 * @directory: like usr/lib/debug, or any directory that has debug files somewhere below it
 *
 * Return: 0 or -ENOMEM.
 */
int debug_files_add(struct debug_files *files, const char *directory);

/** debug_files_free() - free what debug_files_init() allocated */
void debug_files_free(struct debug_files *files);

/**
 * struct debug_module - a program, and its debug files where elfutils asks for them
 * @files: how they are found
 * @dwfl: of elfutils
 * @module: the program
 * @elf: the program in memory, until elfutils takes it over
 */
struct debug_module {
	const struct debug_files *files;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
};

/**
 * debug_module_begin() - open a program with elfutils
 * @module: initialised; it must not be moved until debug_module_end()
 * @files: how debug files are found
 * @program: path of the program
 * @root: see input_file_open()
 *
 * While elfutils downloads a file, a line on standard error shows how much of it, if standard error
 * is a terminal.
 *
 * Return: false if the program cannot be opened.
 */
bool debug_module_begin(struct debug_module *module, const struct debug_files *files,
			const char *program, size_t root);

/**
 * debug_module_begin_bytes() - the same of a program in memory
 * @module: initialised; it must not be moved until debug_module_end()
 * @files: how debug files are found
 * @name: of the program
 * @bytes: an ELF file; must outlive @module
 * @size: how many
 *
 * Return: false if nothing of the program is loaded.
 */
bool debug_module_begin_bytes(struct debug_module *module, const struct debug_files *files,
			      const char *name, const uint8_t *bytes, size_t size);

/**
 * debug_module_report() - report sections of debug information that elfutils could not decompress
 * @module: of a struct debug_module
 * @dwarf: the result of dwfl_module_getdwarf(), which may be NULL
 *
 * One message a file: the file, the first of these sections, the reason.
 *
 * Return: true if there is such a section.
 */
bool debug_module_report(Dwfl_Module *module, Dwarf *dwarf);

/** debug_module_end() - close a program, which may not be open */
void debug_module_end(struct debug_module *module);

/**
 * struct debug_file - a separate debug file
 * @path: where it is on this machine
 * @root: see input_file_open()
 * @build_id: what it is found by; of the program, or for a file that debug files share, its own
 * @build_id_size: bytes of it; 0: a debug link names the file
 */
struct debug_file {
	char path[PATH_MAX];
	size_t root;
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
 * @root: see input_file_open()
 * @found: receives the files
 *
 * Return: number of @found.
 */
size_t debug_files_find(const struct debug_files *files, const char *program, size_t root,
			struct debug_file found[DEBUG_FILES]);

/** debug_files_find_bytes() - the same of a program in memory, see debug_module_begin_bytes() */
size_t debug_files_find_bytes(const struct debug_files *files, const char *name,
			      const uint8_t *bytes, size_t size,
			      struct debug_file found[DEBUG_FILES]);

#endif /* HWFLOW_DEBUG_FILES_H */
