/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For the kselftests that trace themselves: the two rings of an event, and how they are read.
 */
#ifndef SELFTESTS_DRIVER_RING_H
#define SELFTESTS_DRIVER_RING_H

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RING_DATA_PAGES 8

struct ring {
	struct perf_event_mmap_page *head;
	uint8_t *data, *aux;
	uint64_t tail;
};

static inline void *ring_map_part(int fd, size_t size, off_t at, int rights)
{
	void *where = mmap(NULL, size, rights, MAP_SHARED, fd, at);

	if (where == MAP_FAILED) {
		printf("# mmap: %s\n", strerror(errno));
		exit(2);
	}
	return where;
}

/* The rings of an event, its AUX area of so many bytes; it ends with status 2 if they are not given */
static inline struct ring ring_map(int fd, uint64_t aux_size, bool snapshot)
{
	const size_t data_end = (1 + RING_DATA_PAGES) * (size_t)getpagesize();
	const int both = PROT_READ | PROT_WRITE;
	struct ring ring = { .head = ring_map_part(fd, data_end, 0, both) };

	ring.data = (uint8_t *)ring.head + ring.head->data_offset;
	ring.head->aux_offset = data_end;
	ring.head->aux_size = aux_size;
	ring.aux = ring_map_part(fd, aux_size, (off_t)data_end, snapshot ? PROT_READ : both);
	return ring;
}

/*
 * All records that are there: take() gets each AUX record's offset, size and flags. Up to where the
 * AUX area is written, for ring_free().
 */
static inline uint64_t ring_read(struct ring *ring, void (*take)(const uint64_t *words))
{
	const struct perf_event_mmap_page *head = ring->head;
	const uint64_t end = __atomic_load_n(&head->data_head, __ATOMIC_ACQUIRE);
	const uint64_t aux_end = __atomic_load_n(&head->aux_head, __ATOMIC_ACQUIRE);

	while (ring->tail < end) {
		struct perf_event_header header;
		uint64_t record[64];

		for (unsigned int i = 0; i < sizeof(header); i++)
			((uint8_t *)&header)[i] = ring->data[(ring->tail + i) % head->data_size];
		for (unsigned int i = 0; i < header.size && i < sizeof(record); i++)
			((uint8_t *)record)[i] = ring->data[(ring->tail + i) % head->data_size];
		if (header.type == PERF_RECORD_AUX)
			take(record + 1);
		ring->tail += header.size;
	}
	return aux_end;
}

/* What was read may be written over. */
static inline void ring_free(struct ring *ring, uint64_t aux_end)
{
	__atomic_store_n(&ring->head->data_tail, ring->tail, __ATOMIC_RELEASE);
	__atomic_store_n(&ring->head->aux_tail, aux_end, __ATOMIC_RELEASE);
}

#endif
