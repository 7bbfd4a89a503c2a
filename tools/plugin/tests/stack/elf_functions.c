// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of an ELF file: from .symtab and .dynsym, and from the unwind tables, which stripped
 * files have, too.
 *
 * A compiler splits a function f into f and f.cold. Local symbols of one source file stand together
 * after the symbol of that file, so f.cold is part of the local f of its source file, or else of
 * the global f.
 */
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stack.h"

#define DW_EH_PE_PCREL_SDATA4 0x1b
#define DW_EH_PE_UDATA4       0x03
#define DW_EH_PE_TABLE        0x3b

struct list {
	struct function *function;
	size_t count, room;
};

struct symbol {
	const char *name;
	uint64_t start;
	size_t source_file; /* 0: global */
};

struct symbols {
	struct symbol *symbol;
	size_t count, room;
};

static void *grow(void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;
	*room = *room ? 2 * *room : 256;
	array = realloc(array, *room * size);
	if (!array)
		abort();
	return array;
}

static void add_function(struct list *list, uint64_t start, uint64_t size, const char *name)
{
	list->function = grow(list->function, list->count, &list->room, sizeof(*list->function));
	list->function[list->count++] = (struct function){start, start + size, start, name, -1};
}

static void add_symbols(struct list *list, struct symbols *symbols, Elf *elf, Elf_Scn *section)
{
	size_t source_file = 0;
	GElf_Shdr header;
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	if (!data || !gelf_getshdr(section, &header) || !header.sh_entsize)
		return;
	for (size_t i = 0; i < header.sh_size / header.sh_entsize; i++) {
		const char *name;

		if (!gelf_getsym(data, (int)i, &symbol))
			return;
		name = elf_strptr(elf, header.sh_link, symbol.st_name);
		if (GELF_ST_TYPE(symbol.st_info) == STT_FILE)
			source_file = i + 1;
		if ((GELF_ST_TYPE(symbol.st_info) != STT_FUNC &&
		     GELF_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC) ||
		    symbol.st_shndx == SHN_UNDEF || !name)
			continue;
		name = strdup(name);
		if (!name)
			abort();
		add_function(list, symbol.st_value, symbol.st_size, name);
		symbols->symbol = grow(symbols->symbol, symbols->count, &symbols->room,
				       sizeof(*symbols->symbol));
		symbols->symbol[symbols->count++] = (struct symbol){
			name, symbol.st_value,
			GELF_ST_BIND(symbol.st_info) == STB_LOCAL ? source_file : 0};
	}
}

static uint32_t get_u32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static uint64_t relative(uint64_t base, const uint8_t *bytes)
{
	return base + (uint64_t)(int64_t)(int32_t)get_u32(bytes);
}

struct section {
	uint64_t address;
	const uint8_t *bytes;
	size_t size;
};

/*
 * .eh_frame_hdr has a table of functions and their entries in .eh_frame, which have the sizes. An
 * entry whose start is not that of the table has another encoding than GCC's and is left out.
 */
static void add_unwind_table(struct list *list, const struct section *table,
			     const struct section *entries)
{
	size_t count;

	if (table->size < 12 || table->bytes[1] != DW_EH_PE_PCREL_SDATA4 ||
	    table->bytes[2] != DW_EH_PE_UDATA4 || table->bytes[3] != DW_EH_PE_TABLE)
		return;
	count = get_u32(table->bytes + 8);
	for (size_t i = 0; i < count && 12 + 8 * (i + 1) <= table->size; i++) {
		const uint8_t *row = table->bytes + 12 + 8 * i;
		const uint64_t start = relative(table->address, row);
		const uint64_t at = relative(table->address, row + 4) - entries->address;

		if (at > entries->size || entries->size - at < 16 ||
		    relative(entries->address + at + 8, entries->bytes + at + 8) != start)
			continue;
		add_function(list, start, get_u32(entries->bytes + at + 12), NULL);
	}
}

