// SPDX-License-Identifier: GPL-2.0-only
/* Where the loader of modules has put the sections of a module. */
#include "module_sections.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "program/elf_function.h"
#include "profile/items.h"
#include "symbols/elf_bounds.h"

/* struct placed - a section: where it is in the file, and in memory */
struct placed {
	GElf_Shdr header;
	uint64_t address;
	bool found;
};

/* struct definition - a symbol of the file, in a section with code */
struct definition {
	const char *name;
	uint64_t value;
	struct placed *section;
};

/**
 * struct module_file - sections and symbols of a module
 * @placed: all sections, by their numbers
 * @count: how many
 * @definitions: struct definition by name
 * @failed: memory ran out
 */
struct module_file {
	struct placed *placed;
	size_t count;
	struct items definitions;
	bool failed;
};

static int compare_definitions(const void *a, const void *b)
{
	const struct definition *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* A name in a section of names that ends with a zero; NULL for none */
static const char *name_at(const Elf_Data *names, size_t at)
{
	const char *bytes = names ? names->d_buf : NULL;

	return bytes && at < names->d_size && !bytes[names->d_size - 1] && bytes[at] ? bytes + at
										     : NULL;
}

static void add_definition(struct module_file *module, uint16_t machine, const GElf_Sym *symbol,
			   const char *name)
{
	struct placed *section =
		symbol->st_shndx < module->count ? &module->placed[symbol->st_shndx] : NULL;
	struct definition *definition;

	if (!section || !name || elf_is_mapping_symbol(name) ||
	    !(section->header.sh_flags & SHF_ALLOC) ||
	    !(section->header.sh_flags & SHF_EXECINSTR) || section->header.sh_type == SHT_NOBITS)
		return;
	definition = items_add(&module->definitions, sizeof(*definition));
	if (definition)
		*definition =
			(struct definition){name, elf_symbol_address(machine, symbol), section};
	else
		module->failed = true;
}

static void read_symbols(struct module_file *module, Elf *elf, uint16_t machine)
{
	for (size_t i = 0; i < module->count; i++) {
		const GElf_Shdr *header = &module->placed[i].header;
		Elf_Data *symbols, *names;
		GElf_Sym symbol;

		if (header->sh_type != SHT_SYMTAB || header->sh_link >= module->count ||
		    module->placed[header->sh_link].header.sh_type != SHT_STRTAB)
			continue;
		symbols = elf_getdata(elf_getscn(elf, i), NULL);
		names = elf_getdata(elf_getscn(elf, header->sh_link), NULL);
		for (int j = 0; symbols && gelf_getsym(symbols, j, &symbol); j++)
			add_definition(module, machine, &symbol, name_at(names, symbol.st_name));
		/* a file has one */
		break;
	}
	items_sort(&module->definitions, sizeof(struct definition), compare_definitions);
}

static bool read_file(struct module_file *module, Elf *elf, uint16_t machine)
{
	if (!elf || elf_getshdrnum(elf, &module->count) || !module->count)
		return false;
	module->placed = calloc(module->count, sizeof(*module->placed));
	if (!module->placed)
		return false;
	for (size_t i = 0; i < module->count; i++)
		if (!gelf_getshdr(elf_getscn(elf, i), &module->placed[i].header))
			module->placed[i].header = (GElf_Shdr){0};
	read_symbols(module, elf, machine);
	return !module->failed;
}

/* The one symbol of a name; NULL if there is none, or several */
static const struct definition *find(const struct module_file *module, const char *name)
{
	const struct definition *definitions = module->definitions.at, key = {.name = name};
	const size_t count = module->definitions.count;
	const struct definition *found =
		count ? bsearch(&key, definitions, count, sizeof(key), compare_definitions) : NULL;

	if (!found || (found > definitions && !strcmp(found[-1].name, name)) ||
	    (found + 1 < definitions + count && !strcmp(found[1].name, name)))
		return NULL;
	return found;
}

/* Places sections by symbols; false if two of them differ. */
static bool place(struct module_file *module, const struct module_symbol *symbols, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct definition *definition = find(module, symbols[i].name);
		uint64_t address;

		if (!definition || (i && !strcmp(symbols[i - 1].name, symbols[i].name)) ||
		    (i + 1 < count && !strcmp(symbols[i + 1].name, symbols[i].name)))
			continue;
		address = symbols[i].address - definition->value;
		if (definition->section->found && definition->section->address != address)
			return false;
		definition->section->address = address;
		definition->section->found = true;
	}
	return true;
}

static bool is_inside(const struct placed *section, const struct module_bounds *bounds)
{
	const uint64_t at = section->address - bounds->start;

	return at < bounds->length && section->header.sh_size <= bounds->length - at;
}

static const char *give(const struct module_file *module, const struct module_bounds *bounds,
			module_section_fn *take, void *ctx)
{
	size_t found = 0;

	for (size_t i = 0; i < module->count; i++)
		if (module->placed[i].found && !is_inside(&module->placed[i], bounds))
			return "its symbols are not where the module was";
	for (size_t i = 0; i < module->count; i++) {
		const struct placed *section = &module->placed[i];

		if (!section->found || !section->header.sh_size)
			continue;
		take(ctx, &(struct module_section){section->address, section->header.sh_offset,
						   section->header.sh_size});
		found++;
	}
	return found ? NULL : "no symbol of the recording is in a section of its file";
}

const char *module_sections(const struct hwf_image_file *file, const struct module_symbol *symbols,
			    size_t count, const struct module_bounds *bounds,
			    module_section_fn *take, void *ctx)
{
	const struct hwf_image_elf *head = hwf_image_file_elf(file);
	const char *reason = "its file cannot be read";
	struct module_file module = {0};
	const uint8_t *bytes;
	size_t size;
	Elf *elf;

	bytes = hwf_image_file_bytes(file, &size);
	if (!head || head->type != ET_REL)
		return "its file is no module";
	if (!elf_bounds_good(hwf_image_file_path(file), bytes, size))
		return reason;
	elf_version(EV_CURRENT);
	/* libelf does not write to what it only reads */
	elf = elf_memory((char *)(uintptr_t)bytes, size);
	if (read_file(&module, elf, head->machine)) {
		reason = "its symbols are not where its file has them: the file is not the module "
			 "that was loaded";
		if (place(&module, symbols, count))
			reason = give(&module, bounds, take, ctx);
	}
	free(module.definitions.at);
	free(module.placed);
	elf_end(elf);
	return reason;
}
