// SPDX-License-Identifier: GPL-2.0-only
/*
 * The unwind table .eh_frame: a frame description entry (FDE) has first address and size of a
 * function, and the address of its language-specific data area (LSDA). The encoding of them is in
 * its common information entry (CIE).
 */
#include "eh_frame.h"

#include "elf_bounds.h"
#include "hwflow/image.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* low and high half of an encoding, of the Linux Standard Base */
#define FORMAT      0x0f
#define APPLICATION 0xf0

/* A number of 64 bits has 10 bytes in LEB128; tools pad it by a few more. */
#define LEB128_MOST 16u

/**
 * struct cie - node of table.cies, by offset
 * @offset: in the section
 * @encoding: of addresses in the FDEs of the CIE
 * @lsda: encoding of addresses of LSDAs; DW_EH_PE_omit if the FDEs have none
 * @personality: the CIE has a personality routine, which reads the LSDA
 * @known: the meaning of the whole augmentation is known
 * @good: the CIE was read
 */
struct cie {
	uint64_t offset;
	uint8_t encoding;
	uint8_t lsda;
	bool personality;
	bool known;
	bool good;
};

/**
 * struct table - the unwind table as it is read
 * @ident: e_ident of the file
 * @header: of the file
 * @reader: of the section
 * @data: contents of the section
 * @cies: tree of struct cie: those that were read, each once
 * @cie: the one that was asked for last
 * @functions: the result
 * @count: elements of @functions
 * @room: room for how many
 */
struct table {
	const unsigned char *ident;
	GElf_Ehdr header;
	struct eh_reader reader;
	Elf_Data data;
	void *cies;
	const struct cie *cie;
	struct eh_function *functions;
	size_t count;
	size_t room;
};

