/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols of dynamic linking. */
#ifndef HWFLOW_SYMBOLS_DYNAMIC_H
#define HWFLOW_SYMBOLS_DYNAMIC_H

#include <gelf.h>
#include <stddef.h>

/** struct dynamic_symbol - a symbol; its name is in the file */
struct dynamic_symbol {
	const char *name;
	GElf_Sym symbol;
};

/**
 * dynamic_symbols_read() - the symbols that a file has for dynamic linking
 * @elf: the file
 * @symbols: receives them; the caller frees the array
 *
 * Return: how many.
 */
size_t dynamic_symbols_read(Elf *elf, struct dynamic_symbol **symbols);

#endif /* HWFLOW_SYMBOLS_DYNAMIC_H */
