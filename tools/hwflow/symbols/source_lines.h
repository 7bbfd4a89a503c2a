/* SPDX-License-Identifier: GPL-2.0-only */
/* Source lines of the code of a file, from its DWARF. */
#ifndef HWFLOW_SOURCE_LINES_H
#define HWFLOW_SOURCE_LINES_H

#include <elfutils/libdwfl.h>
#include <stdint.h>

#include "symbols.h"

struct line_reader;

/** struct source_lines - source lines of a file */
struct source_lines;

/**
 * struct source_position - a place in the source
 * @file: path of the file; NULL where not known
 * @line: line; 0: the compiler has none
 * @column: column, of a call; 0: not known
 * @discriminator: tells blocks of one line apart
 */
struct source_position {
	const char *file;
	uint32_t line;
	uint32_t column;
	uint32_t discriminator;
};

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

/**
 * source_lines_walk() - all rows of the line tables of a file
 * @lines: the file; NULL has no lines
 * @take: called for each row, by rising addresses
 * @ctx: its first argument
 *
 * Limits are those of source_lines_find(). A row may come in several pieces, one after the other.
 *
 * Return: 0, or what @take has returned, if that is not 0: no more rows were taken.
 */
int source_lines_walk(struct source_lines *lines, source_row_fn *take, void *ctx);

/**
 * source_lines_position() - the position in the source of an address
 * @lines: the file
 * @address: the address
 * @end: receives the address where the next position may begin; all addresses before it have this
 *	position
 *
 * As source_lines_find().
 */
struct source_position source_lines_position(struct source_lines *lines, uint64_t address,
					     uint64_t *end);

/** source_lines_reader() - the debug information that the lines are of */
struct line_reader *source_lines_reader(struct source_lines *lines);

/** source_lines_free() - free everything; NULL is allowed */
void source_lines_free(struct source_lines *lines);

#endif /* HWFLOW_SOURCE_LINES_H */
