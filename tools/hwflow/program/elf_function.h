/* SPDX-License-Identifier: GPL-2.0-only */
/* The code that symbols of an ELF file name. */
#ifndef HWFLOW_ELF_FUNCTION_H
#define HWFLOW_ELF_FUNCTION_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * elf_is_function() - has a symbol the type of a function?
 * @machine: e_machine of the file
 * @symbol: the symbol
 */
bool elf_is_function(uint16_t machine, const GElf_Sym *symbol);

/**
 * elf_symbol_address() - the address of the code of a symbol
 * @machine: e_machine of the file
 * @symbol: a function, or a symbol without a type, whose value is an address
 *
 * Return: as hwf_image_elf_address(), for functions; else the symbol's value.
 */
uint64_t elf_symbol_address(uint16_t machine, const GElf_Sym *symbol);

/** elf_has_symbol_table() - has a file symbols beside those for dynamic linking? */
bool elf_has_symbol_table(Elf *elf);

/**
 * elf_is_mapping_symbol() - does a symbol name the kind of the bytes from its address on?
 * @name: of the symbol
 *
 * Mapping symbols are in the middle of functions: $a, $t, $x before instructions, $d before data.
 */
bool elf_is_mapping_symbol(const char *name);

#endif /* HWFLOW_ELF_FUNCTION_H */
