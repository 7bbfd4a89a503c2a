/* SPDX-License-Identifier: GPL-2.0-only */
/* Names for addresses: functions from symbol tables, source lines from DWARF. */
#ifndef HWFLOW_SYMBOLS_H
#define HWFLOW_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "hwflow/image.h"

struct perfdata_info;
struct source_range;
struct source_stack;

/** struct symbols - names of all files that were asked for */
struct symbols;

/**
 * struct function - code that goes by one name
 * @name: of the function; "FILE+0xSTART" where only the bounds of the function are known; "[FILE]"
 *	for code outside of all functions of a file; "[unknown]" for addresses with no file
 * @stem: FILE of the name "FILE+0xSTART"; NULL for other names. An address within the function is
 *	printed as "FILE+0xADDRESS"
 * @file: name of the file, as the recording has it; "" for none
 * @start: first address, in the file's own addresses (offsets, if it is no ELF file)
 * @end: address after the last, likewise
 * @id: numbers functions from 0 up, in the order they were first found
 * @of_elf: @start and @end are addresses of an ELF file
 * @bounded: @start and @end are those of a function
 * @sized: the symbol of the function has its size; else @end is where the next function begins
 */
struct function {
	const char *name;
	const char *stem;
	const char *file;
	uint64_t start;
	uint64_t end;
	uint32_t id;
	bool of_elf;
	bool bounded;
	bool sized;
};

/**
 * struct place_name - an address by name
 * @function: the function, never NULL
 * @offset: from its start; of code made at run time, which may be at several places, from the
 *	start of the code at this one
 * @first: the function covers these virtual addresses, as far as they are mapped in one piece:
 *	the first
 * @last: and the last
 * @of_process: the name may be another one in another process, or at another time: see symbols_at()
 */
struct place_name {
	const struct function *function;
	uint64_t offset;
	uint64_t first;
	uint64_t last;
	bool of_process;
};

/** struct source_line - a line of source code; file is NULL where not known */
struct source_line {
	const char *file;
	int line;
};

/**
 * symbols_new() - begin with no names
 * @result: receives it
 * @symfs: separate debug files are looked for below this directory; NULL for the root
 * @demangle: C++ names as in the source, see demangle()
 *
 * Return: 0 or -ENOMEM.
 */
int symbols_new(struct symbols **result, const char *symfs, bool demangle);

/**
 * symbols_debug_directory() - look for debug files in one more directory, see debug_files_add()
 *
 * Return: 0 or -ENOMEM.
 */
int symbols_debug_directory(struct symbols *symbols, const char *directory);

/**
 * symbols_report_stripped() - report the files that have no symbols, of those asked for so far
 *
 * One message for all, with what provides symbols.
 */
void symbols_report_stripped(const struct symbols *symbols);

/**
 * symbols_recording() - use the names that programs of a recording gave to code made at run time
 * @symbols: the names
 * @info: the recording; must outlive @symbols. NULL: there is none
 *
 * Return: 0 or -ENOMEM.
 */
int symbols_recording(struct symbols *symbols, const struct perfdata_info *info);

/**
 * symbols_at() - say which process and time the addresses are of that are asked for next
 * @symbols: the names
 * @pid: process; PERFDATA_ANY if not known
 * @since: perf time that they were executed at, at the earliest
 * @time: and at the latest
 *
 * Only code made at run time depends on these.
 */
void symbols_at(struct symbols *symbols, int32_t pid, uint64_t since, uint64_t time);

/**
 * symbols_find() - name an address
 * @symbols: the names
 * @space: address space; NULL has no names
 * @address: in it
 *
 * Return: its name; ready for display, whatever happens.
 */
struct place_name symbols_find(struct symbols *symbols, const struct hwf_image_space *space,
			       uint64_t address);

/**
 * symbols_line() - the source line of an address
 * @symbols: the names
 * @space: address space
 * @address: in it
 *
 * Return: the line; its file is valid as long as @symbols.
 */
