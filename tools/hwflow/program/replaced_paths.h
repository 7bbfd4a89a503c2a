/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths that several files had while a recording was made. */
#ifndef HWFLOW_REPLACED_PATHS_H
#define HWFLOW_REPLACED_PATHS_H

#include <stdbool.h>

struct perfdata_info;
struct perfdata_mapping;

/** struct replaced_paths - paths that several files had */
struct replaced_paths;

/**
 * replaced_paths_new() - find the paths whose mappings have several inodes
 * @result: receives them
 * @info: the recording; must outlive them
 * @symfs: files of the machine recorded are below this directory; "" for this machine
 *
 * One of the files counts as that which has the path now: the one with its inode, on this machine;
 * else the one that was mapped last. Mappings with build ids tell their files apart themselves.
 *
 * Return: 0 or -ENOMEM.
 */
int replaced_paths_new(struct replaced_paths **result, const struct perfdata_info *info,
		       const char *symfs);

/** replaced_path() - is a mapping one of a file that does not have its path any more? */
bool replaced_path(const struct replaced_paths *paths, const struct perfdata_mapping *mapping);

/** replaced_paths_free() - free them; NULL is allowed */
void replaced_paths_free(struct replaced_paths *paths);

#endif /* HWFLOW_REPLACED_PATHS_H */
