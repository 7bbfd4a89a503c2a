/* SPDX-License-Identifier: GPL-2.0-only */
/* An answer of the process that reads units and line tables, as it is made. */
#include "line_answer.h"

#include <dwarf.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/limited_process.h"

/* struct line_name - node of line_writer.known */
struct line_name {
	const char *name;
	uint32_t offset;
};

static void put(struct line_bytes *bytes, const void *from, size_t size)
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

void line_writer_begin(struct line_writer *writer)
{
	tdestroy(writer->known, free);
	writer->known = NULL;
	writer->last = NULL;
	writer->directory = NULL;
	writer->head = (struct line_answer){.count = 0};
	writer->names.size = 0;
	writer->entries.size = 0;
	put(&writer->entries, &writer->head, sizeof(writer->head));
}

void line_writer_put(struct line_writer *writer, const void *entry, size_t size)
{
	put(&writer->entries, entry, size);
	writer->head.count++;
}

static int compare_names(const void *a, const void *b)
{
	const uintptr_t x = (uintptr_t)((const struct line_name *)a)->name;
	const uintptr_t y = (uintptr_t)((const struct line_name *)b)->name;

	return (x > y) - (x < y);
}

void line_writer_unit(struct line_writer *writer, Dwarf_Die *unit)
{
	Dwarf_Attribute directory;

	writer->directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &directory));
}

static uint32_t name_offset(struct line_writer *writer, const char *directory, const char *name)
{
	const struct line_name key = {.name = name};
	struct line_name *added, **found;

	if (writer->last && writer->last->name == name)
		return writer->last->offset;
	found = tfind(&key, &writer->known, compare_names);
	if (found) {
		writer->last = *found;
		return writer->last->offset;
	}
	if (!name || writer->names.size > LINE_END / 2)
		return LINE_END;
	added = malloc(sizeof(*added));
	if (!added)
		limited_no_memory();
	*added = (struct line_name){name, (uint32_t)writer->names.size};
	if (!tsearch(added, &writer->known, compare_names))
		limited_no_memory();
	if (directory && *directory && *name != '/') {
		put(&writer->names, directory, strlen(directory));
		put(&writer->names, "/", 1);
	}
	put(&writer->names, name, strlen(name) + 1);
	writer->last = added;
	return added->offset;
}

uint32_t line_writer_name(struct line_writer *writer, const char *name)
{
	return name_offset(writer, NULL, name);
}

uint32_t line_writer_file(struct line_writer *writer, const char *name)
{
	return name_offset(writer, writer->directory, name);
}

void line_writer_fail(struct line_writer *writer)
{
	const char *why = dwarf_errmsg(-1);

	if (why && !strcmp(why, "out of memory"))
		limited_no_memory();
	writer->head.damaged = 1;
}

bool line_writer_is_code(const struct line_writer *writer, Dwarf_Addr start, Dwarf_Addr end)
{
	return start < end && (start > 1 || writer->starts_at_0);
}

bool line_writer_end(struct line_writer *writer, int socket)
{
	writer->head.names = writer->names.size;
	if (writer->names.size)
		put(&writer->entries, writer->names.at, writer->names.size);
	memcpy(writer->entries.at, &writer->head, sizeof(writer->head));
	return limited_send(socket, writer->entries.at, writer->entries.size);
}
