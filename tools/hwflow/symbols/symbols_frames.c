// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bounds of functions, from the unwind table .eh_frame: a FDE (frame description entry) has first
 * address and size of a function. The encoding of both is in its CIE (common information entry).
 */
#include "symbols_frames.h"

#include "elf_bounds.h"
#include "hwflow/image.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* low and high half of an encoding, of the Linux Standard Base */
#define FORMAT      0x0f
#define APPLICATION 0xf0

/* struct cie - node of table.cies, by offset */
struct cie {
	uint64_t offset;
	uint8_t encoding; /* of addresses in the FDEs of the CIE */
	bool good;
};

/**
 * struct table - the unwind table as it is read
 * @ident: e_ident of the file
 * @machine: e_machine of the file
 * @data: contents of the section
 * @address: of the section
 * @cies: tree of struct cie: those that were read, each once
 * @cie: the one that was asked for last
 * @frames: the result
 * @count: elements of @frames
 * @room: room for how many
 */
struct table {
	const unsigned char *ident;
	uint16_t machine;
	Elf_Data *data;
	uint64_t address;
	void *cies;
	const struct cie *cie;
	struct frame *frames;
	size_t count;
	size_t room;
};

/* Bytes of a number in this format; 0 for formats that addresses do not have. */
static size_t format_size(const struct table *table, uint8_t encoding)
{
	switch (encoding & FORMAT) {
	case DW_EH_PE_absptr:
		return table->ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2:
		return 2;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return 4;
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return 8;
	default:
		return 0;
	}
}

static uint64_t read_number(const uint8_t *bytes, size_t size, bool is_signed)
{
	uint64_t value = 0;

	memcpy(&value, bytes, size);
	if (is_signed && size < 8 && value >> (8 * size - 1))
		value |= ~UINT64_C(0) << 8 * size;
	return value;
}

/* The encoding of addresses: behind the letter R of the augmentation, in the data of each letter.
 */
static uint8_t find_encoding(const struct table *table, const Dwarf_CIE *cie)
{
	const uint8_t *at = cie->augmentation_data;
	size_t left = at ? cie->augmentation_data_size : 0;

	if (!cie->augmentation || cie->augmentation[0] != 'z')
		return DW_EH_PE_absptr;
	for (const char *letter = cie->augmentation + 1; *letter; letter++) {
		size_t used = *letter == 'L' || *letter == 'R' || *letter == 'P';

		if (used > left)
			return DW_EH_PE_omit;
		if (*letter == 'R')
			return *at;
		if (*letter == 'P')
			used += format_size(table, *at);
		/* the size of this format is not known: the next field cannot be found */
		if (used > left || (*letter == 'P' && used == 1))
			return DW_EH_PE_omit;
		at += used;
		left -= used;
	}
	return DW_EH_PE_absptr;
}

static int compare_cies(const void *a, const void *b)
{
	const struct cie *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void read_cie(const struct table *table, struct cie *cie)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (cie->offset >= table->data->d_size ||
	    dwarf_next_cfi(table->ident, table->data, true, cie->offset, &next, &entry) ||
	    !dwarf_cfi_cie_p(&entry))
		return;
	cie->encoding = find_encoding(table, &entry.cie);
	cie->good = true;
}

/* Sets the CIE of a FDE; false if there is none. */
static bool take_cie(struct table *table, uint64_t offset)
{
	const struct cie key = {.offset = offset};
	struct cie *cie, **found;

	if (table->cie && table->cie->offset == offset)
		return table->cie->good;
	table->cie = NULL;
	found = tfind(&key, &table->cies, compare_cies);
	if (!found) {
		cie = malloc(sizeof(*cie));
		if (!cie)
			return false;
		*cie = key;
		read_cie(table, cie);
		found = tsearch(cie, &table->cies, compare_cies);
		if (!found) {
			free(cie);
			return false;
		}
	}
	table->cie = *found;
	return table->cie->good;
}

static bool add_frame(struct table *table, struct frame frame)
{
	if (table->count == table->room) {
		const size_t room = table->room ? 2 * table->room : 256;
		struct frame *frames = reallocarray(table->frames, room, sizeof(*frames));

		if (!frames)
			return false;
		table->frames = frames;
		table->room = room;
	}
	table->frames[table->count++] = frame;
	return true;
}

static bool take_fde(struct table *table, const Dwarf_FDE *fde)
{
	const uint8_t *bytes = table->data->d_buf;
	const size_t left = (size_t)(fde->end - fde->start);
	uint64_t start, size;
	uint8_t encoding;
	size_t number;
	bool relative;

	if (!take_cie(table, fde->CIE_pointer))
		return true;
	encoding = table->cie->encoding;
	relative = (encoding & APPLICATION) == DW_EH_PE_pcrel;
	number = format_size(table, encoding);
	if (!number || left < 2 * number || (!relative && encoding & APPLICATION))
		return true;
	start = read_number(fde->start, number, encoding & DW_EH_PE_signed);
	if (relative)
		start += table->address + (uint64_t)(fde->start - bytes);
	start = hwf_image_elf_address(table->machine, start);
	size = read_number(fde->start + number, number, false);
	/* 0: code that the linker left out */
	if (!size || start + size < start)
		return true;
	return add_frame(table, (struct frame){start, start + size});
}

static void read_entries(struct table *table)
{
	Dwarf_Off offset = 0, next = 0;
	Dwarf_CFI_Entry entry;

	while (!dwarf_next_cfi(table->ident, table->data, true, offset, &next, &entry)) {
		if (!dwarf_cfi_cie_p(&entry) && !take_fde(table, &entry.fde))
			return;
		if (next <= offset)
			return;
		offset = next;
	}
}

static bool find_section(Elf *elf, struct table *table)
{
	const Elf_Data *names = elf_section_names(elf);
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		if (strcmp(elf_section_name(names, &header), ".eh_frame") != 0)
			continue;
		table->address = header.sh_addr;
		table->data = elf_rawdata(section, NULL);
		return table->data && table->data->d_buf;
	}
	return false;
}

static int compare_frames(const void *a, const void *b)
{
	const struct frame *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* Sorts; of several with the same start the longest stays; each ends where the next one begins. */
static void put_in_order(struct table *table)
{
	size_t used = 0;

	qsort(table->frames, table->count, sizeof(*table->frames), compare_frames);
	for (size_t i = 0; i < table->count; i++) {
		if (used && table->frames[used - 1].start == table->frames[i].start)
			used--;
		else if (used && table->frames[used - 1].end > table->frames[i].start)
			table->frames[used - 1].end = table->frames[i].start;
		table->frames[used++] = table->frames[i];
	}
	table->count = used;
}

size_t frames_read(Elf *elf, struct frame **frames)
{
	struct table table = {.ident = (const unsigned char *)elf_getident(elf, NULL)};
	GElf_Ehdr header;

	*frames = NULL;
	/* read_number() reads the byte order of this machine */
	if (!table.ident || table.ident[EI_DATA] != ELFDATA2LSB || !gelf_getehdr(elf, &header) ||
	    !find_section(elf, &table))
		return 0;
	table.machine = header.e_machine;
	read_entries(&table);
	tdestroy(table.cies, free);
	if (table.count)
		put_in_order(&table);
	*frames = table.frames;
	return table.count;
}
