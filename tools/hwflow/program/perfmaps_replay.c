// SPDX-License-Identifier: GPL-2.0-only
/*
 * What it costs to go back in time. Each source may begin before the one before it ended: then the
 * events that change processes happen again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/input_limits.h"
#include "base/print.h"
#include "base/progress.h"
#include "perfmaps_private.h"

/* So many events may be looked at again in a recording of any size. */
#define REPLAYS_FREE 500000u

static bool is_changing(const struct perfdata_event *event)
{
	switch (event->kind) {
	case PERFDATA_MMAP:
	case PERFDATA_FORK:
	case PERFDATA_COMM:
	case PERFDATA_EXIT:
	case PERFDATA_ITRACE_START:
		return true;
	default:
		return false;
	}
}

int perfmaps_list_changing(struct perfmaps *maps)
{
	const struct perfdata_info *info = maps->info;
	size_t count = 0;

	for (size_t i = 0; i < info->event_count; i++)
		count += is_changing(&info->events[i]);
	maps->changing = calloc(count + 1, sizeof(*maps->changing));
	if (!maps->changing)
		return -ENOMEM;
	for (size_t i = 0; i < info->event_count; i++)
		if (is_changing(&info->events[i]))
			maps->changing[maps->changing_count++] = i;
	return 0;
}

bool perfmaps_charge(struct perfmaps *maps, uint64_t events)
{
	const uint64_t most = limit_of(LIMIT_replays), parts = maps->info->bytes / 16;

	if (maps->exhausted)
		return false;
	maps->replays += events;
	if (maps->replays <= REPLAYS_FREE ||
	    (maps->replays - REPLAYS_FREE) / (parts ? parts : 1) < most)
		return true;
	maps->exhausted = true;
	progress_hide();
	print(stderr,
	      "hwflow: %s: the mappings of its processes are needed for too many times that go "
	      "back: code is missing from here on; %s\n",
	      maps->info->path, limit_text(LIMIT_replays));
	return false;
}

static int compare_by_pid(const void *a, const void *b, void *ctx)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct perfdata_event *events = ctx;

	if (events[x].pid != events[y].pid)
		return events[x].pid < events[y].pid ? -1 : 1;
	return (x > y) - (x < y);
}

/* Makes @by_pid */
static bool list_by_pid(struct perfmaps *maps)
{
	if (maps->by_pid)
		return true;
	maps->by_pid = calloc(maps->changing_count + 1, sizeof(*maps->by_pid));
	if (!maps->by_pid) {
		maps->failed = true;
		return false;
	}
	for (size_t i = 0; i < maps->changing_count; i++)
		maps->by_pid[i] = maps->changing[i];
	qsort_r(maps->by_pid, maps->changing_count, sizeof(*maps->by_pid), compare_by_pid,
		(void *)maps->info->events);
	return true;
}

/* How many of @by_pid are of a lower process, or of this one and up to event @after */
static size_t place_of(const struct perfmaps *maps, int32_t pid, size_t after)
{
	const struct perfdata_event *events = maps->info->events;
	size_t low = 0, high = maps->changing_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2, at = maps->by_pid[middle];

		if (events[at].pid < pid || (at <= after && events[at].pid == pid))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const size_t *perfmaps_events_of(struct perfmaps *maps, int32_t pid, size_t after, size_t *count)
{
	size_t first;

	*count = 0;
	if (!list_by_pid(maps))
		return NULL;
	first = place_of(maps, pid, after);
	*count = place_of(maps, pid, SIZE_MAX) - first;
	return maps->by_pid + first;
}
