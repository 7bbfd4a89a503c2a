// SPDX-License-Identifier: GPL-2.0-only
#include "uevents.h"

/* for netlink.h: linux/types.h of libperf does not include it */
#include <linux/posix_types.h>

#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

/* the messages of the kernel itself, not those that udev sends on */
#define KERNEL_GROUP 1

int record_uevents_open(void)
{
	const struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP};
	const int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		return -1;
	}
	return fd;
}
