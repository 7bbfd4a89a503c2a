// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process that a thread belongs to, over time. A process ends with its last thread. The number
 * of a thread, and of a process, may be used again.
 */
#include <errno.h>
#include <stdlib.h>

#include "perfmaps_private.h"

/* enum thread_fact - what an event says of a thread */
enum thread_fact {
	THREAD_IS,     /* it lives, and is of the process */
	THREAD_TRACED, /* likewise, and its tracing begins */
	THREAD_ENDS,
};

/**
 * struct perfmaps_thread - an event of a thread
 * @event: number of the event in the recording
 * @traced: number, plus 1, of the last event up to this one that began the tracing of the thread;
 *	0: none
 * @tid: the thread
 * @pid: the process that it is of; PERFDATA_ANY if the recording names none
 * @fact: enum thread_fact
 */
struct perfmaps_thread {
	size_t event;
	size_t traced;
	int32_t tid;
	int32_t pid;
	uint8_t fact;
};

/* struct life - a thread of a process begins (@delta: 1) or ends (-1) */
struct life {
	size_t event;
	int32_t pid;
	int32_t delta;
};

/* Give up, and assume several processes, after so many events of a thread. */
#define OWNER_EVENTS 64

static void add_fact(struct perfmaps *maps, size_t event, int32_t tid, int32_t pid,
		     enum thread_fact fact)
{
	maps->threads[maps->thread_count++] = (struct perfmaps_thread){
		.event = event, .tid = tid, .pid = pid, .fact = (uint8_t)fact};
}

static void add_facts(struct perfmaps *maps, size_t number)
{
	const struct perfdata_event *event = &maps->info->events[number];

	switch (event->kind) {
	case PERFDATA_MMAP:
		if (event->pid >= 0)
			add_fact(maps, number, event->tid, event->pid, THREAD_IS);
		break;
	case PERFDATA_FORK:
		add_fact(maps, number, event->tid, event->pid, THREAD_IS);
		add_fact(maps, number, event->u.parent.tid, event->u.parent.pid, THREAD_IS);
		break;
	case PERFDATA_COMM:
		add_fact(maps, number, event->tid, event->pid, THREAD_IS);
		break;
	case PERFDATA_ITRACE_START:
		add_fact(maps, number, event->tid, event->pid, THREAD_TRACED);
		break;
	case PERFDATA_EXIT:
		add_fact(maps, number, event->tid, event->pid, THREAD_ENDS);
		break;
	default:
		break;
	}
}

/* Facts of one event about one thread, such as a fork by itself, stay in the order of the array. */
static int compare_threads(const void *a, const void *b)
{
	const struct perfmaps_thread *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

static int compare_lives(const void *a, const void *b)
{
	const struct life *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return y->delta - x->delta;
}

/* Drop the facts that say nothing new, and list when threads begin and end: two of each at most. */
static size_t sum_up(struct perfmaps *maps, struct life *lives)
{
	struct perfmaps_thread *threads = maps->threads, *last = NULL;
	size_t kept = 0, count = 0;

	for (size_t i = 0; i < maps->thread_count; i++) {
		struct perfmaps_thread thread = threads[i];
		const bool known = last && last->tid == thread.tid;
		const bool lives_on = known && last->fact != THREAD_ENDS;

		thread.traced = known ? last->traced : 0;
		if (thread.fact == THREAD_ENDS) {
			if (!lives_on)
				continue;
			thread.pid = last->pid;
			lives[count++] = (struct life){thread.event, thread.pid, -1};
		} else if (!lives_on || last->pid != thread.pid) {
			if (lives_on)
				lives[count++] = (struct life){thread.event, last->pid, -1};
			lives[count++] = (struct life){thread.event, thread.pid, 1};
		} else if (thread.fact == THREAD_IS) {
			continue;
		}
		if (thread.fact == THREAD_TRACED)
			thread.traced = thread.event + 1;
		last = &threads[kept++];
		*last = thread;
	}
	maps->thread_count = kept;
	return count;
}

/* The events with which processes end, and those with which they have a thread again */
static int list_ends(struct perfmaps *maps, struct life *lives, size_t count)
{
	int64_t alive = 0;
	bool ended = false;

	qsort(lives, count, sizeof(*lives), compare_lives);
	maps->changes = calloc(count + 1, sizeof(*maps->changes));
	if (!maps->changes)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct life *life = &lives[i];
		struct perfmaps_change *change = &maps->changes[maps->change_count];

		if (!i || life->pid != life[-1].pid) {
			alive = 0;
			ended = false;
		}
		alive += life->delta;
		if (life->pid < 0 || (alive ? !ended : ended))
			continue;
		ended = !alive;
		*change = (struct perfmaps_change){.event = life->event, .pid = life->pid};
		change->kind = ended ? CHANGE_END : CHANGE_THREAD;
		maps->change_count++;
	}
	return 0;
}

