// SPDX-License-Identifier: GPL-2.0-only
/* Input files: the place where all of them are opened. */
#include "input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input_limits.h"
#include "resolve.h"

/* Bytes of the text of input_file_error() */
#define TEXT 256

/* An input file must not become the terminal of the process, nor make it wait. */
#define FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/**
 * struct place - where a path is resolved
 * @root: descriptor of the directory that the path must not leave; AT_FDCWD: it may lead anywhere
 * @path: relative to @root
 */
struct place {
	int root;
	const char *path;
};

static int open_place(struct place *place, const char *path, size_t root)
{
	char directory[PATH_MAX];

	*place = (struct place){AT_FDCWD, path};
	if (!root)
		return 0;
	if (root >= sizeof(directory))
		return -ENAMETOOLONG;
	memcpy(directory, path, root);
	directory[root] = '\0';
	place->path = path + root;
	place->root = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return place->root < 0 ? -errno : 0;
}

static void close_place(const struct place *place)
{
	if (place->root >= 0)
		close(place->root);
}

static int open_in(const struct place *place, int flags)
{
	const int fd = place->root < 0 ? open(place->path, flags | O_CLOEXEC)
				       : resolve_open(place->root, place->path, flags);

	return fd < 0 ? -errno : fd;
}

/* 0 where the file is an input; @size may be NULL */
static int check(int fd, uint64_t *size)
{
	struct stat status;

	if (fstat(fd, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (!S_ISREG(status.st_mode))
		return -ESPIPE;
	if ((uint64_t)status.st_size > limit_of(LIMIT_input))
		return -EFBIG;
	if (size)
		*size = (uint64_t)status.st_size;
	return 0;
}

/* What kind of file it is is known before it is opened for reading. */
static int check_place(const struct place *place)
{
	const int fd = open_in(place, O_PATH);
	int error;

	if (fd < 0)
		return fd;
	error = check(fd, NULL);
	close(fd);
	return error;
}

int input_file_open(const char *path, size_t root, uint64_t *size)
{
	struct place place;
	int fd = -1, error = open_place(&place, path, root);

	if (error)
		return error;
	error = check_place(&place);
	if (!error)
		fd = open_in(&place, FLAGS);
	close_place(&place);
	if (error || fd < 0)
		return error ? error : fd;
	error = check(fd, size);
	if (!error)
		return fd;
	close(fd);
	return error;
}

int input_file_map(const char *path, size_t root, uint64_t *size, const char **reason)
{
	const int fd = input_file_open(path, root, size);

	if (fd < 0)
		*reason = input_file_error(fd);
	return fd;
}

FILE *input_file_stream(const char *path, size_t root)
{
	const int fd = input_file_open(path, root, NULL);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd < 0) {
		errno = -fd;
	} else if (!file) {
		const int error = errno;

		close(fd);
		errno = error;
	}
	return file;
}

bool input_file_exists(const char *path, size_t root)
{
	const int fd = input_file_open(path, root, NULL);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

void input_file_link(int fd, char *path)
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, PATH_MAX - 1);
	path[length > 0 ? length : 0] = '\0';
}

const char *input_file_error(int error)
{
	static _Thread_local char text[TEXT];

	if (error == -ESPIPE)
		return "a pipe, a device or a socket, and not a regular file; copy its contents "
		       "to a file first";
	if (error != -EFBIG)
		return strerror(-error);
	snprintf(text, sizeof(text), "the file is too large: %s", limit_text(LIMIT_input));
	return text;
}

size_t input_file_parent(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

int own_file_open(const char *path, int flags)
{
	return open(path, flags | O_CLOEXEC);
}

FILE *own_file_stream(const char *path)
{
	return fopen(path, "re");
}
