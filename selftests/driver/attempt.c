// SPDX-License-Identifier: GPL-2.0-only
/*
 * attempt TYPE CONFIG CONFIG1 CONFIG2 WHAT [CPU [UID]] - opens an event of this thread, or of a CPU where
 * CPU is not -1, and prints what perf_event_open() says: "ok", or the name of the error. WHAT is of
 * the letters u and k, what is to be traced, and h, not the host.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .sample_period = 1, .exclude_hv = 1};
	int cpu;

	if (argc < 6)
		return 2;
	attr.type = (unsigned int)atoi(argv[1]);
	attr.config = strtoull(argv[2], NULL, 0);
	attr.config1 = strtoull(argv[3], NULL, 0);
	attr.config2 = strtoull(argv[4], NULL, 0);
	attr.exclude_user = !strchr(argv[5], 'u');
	attr.exclude_kernel = !strchr(argv[5], 'k');
	attr.exclude_host = !!strchr(argv[5], 'h');
	cpu = argc > 6 ? atoi(argv[6]) : -1;
	if (argc > 7 && setuid((uid_t)atoi(argv[7])))
		return 2;
	if (syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1, 0) >= 0)
		puts("ok");
	else
		puts(strerrorname_np(errno));
	return 0;
}
