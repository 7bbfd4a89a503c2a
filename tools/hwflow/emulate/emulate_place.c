// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwflow emulate: the directory of a run, FILE.run-XXXXXX. The files of a recording are written
 * there, and renamed to FILE, FILE.truth and FILE.code when all of them are complete.
 *
 * The file "complete" in the directory marks that point. A run that is killed after it is finished
 * by the process of the recording that remains, by the next run with the same FILE, or by
 * --recover. A reader who comes between two renames finds one of these states; hwflow reports each:
 *
 *   FILE   FILE.truth  FILE.code
 *   old    old         absent     code without a file is a gap
 *   new    old         absent     verify: the threads have other numbers
 *   new    new         absent     code without a file is a gap
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "emulate_place.h"
#include "source/input.h"

#define SUFFIX_LENGTH 11 /* of ".run-XXXXXX" */

static bool join(char *path, const char *first, const char *second)
{
	int length = snprintf(path, PATH_MAX, "%s%s", first, second);

	if (length >= 0 && length < PATH_MAX)
		return true;
	errno = ENAMETOOLONG;
	return false;
}

static int path_error(const char *path)
{
	return verb_error("%s: %s", path, strerror(errno));
}

/* Refuse a FILE whose FILE.truth or FILE.code is a directory or is too long a path. */
static int check_sibling(const char *target, const char *suffix)
{
	struct stat status;
	char path[PATH_MAX];

	if (!join(path, target, suffix))
		return verb_error("-o %s%s: %s", target, suffix, strerror(errno));
	if (!stat(path, &status) && S_ISDIR(status.st_mode))
		return verb_error("-o %s: %s is a directory; choose another FILE", target, path);
	return 0;
}

static int check_existing(const char *output, char target[PATH_MAX])
{
	struct stat status;

	if (stat(output, &status))
		return 0;
	if (S_ISDIR(status.st_mode))
		return verb_error("-o %s: %s", output, strerror(EISDIR));
	if (!S_ISREG(status.st_mode)) {
		verb_error("-o %s: this is not a regular file, and a recording is up to "
			   "three files; write to a file and remove it",
			   output);
		return EXIT_USAGE;
	}
	/* the file that a link points to is replaced, not the link */
	if (!realpath(output, target) || access(target, W_OK))
		return verb_error("-o %s: %s", output, strerror(errno));
	return 0;
}

int place_target(const char *output, char target[PATH_MAX])
{
	int status;

	if (!strcmp(output, "-")) {
		verb_error("-o -: standard output is the program's, and a recording is up to "
			   "three files; give the name of a file");
		return EXIT_USAGE;
	}
	if (!*output || output[strlen(output) - 1] == '/') {
		verb_error("-o %s: the name of a file expected", output);
		return EXIT_USAGE;
	}
	if (!join(target, output, ""))
		return verb_error("-o %s: %s", output, strerror(errno));
	status = check_existing(output, target);
	if (!status)
		status = check_sibling(target, ".truth");
	return status ? status : check_sibling(target, ".code");
}

