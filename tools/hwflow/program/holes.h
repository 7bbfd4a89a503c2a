/* SPDX-License-Identifier: GPL-2.0-only */
/* Holes of sparse files. */
#ifndef HWFLOW_HOLES_H
#define HWFLOW_HOLES_H

#include <stdint.h>

#include "hwflow/image.h"

/**
 * struct holes - holes of a file
 * @fd: the file; -1 where it is not known
 * @data: begin of the data that was found last
 * @end: its end
 */
struct holes {
	int fd;
	uint64_t data;
	uint64_t end;
};

/** holes_open() - begin with a file; one that cannot be opened has no holes */
void holes_open(struct holes *holes, const struct hwf_image_file *file);

/**
 * holes_skip() - the first data of a file from an offset on
 * @holes: the file
 * @offset: where to begin; calls with ascending offsets are fast
 *
 * Reading a hole takes memory, of which a file has none there.
 *
 * Return: @offset if it is not in a hole; UINT64_MAX if all bytes from there on are in holes.
 */
uint64_t holes_skip(struct holes *holes, uint64_t offset);

/** holes_close() - end */
void holes_close(struct holes *holes);

#endif /* HWFLOW_HOLES_H */
