/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Units and line tables of a file, by libdw. The ranges are those that the units themselves have:
 * .debug_aranges may be missing, or have some of the units. A unit without ranges has those of its
 * line table.
 */
#include "line_process.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/limited_process.h"

/* struct bytes - a part of an answer */
struct bytes {
	char *at;
	size_t size;
	size_t room;
};

/**
 * struct reader - how requests are answered
 * @source: what is read
 * @starts_at_0: the file has code at address 0
 * @head: head of the answer that is made
 * @entries: the answer: its head, ranges or rows, and at last names
 * @names: names of the answer
 * @files: files of the unit
 * @offsets: by number of a file, the offset of its name in @names with 1 added; 0: it has none yet
 * @file_count: elements of @files and @offsets
 */
struct reader {
	const struct line_source *source;
	bool starts_at_0;
	struct line_answer head;
	struct bytes entries;
	struct bytes names;
	Dwarf_Files *files;
	uint32_t *offsets;
	size_t file_count;
};

static void put(struct bytes *bytes, const void *from, size_t size)
{
	if (size > bytes->room - bytes->size) {
		bytes->room = 2 * (bytes->size + size);
		bytes->at = realloc(bytes->at, bytes->room);
		if (!bytes->at)
			limited_no_memory();
	}
	memcpy(bytes->at + bytes->size, from, size);
	bytes->size += size;
}

/* Something of the file cannot be read: it is damaged, unless libdw has no memory. */
static void fail(struct reader *reader)
{
	const char *why = dwarf_errmsg(-1);

	if (why && !strcmp(why, "out of memory"))
		limited_no_memory();
	reader->head.damaged = 1;
}

/* The rows of a unit, sorted by libdw; returns how many. */
static size_t read_rows(struct reader *reader, Dwarf_Die *unit, Dwarf_Lines **lines)
{
	size_t count = 0;

	if (!dwarf_hasattr(unit, DW_AT_stmt_list))
		return 0;
	if (dwarf_getsrclines(unit, lines, &count)) {
		fail(reader);
		return 0;
	}
	return count;
}

static Dwarf_Addr address_at(Dwarf_Lines *lines, size_t index)
{
	Dwarf_Addr address = 0;

	dwarf_lineaddr(dwarf_onesrcline(lines, index), &address);
	return address;
}

static bool is_end(Dwarf_Lines *lines, size_t index)
{
	bool end = true;

	dwarf_lineendsequence(dwarf_onesrcline(lines, index), &end);
	return end;
}

/* Has the file code at address 0? */
static bool starts_at_0(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR &&
		    !header.sh_addr && header.sh_size)
			return true;
	return false;
}

/*
 * A linker sets the addresses of a function that it leaves out to 0, or in a range to 1, where 0
 * has another meaning. From -1 and -2, which other linkers use, a range does not go on.
 */
static void put_range(struct reader *reader, uint64_t unit, Dwarf_Addr start, Dwarf_Addr end)
{
	const uint64_t bias = reader->source->bias;
	const struct line_range range = {start + bias, end + bias, unit};

	if (start >= end || (start <= 1 && !reader->starts_at_0))
		return;
	put(&reader->entries, &range, sizeof(range));
	reader->head.count++;
}

/* The ranges of a unit that has none of its own: its sequences */
static void put_sequences(struct reader *reader, Dwarf_Die *unit)
{
	Dwarf_Lines *lines = NULL;
	const size_t count = read_rows(reader, unit, &lines);
	Dwarf_Addr start = 0, address;
	bool is_open = false;

	for (size_t i = 0; i < count; i++) {
		address = address_at(lines, i);
		if (!is_open)
			start = address;
		is_open = !is_end(lines, i);
		if (!is_open)
			put_range(reader, dwarf_dieoffset(unit), start, address);
	}
}

static void put_unit(struct reader *reader, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	if (!dwarf_hasattr(unit, DW_AT_ranges) && !dwarf_hasattr(unit, DW_AT_high_pc)) {
		put_sequences(reader, unit);
		return;
	}
	while ((next = dwarf_ranges(unit, next, &base, &start, &end)) > 0)
		put_range(reader, dwarf_dieoffset(unit), start, end);
	if (next < 0)
		fail(reader);
}

/* Units of types, and those that other units import, have no code. */
static bool has_code(uint8_t type, Dwarf_Die *unit)
{
	const int tag = dwarf_tag(unit);

	return (type == DW_UT_compile || type == DW_UT_skeleton) &&
	       (tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit);
}

static void put_ranges(struct reader *reader)
{
	Dwarf_Half version;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;
	int result;

	while (!(result = dwarf_get_units(reader->source->dwarf, cu, &cu, &version, &type, &unit,
					  NULL)))
		if (has_code(type, &unit))
			put_unit(reader, &unit);
	if (result < 0)
		fail(reader);
}

