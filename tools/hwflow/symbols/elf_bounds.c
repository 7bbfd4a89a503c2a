/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an ELF file may ask elfutils for. Three kinds of compressed contents are counted with the
 * size that elfutils allocates: sections with SHF_COMPRESSED, sections .zdebug_*, which are GNU's
 * older form of it, and .gnu_debugdata, an ELF file in xz's format.
 */
#include "elf_bounds.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_limits.h"
#include "base/message.h"
#include "xz_size.h"

/* Contents of this size may be compressed by any ratio. */
#define SMALL (UINT64_C(1) << 16)

/* The longest name of a section that counts */
#define NAME_MAX_SIZE 256u

/**
 * struct check - a file that is checked
 * @path: the file, for messages
 * @bytes: its contents
 * @size: bytes of it
 * @left: bytes that no section so far has
 * @compressed: bytes of compressed contents
 * @decompressed: bytes of them when they are decompressed
 */
struct check {
	const char *path;
	const uint8_t *bytes;
	uint64_t size;
	uint64_t left;
	uint64_t compressed;
	uint64_t decompressed;
};

Elf_Data *elf_section_names(Elf *elf)
{
	size_t index;
	Elf_Scn *section;
	GElf_Shdr header;
	Elf_Data *data;

	if (elf_getshdrstrndx(elf, &index))
		return NULL;
	section = elf_getscn(elf, index);
	if (!section || !gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
		return NULL;
	data = elf_rawdata(section, NULL);
	return data && data->d_buf ? data : NULL;
}

const char *elf_section_name(const Elf_Data *names, const GElf_Shdr *header)
{
	const char *name;
	size_t room;

	if (!names || header->sh_name >= names->d_size)
		return "";
	name = (const char *)names->d_buf + header->sh_name;
	room = names->d_size - header->sh_name;
	return memchr(name, 0, room < NAME_MAX_SIZE ? room : NAME_MAX_SIZE) ? name : "";
}

static uint64_t add(uint64_t sum, uint64_t value)
{
	return sum + value < sum ? UINT64_MAX : sum + value;
}

/* Bytes of a section that has a header with its size before it is compressed. 0: it is damaged */
static uint64_t size_in_header(const struct check *check, const GElf_Shdr *header)
{
	const uint8_t *bytes = check->bytes + header->sh_offset;
	const bool other_order = check->bytes[EI_DATA] != ELFDATA2LSB;
	Elf64_Chdr wide;
	Elf32_Chdr narrow;

	if (check->bytes[EI_CLASS] == ELFCLASS64) {
		if (header->sh_size < sizeof(wide))
			return 0;
		memcpy(&wide, bytes, sizeof(wide));
		return other_order ? __builtin_bswap64(wide.ch_size) : wide.ch_size;
	}
	if (header->sh_size < sizeof(narrow))
		return 0;
	memcpy(&narrow, bytes, sizeof(narrow));
	return other_order ? __builtin_bswap32(narrow.ch_size) : narrow.ch_size;
}

/* Bytes of a section when it is decompressed; 0 if it is not compressed */
static uint64_t decompressed_size(const struct check *check, const GElf_Shdr *header,
				  const char *name)
{
	const uint8_t *bytes = check->bytes + header->sh_offset;
	uint64_t size;

	if (header->sh_flags & SHF_COMPRESSED)
		return size_in_header(check, header);
	if (!strncmp(name, ".z", 2) && header->sh_size >= 12 && !memcmp(bytes, "ZLIB", 4)) {
		memcpy(&size, bytes + 4, sizeof(size));
		return __builtin_bswap64(size);
	}
	if (!strcmp(name, ".gnu_debugdata"))
		return xz_size(bytes, header->sh_size);
	return 0;
}

/* Adds a section; false if its bytes belong to other sections too. */
static bool take_section(struct check *check, const GElf_Shdr *header, const char *name)
{
	uint64_t size;

	if (header->sh_type == SHT_NOBITS || header->sh_type == SHT_NULL ||
	    header->sh_offset >= check->size)
		return true;
	/* elfutils uses no section that leaves the file */
	if (header->sh_size > check->size - header->sh_offset)
		return true;
	if (header->sh_size > check->left)
		return false;
	check->left -= header->sh_size;
	size = decompressed_size(check, header, name);
	if (!size)
		return true;
	check->compressed += header->sh_size;
	check->decompressed = add(check->decompressed, size);
	return true;
}

static bool take_sections(struct check *check, Elf *elf)
{
	const Elf_Data *names = elf_section_names(elf);
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) ||
		    take_section(check, &header, elf_section_name(names, &header)))
			continue;
		message_once("hwflow: %s: offset %#" PRIx64 ": sections overlap, so the file is "
			     "damaged: it gives no names and no source lines",
			     check->path, header.sh_offset);
		return false;
	}
	return true;
}

/* The notes of segments, which elfutils searches where there are no sections */
static bool take_notes(struct check *check, Elf *elf)
{
	size_t count = 0;
	GElf_Phdr header;

	check->left = check->size;
	if (elf_getphdrnum(elf, &count))
		return true;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_NOTE ||
		    header.p_offset >= check->size ||
		    header.p_filesz > check->size - header.p_offset)
			continue;
		if (header.p_filesz > check->left) {
			message_once(
				"hwflow: %s: offset %#" PRIx64 ": segments of notes overlap, "
				"so the file is damaged: it gives no names and no source lines",
				check->path, header.p_offset);
			return false;
		}
		check->left -= header.p_filesz;
	}
	return true;
}

/* The limits on what is decompressed */
static bool is_within(const struct check *check)
{
	const uint64_t most = limit_of(LIMIT_elfratio);
	enum limit limit = LIMIT_elfratio;
	uint64_t share = 0;

	if (check->decompressed == UINT64_MAX) {
		message_once("hwflow: %s: the size of a compressed section is damaged: the file "
			     "gives no names and no source lines",
			     check->path);
		return false;
	}
	if (check->decompressed <= SMALL ||
	    (most && check->decompressed / most <= check->compressed)) {
		limit = LIMIT_decompressed;
		if (limit_spend(limit, &share, check->decompressed))
			return true;
	}
	message_once("hwflow: %s: %" PRIu64 " bytes of compressed sections would be %" PRIu64
		     " bytes: the file gives no names and no source lines; %s",
		     check->path, check->compressed, check->decompressed, limit_text(limit));
	return false;
}

bool elf_bounds_good(const char *path, const uint8_t *bytes, size_t size)
{
	struct check check = {.path = path, .bytes = bytes, .size = size, .left = size};
	bool good;
	Elf *elf;

	if (size < EI_NIDENT || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return false;
	elf_version(EV_CURRENT);
	/* libelf does not write to what it only reads */
	elf = elf_memory((char *)(uintptr_t)bytes, size);
	good = elf && elf_kind(elf) == ELF_K_ELF && take_sections(&check, elf) &&
	       take_notes(&check, elf) && is_within(&check);
	elf_end(elf);
	return good;
}

bool elf_bounds_file_good(const char *path, int fd)
{
	struct stat status;
	void *bytes;
	bool good;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || !status.st_size)
		return false;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return false;
	good = elf_bounds_good(path, bytes, (size_t)status.st_size);
	munmap(bytes, (size_t)status.st_size);
	return good;
}
