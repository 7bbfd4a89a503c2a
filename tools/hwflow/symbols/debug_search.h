/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the separate debug file of a program is: by build id, or by the name in the program. */
#ifndef HWFLOW_DEBUG_SEARCH_H
#define HWFLOW_DEBUG_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_files;

/**
 * struct debug_wanted - a debug file
 * @program: path of the file that needs the debug file
 * @name: of the debug file, from .gnu_debuglink or .gnu_debugaltlink; NULL: as the program, with
 *        .debug at the end
 * @crc: CRC-32 that .gnu_debuglink has, for a program without a build id
 * @id: build id of the debug file
 * @id_size: bytes of @id; 0 for none
 * @is_shared: the file is one that several debug files share (.gnu_debugaltlink)
 */
struct debug_wanted {
	const char *program;
	const char *name;
	uint32_t crc;
	const uint8_t *id;
	size_t id_size;
	bool is_shared;
};

/**
 * debug_root() - the @root of input_file_open() for a path
 * @symfs: directory with the files of the machine recorded; "" for the root
 * @path: of a file
 *
 * Return: length of @symfs if @path begins with this directory, or 0.
 */
size_t debug_root(const char *symfs, const char *path);

/**
 * debug_search() - open a debug file
 * @files: where debug files are
 * @wanted: the debug file
 * @found: receives its path, of PATH_MAX bytes
 *
 * The build id of the file must be the one that is wanted, or if the program has none, its CRC that
 * of the debug link. A program with neither has any file of the right name.
 *
 * Return: a descriptor, or -1 if there is no such file.
 */
int debug_search(const struct debug_files *files, const struct debug_wanted *wanted, char *found);

#endif /* HWFLOW_DEBUG_SEARCH_H */
