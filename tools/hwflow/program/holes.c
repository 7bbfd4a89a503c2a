// SPDX-License-Identifier: GPL-2.0-only
#include "holes.h"

#include <errno.h>
#include <unistd.h>

#include "base/input_file.h"

void holes_open(struct holes *holes, const struct hwf_image_file *file)
{
	const int fd = input_file_open(hwf_image_file_path(file), hwf_image_file_root(file), NULL);

	*holes = (struct holes){.fd = fd < 0 ? -1 : fd};
}

uint64_t holes_skip(struct holes *holes, uint64_t offset)
{
	off_t data, end;

	if (offset >= holes->data && offset < holes->end)
		return offset;
	if (holes->fd < 0 || offset > INT64_MAX)
		return offset;
	data = lseek(holes->fd, (off_t)offset, SEEK_DATA);
	if (data < 0)
		return errno == ENXIO ? UINT64_MAX : offset;
	end = lseek(holes->fd, data, SEEK_HOLE);
	holes->data = (uint64_t)data;
	holes->end = end < data ? UINT64_MAX : (uint64_t)end;
	return holes->data;
}

void holes_close(struct holes *holes)
{
	if (holes->fd >= 0)
		close(holes->fd);
	holes->fd = -1;
}