static int compare_functions(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (!a->name || !b->name)
		return (b->name != NULL) - (a->name != NULL);
	return strcmp(a->name, b->name);
}

/* Of several at one start the longest end, and the first of the names */
static void merge_functions(struct list *list)
{
	size_t kept = 0;

	qsort(list->function, list->count, sizeof(*list->function), compare_functions);
	for (size_t i = 0; i < list->count; i++) {
		const struct function *function = &list->function[i];
		struct function *last = kept ? &list->function[kept - 1] : NULL;

		if (last && last->start == function->start) {
			if (function->end > last->end)
				last->end = function->end;
		} else {
			list->function[kept++] = *function;
		}
	}
	list->count = kept;
}

static struct function *function_at(const struct list *list, uint64_t start)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (list->function[middle].start < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->count && list->function[low].start == start ? &list->function[low]
								       : NULL;
}

static void join_cold(const struct list *list, const struct symbols *symbols,
		      const struct symbol *cold, size_t length)
{
	const struct symbol *whole = NULL;
	struct function *function = function_at(list, cold->start);

	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *symbol = &symbols->symbol[i];

		if (strlen(symbol->name) != length || memcmp(symbol->name, cold->name, length) ||
		    (symbol->source_file && symbol->source_file != cold->source_file))
			continue;
		if (!whole || symbol->source_file)
			whole = symbol;
	}
	if (whole && function)
		function->id = whole->start;
}

/* The symbols f.cold and f.cold.N */
static void join_cold_parts(const struct list *list, const struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *symbol = &symbols->symbol[i];
		const char *cold = strstr(symbol->name, ".cold");

		if (cold && cold[5 + strspn(cold + 5, ".0123456789")] == '\0')
			join_cold(list, symbols, symbol, (size_t)(cold - symbol->name));
	}
}

static bool section_read(Elf_Scn *section, const GElf_Shdr *header, struct section *result)
{
	const Elf_Data *data = elf_getdata(section, NULL);

	if (!data || header->sh_type == SHT_NOBITS)
		return false;
	*result = (struct section){header->sh_addr, data->d_buf, data->d_size};
	return true;
}

static void read_sections(Elf *elf, struct list *list, struct symbols *symbols)
{
	struct section table = {0}, entries = {0};
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
			add_symbols(list, symbols, elf, section);
		else if (name && !strcmp(name, ".eh_frame_hdr"))
			section_read(section, &header, &table);
		else if (name && !strcmp(name, ".eh_frame"))
			section_read(section, &header, &entries);
	}
	if (table.bytes && entries.bytes)
		add_unwind_table(list, &table, &entries);
}

/* What to add to an address of the file to have that in the program */
static bool find_bias(Elf *elf, uint64_t pc, uint64_t offset, uint64_t *bias)
{
	size_t count;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    offset < header.p_offset || offset - header.p_offset >= header.p_filesz)
			continue;
		*bias = pc - (header.p_vaddr + (offset - header.p_offset));
		return true;
	}
	return false;
}

static void read_elf(Elf *elf, uint64_t pc, uint64_t offset, struct list *list)
{
	struct symbols symbols = {0};
	uint64_t bias;

	if (!find_bias(elf, pc, offset, &bias))
		return;
	read_sections(elf, list, &symbols);
	merge_functions(list);
	join_cold_parts(list, &symbols);
	free(symbols.symbol);
	for (size_t i = 0; i < list->count; i++) {
		list->function[i].start += bias;
		list->function[i].end += bias;
		list->function[i].id += bias;
	}
}

struct function *elf_functions(const char *path, uint64_t pc, uint64_t offset, size_t *count)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct list list = {0};
	Elf *elf;

	*count = 0;
	if (fd < 0)
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		read_elf(elf, pc, offset, &list);
	if (elf)
		elf_end(elf);
	close(fd);
	*count = list.count;
	return list.function;
}
