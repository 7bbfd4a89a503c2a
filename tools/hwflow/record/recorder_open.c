// SPDX-License-Identifier: GPL-2.0-only
/* Events and rings through libperf, filters, AUX areas. */
#include <errno.h>
#include <inttypes.h>
#include <perf/cpumap.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "record/events/filter.h"
#include "recorder.h"
#include "source/input.h"

/* sizes where the memory that may be locked has no limit; the limited ones are in machine_user.h */
#define RING_BYTES  (512u << 10)
#define TRACE_BYTES (4u << 20)

/* Allow as many file descriptors as the system permits: each thread has an event on each CPU. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int recorder_for_each_fd(const struct recorder *recorder, size_t event,
			 int (*function)(int fd, void *ctx), void *ctx)
{
	struct perf_evsel *evsel = recorder->evsels[event];
	const int cpus = perf_cpu_map__nr(perf_evsel__cpus(evsel));
	const int threads = perf_thread_map__nr(perf_evsel__threads(evsel));

	for (int cpu = 0; cpu < cpus; cpu++) {
		for (int thread = 0; thread < threads; thread++) {
			const int fd = aux_event_fd(evsel, cpu, thread);
			const int error = fd >= 0 ? function(fd, ctx) : 0;

			if (error)
				return error;
		}
	}
	return 0;
}

long recorder_ids(const struct recorder *recorder, size_t event, uint64_t **result)
{
	struct perf_evsel *evsel = recorder->evsels[event];
	const int cpus = perf_cpu_map__nr(perf_evsel__cpus(evsel));
	const int threads = perf_thread_map__nr(perf_evsel__threads(evsel));
	uint64_t *ids = reallocarray(NULL, (size_t)cpus * (size_t)threads, sizeof(*ids));
	long count = 0;

	if (!ids)
		return -ENOMEM;
	for (int cpu = 0; cpu < cpus; cpu++) {
		for (int thread = 0; thread < threads; thread++) {
			const int fd = aux_event_fd(evsel, cpu, thread);

			if (fd < 0)
				continue;
			if (ioctl(fd, PERF_EVENT_IOC_ID, &ids[count])) {
				free(ids);
				return -errno;
			}
			count++;
		}
	}
	*result = ids;
	return count;
}

/* The reason of a failed perf_event_open(2), and the remedy */
static int explain_open(const struct recorder *recorder, int error)
{
	const struct perf_event_attr *attr = &recorder->events.list[RECORD_TRACE].attr;
	const struct machine_user *user = &recorder->events.user;

	switch (error) {
	case EACCES:
	case EPERM:
		if (recorder->target.by_cpu)
			return verb_error("recording of CPUs is not permitted: it shows the "
					  "programs of all users; record a program of your own, "
					  "or become root, or set kernel.perf_event_paranoid to "
					  "0 with sysctl");
		if (!attr->exclude_kernel)
			return verb_error("recording of kernel code is not permitted: omit "
					  "--kernel (with -e, append u: %s//u), or become root, "
					  "or set kernel.perf_event_paranoid to 1 with sysctl",
					  recorder->events.pmu.name);
		if (user->paranoid > 2)
			return verb_error("recording is not permitted: perf_event_paranoid is "
					  "%ld: only a process with CAP_PERFMON may "
					  "record. " USER_REMEDY_PARANOID,
					  user->paranoid);
		return verb_error("recording is not permitted: the threads must be yours, and a "
				  "container has to allow perf_event_open(); 'hwflow doctor' "
				  "finds the reason");
	case EBUSY:
		return verb_error("the trace units are in use: another recording, or a debugger, "
				  "has them");
	case ESRCH:
		return verb_error("a thread to be recorded has ended");
	case EMFILE:
		return verb_error("too many open files: raise 'ulimit -n', or record fewer "
				  "threads");
	default:
		return verb_error("the kernel refuses the events: %s; 'hwflow doctor' finds the "
				  "reason, and the kernel's log may name it",
				  strerror(error));
	}
}

/* The same for an event of the trigger */
static int explain_trigger(const struct recorder *recorder, const struct record_event *event,
			   int error)
{
	const char *text = recorder->trigger.what.text;

	switch (error) {
	case EACCES:
	case EPERM:
		return verb_error("--trigger %s: %s is not permitted: become root, or lower "
				  "kernel.perf_event_paranoid (now %ld) with sysctl",
				  text, event->name, recorder->events.user.paranoid);
	case ENOSPC:
		return verb_error("--trigger %s: the processor has no breakpoint left: a "
				  "debugger, or another recording, has them",
				  text);
	default:
		return verb_error("--trigger %s: the kernel refuses %s: %s", text, event->name,
				  strerror(error));
	}
}

