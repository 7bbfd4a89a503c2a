// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of one file: from its symbol tables, from Go's table of functions, and, where these
 * have no name, from the unwind table, which has the bounds of functions only.
 */
#include "symbols_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/limits.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "dwarf_bounds.h"
#include "elf_bounds.h"
#include "program/elf_function.h"
#include "segments.h"
#include "symbols_calls.h"
#include "symbols_frames.h"
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

/* A file's names have no more bytes in sum than this for each byte of the file: sound names do not
 * overlap but where one is the end of another. */
#define NAMES_PER_BYTE 4u

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

static size_t gather(const struct symbols_file *node, struct candidate *candidates, int count)
{
	const uint16_t machine = hwf_image_file_elf(node->file)->machine;
	struct owners owners = {.left = 0};
	size_t used = 0;

	for (int i = 0; i < count; i++) {
		const struct hwf_image_segment *segment;
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word section;
		Elf *owner;
		const char *name = dwfl_module_getsym_info(node->module, i, &symbol, &address,
							   &section, &owner, NULL);
		const uint8_t rank = rank_of(machine, &symbol, name);
		uint64_t value;

		if (!rank)
			continue;
		value = elf_symbol_address(machine, &symbol);
		/* elfutils clears bit 0 for some types of symbols only */
		if (elf_is_function(machine, &symbol))
			address = elf_function_address(machine, address);
		segment = segments_find(node->code, address);
		if (!segment)
			continue;
		take_owner(&owners, owner);
		if (take_name(node, name, &owners.left))
			candidates[used++] = (struct candidate){
				.name = name,
				.start = address,
				.size = symbol.st_size,
				.room = room_of(segment, owner, section, value, address),
				.rank = rank,
			};
	}
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
		function->bounded = true;
		function->sized = candidate->size != 0;
		function->id = (*node->next_id)++;
		node->count++;
	}
}

static Elf *elf_of(const struct symbols_file *node)
{
	GElf_Addr bias;

	return node->module ? dwfl_module_getelf(node->module, &bias) : NULL;
}

static bool has_symbol_table(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			return true;
	return false;
}

static void open_module(struct symbols_file *node, const struct debug_files *debug,
			struct go_table *go)
{
	const char *path = hwf_image_file_path(node->file);
	const uint8_t *bytes;
	size_t size;
	Elf *elf;

	bytes = hwf_image_file_bytes(node->file, &size);
	/* an object file has no segments, so that no address is in it */
	if (hwf_image_file_elf(node->file)->type == ET_REL || !elf_bounds_good(path, bytes, size))
		return;
	/* one each: all begin at their own addresses, which may be the same */
	if (!debug_module_begin(&node->debug, debug, path, hwf_image_file_root(node->file)))
		return;
	node->module = node->debug.module;
	elf = elf_of(node);
	if (!elf)
		return;
	node->lines = dwarf_bounds_new(node->module, path, size);
	node->stub_count = plt_read(elf, &node->stubs, &node->names);
	/* the symbols of Go's linker have the same names and bounds */
	if (!has_symbol_table(elf))
		go->count = go_read(elf, &go->functions);
}

