// SPDX-License-Identifier: GPL-2.0-only
/*
 * Search for debug files, in the directories that gdb(1) and elfutils use as well. elfutils does
 * not search below a directory: a name with "..", or a symbolic link, would lead out of it.
 */
#include "debug_search.h"

#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32.h"
#include "base/input_file.h"
#include "debug_files.h"
#include "program/elf_tree.h"

#define DEBUG_DIRECTORY "/usr/lib/debug"

/**
 * struct search - a search
 * @files: where it looks
 * @symfs: directory that it does not leave, but for directories of debug files
 * @wanted: the debug file
 * @found: receives the path
 */
struct search {
	const struct debug_files *files;
	const char *symfs;
	const struct debug_wanted *wanted;
	char *found;
};

size_t debug_root(const char *symfs, const char *path)
{
	const size_t length = strlen(symfs);

	return !strncmp(path, symfs, length) && path[length] == '/' ? length : 0;
}

static bool elf_fits(Elf *elf, const struct debug_wanted *wanted)
{
	const void *id;
	ssize_t size;
	char *bytes;
	size_t length;

	if (elf_kind(elf) != ELF_K_ELF)
		return false;
	if (wanted->id_size) {
		size = dwelf_elf_gnu_build_id(elf, &id);
		return size > 0 && (size_t)size == wanted->id_size &&
		       !memcmp(id, wanted->id, wanted->id_size);
	}
	/* without a debug link, nothing but the name tells */
	if (wanted->is_shared || !wanted->name)
		return !wanted->is_shared;
	bytes = elf_rawfile(elf, &length);
	return bytes && crc32_of((const uint8_t *)bytes, length) == wanted->crc;
}

static bool fits(int fd, const struct debug_wanted *wanted)
{
	Elf *elf;
	bool good;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	good = elf && elf_fits(elf, wanted);
	elf_end(elf);
	return good;
}

/* Opens the path in @found if it is that of the debug file. */
static int try_path(const struct search *search, int length)
{
	int fd;

	if (length < 0 || length >= PATH_MAX)
		return -1;
	fd = input_file_open(search->found, debug_root(search->symfs, search->found), NULL);
	if (fd < 0)
		return -1;
	if (fits(fd, search->wanted))
		return fd;
	close(fd);
	return -1;
}

/*
 * A program may be in a root of its own, such as a chroot or the ROOT of 'hwflow emulate -L ROOT':
 * each directory above it may have a folder of debug files.
 */
static int search_by_id(const struct search *search)
{
	const struct debug_wanted *wanted = search->wanted;
	const char *program = wanted->program;
	const char *at = program + debug_root(search->symfs, program);
	char hex[2 * 64 + 1] = "";
	int fd;

	if (wanted->id_size < 2 || wanted->id_size > 64)
		return -1;
	for (size_t i = 0; i < wanted->id_size; i++)
		sprintf(hex + 2 * i, "%02x", wanted->id[i]);
	fd = try_path(search, snprintf(search->found, PATH_MAX,
				       "%s" DEBUG_DIRECTORY "/.build-id/%.2s/%s.debug",
				       search->symfs, hex, hex + 2));
	for (size_t i = 0; fd < 0 && i < search->files->directory_count; i++)
		fd = try_path(search,
			      snprintf(search->found, PATH_MAX, "%s/.build-id/%.2s/%s.debug",
				       elf_tree_directory(search->files->directories[i]), hex,
				       hex + 2));
	while (fd < 0 && *at && (at = strchr(at + 1, '/')))
		fd = try_path(search, snprintf(search->found, PATH_MAX,
					       "%.*s" DEBUG_DIRECTORY "/.build-id/%.2s/%s.debug",
					       (int)(at - program), program, hex, hex + 2));
	return fd;
}

