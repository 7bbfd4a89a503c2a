/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions that calls go to: what a stack needs to know of them. */
#ifndef HWFLOW_CALLS_FUNCTIONS_H
#define HWFLOW_CALLS_FUNCTIONS_H

#include "hwflow/image.h"
#include "hwflow/stack.h"
#include "symbols/symbols.h"

/**
 * struct called_function - a function, with all its parts
 * @function: its name and addresses
 * @file: the file that it is in, as code is mapped; NULL: it is in none
 * @offset: of its first instruction, in @file
 * @role: enum hwf_stack_role
 */
struct called_function {
	const struct function *function;
	struct hwf_image_file *file;
	uint64_t offset;
	uint8_t role;
};

/**
 * struct call_site - an instruction that calls, or that an exception came at
 * @file: as in struct called_function
 * @offset: of the instruction, in @file
 */
struct call_site {
	struct hwf_image_file *file;
	uint64_t offset;
};

/** struct functions - the functions that were asked for */
struct functions;

/** functions_new() - none; @symbols has names as they are in symbol tables. NULL without memory */
struct functions *functions_new(struct symbols *symbols);

/** functions_free() - free them; NULL is allowed */
void functions_free(struct functions *functions);

/**
 * functions_at() - say which process and time the addresses are of that are asked for next
 *
 * As symbols_at(). Address spaces may have changed.
 */
void functions_at(struct functions *functions, int32_t pid, uint64_t since, uint64_t time);

/**
 * functions_find() - the function of an address
 * @functions: the functions
 * @space: address space
 * @address: in it
 * @found: receives it; its id is for functions_get()
 *
 * Return: false without memory.
 */
bool functions_find(struct functions *functions, const void *space, uint64_t address,
		    struct hwf_stack_function *found);

/** functions_get() - a function by its id; valid until the next call of functions_find() */
const struct called_function *functions_get(const struct functions *functions, uint64_t id);

/** functions_site() - the number of the site at an address; 0 without memory */
uint64_t functions_site(struct functions *functions, const void *space, uint64_t address);

/**
 * functions_lands() - does an exception of the language that comes through a call land at a site?
 * @functions: the functions
 * @call: the site of the call
 * @landing: the other one
 *
 * Return: enum hwf_stack_landing.
 */
unsigned int functions_lands(struct functions *functions, uint64_t call, uint64_t landing);

/** functions_get_site() - a site by its number; valid until the next call of functions_site() */
const struct call_site *functions_get_site(const struct functions *functions, uint64_t number);

#endif /* HWFLOW_CALLS_FUNCTIONS_H */
