/* SPDX-License-Identifier: GPL-2.0-only */
/* The binaries of a stored profile. */
#include "binary.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/input_file.h"
#include "elf_tree.h"

void binary_content(const struct hwf_image_file *file, uint8_t id[16])
{
	XXH128_canonical_t sum;
	size_t size;
	const uint8_t *bytes = hwf_image_file_bytes(file, &size);

	XXH128_canonicalFromHash(&sum, XXH3_128bits(bytes, size));
	memcpy(id, sum.digest, sizeof(sum.digest));
}

/* The value of a symbol, in a symbol table and its names; false if it is not there */
static bool find_symbol(Elf_Data *symbols, const Elf_Data *names, const char *name, uint64_t *value)
{
	const size_t size = strlen(name) + 1;
	GElf_Sym symbol;

	for (int i = 0; symbols && names && gelf_getsym(symbols, i, &symbol); i++) {
		if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names->d_size ||
		    names->d_size - symbol.st_name < size ||
		    memcmp((const char *)names->d_buf + symbol.st_name, name, size) != 0)
			continue;
		*value = symbol.st_value;
		return true;
	}
	return false;
}

bool binary_stext(const struct hwf_image_file *file, uint64_t *address)
{
	size_t size;
	const uint8_t *bytes = hwf_image_file_bytes(file, &size);
	Elf_Scn *section = NULL;
	bool found = false;
	GElf_Shdr header;
	Elf *elf;

	elf_version(EV_CURRENT);
	/* libelf does not write to what it only reads */
	elf = bytes ? elf_memory((char *)(uintptr_t)bytes, size) : NULL;
	while (!found && elf && (section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		found = find_symbol(elf_getdata(section, NULL),
				    elf_rawdata(elf_getscn(elf, header.sh_link), NULL), "_stext",
				    address);
		/* a file has one */
		break;
	}
	elf_end(elf);
	return found;
}

/* Where a binary is, which the caller frees; NULL without memory */
static char *find_path(const struct hwf_profile_file *file, struct elf_tree *tree)
{
	const char *directory = tree ? elf_tree_directory(tree) : "";
	const char *found;
	char *path;

	if (asprintf(&path, "%s%s", directory, file->name) < 0)
		return NULL;
	if (!tree || input_file_exists(path, strlen(directory)))
		return path;
	found = elf_tree_find(tree, file->id, file->id_size, ELF_PART_CODE);
	if (!found)
		return path;
	free(path);
	return strdup(found);
}

/* A file without a build id is the one that was recorded if its contents are. */
static int check_content(struct hwf_image *image, const struct hwf_profile_file *file,
			 struct hwf_image_file **added)
{
	uint8_t id[16];

	if (file->id_kind != HWF_FILE_ID_CONTENT || hwf_image_file_open(*added))
		return 0;
	binary_content(*added, id);
	if (file->id_size == sizeof(id) && !memcmp(file->id, id, sizeof(id)))
		return 0;
	return hwf_image_add_missing(image, file->name, "this is not the file that was recorded",
				     added);
}

int binary_add(struct hwf_image *image, const struct hwf_profile_file *file, struct elf_tree *tree,
	       struct hwf_image_file **added)
{
	struct hwf_image_identity identity = {.name = file->name,
					      .root = tree ? strlen(elf_tree_directory(tree)) : 0};
	char *path = find_path(file, tree);
	int error;

	if (!path)
		return -ENOMEM;
	if (file->id_kind == HWF_FILE_ID_BUILD || file->id_kind == HWF_FILE_ID_KERNEL) {
		identity.build_id_size = file->id_size;
		memcpy(identity.build_id, file->id, file->id_size);
	}
	error = hwf_image_add_file(image, path, &identity, added);
	free(path);
	return error ? error : check_content(image, file, added);
}
