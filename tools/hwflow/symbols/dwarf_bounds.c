/* SPDX-License-Identifier: GPL-2.0-only */
/* What the DWARF of a file may ask elfutils for. */
#include "dwarf_bounds.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "cli/limits.h"
#include "cli/message.h"
#include "debug_files.h"
#include "elf_bounds.h"
#include "line_table.h"

/* Shares of a file, see limits.def */
#define SHARE_LINES 8u
#define SHARE_UNITS 64u
#define SHARE_NAMES 4u

/* struct unit - node of dwarf_bounds.units, by offset */
struct unit {
	Dwarf_Off offset;
	bool good;
};

/**
 * struct dwarf_bounds - the units of a file that were checked
 * @module: the file
 * @path: its path, for messages
 * @size: bytes of it, then those of its DWARF as well
 * @opened: the members below are set
 * @good: the DWARF may be read
 * @information: .debug_info
 * @abbreviations: .debug_abbrev
 * @table: sections that line tables are in
 * @lines: share of LIMIT_lines that is left
 * @names: share of LIMIT_names that is left
 * @units: tree of struct unit
 * @last: the unit that was asked for last
 */
struct dwarf_bounds {
	Dwfl_Module *module;
	const char *path;
	uint64_t size;
	bool opened;
	bool good;
	struct dwarf_bytes information;
	struct dwarf_bytes abbreviations;
	struct line_table table;
	uint64_t lines;
	uint64_t names;
	void *units;
	struct unit *last;
};

static int compare_units(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Contents of a section that elfutils has read, and decompressed */
static struct dwarf_bytes contents_of(Elf_Scn *section)
{
	Elf_Data *data = elf_rawdata(section, NULL);

	return data && data->d_buf ? (struct dwarf_bytes){data->d_buf, data->d_size}
				   : (struct dwarf_bytes){NULL, 0};
}

/* The contents of a section of DWARF, which is named .debug_NAME or .zdebug_NAME; or NULL */
static struct dwarf_bytes *section_of(struct dwarf_bounds *bounds, const char *name,
				      struct dwarf_bytes *types)
{
	name += !strncmp(name, ".z", 2) ? 2 : 1;
	if (!strcmp(name, "debug_info"))
		return &bounds->information;
	if (!strcmp(name, "debug_types"))
		return types;
	if (!strcmp(name, "debug_abbrev"))
		return &bounds->abbreviations;
	if (!strcmp(name, "debug_line"))
		return &bounds->table.lines;
	if (!strcmp(name, "debug_line_str"))
		return &bounds->table.line_strings;
	return !strcmp(name, "debug_str") ? &bounds->table.strings : NULL;
}

static void find_sections(struct dwarf_bounds *bounds, Elf *elf, struct dwarf_bytes *types)
{
	const Elf_Data *names = elf_section_names(elf);
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		struct dwarf_bytes *found;
		const char *name;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_section_name(names, &header);
		found = *name ? section_of(bounds, name, types) : NULL;
		/* elfutils uses the first one of a name */
		if (!found || found->at)
			continue;
		*found = contents_of(section);
		bounds->size += found->size;
	}
}

static uint64_t count_units(const struct dwarf_bounds *bounds, const struct dwarf_bytes *section)
{
	struct dwarf_reader reader = {.at = section->at, .swapped = bounds->table.swapped};
	uint64_t count = 0;
	bool wide;

	if (!section->at)
		return 0;
	reader.end = section->at + section->size;
	while (reader.at < reader.end && !reader.bad) {
		dwarf_take_length(&reader, &wide);
		reader.at = reader.end;
		reader.end = section->at + section->size;
		count++;
	}
	return count;
}

/* Reads the headers of all units once. */
static bool open_dwarf(struct dwarf_bounds *bounds)
{
	struct dwarf_bytes types = {NULL, 0};
	GElf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(bounds->module, &bias);
	Elf *elf = dwarf ? dwarf_getelf(dwarf) : NULL;
	const char *ident = elf ? elf_getident(elf, NULL) : NULL;
	uint64_t share;

	debug_module_report(bounds->module, dwarf);
	if (!ident)
		return false;
	bounds->table.swapped = ident[EI_DATA] != ELFDATA2LSB;
	find_sections(bounds, elf, &types);
	bounds->lines = bounds->size / SHARE_LINES;
	bounds->names = bounds->size * SHARE_NAMES;
	share = bounds->size / SHARE_UNITS;
	if (limit_spend(LIMIT_units, &share,
			count_units(bounds, &bounds->information) + count_units(bounds, &types)))
		return true;
	message_once("hwflow: %s: it has too many units of DWARF, so it gives no source lines; %s",
		     bounds->path, limit_text(LIMIT_units));
	return false;
}

