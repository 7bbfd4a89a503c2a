// SPDX-License-Identifier: GPL-2.0-only
/* The files of a program: their headers, and the addresses that they were loaded at. */
#include "gdb_files.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>

#include "hwflow/image.h"
#include "symbols/elf_bounds.h"

/* Flags of the dynamic section: DF_1_PIE marks a program that can be loaded anywhere. */
static uint64_t dynamic_flags(Elf *elf, const GElf_Phdr *header)
{
	Elf_Data *data =
		elf_getdata_rawchunk(elf, (int64_t)header->p_offset, header->p_filesz, ELF_T_DYN);
	const size_t size = gelf_fsize(elf, ELF_T_DYN, 1, EV_CURRENT);
	GElf_Dyn entry;

	for (size_t i = 0; data && size && i < data->d_size / size; i++) {
		if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_FLAGS_1)
			return entry.d_un.d_val;
	}
	return 0;
}

static void read_headers(struct gdb_file *item, const uint8_t *bytes, size_t size)
{
	size_t count = 0;
	GElf_Phdr header;
	Elf *elf;

	if (!elf_bounds_good(item->path, bytes, size))
		return;
	/* libelf does not write to what it only reads */
	elf = elf_memory((char *)(uintptr_t)bytes, size);
	if (!elf || elf_getphdrnum(elf, &count))
		count = 0;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_DYNAMIC ||
		    header.p_offset > size || header.p_filesz > size - header.p_offset)
			continue;
		item->dynamic = header.p_vaddr;
		item->is_program |= dynamic_flags(elf, &header) & DF_1_PIE;
		break;
	}
	elf_end(elf);
}

/* How far a file is from the addresses of its program header; false if the code is in no segment */
static bool find_bias(const struct hwf_image_elf *elf, const struct gdb_mapping *mapping,
		      uint64_t *bias)
{
	const uint64_t offset = mapping->offset + (mapping->executed - mapping->start);

	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct hwf_image_segment *segment = &elf->segments[i];

		if (!segment->executable || offset < segment->offset ||
		    offset - segment->offset >= segment->size)
			continue;
		*bias = mapping->executed - (segment->address + (offset - segment->offset));
		return true;
	}
	return false;
}

static bool has_file(const struct gdb_files *files, const struct hwf_image_file *file)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->items[i].file == file)
			return true;
	return false;
}

static int add_mapping(struct gdb_files *files, const struct gdb_mapping *mapping)
{
	const struct hwf_image_elf *elf = hwf_image_file_elf(mapping->file);
	struct gdb_file item = {.file = mapping->file};
	struct gdb_file *items = files->items;
	size_t room = files->room, size;
	const uint8_t *bytes = hwf_image_file_bytes(mapping->file, &size);

	if (has_file(files, mapping->file) || !elf || !bytes ||
	    !find_bias(elf, mapping, &item.bias))
		return 0;
	item.path = realpath(hwf_image_file_path(mapping->file), NULL);
	if (!item.path)
		return errno == ENOMEM ? -ENOMEM : 0;
	if (files->count == room) {
		room = room ? 2 * room : 8;
		items = reallocarray(items, room, sizeof(*items));
		if (!items) {
			free(item.path);
			return -ENOMEM;
		}
		files->items = items;
		files->room = room;
	}
	item.entry = elf->entry;
	item.is_program = elf->type == ET_EXEC;
	read_headers(&item, bytes, size);
	items[files->count++] = item;
	return 0;
}

int gdb_files_add(struct gdb_files *files, const struct gdb_thread *thread)
{
	int error = 0;

	for (size_t i = 0; i < thread->mapping_count && !error; i++)
		error = add_mapping(files, &thread->mappings[i]);
	return error;
}

void gdb_files_free(struct gdb_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->items[i].path);
	free(files->items);
}
