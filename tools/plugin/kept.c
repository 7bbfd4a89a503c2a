// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies of files that the program has mapped. A file may be written to, replaced or removed before
 * the program ends, so each file that its user can change is copied into the directory of the run
 * when its code is executed first: once for all processes, as long as it is not changed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin.h"

#define NAME_SIZE 96

/* Open a regular file, and find out what it is; -1 if it is none. */
static int open_file(const char *path, struct stat *status)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -1;
	if (!fstat(fd, status) && S_ISREG(status->st_mode))
		return fd;
	close(fd);
	return -1;
}

static struct run_identity identity_of(const struct stat *status)
{
	return (struct run_identity){.device = status->st_dev,
				     .inode = status->st_ino,
				     .changed = (uint64_t)status->st_ctim.tv_sec *
							UINT64_C(1000000000) +
						(uint64_t)status->st_ctim.tv_nsec,
				     .size = (uint64_t)status->st_size};
}

static bool is_same(const struct run_identity *a, const struct run_identity *b)
{
	return a->device == b->device && a->inode == b->inode && a->changed == b->changed &&
	       a->size == b->size;
}

static void name_copy(char name[NAME_SIZE], const struct run_identity *identity)
{
	snprintf(name, NAME_SIZE, RUN_KEPT, identity->device, identity->inode, identity->changed,
		 identity->size);
}

/* The owner of a file can allow himself to write to it. */
static bool may_change(const char *path, const struct stat *status)
{
	return status->st_uid == geteuid() || !faccessat(AT_FDCWD, path, W_OK, AT_EACCESS);
}

/* Fill a new file; copy_file_range() shares blocks if it can, and does not copy everywhere. */
static int fill(int to, int from, uint64_t size)
{
	uint64_t at = 0;
	ssize_t done = 1;

	while (at < size && done > 0) {
		done = copy_file_range(from, NULL, to, NULL, (size_t)(size - at), 0);
		if (done > 0)
			at += (uint64_t)done;
	}
	if (done < 0 && errno != ENOSPC && errno != EDQUOT && errno != EFBIG && errno != EIO)
		done = 1;
	while (at < size && done > 0) {
		done = sendfile(to, from, NULL, (size_t)(size - at));
		if (done > 0)
			at += (uint64_t)done;
	}
	if (at == size)
		return 0;
	return done < 0 ? errno : ESTALE;
}

/* Copy the whole file. Nothing has its name before it is complete. Returns 0 or an errno. */
static int copy_as(const char *name, int from, const struct run_identity *identity)
{
	char unfinished[NAME_SIZE];
	struct run_identity now;
	struct stat status;
	int to, error;

	snprintf(unfinished, sizeof(unfinished), "copying.%d.%d", getpid(), gettid());
	run_remove(unfinished);
	to = run_open(unfinished, O_WRONLY | O_CREAT | O_EXCL);
	if (to < 0)
		return errno;
	error = fill(to, from, identity->size);
	close(to);
	if (!error && fstat(from, &status))
		error = errno;
	if (!error) {
		now = identity_of(&status);
		/* it was written to meanwhile */
		error = is_same(&now, identity) ? run_rename(unfinished, name) : ESTALE;
	}
	if (error)
		run_remove(unfinished);
	return error;
}

static int64_t keep(const char *path, int fd, const struct stat *status)
{
	const struct run_identity identity = identity_of(status);
	char name[NAME_SIZE];
	int copy;

	if (!may_change(path, status))
		return RUN_KEPT_NOT;
	/* for tests, which need a disk without space */
	if (getenv("HWFLOW_NO_COPIES"))
		return -ENOSPC;
	name_copy(name, &identity);
	copy = run_open(name, O_RDONLY);
	if (copy >= 0) {
		close(copy);
		return RUN_KEPT_COPY;
	}
	copy = copy_as(name, fd, &identity);
	return copy ? -copy : RUN_KEPT_COPY;
}

/**
 * file_keep() - copy the file that is mapped, if the user can change it
 * @file: its path; receives the rest
 *
 * Return: is there a regular file?
 */
bool file_keep(struct kept_file *file)
{
	struct stat status;
	const int fd = open_file(file->path, &status);

	if (fd < 0)
		return false;
	file->identity = identity_of(&status);
	file->kept = keep(file->path, fd, &status);
	close(fd);
	return true;
}

/* Open the copy; if there is none, the file, unless it is another one by now. */
static int open_kept(const struct kept_file *file)
{
	struct run_identity now;
	char name[NAME_SIZE];
	struct stat status;
	int fd;

	if (file->kept == RUN_KEPT_COPY) {
		name_copy(name, &file->identity);
		return run_open(name, O_RDONLY);
	}
	fd = file->path ? open_file(file->path, &status) : -1;
	if (fd < 0)
		return -1;
	now = identity_of(&status);
	if (is_same(&now, &file->identity))
		return fd;
	close(fd);
	return -1;
}

/* Is it the same file, with the same contents? */
bool kept_same(const struct kept_file *a, const struct kept_file *b)
{
	return is_same(&a->identity, &b->identity);
}

/**
 * file_read() - read a file as the recording will have it
 * @file: of file_keep()
 *
 * Return: were @length bytes read?
 */
bool file_read(const struct kept_file *file, uint64_t offset, void *bytes, size_t length)
{
	const int fd = open_kept(file);
	ssize_t size;

	if (fd < 0)
		return false;
	size = pread(fd, bytes, length, (off_t)offset);
	close(fd);
	return size == (ssize_t)length;
}

/** file_has() - whether file_read() would read these bytes, of one page */
bool file_has(const struct kept_file *file, uint64_t offset, const void *bytes, size_t length)
{
	uint8_t buffer[RUN_PAGE];

	return file_read(file, offset, buffer, length) && !memcmp(buffer, bytes, length);
}
