/* SPDX-License-Identifier: GPL-2.0-only */
/* Source lines of the code of a file, from its DWARF. */
#ifndef HWFLOW_SOURCE_LINES_H
#define HWFLOW_SOURCE_LINES_H

#include <elfutils/libdwfl.h>
#include <stdint.h>

#include "symbols.h"

/** struct source_lines - source lines of a file */
struct source_lines;

/**
 * source_lines_new() - begin with a file
 * @module: the file, which elf_bounds_good() has checked
 * @path: its path, for messages; must outlive the result
 *
 * Return: NULL without memory.
 */
struct source_lines *source_lines_new(Dwfl_Module *module, const char *path);

/**
 * source_lines_find() - the source line of an address
 * @lines: the file; NULL has no lines
 * @address: the address
 *
 * The first call finds the debug files, and starts a process in which libdw reads the ranges of
 * all units. The first call for a unit reads its line table. The process has memory and time in
 * proportion to the size of the file, see Documentation/untrusted-input.rst. What cannot be read
 * is reported once.
 *
 * Return: the line; its file is valid as long as @lines, and NULL if there is none.
 */
struct source_line source_lines_find(struct source_lines *lines, uint64_t address);

/** source_lines_free() - free everything; NULL is allowed */
void source_lines_free(struct source_lines *lines);

#endif /* HWFLOW_SOURCE_LINES_H */