static void read_symbols(struct symbols_file *node, const struct debug_files *debug)
{
	const bool kernel = hwf_image_file_elf(node->file)->type == ET_CORE;
	struct candidate *candidates;
	struct go_table go = {0};
	size_t used = 0;
	int count = 0;

	if (kernel) {
		node->kernel_count =
			kernel_symbols_read(hwf_image_file_path(node->file),
					    hwf_image_file_root(node->file), &node->kernel);
	} else {
		open_module(node, debug, &go);
		count = node->module ? dwfl_module_getsymtab(node->module) : 0;
		progress_download_end();
	}
	if (count < 0)
		count = 0;
	candidates = calloc((size_t)count + node->stub_count + go.count + node->kernel_count + 1,
			    sizeof(*candidates));
	if (candidates) {
		used = kernel ? gather_kernel(node, candidates) : gather(node, candidates, count);
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

/* The name of a file without its folder, in messages and as part of other names */
static const char *short_name(const struct symbols_file *node)
{
	const char *name = hwf_image_file_name(node->file), *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

/* Code outside of all functions has the name of its file, in brackets. */
static void name_other(struct symbols_file *node)
{
	const char *name = hwf_image_file_name(node->file);

	/* [vdso] has brackets already */
	if (*name == '[' || asprintf(&node->other_name, "[%s]", short_name(node)) < 0)
		node->other_name = NULL;
	node->other = (struct function){.name = node->other_name ? node->other_name : name,
					.file = name,
					.end = UINT64_MAX,
					.id = (*node->next_id)++};
}

struct symbols_file *symbols_file_new(struct hwf_image_file *file, const struct debug_files *debug,
				      uint32_t *next_id)
{
	struct symbols_file *node = calloc(1, sizeof(*node));
	size_t size;

	if (!node)
		return NULL;
	node->file = file;
	node->next_id = next_id;
	name_other(node);
	if (hwf_image_file_open(file) || !hwf_image_file_elf(file))
		return node;
	hwf_image_file_bytes(file, &size);
	node->names = (uint64_t)size * NAMES_PER_BYTE;
	node->code = segments_by_address(hwf_image_file_elf(file));
	node->offsets = segments_by_offset(hwf_image_file_elf(file));
	if (*hwf_image_file_path(file))
		read_symbols(node, debug);
	return node;
}

static void read_frames(struct symbols_file *node)
{
	Elf *elf = elf_of(node);

	node->frames_read = true;
	if (elf) {
		node->frame_count = frames_read(elf, &node->frames);
		node->frame_count = calls_add_frames(elf, &node->frames, node->frame_count);
	}
	node->unnamed = calloc(node->frame_count + 1, sizeof(*node->unnamed));
	if (!node->unnamed)
		node->frame_count = 0;
}

/* The function that has these bounds and no name; NULL without memory. */
static const struct function *unnamed_get(struct symbols_file *node, size_t index)
{
	struct function *function = node->unnamed[index];
	char *name;

	if (function)
		return function;
	function = calloc(1, sizeof(*function));
	if (!function ||
	    asprintf(&name, "%s+%#" PRIx64, short_name(node), node->frames[index].start) < 0) {
		free(function);
		return NULL;
	}
	*function = (struct function){.name = name,
				      .file = hwf_image_file_name(node->file),
				      .start = node->frames[index].start,
				      .end = node->frames[index].end,
				      .id = (*node->next_id)++,
				      .bounded = true};
	node->unnamed[index] = function;
	return function;
}

/*
 * The function without a name that has an address: one that begins behind @after. NULL if there
 * is none. In both cases @first and @last are cut to where the answer holds.
 */
static const struct function *find_unnamed(struct symbols_file *node, uint64_t own, uint64_t after,
					   uint64_t *first, uint64_t *last)
{
	size_t low = 0, high;

	if (!node->frames_read)
		read_frames(node);
	high = node->frame_count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (node->frames[middle].start <= own)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < node->frame_count && node->frames[low].start - 1 < *last)
		*last = node->frames[low].start - 1;
	if (!low)
		return NULL;
	if (own >= node->frames[low - 1].end) {
		if (node->frames[low - 1].end > *first)
			*first = node->frames[low - 1].end;
		return NULL;
	}
	if (node->frames[low - 1].start < after)
		return NULL;
	if (node->frames[low - 1].start > *first)
		*first = node->frames[low - 1].start;
	if (node->frames[low - 1].end - 1 < *last)
		*last = node->frames[low - 1].end - 1;
	return unnamed_get(node, low - 1);
}

/* The function by name, or the place between two of them. */
static const struct function *find_named(const struct symbols_file *node, uint64_t own,
					 uint64_t *first, uint64_t *last)
{
	size_t low = 0, high = node->count;

	*first = 0;
	*last = UINT64_MAX;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (node->functions[middle].start <= own)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < node->count)
		*last = node->functions[low].start - 1;
	if (!low)
		return &node->other;
	if (own >= node->functions[low - 1].end) {
		*first = node->functions[low - 1].end;
		return &node->other;
	}
	*first = node->functions[low - 1].start;
	*last = node->functions[low - 1].end - 1;
	return &node->functions[low - 1];
}

const struct function *symbols_file_find(struct symbols_file *file, uint64_t own, uint64_t *first,
					 uint64_t *last)
{
	const struct function *named = find_named(file, own, first, last), *unnamed;

	if (named->sized)
		return named;
	/* a symbol without a size goes on to the next function of the unwind table */
	unnamed =
		find_unnamed(file, own, named == &file->other ? 0 : named->start + 1, first, last);
	return unnamed ? unnamed : named;
}

void symbols_file_free(struct symbols_file *file)
{
	if (!file)
		return;
	dwarf_bounds_free(file->lines);
	debug_module_end(&file->debug);
	plt_free(file->stubs, file->stub_count);
	kernel_symbols_free(file->kernel, file->kernel_count);
	free(file->other_name);
	for (size_t i = 0; file->shown && i < file->count; i++)
		free(file->shown[i]);
	for (size_t i = 0; file->unnamed && i < file->frame_count; i++) {
		if (file->unnamed[i])
			free((void *)(uintptr_t)file->unnamed[i]->name);
		free(file->unnamed[i]);
	}
	free(file->unnamed);
	free(file->frames);
	free(file->shown);
	free(file->asked);
	segments_free(file->code);
	segments_free(file->offsets);
	free(file->functions);
	free(file);
}
