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

#include "base/limited_process.h"
#include "line_answer.h"

/* The rows of a unit, sorted by libdw; returns how many. */
static size_t read_rows(struct line_writer *writer, Dwarf_Die *unit, Dwarf_Lines **lines)
{
	size_t count = 0;

	if (!dwarf_hasattr(unit, DW_AT_stmt_list))
		return 0;
	if (dwarf_getsrclines(unit, lines, &count)) {
		line_writer_fail(writer);
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

static void put_range(struct line_writer *writer, uint64_t unit, Dwarf_Addr start, Dwarf_Addr end)
{
	const uint64_t bias = writer->source->bias;
	const struct line_range range = {start + bias, end + bias, unit};

	if (line_writer_is_code(writer, start, end))
		line_writer_put(writer, &range, sizeof(range));
}

/* The ranges of a unit that has none of its own: its sequences */
static void put_sequences(struct line_writer *writer, Dwarf_Die *unit)
{
	Dwarf_Lines *lines = NULL;
	const size_t count = read_rows(writer, unit, &lines);
	Dwarf_Addr start = 0, address;
	bool is_open = false;

	for (size_t i = 0; i < count; i++) {
		address = address_at(lines, i);
		if (!is_open)
			start = address;
		is_open = !is_end(lines, i);
		if (!is_open)
			put_range(writer, dwarf_dieoffset(unit), start, address);
	}
}

static void put_unit(struct line_writer *writer, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	if (!dwarf_hasattr(unit, DW_AT_ranges) && !dwarf_hasattr(unit, DW_AT_high_pc)) {
		put_sequences(writer, unit);
		return;
	}
	while ((next = dwarf_ranges(unit, next, &base, &start, &end)) > 0)
		put_range(writer, dwarf_dieoffset(unit), start, end);
	if (next < 0)
		line_writer_fail(writer);
}

/* Units of types, and those that other units import, have no code. */
static bool has_code(uint8_t type, Dwarf_Die *unit)
{
	const int tag = dwarf_tag(unit);

	return (type == DW_UT_compile || type == DW_UT_skeleton) &&
	       (tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit);
}

static void put_ranges(struct line_writer *writer)
{
	Dwarf_Half version;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;
	int result;

	while (!(result = dwarf_get_units(writer->source->dwarf, cu, &cu, &version, &type, &unit,
					  NULL)))
		if (has_code(type, &unit))
			put_unit(writer, &unit);
	if (result < 0)
		line_writer_fail(writer);
}

/* The name of the file of a row; LINE_END if it has none */
static uint32_t take_name(struct line_writer *writer, Dwarf_Line *line)
{
	Dwarf_Files *files;
	size_t index;

	if (dwarf_line_file(line, &files, &index))
		return LINE_END;
	return line_writer_file(writer, dwarf_filesrc(files, index, NULL, NULL));
}

/*
 * Adds a row. The last one at an address counts, unless @all do, and one that is like the row
 * before it does not.
 */
static void put_row(struct line_writer *writer, const struct line_row *row, bool all)
{
	struct line_row *last = (void *)(writer->entries.at + writer->entries.size - sizeof(*row));

	if (writer->head.count && last->address == row->address && !all) {
		*last = *row;
		return;
	}
	if (writer->head.count && last->line == row->line && last->name == row->name &&
	    last->discriminator == row->discriminator)
		return;
	line_writer_put(writer, row, sizeof(*row));
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

static void put_rows(struct line_writer *writer, const struct line_request *request)
{
	const uint64_t bias = writer->source->bias;
	const struct line_range range = {request->range.start - bias, request->range.end - bias, 0};
	Dwarf_Lines *lines = NULL;
	Dwarf_Addr start;
	Dwarf_Die unit;
	size_t count;

	if (!dwarf_offdie(writer->source->dwarf, request->range.unit, &unit)) {
		line_writer_fail(writer);
		return;
	}
	line_writer_unit(writer, &unit);
	count = read_rows(writer, &unit, &lines);
	/* rows of no code at the first address are after the row that ends there */
	start = request->start - bias - (request->all && request->start != bias);
	for (size_t i = first_row(lines, count, &range, start); i < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		struct line_row row = {.address = address_at(lines, i) + bias, .name = LINE_END};
		int number;

		if (row.address >= request->end)
			break;
		if (!is_end(lines, i) && !dwarf_lineno(line, &number)) {
			row.line = (uint32_t)number;
			row.name = take_name(writer, line);
			dwarf_linediscriminator(line, &row.discriminator);
		}
		put_row(writer, &row, request->all);
	}
}

void line_process_run(int socket, const void *ctx)
{
	struct line_writer writer = {.source = ctx};
	struct line_request *request;
	bool good = true;
	size_t size;

	writer.starts_at_0 = starts_at_0(dwarf_getelf(writer.source->dwarf));
	dwarf_new_oom_handler(writer.source->dwarf, limited_no_memory);
	if (writer.source->split)
		dwarf_new_oom_handler(writer.source->split, limited_no_memory);
	while (good && (request = limited_take(socket, sizeof(*request), &size))) {
		line_writer_begin(&writer);
		if (request->kind == LINE_UNITS)
			put_ranges(&writer);
		else if (request->kind == LINE_ROWS)
			put_rows(&writer, request);
		else
			line_scopes_put(&writer, request->range.unit);
		good = line_writer_end(&writer, socket);
		free(request);
	}
}
