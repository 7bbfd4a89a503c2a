/* SPDX-License-Identifier: GPL-2.0-only */
/* Names for the stubs of a procedure linkage table, which symbol tables leave out. */
#ifndef HWFLOW_SYMBOLS_PLT_H
#define HWFLOW_SYMBOLS_PLT_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct plt_stub - one stub
 * @name: "puts@plt"
 * @start: its address
 * @size: bytes of it
 */
struct plt_stub {
	char *name;
	uint64_t start;
	uint64_t size;
};

/**
 * plt_read() - find the stubs of an AArch64 ELF file
 * @elf: the file
 * @result: receives them; to be freed by plt_free()
 * @names: share of LIMIT_names that is left, see limit_spend(); stubs beyond it have no name
 *
 * Return: how many; 0 where there are none, or memory ran out.
 */
size_t plt_read(Elf *elf, struct plt_stub **result, uint64_t *names);

/** plt_free() - free what plt_read() gave */
void plt_free(struct plt_stub *stubs, size_t count);

#endif /* HWFLOW_SYMBOLS_PLT_H */
