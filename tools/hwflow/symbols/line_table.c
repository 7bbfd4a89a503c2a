/* SPDX-License-Identifier: GPL-2.0-only */
/* How much memory the line table of a unit takes: DWARF 2 to 5, section 6.2. */
#include "line_table.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a table that count as a row */
#define BYTES_PER_ROW 16u

/* struct format - the fields of an entry of DWARF 5 */
struct format {
	struct {
		uint64_t type;
		uint64_t form;
	} fields[256];
	unsigned int count;
};

/* struct head - what the head of a table says */
struct head {
	uint64_t version;
	bool wide;
	uint8_t opcode_base;
	uint8_t lengths[256];  /* operands of standard opcodes */
	uint64_t *directories; /* bytes of each */
	uint64_t directory_count;
};

uint64_t dwarf_take(struct dwarf_reader *reader, unsigned int size)
{
	uint64_t value = 0;

	if ((uint64_t)(reader->end - reader->at) < size) {
		reader->at = reader->end;
		reader->bad = true;
		return 0;
	}
	memcpy(&value, reader->at, size);
	reader->at += size;
	if (reader->swapped && size > 1)
		value = __builtin_bswap64(value) >> (64 - 8 * size);
	return value;
}

uint64_t dwarf_take_leb(struct dwarf_reader *reader)
{
	uint64_t value = 0;
	uint8_t byte;

	for (unsigned int shift = 0;; shift += 7) {
		byte = (uint8_t)dwarf_take(reader, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
}

void dwarf_skip(struct dwarf_reader *reader, uint64_t count)
{
	if (count > (uint64_t)(reader->end - reader->at)) {
		reader->at = reader->end;
		reader->bad = true;
		return;
	}
	reader->at += count;
}

void dwarf_take_length(struct dwarf_reader *reader, bool *wide)
{
	uint64_t length = dwarf_take(reader, 4);

	*wide = length == 0xffffffff;
	if (*wide)
		length = dwarf_take(reader, 8);
	if (length > (uint64_t)(reader->end - reader->at))
		reader->bad = true;
	else
		reader->end = reader->at + length;
}

/* Bytes of a string that is here; the place behind it */
static uint64_t take_string(struct dwarf_reader *reader)
{
	const size_t room = (size_t)(reader->end - reader->at);
	const size_t length = room ? strnlen((const char *)reader->at, room) : 0;

	dwarf_skip(reader, length + 1);
	return length;
}

/* Bytes of a string in a section, as far as they are counted */
static uint64_t measure_string(const struct line_table *table, const struct dwarf_bytes *section,
			       uint64_t offset)
{
	uint64_t room;

	if (offset >= section->size)
		return 0;
	room = section->size - offset;
	return strnlen((const char *)section->at + offset,
		       (size_t)(room < table->most + 1 ? room : table->most + 1));
}

/* Bytes of names that are still counted become fewer, so that no string is measured often. */
static void spend(struct line_table *table, struct dwarf_reader *reader, uint64_t size)
{
	table->names += size;
	if (size > table->most)
		reader->bad = true;
	else
		table->most -= size;
}

/* A field of an entry: a number, or the bytes of a string */
static uint64_t take_field(struct line_table *table, struct dwarf_reader *reader, uint64_t form,
			   bool wide)
{
	switch (form) {
	case DW_FORM_string:
		return take_string(reader);
	case DW_FORM_line_strp:
		return measure_string(table, &table->line_strings,
				      dwarf_take(reader, wide ? 8 : 4));
	case DW_FORM_strp:
		return measure_string(table, &table->strings, dwarf_take(reader, wide ? 8 : 4));
	case DW_FORM_udata:
		return dwarf_take_leb(reader);
	case DW_FORM_data1:
		return dwarf_take(reader, 1);
	case DW_FORM_data2:
		return dwarf_take(reader, 2);
	case DW_FORM_data4:
		return dwarf_take(reader, 4);
	case DW_FORM_data8:
		return dwarf_take(reader, 8);
	case DW_FORM_data16:
		dwarf_skip(reader, 16);
		return 0;
	case DW_FORM_block:
		dwarf_skip(reader, dwarf_take_leb(reader));
		return 0;
	default:
		reader->bad = true;
		return 0;
	}
}

static void take_format(struct dwarf_reader *reader, struct format *format)
{
	format->count = (unsigned int)dwarf_take(reader, 1);
	for (unsigned int i = 0; i < format->count; i++) {
		format->fields[i].type = dwarf_take_leb(reader);
		format->fields[i].form = dwarf_take_leb(reader);
	}
}

/* Room for the lengths of directories, of which each has a byte at least */
static void make_directories(struct dwarf_reader *reader, struct head *head, uint64_t count)
{
	if (count > (uint64_t)(reader->end - reader->at) + 1)
		reader->bad = true;
	head->directories = reader->bad ? NULL : calloc(count + 1, sizeof(*head->directories));
	if (!head->directories)
		reader->bad = true;
}

/* A file's name in memory has its directory before it, and that of the compilation. */
static void add_file(struct line_table *table, struct dwarf_reader *reader, const struct head *head,
		     uint64_t directory, uint64_t name)
{
	const uint64_t before =
		directory < head->directory_count ? head->directories[directory] : 0;

	table->rows++;
	spend(table, reader, table->directory_size + before + name + 3);
}

/* Directories or files of DWARF 5 */
static void take_entries(struct line_table *table, struct dwarf_reader *reader, struct head *head,
			 bool files)
{
	struct format format;
	uint64_t count;

	take_format(reader, &format);
	count = dwarf_take_leb(reader);
	if (!files) {
		make_directories(reader, head, count);
		head->directory_count = reader->bad ? 0 : count;
	}
	for (uint64_t i = 0; i < count && !reader->bad; i++) {
		const uint8_t *start = reader->at;
		uint64_t name = 0, directory = 0;

		for (unsigned int j = 0; j < format.count && !reader->bad; j++) {
			const uint64_t value =
				take_field(table, reader, format.fields[j].form, head->wide);

			if (format.fields[j].type == DW_LNCT_path)
				name = value;
			else if (format.fields[j].type == DW_LNCT_directory_index)
				directory = value;
		}
		if (reader->at == start)
			reader->bad = true;
		else if (files)
			add_file(table, reader, head, directory, name);
		else
			head->directories[i] = name;
		if (!files)
			spend(table, reader, name);
		table->rows += !files;
	}
}

/* A file of DWARF 2 to 4, behind its name */
static void take_file(struct line_table *table, struct dwarf_reader *reader,
		      const struct head *head, uint64_t name)
{
	const uint64_t directory = dwarf_take_leb(reader);

	dwarf_take_leb(reader);
	dwarf_take_leb(reader);
	add_file(table, reader, head, directory, name);
}

/* Directories and files of DWARF 2 to 4; directory 0 is that of the compilation */
static void take_names(struct line_table *table, struct dwarf_reader *reader, struct head *head)
{
	const uint8_t *start = reader->at;
	uint64_t name;

	for (head->directory_count = 1; take_string(reader) && !reader->bad;)
		head->directory_count++;
	reader->at = start;
	make_directories(reader, head, head->directory_count);
	for (uint64_t i = 1; !reader->bad && (name = take_string(reader)) && !reader->bad; i++) {
		head->directories[i] = name;
		spend(table, reader, name);
		table->rows++;
	}
	while (!reader->bad && (name = take_string(reader)) && !reader->bad)
		take_file(table, reader, head, name);
}

/* The head; returns where the program begins. */
static const uint8_t *take_head(struct line_table *table, struct dwarf_reader *reader,
				struct head *head)
{
	const uint8_t *program;
	uint64_t length;

	dwarf_take_length(reader, &head->wide);
	head->version = dwarf_take(reader, 2);
	if (head->version < 2 || head->version > 5)
		reader->bad = true;
	if (head->version == 5)
		dwarf_skip(reader, 2);
	length = dwarf_take(reader, head->wide ? 8 : 4);
	if (length > (uint64_t)(reader->end - reader->at))
		reader->bad = true;
	program = reader->bad ? reader->end : reader->at + length;
	dwarf_skip(reader, head->version >= 4 ? 5 : 4);
	head->opcode_base = (uint8_t)dwarf_take(reader, 1);
	for (unsigned int i = 1; i < head->opcode_base; i++)
		head->lengths[i] = (uint8_t)dwarf_take(reader, 1);
	if (reader->bad)
		return program;
	if (head->version == 5) {
		take_entries(table, reader, head, false);
		take_entries(table, reader, head, true);
	} else {
		take_names(table, reader, head);
	}
	return program;
}

static void take_extended(struct line_table *table, struct dwarf_reader *reader,
			  const struct head *head)
{
	const uint64_t length = dwarf_take_leb(reader);
	const uint8_t *start = reader->at;
	const uint64_t opcode = length ? dwarf_take(reader, 1) : 0;

	table->rows += opcode == DW_LNE_end_sequence;
	if (opcode == DW_LNE_define_file)
		take_file(table, reader, head, take_string(reader));
	if (length > (uint64_t)(reader->end - start))
		reader->bad = true;
	else
		reader->at = start + length;
}

/* Counts the rows of the program; one that is cut has those before. */
static void count_rows(struct line_table *table, struct dwarf_reader *reader,
		       const struct head *head)
{
	while (reader->at < reader->end && !reader->bad) {
		const uint8_t opcode = (uint8_t)dwarf_take(reader, 1);

		if (opcode >= head->opcode_base) {
			table->rows++;
		} else if (!opcode) {
			take_extended(table, reader, head);
		} else if (opcode == DW_LNS_fixed_advance_pc) {
			dwarf_skip(reader, 2);
		} else {
			table->rows += opcode == DW_LNS_copy;
			for (unsigned int i = 0; i < head->lengths[opcode]; i++)
				dwarf_take_leb(reader);
		}
	}
}

bool line_table_measure(struct line_table *table, uint64_t offset)
{
	struct dwarf_reader reader = {.swapped = table->swapped};
	struct head head = {.directories = NULL};
	const uint8_t *start, *program;
	bool good;

	table->rows = table->names = 0;
	if (offset >= table->lines.size)
		return false;
	reader.at = start = table->lines.at + offset;
	reader.end = table->lines.at + table->lines.size;
	program = take_head(table, &reader, &head);
	good = !reader.bad;
	if (good) {
		table->rows += (uint64_t)(reader.end - start) / BYTES_PER_ROW;
		reader.at = program;
		count_rows(table, &reader, &head);
	}
	free(head.directories);
	return good;
}
