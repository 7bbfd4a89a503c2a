// SPDX-License-Identifier: GPL-2.0-only
/* hwflow emulate: files that the programs had mapped. */
#include "emulate_kept.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "emulate.h"

/**
 * struct kept_file - a file that was mapped
 * @identity: as the plugin has it
 * @status: when it was received
 * @fd: of it
 * @page: of the file "code" where its contents begin, if they are saved
 * @saved: are they?
 */
struct kept_file {
	struct run_kept identity;
	struct stat status;
	int fd;
	uint32_t page;
	bool saved;
};

/**
 * struct kept - all of them
 * @socket: where they come from
 * @most: descriptors from here on are for the threads' traces
 * @files: in order of their arrival
 * @count: how many
 * @room: room for how many
 */
struct kept {
	int socket;
	rlim_t most;
	struct kept_file *files;
	size_t count;
	size_t room;
};

void kept_open(struct run *run)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	struct kept *kept = calloc(1, sizeof(*kept));
	struct rlimit limit;
	char path[PATH_MAX];
	int directory;

	if (!kept)
		return;
	kept->most = getrlimit(RLIMIT_NOFILE, &limit) ? 0 : limit.rlim_max / 2;
	snprintf(path, sizeof(path), "%s" RUN_STREAMS, run->directory);
	directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	kept->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* the path may be longer than a socket's name */
	snprintf(name.sun_path, sizeof(name.sun_path), "/proc/self/fd/%d" RUN_KEPT, directory);
	if (directory >= 0 && kept->socket >= 0 &&
	    !bind(kept->socket, (struct sockaddr *)&name, sizeof(name)) &&
	    !chmod(name.sun_path, 0666)) {
		run->kept = kept;
	} else {
		if (kept->socket >= 0)
			close(kept->socket);
		free(kept);
	}
	if (directory >= 0)
		close(directory);
}

static bool same_identity(const struct run_kept *a, const struct run_kept *b)
{
	return a->inode == b->inode && a->device_major == b->device_major &&
	       a->device_minor == b->device_minor;
}

/* The file, and not written to since */
static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static struct kept_file *find(const struct kept *kept, const struct run_kept *identity)
{
	for (size_t i = 0; i < kept->count; i++)
		if (same_identity(&kept->files[i].identity, identity))
			return &kept->files[i];
	return NULL;
}

/* Keep a file once. Without memory, and if it is none, it is closed. */
static void add(struct kept *kept, const struct run_kept *identity, int fd)
{
	struct kept_file file = {.identity = *identity, .fd = fd};
	struct kept_file *more;

	if ((rlim_t)fd >= kept->most || find(kept, identity) || fstat(fd, &file.status) ||
	    !S_ISREG(file.status.st_mode)) {
		close(fd);
		return;
	}
	if (kept->count == kept->room) {
		more = reallocarray(kept->files, kept->room ? 2 * kept->room : 32, sizeof(*more));
		if (!more) {
			close(fd);
			return;
		}
		kept->files = more;
		kept->room = kept->room ? 2 * kept->room : 32;
	}
	kept->files[kept->count++] = file;
}

/* The next file; -1 if none has come, or the message is not one of the plugin's */
static int receive(const struct kept *kept, struct run_kept *identity, bool *more)
{
	union {
		struct cmsghdr head;
		uint8_t bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec data = {.iov_base = identity, .iov_len = sizeof(*identity)};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	const ssize_t size = recvmsg(kept->socket, &message, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	int fd = -1;

	*more = size >= 0;
	if (size < 0 || !head || head->cmsg_type != SCM_RIGHTS ||
	    head->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -1;
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	if (size == sizeof(*identity))
		return fd;
	close(fd);
	return -1;
}

void kept_take(struct run *run)
{
	struct run_kept identity;
	bool more = run->kept != NULL;

	while (more) {
		const int fd = receive(run->kept, &identity, &more);

		if (fd >= 0)
			add(run->kept, &identity, fd);
	}
}

/* Append the whole file to the file "code", from the next page on. */
static int save(const struct run *run, struct kept_file *file)
{
	const uint64_t size = (uint64_t)file->status.st_size;
	char path[PATH_MAX];
	off_t to, from = 0;
	int code;

	snprintf(path, sizeof(path), "%s" RUN_STREAMS "/code", run->directory);
	code = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (code < 0)
		return verb_error("%s: %s", path, strerror(errno));
	file->page = run->control->next_page;
	to = (off_t)file->page * RUN_PAGE;
	while ((uint64_t)from < size) {
		const ssize_t done = copy_file_range(file->fd, &from, code, &to,
						     (size_t)(size - (uint64_t)from), 0);

		if (done <= 0) {
			close(code);
			return verb_error("%s: %s", path,
					     done ? strerror(errno) : "the file became shorter");
		}
	}
	close(code);
	run->control->next_page += (uint32_t)((size + RUN_PAGE - 1) / RUN_PAGE);
	file->saved = true;
	return 0;
}

/* Does the path lead to something else now, while the file is as it was? */
static bool is_gone(const struct kept_file *file, const char *path)
{
	struct stat now;

	return (stat(path, &now) || !same_file(&now, &file->status)) && !fstat(file->fd, &now) &&
	       same_file(&now, &file->status);
}

int kept_save(struct run *run)
{
	int status = 0;

	for (size_t i = 0; run->kept && i < run->happening_count && !status; i++) {
		struct run_event *event = &run->happenings[i].event;
		const struct run_kept identity = {.device_major = event->device_major,
						  .device_minor = event->device_minor,
						  .inode = event->d};
		struct kept_file *file;

		if (event->kind != RUN_MAP)
			continue;
		file = find(run->kept, &identity);
		if (!file || !is_gone(file, run->happenings[i].text))
			continue;
		if (!file->saved)
			status = save(run, file);
		event->kind = RUN_CODE;
		event->c += (uint64_t)file->page * RUN_PAGE;
		event->d = event->device_major = event->device_minor = 0;
	}
	return status;
}

void kept_free(struct run *run)
{
	if (!run->kept)
		return;
	for (size_t i = 0; i < run->kept->count; i++)
		close(run->kept->files[i].fd);
	close(run->kept->socket);
	free(run->kept->files);
	free(run->kept);
	run->kept = NULL;
}
