/* SPDX-License-Identifier: GPL-2.0-only */
/* Source lines, functions and branches of binaries, and how often each was executed: 0 included. */
#ifndef HWFLOW_PROFILE_COVERAGE_H
#define HWFLOW_PROFILE_COVERAGE_H

#include "items.h"
#include "profile_formats.h"

/**
 * struct coverage_line - a source line
 * @file: number of its file in coverage.files
 * @number: in the file, from 1
 * @count: how often execution entered it
 */
struct coverage_line {
	uint32_t file;
	uint32_t number;
	uint64_t count;
};

/**
 * struct coverage_function - a function of a symbol table
 * @file: number of its file
 * @line: where it begins
 * @name: as in the symbol table, without what a compiler adds to the name of a copy
 * @count: how often it was called
 */
struct coverage_function {
	uint32_t file;
	uint32_t line;
	char *name;
	uint64_t count;
};

/**
 * struct coverage_branch - a conditional branch
 * @file: number of its file
 * @line: its line
 * @order: its place among the branches of the line
 * @taken: how often it was taken
 * @not_taken: how often it was not taken
 */
struct coverage_branch {
	uint32_t file;
	uint32_t line;
	size_t order;
	uint64_t taken;
	uint64_t not_taken;
};

/**
 * struct coverage - of any number of binaries; all zero at first
 * @files: names, char * each
 * @lines: struct coverage_line; a line may be there once for each binary
 * @functions: struct coverage_function; likewise
 * @branches: struct coverage_branch
 * @numbers: tree of the names in @files
 */
struct coverage {
	struct items files;
	struct items lines;
	struct items functions;
	struct items branches;
	void *numbers;
};

/**
 * struct coverage_row - code of a line
 * @start: first address
 * @end: address after the last; @start: no code is left of the line
 * @line: index of the line among those of the binary
 */
struct coverage_row {
	uint64_t start;
	uint64_t end;
	size_t line;
};

/**
 * struct coverage_code - the code of a binary, while it is added
 * @binary: the binary
 * @counts: how often it was executed
 * @rows: struct coverage_row, by address
 * @lines: struct coverage_line of the binary, by file and number, once each
 * @functions: functions with names, by address
 * @function_count: how many
 */
struct coverage_code {
	const struct profile_binary *binary;
	const struct code_counts *counts;
	struct items rows;
	struct items lines;
	const struct function *functions;
	size_t function_count;
};

/**
 * coverage_add() - add the lines, functions and branches of a binary
 * @coverage: receives them; of a binary without source lines nothing
 * @stored: the profile
 * @binary: the binary
 *
 * Return: 0 or -ENOMEM.
 */
int coverage_add(struct coverage *coverage, struct hwf_stored_profile *stored,
		 const struct profile_binary *binary);

/**
 * coverage_count_lines() - set the count of each line of @code
 *
 * Return: 0 or -ENOMEM.
 */
int coverage_count_lines(struct coverage_code *code);

/** coverage_add_functions() - add the functions of @code that have a line; 0 or -ENOMEM */
int coverage_add_functions(struct coverage *coverage, const struct coverage_code *code);

/**
 * coverage_add_branches() - add the conditional branches of @code
 * @coverage: receives them
 * @code: the code
 *
 * Those of A64 and of RISC-V code are read from the code, executed or not. Of A32 and T32 code, of
 * which the file does not say where instructions begin, those that were executed are added.
 *
 * Return: 0 or -ENOMEM.
 */
int coverage_add_branches(struct coverage *coverage, const struct coverage_code *code);

/** coverage_function_at() - index of the function of an address; SIZE_MAX: none */
size_t coverage_function_at(const struct coverage_code *code, uint64_t address);

/** coverage_row_at() - the row whose code an address is; NULL if there is none */
const struct coverage_row *coverage_row_at(const struct coverage_code *code, uint64_t address);

/** coverage_is_part() - does a name say that the code is a part of another function? */
bool coverage_is_part(const char *name);

/** coverage_free() - free all */
void coverage_free(struct coverage *coverage);

#endif /* HWFLOW_PROFILE_COVERAGE_H */
