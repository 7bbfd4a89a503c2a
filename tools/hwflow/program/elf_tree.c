// SPDX-License-Identifier: GPL-2.0-only
/* ELF files below a directory, by build id. */
#include "elf_tree.h"

#include <elfutils/libdwelf.h>
#include <fts.h>
#include <gelf.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/input_file.h"
#include "elf_function.h"
#include "hwflow/image.h"

/**
 * struct tree_file - a file with a build id
 * @id: the build id
 * @size: bytes of it
 * @part: what is wanted of the file; a file that has both parts is there twice
 * @path: of the file
 */
struct tree_file {
	uint8_t id[HWF_BUILD_ID_MAX];
	size_t size;
	enum elf_part part;
	char path[];
};

/**
 * struct elf_tree - ELF files below a directory
 * @files: of struct tree_file; the first one that was met, of those that are alike
 * @is_read: @files has them all
 * @directory: where they are
 */
struct elf_tree {
	void *files;
	bool is_read;
	char directory[];
};

static int compare(const void *a, const void *b)
{
	const struct tree_file *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return memcmp(x->id, y->id, x->size);
}

/* Is there code? A debug file has the headers of sections of code, and not their contents. */
static bool has_code(Elf *elf)
{
	Elf_Scn *section = NULL;
	bool any = false;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		any = true;
		if (header.sh_type == SHT_PROGBITS && (header.sh_flags & SHF_EXECINSTR))
			return true;
	}
	return !any;
}

/* Adds a file, unless there is one like it, or no memory. */
static void add(struct elf_tree *tree, const char *path, const uint8_t *id, size_t size,
		enum elf_part part)
{
	const size_t length = strlen(path) + 1;
	struct tree_file *file = malloc(sizeof(*file) + length);
	struct tree_file **node;

	if (!file)
		return;
	*file = (struct tree_file){.size = size, .part = part};
	memcpy(file->id, id, size);
	memcpy(file->path, path, length);
	node = tsearch(file, &tree->files, compare);
	if (!node || *node != file)
		free(file);
}

static void read_elf(struct elf_tree *tree, const char *path, int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *id;
	ssize_t size = elf_kind(elf) == ELF_K_ELF ? dwelf_elf_gnu_build_id(elf, &id) : 0;

	if (size > 0 && size <= HWF_BUILD_ID_MAX) {
		const bool code = has_code(elf);

		if (code)
			add(tree, path, id, (size_t)size, ELF_PART_CODE);
		/* a debug file that others share has no symbol table */
		if (!code || elf_has_symbol_table(elf))
			add(tree, path, id, (size_t)size, ELF_PART_SYMBOLS);
	}
	elf_end(elf);
}

static void read_file(struct elf_tree *tree, const char *path)
{
	char magic[SELFMAG];
	const int fd = input_file_open(path, strlen(tree->directory), NULL);

	if (fd < 0)
		return;
	if (pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG))
		read_elf(tree, path, fd);
	close(fd);
}

static void read_tree(struct elf_tree *tree)
{
	char *const directories[] = {tree->directory, NULL};
	FTS *walk =
		fts_open(directories, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	FTSENT *entry;

	tree->is_read = true;
	elf_version(EV_CURRENT);
	while (walk && (entry = fts_read(walk)))
		if (entry->fts_info == FTS_F)
			read_file(tree, entry->fts_path);
	if (walk)
		fts_close(walk);
}

struct elf_tree *elf_tree_new(const char *directory)
{
	const size_t length = strlen(directory) + 1;
	struct elf_tree *tree = calloc(1, sizeof(*tree) + length);

	if (tree)
		memcpy(tree->directory, directory, length);
	return tree;
}

const char *elf_tree_directory(const struct elf_tree *tree)
{
	return tree->directory;
}

const char *elf_tree_find(struct elf_tree *tree, const uint8_t *id, size_t size, enum elf_part part)
{
	struct tree_file key = {.size = size, .part = part}, *const * found;

	if (!size || size > sizeof(key.id))
		return NULL;
	memcpy(key.id, id, size);
	if (!tree->is_read)
		read_tree(tree);
	found = tfind(&key, &tree->files, compare);
	return found ? (*found)->path : NULL;
}

void elf_tree_free(struct elf_tree *tree)
{
	if (!tree)
		return;
	tdestroy(tree->files, free);
	free(tree);
}
