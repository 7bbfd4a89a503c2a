// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of a Go program, from the section .gopclntab. The Go runtime needs this section, so
 * stripped programs have it too. Its parts are:
 *
 *   head                magic, two zero bytes, instruction size, pointer size, then pointers
 *   table of functions  {address, offset of the description} sorted by address, then the end
 *                       address of the last function
 *   description         the address once more, the offset of the name, fields not used here
 *   names               strings that end in a zero byte
 *
 * The magic identifies the layout: widths, and whether addresses are relative.
 */
#include "symbols_go.h"

#include "elf_bounds.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* magic of each layout, named by the first Go release that wrote it */
#define MAGIC_1_2  0xfffffffbu
#define MAGIC_1_16 0xfffffffau
#define MAGIC_1_18 0xfffffff0u
#define MAGIC_1_20 0xfffffff1u

/* offsets in the head: the pointer size, and the first pointer */
#define HEAD_POINTER 7
#define HEAD_WORDS   8

/**
 * struct go_layout - the parts of a .gopclntab section
 * @bytes: the section
 * @size: its size in bytes
 * @pointer: bytes of a pointer
 * @field: bytes of a number in the table of functions, and of a function's address in its
 *	description
 * @relative: addresses in the table are offsets from @text
 * @text: start of the program's text if @relative, else 0
 * @count: number of functions
 * @names: offset of the names
 * @end: end of the last string in the section
 * @functions: offset of the table of functions; offsets of descriptions are relative to it
 * @pairs: offset of its first pair
 */
struct go_layout {
	const uint8_t *bytes;
	uint64_t size;
	uint8_t pointer;
	uint8_t field;
	bool relative;
	uint64_t text;
	uint64_t count;
	uint64_t names;
	uint64_t end;
	uint64_t functions;
	uint64_t pairs;
};

/* Read a number of @size bytes. Returns false beyond the end of the section. */
static bool get(const struct go_layout *layout, uint64_t at, size_t size, uint64_t *value)
{
	*value = 0;
	if (at > layout->size || size > layout->size - at)
		return false;
	memcpy(value, layout->bytes + at, size);
	return true;
}

/* Read the pointer with this number from the head. */
static bool get_word(const struct go_layout *layout, unsigned int number, uint64_t *value)
{
	return get(layout, HEAD_WORDS + (uint64_t)number * layout->pointer, layout->pointer, value);
}

/* Read the offsets of the parts from the head. Returns false for an unknown layout. */
static bool read_head(struct go_layout *layout)
{
	uint64_t magic, pointer;

	if (!get(layout, 0, 4, &magic) || !get(layout, HEAD_POINTER, 1, &pointer) ||
	    (pointer != 4 && pointer != 8))
		return false;
	layout->pointer = layout->field = (uint8_t)pointer;
	if (!get_word(layout, 0, &layout->count))
		return false;
	switch (magic) {
	case MAGIC_1_2:
		layout->pairs = HEAD_WORDS + pointer;
		return true;
	case MAGIC_1_16:
		if (!get_word(layout, 2, &layout->names) ||
		    !get_word(layout, 6, &layout->functions))
			return false;
		break;
	case MAGIC_1_18:
	case MAGIC_1_20:
		layout->field = 4;
		layout->relative = true;
		if (!get_word(layout, 2, &layout->text) || !get_word(layout, 3, &layout->names) ||
		    !get_word(layout, 7, &layout->functions))
			return false;
		break;
	default:
		return false;
	}
	layout->pairs = layout->functions;
	return true;
}

/* The name of a description, or NULL if the name is not inside the section. */
static const char *name_of(const struct go_layout *layout, uint64_t description)
{
	uint64_t at;

	if (description > layout->size - layout->functions ||
	    !get(layout, layout->functions + description + layout->field, 4, &at) ||
	    layout->names >= layout->size || at >= layout->size - layout->names)
		return NULL;
	at += layout->names;
	if (!layout->bytes[at] || at >= layout->end)
		return NULL;
	return (const char *)layout->bytes + at;
}