struct source_line symbols_line(struct symbols *symbols, const struct hwf_image_space *space,
				uint64_t address);

/**
 * symbols_line_in_file() - the source line of code of a file
 * @symbols: the names
 * @file: the file
 * @offset: of the code, in @file
 *
 * Return: as symbols_line(); none for code made at run time.
 */
struct source_line symbols_line_in_file(struct symbols *symbols, struct hwf_image_file *file,
					uint64_t offset);

/**
 * struct source_row - code of a source line
 * @start: first address, in the file's own addresses
 * @end: address after the last; @start: no code is left of the line, which would be here
 * @line: the line; its file is valid during the call only
 */
struct source_row {
	uint64_t start;
	uint64_t end;
	struct source_line line;
};

/** typedef source_row_fn - takes a row; 0, or another value to take no more */
typedef int source_row_fn(void *ctx, const struct source_row *row);

/**
 * symbols_rows() - all rows of the line tables of a file
 * @symbols: the names
 * @file: the file
 * @take: called for each row, by rising addresses
 * @ctx: its first argument
 *
 * Return: as source_lines_walk().
 */
int symbols_rows(struct symbols *symbols, struct hwf_image_file *file, source_row_fn *take,
		 void *ctx);

/**
 * symbols_functions() - the functions of a file that have names
 * @symbols: the names
 * @file: the file
 * @count: receives how many
 *
 * Return: the functions by address, which do not overlap, with names as they are in the symbol
 * table; valid as long as @symbols.
 */
const struct function *symbols_functions(struct symbols *symbols, struct hwf_image_file *file,
					 size_t *count);

/**
 * symbols_frames() - the functions of an address of a file, from its DWARF
 * @symbols: the names
 * @file: an ELF file
 * @address: as it is linked
 *
 * Return: the function that has the code, and the calls that are inlined in it; see
 * source_frames.h.
 */
struct source_stack symbols_frames(struct symbols *symbols, struct hwf_image_file *file,
				   uint64_t address);

/**
 * symbols_frames_range() - the ranges of the function of an address
 * @symbols: the names
 * @file: an ELF file
 * @address: as it is linked
 * @index: number of the range
 * @range: receives it
 *
 * Return: false if the function has no such range.
 */
bool symbols_frames_range(struct symbols *symbols, struct hwf_image_file *file, uint64_t address,
			  size_t index, struct source_range *range);

/**
 * symbols_function() - the function of an address of a file, by its symbols
 * @symbols: the names
 * @file: an ELF file
 * @address: as it is linked
 * @last: receives the last address of the part of the function that @address is in
 *
 * Return: the function, never NULL.
 */
const struct function *symbols_function(struct symbols *symbols, struct hwf_image_file *file,
					uint64_t address, uint64_t *last);

/** enum landing_pad - what the exception tables of a file contain about a call */
enum landing_pad {
	LANDING_PAD_NONE,    /* an exception that comes through the call goes past the frame */
	LANDING_PAD_AT,      /* if it stops in the frame, then at this landing pad */
	LANDING_PAD_UNKNOWN, /* no table has the call, or the table is damaged or not known */
};

/**
 * symbols_landing_pad() - the landing pad of a call
 * @symbols: the names
 * @file: the file
 * @offset: of the call instruction, in @file
 * @pad: receives the offset of the landing pad in @file, with LANDING_PAD_AT
 *
 * The tables do not decide alone whether an exception stops at a landing pad that has no cleanup:
 * it goes past the frame if no clause has its type.
 *
 * Return: see enum landing_pad.
 */
enum landing_pad symbols_landing_pad(struct symbols *symbols, struct hwf_image_file *file,
				     uint64_t offset, uint64_t *pad);

/** symbols_count() - functions found so far: one more than the largest id */
uint32_t symbols_count(const struct symbols *symbols);

/** symbols_free() - free everything; NULL is allowed */
void symbols_free(struct symbols *symbols);

#endif /* HWFLOW_SYMBOLS_H */
