/* SPDX-License-Identifier: GPL-2.0-only */
/* What the DWARF of a file may ask elfutils for, checked before elfutils reads it. */
#ifndef HWFLOW_DWARF_BOUNDS_H
#define HWFLOW_DWARF_BOUNDS_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct dwarf_bounds - the units of a file that were checked */
struct dwarf_bounds;

/**
 * dwarf_bounds_new() - begin with a file
 * @module: the file, which elf_bounds_good() has checked
 * @path: its path, for messages; must outlive the result
 * @size: bytes of it
 *
 * Return: NULL without memory.
 */
struct dwarf_bounds *dwarf_bounds_new(Dwfl_Module *module, const char *path, uint64_t size);

/**
 * dwarf_bounds_good() - may elfutils look for the source line of an address?
 * @bounds: the file
 * @address: the address
 *
 * elfutils interns all units up to that of the address, and reads the line table of that unit,
 * which takes about 1 KB a unit, 130 bytes a row, and for each file the bytes of its directory and
 * name. The first call counts the units; each first call for a unit counts the rows of its line
 * table and the bytes of its names. LIMIT_units, LIMIT_lines and LIMIT_names bound these.
 *
 * Return: false if the file has no DWARF, or a limit is reached, which is printed.
 */
bool dwarf_bounds_good(struct dwarf_bounds *bounds, uint64_t address);

/** dwarf_bounds_free() - free everything; NULL is allowed */
void dwarf_bounds_free(struct dwarf_bounds *bounds);

#endif /* HWFLOW_DWARF_BOUNDS_H */
