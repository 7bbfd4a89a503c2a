// SPDX-License-Identifier: GPL-2.0-only
/* The trigger: which records of the kernel are its own, and when it fires. */
#include <errno.h>
#include <inttypes.h>
#include <perf/event.h>
#include <perf/evsel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "base/error.h"
#include "base/print.h"
#include "record/trigger/trigger_events.h"
#include "recorder.h"

/* Records of threads that end are looked for this often, in milliseconds. */
#define EXIT_INTERVAL 20

/* A sample of a trigger's event; the recording has times */
struct sample {
	struct perf_event_header header;
	uint64_t id;
	uint64_t ip;
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	/* if the records of the recording have it */
	uint32_t cpu;
	uint32_t reserved;
};

/* The end of a record that is not a sample, if the records of the recording have the CPU */
struct sample_id {
	uint32_t cpu;
	uint32_t reserved;
	uint64_t id;
};

static int compare_ids(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int recorder_trigger_open(struct recorder *recorder)
{
	struct recorder_trigger *trigger = &recorder->trigger;
	const size_t first = recorder->events.triggers_at;

	for (size_t i = first; i < recorder->events.count; i++) {
		const long count = recorder_ids(recorder, i, &trigger->ids[i - first]);

		if (count < 0)
			return (int)count;
		trigger->id_counts[i - first] = (size_t)count;
		qsort(trigger->ids[i - first], (size_t)count, sizeof(uint64_t), compare_ids);
	}
	trigger->watch.limit = trigger->what.limit;
	return 0;
}

void recorder_trigger_close(struct recorder *recorder)
{
	for (size_t i = 0; i < RECORD_TRIGGER_EVENTS; i++)
		free(recorder->trigger.ids[i]);
	trigger_watch_free(&recorder->trigger.watch);
}

bool recorder_trigger_is_late(const struct recorder *recorder)
{
	const size_t first = recorder->events.triggers_at;

	return record_trigger_is_late(&recorder->trigger.what, &recorder->events.list[first]);
}

static int modify_event(int fd, void *ctx)
{
	return ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, ctx) ? -errno : 0;
}

int recorder_trigger_place(void *ctx, pid_t pid)
{
	struct recorder *recorder = ctx;
	const struct record_trigger *what = &recorder->trigger.what;
	const size_t first = recorder->events.triggers_at;
	char message[8192];

	for (size_t i = 0; i < what->point_count; i++) {
		struct perf_event_attr attr = *perf_evsel__attr(recorder->evsels[first + i]);
		uint64_t address;
		int error;

		if (record_trigger_address(&what->points[i], pid, &address, message,
					   sizeof(message)))
			return verb_error("--trigger %s: %s", what->text, message);
		attr.bp_addr = address;
		error = recorder_for_each_fd(recorder, first + i, modify_event, &attr);
		if (error)
			return verb_error("--trigger %s: the kernel refuses a breakpoint at "
					  "%#" PRIx64 ": %s",
					  what->text, address, strerror(-error));
		if (!recorder->options->delay)
			perf_evsel__enable(recorder->evsels[first + i]);
	}
	return 0;
}

