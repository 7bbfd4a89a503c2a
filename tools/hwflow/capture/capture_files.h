/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a capture directory: none outside of it is opened, and trace is not read twice. */
#ifndef HWFLOW_CAPTURE_FILES_H
#define HWFLOW_CAPTURE_FILES_H

#include <stdbool.h>

#include "base/file_map.h"
#include "ini.h"

/**
 * struct capture_files - files that were opened
 * @directory: the capture
 * @shown: its name in messages
 * @read: those that are not to be read again, by device and inode
 * @damaged: some of the capture is not used, which was said on stderr
 */
struct capture_files {
	const char *directory;
	const char *shown;
	void *read;
	bool damaged;
};

/** capture_files_free() - free the list */
void capture_files_free(struct capture_files *files);

/** capture_note() - print on stderr what of a capture is not used */
void capture_note(struct capture_files *files, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * capture_path() - the path of a file that an .ini file names
 * @files: the capture's
 * @name: the name, with slashes or backslashes
 *
 * Return: the path, to be freed; NULL without memory, or if the name leads out of the directory:
 * the reason was printed on stderr.
 */
char *capture_path(const struct capture_files *files, const char *name);

/**
 * capture_read_ini() - read an .ini file
 * @files: the capture's
 * @name: of the file
 * @ini: receives it
 * @again: receives whether the file was read before, by this name or another, and is not read;
 *	NULL: the file is read again
 *
 * Return: 0, or EXIT_UNREADABLE: the reason was printed on stderr.
 */
int capture_read_ini(struct capture_files *files, const char *name, struct ini *ini, bool *again);

/**
 * capture_map() - map the files of a buffer, one after the other
 * @files: the capture's
 * @names: of the files, with commas between them
 * @map: receives the bytes
 *
 * Return: false if a file cannot be read, or has the trace of another buffer: capture_note() named
 * it.
 */
bool capture_map(struct capture_files *files, const char *names, struct file_map *map);

#endif /* HWFLOW_CAPTURE_FILES_H */