/* Lock the directory. The lock ends with the last process of the run. */
static int lock(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

/*
 * Make the directory that the plugin writes to. A traced program that gives up the user ID of root
 * can still write there, because it has the directory open. Other users cannot: they cannot enter
 * the directory of the run.
 */
static int make_streams(const char *directory)
{
	char path[PATH_MAX];

	if (!join(path, directory, RUN_STREAMS) || mkdir(path, 0700) || chmod(path, 0777))
		return path_error(path);
	return 0;
}

int place_make(struct run *run)
{
	if (asprintf(&run->directory, "%s.run-XXXXXX", run->target) < 0) {
		run->directory = NULL;
		return verb_error("not enough memory");
	}
	if (!mkdtemp(run->directory)) {
		int status = verb_error("%s: %s; choose another -o FILE", run->directory,
					strerror(errno));

		free(run->directory);
		run->directory = NULL;
		return status;
	}
	run->lock = lock(run->directory);
	return run->lock < 0 ? path_error(run->directory) : make_streams(run->directory);
}

int place_open(struct run *run, const char *directory)
{
	size_t length;

	run->directory = realpath(directory, NULL);
	if (!run->directory)
		return path_error(directory);
	length = strlen(run->directory);
	if (length <= SUFFIX_LENGTH ||
	    strncmp(run->directory + length - SUFFIX_LENGTH, ".run-", 5) != 0)
		return verb_error("%s: this is not the directory of a run, FILE.run-...",
				  directory);
	join(run->target, run->directory, "");
	run->target[length - SUFFIX_LENGTH] = '\0';
	run->lock = lock(run->directory);
	if (run->lock < 0 && errno == EWOULDBLOCK)
		return verb_error("%s: the run has not ended yet", directory);
	return run->lock < 0 ? path_error(directory) : 0;
}

/* Create an empty file, which marks a state of the run. */
static int mark(const char *directory, const char *name)
{
	char path[PATH_MAX];
	int fd;

	if (!join(path, directory, name))
		return path_error(directory);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return path_error(path);
	close(fd);
	return 0;
}

bool place_is_complete(const char *directory)
{
	char path[PATH_MAX];

	return join(path, directory, "/complete") && !access(path, F_OK);
}

/* Rename a file of the directory. A file that is absent has been renamed before. */
static int give_name(const char *directory, const char *name, const char *target,
		     const char *suffix)
{
	char from[PATH_MAX], to[PATH_MAX];

	if (!join(from, directory, name) || !join(to, target, suffix))
		return path_error(target);
	if (rename(from, to) && errno != ENOENT)
		return path_error(to);
	return 0;
}

int place_finish(const char *directory, const char *target)
{
	char truth[PATH_MAX], data[PATH_MAX], old[PATH_MAX];
	struct stat status;
	int failed;

	if (!join(data, directory, "/data") || !join(truth, directory, "/no-truth") ||
	    !join(old, target, ".code"))
		return path_error(target);
	/* "data" exists until FILE has been replaced; until then FILE.code belongs to the old FILE
	 */
	if (!access(data, F_OK)) {
		if (!stat(target, &status))
			chmod(data, status.st_mode & 0777);
		failed = give_name(target, ".code", directory, "/old-code");
		if (failed)
			return failed;
		failed = give_name(directory, "/data", target, "");
		if (failed) {
			give_name(directory, "/old-code", target, ".code");
			return failed;
		}
	}
	if (!access(truth, F_OK)) {
		if (!join(old, target, ".truth") || (unlink(old) && errno != ENOENT))
			return path_error(old);
	}
	failed = give_name(directory, "/truth", target, ".truth");
	if (failed || !join(data, directory, RUN_STREAMS "/code"))
		return failed ? failed : path_error(target);
	/* the traced program can write to this directory: it may have put a link or a pipe there */
	if (!lstat(data, &status) && (!S_ISREG(status.st_mode) || chmod(data, 0644)))
		return verb_error("%s: not a regular file", data);
	return give_name(directory, RUN_STREAMS "/code", target, ".code");
}

int place_put(const struct run *run, bool truth)
{
	int status = truth ? 0 : mark(run->directory, "/no-truth");

	if (!status)
		status = mark(run->directory, "/complete");
	return status ? status : place_finish(run->directory, run->target);
}

void place_keep(const struct run *run)
{
	mark(run->directory, "/keep");
}

static bool remove_flat(const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
	return !rmdir(directory) || errno == ENOENT;
}

bool place_remove(const char *directory)
{
	char path[PATH_MAX];

	return join(path, directory, RUN_STREAMS) && remove_flat(path) && remove_flat(directory);
}

/* Finish or remove the directory of a run that was killed. */
static void clean(const char *directory, const char *target)
{
	char path[PATH_MAX];
	int fd;

	/* do nothing if the user keeps it, or the run is just beginning */
	if (!join(path, directory, "/keep") || !access(path, F_OK) ||
	    !join(path, directory, RUN_STREAMS "/control") || access(path, F_OK))
		return;
	fd = lock(directory);
	if (fd < 0)
		return;
	if (!place_is_complete(directory)) {
		verb_error("%s, left by a run that was killed, is removed", directory);
		place_remove(directory);
	} else if (!place_finish(directory, target)) {
		verb_error("%s, left by a run that was killed, was complete: it is now %s",
			   directory, target);
		place_remove(directory);
	}
	close(fd);
}

void place_clean(const char *target)
{
	const char *slash = strrchr(target, '/'), *base = slash ? slash + 1 : target;
	char parent[PATH_MAX], path[PATH_MAX];
	size_t length = strlen(base);
	struct dirent *entry;
	DIR *dir;

	snprintf(parent, sizeof(parent), "%.*s", (int)(base - target), target);
	dir = opendir(*parent ? parent : ".");
	while (dir && (entry = readdir(dir)) != NULL) {
		if (!strncmp(entry->d_name, base, length) &&
		    !strncmp(entry->d_name + length, ".run-", 5) &&
		    strlen(entry->d_name) == length + SUFFIX_LENGTH &&
		    join(path, parent, entry->d_name))
			clean(path, target);
	}
	if (dir)
		closedir(dir);
}
