/* SPDX-License-Identifier: GPL-2.0-only */
/* Units, line tables and functions of a file, which libdw reads in a process with limits. */
#ifndef HWFLOW_LINE_PROCESS_H
#define HWFLOW_LINE_PROCESS_H

#include <elfutils/libdw.h>
#include <stdint.h>

/** LINE_END - line_row.name of code that has no line; a name or a scope that there is not */
#define LINE_END UINT32_MAX

/**
 * enum line_kind - what is asked for
 * @LINE_UNITS: the ranges of all units
 * @LINE_ROWS: rows of the line table of a unit
 * @LINE_SCOPES: functions of a unit, and the calls that are inlined in them
 */
enum line_kind {
	LINE_UNITS,
	LINE_ROWS,
	LINE_SCOPES,
};

/**
 * struct line_range - addresses of a unit
 * @start: first address
 * @end: address after the last
 * @unit: offset of the entry of the unit in .debug_info
 */
struct line_range {
	uint64_t start;
	uint64_t end;
	uint64_t unit;
};

/**
 * struct line_request - a request
 * @kind: enum line_kind
 * @range: of LINE_ROWS: a range of a unit; of LINE_SCOPES: the unit
 * @start: of LINE_ROWS: of the range, the first address that is asked for
 * @end: of LINE_ROWS: address after the last
 * @all: of LINE_ROWS: not 0: rows of no code are answered, too
 */
struct line_request {
	uint64_t kind;
	struct line_range range;
	uint64_t start;
	uint64_t end;
	uint64_t all;
};

/**
 * struct line_row - a row of a line table
 * @address: of the code, up to the next row
 * @line: in the source file
 * @name: offset of the file's name in the names of the answer
 * @discriminator: tells blocks of one line apart
 */
struct line_row {
	uint64_t address;
	uint32_t line;
	uint32_t name;
	uint32_t discriminator;
};

/**
 * struct line_scope - a range of addresses of a function, or of an inlined call
 * @start: first address
 * @end: address after the last; @start of an inlined call that has no code of its own
 * @entry: address that the function is called at
 * @first: number of the first element of the same scope: one with several ranges has several
 *	elements, one after the other
 * @parent: number of the first element of the scope that an inlined call is in, which comes before
 *	this one; LINE_END of a function
 * @name: offset of the name of the function in the names of the answer, or LINE_END: that of the
 *	linker if there is one
 * @file: likewise the file with its declaration
 * @line: of its declaration
 * @call_file: of an inlined call: the file that the call is in
 * @call_line: its line
 * @call_column: its column
 * @call_discriminator: its discriminator
 */
struct line_scope {
	uint64_t start;
	uint64_t end;
	uint64_t entry;
	uint32_t first;
	uint32_t parent;
	uint32_t name;
	uint32_t file;
	uint32_t line;
	uint32_t call_file;
	uint32_t call_line;
	uint32_t call_column;
	uint32_t call_discriminator;
};

/** LINE_DEPTH - functions, blocks and calls that are inside each other, at most */
#define LINE_DEPTH 512u

/**
 * struct line_answer - head of an answer, which struct line_range, line_row or line_scope follow,
 *	and names, each with a zero byte at its end
 * @count: number of ranges, rows or scopes; rows are sorted, and differ from the row before
 * @names: bytes of names
 * @damaged: not 0 if a part of the debug information cannot be read
 * @is_split: of LINE_SCOPES: not 0 if the functions of the unit are in a file of their own, and
 *none here: names are that of the file, and the directory that the unit was compiled in
 */
struct line_answer {
	uint64_t count;
	uint64_t names;
	uint64_t damaged;
	uint64_t is_split;
};

/**
 * struct line_source - what the process reads
 * @dwarf: the file
 * @bias: what is added to its addresses
 * @split: file with the entries of the split unit that is asked for, or NULL
 */
struct line_source {
	Dwarf *dwarf;
	Dwarf_Addr bias;
	Dwarf *split;
};

/**
 * line_process_run() - answer requests: limited_task.run
 * @socket: of the process
 * @ctx: a struct line_source
 */
void line_process_run(int socket, const void *ctx);

#endif /* HWFLOW_LINE_PROCESS_H */
