/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow emulate: the file of PROGRAM, its script interpreters, and the processor it is for. */
#ifndef HWFLOW_EMULATE_PROGRAM_H
#define HWFLOW_EMULATE_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct emulate_program - what QEMU runs
 * @name: PROGRAM as the user wrote it
 * @path: the ELF file: PROGRAM, or the interpreter if PROGRAM is a script
 * @words: the arguments of that file, argv[0] included; ends with NULL
 * @count: words of @words
 * @interpreter: the dynamic linker that the ELF file names; "" for a static program
 * @is_riscv: the ELF file is for riscv64, else for arm64
 */
struct emulate_program {
	const char *name;
	char path[PATH_MAX];
	char **words;
	size_t count;
	char interpreter[PATH_MAX];
	bool is_riscv;
};

/**
 * emulate_program_find() - find the file of PROGRAM, and check that QEMU can run it
 * @program: receives it; to be freed with emulate_program_free() whatever is returned
 * @words: PROGRAM and its arguments, up to NULL; must outlive @program
 * @sysroot: --sysroot; NULL: the environment variable QEMU_LD_PREFIX, or none
 *
 * A PROGRAM without a slash is looked up in the directories of PATH, first below @sysroot. A
 * script (#!) becomes its interpreter with the script as argument, as in execve(2); an interpreter
 * with an absolute path is looked up below @sysroot first.
 *
 * Return: 0; EXIT_NOT_FOUND or EXIT_NOT_EXECUTABLE; or another exit status for an error that is not
 * PROGRAM's. The reason was printed on stderr.
 */
int emulate_program_find(struct emulate_program *program, char **words, const char *sysroot);

/**
 * emulate_find_in_path() - find an executable file in the directories of PATH
 * @path: receives it, PATH_MAX bytes
 * @sysroot: the directories are below this one; NULL: as PATH has them
 * @name: of the file
 *
 * Return: true if it is there; else @path is a file of that name that is not executable, or "".
 */
bool emulate_find_in_path(char *path, const char *sysroot, const char *name);

/** emulate_sysroot() - @sysroot, or QEMU_LD_PREFIX if that is NULL; NULL if neither is given */
const char *emulate_sysroot(const char *sysroot);

/**
 * emulate_below() - the file that a program finds at a path
 * @path: receives the file on this machine, PATH_MAX bytes
 * @sysroot: a directory whose files come first; NULL for none
 * @name: the path; symbolic links in it stay below @sysroot
 *
 * Return: true if the file exists; else @path is @name.
 */
bool emulate_below(char *path, const char *sysroot, const char *name);

/** emulate_program_free() - free @words */
void emulate_program_free(struct emulate_program *program);

#endif /* HWFLOW_EMULATE_PROGRAM_H */
