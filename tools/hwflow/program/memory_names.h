/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of mappings that mean memory, not a file. */
#ifndef HWFLOW_MEMORY_NAMES_H
#define HWFLOW_MEMORY_NAMES_H

#include <stdbool.h>

struct perfdata_mapping;

/**
 * memory_has_no_file() - is the name of a mapping one for memory that no file has?
 * @name: as the kernel and perf write it
 *
 * Return: true for memory, although the name may look like a path.
 */
bool memory_has_no_file(const char *name);

/**
 * memory_may_have_made_code() - may a program have made the code of a mapping at run time?
 * @mapping: of a recording
 *
 * Return: true for memory without a file, and for files that programs make to share memory, which
 * are often deleted while they are mapped.
 */
bool memory_may_have_made_code(const struct perfdata_mapping *mapping);

#endif /* HWFLOW_MEMORY_NAMES_H */