/* Bytes of a number in this format; 0 for LEB128, and for formats that are not known. */
static size_t format_size(const struct eh_reader *reader, uint8_t encoding)
{
	switch (encoding & FORMAT) {
	case DW_EH_PE_absptr:
		return reader->pointer;
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

static uint64_t extend_sign(uint64_t value, unsigned int bits)
{
	return bits < 64 && value >> (bits - 1) ? value | ~UINT64_C(0) << bits : value;
}

static bool read_leb128(struct eh_reader *reader, bool is_signed, uint64_t *value)
{
	unsigned int shift = 0;
	uint8_t byte;

	*value = 0;
	do {
		if (shift == 7 * LEB128_MOST || !eh_read_byte(reader, &byte))
			return false;
		if (shift < 64)
			*value |= (uint64_t)(byte & 0x7f) << shift;
		/* the bits that the number has no room for */
		if (!is_signed && byte & 0x7f && (shift > 63 || (shift == 63 && byte & 0x7e)))
			return false;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed)
		*value = extend_sign(*value, shift);
	return true;
}

static bool read_number(struct eh_reader *reader, uint8_t encoding, uint64_t *value)
{
	const bool is_signed = encoding & DW_EH_PE_signed;
	const size_t size = format_size(reader, encoding);

	if ((encoding & FORMAT) == DW_EH_PE_uleb128 || (encoding & FORMAT) == DW_EH_PE_sleb128)
		return read_leb128(reader, is_signed, value);
	if (!size || size > reader->size - reader->at)
		return false;
	*value = 0;
	memcpy(value, reader->bytes + reader->at, size);
	if (is_signed)
		*value = extend_sign(*value, (unsigned int)(8 * size));
	reader->at += size;
	return true;
}

bool eh_read_byte(struct eh_reader *reader, uint8_t *byte)
{
	if (reader->at >= reader->size)
		return false;
	*byte = reader->bytes[reader->at++];
	return true;
}

bool eh_read(struct eh_reader *reader, uint8_t encoding, uint64_t *value)
{
	const bool relative = (encoding & APPLICATION) == DW_EH_PE_pcrel;
	const uint64_t place = reader->address + reader->at;

	if ((!relative && !eh_is_absolute(encoding)) || !read_number(reader, encoding, value))
		return false;
	if (relative && *value)
		*value += place;
	return true;
}

bool eh_is_absolute(uint8_t encoding)
{
	return !(encoding & APPLICATION);
}

/* The data of a letter of the augmentation; false if its size is not known. */
static bool read_letter(struct cie *cie, char letter, struct eh_reader *data)
{
	uint8_t encoding;
	uint64_t value;

	switch (letter) {
	case 'R':
		return eh_read_byte(data, &cie->encoding);
	case 'L':
		return eh_read_byte(data, &cie->lsda);
	case 'P':
		cie->personality = true;
		/* an aligned address has bytes before it */
		return eh_read_byte(data, &encoding) &&
		       (encoding & APPLICATION) != DW_EH_PE_aligned &&
		       read_number(data, encoding, &value);
	case 'S': /* a frame of a signal */
	case 'B': /* return addresses have a signature by key B */
	case 'G': /* the stack has tags */
		return true;
	default:
		cie->known = false;
		return true;
	}
}

/* The encodings: the augmentation has a letter for each of its data. */
static void read_augmentation(const struct table *table, const Dwarf_CIE *entry, struct cie *cie)
{
	struct eh_reader data = {.bytes = entry->augmentation_data,
				 .size = entry->augmentation_data ? entry->augmentation_data_size
								  : 0,
				 .pointer = table->reader.pointer};
	const char *letters = entry->augmentation;

	cie->encoding = DW_EH_PE_absptr;
	cie->lsda = DW_EH_PE_omit;
	cie->known = !letters || !*letters || *letters == 'z';
	if (!letters || *letters != 'z')
		return;
	for (letters++; *letters; letters++)
		if (!read_letter(cie, *letters, &data)) {
			cie->encoding = DW_EH_PE_omit;
			return;
		}
}

static int compare_cies(const void *a, const void *b)
{
	const struct cie *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void read_cie(struct table *table, struct cie *cie)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (cie->offset >= table->data.d_size ||
	    dwarf_next_cfi(table->ident, &table->data, true, cie->offset, &next, &entry) ||
	    !dwarf_cfi_cie_p(&entry))
		return;
	read_augmentation(table, &entry.cie, cie);
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

static bool add_function(struct table *table, struct eh_function function)
{
	if (table->count == table->room) {
		const size_t room = table->room ? 2 * table->room : 256;
		struct eh_function *functions =
			reallocarray(table->functions, room, sizeof(*functions));

		if (!functions)
			return false;
		table->functions = functions;
		table->room = room;
	}
	table->functions[table->count++] = function;
	return true;
}

/* Reads the augmentation data of a FDE. */
static enum eh_lsda read_lsda(const struct table *table, struct eh_reader *reader, uint64_t *lsda)
{
	const struct cie *cie = table->cie;
	uint64_t size;

	if (!cie->known)
		return EH_LSDA_UNKNOWN;
	if (!cie->personality || cie->lsda == DW_EH_PE_omit)
		return EH_LSDA_NONE;
	if (!eh_read(reader, DW_EH_PE_uleb128, &size) || size > reader->size - reader->at)
		return EH_LSDA_UNKNOWN;
	reader->size = reader->at + (size_t)size;
	/* the linker leaves an absolute address of a library to a relocation */
	if ((table->header.e_type == ET_DYN && eh_is_absolute(cie->lsda)) ||
	    !eh_read(reader, cie->lsda, lsda))
		return EH_LSDA_UNKNOWN;
	return *lsda ? EH_LSDA_AT : EH_LSDA_NONE;
}

static bool take_fde(struct table *table, const Dwarf_FDE *fde)
{
	struct eh_reader reader = table->reader;
	struct eh_function function = {.lsda = 0};
	uint64_t size;

	if (!take_cie(table, fde->CIE_pointer))
		return true;
	reader.at = (size_t)(fde->start - reader.bytes);
	reader.size = (size_t)(fde->end - reader.bytes);
	if (!eh_read(&reader, table->cie->encoding, &function.start) ||
	    !eh_read(&reader, table->cie->encoding & FORMAT & ~DW_EH_PE_signed, &size))
		return true;
	function.start = hwf_image_elf_address(table->header.e_machine, function.start);
	function.end = function.start + size;
	/* 0: code that the linker left out */
	if (function.end <= function.start)
		return true;
	function.has_lsda = read_lsda(table, &reader, &function.lsda);
	return add_function(table, function);
}

static void read_entries(struct table *table)
{
	Dwarf_Off offset = 0, next = 0;
	Dwarf_CFI_Entry entry;

	while (!dwarf_next_cfi(table->ident, &table->data, true, offset, &next, &entry)) {
		if (!dwarf_cfi_cie_p(&entry) && !take_fde(table, &entry.fde))
			return;
		if (next <= offset)
			return;
		offset = next;
	}
}

bool eh_reader_open(struct eh_reader *reader, Elf *elf, const char *name)
{
	const Elf_Data *names = elf_section_names(elf);
	const char *ident = elf_getident(elf, NULL);
	Elf_Scn *section = NULL;
	const Elf_Data *data;
	GElf_Shdr header;

	/* read_number() reads the byte order of this machine */
	if (!ident || ident[EI_DATA] != ELFDATA2LSB)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		if (strcmp(elf_section_name(names, &header), name) != 0)
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf)
			return false;
		*reader = (struct eh_reader){.bytes = data->d_buf,
					     .size = data->d_size,
					     .address = header.sh_addr,
					     .pointer = ident[EI_CLASS] == ELFCLASS64 ? 8 : 4};
		return true;
	}
	return false;
}

static int compare_functions(const void *a, const void *b)
{
	const struct eh_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* Sorts; of several with the same start the longest stays; each ends where the next one begins. */
static void put_in_order(struct table *table)
{
	size_t used = 0;

	qsort(table->functions, table->count, sizeof(*table->functions), compare_functions);
	for (size_t i = 0; i < table->count; i++) {
		if (used && table->functions[used - 1].start == table->functions[i].start)
			used--;
		else if (used && table->functions[used - 1].end > table->functions[i].start)
			table->functions[used - 1].end = table->functions[i].start;
		table->functions[used++] = table->functions[i];
	}
	table->count = used;
}

size_t eh_frame_read(Elf *elf, struct eh_function **functions)
{
	struct table table = {.ident = (const unsigned char *)elf_getident(elf, NULL)};

	*functions = NULL;
	if (!gelf_getehdr(elf, &table.header) || !eh_reader_open(&table.reader, elf, ".eh_frame"))
		return 0;
	table.data = (Elf_Data){.d_buf = (void *)(uintptr_t)table.reader.bytes,
				.d_size = table.reader.size,
				.d_type = ELF_T_BYTE,
				.d_version = EV_CURRENT};
	read_entries(&table);
	tdestroy(table.cies, free);
	if (table.count)
		put_in_order(&table);
	*functions = table.functions;
	return table.count;
}
