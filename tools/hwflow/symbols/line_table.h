/* SPDX-License-Identifier: GPL-2.0-only */
/* How much memory the line table of a unit takes, from its bytes. */
#ifndef HWFLOW_LINE_TABLE_H
#define HWFLOW_LINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct dwarf_bytes - contents of a section of DWARF
 * @at: the bytes
 * @size: how many
 */
struct dwarf_bytes {
	const uint8_t *at;
	uint64_t size;
};

/**
 * struct line_table - sections that line tables are in, and results
 * @lines: .debug_line
 * @line_strings: .debug_line_str
 * @strings: .debug_str
 * @swapped: numbers are in the other byte order than this machine's
 * @directory_size: bytes of the directory of the compilation
 * @most: bytes of names that are counted
 * @rows: receives the number of rows, directories and files, and a 16th of the bytes of the table
 * @names: receives the sum of the bytes of the files' names with their directories
 */
struct line_table {
	struct dwarf_bytes lines;
	struct dwarf_bytes line_strings;
	struct dwarf_bytes strings;
	bool swapped;
	uint64_t directory_size;
	uint64_t most;
	uint64_t rows;
	uint64_t names;
};

/**
 * line_table_measure() - measure a line table
 * @table: the sections, the directory and the limit; receives the results
 * @offset: of the line table
 *
 * Return: false if the head of the table is damaged, or @names is larger than @most.
 */
bool line_table_measure(struct line_table *table, uint64_t offset);

/** struct dwarf_reader - a place in a section of DWARF */
struct dwarf_reader {
	const uint8_t *at;
	const uint8_t *end;
	bool swapped;
	bool bad;
};

/** dwarf_take() - take a number of 1, 2, 4 or 8 bytes; 0 and @bad at the end */
uint64_t dwarf_take(struct dwarf_reader *reader, unsigned int size);

/** dwarf_take_leb() - take a number in LEB128, without its sign; 0 and @bad at the end */
uint64_t dwarf_take_leb(struct dwarf_reader *reader);

/** dwarf_skip() - skip bytes; @bad at the end */
void dwarf_skip(struct dwarf_reader *reader, uint64_t count);

/**
 * dwarf_take_length() - take the length of a unit, which is before it, and end @reader there
 * @reader: the place
 * @wide: receives whether offsets of the unit have 8 bytes
 */
void dwarf_take_length(struct dwarf_reader *reader, bool *wide);

#endif /* HWFLOW_LINE_TABLE_H */
