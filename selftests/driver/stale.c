// SPDX-License-Identifier: GPL-2.0-only
/*
 * stale TYPE PAGES [snapshot] - as a user who may do nothing, traces itself into an AUX area and reads
 * it, until it was written over a few times: no byte of a record was there before.
 *
 * A process cannot write to its AUX area. But it begins with the pattern of pattern.c, and later holds
 * older trace: what is executed is never the same again, so neither are in a new record for long.
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

#include <linux/arm_ete_pmu.h>

#include "ring.h"

/* A record's first packets, which may be equal to older ones, are 40 bytes; nothing in a trace is like
 * the pattern.
 */
#define PATTERN	   UINT64_C(0xe758c64b99a37ed1)
#define PATTERNED  4
#define SAME	   56
#define NOBODY	   65534
#define LAPS	   4

static const uint8_t *aux;
static uint8_t *before;
static uint64_t aux_size, bytes, records, stale;
static volatile uint64_t sink;

static void scan(uint64_t from, uint64_t size)
{
	uint64_t run = 0;

	for (uint64_t i = from; i < from + size; i++) {
		const uint64_t most = i < aux_size ? PATTERNED : SAME;

		/* padding tells nothing */
		if (aux[i % aux_size] == ARM_ETE_PMU_PADDING)
			continue;
		run = aux[i % aux_size] == before[i % aux_size] ? run + 1 : 0;
		if (run == most) {
			printf("# stale bytes in the record at %llu, %llu bytes, at %llu\n",
			       (unsigned long long)from, (unsigned long long)size,
			       (unsigned long long)(i - from));
			stale++;
		}
	}
	bytes += size;
	records++;
}

/* Of an AUX record: offset, size, flags. In a snapshot's the offset is its end, and what was written
 * over in it is not there.
 */
static void take(const uint64_t *words)
{
	uint64_t size = words[1];

	if (words[2] & PERF_AUX_FLAG_OVERWRITE) {
		if (size > aux_size)
			size = aux_size;
		scan(words[0] - size, size);
		return;
	}
	scan(words[0], size);
}

/* The area as the driver got it */
static int patterned(void)
{
	const uint64_t *words = (const uint64_t *)(const void *)aux;

	for (uint64_t i = 0; i < aux_size / sizeof(*words); i++)
		if (words[i] != PATTERN)
			return 0;
	return 1;
}

static uint64_t round_length(uint64_t round)
{
	return round * 7919 % 1500;
}

static void work(uint64_t seed)
{
	/* not as long as before, so that records begin elsewhere */
	for (uint64_t i = 0; i < 300 + round_length(seed); i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		if (seed >> 60 & 1)
			sink += seed;
	}
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_period = 1,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct ring ring;
	uint64_t end;
	int fd;

	if (argc < 3 || setuid(NOBODY))
		return 2;
	attr.type = (uint32_t)atoi(argv[1]);
	aux_size = strtoull(argv[2], NULL, 10) * (uint64_t)getpagesize();
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0) {
		printf("# perf_event_open: %s\n", strerror(errno));
		return 2;
	}
	ring = ring_map(fd, aux_size, argc > 3);
	aux = ring.aux;
	before = malloc(aux_size);
	if (!before)
		return 2;
	if (!patterned()) {
		printf("# the area does not hold the pattern\n");
		return 2;
	}
	memcpy(before, aux, aux_size);
	for (uint64_t round = 1; bytes < LAPS * aux_size; round++) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		work(round);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		end = ring_read(&ring, take);
		memcpy(before, aux, aux_size);
		ring_free(&ring, end);
	}
	printf("# %llu records, %llu bytes\n", (unsigned long long)records,
	       (unsigned long long)bytes);
	return stale != 0;
}
