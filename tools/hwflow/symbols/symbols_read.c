// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions with names of one file: from its symbol tables, the stubs of its procedure linkage
 * table, Go's table of functions, and kallsyms.
 */
#include "symbols_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/input_limits.h"
#include "base/message.h"
#include "base/progress.h"
#include "elf_bounds.h"
#include "program/elf_function.h"
#include "segments.h"
#include "source_lines.h"
#include "symbols_dynamic.h"
#include "symbols_go.h"
#include "symbols_kernel.h"
#include "symbols_plt.h"

/* struct candidate - a symbol, before it is known whether it counts */
struct candidate {
	const char *name;
	const char *file; /* NULL: the one it is in */
	uint64_t start;
	uint64_t size;
	uint64_t room; /* up to the end of its section */
	uint8_t rank;  /* the higher one of several at an address counts */
};

/* Names of one address that are alike up to here are in no order: those of a hostile file may all
 * be the same for megabytes. */
#define COMPARED 4096u

/* struct go_table - functions of a Go program */
struct go_table {
	struct go_function *functions;
	size_t count;
};

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return strncmp(x->name, y->name, COMPARED);
}

/* Is it a name for code, and how good a one? 0 for no. */
static uint8_t rank_of(uint16_t machine, const GElf_Sym *symbol, const char *name)
{
	const bool function = elf_is_function(machine, symbol);
	const unsigned int binding = GELF_ST_BIND(symbol->st_info);
	uint8_t rank = 1;

	if (!name || !*name || elf_is_mapping_symbol(name) || symbol->st_shndx == SHN_UNDEF)
		return 0;
	if (!function && GELF_ST_TYPE(symbol->st_info) != STT_NOTYPE)
		return 0;
	if (function)
		rank += 8;
	if (symbol->st_size)
		rank += 4;
	if (binding == STB_GLOBAL)
		rank += 2;
	else if (binding == STB_WEAK)
		rank += 1;
	return rank;
}

/* Spends the bytes of a name; false if it does not count. */
static bool take_name(const struct symbols_file *node, const char *name, uint64_t *left)
{
	const size_t most = (size_t)limit_of(LIMIT_name), length = strnlen(name, most + 1);

	if (length > most) {
		message_once("hwflow: %s: a symbol is too long and not used; %s",
			     hwf_image_file_name(node->file), limit_text(LIMIT_name));
		return false;
	}
	if (length >= *left) {
		message_once("hwflow: %s: names of symbols overlap, so the file is damaged: part "
			     "of the symbols is not used",
			     hwf_image_file_name(node->file));
		return false;
	}
	*left -= length + 1;
	return true;
}

/*
 * Bytes from a symbol to the end of its section, or of its segment where it has none. @value: its
 * address in its file
 */
static uint64_t room_of(const struct hwf_image_segment *segment, Elf *elf, GElf_Word section,
			uint64_t value, uint64_t address)
{
	const uint64_t room = segment->address + segment->size - address;
	Elf_Scn *found = elf ? elf_getscn(elf, section) : NULL;
	GElf_Shdr header;
	uint64_t at;

	if (!found || !gelf_getshdr(found, &header))
		return room;
	at = value - header.sh_addr;
	return at < header.sh_size && header.sh_size - at < room ? header.sh_size - at : room;
}

/**
 * struct owners - files that have symbols of a module: itself, its debug file, and the file in its
 *	.gnu_debugdata
 */
struct owners {
	Elf *files[3];
	uint64_t left; /* bytes that names of symbols may still have */
};

static void take_owner(struct owners *owners, Elf *owner)
{
	size_t size;

	for (size_t i = 0; i < sizeof(owners->files) / sizeof(owners->files[0]); i++) {
		if (owners->files[i] == owner)
			return;
		if (owners->files[i])
			continue;
		owners->files[i] = owner;
		if (elf_rawfile(owner, &size))
			owners->left += (uint64_t)size * NAMES_PER_BYTE;
		return;
	}
}

/*
 * Adds a symbol; returns how many it adds. @address: of the symbol in the module; @section of
 * @owner has it
 */
static size_t take_symbol(const struct symbols_file *node, const struct dynamic_symbol *taken,
			  uint64_t address, GElf_Word section, Elf *owner, struct owners *owners,
			  struct candidate *candidate)
{
	const uint16_t machine = hwf_image_file_elf(node->file)->machine;
	const uint8_t rank = rank_of(machine, &taken->symbol, taken->name);
	const struct hwf_image_segment *segment;

	if (!rank)
		return 0;
	/* elfutils clears bit 0 for some types of symbols only */
	if (elf_is_function(machine, &taken->symbol))
		address = hwf_image_elf_address(machine, address);
	segment = segments_find(node->code, address);
	if (!segment)
		return 0;
	take_owner(owners, owner);
	if (!take_name(node, taken->name, &owners->left))
		return 0;
	*candidate = (struct candidate){
		.name = taken->name,
		.start = address,
		.size = taken->symbol.st_size,
		.room = room_of(segment, owner, section,
				elf_symbol_address(machine, &taken->symbol), address),
		.rank = rank,
	};
	return 1;
}

