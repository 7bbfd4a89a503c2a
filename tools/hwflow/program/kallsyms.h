/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols of the kernel that was recorded, from a copy of its /proc/kallsyms. */
#ifndef HWFLOW_KALLSYMS_H
#define HWFLOW_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct kallsym - a symbol
 * @address: its value; of code, the address of its first instruction
 * @type: letter, as of nm(1): upper case is global
 * @name: valid during the call only
 * @module: name of its module; "" for the kernel itself; likewise
 */
struct kallsym {
	uint64_t address;
	char type;
	const char *name;
	const char *module;
};

/**
 * typedef kallsyms_fn - takes a symbol
 * @ctx: the taker's own
 * @symbol: the symbol
 *
 * Return: 0; anything else ends the reading.
 */
typedef int kallsyms_fn(void *ctx, const struct kallsym *symbol);

/**
 * kallsyms_read() - all symbols, in the order of the file
 * @path: of the file
 * @root: see input_file_open()
 * @take: takes them
 * @ctx: its first argument
 *
 * Lines that are no symbols are left out.
 *
 * Return: 0; what @take returned if it ended the reading; or the negative errno of the file.
 */
int kallsyms_read(const char *path, size_t root, kallsyms_fn *take, void *ctx);

/** kallsyms_is_code() - is a symbol code, by its letter? */
bool kallsyms_is_code(const struct kallsym *symbol);

#endif /* HWFLOW_KALLSYMS_H */
