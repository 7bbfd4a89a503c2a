// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that the program has mapped, for the command: a file may be replaced or removed before the
 * program ends.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "plugin.h"

/* Without a descriptor or a reader the command decodes what the path leads to at the end. */
static void give(int fd, const struct run_kept *identity)
{
	union {
		struct cmsghdr head;
		uint8_t bytes[CMSG_SPACE(sizeof(fd))];
	} control = {.head = {.cmsg_len = CMSG_LEN(sizeof(fd)),
			      .cmsg_level = SOL_SOCKET,
			      .cmsg_type = SCM_RIGHTS}};
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	struct iovec data = {.iov_base = (void *)(uintptr_t)identity, .iov_len = sizeof(*identity)};
	const struct msghdr message = {.msg_name = &name,
				       .msg_namelen = sizeof(name),
				       .msg_iov = &data,
				       .msg_iovlen = 1,
				       .msg_control = &control,
				       .msg_controllen = sizeof(control)};
	const int to = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (to < 0)
		return;
	/* the path of the directory may be longer than a socket's name */
	snprintf(name.sun_path, sizeof(name.sun_path), "/proc/self/fd/%d" RUN_KEPT,
		 plugin.directory_fd);
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	sendmsg(to, &message, MSG_NOSIGNAL);
	close(to);
}

void file_keep(const char *path, const struct run_kept *identity)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return;
	give(fd, identity);
	close(fd);
}
