// SPDX-License-Identifier: GPL-2.0-only
/* Memory that the program has declared to be a stack: sorted by address, none overlaps another. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "stack.h"

unsigned int regions_generation;

static struct region *regions;
static size_t region_count, region_room;
static pthread_mutex_t regions_lock = PTHREAD_MUTEX_INITIALIZER;

static void remove_locked(uint64_t low, uint64_t high)
{
	size_t kept = 0;

	for (size_t i = 0; i < region_count; i++) {
		if (regions[i].low >= high || regions[i].high <= low)
			regions[kept++] = regions[i];
	}
	if (kept != region_count)
		__atomic_add_fetch(&regions_generation, 1, __ATOMIC_RELEASE);
	region_count = kept;
}

void regions_remove(uint64_t low, uint64_t high)
{
	pthread_mutex_lock(&regions_lock);
	remove_locked(low, high);
	pthread_mutex_unlock(&regions_lock);
}

void regions_add(const struct region *region)
{
	size_t at = 0;

	if (region->low >= region->high)
		return;
	pthread_mutex_lock(&regions_lock);
	remove_locked(region->low, region->high);
	if (region_count == region_room) {
		region_room = region_room ? 2 * region_room : 64;
		regions = realloc(regions, region_room * sizeof(*regions));
		if (!regions)
			abort();
	}
	while (at < region_count && regions[at].low < region->low)
		at++;
	memmove(&regions[at + 1], &regions[at], (region_count - at) * sizeof(*regions));
	regions[at] = *region;
	region_count++;
	__atomic_add_fetch(&regions_generation, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&regions_lock);
}

static bool find_locked(uint64_t sp, struct region *found)
{
	size_t low = 0, high = region_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (regions[middle].high < sp)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == region_count || sp <= regions[low].low)
		return false;
	*found = regions[low];
	return true;
}

bool region_is_known(uint64_t sp)
{
	struct region region;
	bool known;

	if (!__atomic_load_n(&region_count, __ATOMIC_RELAXED))
		return false;
	pthread_mutex_lock(&regions_lock);
	known = find_locked(sp, &region);
	pthread_mutex_unlock(&regions_lock);
	return known;
}

void region_find(uint64_t sp, struct region *region)
{
	struct mapping mapping;
	bool known;

	pthread_mutex_lock(&regions_lock);
	known = find_locked(sp, region);
	pthread_mutex_unlock(&regions_lock);
	if (known)
		return;
	/* memory that is not mapped: a page of its own */
	*region = (struct region){.low = (sp - 1) & ~UINT64_C(0xfff),
				  .high = ((sp - 1) | 0xfff) + 1,
				  .kind = REGION_MAPPING};
	if (mapping_find(sp - 1, &mapping)) {
		region->low = mapping.low;
		region->high = mapping.high;
	}
}

void regions_fork_child(void)
{
	pthread_mutex_init(&regions_lock, NULL);
}
