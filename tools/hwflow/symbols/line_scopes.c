/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of a unit, and the calls that are inlined in them, by libdw. libdw follows at most 16
 * references from an entry to its abstract origin or its declaration, so that a cycle of them ends.
 */
#include <dwarf.h>

#include "line_answer.h"
#include "line_split.h"

/* dwarf.h of elfutils does not have it */
#define DW_AT_GNU_DISCRIMINATOR 0x2136u
#define DW_AT_GNU_DWO_NAME      0x2130u

/**
 * struct walk - entries of a unit
 * @writer: receives scopes
 * @files: files of the line table of the unit; NULL: there are none
 * @is_split: the entries are those of @split
 * @split: how addresses of a split unit are found
 */
struct walk {
	struct line_writer *writer;
	Dwarf_Files *files;
	bool is_split;
	struct line_split split;
};

/* The value of an attribute; 0 if there is none */
static uint32_t number_of(Dwarf_Attribute *attribute)
{
	Dwarf_Word number = 0;

	if (dwarf_formudata(attribute, &number) || number > UINT32_MAX)
		return 0;
	return (uint32_t)number;
}

static uint32_t own_number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;

	return number_of(dwarf_attr(die, name, &attribute));
}

/* The name of a function for the linker, or else in the source */
static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : dwarf_diename(die);
}

/* The file with the declaration; a split unit may have those of the line table in the program. */
static const char *file_of(const struct walk *walk, Dwarf_Die *die)
{
	const char *file = dwarf_decl_file(die);
	Dwarf_Attribute attribute;

	if (file || !walk->is_split || !walk->files ||
	    !dwarf_attr_integrate(die, DW_AT_decl_file, &attribute))
		return file;
	return dwarf_filesrc(walk->files, number_of(&attribute), NULL, NULL);
}

static void describe(const struct walk *walk, Dwarf_Die *die, struct line_scope *scope)
{
	Dwarf_Attribute attribute;
	Dwarf_Addr entry;

	if (dwarf_attr(die, DW_AT_entry_pc, &attribute) && !dwarf_formaddr(&attribute, &entry))
		scope->entry = entry + walk->writer->source->bias;
	scope->name = line_writer_name(walk->writer, name_of(die));
	scope->file = line_writer_file(walk->writer, file_of(walk, die));
	scope->line = number_of(dwarf_attr_integrate(die, DW_AT_decl_line, &attribute));
	scope->call_file = LINE_END;
	if (scope->parent == LINE_END)
		return;
	if (walk->files)
		scope->call_file = line_writer_file(
			walk->writer,
			dwarf_filesrc(walk->files, own_number(die, DW_AT_call_file), NULL, NULL));
	scope->call_line = own_number(die, DW_AT_call_line);
	scope->call_column = own_number(die, DW_AT_call_column);
	scope->call_discriminator = own_number(die, DW_AT_GNU_DISCRIMINATOR);
}

/* struct ranges - ranges of an entry: for libdw or, of a split unit, a list */
struct ranges {
	Dwarf_Die *die;
	ptrdiff_t next;
	struct line_list list;
};

static bool next_range(const struct walk *walk, struct ranges *ranges, Dwarf_Addr *start,
		       Dwarf_Addr *end)
{
	Dwarf_Addr base;
	bool found;

	if (walk->is_split) {
		found = line_list_next(&ranges->list, start, end);
		walk->writer->head.damaged |= ranges->list.is_damaged;
		return found;
	}
	ranges->next = dwarf_ranges(ranges->die, ranges->next, &base, start, end);
	if (ranges->next < 0)
		line_writer_fail(walk->writer);
	return ranges->next > 0;
}

/*
 * Appends the ranges of a scope; returns its number, LINE_END if it has no code. The calls that are
 * inlined in a call without code of its own may have some.
 */
static uint32_t put_scope(const struct walk *walk, Dwarf_Die *die, uint32_t parent)
{
	struct line_writer *writer = walk->writer;
	const uint32_t first = (uint32_t)writer->head.count;
	struct line_scope scope = {.first = first, .parent = parent};
	struct ranges ranges = {.die = die};
	Dwarf_Addr start, end;

	if (writer->head.count >= LINE_END / 2) {
		writer->head.damaged = 1;
		return LINE_END;
	}
	if (walk->is_split)
		line_list_begin(&ranges.list, &walk->split, die);
	while (next_range(walk, &ranges, &start, &end)) {
		if (!line_writer_is_code(writer, start, end))
			continue;
		scope.start = start + writer->source->bias;
		scope.end = end + writer->source->bias;
		if (writer->head.count == first) {
			scope.entry = scope.start;
			describe(walk, die, &scope);
		}
		line_writer_put(writer, &scope, sizeof(scope));
	}
	if (writer->head.count > first || parent == LINE_END)
		return writer->head.count > first ? first : LINE_END;
	describe(walk, die, &scope);
	line_writer_put(writer, &scope, sizeof(scope));
	return first;
}

/* Appends the scopes inside an entry; @parent is the number of the scope that the entry is in. */
/* NOLINTNEXTLINE(misc-no-recursion): LINE_DEPTH bounds it */
static void put_inner(const struct walk *walk, Dwarf_Die *entry, uint32_t parent,
		      unsigned int depth)
{
	int result;
	Dwarf_Die die;

	if (depth > LINE_DEPTH) {
		walk->writer->head.damaged = 1;
		return;
	}
	for (result = dwarf_child(entry, &die); !result; result = dwarf_siblingof(&die, &die)) {
		uint32_t scope = parent;

		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			scope = put_scope(walk, &die, LINE_END);
			break;
		case DW_TAG_inlined_subroutine:
			if (parent != LINE_END)
				scope = put_scope(walk, &die, parent);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_with_stmt:
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
			break;
		default:
			continue;
		}
		put_inner(walk, &die, scope, depth + 1);
	}
	if (result < 0)
		line_writer_fail(walk->writer);
}

static const char *string_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(die, name, &attribute));
}

/* Names the file with the entries of a split unit; false if the unit is not split. */
static bool put_split_name(struct line_writer *writer, Dwarf_Die *unit)
{
	const char *name = string_of(unit, DW_AT_dwo_name);
	const char *directory = string_of(unit, DW_AT_comp_dir);

	if (!name)
		name = string_of(unit, DW_AT_GNU_DWO_NAME);
	if (!name)
		return false;
	line_writer_name(writer, name);
	line_writer_name(writer, directory);
	writer->head.is_split = 1;
	return true;
}

void line_scopes_put(struct line_writer *writer, uint64_t unit)
{
	struct walk walk = {.writer = writer, .is_split = writer->source->split};
	Dwarf_Die die, entries;
	size_t count;

	if (!dwarf_offdie(writer->source->dwarf, unit, &die)) {
		line_writer_fail(writer);
		return;
	}
	if (!walk.is_split && put_split_name(writer, &die))
		return;
	line_writer_unit(writer, &die);
	if (dwarf_getsrcfiles(&die, &walk.files, &count))
		walk.files = NULL;
	if (!walk.is_split)
		put_inner(&walk, &die, LINE_END, 0);
	else if (line_split_open(&walk.split, writer->source->split, &die, &entries))
		put_inner(&walk, &entries, LINE_END, 0);
	else
		writer->head.damaged = 1;
}
