// SPDX-License-Identifier: GPL-2.0-only
/* hwflow emulate: files that the programs had mapped. */
#include "emulate_kept.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input_file.h"
#include "emulate.h"

#define BUFFER_SIZE ((size_t)1 << 16)

/**
 * struct kept_file - a file that is not as it was any more
 * @identity: when its code was executed
 * @page: of the file "code" where its contents begin
 * @error: 0 or a negative errno: why the contents are not in the file "code"
 */
struct kept_file {
	struct run_identity identity;
	uint32_t page;
	int error;
};

static int compare_files(const void *a, const void *b)
{
	const struct kept_file *x = a, *y = b;

	return memcmp(&x->identity, &y->identity, sizeof(x->identity));
}

/* Is the file as it was? */
static bool is_same(const struct run_identity *identity, const struct stat *now)
{
	return now->st_dev == identity->device && now->st_ino == identity->inode &&
	       (uint64_t)now->st_size == identity->size &&
	       (uint64_t)now->st_ctim.tv_sec * UINT64_C(1000000000) +
			       (uint64_t)now->st_ctim.tv_nsec ==
		       identity->changed;
}

/* Open the copy of a file, which must be complete; a negative errno if there is none. */
static int open_copy(const struct run *run, const struct run_identity *identity)
{
	char path[PATH_MAX + 128];
	uint64_t size;
	int fd;

	snprintf(path, sizeof(path), "%s" RUN_STREAMS "/" RUN_KEPT, run->directory,
		 identity->device, identity->inode, identity->changed, identity->size);
	fd = input_file_open(path, strlen(run->directory), &size);
	if (fd >= 0 && size != identity->size) {
		close(fd);
		return -EIO;
	}
	return fd;
}

/* Do both files have the same @size bytes? */
static bool same_contents(int a, int b, uint64_t size)
{
	uint8_t *buffer = malloc(2 * BUFFER_SIZE);
	uint64_t at = 0;
	bool same = buffer != NULL;

	while (same && at < size) {
		const ssize_t first = pread(a, buffer, BUFFER_SIZE, (off_t)at);

		same = first > 0 &&
		       pread(b, buffer + BUFFER_SIZE, (size_t)first, (off_t)at) == first &&
		       !memcmp(buffer, buffer + BUFFER_SIZE, (size_t)first);
		at += same ? (uint64_t)first : 0;
	}
	free(buffer);
	return same;
}

/* Does the path lead to a file with the contents of the copy? */
static bool has_contents(const struct run *run, const struct run_identity *identity,
			 const char *path)
{
	const int copy = open_copy(run, identity);
	uint64_t size;
	int fd;
	bool same = false;

	if (copy < 0)
		return false;
	fd = input_file_open(path, 0, &size);
	if (fd >= 0) {
		same = size == identity->size && same_contents(copy, fd, size);
		close(fd);
	}
	close(copy);
	return same;
}

/* Append a copy to the file "code", from the next page on. Returns 0 or a negative errno. */
static int append(struct run *run, struct kept_file *file, int from)
{
	const uint64_t size = file->identity.size;
	off_t to = (off_t)run->control->next_page * RUN_PAGE, at = 0;
	char path[PATH_MAX];
	ssize_t done = 1;
	int code;

	snprintf(path, sizeof(path), "%s" RUN_STREAMS "/code", run->directory);
	code = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (code < 0)
		return -errno;
	while ((uint64_t)at < size && done > 0)
		done = copy_file_range(from, &at, code, &to, (size_t)(size - (uint64_t)at), 0);
	if (done <= 0) {
		done = done ? -errno : -EIO;
		close(code);
		return (int)done;
	}
	close(code);
	file->page = run->control->next_page;
	run->control->next_page += (uint32_t)((size + RUN_PAGE - 1) / RUN_PAGE);
	return 0;
}

static void save(struct run *run, struct kept_file *file, const struct run_happening *happening)
{
	int fd;

	if (happening->event.kept != RUN_KEPT_COPY) {
		file->error = happening->event.kept < 0 ? (int)happening->event.kept : -EPERM;
	} else {
		fd = open_copy(run, &file->identity);
		file->error = fd < 0 ? fd : append(run, file, fd);
		if (fd >= 0)
			close(fd);
	}
	if (file->error)
		verb_error("%s: the file was changed after its code was executed, and there is "
			   "no copy of it: %s; the code is a gap",
			   happening->text,
			   file->error == -EPERM ? "only another user could change it"
						 : strerror(-file->error));
}

/* The file of this identity, which is saved if it is a new one; NULL without memory */
static struct kept_file *find(struct run *run, void **tree, const struct run_happening *happening)
{
	struct kept_file *file = calloc(1, sizeof(*file)), **found;

	if (!file)
		return NULL;
	file->identity = happening->event.file;
	found = tsearch(file, tree, compare_files);
	if (!found || *found != file) {
		free(file);
		return found ? *found : NULL;
	}
	save(run, file, happening);
	return file;
}

/* A mapping of a file that is not there any more, under the name that the kernel gives one */
static int lose(struct run_happening *happening)
{
	char *name;

	if (asprintf(&name, "%s (deleted)", happening->text) < 0)
		return verb_error("not enough memory");
	free(happening->text);
	happening->text = name;
	return 0;
}

/* Is the code of a mapping in the file that its path leads to now? */
static bool is_there(const struct run *run, struct run_happening *happening)
{
	struct run_event *event = &happening->event;
	struct stat now;

	if (stat(happening->text, &now))
		return false;
	if (is_same(&event->file, &now))
		return true;
	if (event->kept != RUN_KEPT_COPY || !has_contents(run, &event->file, happening->text))
		return false;
	/* another file under this path would be another program */
	event->device_major = major(now.st_dev);
	event->device_minor = minor(now.st_dev);
	event->d = now.st_ino;
	return true;
}

static int save_mapping(struct run *run, void **tree, struct run_happening *happening)
{
	struct run_event *event = &happening->event;
	const struct kept_file *file;

	if (event->kind != RUN_MAP || !event->file.changed || !happening->text ||
	    is_there(run, happening))
		return 0;
	file = find(run, tree, happening);
	if (!file)
		return verb_error("not enough memory");
	if (file->error)
		return lose(happening);
	event->kind = RUN_CODE;
	event->c += (uint64_t)file->page * RUN_PAGE;
	event->d = event->device_major = event->device_minor = 0;
	return 0;
}

int kept_save(struct run *run)
{
	void *tree = NULL;
	int status = 0;

	for (size_t i = 0; i < run->happening_count && !status; i++)
		status = save_mapping(run, &tree, &run->happenings[i]);
	tdestroy(tree, free);
	return status;
}
