/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the loader of modules has put the sections of a module. */
#ifndef HWFLOW_VERBS_MODULE_SECTIONS_H
#define HWFLOW_VERBS_MODULE_SECTIONS_H

#include <stddef.h>

#include "hwflow/image.h"

/** struct module_symbol - a symbol, and the address that it had */
struct module_symbol {
	char *name;
	uint64_t address;
};

/** struct module_bounds - addresses of the memory of a module */
struct module_bounds {
	uint64_t start;
	uint64_t length;
};

/** struct module_section - a section with code: its address, its offset in the file, its bytes */
struct module_section {
	uint64_t address;
	uint64_t offset;
	uint64_t size;
};

/** typedef module_section_fn - takes a section; @ctx is that of module_sections() */
typedef void module_section_fn(void *ctx, const struct module_section *section);

/**
 * module_sections() - find the sections of a module by the symbols in them
 * @file: the module, which was opened
 * @symbols: of the module when it was loaded, by name
 * @count: how many
 * @bounds: the memory of the module; all sections have to be in it
 * @take: takes each section that has code and a symbol
 * @ctx: its first argument
 *
 * A symbol places the section that has it in the file. A name that several symbols have places
 * none. Where two symbols place a section differently, the file is not the module that was loaded.
 *
 * Return: why no section is known; NULL if some are.
 */
const char *module_sections(const struct hwf_image_file *file, const struct module_symbol *symbols,
			    size_t count, const struct module_bounds *bounds,
			    module_section_fn *take, void *ctx);

#endif /* HWFLOW_VERBS_MODULE_SECTIONS_H */
