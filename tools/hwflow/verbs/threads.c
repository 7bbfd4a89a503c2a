/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of threads: a list by thread and time. */
#include "threads.h"

#include <errno.h>
#include <stdlib.h>

#include "perfdata/perfdata_read.h"
#include "perfdata/perfdata_samples.h"

/* struct naming - from @time on, thread @tid has this name; NULL: that of thread @maker */
struct naming {
	int32_t tid;
	int32_t pid;
	int32_t maker;
	uint64_t time;
	size_t order;
	const char *name;
};

/* struct stay - up to @time, thread @tid is in the cgroup @path */
struct stay {
	int32_t tid;
	uint64_t time;
	const char *path;
};

/* struct threads - @namings and @stays are by thread, then by time */
struct threads {
	struct naming *namings;
	size_t count;
	struct stay *stays;
	size_t stay_count;
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

static int compare_stays(const void *a, const void *b)
{
	const struct stay *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->time > y->time) - (x->time < y->time);
}

/* The cgroups that samples name; false without memory */
static bool add_stays(struct threads *threads, const struct perfdata_info *info)
{
	if (!info->cgroup_count)
		return true;
	threads->stays = calloc(info->sample_count + 1, sizeof(*threads->stays));
	if (!threads->stays)
		return false;
	for (size_t i = 0; i < info->sample_count; i++) {
		const struct perfdata_sample *sample = &info->samples[i];
		const char *path = sample->cgroup ? perfdata_cgroup(info, sample->cgroup) : NULL;

		if (path)
			threads->stays[threads->stay_count++] =
				(struct stay){sample->tid, sample->time, path};
	}
	qsort(threads->stays, threads->stay_count, sizeof(*threads->stays), compare_stays);
	return true;
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
	if (!threads->namings || (info && !add_stays(threads, info))) {
		threads_free(threads);
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

/* The cgroup of a thread by its own samples; NULL if it has none */
static const char *find_stay(const struct threads *threads, int32_t tid, uint64_t time)
{
	size_t low = 0, high = threads->stay_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct stay *stay = &threads->stays[middle];

		if (stay->tid < tid || (stay->tid == tid && stay->time < time))
			low = middle + 1;
		else
			high = middle;
	}
	/* a sample tells of what was before it; behind the last one it is the same */
	if (low < threads->stay_count && threads->stays[low].tid == tid)
		return threads->stays[low].path;
	return low && threads->stays[low - 1].tid == tid ? threads->stays[low - 1].path : NULL;
}

const char *threads_cgroup(const struct threads *threads, int32_t tid, uint64_t time)
{
	const char *path = find_stay(threads, tid, time);

	/* as in threads_name(): a thread begins in the cgroup of its maker */
	for (int depth = 0; !path && depth < 100; depth++) {
		const struct naming *naming = find(threads, tid, 0);

		if (!naming || naming->name)
			break;
		tid = naming->maker;
		path = find_stay(threads, tid, naming->time);
	}
	return path ? path : "";
}

bool threads_has_cgroups(const struct threads *threads)
{
	return threads->stay_count > 0;
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
	free(threads->stays);
	free(threads);
}
