/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* ELF files: segments and build id, through libelf. */
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "image_private.h"

static bool in_file(const struct hwf_image_file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

/* Looks for the build id among notes. */
static void read_notes(struct hwf_image_file *file, Elf_Data *notes)
{
	size_t at = 0, name_at, desc_at;
	GElf_Nhdr note;

	while (notes && !file->elf.build_id_size &&
	       (at = gelf_getnote(notes, at, &note, &name_at, &desc_at)) > 0) {
		const char *bytes = notes->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp(bytes + name_at, "GNU", 4) || note.n_descsz > HWF_BUILD_ID_MAX)
			continue;
		memcpy(file->elf.build_id, bytes + desc_at, note.n_descsz);
		file->elf.build_id_size = (uint8_t)note.n_descsz;
	}
}

/* Segments of notes do not overlap: all of them have no more than @note_room bytes. */
static void read_segment(struct hwf_image_file *file, Elf *elf, const GElf_Phdr *header,
			 uint64_t *note_room)
{
	struct hwf_image_segment *segment = &file->segments[file->elf.segment_count];

	if (header->p_type == PT_NOTE && in_file(file, header->p_offset, header->p_filesz) &&
	    header->p_filesz <= *note_room) {
		*note_room -= header->p_filesz;
		read_notes(file,
			   elf_getdata_rawchunk(elf, (int64_t)header->p_offset, header->p_filesz,
						header->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
	}
	if (header->p_type != PT_LOAD || !header->p_filesz || header->p_offset >= file->size)
		return;
	segment->address = header->p_vaddr;
	segment->offset = header->p_offset;
	segment->size = header->p_filesz;
	if (segment->size > file->size - segment->offset)
		segment->size = file->size - segment->offset;
	segment->executable = header->p_flags & PF_X;
	file->elf.segment_count++;
}

static int read_segments(struct hwf_image_file *file, Elf *elf)
{
	uint64_t note_room = file->size;
	size_t count = 0;

	if (elf_getphdrnum(elf, &count) || !count)
		return 0;
	file->segments = calloc(count, sizeof(*file->segments));
	if (!file->segments)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(elf, (int)i, &header))
			read_segment(file, elf, &header, &note_room);
	}
	file->elf.segments = file->segments;
	return 0;
}

/* Adds a section of an object file, at an address; its notes are read. */
static void read_section(struct hwf_image_file *file, Elf *elf, const GElf_Shdr *header,
			 uint64_t address, uint64_t *note_room)
{
	if (header->sh_type == SHT_NOBITS || !in_file(file, header->sh_offset, header->sh_size))
		return;
	if (header->sh_type == SHT_NOTE && header->sh_size <= *note_room) {
		*note_room -= header->sh_size;
		read_notes(file, elf_getdata_rawchunk(
					 elf, (int64_t)header->sh_offset, header->sh_size,
					 header->sh_addralign == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
	}
	if (!header->sh_size)
		return;
	file->segments[file->elf.segment_count++] = (struct hwf_image_segment){
		.address = address,
		.offset = header->sh_offset,
		.size = header->sh_size,
		.executable = header->sh_flags & SHF_EXECINSTR,
	};
}

/*
 * Sections of an object file that are part of the program, where elfutils places them: one after
 * the other from 0 on. Linkers leave an address in sections of Linux modules that were put together
 * of several; elfutils keeps it where the section would need no padding.
 */
static int read_sections(struct hwf_image_file *file, Elf *elf)
{
	uint64_t note_room = file->size, end = 0;
	Elf_Scn *section = NULL;
	size_t count = 0;
	GElf_Shdr header;

	if (elf_getshdrnum(elf, &count) || !count)
		return 0;
	file->segments = calloc(count, sizeof(*file->segments));
	if (!file->segments)
		return -ENOMEM;
	while ((section = elf_nextscn(elf, section))) {
		uint64_t align, address;

		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC))
			continue;
		align = header.sh_addralign ? header.sh_addralign : 1;
		address = (end + align - 1) & -align;
		if (header.sh_addr && end == address)
			address = header.sh_addr;
		read_section(file, elf, &header, address, &note_room);
		if (end < address + header.sh_size)
			end = address + header.sh_size;
	}
	file->elf.segments = file->segments;
	return 0;
}

int hwf_image_elf_read(struct hwf_image_file *file)
{
	GElf_Ehdr header;
	int error = 0;
	Elf *elf;

	if (file->size < SELFMAG || memcmp(file->bytes, ELFMAG, SELFMAG))
		return 0;
	elf_version(EV_CURRENT);
	/* libelf does not write to what it only reads */
	elf = elf_memory((char *)(uintptr_t)file->bytes, file->size);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header)) {
		file->is_elf = true;
		file->elf.entry = hwf_image_elf_address(header.e_machine, header.e_entry);
		file->elf.machine = header.e_machine;
		file->elf.type = header.e_type;
		error = header.e_type == ET_REL ? read_sections(file, elf)
						: read_segments(file, elf);
	}
	elf_end(elf);
	return error;
}
