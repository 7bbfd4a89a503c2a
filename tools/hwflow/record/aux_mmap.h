/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AUX areas, which libperf does not map: each is attached to a ring of libperf's, and mapped
 * through the file descriptor of the event that owns the ring.
 */
#ifndef HWFLOW_RECORD_AUX_MMAP_H
#define HWFLOW_RECORD_AUX_MMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;
struct perf_evlist;
struct perf_evsel;
struct perf_mmap;
struct perfdata_clock;

/**
 * struct aux_area - an AUX area
 * @base: its first byte
 * @size: bytes of it, a power of two
 * @page: the first page of its ring, which has its head and tail
 * @overwrite: the driver overwrites old trace, and does not read the tail
 * @tail: bytes read so far, since the area was mapped; in an area that is overwritten, its head at
 *	the last snapshot
 */
struct aux_area {
	uint8_t *base;
	size_t size;
	struct perf_event_mmap_page *page;
	bool overwrite;
	uint64_t tail;
};

/**
 * aux_area_map() - map the AUX area of a ring
 * @area: receives the area
 * @ring: the ring, owned by an event of the trace PMU
 * @size: bytes, a power of two and a multiple of the page size
 * @overwrite: overwrite old trace
 *
 * Return: 0 or a negative errno: -EPERM if perf_event_mlock_kb is exceeded.
 */
int aux_area_map(struct aux_area *area, const struct perf_mmap *ring, size_t size, bool overwrite);

/**
 * aux_area_unmap() - undo aux_area_map()
 * @area: the area; one that is not mapped is ignored
 */
void aux_area_unmap(struct aux_area *area);

/**
 * aux_area_head() - the number of bytes that the driver has written since the area was mapped
 * @area: the area
 *
 * In an area that is overwritten the driver may report the offset modulo the size only. All bytes
 * before the head can be read after this call.
 */
uint64_t aux_area_head(const struct aux_area *area);

/**
 * aux_area_consume() - give the bytes before an offset back to the driver
 * @area: the area, which is not overwritten
 * @tail: the offset, at most aux_area_head()
 */
void aux_area_consume(struct aux_area *area, uint64_t tail);

/**
 * aux_ring_clock() - the conversion of the counter to the perf clock
 * @ring: any ring
 * @clock: receives the conversion; clock->known is false if the kernel does not give it
 */
void aux_ring_clock(const struct perf_mmap *ring, struct perfdata_clock *clock);

/**
 * aux_ring_cpu() - the CPU of a ring; -1 for the ring of a thread
 * @ring: the ring
 */
int aux_ring_cpu(const struct perf_mmap *ring);

/**
 * aux_ring_fd() - the file descriptor through which a ring was mapped
 * @ring: the ring
 */
int aux_ring_fd(const struct perf_mmap *ring);

/**
 * aux_event_fd() - the file descriptor of an event
 * @event: the event
 * @cpu: index into its map of CPUs
 * @thread: index into its map of threads
 *
 * Return: the file descriptor, or -1 if the event is not open there.
 */
int aux_event_fd(const struct perf_evsel *event, int cpu, int thread);

/**
 * aux_event_set_everywhere() - open an event on all CPUs that are online, for all threads
 * @events: the list that has the event, without maps of CPUs and threads
 * @event: the event, not open
 */
void aux_event_set_everywhere(struct perf_evlist *events, struct perf_evsel *event);

/**
 * aux_event_set_pause() - let the kernel pause trace when an event occurs, from Linux 6.13 on
 * @event: the event, not open
 * @trace: the trace event, which becomes the leader of its group; NULL: do not pause trace
 */
void aux_event_set_pause(struct perf_evsel *event, struct perf_evsel *trace);

#endif /* HWFLOW_RECORD_AUX_MMAP_H */
