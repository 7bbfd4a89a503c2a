// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault CPU [snapshot] - traces itself on a CPU, or where it runs if that is -1, whose trace buffer cannot
 * write, each so many bytes, and turns its event on once: behind each record that a fault has ended
 * there is another one, and trace from before a fault is kept.
 *
 * With stock perf that is not seen: it turns its event on again each time it has read trace.
 */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <time.h>

#include "pmu.h"
#include "ring.h"

#define AUX_PAGES 64
#define SECONDS	  60
#define STEPS	  4000
#define FAULTS	  6

static unsigned int faults, kept, continued;
static bool faulted;
static volatile uint64_t sink;

/* Of an AUX record: offset, size, flags. Without room there is no PARTIAL. */
static void take(const uint64_t *words)
{
	const uint64_t fault = PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL;

	if (faulted && words[1]) {
		continued++;
		faulted = false;
	}
	if ((words[2] & fault) == fault) {
		faults++;
		kept += words[1] != 0;
		faulted = true;
	}
}

static void work(uint64_t seed)
{
	for (unsigned int i = 0; i < STEPS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		if (seed >> 60 & 1)
			sink += seed;
	}
}

/* An event of that CPU, where this thread then is, or of the thread */
static int open_on(int cpu)
{
	const struct perf_event_attr attr = pmu_make_attr();
	cpu_set_t set;

	if (cpu < 0)
		return pmu_open(&attr, 0, -1);
	CPU_ZERO(&set);
	CPU_SET((unsigned int)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return -1;
	return pmu_open(&attr, -1, cpu);
}

int main(int argc, char **argv)
{
	const int fd = open_on(argc > 1 ? atoi(argv[1]) : -1);
	const time_t end = time(NULL) + SECONDS;
	struct ring ring;

	if (fd < 0) {
		printf("# perf_event_open: %s\n", strerror(errno));
		return 2;
	}
	ring = ring_map(fd, AUX_PAGES * (uint64_t)getpagesize(), argc > 2);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (uint64_t round = 1; continued < FAULTS && time(NULL) < end; round++) {
		work(round);
		ring_free(&ring, ring_read(&ring, take));
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ring_free(&ring, ring_read(&ring, take));
	printf("# %u faults; before %u of them there is trace, behind %u\n", faults, kept,
	       continued);
	return continued < FAULTS || !kept;
}
