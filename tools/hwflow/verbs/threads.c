/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of threads: a list by thread and time. */
#include "threads.h"

#include <errno.h>
#include <stdlib.h>

#include "perfdata/perfdata_read.h"

/* struct naming - from @time on, thread @tid has this name; NULL: that of thread @maker */
struct naming {
	int32_t tid;
	int32_t pid;
	int32_t maker;
	uint64_t time;
	size_t order;
	const char *name;
};

struct threads {
	struct naming *namings; /* by thread, then by time */
	size_t count;
};

static int compare_namings(const void *a, const void *b)
{
	const struct naming *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static void add(struct threads *threads, const struct perfdata_event *event, size_t order)
{
	struct naming *naming = &threads->namings[threads->count++];

	*naming = (struct naming){.tid = event->tid,
				  .pid = event->pid,
				  .maker = PERFDATA_ANY,
				  .time = event->time,
				  .order = order};
	if (event->kind == PERFDATA_COMM)
		naming->name = event->u.comm.name;
	else
		naming->maker = event->u.parent.tid;
}

/* Each CPU has an idle thread, and all of them have number 0: no record tells of them. */
static void add_idle(struct threads *threads)
{
	threads->namings[threads->count++] =
		(struct naming){.maker = PERFDATA_ANY, .name = "swapper"};
}

int threads_new(struct threads **result, const struct perfdata_info *info)
{
	struct threads *threads = calloc(1, sizeof(*threads));
	size_t count = 0;

	if (!threads)
		return -ENOMEM;
	for (size_t i = 0; info && i < info->event_count; i++)
		count += info->events[i].kind == PERFDATA_COMM ||
			 info->events[i].kind == PERFDATA_FORK;
	threads->namings = calloc(count + 1, sizeof(*threads->namings));
	if (!threads->namings) {
		free(threads);
		return -ENOMEM;
	}
	if (info)
		add_idle(threads);
	for (size_t i = 0; count && i < info->event_count; i++)
		if (info->events[i].kind == PERFDATA_COMM || info->events[i].kind == PERFDATA_FORK)
			add(threads, &info->events[i], i);
	qsort(threads->namings, threads->count, sizeof(*threads->namings), compare_namings);
	*result = threads;
	return 0;
}

/* The last naming of a thread up to a time; the first one, if all are later; NULL if none. */
static const struct naming *find(const struct threads *threads, int32_t tid, uint64_t time)
{
	size_t low = 0, high = threads->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct naming *naming = &threads->namings[middle];

		if (naming->tid < tid || (naming->tid == tid && naming->time <= time))
			low = middle + 1;
		else
			high = middle;
	}
	if (low && threads->namings[low - 1].tid == tid)
		return &threads->namings[low - 1];
	if (low < threads->count && threads->namings[low].tid == tid)
		return &threads->namings[low];
	return NULL;
}

const char *threads_name(const struct threads *threads, int32_t tid, uint64_t time)
{
	/* a thread of a thread of a thread: no file says so a hundred times in earnest */
	for (int depth = 0; depth < 100; depth++) {
		const struct naming *naming = find(threads, tid, time);

		if (!naming)
			break;
		if (naming->name)
			return naming->name;
		tid = naming->maker;
		time = naming->time;
	}
	return "";
}

int32_t threads_process(const struct threads *threads, int32_t tid, uint64_t time)
{
	const struct naming *naming = find(threads, tid, time);

	return naming ? naming->pid : PERFDATA_ANY;
}

void threads_free(struct threads *threads)
{
	if (!threads)
		return;
	free(threads->namings);
	free(threads);
}
