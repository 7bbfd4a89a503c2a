// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of a Go program. .gopclntab is in stripped programs, too: the runtime needs it. Its
 * head says where the table of functions is: pairs of a function's address and the place of its
 * description, by address, and the end of the last one. The description begins with the address
 * again; then comes the place of the name.
 */
#include "symbols_go.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* what a table begins with: the version of its layout */
#define MAGIC_1_2  0xfffffffbu
#define MAGIC_1_16 0xfffffffau
#define MAGIC_1_18 0xfffffff0u
#define MAGIC_1_20 0xfffffff1u

/* the head: magic, two bytes of 0, least size of instructions, size of pointers; then pointers */
#define HEAD_POINTER 7
#define HEAD_WORDS   8

/**
 * struct go_layout - where the parts of a table are
 * @bytes: the table
 * @size: of the table
 * @pointer: bytes of a pointer
 * @field: bytes of a number in the table of functions, and of a function's address in its
 *	description
 * @text: what addresses in the table count from
 * @count: functions
 * @names: offset of the names
 * @functions: offset of the table of functions, where offsets of descriptions count from
 * @pairs: offset of its first pair
 */
struct go_layout {
	const uint8_t *bytes;
	uint64_t size;
	uint8_t pointer;
	uint8_t field;
	uint64_t text;
	uint64_t count;
	uint64_t names;
	uint64_t functions;
	uint64_t pairs;
};

/* A number of @size bytes at an offset; false beyond the end */
static bool get(const struct go_layout *layout, uint64_t at, size_t size, uint64_t *value)
{
	*value = 0;
	if (at > layout->size || size > layout->size - at)
		return false;
	memcpy(value, layout->bytes + at, size);
	return true;
}

/* A pointer of the head, by its number */
static bool get_word(const struct go_layout *layout, unsigned int number, uint64_t *value)
{
	return get(layout, HEAD_WORDS + (uint64_t)number * layout->pointer, layout->pointer, value);
}

/* Where the parts are, by the version. */
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

/* The name that a description has; NULL if it is not whole. */
static const char *name_of(const struct go_layout *layout, uint64_t description)
{
	uint64_t at;

	if (description > layout->size - layout->functions ||
	    !get(layout, layout->functions + description + layout->field, 4, &at) ||
	    layout->names >= layout->size || at >= layout->size - layout->names)
		return NULL;
	at += layout->names;
	if (!layout->bytes[at] || !memchr(layout->bytes + at, 0, layout->size - at))
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

/* Finds the table; and the address of .text, which tables of position-independent code leave to
 * relocation
 */
static bool find_table(Elf *elf, struct go_layout *layout, GElf_Shdr *text)
{
	Elf_Scn *section = NULL, *table = NULL;
	Elf_Data *data;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && !strcmp(name, ".text"))
			*text = header;
		else if (name &&
			 (!strcmp(name, ".gopclntab") || !strcmp(name, ".data.rel.ro.gopclntab")))
			table = section;
	}
	data = table ? elf_rawdata(table, NULL) : NULL;
	if (!data || !data->d_buf)
		return false;
	layout->bytes = data->d_buf;
	layout->size = data->d_size;
	return true;
}

size_t go_read(Elf *elf, struct go_function **functions)
{
	const char *ident = elf_getident(elf, NULL);
	struct go_layout layout = {0};
	GElf_Shdr text = {0};

	*functions = NULL;
	/* get() reads the byte order of this machine */
	if (!ident || ident[EI_DATA] != ELFDATA2LSB || !find_table(elf, &layout, &text) ||
	    !read_head(&layout) || layout.functions > layout.size || layout.pairs > layout.size ||
	    layout.count > (layout.size - layout.pairs) / (UINT64_C(2) * layout.field))
		return 0;
	if (layout.field != layout.pointer && layout.text - text.sh_addr >= text.sh_size)
		layout.text = text.sh_addr;
	*functions = calloc(layout.count ? layout.count : 1, sizeof(**functions));
	return *functions ? read_functions(&layout, *functions) : 0;
}
