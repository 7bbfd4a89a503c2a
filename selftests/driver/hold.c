// SPDX-License-Identifier: GPL-2.0-only
/*
 * hold TYPE CPU - an event of the CPU, user and kernel, whose AUX area is written over, until the process is killed.
 * stdout has "held" once the event is enabled.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ring.h"

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .sample_period = 1, .disabled = 1};
	int fd;

	if (argc < 3)
		return 2;
	attr.type = (uint32_t)atoi(argv[1]);
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, atoi(argv[2]), -1, 0);
	if (fd < 0) {
		printf("# perf_event_open: %s\n", strerror(errno));
		return 2;
	}
	ring_map(fd, 64 * (uint64_t)getpagesize(), true);
	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return 2;
	puts("held");
	fflush(stdout);
	pause();
	return 0;
}
