// SPDX-License-Identifier: GPL-2.0-only
/*
 * The only file that uses headers of libperf that are not public. They are of Linux 6.12: struct
 * perf_mmap with base, fd and cpu, struct perf_evsel with attr, fd and leader. The assertions below
 * fail if another version has other members.
 */
#include "aux_mmap.h"

#include <errno.h>
#include <internal/evlist.h>
#include <internal/evsel.h>
#include <internal/mmap.h>
#include <internal/xyarray.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perfdata/perfdata.h"

_Static_assert(__builtin_types_compatible_p(__typeof__(((struct perf_mmap *)0)->base), void *) &&
		       __builtin_types_compatible_p(__typeof__(((struct perf_mmap *)0)->fd), int) &&
		       __builtin_types_compatible_p(__typeof__(((struct perf_mmap *)0)->cpu),
						    struct perf_cpu) &&
		       __builtin_types_compatible_p(__typeof__(((struct perf_evsel *)0)->fd),
						    struct xyarray *),
	       "the members of libperf of Linux 6.12");
_Static_assert(sizeof(struct perf_event_attr) == PERF_ATTR_SIZE_VER8,
	       "struct perf_event_attr as libperf of Linux 6.12 was built with");

/*
 * Since Linux 6.13 the word after aux_sample_size is aux_action, and this bit of it is aux_pause.
 * In the header of libperf the word is reserved.
 */
#define AUX_ACTION_PAUSE (1u << 1)

static struct perf_event_mmap_page *ring_page(const struct perf_mmap *ring)
{
	return ring->base;
}

/* The ring is its first page and a power of two of pages; libperf's mask is of the latter. */
static uint64_t ring_size(const struct perf_mmap *ring)
{
	return (uint64_t)ring->mask + 1 + (uint64_t)sysconf(_SC_PAGESIZE);
}

int aux_area_map(struct aux_area *area, const struct perf_mmap *ring, size_t size, bool overwrite)
{
	struct perf_event_mmap_page *page = ring_page(ring);
	const int protection = overwrite ? PROT_READ : PROT_READ | PROT_WRITE;
	void *base;

	page->aux_offset = ring_size(ring);
	page->aux_size = size;
	base = mmap(NULL, size, protection, MAP_SHARED, ring->fd, (off_t)page->aux_offset);
	if (base == MAP_FAILED)
		return -errno;
	*area = (struct aux_area){.base = base, .size = size, .page = page, .overwrite = overwrite};
	return 0;
}

void aux_area_unmap(struct aux_area *area)
{
	if (area->base)
		munmap(area->base, area->size);
	area->base = NULL;
}

uint64_t aux_area_head(const struct aux_area *area)
{
	return __atomic_load_n(&area->page->aux_head, __ATOMIC_ACQUIRE);
}

void aux_area_consume(struct aux_area *area, uint64_t tail)
{
	area->tail = tail;
	__atomic_store_n(&area->page->aux_tail, tail, __ATOMIC_RELEASE);
}

void aux_ring_clock(const struct perf_mmap *ring, struct perfdata_clock *clock)
{
	const struct perf_event_mmap_page *page = ring_page(ring);
	uint32_t sequence;

	/* the kernel increments the lock before and after it changes the page */
	do {
		sequence = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		*clock = (struct perfdata_clock){
			.known = page->cap_user_time_zero,
			.is_short = page->cap_user_time_short,
			.shift = (uint8_t)page->time_shift,
			.mult = page->time_mult,
			.zero = page->time_zero,
		};
		if (clock->is_short) {
			clock->cycles = page->time_cycles;
			clock->mask = page->time_mask;
		}
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (sequence & 1 || sequence != __atomic_load_n(&page->lock, __ATOMIC_RELAXED));
}

int aux_ring_cpu(const struct perf_mmap *ring)
{
	return ring->cpu.cpu;
}

int aux_ring_fd(const struct perf_mmap *ring)
{
	return ring->fd;
}

int aux_event_fd(const struct perf_evsel *event, int cpu, int thread)
{
	const int *fd = event->fd ? xyarray__entry(event->fd, (size_t)cpu, (size_t)thread) : NULL;

	return fd ? *fd : -1;
}

void aux_event_set_everywhere(struct perf_evlist *events, struct perf_evsel *event)
{
	perf_evlist__go_system_wide(events, event);
}

void aux_event_set_pause(struct perf_evsel *event, struct perf_evsel *trace)
{
	event->leader = trace ? trace : event;
	event->attr.__reserved_3 = trace ? AUX_ACTION_PAUSE : 0;
}