/*
 * An event of a trigger pauses trace, if the kernel can do that. Only an event of the trace event's
 * group can pause it. With --multi-snapshot trace would have to be resumed, which only another
 * event can do. A trigger that is found by comparing times cannot pause trace, and with
 * --trigger-tail trace goes on.
 */
static int open_trigger(struct recorder *recorder, size_t index)
{
	struct perf_evsel *event = recorder->evsels[index];
	const bool pause = recorder->trigger.what.kind != TRIGGER_LATENCY &&
			   !recorder->options->multi_snapshot && !recorder->trigger.what.tail;
	int error;

	aux_event_set_pause(event, pause ? recorder->evsels[RECORD_TRACE] : NULL);
	error = perf_evsel__open(event, recorder->target.cpus, recorder->target.threads);
	if (pause && (error == -EINVAL || error == -EOPNOTSUPP || error == -E2BIG)) {
		aux_event_set_pause(event, NULL);
		error = perf_evsel__open(event, recorder->target.cpus, recorder->target.threads);
	}
	return error ? explain_trigger(recorder, &recorder->events.list[index], -error) : 0;
}

/* The same for the event of cgroups */
static int explain_cgroups(const struct recorder *recorder, int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return verb_error("--all-cgroups is not permitted: become root, or lower "
				  "kernel.perf_event_paranoid (now %ld) to 1 with sysctl",
				  recorder->events.user.paranoid);
	default:
		return verb_error("--all-cgroups: the kernel refuses samples with cgroups: %s; it "
				  "needs CONFIG_CGROUP_PERF",
				  strerror(error));
	}
}

static int open_event(struct recorder *recorder, size_t index)
{
	const struct record_event *event = &recorder->events.list[index];
	int error;

	if (index >= recorder->events.triggers_at)
		return open_trigger(recorder, index);
	error = perf_evsel__open(recorder->evsels[index], perf_evsel__cpus(recorder->evsels[index]),
				 recorder->target.threads);
	if (error && event->attr.sample_type & PERF_SAMPLE_CGROUP)
		return explain_cgroups(recorder, -error);
	return error ? explain_open(recorder, -error) : 0;
}

static int open_events(struct recorder *recorder)
{
	int status = 0;

	recorder->evlist = perf_evlist__new();
	for (size_t i = 0; recorder->evlist && i < recorder->events.count; i++) {
		recorder->evsels[i] = perf_evsel__new(&recorder->events.list[i].attr);
		if (!recorder->evsels[i])
			return verb_error("out of memory");
		perf_evlist__add(recorder->evlist, recorder->evsels[i]);
	}
	if (!recorder->evlist)
		return verb_error("out of memory");
	/* a process may begin its program on one CPU and execute it on another one */
	if (recorder->options->cpus)
		aux_event_set_everywhere(recorder->evlist, recorder->evsels[RECORD_TRACKING]);
	perf_evlist__set_maps(recorder->evlist, recorder->target.cpus, recorder->target.threads);
	for (size_t i = 0; !status && i < recorder->events.count; i++)
		status = open_event(recorder, i);
	return status;
}

/* The reason of a failed mmap(2) of a ring or a trace buffer, and the remedy */
static int explain_map(const struct recorder *recorder, int error)
{
	const struct machine_user *user = &recorder->events.user;

	if (error == EPERM && machine_user_has_limit(user))
		return verb_error("the buffers cannot be mapped: %" PRIu64
				  " KB may be locked (perf_event_mlock_kb %" PRIu64
				  ", RLIMIT_MEMLOCK %" PRIu64
				  " KB). Make the buffers smaller with -m, or " USER_REMEDY_MLOCK,
				  machine_user_locked_kb(&recorder->events.machine, user),
				  user->mlock_kb, user->limit_kb);
	if (error == EPERM || error == EINVAL || error == ENOMEM)
		return verb_error("the buffers cannot be mapped: %s; make them smaller with -m",
				  strerror(error));
	return verb_error("the buffers cannot be mapped: %s", strerror(error));
}

/* A CPU of which only mappings, threads and switches are recorded has no trace. */
static bool has_trace(const struct recorder *recorder, const struct perf_mmap *ring)
{
	return !recorder->options->cpus ||
	       perf_cpu_map__has(recorder->target.cpus, (struct perf_cpu){aux_ring_cpu(ring)});
}

/* The thread of a ring, if each thread has one */
static void name_area(const struct recorder *recorder, struct recorder_ring *ring, size_t index)
{
	ring->area = (struct perfdata_area){
		.idx = (uint32_t)index,
		.pid = PERFDATA_ANY,
		.tid = PERFDATA_ANY,
		.cpu = aux_ring_cpu(ring->ring),
	};
	/* perf 6.12 finds a CPU's trace by its number, and crashes if the index is another one */
	if (ring->area.cpu != PERFDATA_ANY)
		ring->area.idx = (uint32_t)ring->area.cpu;
	else
		ring->area.tid = perf_thread_map__pid(recorder->target.threads, (int)index);
}