/* Bytes of abbreviations that elfutils reads up to the one of a unit; each takes memory. */
static uint64_t abbreviation_size(const struct dwarf_bounds *bounds, uint64_t offset,
				  const Dwarf_Die *die)
{
	const struct dwarf_bytes *section = &bounds->abbreviations;
	const struct dwarf_bytes *information = &bounds->information;
	struct dwarf_reader reader, code;
	uint64_t wanted, found, name, form;

	if (!section->at || offset > section->size || !information->at)
		return 0;
	reader = (struct dwarf_reader){.at = section->at + offset,
				       .end = section->at + section->size};
	code = (struct dwarf_reader){.at = die->addr, .end = information->at + information->size};
	if (code.at < information->at || code.at >= code.end)
		return 0;
	wanted = dwarf_take_leb(&code);
	do {
		found = dwarf_take_leb(&reader);
		if (!found)
			break;
		dwarf_take_leb(&reader);
		dwarf_skip(&reader, 1);
		do {
			name = dwarf_take_leb(&reader);
			form = dwarf_take_leb(&reader);
			if (form == DW_FORM_implicit_const)
				dwarf_take_leb(&reader);
		} while ((name || form) && !reader.bad);
	} while (found != wanted && !reader.bad);
	return (uint64_t)(reader.at - section->at) - offset;
}

/* Bytes of the directory of the compilation */
static uint64_t directory_size(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *directory = dwarf_formstring(dwarf_attr(die, DW_AT_comp_dir, &attribute));

	return directory ? strnlen(directory, 1u << 16) : 0;
}

/* Spends of the limits what the line table of a unit takes. */
static bool spend(struct dwarf_bounds *bounds, uint64_t rows, uint64_t names)
{
	enum limit limit = LIMIT_lines;

	if (limit_spend(limit, &bounds->lines, rows)) {
		limit = LIMIT_names;
		if (limit_spend(limit, &bounds->names, names))
			return true;
	}
	message_once("hwflow: %s: its line tables are too large, so part of it has no source "
		     "lines; %s",
		     bounds->path, limit_text(limit));
	return false;
}

static bool check_unit(struct dwarf_bounds *bounds, Dwarf_Die *die)
{
	struct line_table *table = &bounds->table;
	Dwarf_Attribute attribute;
	Dwarf_Off abbreviations;
	Dwarf_Die unit;
	Dwarf_Word offset;

	if (!dwarf_cu_die(die->cu, &unit, NULL, &abbreviations, NULL, NULL, NULL, NULL) ||
	    !spend(bounds, abbreviation_size(bounds, abbreviations, die), 0))
		return false;
	if (dwarf_formudata(dwarf_attr(die, DW_AT_stmt_list, &attribute), &offset))
		return false;
	table->directory_size = directory_size(die);
	table->most = bounds->names + limit_of(LIMIT_names);
	if (!line_table_measure(table, offset) &&
	    table->names <= bounds->names + limit_of(LIMIT_names)) {
		/* elfutils does not read it either */
		message_once("hwflow: %s: a line table is damaged, or of a version that is not "
			     "known, so part of the file has no source lines",
			     bounds->path);
		return false;
	}
	return spend(bounds, table->rows, table->names);
}

struct dwarf_bounds *dwarf_bounds_new(Dwfl_Module *module, const char *path, uint64_t size)
{
	struct dwarf_bounds *bounds = calloc(1, sizeof(*bounds));

	if (!bounds)
		return NULL;
	bounds->module = module;
	bounds->path = path;
	bounds->size = size;
	return bounds;
}

bool dwarf_bounds_good(struct dwarf_bounds *bounds, uint64_t address)
{
	struct unit *unit, **found, key;
	Dwarf_Addr bias;
	Dwarf_Die *die;

	if (!bounds->opened)
		bounds->good = open_dwarf(bounds);
	bounds->opened = true;
	die = bounds->good ? dwfl_module_addrdie(bounds->module, address, &bias) : NULL;
	if (!die)
		return false;
	key.offset = dwarf_dieoffset(die);
	if (bounds->last && bounds->last->offset == key.offset)
		return bounds->last->good;
	found = tfind(&key, &bounds->units, compare_units);
	if (!found) {
		unit = malloc(sizeof(*unit));
		if (!unit)
			return false;
		*unit = (struct unit){key.offset, check_unit(bounds, die)};
		found = tsearch(unit, &bounds->units, compare_units);
		if (!found) {
			free(unit);
			return false;
		}
	}
	bounds->last = *found;
	return bounds->last->good;
}

void dwarf_bounds_free(struct dwarf_bounds *bounds)
{
	if (!bounds)
		return;
	tdestroy(bounds->units, free);
	free(bounds);
}