static void begin_names(struct reader *reader, Dwarf_Die *unit)
{
	reader->names.size = 0;
	free(reader->offsets);
	if (dwarf_getsrcfiles(unit, &reader->files, &reader->file_count))
		reader->file_count = 0;
	reader->offsets = calloc(reader->file_count + 1, sizeof(*reader->offsets));
	if (!reader->offsets)
		limited_no_memory();
}

/* The name of the file of a row; LINE_END if it has none */
static uint32_t take_name(struct reader *reader, Dwarf_Line *line)
{
	struct bytes *names = &reader->names;
	Dwarf_Files *files;
	const char *name;
	size_t index;

	if (dwarf_line_file(line, &files, &index) || index >= reader->file_count)
		return LINE_END;
	if (!reader->offsets[index]) {
		name = dwarf_filesrc(files, index, NULL, NULL);
		if (!name || names->size > LINE_END / 2)
			return LINE_END;
		reader->offsets[index] = (uint32_t)names->size + 1;
		put(names, name, strlen(name) + 1);
	}
	return reader->offsets[index] - 1;
}

/* Adds a row. The last one at an address counts, and one that is like the row before does not. */
static void put_row(struct reader *reader, const struct line_row *row)
{
	struct line_row *last = (void *)(reader->entries.at + reader->entries.size - sizeof(*row));

	if (reader->head.count && last->address == row->address) {
		*last = *row;
		return;
	}
	if (reader->head.count && last->line == row->line && last->name == row->name)
		return;
	put(&reader->entries, row, sizeof(*row));
	reader->head.count++;
}

/* The number of rows that are at an address or before it */
static size_t count_rows(Dwarf_Lines *lines, size_t count, Dwarf_Addr address)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (address_at(lines, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The number of the first row of an address. A sequence of a function that the linker has left out
 * begins at 0, and may go on to where the code of the file is: libdw sorts its rows into those of
 * the code. These rows are left out up to the end of that sequence, which is not the end of a
 * range.
 */
static size_t first_row(Dwarf_Lines *lines, size_t count, const struct line_range *range,
			Dwarf_Addr address)
{
	/* bit 0: see line_address() */
	const size_t before = count_rows(lines, count, (range->start & ~UINT64_C(1)) - 1);
	const size_t last = count_rows(lines, count, range->end - 1);
	size_t row = count_rows(lines, count, address), end = last;

	if (range->start > 1 && before && !is_end(lines, before - 1)) {
		while (end > before && !is_end(lines, end - 1))
			end--;
		if (end == before)
			return last;
		row = row > end ? row : end;
	}
	return row ? row - 1 : 0;
}

static void put_rows(struct reader *reader, const struct line_request *request)
{
	const uint64_t bias = reader->source->bias;
	const struct line_range range = {request->range.start - bias, request->range.end - bias, 0};
	Dwarf_Lines *lines = NULL;
	Dwarf_Die unit;
	size_t count;

	if (!dwarf_offdie(reader->source->dwarf, request->range.unit, &unit)) {
		fail(reader);
		return;
	}
	count = read_rows(reader, &unit, &lines);
	begin_names(reader, &unit);
	for (size_t i = first_row(lines, count, &range, request->start - bias); i < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		struct line_row row = {.address = address_at(lines, i) + bias, .name = LINE_END};
		int number;

		if (row.address >= request->end)
			break;
		if (!is_end(lines, i) && !dwarf_lineno(line, &number)) {
			row.line = (uint32_t)number;
			row.name = take_name(reader, line);
		}
		put_row(reader, &row);
	}
	reader->head.names = reader->names.size;
	if (reader->names.size)
		put(&reader->entries, reader->names.at, reader->names.size);
}

void line_process_run(int socket, const void *ctx)
{
	struct reader reader = {.source = ctx};
	struct line_request *request;
	bool good = true;
	size_t size;

	reader.starts_at_0 = starts_at_0(dwarf_getelf(reader.source->dwarf));
	dwarf_new_oom_handler(reader.source->dwarf, limited_no_memory);
	while (good && (request = limited_take(socket, sizeof(*request), &size))) {
		reader.head = (struct line_answer){.count = 0};
		reader.entries.size = 0;
		put(&reader.entries, &reader.head, sizeof(reader.head));
		if (!request->range.end)
			put_ranges(&reader);
		else
			put_rows(&reader, request);
		memcpy(reader.entries.at, &reader.head, sizeof(reader.head));
		good = limited_send(socket, reader.entries.at, reader.entries.size);
		free(request);
	}
}
