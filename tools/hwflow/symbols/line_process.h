/* SPDX-License-Identifier: GPL-2.0-only */
/* Units and line tables of a file, which libdw reads in a process with limits. */
#ifndef HWFLOW_LINE_PROCESS_H
#define HWFLOW_LINE_PROCESS_H

#include <elfutils/libdw.h>
#include <stdint.h>

/** LINE_END - line_row.name of code that has no line */
#define LINE_END UINT32_MAX

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
 * struct line_request - rows that are asked for, or the ranges of all units
 * @range: a range of a unit; all zero: the answer is all ranges
 * @start: of the range, the first address that is asked for
 * @end: address after the last
 */
struct line_request {
	struct line_range range;
	uint64_t start;
	uint64_t end;
};

/**
 * struct line_row - a row of a line table
 * @address: of the code, up to the next row
 * @line: in the source file
 * @name: offset of the file's name in the names of the answer
 */
struct line_row {
	uint64_t address;
	uint32_t line;
	uint32_t name;
};

/**
 * struct line_answer - head of an answer, which struct line_range or struct line_row follow, and
 *	names, each with a zero byte at its end
 * @count: number of ranges or rows; rows are sorted, and differ from the row before
 * @names: bytes of names
 * @damaged: not 0 if a part of the debug information cannot be read
 */
struct line_answer {
	uint64_t count;
	uint64_t names;
	uint64_t damaged;
};

/**
 * struct line_source - what the process reads
 * @dwarf: the file
 * @bias: what is added to its addresses
 */
struct line_source {
	Dwarf *dwarf;
	Dwarf_Addr bias;
};

/**
 * line_process_run() - answer requests: limited_task.run
 * @socket: of the process
 * @ctx: a struct line_source
 */
void line_process_run(int socket, const void *ctx);

#endif /* HWFLOW_LINE_PROCESS_H */
