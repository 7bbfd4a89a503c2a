/* SPDX-License-Identifier: GPL-2.0-only */
/* A profile by functions and lines: costs, calls and jumps, as callgrind's format has them. */
#ifndef HWFLOW_PROFILE_CALLGRIND_COSTS_H
#define HWFLOW_PROFILE_CALLGRIND_COSTS_H

#include "items.h"
#include "profile_formats.h"

/**
 * struct costs_name - a name, by number
 * @text: the name, escaped
 * @number: of @text, from 0
 */
struct costs_name {
	char *text;
	uint32_t number;
};

/**
 * struct costs_function - a function
 * @key_file: its binary; NULL: its code is in no file
 * @key: the function by symbols; NULL: it has no binary that was chosen
 * @key_name: number of the name of such a function; else 0
 * @name: number of its name
 * @object: number of the name of its binary
 * @file: number of the name of its source file
 * @line: its first line; 0: not known
 * @number: of the function, from 0
 */
struct costs_function {
	const struct hwf_profile_file *key_file;
	const struct function *key;
	uint32_t key_name;
	uint32_t name;
	uint32_t object;
	uint32_t file;
	uint32_t line;
	uint32_t number;
};

/**
 * struct costs_place - a line of a source file, in a function
 * @function: number of the function that has the code
 * @file: number of the name of the source file
 * @line: the line; 0: not known
 */
struct costs_place {
	uint32_t function;
	uint32_t file;
	uint32_t line;
};

/**
 * enum costs_kind - what a row is
 * @COSTS_SELF: instructions of a line
 * @COSTS_CALL: calls of a function from a line
 * @COSTS_JUMP: jumps from a line to another of the same function
 * @COSTS_CONDITIONAL: such jumps that are conditional. A jump that was never followed has no row
 */
enum costs_kind {
	COSTS_SELF,
	COSTS_CALL,
	COSTS_JUMP,
	COSTS_CONDITIONAL,
};

/**
 * struct costs_row - counts of a line
 * @from: the line
 * @to: of a call: where the function begins; of a jump: where it goes
 * @count: instructions; of calls and jumps: how many
 * @other: of calls: instructions until they returned; of conditional jumps: how often they were
 *	executed
 * @kind: enum costs_kind
 */
struct costs_row {
	struct costs_place from;
	struct costs_place to;
	uint64_t count;
	uint64_t other;
	uint8_t kind;
};

/**
 * struct costs - all counts
 * @names: struct costs_name pointers, by number
 * @name_tree: of tsearch(3): the same, by text
 * @functions: struct costs_function pointers, by number
 * @function_tree: of tsearch(3): the same, by their keys
 * @rows: struct costs_row, in the order of their functions, then files, lines and kinds; each line
 *	has one row of a kind and a destination
 * @total: instructions of all
 */
struct costs {
	struct items names;
	void *name_tree;
	struct items functions;
	void *function_tree;
	struct items rows;
	uint64_t total;
};

/**
 * costs_make() - the counts of a profile
 * @costs: receives them; the caller frees them with costs_free(), also after an error
 * @content: the profile, which has contexts
 *
 * Return: 0 or -ENOMEM.
 */
int costs_make(struct costs *costs, const struct profile_content *content);

/** costs_text() - the name of a number */
static inline const char *costs_text(const struct costs *costs, uint32_t number)
{
	return ((struct costs_name *const *)costs->names.at)[number]->text;
}

/** costs_function() - the function of a number */
static inline const struct costs_function *costs_function(const struct costs *costs,
							  uint32_t number)
{
	return ((struct costs_function *const *)costs->functions.at)[number];
}

/** costs_free() - free what costs have */
void costs_free(struct costs *costs);

#endif /* HWFLOW_PROFILE_CALLGRIND_COSTS_H */
