// SPDX-License-Identifier: GPL-2.0-only
/* CPU time of the process on one core, and instructions where the machine counts them. */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

static int counter = -1;
static struct timespec started;

/* The core asked for, or the last one that is allowed */
static void pin(int core)
{
	cpu_set_t set;

	if (core < 0) {
		if (sched_getaffinity(0, sizeof(set), &set))
			return;
		for (unsigned int i = 0; i < CPU_SETSIZE; i++) {
			if (CPU_ISSET(i, &set))
				core = (int)i;
		}
	}
	CPU_ZERO(&set);
	CPU_SET((unsigned int)core, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fprintf(stderr, "bench_ete: core %d: %s; not bound to a core\n", core,
			strerror(errno));
}

void bench_meter_open(int core)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	pin(core);
	counter = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

void bench_meter_start(void)
{
	if (counter >= 0) {
		ioctl(counter, PERF_EVENT_IOC_RESET, 0);
		ioctl(counter, PERF_EVENT_IOC_ENABLE, 0);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &started);
}

struct bench_cost bench_meter_stop(void)
{
	struct bench_cost cost = {0};
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	cost.seconds = (double)(now.tv_sec - started.tv_sec) +
		       (double)(now.tv_nsec - started.tv_nsec) * 1e-9;
	if (counter >= 0) {
		ioctl(counter, PERF_EVENT_IOC_DISABLE, 0);
		if (read(counter, &cost.instructions, sizeof(cost.instructions)) !=
		    (ssize_t)sizeof(cost.instructions))
			cost.instructions = 0;
	}
	return cost;
}
