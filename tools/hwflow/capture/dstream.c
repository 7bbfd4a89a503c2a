// SPDX-License-Identifier: GPL-2.0-only
/* Trace as a DSTREAM probe stores it. */
#include "dstream.h"

#include <errno.h>
#include <unistd.h>

#include "base/temporary.h"

#define BLOCK  512u
#define FRAMES 504u /* of a block */

int dstream_join(struct file_map *joined, const struct file_map *blocks)
{
	const int fd = temporary_open();
	size_t size = 0;
	int error = fd < 0 ? -errno : 0;

	*joined = (struct file_map){0};
	for (size_t at = 0; at < blocks->size && !error; at += BLOCK) {
		const size_t left = blocks->size - at;
		const size_t count = left < FRAMES ? left : FRAMES;

		error = temporary_write(fd, size, blocks->bytes + at, count);
		size += count;
	}
	if (!error)
		error = file_map_fd(joined, fd, size);
	if (fd >= 0)
		close(fd);
	return error;
}

size_t dstream_offset(size_t at)
{
	return at / FRAMES * BLOCK + at % FRAMES;
}
