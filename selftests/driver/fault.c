// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault CPU [snapshot] - traces itself on a CPU, or where it runs if that is -1, whose trace buffer cannot
 * write, each so many bytes, and turns its event on once: behind each record that a fault has ended
 * there is another one.
 *
 * With stock perf that is not seen: it turns its event on again each time it has read trace.
 */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

#include "pmu.h"

#define AUX_PAGES  64
#define DATA_PAGES 8
#define SECONDS	   60
#define STEPS	   4000
#define FAULTS	   6

static struct perf_event_mmap_page *head;
static uint8_t *data;
static uint64_t data_tail;
static unsigned int faults, continued;
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
		faulted = true;
	}
}

/* All records that are there; what they were about is free then. */
static void drain(void)
{
	const uint64_t end = __atomic_load_n(&head->data_head, __ATOMIC_ACQUIRE);
	const uint64_t aux_end = __atomic_load_n(&head->aux_head, __ATOMIC_ACQUIRE);

	while (data_tail < end) {
		struct perf_event_header header;
		uint64_t record[64];

		for (unsigned int i = 0; i < sizeof(header); i++)
			((uint8_t *)&header)[i] = data[(data_tail + i) % head->data_size];
		for (unsigned int i = 0; i < header.size && i < sizeof(record); i++)
			((uint8_t *)record)[i] = data[(data_tail + i) % head->data_size];
		if (header.type == PERF_RECORD_AUX)
			take(record + 1);
		data_tail += header.size;
	}
	__atomic_store_n(&head->data_tail, data_tail, __ATOMIC_RELEASE);
	__atomic_store_n(&head->aux_tail, aux_end, __ATOMIC_RELEASE);
}

static void work(uint64_t seed)
{
	for (unsigned int i = 0; i < STEPS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		if (seed >> 60 & 1)
			sink += seed;
	}
}

static void *map(int fd, size_t size, off_t at, int rights)
{
	void *where = mmap(NULL, size, rights, MAP_SHARED, fd, at);

	if (where == MAP_FAILED) {
		printf("# mmap: %s\n", strerror(errno));
		exit(2);
	}
	return where;
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
	const size_t page = (size_t)getpagesize();
	const int both = PROT_READ | PROT_WRITE;
	const int fd = open_on(argc > 1 ? atoi(argv[1]) : -1);
	const time_t end = time(NULL) + SECONDS;

	if (fd < 0) {
		printf("# perf_event_open: %s\n", strerror(errno));
		return 2;
	}
	head = map(fd, (1 + DATA_PAGES) * page, 0, both);
	data = (uint8_t *)head + head->data_offset;
	head->aux_offset = (1 + DATA_PAGES) * page;
	head->aux_size = AUX_PAGES * page;
	map(fd, head->aux_size, (off_t)head->aux_offset, argc > 2 ? PROT_READ : both);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (uint64_t round = 1; continued < FAULTS && time(NULL) < end; round++) {
		work(round);
		drain();
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	drain();
	printf("# %u faults; behind %u of them there is trace\n", faults, continued);
	return continued < FAULTS;
}