static size_t gather(const struct symbols_file *node, struct candidate *candidates, int count)
{
	struct owners owners = {.left = 0};
	size_t used = 0;

	for (int i = 0; i < count; i++) {
		struct dynamic_symbol taken;
		GElf_Addr address;
		GElf_Word section;
		Elf *owner;

		taken.name = dwfl_module_getsym_info(node->module, i, &taken.symbol, &address,
						     &section, &owner, NULL);
		if (taken.name)
			used += take_symbol(node, &taken, address, section, owner, &owners,
					    &candidates[used]);
	}
	return used;
}

static size_t gather_dynamic(const struct symbols_file *node, const struct dynamic_symbol *symbols,
			     size_t count, struct candidate *candidates)
{
	struct owners owners = {.left = 0};
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		used += take_symbol(node, &symbols[i], symbols[i].symbol.st_value,
				    symbols[i].symbol.st_shndx, symbols_file_elf(node), &owners,
				    &candidates[used]);
	return used;
}

static size_t gather_stubs(const struct symbols_file *node, struct candidate *candidates)
{
	size_t used = 0;

	for (size_t i = 0; i < node->stub_count; i++) {
		const struct plt_stub *stub = &node->stubs[i];

		if (segments_find(node->code, stub->start))
			candidates[used++] = (struct candidate){
				.name = stub->name,
				.start = stub->start,
				.size = stub->size,
				.room = stub->size,
				.rank = 1,
			};
	}
	return used;
}

static size_t gather_go(const struct symbols_file *node, const struct go_table *go,
			struct candidate *candidates)
{
	uint64_t left;
	size_t size, used = 0;

	hwf_image_file_bytes(node->file, &size);
	left = (uint64_t)size * NAMES_PER_BYTE;
	for (size_t i = 0; i < go->count; i++) {
		const struct go_function *function = &go->functions[i];

		if (segments_find(node->code, function->start) &&
		    take_name(node, function->name, &left))
			candidates[used++] = (struct candidate){
				.name = function->name,
				.start = function->start,
				.size = function->size,
				.room = function->size,
				.rank = 1,
			};
	}
	return used;
}

/* A function of the kernel goes up to the next symbol, code or not. */
static size_t gather_kernel(const struct symbols_file *node, struct candidate *candidates)
{
	uint64_t next = UINT64_MAX, address = UINT64_MAX;
	size_t used = 0;

	for (size_t i = node->kernel_count; i-- > 0;) {
		const struct kernel_symbol *symbol = &node->kernel[i];
		const struct hwf_image_segment *segment =
			segments_find(node->code, symbol->address);

		if (symbol->address != address)
			next = address;
		address = symbol->address;
		if (symbol->rank && segment)
			candidates[used++] = (struct candidate){
				.name = symbol->name,
				.file = symbol->file,
				.start = address,
				.size = next - address,
				.room = segment->address + segment->size - address,
				.rank = symbol->rank,
			};
	}
	return used;
}

/*
 * One function an address. A function ends where it says, or at the next one; one that does not say
 * goes on to the next, or to the end of its section.
 */
static void make_functions(struct symbols_file *node, const struct candidate *candidates,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct candidate *candidate = &candidates[i];
		struct function *function = &node->functions[node->count];

		if (node->count && function[-1].start == candidate->start)
			continue;
		if (node->count && function[-1].end > candidate->start)
			function[-1].end = candidate->start;
		function->name = candidate->name;
		function->file =
			candidate->file ? candidate->file : hwf_image_file_name(node->file);
		function->start = candidate->start;
		function->end =
			candidate->start + (candidate->size && candidate->size < candidate->room
						    ? candidate->size
						    : candidate->room);
		function->of_elf = true;
		function->bounded = true;
		function->sized = candidate->size != 0;
		function->id = (*node->next_id)++;
		node->count++;
	}
}

/* Does elfutils have symbols of the file from elsewhere: a debug file, or .gnu_debugdata? */
static bool has_debug_symbols(const struct symbols_file *node)
{
	const Elf_Data *names = elf_section_names(symbols_file_elf(node));
	const char *debug = NULL;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	dwfl_module_info(node->module, NULL, NULL, NULL, NULL, NULL, NULL, &debug);
	while (!debug && (section = elf_nextscn(symbols_file_elf(node), section)))
		if (gelf_getshdr(section, &header) &&
		    !strcmp(elf_section_name(names, &header), ".gnu_debugdata"))
			return true;
	return debug;
}

/*
 * Has elfutils placed the sections of an object file where the image has them? It places them again
 * if it has a reason that the image does not know of.
 */
static bool is_placed(const struct symbols_file *node)
{
	const struct hwf_image_elf *image = hwf_image_file_elf(node->file);
	Elf *elf = symbols_file_elf(node);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t index = 0;

	while (elf && (section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
		    !(header.sh_flags & SHF_EXECINSTR) || header.sh_type == SHT_NOBITS ||
		    !header.sh_size)
			continue;
		while (index < image->segment_count && !image->segments[index].executable)
			index++;
		if (index == image->segment_count ||
		    image->segments[index].address != header.sh_addr ||
		    image->segments[index].offset != header.sh_offset)
			return false;
		index++;
	}
	return elf;
}

