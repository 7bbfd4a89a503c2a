/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for addresses. elfutils finds symbol tables and DWARF, in the file itself or in separate
 * debug files; we sort the symbols once and look them up by halving.
 */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "symbols.h"
#include "symbols_kernel.h"
#include "symbols_plt.h"

/* answers remembered; a power of two */
#define LINES_KNOWN 4096u

/* struct named_file - node of symbols.files */
struct named_file {
	const struct hwf_image_file *file;
	Dwfl *dwfl;
	Dwfl_Module *module;
	struct function *functions; /* by start; they do not overlap */
	char **shown;               /* what they are called, once they are asked for */
	size_t count;
	struct function other; /* what has no name */
	char *other_name;
	struct plt_stub *stubs;
	size_t stub_count;
	struct kernel_symbol *kernel; /* of a copy of a kernel's memory */
	size_t kernel_count;
};

/* struct known_line - an answer of symbols_line() */
struct known_line {
	const struct hwf_image_file *file;
	uint64_t address;
	struct source_line line;
};

/**
 * struct symbols - names of all files that were asked for
 * @callbacks: how elfutils finds debug files
 * @debug_path: where, as it wants it
 * @symfs: see symbols_new()
 * @demangle: likewise
 * @files: tree of struct named_file
 * @last: the one asked for last
 * @unknown: the function of no file
 * @next_id: of the next function found
 * @lines: answers, by address
 */
struct symbols {
	Dwfl_Callbacks callbacks;
	char *debug_path;
	char *symfs;
	bool demangle;
	void *files;
	struct named_file *last;
	struct function unknown;
	uint32_t next_id;
	struct known_line lines[LINES_KNOWN];
};

static int compare_files(const void *a, const void *b)
{
	const uintptr_t x = (uintptr_t)((const struct named_file *)a)->file;
	const uintptr_t y = (uintptr_t)((const struct named_file *)b)->file;

	return (x > y) - (x < y);
}

/* struct candidate - a symbol, before it is known whether it counts */
struct candidate {
	const char *name;
	const char *file; /* NULL: the one it is in */
	uint64_t start;
	uint64_t size;
	uint64_t room; /* up to the end of its section */
	uint8_t rank;  /* the higher one of several at an address counts */
};

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Is it a name for code, and how good a one? 0 for no. */
static uint8_t rank_of(const GElf_Sym *symbol, const char *name)
{
	const unsigned int type = GELF_ST_TYPE(symbol->st_info);
	const unsigned int binding = GELF_ST_BIND(symbol->st_info);
	uint8_t rank = 1;

	if (!name || !*name || *name == '$' || symbol->st_shndx == SHN_UNDEF)
		return 0;
	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return 0;
	if (type != STT_NOTYPE)
		rank += 8;
	if (symbol->st_size)
		rank += 4;
	if (binding == STB_GLOBAL)
		rank += 2;
	else if (binding == STB_WEAK)
		rank += 1;
	return rank;
}

/* Does one of the segments with code have this address? */
static const struct hwf_image_segment *code_segment(const struct hwf_image_elf *elf,
						    uint64_t address)
{
	for (size_t i = 0; elf && i < elf->segment_count; i++) {
		const struct hwf_image_segment *segment = &elf->segments[i];

		if (segment->executable && address - segment->address < segment->size)
			return segment;
	}
	return NULL;
}

/* Bytes from a symbol to the end of its section, or of its segment where it has none. */
static uint64_t room_of(const struct hwf_image_segment *segment, Elf *elf, GElf_Word section,
			const GElf_Sym *symbol, uint64_t address)
{
	const uint64_t room = segment->address + segment->size - address;
	Elf_Scn *found = elf ? elf_getscn(elf, section) : NULL;
	GElf_Shdr header;
	uint64_t at;

	if (!found || !gelf_getshdr(found, &header))
		return room;
	at = symbol->st_value - header.sh_addr;
	return at < header.sh_size && header.sh_size - at < room ? header.sh_size - at : room;
}

