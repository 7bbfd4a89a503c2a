// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of what happened: the events of the recording by time, exec and the beginning of tracing by
 * process and thread, and the programs of a stretch by process.
 */
#include <errno.h>
#include <stdlib.h>

#include "perfmaps_private.h"

static bool is_listed(const struct perfdata_event *event)
{
	return event->kind == PERFDATA_ITRACE_START ||
	       (event->kind == PERFDATA_COMM && event->u.comm.exec);
}

/* exec by process, the beginning of tracing by thread, each in order */
static int compare_owned(const void *a, const void *b)
{
	const struct perfmaps_owned *x = a, *y = b;

	if (x->exec != y->exec)
		return x->exec ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

int perfmaps_list_execs(struct perfmaps *maps)
{
	const struct perfdata_info *info = maps->info;
	size_t count = 0;

	for (size_t i = 0; i < info->event_count; i++)
		count += is_listed(&info->events[i]);
	maps->execs = calloc(count + 1, sizeof(*maps->execs));
	maps->owned = calloc(count + 1, sizeof(*maps->owned));
	if (!maps->execs || !maps->owned)
		return -ENOMEM;
	for (size_t i = 0; i < info->event_count; i++) {
		const struct perfdata_event *event = &info->events[i];
		const bool exec = event->kind == PERFDATA_COMM;

		if (!is_listed(event))
			continue;
		maps->owned[maps->exec_count] = (struct perfmaps_owned){
			.exec = exec, .id = exec ? event->pid : event->tid, .event = i};
		maps->execs[maps->exec_count++] = i;
	}
	qsort(maps->owned, maps->exec_count, sizeof(*maps->owned), compare_owned);
	return 0;
}

/* How many of @owned come before an event of a process or thread */
size_t perfmaps_owned_before(const struct perfmaps *maps, bool exec, int32_t id, size_t event)
{
	const struct perfmaps_owned key = {.exec = exec, .id = id, .event = event};
	size_t low = 0, high = maps->exec_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare_owned(&maps->owned[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t perfmaps_listed_up_to(const struct perfmaps *maps, uint64_t time)
{
	size_t low = 0, high = maps->exec_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (maps->info->events[maps->execs[middle]].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t perfmaps_event_after(const struct perfmaps *maps, uint64_t time)
{
	const struct perfdata_info *info = maps->info;
	size_t low = 0, high = info->event_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (info->events[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct perfmaps_program *perfmaps_programs_of(const struct perfmaps_programs *list, int32_t pid)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (list->items[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->count && list->items[low].pid == pid ? &list->items[low] : NULL;
}
