// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's memory: an ELF file whose segments are at the addresses they had. It is the kernel
 * as it was when the copy was made: alternatives are in place, jump labels as they were at that
 * time. The vdso is in it as well, as the ELF file that processes have mapped.
 */
#include "kcore.h"

#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input_file.h"
#include "holes.h"
#include "kallsyms.h"
#include "source/input_private.h"

/* of the kernels with the smallest ones */
#define PAGE UINT64_C(4096)

/* No vdso is larger: that of Linux 6.12 has 11 KB. It is sought in each page, up to this size. */
#define VDSO_MAX (UINT64_C(1) << 17)

/**
 * struct kcore - code of kernel and modules, and the vdso
 * @image: where files go
 * @file: kernel and modules
 * @directory: of the files
 * @vdso: NULL if there is none, or nobody has asked
 * @vdso_sought: somebody has asked
 */
struct kcore {
	struct hwf_image *image;
	struct hwf_image_file *file;
	char *directory;
	struct hwf_image_file *vdso;
	bool vdso_sought;
};

/* struct wanted - where a symbol is said to be */
struct wanted {
	const char *name;
	uint64_t address;
};

/* 1 where the symbol is there, 2 where it is elsewhere */
static int look_for(void *ctx, const struct kallsym *symbol)
{
	const struct wanted *wanted = ctx;

	if (*symbol->module || strcmp(symbol->name, wanted->name) != 0)
		return 0;
	return symbol->address == wanted->address ? 1 : 2;
}

bool kcore_is_at(const struct kcore *kcore, const char *symbol, uint64_t address)
{
	struct wanted wanted = {symbol, address};
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/" KCORE_KALLSYMS, kcore->directory);
	return kallsyms_read(path, input_file_parent(kcore->directory), look_for, &wanted) == 1;
}

/* Is it the vdso, by the name that it has for itself? It has one dynamic section, with one name. */
static bool is_named_vdso(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf_Data *data;
	GElf_Dyn entry;
	const char *name;

	do
		section = elf_nextscn(elf, section);
	while (section && (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC));
	data = section ? elf_getdata(section, NULL) : NULL;
	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		if (entry.d_tag != DT_SONAME)
			continue;
		name = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
		return name && !strcmp(name, "linux-vdso.so.1");
	}
	return false;
}

/* Bytes of the vdso that begins at @bytes; 0 if none does. Its section headers are its end. */
static uint64_t vdso_size(const uint8_t *bytes, uint64_t room)
{
	Elf64_Ehdr header;
	uint64_t size;
	Elf *elf;
	bool is;

	if (room < sizeof(header) || memcmp(bytes, ELFMAG, SELFMAG))
		return 0;
	memcpy(&header, bytes, sizeof(header));
	size = header.e_shoff + (uint64_t)header.e_shnum * sizeof(Elf64_Shdr);
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_AARCH64 ||
	    size > room || size > VDSO_MAX || size < sizeof(header))
		return 0;
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)(uintptr_t)bytes, size);
	is = elf && is_named_vdso(elf);
	elf_end(elf);
	return is ? size : 0;
}

/* The vdso in a segment, which has nothing where the file has a hole; false if it is not there. */
static bool find_in_segment(struct kcore *kcore, const struct hwf_image_segment *segment,
			    struct holes *holes)
{
	size_t file_size;
	const uint8_t *bytes = hwf_image_file_bytes(kcore->file, &file_size);
	uint64_t at = -segment->address % PAGE;

	while (at < segment->size) {
		const uint64_t offset = segment->offset + at, data = holes_skip(holes, offset);
		const uint8_t *vdso = bytes + offset;
		uint64_t size;

		/* the page that has the first byte behind the hole */
		if (data - offset >= PAGE) {
			if (data - offset >= segment->size - at)
				return false;
			at += (data - offset) / PAGE * PAGE;
			continue;
		}
		size = vdso_size(vdso, segment->size - at);
		if (size && hwf_image_add_bytes(kcore->image, "[vdso]", vdso, size, &kcore->vdso))
			kcore->vdso = NULL;
		if (size)
			return true;
		at += PAGE;
	}
	return false;
}

/*
 * The vdso is in the kernel at the beginning of a page, whatever size these have. Segments of a
 * sound copy do not overlap: no more bytes are searched than the file has.
 */
static void find_vdso(struct kcore *kcore)
{
	const struct hwf_image_elf *elf = hwf_image_file_elf(kcore->file);
	struct holes holes;
	size_t left;

	hwf_image_file_bytes(kcore->file, &left);
	holes_open(&holes, kcore->file);
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct hwf_image_segment *segment = &elf->segments[i];

		if (segment->size > left || find_in_segment(kcore, segment, &holes))
			break;
		left -= segment->size;
	}
	holes_close(&holes);
}

struct hwf_image_file *kcore_vdso(struct kcore *kcore)
{
	if (!kcore->vdso_sought)
		find_vdso(kcore);
	kcore->vdso_sought = true;
	return kcore->vdso;
}

struct hwf_image_file *kcore_file(const struct kcore *kcore)
{
	return kcore->file;
}

static int open_file(struct kcore *kcore)
{
	const struct hwf_image_identity identity = {
		.name = "[kernel]", .machine = true, .root = input_file_parent(kcore->directory)};
	const struct hwf_image_elf *elf;
	char path[PATH_MAX];
	int error;

	snprintf(path, sizeof(path), "%s/kcore", kcore->directory);
	error = hwf_image_add_file(kcore->image, path, &identity, &kcore->file);
	if (!error)
		error = hwf_image_file_open(kcore->file);
	if (error)
		return error;
	elf = hwf_image_file_elf(kcore->file);
	if (elf && elf->type == ET_CORE && elf->segment_count)
		return 0;
	input_error(path, UINT64_MAX,
		    "this is not a copy of a kernel's memory; code of the kernel is missing");
	return -EINVAL;
}

int kcore_open(struct kcore **result, struct hwf_image *image, const char *directory)
{
	struct kcore *kcore = calloc(1, sizeof(*kcore));
	int error = -ENOMEM;

	if (!kcore)
		return error;
	kcore->image = image;
	kcore->directory = strdup(directory);
	if (kcore->directory)
		error = open_file(kcore);
	if (error) {
		kcore_free(kcore);
		return error;
	}
	*result = kcore;
	return 0;
}

void kcore_free(struct kcore *kcore)
{
	if (!kcore)
		return;
	free(kcore->directory);
	free(kcore);
}