static size_t gather(const struct named_file *node, struct candidate *candidates, int count)
{
	const struct hwf_image_elf *elf = hwf_image_file_elf(node->file);
	size_t used = 0;

	for (int i = 0; i < count; i++) {
		const struct hwf_image_segment *segment;
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word section;
		Elf *owner;
		const char *name = dwfl_module_getsym_info(node->module, i, &symbol, &address,
							   &section, &owner, NULL);
		const uint8_t rank = rank_of(&symbol, name);

		segment = name && rank ? code_segment(elf, address) : NULL;
		if (segment)
			candidates[used++] = (struct candidate){
				.name = name,
				.start = address,
				.size = symbol.st_size,
				.room = room_of(segment, owner, section, &symbol, address),
				.rank = rank,
			};
	}
	for (size_t i = 0; i < node->stub_count; i++) {
		const struct plt_stub *stub = &node->stubs[i];

		if (code_segment(elf, stub->start))
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

/* A function of the kernel goes up to the next symbol, code or not. */
static size_t gather_kernel(const struct named_file *node, struct candidate *candidates)
{
	const struct hwf_image_elf *elf = hwf_image_file_elf(node->file);
	uint64_t next = UINT64_MAX, address = UINT64_MAX;
	size_t used = 0;

	for (size_t i = node->kernel_count; i-- > 0;) {
		const struct kernel_symbol *symbol = &node->kernel[i];
		const struct hwf_image_segment *segment = code_segment(elf, symbol->address);

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
static void make_functions(struct symbols *symbols, struct named_file *node,
			   const struct candidate *candidates, size_t count)
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
		function->named = true;
		function->id = symbols->next_id++;
		node->count++;
	}
}

static void open_module(struct symbols *symbols, struct named_file *node)
{
	const char *path = hwf_image_file_path(node->file);
	GElf_Addr bias;
	Elf *elf;

	/* one each: all begin at their own addresses, which may be the same */
	node->dwfl = dwfl_begin(&symbols->callbacks);
	if (!node->dwfl)
		return;
	node->module = dwfl_report_elf(node->dwfl, path, path, -1, 0, true);
	dwfl_report_end(node->dwfl, NULL, NULL);
	elf = node->module ? dwfl_module_getelf(node->module, &bias) : NULL;
	if (elf)
		node->stub_count = plt_read(elf, &node->stubs);
}

static void read_symbols(struct symbols *symbols, struct named_file *node)
{
	const bool kernel = hwf_image_file_elf(node->file)->type == ET_CORE;
	struct candidate *candidates;
	size_t used;
	int count = 0;

	if (kernel) {
		node->kernel_count =
			kernel_symbols_read(hwf_image_file_path(node->file), &node->kernel);
	} else {
		open_module(symbols, node);
		count = node->module ? dwfl_module_getsymtab(node->module) : 0;
	}
	if (count < 0)
		count = 0;
	candidates = calloc((size_t)count + node->stub_count + node->kernel_count + 1,
			    sizeof(*candidates));
	if (!candidates)
		return;
	used = kernel ? gather_kernel(node, candidates) : gather(node, candidates, count);
	qsort(candidates, used, sizeof(*candidates), compare_candidates);
	node->functions = calloc(used ? used : 1, sizeof(*node->functions));
	node->shown = calloc(used ? used : 1, sizeof(*node->shown));
	if (node->functions)
		make_functions(symbols, node, candidates, used);
	free(candidates);
}

/* Code that has no name goes by that of its file, in brackets. */
static void name_other(struct symbols *symbols, struct named_file *node)
{
	const char *name = hwf_image_file_name(node->file), *slash = strrchr(name, '/');

	/* [vdso] has brackets already */
	if (*name == '[' || asprintf(&node->other_name, "[%s]", slash ? slash + 1 : name) < 0)
		node->other_name = NULL;
	node->other = (struct function){.name = node->other_name ? node->other_name : name,
					.file = name,
					.end = UINT64_MAX,
					.id = symbols->next_id++};
}

/* The names of a file, read when it is first asked for; NULL without memory. */
static struct named_file *file_get(struct symbols *symbols, struct hwf_image_file *file)
{
	struct named_file key = {.file = file}, *node = symbols->last, **found;

	if (node && node->file == file)
		return node;
	found = tfind(&key, &symbols->files, compare_files);
	if (found)
		return symbols->last = *found;
	node = calloc(1, sizeof(*node));
	if (!node)
		return NULL;
	node->file = file;
	if (!tsearch(node, &symbols->files, compare_files)) {
		free(node);
		return NULL;
	}
	name_other(symbols, node);
	if (!hwf_image_file_open(file) && hwf_image_file_elf(file) && *hwf_image_file_path(file))
		read_symbols(symbols, node);
	return symbols->last = node;
}

/* A file offset as an address of the file's own. */
static uint64_t own_address(const struct hwf_image_file *file, uint64_t offset)
{
	const struct hwf_image_elf *elf = hwf_image_file_elf(file);

	for (int executable = 1; elf && executable >= 0; executable--) {
		for (size_t i = 0; i < elf->segment_count; i++) {
			const struct hwf_image_segment *segment = &elf->segments[i];

			if (segment->executable == executable &&
			    offset - segment->offset < segment->size)
				return segment->address + (offset - segment->offset);
		}
	}
	return offset;
}

/*
 * The function of an address, or what has no name there; @first and @last are cut to where that
 * is so.
 */
static const struct function *find_function(const struct named_file *node, uint64_t own,
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

/* The name that a person wants to see. Of most functions nobody does. */
static void show(const struct symbols *symbols, struct named_file *node,
		 const struct function *function)
{
	size_t index;

	if (!symbols->demangle || !function->named || !node->shown)
		return;
	index = (size_t)(function - node->functions);
	if (node->shown[index])
		return;
	node->shown[index] = demangle(function->name);
	if (!node->shown[index])
		node->shown[index] = strdup(function->name);
	if (node->shown[index])
		node->functions[index].name = node->shown[index];
}

struct place_name symbols_find(struct symbols *symbols, const struct hwf_image_space *space,
			       uint64_t address)
{
	struct place_name name = {&symbols->unknown, address, address, address};
	struct hwf_image_place place;
	struct named_file *node;
	uint64_t own, first, last;

	if (!hwf_image_find(space, address, &place))
		return name;
	node = file_get(symbols, place.file);
	if (!node)
		return name;
	own = own_address(place.file, place.offset);
	name.function = find_function(node, own, &first, &last);
	show(symbols, node, name.function);
	name.offset = own - name.function->start;
	/* in virtual addresses, within the mapping */
	name.first = own - first < address - place.start ? address - (own - first) : place.start;
	name.last = place.start + place.length - 1;
	if (last - own < name.last - address)
		name.last = address + (last - own);
	return name;
}

struct source_line symbols_line(struct symbols *symbols, const struct hwf_image_space *space,
				uint64_t address)
{
	struct source_line line = {NULL, 0};
	struct known_line *known;
	struct hwf_image_place place;
	struct named_file *node;
	Dwfl_Line *found;
	uint64_t own;

	if (!hwf_image_find(space, address, &place))
		return line;
	node = file_get(symbols, place.file);
	if (!node || !node->module)
		return line;
	own = own_address(place.file, place.offset);
	known = &symbols->lines[own / 4 % LINES_KNOWN];
	if (known->file == place.file && known->address == own)
		return known->line;
	found = dwfl_module_getsrc(node->module, own);
	if (found)
		line.file = dwfl_lineinfo(found, NULL, &line.line, NULL, NULL, NULL);
	*known = (struct known_line){place.file, own, line};
	return line;
}

uint32_t symbols_count(const struct symbols *symbols)
{
	return symbols->next_id;
}

/* Debug files: by build id and by debuglink, as elfutils does, but below symfs. */
static int make_debug_path(struct symbols *symbols)
{
	if (!*symbols->symfs)
		return (symbols->debug_path = strdup(":.debug:/usr/lib/debug")) ? 0 : -ENOMEM;
	if (asprintf(&symbols->debug_path, ":.debug:%s/usr/lib/debug", symbols->symfs) >= 0)
		return 0;
	symbols->debug_path = NULL;
	return -ENOMEM;
}

int symbols_new(struct symbols **result, const char *symfs, bool demangle)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return -ENOMEM;
	symbols->unknown = (struct function){.name = "[unknown]", .file = "", .end = UINT64_MAX};
	symbols->next_id = 1;
	symbols->demangle = demangle;
	symbols->symfs = strdup(symfs ? symfs : "");
	if (!symbols->symfs || make_debug_path(symbols)) {
		symbols_free(symbols);
		return -ENOMEM;
	}
	symbols->callbacks = (Dwfl_Callbacks){
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &symbols->debug_path,
		.section_address = dwfl_offline_section_address,
	};
	*result = symbols;
	return 0;
}

static void free_file(void *item)
{
	struct named_file *node = item;

	if (node->dwfl)
		dwfl_end(node->dwfl);
	plt_free(node->stubs, node->stub_count);
	kernel_symbols_free(node->kernel, node->kernel_count);
	free(node->other_name);
	for (size_t i = 0; node->shown && i < node->count; i++)
		free(node->shown[i]);
	free(node->shown);
	free(node->functions);
	free(node);
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	tdestroy(symbols->files, free_file);
	free(symbols->debug_path);
	free(symbols->symfs);
	free(symbols);
}
