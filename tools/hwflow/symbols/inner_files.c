// SPDX-License-Identifier: GPL-2.0-only
/*
 * ELF files that are stored inside another file. The pages of the outer file are searched for ELF
 * headers once, in order, as far as its code was asked for. Of the headers before an offset, the
 * nearest one is used whose program headers have code at this offset.
 */
#include "inner_files.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* An inner file begins at a multiple of this */
#define PAGE UINT64_C(0x1000)

/* headers that are looked at before an offset: a library may have others among its data */
#define LOOKED_AT 16u

/* an inner file with more program headers is not used */
#define SEGMENTS_MAX 64u

/* Inner files have no more bytes in sum than this for each byte of the outer file. They overlap
 * only where pages of several copies are stored one after the other. */
#define BYTES_PER_BYTE 4u

/* struct inner_file - an ELF header; @file: NULL until it is asked for */
struct inner_file {
	uint64_t begin;
	struct hwf_image_file *file;
};

/**
 * struct inner_files - ELF files inside one file
 * @name: of the outer file
 * @bytes: its contents
 * @size: how many
 * @files: places with an ELF header, in order
 * @count: how many
 * @room: room for how many
 * @searched: the pages before this one were searched
 * @left: bytes that inner files may still have
 * @image: has the inner files
 */
struct inner_files {
	const char *name;
	const uint8_t *bytes;
	uint64_t size;
	struct inner_file *files;
	size_t count;
	size_t room;
	uint64_t searched;
	uint64_t left;
	struct hwf_image *image;
};

/* struct header - what an ELF header says of the rest of its file */
struct header {
	bool wide;
	uint64_t segments;
	uint64_t segment_size;
	uint64_t segment_count;
	uint64_t end; /* of the table of sections */
};

struct inner_files *inner_files_new(const struct hwf_image_file *outer)
{
	struct inner_files *files = calloc(1, sizeof(*files));
	size_t size;

	if (!files)
		return NULL;
	files->name = hwf_image_file_name(outer);
	files->bytes = hwf_image_file_bytes(outer, &size);
	files->size = files->bytes ? size : 0;
	files->left = BYTES_PER_BYTE * files->size;
	if (hwf_image_new(&files->image, NULL, NULL)) {
		free(files);
		return NULL;
	}
	return files;
}

static bool add_file(struct inner_files *files, uint64_t begin)
{
	if (files->count == files->room) {
		const size_t room = files->room ? 2 * files->room : 16;
		struct inner_file *more = reallocarray(files->files, room, sizeof(*more));

		if (!more)
			return false;
		files->files = more;
		files->room = room;
	}
	files->files[files->count++] = (struct inner_file){.begin = begin};
	return true;
}

/* Searches the pages up to an offset of the outer file. */
static void search(struct inner_files *files, uint64_t offset)
{
	for (; files->searched <= offset; files->searched += PAGE)
		if (files->size - files->searched >= SELFMAG &&
		    !memcmp(files->bytes + files->searched, ELFMAG, SELFMAG) &&
		    !add_file(files, files->searched))
			return;
}

/* Reads the ELF header at @bytes, of this byte order; false if it is none. */
static bool read_header(const uint8_t *bytes, uint64_t size, struct header *header)
{
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;

	if (size < sizeof(wide) || bytes[EI_DATA] != ELFDATA2LSB)
		return false;
	header->wide = bytes[EI_CLASS] == ELFCLASS64;
	if (header->wide) {
		memcpy(&wide, bytes, sizeof(wide));
		*header = (struct header){true, wide.e_phoff, sizeof(Elf64_Phdr), wide.e_phnum,
					  wide.e_shoff + (uint64_t)wide.e_shnum * wide.e_shentsize};
		return wide.e_phentsize == sizeof(Elf64_Phdr);
	}
	memcpy(&narrow, bytes, sizeof(narrow));
	*header = (struct header){false, narrow.e_phoff, sizeof(Elf32_Phdr), narrow.e_phnum,
				  narrow.e_shoff + (uint64_t)narrow.e_shnum * narrow.e_shentsize};
	return bytes[EI_CLASS] == ELFCLASS32 && narrow.e_phentsize == sizeof(Elf32_Phdr);
}

static Elf64_Phdr read_segment(const uint8_t *bytes, const struct header *header, uint64_t index)
{
	const uint8_t *at = bytes + header->segments + index * header->segment_size;
	Elf64_Phdr wide;
	Elf32_Phdr narrow;

	if (header->wide) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, at, sizeof(narrow));
	return (Elf64_Phdr){.p_type = narrow.p_type,
			    .p_flags = narrow.p_flags,
			    .p_offset = narrow.p_offset,
			    .p_filesz = narrow.p_filesz};
}

/*
 * The bytes of an ELF file that begins at @bytes, up to the end of its segments and of its table of
 * sections, if it has code in @length bytes at an offset; else 0.
 */
static uint64_t size_of(const uint8_t *bytes, uint64_t size, uint64_t offset, uint64_t length)
{
	struct header header;
	uint64_t end;
	bool found = false;

	if (!read_header(bytes, size, &header) || header.segment_count > SEGMENTS_MAX ||
	    header.segments > size ||
	    header.segment_count * header.segment_size > size - header.segments)
		return 0;
	end = header.end;
	for (uint64_t i = 0; i < header.segment_count; i++) {
		const Elf64_Phdr segment = read_segment(bytes, &header, i);

		if (segment.p_type != PT_LOAD || segment.p_offset > size)
			continue;
		/* which of them begins in the other */
		found |= segment.p_flags & PF_X &&
			 (offset - segment.p_offset < segment.p_filesz ||
			  (segment.p_filesz && segment.p_offset - offset < length));
		if (segment.p_filesz > size - segment.p_offset)
			end = size;
		else if (segment.p_offset + segment.p_filesz > end)
			end = segment.p_offset + segment.p_filesz;
	}
	if (!found)
		return 0;
	return end < size ? end : size;
}

/* Opens an inner file of this size; NULL if it cannot be. */
static struct hwf_image_file *open_file(struct inner_files *files, struct inner_file *file,
					uint64_t size)
{
	if (file->file)
		return file->file;
	if (size > files->left) {
		message_once(
			"hwflow: %s: the ELF files inside this file overlap, so it is damaged: "
			"part of its code has no names",
			files->name);
		return NULL;
	}
	files->left -= size;
	if (hwf_image_add_bytes(files->image, files->name, files->bytes + file->begin, (size_t)size,
				&file->file))
		file->file = NULL;
	return file->file;
}

struct hwf_image_file *inner_files_find(struct inner_files *files, uint64_t offset, uint64_t length,
					uint64_t *begin)
{
	size_t low = 0, high;

	if (offset >= files->size)
		return NULL;
	search(files, offset);
	high = files->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (files->files[middle].begin <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = 0; i < LOOKED_AT && i < low; i++) {
		struct inner_file *file = &files->files[low - 1 - i];
		const uint64_t size = size_of(files->bytes + file->begin, files->size - file->begin,
					      offset - file->begin, length);

		*begin = file->begin;
		if (size)
			return open_file(files, file, size);
	}
	return NULL;
}

void inner_files_free(struct inner_files *files)
{
	if (!files)
		return;
	hwf_image_free(files->image);
	free(files->files);
	free(files);
}
