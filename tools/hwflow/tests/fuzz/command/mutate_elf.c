// SPDX-License-Identifier: GPL-2.0-only
/* Mutations of ELF files: headers, tables of segments and sections, symbols, compressed debug data.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "mutate.h"

#define NAME_BYTES 512

/* A table of the file: of program headers or section headers */
struct table {
	size_t at;
	size_t count;
	size_t each;
};

static bool is_64(const struct edit *edit)
{
	return edit->bytes[EI_CLASS] == ELFCLASS64;
}

static struct table table_of(const struct edit *edit, size_t at, size_t count, size_t each)
{
	struct table table = {.at = at, .count = count, .each = each};

	if (at > edit->size || !each)
		table.count = 0;
	else if (count > (edit->size - at) / each)
		table.count = (edit->size - at) / each;
	return table;
}

static struct table sections(const struct edit *edit)
{
	if (is_64(edit))
		return table_of(edit, edit_get(edit, offsetof(Elf64_Ehdr, e_shoff), 8),
				edit_get(edit, offsetof(Elf64_Ehdr, e_shnum), 2),
				sizeof(Elf64_Shdr));
	return table_of(edit, edit_get(edit, offsetof(Elf32_Ehdr, e_shoff), 4),
			edit_get(edit, offsetof(Elf32_Ehdr, e_shnum), 2), sizeof(Elf32_Shdr));
}

static struct table segments(const struct edit *edit)
{
	if (is_64(edit))
		return table_of(edit, edit_get(edit, offsetof(Elf64_Ehdr, e_phoff), 8),
				edit_get(edit, offsetof(Elf64_Ehdr, e_phnum), 2),
				sizeof(Elf64_Phdr));
	return table_of(edit, edit_get(edit, offsetof(Elf32_Ehdr, e_phoff), 4),
			edit_get(edit, offsetof(Elf32_Ehdr, e_phnum), 2), sizeof(Elf32_Phdr));
}

static size_t any_of(const struct table *table)
{
	return table->at + mutate_below(table->count) * table->each;
}

/* Contents of a section of a 64-bit file; the header is at @header */
static struct mutate_range contents(const struct edit *edit, size_t header)
{
	struct mutate_range range = {
		.at = edit_get(edit, header + offsetof(Elf64_Shdr, sh_offset), 8),
		.size = edit_get(edit, header + offsetof(Elf64_Shdr, sh_size), 8),
	};

	if (edit_get(edit, header + offsetof(Elf64_Shdr, sh_type), 4) == SHT_NOBITS ||
	    range.at > edit->size)
		range = (struct mutate_range){0};
	if (range.size > edit->size - range.at)
		range.size = edit->size - range.at;
	return range;
}

static void change_head(struct edit *edit)
{
	edit_number(edit, EI_NIDENT, sizeof(Elf64_Ehdr) - EI_NIDENT);
}

static void change_table(struct edit *edit)
{
	const struct table table = mutate_below(2) ? sections(edit) : segments(edit);

	if (table.count)
		edit_number(edit, any_of(&table), table.each);
}

/* Two entries overlap, or one is there twice */
static void copy_entry(struct edit *edit)
{
	const struct table table = mutate_below(2) ? sections(edit) : segments(edit);
	size_t from, to;

	if (!table.count)
		return;
	from = any_of(&table);
	to = any_of(&table);
	memmove(edit->bytes + to, edit->bytes + from, table.each);
}

/* The table is at the end of the file, and has many more entries, each with another number in one
 * field */
static void extend_table(struct edit *edit)
{
	const bool is_sections = mutate_below(2);
	const struct table table = is_sections ? sections(edit) : segments(edit);
	const size_t added = 1 + mutate_below(64), end = edit->size;
	const size_t entry = mutate_below(table.count) * table.each,
		     field = 8 * mutate_below(table.each / 8);
	const int64_t step = (int64_t)mutate_number();
	uint64_t value;

	if (!table.count || !is_64(edit) ||
	    !edit_copy(edit, table.at, table.count * table.each, edit->size))
		return;
	value = edit_get(edit, end + entry + field, 8);
	for (size_t i = 0; i < added; i++) {
		const size_t to = edit->size;

		if (!edit_copy(edit, end + entry, table.each, to))
			return;
		value += (uint64_t)step;
		edit_put(edit, to + field, 8, value);
	}
	edit_put(edit, is_sections ? offsetof(Elf64_Ehdr, e_shoff) : offsetof(Elf64_Ehdr, e_phoff),
		 8, end);
	edit_put(edit, is_sections ? offsetof(Elf64_Ehdr, e_shnum) : offsetof(Elf64_Ehdr, e_phnum),
		 2, table.count + added);
}

static void change_contents(struct edit *edit)
{
	const struct table table = sections(edit);
	struct mutate_range range;

	if (!table.count || !is_64(edit))
		return;
	range = contents(edit, any_of(&table));
	if (mutate_below(2))
		edit_number(edit, range.at, range.size);
	else
		edit_bytes(edit, range.at, range.size);
}

/* A section has other contents, which are at the end of the file */
static void set_contents(struct edit *edit, size_t header, const void *bytes, size_t size)
{
	const size_t at = edit->size;

	if (!edit_replace(edit, at, 0, bytes, size))
		return;
	edit_put(edit, header + offsetof(Elf64_Shdr, sh_offset), 8, at);
	edit_put(edit, header + offsetof(Elf64_Shdr, sh_size), 8, size);
}

