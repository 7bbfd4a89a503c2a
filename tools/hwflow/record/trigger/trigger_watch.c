// SPDX-License-Identifier: GPL-2.0-only
#include "trigger_watch.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The longest time between two readings of samples, in nanoseconds */
#define REST_MAX 10000000

#define DEPTH_MAX                                       \
	(sizeof(((struct trigger_thread *)0)->begins) / \
	 sizeof(((struct trigger_thread *)0)->begins[0]))

int trigger_watch_add(struct trigger_watch *watch, const struct trigger_sample *sample)
{
	struct trigger_sample *samples =
		array_room(watch->samples, watch->count, &watch->room, sizeof(*samples));

	if (!samples)
		return -ENOMEM;
	watch->samples = samples;
	samples[watch->count] = *sample;
	samples[watch->count++].order = watch->added++;
	if (sample->time > watch->latest)
		watch->latest = sample->time;
	return 0;
}

static int compare_samples(const void *a, const void *b)
{
	const struct trigger_sample *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

void trigger_watch_read(struct trigger_watch *watch)
{
	watch->horizon = watch->previous;
	watch->previous = watch->latest;
	if (watch->count)
		qsort(watch->samples, watch->count, sizeof(*watch->samples), compare_samples);
}

/* The first thread that has this number, or a larger one */
static size_t find_thread(const struct trigger_watch *watch, uint32_t tid)
{
	size_t low = 0, high = watch->thread_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (watch->threads[middle].tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has_thread(const struct trigger_watch *watch, size_t at, uint32_t tid)
{
	return at < watch->thread_count && watch->threads[at].tid == tid;
}

static int begin(struct trigger_watch *watch, const struct trigger_sample *sample)
{
	const size_t at = find_thread(watch, sample->tid);
	struct trigger_thread *thread;

	if (!has_thread(watch, at, sample->tid)) {
		struct trigger_thread *threads = array_room(watch->threads, watch->thread_count,
							    &watch->thread_room, sizeof(*threads));

		if (!threads)
			return -ENOMEM;
		watch->threads = threads;
		memmove(threads + at + 1, threads + at,
			(watch->thread_count - at) * sizeof(*threads));
		threads[at] = (struct trigger_thread){.tid = sample->tid};
		watch->thread_count++;
	}
	thread = &watch->threads[at];
	/* those that never end are forgotten, the oldest first */
	if (thread->depth == DEPTH_MAX)
		memmove(thread->begins, thread->begins + 1,
			--thread->depth * sizeof(*thread->begins));
	thread->begins[thread->depth++] = *sample;
	return 0;
}

/* Whether the time since the latest beginning, which @begin receives, is longer than the limit */
static bool end(struct trigger_watch *watch, const struct trigger_sample *sample,
		struct trigger_sample *begin)
{
	const size_t at = find_thread(watch, sample->tid);
	struct trigger_thread *thread = &watch->threads[at];

	if (!has_thread(watch, at, sample->tid) || !thread->depth)
		return false;
	*begin = thread->begins[--thread->depth];
	return sample->time - begin->time > watch->limit;
}

/* A thread that has ended executes no second instruction. */
static void forget_thread(struct trigger_watch *watch, uint32_t tid)
{
	const size_t at = find_thread(watch, tid);

	if (!has_thread(watch, at, tid))
		return;
	watch->thread_count--;
	memmove(watch->threads + at, watch->threads + at + 1,
		(watch->thread_count - at) * sizeof(*watch->threads));
}

int trigger_watch_next(struct trigger_watch *watch, struct trigger_sample *begun,
		       struct trigger_sample *hit)
{
	int result = 0;
	size_t used = 0;

	while (!result && used < watch->count && watch->samples[used].time <= watch->horizon) {
		const struct trigger_sample *sample = &watch->samples[used++];

		if (sample->kind == TRIGGER_SAMPLE_BEGIN) {
			result = begin(watch, sample);
		} else if (sample->kind == TRIGGER_SAMPLE_EXIT) {
			forget_thread(watch, sample->tid);
		} else if (end(watch, sample, begun)) {
			*hit = *sample;
			result = 1;
		}
	}
	watch->count -= used;
	memmove(watch->samples, watch->samples + used, watch->count * sizeof(*watch->samples));
	return result;
}

uint64_t trigger_watch_rest(const struct trigger_watch *watch)
{
	uint64_t rest = watch->limit / 8 < REST_MAX ? watch->limit / 8 : REST_MAX;

	for (size_t i = 0; i < watch->thread_count; i++) {
		const struct trigger_thread *thread = &watch->threads[i];

		for (unsigned int j = 0; j < thread->depth; j++) {
			const uint64_t age = watch->latest - thread->begins[j].time;

			if (age / 8 >= watch->limit)
				continue;
			if (age >= watch->limit)
				return 0;
			if (watch->limit - age < rest)
				rest = watch->limit - age;
		}
	}
	return rest;
}

void trigger_watch_forget(struct trigger_watch *watch)
{
	watch->thread_count = 0;
}

void trigger_watch_free(struct trigger_watch *watch)
{
	free(watch->samples);
	free(watch->threads);
	*watch = (struct trigger_watch){.limit = watch->limit};
}
