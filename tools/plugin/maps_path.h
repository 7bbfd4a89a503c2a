/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths in /proc/PID/maps. */
#ifndef HWFLOW_MAPS_PATH_H
#define HWFLOW_MAPS_PATH_H

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/**
 * maps_path_read() - the path of a line of /proc/PID/maps
 * @path: as it stands there, up to the end of the line; becomes the path
 * @root: root directory of the process; "" for that of this one
 *
 * Linux writes a newline as \012, but a backslash as it is. If there is a file whose name has these
 * four characters, the path is taken as it is.
 */
static inline void maps_path_read(char *path, const char *root)
{
	static const char newline[] = "\\012";
	const size_t size = sizeof(newline) - 1;
	char *at = strstr(path, newline), full[2 * PATH_MAX];
	struct stat status;

	if (!at || snprintf(full, sizeof(full), "%s%s", root, path) >= (int)sizeof(full) ||
	    !stat(full, &status))
		return;
	for (; at; at = strstr(at + 1, newline)) {
		*at = '\n';
		memmove(at + 1, at + size, strlen(at + size) + 1);
	}
}

#endif /* HWFLOW_MAPS_PATH_H */