/* Zeros are the most that a few bytes unpack to. */
static void compress_section(struct edit *edit)
{
	const struct table table = sections(edit);
	const size_t header = any_of(&table);
	struct mutate_range range;
	size_t bomb, room;
	Elf64_Chdr head = {.ch_type = ELFCOMPRESS_ZLIB, .ch_addralign = 1};
	uint8_t *plain, *packed;
	uLongf size;

	if (!table.count || !is_64(edit))
		return;
	range = contents(edit, header);
	bomb = mutate_below(3) ? 0 : (size_t)1 << mutate_below(24);
	plain = calloc(1, range.size + bomb + 1);
	room = compressBound(range.size + bomb);
	packed = malloc(sizeof(head) + room);
	if (!plain || !packed)
		abort();
	memcpy(plain, edit->bytes + range.at, range.size);
	head.ch_size = mutate_below(4) ? range.size + bomb : mutate_number();
	memcpy(packed, &head, sizeof(head));
	size = room;
	compress(packed + sizeof(head), &size, plain, range.size + bomb);
	if (sizeof(head) + size < EDIT_ROOM / 2) {
		set_contents(edit, header, packed, sizeof(head) + size);
		edit_put(edit, header + offsetof(Elf64_Shdr, sh_flags), 8, SHF_COMPRESSED);
	}
	free(plain);
	free(packed);
}

/* A mangled name: types that repeat, stand for others, or nest; parts of it refer to each other */
static size_t make_name(char *name)
{
	static const char *const parts[] = {
		"y",     "S_",
		"S0_",   "S1_",
		"St",    "T_",
		"P",     "R",
		"K",     "I",
		"E",     "1f",
		"3std",  "N",
		"F",     "v",
		"M",     "Dp",
		"DpT_",  "J",
		"L",     "i",
		"XadL",  "_Z",
		"C1",    "D0",
		"cv",    "A1_",
		"U1x",   "Ss",
		"ILi1E", "\033[1m",
		"\n",    "h0123456789abcdef",
		"$LT$",  "..",
		"..T.",  ".llvm.1",
		"@@V1",  "main.(*T).f",
	};
	size_t at = 0;

	if (mutate_below(8))
		at = (size_t)snprintf(name, NAME_BYTES, "%s", mutate_below(4) ? "_ZN1f" : "_R");
	for (size_t count = mutate_below(64); count && at + 24 < NAME_BYTES; count--)
		at += (size_t)snprintf(name + at, NAME_BYTES - at, "%s",
				       parts[mutate_below(sizeof(parts) / sizeof(parts[0]))]);
	return at + 1;
}

/* A symbol with another name, or another value; or many symbols */
static void change_symbols(struct edit *edit)
{
	const struct table table = sections(edit);
	size_t header = 0, strings, symbol;
	struct mutate_range symbols;
	char name[NAME_BYTES];

	for (size_t i = 0; i < table.count && is_64(edit); i++) {
		const uint64_t type = edit_get(edit, table.at + i * table.each + 4, 4);

		if ((type == SHT_SYMTAB || type == SHT_DYNSYM) && (!header || mutate_below(2)))
			header = table.at + i * table.each;
	}
	if (!header)
		return;
	symbols = contents(edit, header);
	symbol = symbols.at + mutate_below(symbols.size / sizeof(Elf64_Sym)) * sizeof(Elf64_Sym);
	strings = table.at +
		  table.each *
			  (edit_get(edit, header + offsetof(Elf64_Shdr, sh_link), 4) % table.count);
	if (mutate_below(2)) {
		edit_number(edit, symbol, sizeof(Elf64_Sym));
	} else {
		const struct mutate_range old = contents(edit, strings);
		char *all = calloc(1, old.size + NAME_BYTES);
		const size_t length = make_name(name);

		if (!all)
			abort();
		memcpy(all, edit->bytes + old.at, old.size);
		memcpy(all + old.size, name, length);
		set_contents(edit, strings, all, old.size + length);
		edit_put(edit, symbol, 4, old.size);
		free(all);
	}
}

/* A section is something else: debug data is found by names, the rest by types */
static void change_kind(struct edit *edit)
{
	static const uint32_t types[] = {SHT_PROGBITS, SHT_SYMTAB,    SHT_STRTAB, SHT_RELA,
					 SHT_HASH,     SHT_DYNAMIC,   SHT_NOTE,   SHT_NOBITS,
					 SHT_REL,      SHT_DYNSYM,    SHT_GROUP,  SHT_SYMTAB_SHNDX,
					 SHT_GNU_HASH, SHT_GNU_versym};
	const struct table table = sections(edit);

	if (!table.count)
		return;
	if (mutate_below(2))
		edit_put(edit, any_of(&table) + 4, 4,
			 types[mutate_below(sizeof(types) / sizeof(types[0]))]);
	else
		edit_put(edit, any_of(&table), 4, edit_get(edit, any_of(&table), 4));
}

void mutate_elf(struct edit *edit)
{
	static void (*const all[])(struct edit *edit) = {
		change_head,      change_table,    change_table,    copy_entry,
		extend_table,     change_contents, change_contents, change_contents,
		compress_section, change_symbols,  change_symbols,  change_kind,
	};

	if (edit->size >= sizeof(Elf64_Ehdr))
		all[mutate_below(sizeof(all) / sizeof(all[0]))](edit);
}
