// SPDX-License-Identifier: GPL-2.0-only
/* Paths that are resolved below a directory. */
#include "resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Symbolic links in one path, as in Linux */
#define MOST_LINKS 40u

/* Attempts of openat2(2), which fails with EAGAIN while a directory is moved */
#define ATTEMPTS 16u

/**
 * struct walk - a path while it is resolved
 * @root: descriptor of the directory
 * @directory: descriptor of the directory that @done names; @root itself at the beginning
 * @done: components that were resolved, without links, relative to @root
 * @rest: components that were not resolved yet
 * @links: number of symbolic links that were followed
 */
struct walk {
	int root;
	int directory;
	char done[PATH_MAX];
	char rest[PATH_MAX];
	unsigned int links;
};

/* Sets the directory; the one before is closed. */
static bool enter(struct walk *walk, int directory)
{
	const int error = errno;

	if (walk->directory != walk->root)
		close(walk->directory);
	walk->directory = directory < 0 ? walk->root : directory;
	errno = error;
	return directory >= 0;
}

/* Opens the directory @done again, from the root. */
static bool enter_done(struct walk *walk)
{
	char *save = NULL, path[PATH_MAX];

	enter(walk, walk->root);
	snprintf(path, sizeof(path), "%s", walk->done);
	for (char *name = strtok_r(path, "/", &save); name; name = strtok_r(NULL, "/", &save))
		if (!enter(walk, openat(walk->directory, name,
					O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)))
			return false;
	return true;
}

static bool leave_directory(struct walk *walk)
{
	char *slash = strrchr(walk->done, '/');

	if (!*walk->done)
		return true;
	*(slash ? slash : walk->done) = '\0';
	return enter_done(walk);
}

/* The first component of the rest becomes @name. */
static bool next_name(struct walk *walk, char name[NAME_MAX + 1])
{
	const size_t skip = strspn(walk->rest, "/");
	const size_t length = strcspn(walk->rest + skip, "/");

	if (length > NAME_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(name, walk->rest + skip, length);
	name[length] = '\0';
	memmove(walk->rest, walk->rest + skip + length, strlen(walk->rest + skip + length) + 1);
	return true;
}

/* The target of a link takes the place of the link. */
static bool follow(struct walk *walk, int link)
{
	char target[PATH_MAX], rest[PATH_MAX];
	const ssize_t length = readlinkat(link, "", target, sizeof(target) - 1);

	if (length < 0)
		return false;
	target[length] = '\0';
	memcpy(rest, walk->rest, sizeof(rest));
	errno = ++walk->links > MOST_LINKS ? ELOOP : ENAMETOOLONG;
	if (walk->links > MOST_LINKS ||
	    snprintf(walk->rest, sizeof(walk->rest), "%s%s", target, rest) >= PATH_MAX)
		return false;
	if (*target == '/') {
		*walk->done = '\0';
		return enter_done(walk);
	}
	return true;
}

static bool append(struct walk *walk, const char *name)
{
	const size_t length = strlen(walk->done);
	const int written = snprintf(walk->done + length, sizeof(walk->done) - length, "%s%s",
				     length ? "/" : "", name);

	errno = ENAMETOOLONG;
	return length + (size_t)written < sizeof(walk->done);
}

/* Whether components follow; slashes at the end count as one, as they ask for a directory */
static bool is_last(const struct walk *walk)
{
	return !*walk->rest;
}

/* One component: a directory is entered, and a link is followed. Returns false at an error. */
static bool step(struct walk *walk, const char *name, int flags, int *result)
{
	struct stat status;
	int fd;

	fd = openat(walk->directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (fstat(fd, &status)) {
		close(fd);
		return false;
	}
	if (S_ISLNK(status.st_mode) && !(is_last(walk) && (flags & O_NOFOLLOW))) {
		const bool followed = follow(walk, fd);

		close(fd);
		return followed;
	}
	if (!is_last(walk)) {
		errno = ENOTDIR;
		if (S_ISDIR(status.st_mode) && append(walk, name))
			return enter(walk, fd);
		close(fd);
		return false;
	}
	close(fd);
	*result = openat(walk->directory, name, flags | O_NOFOLLOW | O_CLOEXEC);
	return *result >= 0;
}

int resolve_walk(int root, const char *path, int flags)
{
	struct walk walk = {.root = root, .directory = root};
	int result = -1;
	bool good = true;

	if (snprintf(walk.rest, sizeof(walk.rest), "%s", path) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	while (good && result < 0) {
		char name[NAME_MAX + 1];

		good = next_name(&walk, name);
		if (good && !strcmp(name, ".."))
			good = leave_directory(&walk);
		else if (good && *name && strcmp(name, ".") != 0)
			good = step(&walk, name, flags, &result);
		/* the path is that of a directory: the root, or one before a dot or a slash */
		if (good && result < 0 && !*walk.rest) {
			result = openat(walk.directory, ".", flags | O_CLOEXEC);
			good = result >= 0;
		}
	}
	enter(&walk, root);
	return result;
}

int resolve_open(int root, const char *path, int flags)
{
	const struct open_how how = {.flags = (unsigned int)(flags | O_CLOEXEC),
				     .resolve = RESOLVE_IN_ROOT};
	int fd = -1;

	for (unsigned int i = 0; i < ATTEMPTS; i++) {
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	/* some containers refuse system calls that they do not know with EPERM */
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM && errno != EAGAIN))
		return fd;
	return resolve_walk(root, path, flags);
}
