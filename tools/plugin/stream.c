// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that grow, written through a window mapped over their end.
 *
 * The plugin keeps no file descriptor that the program could close, but for the directory's:
 * a program that closes all it can find must not end the recording.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "plugin.h"

#define WINDOW   RUN_WINDOW
#define HIGH_FD  900
#define MAX_PART 100000
#define RUN_PATH (sizeof(plugin.directory) + 128)

struct plugin plugin = {.directory_fd = -1, .limit = INT64_MAX};

static dev_t directory_device;
static ino_t directory_inode;

uint64_t run_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void run_failed(const char *format, ...)
{
	uint32_t before = 0;
	va_list args;

	if (!plugin.control ||
	    !__atomic_compare_exchange_n(&plugin.control->failed, &before, 1, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return;
	va_start(args, format);
	vsnprintf(plugin.control->why, sizeof(plugin.control->why), format, args);
	va_end(args);
}

bool run_has_failed(void)
{
	return __atomic_load_n(&plugin.control->failed, __ATOMIC_RELAXED) != 0;
}

/*
 * Where a file of the run is. The program may have closed our descriptor, or left our root
 * directory. It may open its files again as another user: the directory of the run keeps all others
 * out. Returns the directory that @path is relative to.
 */
static int run_place(char path[RUN_PATH], const char *name)
{
	struct stat status;

	if (plugin.directory_fd >= 0 && !fstat(plugin.directory_fd, &status) &&
	    status.st_dev == directory_device && status.st_ino == directory_inode) {
		snprintf(path, RUN_PATH, "%s", name);
		return plugin.directory_fd;
	}
	snprintf(path, RUN_PATH, "%s/%s", plugin.directory, name);
	return AT_FDCWD;
}

int run_open(const char *name, int flags)
{
	char path[RUN_PATH];
	const int place = run_place(path, name);
	const int fd = openat(place, path, flags | O_CLOEXEC, 0600);

	if (fd >= 0 && (flags & O_CREAT))
		fchmod(fd, 0666);
	return fd;
}

/* Give a file its final name; 0, or an errno. */
int run_rename(const char *from, const char *to)
{
	char path[RUN_PATH], new_path[RUN_PATH];
	const int place = run_place(path, from), new_place = run_place(new_path, to);

	return renameat(place, path, new_place, new_path) ? errno : 0;
}

void run_remove(const char *name)
{
	char path[RUN_PATH];
	const int place = run_place(path, name);

	unlinkat(place, path, 0);
}

/*
 * Open the directory of the run, or take @fd, the directory that the program before exec had open:
 * as another user the program cannot open it. 0, or an errno.
 */
int run_attach(const char *directory, int fd)
{
	struct stat status;
	int high;

	if (fd >= 0 &&
	    (fstat(fd, &status) || !S_ISDIR(status.st_mode) || faccessat(fd, "control", F_OK, 0)))
		fd = -1;
	if (fd >= 0) {
		snprintf(plugin.directory, sizeof(plugin.directory), "%s", directory);
	} else {
		if (!realpath(directory, plugin.directory))
			return errno;
		fd = open(plugin.directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	if (fd < 0 || fstat(fd, &status))
		return errno;
	high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);
	if (high >= 0) {
		close(fd);
		fd = high;
	}
	plugin.directory_fd = fd;
	directory_device = status.st_dev;
	directory_inode = status.st_ino;

	fd = run_open("control", O_RDWR);
	if (fd < 0)
		return errno;
	plugin.control =
		mmap(NULL, sizeof(*plugin.control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (plugin.control == MAP_FAILED)
		return errno;
	return plugin.control->magic == RUN_MAGIC ? 0 : EINVAL;
}

/* Map @size bytes, and the slack behind them, at @offset; @pos stands at its beginning. */
static int stream_map(struct stream *stream, int fd, uint64_t offset, size_t size)
{
	size_t bytes = size + STREAM_SLACK;
	void *window;
	int error = posix_fallocate(fd, (off_t)offset, (off_t)bytes);

	if (error)
		return error;
	window = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
	if (window == MAP_FAILED)
		return errno;
	stream->base = window;
	stream->pos = window;
	stream->limit = stream->base + size;
	stream->size = size;
	stream->offset = offset;
	return 0;
}

/* Make the file KIND.PID[.TID].N with the first N that is free; 0, or an errno. */
int stream_open(struct stream *stream, const char *kind, int pid, int tid, size_t first)
{
	int fd = -1, error;

	for (unsigned int part = 0; part < MAX_PART && fd < 0; part++) {
		if (tid)
			snprintf(stream->name, sizeof(stream->name), "%s.%d.%d.%u", kind, pid, tid,
				 part);
		else
			snprintf(stream->name, sizeof(stream->name), "%s.%d.%u", kind, pid, part);
		fd = run_open(stream->name, O_RDWR | O_CREAT | O_EXCL);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0) {
		error = errno;
	} else {
		error = stream_map(stream, fd, 0, first);
		close(fd);
	}
	if (error)
		run_failed("%s: %s", stream->name, strerror(error));
	return error;
}

/* Move the window on; 0, or an errno: the stream then stays as it is, and is full. */
int stream_advance(struct stream *stream)
{
	struct stream next = *stream;
	size_t beyond = (size_t)(stream->pos - stream->limit);
	int fd = run_open(stream->name, O_RDWR), error;

	error = fd < 0 ? errno : stream_map(&next, fd, stream->offset + stream->size, WINDOW);
	if (fd >= 0)
		close(fd);
	if (error) {
		run_failed("%s: %s", stream->name, strerror(error));
		return error;
	}
	next.pos += beyond;
	munmap(stream->base, stream->size + STREAM_SLACK);
	*stream = next;
	return 0;
}

/* Unmap it; if it is @ours, and not a parent's, cut what was reserved and not used. */
void stream_close(struct stream *stream, bool ours)
{
	uint64_t used = stream->offset + (uint64_t)(stream->pos - stream->base);
	int fd;

	if (!stream->base)
		return;
	munmap(stream->base, stream->size + STREAM_SLACK);
	stream->base = NULL;
	fd = ours ? run_open(stream->name, O_RDWR) : -1;
	if (fd >= 0) {
		if (ftruncate(fd, (off_t)used))
			run_failed("%s: %s", stream->name, strerror(errno));
		close(fd);
	}
}