static size_t read_functions(const struct go_layout *layout, struct go_function *functions)
{
	const uint64_t field = layout->field;
	size_t used = 0;

	for (uint64_t i = 0; i < layout->count; i++) {
		const uint64_t at = layout->pairs + 2 * i * field;
		uint64_t start, description, end;
		const char *name;

		if (!get(layout, at, field, &start) ||
		    !get(layout, at + field, field, &description) ||
		    !get(layout, at + 2 * field, field, &end))
			break;
		name = end > start ? name_of(layout, description) : NULL;
		if (name)
			functions[used++] = (struct go_function){
				.name = name, .start = layout->text + start, .size = end - start};
	}
	return used;
}

/**
 * struct go_sections - facts of the file that the table is in
 * @text: section of code
 * @table: address of the table
 * @has_init: the C library's code for the beginning of a program is in the file: .text does not
 * begin with Go's code
 */
struct go_sections {
	GElf_Shdr text;
	uint64_t table;
	bool has_init;
};

/* Finds the table. */
static bool find_table(Elf *elf, struct go_layout *layout, struct go_sections *sections)
{
	Elf_Scn *section = NULL, *table = NULL;
	const Elf_Data *names = elf_section_names(elf);
	const uint8_t *last;
	Elf_Data *data;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_section_name(names, &header);
		sections->has_init |= !strcmp(name, ".init");
		if (!strcmp(name, ".text"))
			sections->text = header;
		if (strcmp(name, ".gopclntab") != 0 && strcmp(name, ".data.rel.ro.gopclntab") != 0)
			continue;
		table = section;
		sections->table = header.sh_addr;
	}
	data = table ? elf_rawdata(table, NULL) : NULL;
	if (!data || !data->d_buf)
		return false;
	layout->bytes = data->d_buf;
	layout->size = data->d_size;
	last = memrchr(layout->bytes, 0, layout->size);
	layout->end = last ? (uint64_t)(last - layout->bytes) : 0;
	return true;
}

/* The addend of a relocation at an address; false if there is none. */
static bool find_addend(Elf *elf, uint64_t address, uint64_t *addend)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Rela relocation;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA)
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 0; data && gelf_getrela(data, i, &relocation); i++) {
			if (relocation.r_offset != address)
				continue;
			*addend = (uint64_t)relocation.r_addend;
			return true;
		}
	}
	return false;
}

/*
 * Finds the address that the table counts from, which position-independent programs leave to a
 * relocation. Later versions of Go have 0 in its place: it is the beginning of Go's code.
 */
static bool find_text(Elf *elf, struct go_layout *layout, const struct go_sections *sections)
{
	const GElf_Shdr *text = &sections->text;

	if (layout->text - text->sh_addr < text->sh_size)
		return true;
	if (find_addend(elf, sections->table + HEAD_WORDS + UINT64_C(2) * layout->pointer,
			&layout->text) &&
	    layout->text - text->sh_addr < text->sh_size)
		return true;
	layout->text = text->sh_addr;
	return !sections->has_init;
}

size_t go_read(Elf *elf, struct go_function **functions)
{
	const char *ident = elf_getident(elf, NULL);
	struct go_sections sections = {.has_init = false};
	struct go_layout layout = {.relative = false};

	*functions = NULL;
	/* get() reads the byte order of this machine */
	if (!ident || ident[EI_DATA] != ELFDATA2LSB || !find_table(elf, &layout, &sections) ||
	    !read_head(&layout) || layout.functions > layout.size || layout.pairs > layout.size ||
	    layout.count > (layout.size - layout.pairs) / (UINT64_C(2) * layout.field))
		return 0;
	if (layout.relative && !find_text(elf, &layout, &sections))
		return 0;
	*functions = calloc(layout.count ? layout.count : 1, sizeof(**functions));
	return *functions ? read_functions(&layout, *functions) : 0;
}
