/* SPDX-License-Identifier: GPL-2.0-only */
/* Files with the entries of split units: found here, since libdw would leave --symfs. */
#include "split_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/input_file.h"
#include "debug_files.h"
#include "debug_search.h"
#include "elf_bounds.h"

/* Opens the path that was written to @file->path, of some length. */
static bool try_path(struct split_file *file, const char *symfs, int length)
{
	if (length < 0 || length >= PATH_MAX)
		return false;
	file->fd = input_file_open(file->path, debug_root(symfs, file->path), NULL);
	if (file->fd < 0)
		return false;
	if (elf_bounds_file_good(file->path, file->fd))
		file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	file->dwarf = file->elf ? dwarf_begin_elf(file->elf, DWARF_C_READ, NULL) : NULL;
	if (file->dwarf)
		return true;
	split_file_close(file);
	return false;
}

bool split_file_open(struct split_file *file, Dwfl_Module *module, const char *program,
		     const char *name, const char *directory)
{
	const char *slash = strrchr(program, '/'), *base = strrchr(name, '/');
	const int folder = slash ? (int)(slash - program) + 1 : 0;
	struct debug_module **debug;
	const char *symfs;
	void **data;

	*file = (struct split_file){.fd = -1};
	dwfl_module_info(module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	debug = (struct debug_module **)data;
	symfs = *debug ? (*debug)->files->symfs : "";
	if (*name == '/' &&
	    try_path(file, symfs, snprintf(file->path, PATH_MAX, "%s%s", symfs, name)))
		return true;
	if (*name != '/' &&
	    try_path(file, symfs, snprintf(file->path, PATH_MAX, "%.*s%s", folder, program, name)))
		return true;
	if (*name != '/' && *directory == '/' &&
	    try_path(file, symfs,
		     snprintf(file->path, PATH_MAX, "%s%s/%s", symfs, directory, name)))
		return true;
	return base &&
	       try_path(file, symfs,
			snprintf(file->path, PATH_MAX, "%.*s%s", folder, program, base + 1));
}

void split_file_close(struct split_file *file)
{
	dwarf_end(file->dwarf);
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct split_file){.fd = -1};
}
