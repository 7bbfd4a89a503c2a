/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of a Go program, from the table that its runtime has. */
#ifndef HWFLOW_SYMBOLS_GO_H
#define HWFLOW_SYMBOLS_GO_H

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct go_function - a function
 * @name: in memory of the ELF file
 * @start: its first address
 * @size: bytes
 */
struct go_function {
	const char *name;
	uint64_t start;
	uint64_t size;
};

/**
 * go_read() - the functions that .gopclntab has
 * @elf: the file
 * @functions: receives them, in the order of the table; for free(). Their names are valid as long
 *	as @elf
 *
 * Tables of Go 1.2 and later. A damaged entry is left out.
 *
 * Return: how many; 0 if there is no table, its layout is not known, or no memory.
 */
size_t go_read(Elf *elf, struct go_function **functions);

#endif /* HWFLOW_SYMBOLS_GO_H */