int perfmaps_list_threads(struct perfmaps *maps)
{
	const struct perfdata_info *info = maps->info;
	struct life *lives;
	int error;

	/* a fork is of two threads */
	maps->threads = calloc(2 * info->event_count + 1, sizeof(*maps->threads));
	if (!maps->threads)
		return -ENOMEM;
	for (size_t i = 0; i < info->event_count; i++)
		add_facts(maps, i);
	qsort(maps->threads, maps->thread_count, sizeof(*maps->threads), compare_threads);
	lives = calloc(2 * maps->thread_count + 1, sizeof(*lives));
	if (!lives)
		return -ENOMEM;
	error = list_ends(maps, lives, sum_up(maps, lives));
	free(lives);
	return error;
}

/* How many of @threads are of lower threads, or of this one before an event */
static size_t facts_before(const struct perfmaps *maps, int32_t tid, size_t event)
{
	size_t low = 0, high = maps->thread_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct perfmaps_thread *thread = &maps->threads[middle];

		if (thread->tid < tid || (thread->tid == tid && thread->event < event))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last of these; NULL: there is none */
static const struct perfmaps_thread *last_before(const struct perfmaps *maps, int32_t tid,
						 size_t event)
{
	const size_t count = facts_before(maps, tid, event);

	return count && maps->threads[count - 1].tid == tid ? &maps->threads[count - 1] : NULL;
}

/* Had it ended before a time? Where events were lost that is never certain. */
static bool has_ended(const struct perfmaps *maps, const struct perfmaps_thread *thread,
		      uint64_t time)
{
	return thread->fact == THREAD_ENDS && !maps->lossy &&
	       maps->info->events[thread->event].time < time;
}

int32_t perfmaps_process_of(const struct perfmaps *maps, int32_t tid)
{
	const struct perfmaps_thread *last = last_before(maps, tid, maps->last);

	return last && !has_ended(maps, last, maps->time.begin) ? last->pid : tid;
}

size_t perfmaps_traced(const struct perfmaps *maps, int32_t tid, size_t event)
{
	const struct perfmaps_thread *last = last_before(maps, tid, event);

	return last ? last->traced : 0;
}

int32_t perfmaps_owner(const struct perfmaps *maps, const struct perfmaps_time *time, int32_t tid)
{
	const size_t begin = perfmaps_event_after(maps, time->begin);
	const struct perfmaps_thread *last = last_before(maps, tid, begin);
	int32_t pid = last && !has_ended(maps, last, time->begin) ? last->pid : PERFDATA_ANY;
	const size_t first = facts_before(maps, tid, begin);

	for (size_t i = first; i < maps->thread_count && maps->threads[i].tid == tid; i++) {
		const struct perfmaps_thread *thread = &maps->threads[i];

		if (maps->info->events[thread->event].time > time->end)
			break;
		if ((pid != PERFDATA_ANY && pid != thread->pid) || i - first == OWNER_EVENTS)
			return PERFMAPS_SEVERAL;
		pid = thread->pid;
	}
	return pid == PERFDATA_ANY ? tid : pid;
}

void perfmaps_threads_free(struct perfmaps *maps)
{
	free(maps->threads);
}
