/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols of a copy of the kernel's memory, from the kallsyms beside it. */
#ifndef HWFLOW_SYMBOLS_KERNEL_H
#define HWFLOW_SYMBOLS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct kernel_symbol - a symbol
 * @address: its value
 * @name: its name
 * @file: of the kernel or its module, in brackets, as perf has it
 * @rank: the higher one of several at an address is the better name; 0: no name for code
 */
struct kernel_symbol {
	uint64_t address;
	char *name;
	char *file;
	uint8_t rank;
};

/**
 * kernel_symbols_read() - all symbols, by address
 * @kcore: path of the copy; its kallsyms is in the same directory
 * @root: see input_file_open()
 * @symbols: receives them
 *
 * Return: how many; 0 where there are none, or no memory for them.
 */
size_t kernel_symbols_read(const char *kcore, size_t root, struct kernel_symbol **symbols);

/** kernel_symbols_free() - free @count of them; NULL is allowed */
void kernel_symbols_free(struct kernel_symbol *symbols, size_t count);

#endif /* HWFLOW_SYMBOLS_KERNEL_H */
