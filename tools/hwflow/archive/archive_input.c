// SPDX-License-Identifier: GPL-2.0-only
/*
 * Archives as recordings: unpacked to a directory of their own. A process of its own removes the
 * directory as soon as this one has ended, in whatever way.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/temporary.h"
#include "tar.h"

/* as many recordings as a verb has */
#define ARCHIVES 2

/**
 * struct unpacked - an archive that was unpacked; all of them live until the process ends
 * @directory: where it is
 * @recording: the recording in it
 * @files: files of the machine recorded
 */
struct unpacked {
	char directory[PATH_MAX];
	char recording[PATH_MAX];
	char files[PATH_MAX];
};

static struct unpacked all[ARCHIVES];
static size_t count;

/* the directory of all archives; "" before there is one */
static char parent[PATH_MAX - 64];

/* the end of a pipe whose other end the cleaner reads, and the cleaner */
static int alive = -1;
static pid_t cleaner = -1;

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	/* go on with the others */
	remove(path);
	return 0;
}

/* The cleaner; all signals are blocked. */
static void clean(const char *directory, int end)
{
	char byte;

	/* a reader of the command's output must not wait for this process */
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		close(fd);
	/* the pipe is closed when the other process ends */
	while (read(end, &byte, 1) < 0 && errno == EINTR)
		;
	nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	_exit(0);
}

void archive_remove_inputs(void)
{
	if (alive < 0)
		return;
	close(alive);
	alive = -1;
	count = 0;
	*parent = '\0';
	while (waitpid(cleaner, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Starts the process that removes the directory. Returns 0 or -errno. */
static int start_cleaner(const char *directory)
{
	static bool is_registered;
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	cleaner = fork();
	if (!cleaner) {
		close(ends[1]);
		clean(directory, ends[0]);
	}
	error = cleaner < 0 ? -errno : 0;
	close(ends[0]);
	if (error) {
		close(ends[1]);
		return error;
	}
	alive = ends[1];
	/* the directory is gone when the process has ended */
	if (!is_registered)
		atexit(archive_remove_inputs);
	is_registered = true;
	return 0;
}

/* The directory of all archives of this command. Returns 0 or -errno. */
static int make_parent(void)
{
	sigset_t every, before;
	int error = 0;

	if (snprintf(parent, sizeof(parent), "%s/hwflow-XXXXXX", temporary_directory()) >=
	    (int)sizeof(parent))
		return -ENAMETOOLONG;
	/* a signal between the two calls would leave the directory behind */
	sigfillset(&every);
	sigprocmask(SIG_SETMASK, &every, &before);
	if (!mkdtemp(parent))
		error = -errno;
	else if ((error = start_cleaner(parent)))
		rmdir(parent);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* A new directory for an archive. Returns 0 or -errno. */
static int make_directory(char directory[PATH_MAX])
{
	const int error = *parent ? 0 : make_parent();

	if (error) {
		*parent = '\0';
		return error;
	}
	snprintf(directory, PATH_MAX, "%s/%zu", parent, count);
	return mkdir(directory, 0700) ? -errno : 0;
}

bool archive_is_archive(const char *path)
{
	static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
	const int fd = input_file_open(path, 0, NULL);
	uint8_t bytes[sizeof(magic)];
	bool found;

	if (fd < 0)
		return false;
	found = read(fd, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes) &&
		!memcmp(bytes, magic, sizeof(magic));
	close(fd);
	return found;
}

/* What the manifest says; NULL, or the reason why it cannot be used */
static const char *read_manifest(struct unpacked *unpacked)
{
	char path[PATH_MAX + 32], version[64] = "", line[TAR_NAME + 16] = "";
	const char *reason = NULL;
	FILE *file;

	snprintf(path, sizeof(path), "%s/" ARCHIVE_MANIFEST, unpacked->directory);
	file = input_file_stream(path, 0);
	if (!file || !fgets(version, sizeof(version), file) || !fgets(line, sizeof(line), file))
		reason = "its first file is damaged";
	if (file)
		fclose(file);
	if (reason)
		return reason;
	version[strcspn(version, "\n")] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (strcmp(version, ARCHIVE_VERSION) != 0)
		return "it was made by a newer hwflow";
	if (strncmp(line, "recording ", 10) != 0 || !tar_name_is_safe(line + 10) ||
	    strchr(line + 10, '/'))
		return "its first file is damaged";
	if (snprintf(unpacked->recording, PATH_MAX, "%s/" ARCHIVE_RECORDING "/%s",
		     unpacked->directory, line + 10) >= PATH_MAX)
		return "the name of its recording is too long";
	snprintf(unpacked->files, PATH_MAX, "%.*s/" ARCHIVE_FILES, PATH_MAX - 16,
		 unpacked->directory);
	return NULL;
}

static int unpack(const char *archive, struct unpacked **result)
{
	struct unpacked *unpacked = &all[count];
	char message[ARCHIVE_MESSAGE];
	const char *reason;
	int error = make_directory(unpacked->directory);

	if (error) {
		input_error(temporary_directory(), UINT64_MAX,
			    "no directory to unpack an archive: %s; TMPDIR names another directory",
			    strerror(-error));
		return EXIT_UNREADABLE;
	}
	if (archive_unpack(archive, unpacked->directory, message)) {
		input_error(archive, UINT64_MAX, "%s", message);
		return EXIT_UNREADABLE;
	}
	reason = read_manifest(unpacked);
	/* an archive may have no program file */
	if (!reason && mkdir(unpacked->files, 0700) && errno != EEXIST)
		reason = strerror(errno);
	if (!reason && access(unpacked->recording, F_OK))
		reason = "it has no recording";
	if (reason) {
		input_error(archive, UINT64_MAX, "%s", reason);
		return EXIT_UNREADABLE;
	}
	count++;
	*result = unpacked;
	return 0;
}

int archive_open_inputs(struct input_options *options)
{
	struct unpacked *unpacked;
	int status = 0;

	options->shown = options->path;
	options->second_shown = options->second_path;
	options->second_symfs = options->symfs;
	options->given_symfs = options->symfs;
	if (options->protocol)
		return 0;
	if (archive_is_archive(options->path)) {
		status = unpack(options->path, &unpacked);
		if (status)
			return status;
		options->path = unpacked->recording;
		if (!options->symfs)
			options->symfs = unpacked->files;
	}
	if (options->second_path && archive_is_archive(options->second_path)) {
		status = unpack(options->second_path, &unpacked);
		if (status)
			return status;
		options->second_path = unpacked->recording;
		if (!options->second_symfs)
			options->second_symfs = unpacked->files;
	}
	return 0;
}