/* Which event of the trigger has this identifier; -1 if none has */
static int find_event(const struct recorder_trigger *trigger, uint64_t id)
{
	for (int i = 0; i < RECORD_TRIGGER_EVENTS; i++)
		if (trigger->id_counts[i] &&
		    bsearch(&id, trigger->ids[i], trigger->id_counts[i], sizeof(id), compare_ids))
			return i;
	return -1;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/*
 * The trigger fires: without --trigger-tail trace stops at once, so that it does not overwrite what
 * is wanted.
 */
static void fire(struct recorder *recorder, const struct trigger_hit *hit)
{
	struct recorder_trigger *trigger = &recorder->trigger;

	/* the recording ends with the first one, whatever was hit before the events were disabled
	 */
	if (trigger->fired || (trigger->hits && !recorder->options->multi_snapshot))
		return;
	if (!trigger->what.tail)
		perf_evsel__disable(recorder->evsels[RECORD_TRACE]);
	trigger->fired = true;
	trigger->due = now() + trigger->what.tail;
	trigger->hits++;
	if (!recorder->options->quiet)
		record_trigger_report(stderr, &trigger->what, hit);
}

static bool has_cpu(const struct recorder *recorder)
{
	return recorder->events.list[RECORD_TRACKING].attr.sample_type & PERF_SAMPLE_CPU;
}

static struct trigger_hit hit_of_sample(const struct recorder *recorder, const void *record)
{
	const struct sample *sample = record;

	return (struct trigger_hit){
		.time = sample->time,
		.tid = sample->tid,
		.cpu = has_cpu(recorder) ? (int32_t)sample->cpu : TRIGGER_NO_CPU,
	};
}

static struct trigger_hit hit_of_exit(const struct recorder *recorder,
				      const union perf_event *record)
{
	const uint8_t *end = (const uint8_t *)record + record->header.size;
	struct sample_id id = {.cpu = 0};

	memcpy(&id, end - sizeof(id), sizeof(id));
	return (struct trigger_hit){
		.time = record->fork.time,
		.tid = record->fork.tid,
		.cpu = has_cpu(recorder) ? (int32_t)id.cpu : TRIGGER_NO_CPU,
	};
}

static void watch_sample(struct recorder *recorder, const struct trigger_sample *sample)
{
	struct recorder_trigger *trigger = &recorder->trigger;
	const int error = trigger_watch_add(&trigger->watch, sample);

	if (error)
		trigger->failed = error;
}

/* Samples of latency() are written when it turns out that the trigger fires. */
static bool take_sample(struct recorder *recorder, const union perf_event *record)
{
	const struct sample *sample = (const struct sample *)record;
	struct recorder_trigger *trigger = &recorder->trigger;
	struct trigger_sample copy;
	int event;

	if (record->header.size <
	    (has_cpu(recorder) ? sizeof(*sample) : offsetof(struct sample, cpu)))
		return true;
	event = find_event(trigger, sample->id);
	if (event < 0)
		return true;
	if (trigger->what.kind != TRIGGER_LATENCY) {
		const struct trigger_hit hit = hit_of_sample(recorder, sample);

		fire(recorder, &hit);
		return true;
	}
	if (record->header.size > sizeof(copy.record))
		return true;
	copy = (struct trigger_sample){
		.time = sample->time,
		.tid = sample->tid,
		.kind = event ? TRIGGER_SAMPLE_END : TRIGGER_SAMPLE_BEGIN,
		.size = record->header.size,
	};
	memcpy(copy.record, record, record->header.size);
	watch_sample(recorder, &copy);
	return false;
}

bool recorder_trigger_take(struct recorder *recorder, const union perf_event *record)
{
	struct recorder_trigger *trigger = &recorder->trigger;

	if (trigger->what.kind == TRIGGER_NONE)
		return true;
	if (record->header.type == PERF_RECORD_SAMPLE)
		return take_sample(recorder, record);
	if (trigger->what.kind == TRIGGER_EXIT && record->header.type == PERF_RECORD_EXIT) {
		const struct trigger_hit hit = hit_of_exit(recorder, record);

		fire(recorder, &hit);
	}
	if (trigger->what.kind != TRIGGER_LATENCY)
		return true;
	if (record->header.type == PERF_RECORD_EXIT)
		watch_sample(recorder, &(struct trigger_sample){.time = record->fork.time,
								.tid = record->fork.tid,
								.kind = TRIGGER_SAMPLE_EXIT});
	/* an end whose beginning was lost must not be taken for that of an older beginning */
	if (record->header.type == PERF_RECORD_LOST)
		trigger_watch_forget(&trigger->watch);
	return true;
}

int recorder_trigger_read(struct recorder *recorder)
{
	struct recorder_trigger *trigger = &recorder->trigger;
	struct trigger_sample begun, last;
	struct trigger_hit hit;
	int more, error = 0;
	size_t count;

	if (trigger->what.kind != TRIGGER_LATENCY)
		return 0;
	trigger_watch_read(&trigger->watch);
	count = trigger->watch.count;
	while (!error && (more = trigger_watch_next(&trigger->watch, &begun, &last)) != 0) {
		if (more < 0)
			return more;
		if (last.time <= trigger->snapshot_time)
			continue;
		hit = hit_of_sample(recorder, last.record);
		hit.duration = last.time - begun.time;
		fire(recorder, &hit);
		error = perfdata_write_raw(recorder->writer, begun.record, begun.size);
		if (!error)
			error = perfdata_write_raw(recorder->writer, last.record, last.size);
	}
	trigger->evaluated |= trigger->watch.count < count;
	return error ? error : trigger->failed;
}

bool recorder_trigger_waits(const struct recorder *recorder)
{
	return recorder->trigger.watch.count;
}

bool recorder_trigger_is_due(const struct recorder *recorder)
{
	return recorder->trigger.fired && now() >= recorder->trigger.due;
}

int recorder_trigger_interval(const struct recorder *recorder, int interval)
{
	if (recorder->trigger.fired) {
		const uint64_t time = now(), due = recorder->trigger.due;
		const uint64_t left = due > time ? (due - time + 999999) / 1000000 : 0;

		return left < (uint64_t)interval ? (int)left : interval;
	}
	if (recorder_trigger_waits(recorder))
		return 0;
	/* the record of an exit does not wake the command */
	return recorder->trigger.what.kind == TRIGGER_EXIT ? EXIT_INTERVAL : interval;
}

void recorder_trigger_rest(struct recorder *recorder)
{
	struct recorder_trigger *trigger = &recorder->trigger;
	struct timespec time = {.tv_sec = 0};

	if (trigger->evaluated && !trigger->fired) {
		time.tv_nsec = (long)trigger_watch_rest(&trigger->watch);
		nanosleep(&time, NULL);
	}
	trigger->evaluated = false;
}
