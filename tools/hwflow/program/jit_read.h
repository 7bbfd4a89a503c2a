/* SPDX-License-Identifier: GPL-2.0-only */
/* perf-PID.map and jit-PID.dump: which code a process made, where and when. */
#ifndef HWFLOW_PROGRAM_JIT_READ_H
#define HWFLOW_PROGRAM_JIT_READ_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct jit_code - code at an address, for a time
 * @start: its first address
 * @end: the address after its last
 * @from: perf time it was put there; 0 if not known
 * @until: perf time it was moved elsewhere; UINT64_MAX if it was not
 * @order: number of the entry: of code at the same address, the later entry counts
 * @name: of the function, @name_size bytes without an end
 * @name_size: see @name
 * @bytes: the code, @end - @start bytes; NULL if not known
 * @lines: table of source lines: the contents of a record; NULL for none
 * @lines_size: bytes of @lines
 * @lines_base: address of the code in @lines
 * @highest: the largest @end of this entry and all before it, once sorted
 * @content: entries with the same bytes have the same number, see jit_number_contents()
 */
struct jit_code {
	uint64_t start;
	uint64_t end;
	uint64_t from;
	uint64_t until;
	uint64_t order;
	const char *name;
	size_t name_size;
	const uint8_t *bytes;
	const uint8_t *lines;
	size_t lines_size;
	uint64_t lines_base;
	uint64_t highest;
	size_t content;
};

/**
 * struct jit_codes - all code of a process
 * @codes: by start, once sorted
 * @count: elements of @codes
 * @room: room for how many
 */
struct jit_codes {
	struct jit_code *codes;
	size_t count;
	size_t room;
};

/**
 * jit_read_map() - read lines of "START SIZE NAME" (numbers in hexadecimal)
 * @codes: receives the code
 * @text: contents of the file; must outlive @codes
 * @size: of the file
 *
 * Other lines are left out, as perf does.
 */
void jit_read_map(struct jit_codes *codes, const char *text, size_t size);

/**
 * jit_read_dump() - read a jitdump file
 * @codes: receives the code
 * @bytes: contents of the file; must outlive @codes
 * @size: of the file
 *
 * @at: receives the offset of the damage
 *
 * A file that is damaged, or was cut, is read up to there.
 *
 * Return: NULL; or a text about the damage at @at.
 */
const char *jit_read_dump(struct jit_codes *codes, const uint8_t *bytes, size_t size, size_t *at);

/** jit_sort() - sort code that was read, and fill @highest in */
void jit_sort(struct jit_codes *codes);

/**
 * jit_number_contents() - find the code that has the same bytes
 * @codes: code of a jitdump file; receives @content
 *
 * Code that was moved has the bytes of the code before, which are compared once.
 *
 * Return: 0 or -ENOMEM.
 */
int jit_number_contents(struct jit_codes *codes);

/**
 * struct jit_line - an entry of a table of source lines
 * @address: of the first instruction
 * @order: of the entry in the file
 * @line: its number
 * @file: name of the file; NULL if the table has no entry for the address
 */
struct jit_line {
	uint64_t address;
	uint64_t order;
	int line;
	const char *file;
};

/**
 * struct jit_lines - the entries of a table of source lines
 * @entries: by address; of the same address in the order of the file
 * @count: how many
 */
struct jit_lines {
	struct jit_line *entries;
	size_t count;
};

/**
 * jit_lines_read() - read the table of source lines of some code
 * @code: the code; without a table there are no entries
 * @lines: receives the entries; @entries is for free()
 */
void jit_lines_read(const struct jit_code *code, struct jit_lines *lines);

/** jit_line_of() - the source line of an address of code, from its table */
struct jit_line jit_line_of(const struct jit_lines *lines, const struct jit_code *code,
			    uint64_t address);

#endif /* HWFLOW_PROGRAM_JIT_READ_H */