static void open_module(struct symbols_file *node, const struct debug_files *debug,
			struct go_table *go)
{
	const bool object = hwf_image_file_elf(node->file)->type == ET_REL;
	const bool memory = !*hwf_image_file_path(node->file);
	const char *path = *node->path ? node->path : hwf_image_file_name(node->file);
	const uint8_t *bytes;
	size_t size;
	Elf *elf;

	bytes = hwf_image_file_bytes(node->file, &size);
	/* elfutils does not place the sections of an object file that is in memory */
	if ((object && memory) || !elf_bounds_good(path, bytes, size))
		return;
	/* one each: all begin at their own addresses, which may be the same */
	if (memory ? !debug_module_begin_bytes(&node->debug, debug, path, bytes, size)
		   : !debug_module_begin(&node->debug, debug, path,
					 hwf_image_file_root(node->file)))
		return;
	node->module = node->debug.module;
	if (object && !is_placed(node))
		node->module = NULL;
	elf = symbols_file_elf(node);
	if (!elf)
		return;
	node->lines = source_lines_new(node->module, path);
	/* an object file has no stubs yet, and is not Go's */
	if (object)
		return;
	node->stub_count = plt_read(elf, &node->stubs, &node->names);
	/* the symbols of Go's linker have the same names and bounds */
	if (!elf_has_symbol_table(elf))
		go->count = go_read(elf, &go->functions);
}

static bool has_mini_debug_info(Elf *elf)
{
	const Elf_Data *names = elf_section_names(elf);
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS &&
		    !strcmp(elf_section_name(names, &header), ".gnu_debugdata"))
			return true;
	return false;
}

/* elfutils does not say that it cannot read .gnu_debugdata: no symbol is in another file then. */
static void report_mini_debug_info(const struct symbols_file *node, int count)
{
	Elf *elf = symbols_file_elf(node), *owner = elf;
	GElf_Addr address;
	GElf_Sym symbol;

	if (!elf || elf_has_symbol_table(elf) || !has_mini_debug_info(elf))
		return;
	for (int i = 0; i < count && (!owner || owner == elf); i++)
		dwfl_module_getsym_info(node->module, i, &symbol, &address, NULL, &owner, NULL);
	if (!owner || owner == elf)
		message_once("hwflow: %s: section .gnu_debugdata is damaged, or libdw of this "
			     "machine cannot decompress it, so names of functions are missing",
			     hwf_image_file_name(node->file));
}

/*
 * The symbols of an ELF file; room for @more candidates is after them. A file whose symbol table
 * has no function may have functions for dynamic linking. NULL without memory.
 */
static struct candidate *gather_elf(const struct symbols_file *node, size_t more, size_t *used)
{
	int count = node->module ? dwfl_module_getsymtab(node->module) : 0;
	struct candidate *candidates, *other = NULL;
	struct dynamic_symbol *symbols;
	size_t dynamic;

	if (count < 0)
		count = 0;
	report_mini_debug_info(node, count);
	candidates = calloc((size_t)count + more, sizeof(*candidates));
	*used = candidates ? gather(node, candidates, count) : 0;
	if (*used || !symbols_file_elf(node))
		return candidates;
	dynamic = dynamic_symbols_read(symbols_file_elf(node), &symbols);
	if (dynamic)
		other = calloc(dynamic + more, sizeof(*other));
	if (other) {
		free(candidates);
		candidates = other;
		*used = gather_dynamic(node, symbols, dynamic, candidates);
	}
	free(symbols);
	return candidates;
}

void symbols_read(struct symbols_file *node, const struct debug_files *debug)
{
	const bool kernel = hwf_image_file_elf(node->file)->type == ET_CORE;
	struct candidate *candidates;
	struct go_table go = {0};
	size_t more, used = 0;

	if (!kernel)
		open_module(node, debug, &go);
	else if (*hwf_image_file_path(node->file))
		node->kernel_count =
			kernel_symbols_read(hwf_image_file_path(node->file),
					    hwf_image_file_root(node->file), &node->kernel);
	more = node->stub_count + go.count + node->kernel_count + 1;
	candidates = gather_elf(node, more, &used);
	node->stripped = *hwf_image_file_path(node->file) && symbols_file_elf(node) && !go.count &&
			 !elf_has_symbol_table(symbols_file_elf(node)) && !has_debug_symbols(node);
	progress_download_end();
	if (candidates) {
		used += gather_kernel(node, candidates + used);
		used += gather_stubs(node, candidates + used);
		used += gather_go(node, &go, candidates + used);
		qsort(candidates, used, sizeof(*candidates), compare_candidates);
	}
	node->functions = calloc(used ? used : 1, sizeof(*node->functions));
	node->shown = calloc(used ? used : 1, sizeof(*node->shown));
	node->asked = calloc(used ? used : 1, sizeof(*node->asked));
	if (node->functions && candidates)
		make_functions(node, candidates, used);
	free(candidates);
	free(go.functions);
}
