// SPDX-License-Identifier: GPL-2.0-only
/* Temporary files without a name. */
#include "temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *temporary_directory(void)
{
	const char *directory = getenv("TMPDIR");

	return directory && *directory ? directory : "/tmp";
}

/* If standard output is closed, a new file has its number, and would receive what is printed. */
static int avoid_standard_streams(int fd)
{
	int other;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return other;
}

int temporary_open(void)
{
	char path[PATH_MAX];
	int fd = open(temporary_directory(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	/* not all file systems have it */
	if (fd >= 0 || errno == ENOENT || errno == EACCES)
		return avoid_standard_streams(fd);
	snprintf(path, sizeof(path), "%s/hwflow.XXXXXX", temporary_directory());
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return avoid_standard_streams(fd);
}

int temporary_write(int fd, uint64_t at, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	while (size) {
		const ssize_t written = pwrite(fd, from, size, (off_t)at);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? -errno : -EIO;
		from += written;
		size -= (size_t)written;
		at += (uint64_t)written;
	}
	return 0;
}