/* A shared file has a path: absolute, or relative to the folder of the file that names it. */
static int search_shared(const struct search *search, int folder)
{
	const struct debug_wanted *wanted = search->wanted;
	int length;

	if (!wanted->name)
		return -1;
	if (*wanted->name == '/')
		length = snprintf(search->found, PATH_MAX, "%s%s", search->symfs, wanted->name);
	else
		length = snprintf(search->found, PATH_MAX, "%.*s/%s", folder, wanted->program,
				  wanted->name);
	return try_path(search, length);
}

/* A folder of debug files has the folders of the root, or some of their last components. */
static int search_folder(const struct search *search, const char *above, const char *debug,
			 int folder, const char *name)
{
	const char *program = search->wanted->program, *end = program + folder;
	const char *at = program + debug_root(search->symfs, program);

	for (;;) {
		const int fd = try_path(search, snprintf(search->found, PATH_MAX, "%s%s%.*s/%s",
							 above, debug, (int)(end - at), at, name));

		if (fd >= 0 || at >= end)
			return fd;
		/* without the first component */
		at++;
		while (at < end && *at != '/')
			at++;
	}
}

static int search_by_name(const struct search *search)
{
	const struct debug_wanted *wanted = search->wanted;
	const char *slash = strrchr(wanted->program, '/');
	const int folder = slash ? (int)(slash - wanted->program) : 0;
	char own[NAME_MAX + 16];
	const char *name = wanted->name;
	int fd;

	if (wanted->is_shared)
		return search_shared(search, folder);
	if (!name) {
		snprintf(own, sizeof(own), "%.*s.debug", NAME_MAX,
			 slash ? slash + 1 : wanted->program);
		name = own;
	}
	/* a debug link is the name of a file, and no path */
	if (strchr(name, '/'))
		return -1;
	fd = try_path(search, snprintf(search->found, PATH_MAX, "%.*s%s%s", folder, wanted->program,
				       slash ? "/" : "", name));
	if (fd < 0)
		fd = try_path(search, snprintf(search->found, PATH_MAX, "%.*s%s.debug/%s", folder,
					       wanted->program, slash ? "/" : "", name));
	if (fd < 0)
		fd = search_folder(search, search->symfs, DEBUG_DIRECTORY, folder, name);
	for (size_t i = 0; fd < 0 && i < search->files->directory_count; i++)
		fd = search_folder(search, elf_tree_directory(search->files->directories[i]), "",
				   folder, name);
	return fd;
}

/* Looks through all files of a directory. */
static int search_tree(const struct search *search, struct elf_tree *tree)
{
	const struct debug_wanted *wanted = search->wanted;
	const char *path =
		tree ? elf_tree_find(tree, wanted->id, wanted->id_size, ELF_PART_SYMBOLS) : NULL;

	return path ? try_path(search, snprintf(search->found, PATH_MAX, "%s", path)) : -1;
}

/* The program may be a symbolic link: its debug file is then beside the file it leads to. */
static int search_real(const struct search *search)
{
	const char *program = search->wanted->program;
	const int fd = input_file_open(program, debug_root(search->symfs, program), NULL);
	struct debug_wanted wanted = *search->wanted;
	char real[PATH_MAX], *symfs;
	struct search again = *search;
	int found = -1;

	if (fd < 0)
		return -1;
	input_file_link(fd, real);
	close(fd);
	symfs = *search->symfs ? realpath(search->symfs, NULL) : strdup("");
	wanted.program = real;
	again.wanted = &wanted;
	again.symfs = symfs;
	if (symfs && *real && strcmp(real, program) != 0 && (!*symfs || debug_root(symfs, real)))
		found = search_by_name(&again);
	free(symfs);
	return found;
}

int debug_search(const struct debug_files *files, const struct debug_wanted *wanted, char *found)
{
	const struct search search = {files, files->symfs, wanted, found};
	int fd = search_by_id(&search);

	if (fd < 0)
		fd = search_by_name(&search);
	if (fd < 0)
		fd = search_real(&search);
	for (size_t i = 0; fd < 0 && i < files->directory_count; i++)
		fd = search_tree(&search, files->directories[i]);
	if (fd < 0)
		fd = search_tree(&search, files->tree);
	if (fd < 0)
		*found = '\0';
	return fd;
}