static int map_events(struct recorder *recorder)
{
	const struct record_options *options = recorder->options;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const bool limited = machine_user_has_limit(&recorder->events.user);
	size_t ring_pages = options->ring_pages, trace_pages = options->trace_pages, count = 0;
	struct perf_mmap *map;

	if (!trace_pages && options->snapshot_bytes) {
		trace_pages = 1;
		while (trace_pages * page < options->snapshot_bytes)
			trace_pages *= 2;
	}
	if (!trace_pages)
		trace_pages = (limited ? LIMITED_TRACE_BYTES : TRACE_BYTES) / page;
	if (!ring_pages)
		ring_pages = (limited ? LIMITED_RING_BYTES : RING_BYTES) / page;
	errno = 0;
	if (perf_evlist__mmap(recorder->evlist, (int)ring_pages))
		return explain_map(recorder, errno);
	perf_evlist__for_each_mmap(recorder->evlist, map, false) count++;
	recorder->rings = calloc(count ? count : 1, sizeof(*recorder->rings));
	if (!recorder->rings)
		return verb_error("out of memory");
	perf_evlist__for_each_mmap(recorder->evlist, map, false)
	{
		struct recorder_ring *ring = &recorder->rings[recorder->ring_count];
		int error = 0;

		ring->ring = map;
		name_area(recorder, ring, recorder->ring_count++);
		if (has_trace(recorder, map))
			error = aux_area_map(&ring->aux, map, trace_pages * page,
					     options->snapshot);
		if (error)
			return explain_map(recorder, -error);
	}
	return 0;
}

static int set_filter(int fd, void *ctx)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, ctx) ? -errno : 0;
}

/* Names of functions are for the trace; a tracepoint has filters of its own. */
static int set_event_filter(const struct recorder *recorder, size_t event)
{
	const char *filter = recorder->events.list[event].filter;
	const char *option = event < recorder->events.triggers_at ? "--filter" : "--trigger";
	char message[512];
	char *resolved;
	int error;

	if (!filter)
		return 0;
	resolved = event == RECORD_TRACE ? record_filter_resolve(filter, message, sizeof(message))
					 : strdup(filter);
	if (!resolved) {
		verb_error("--filter '%s': %s", filter,
			   event == RECORD_TRACE ? message : "out of memory");
		return EXIT_USAGE;
	}
	error = recorder_for_each_fd(recorder, event, set_filter, resolved);
	if (error)
		verb_error("%s '%s' (%s): the kernel refuses it: %s; its log may have the reason",
			   option, filter, resolved, strerror(-error));
	free(resolved);
	return error ? EXIT_UNREADABLE : 0;
}

static int set_filters(const struct recorder *recorder)
{
	int status = 0;

	for (size_t i = 0; !status && i < recorder->events.count; i++)
		status = set_event_filter(recorder, i);
	return status;
}

int recorder_open(struct recorder *recorder)
{
	int status;

	raise_file_limit();
	status = open_events(recorder);
	if (!status)
		status = map_events(recorder);
	if (!status)
		status = set_filters(recorder);
	if (!status && recorder_trigger_open(recorder))
		status = verb_error("the identifiers of the trigger's events cannot be read");
	return status;
}

void recorder_enable(struct recorder *recorder, bool enable)
{
	/*
	 * The trace event, which leads the group of the trigger, is the last to be enabled: on a
	 * CPU, Linux does not schedule an event that is enabled after its leader.
	 */
	for (size_t i = recorder->events.count; enable && i; i--)
		perf_evsel__enable(recorder->evsels[i - 1]);
	if (!enable)
		perf_evlist__disable(recorder->evlist);
	recorder->enabled = enable;
}

void recorder_pause(struct recorder *recorder)
{
	recorder->enabled = false;
	for (size_t i = 0; i < recorder->events.count; i++)
		if (i != RECORD_TRACKING)
			perf_evsel__disable(recorder->evsels[i]);
}

void recorder_close(struct recorder *recorder)
{
	recorder_trigger_close(recorder);
	for (size_t i = 0; i < recorder->ring_count; i++)
		aux_area_unmap(&recorder->rings[i].aux);
	free(recorder->rings);
	if (recorder->evlist) {
		perf_evlist__munmap(recorder->evlist);
		perf_evlist__close(recorder->evlist);
		/* this deletes the events, too */
		perf_evlist__delete(recorder->evlist);
	}
}
