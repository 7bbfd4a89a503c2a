/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are mapped for reading. Pages that were read stay in the resident set of the process
 * until they are released; the contents of a released page are read from the file again.
 */
#ifndef HWFLOW_BASE_FILE_MAP_H
#define HWFLOW_BASE_FILE_MAP_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct file_map - a whole file in memory
 * @bytes: its contents, mapped privately and never written; NULL if the file is empty
 * @size: bytes of it
 */
struct file_map {
	const uint8_t *bytes;
	size_t size;
};

/**
 * file_map_fd() - map a file that is open
 * @map: receives it
 * @fd: a regular file; may be closed afterwards
 * @size: of the file
 *
 * Return: 0 or a negative errno, with an empty @map.
 */
int file_map_fd(struct file_map *map, int fd, size_t size);

/**
 * file_map() - map a file
 * @map: receives it
 * @path: of the file
 * @root: see input_file_open()
 *
 * Return: 0 or a negative errno, which input_file_error() explains, with an empty @map.
 */
int file_map(struct file_map *map, const char *path, size_t root);

/** file_unmap() - end a mapping, which may be empty */
void file_unmap(struct file_map *map);

/**
 * file_map_release() - release pages whose contents were read
 * @map: of the file
 * @from: the first byte that was read
 * @to: the end of those bytes
 *
 * For a reader that goes forwards, in short steps or long ones: the pages are released some MB at a
 * time, and those between two calls as well if they are few. A page may be read again at any time,
 * by any thread.
 */
void file_map_release(const struct file_map *map, const uint8_t *from, const uint8_t *to);

#endif /* HWFLOW_BASE_FILE_MAP_H */
