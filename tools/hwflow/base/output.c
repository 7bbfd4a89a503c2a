// SPDX-License-Identifier: GPL-2.0-only
/* A file that a command writes: it is whole, or what it was before. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_stdio(const char *path)
{
	return !strcmp(path, "-");
}

/* Would writing @output destroy the file that @path names while it is read? */
static bool is_same(const struct stat *output, const char *path)
{
	struct stat status;
	int error = is_stdio(path) ? fstat(STDIN_FILENO, &status) : stat(path, &status);

	return !error && S_ISREG(status.st_mode) && status.st_dev == output->st_dev &&
	       status.st_ino == output->st_ino;
}

bool output_destroys(const char *path, const char *read)
{
	struct stat status;

	return !is_stdio(path) && !stat(path, &status) && is_same(&status, read);
}

static mode_t mode_of_new_file(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/*
 * A file beside the one that it is to take the place of, with its permissions; @old is what is
 * there, where anything is. NULL with errno set.
 */
static FILE *open_temporary(struct output *output, const char *path, const struct stat *old)
{
	FILE *file = NULL;
	int fd;

	if (old && access(path, W_OK))
		return NULL;
	/* what a link points to is written, not the link */
	if (!old)
		snprintf(output->target, PATH_MAX, "%s", path);
	else if (!realpath(path, output->target))
		return NULL;
	if (snprintf(output->temporary, PATH_MAX, "%s.XXXXXX", output->target) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	fd = mkostemp(output->temporary, O_CLOEXEC);
	if (fd >= 0 && !fchmod(fd, old ? old->st_mode & 0777 : mode_of_new_file()))
		file = fdopen(fd, "w");
	if (file)
		return file;
	if (fd >= 0) {
		close(fd);
		unlink(output->temporary);
	}
	return NULL;
}

int output_open(struct output *output, const char *path, const char *const *read, size_t count)
{
	struct stat old;
	bool exists;

	*output = (struct output){.file = stdout, .name = "standard output"};
	if (is_stdio(path))
		return 0;
	output->name = path;
	exists = !stat(path, &old);
	for (size_t i = 0; exists && i < count; i++)
		if (is_same(&old, read[i]))
			return -EEXIST;
	if (exists && !S_ISREG(old.st_mode))
		output->file = fopen(path, "we");
	else
		output->file = open_temporary(output, path, exists ? &old : NULL);
	return output->file ? 0 : -errno;
}

/* What is not whole is taken away. */
int output_close(struct output *output, bool whole)
{
	int error = (output->file == stdout ? fflush(stdout) : fclose(output->file)) ? -errno : 0;

	if (!error && whole && *output->temporary && rename(output->temporary, output->target))
		error = -errno;
	if ((error || !whole) && *output->temporary)
		unlink(output->temporary);
	return error;
}

int output_write(int fd, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	while (size) {
		const ssize_t written = write(fd, at, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? -errno : -EIO;
		at += written;
		size -= (size_t)written;
	}
	return 0;
}
