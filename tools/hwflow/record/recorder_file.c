// SPDX-License-Identifier: GPL-2.0-only
/* The file of a recording: its head, and the records of what existed before. */
#include <errno.h>
#include <limits.h>
#include <perf/cpumap.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../input.h"
#include "recorder.h"
#include "synthesize.h"
#include "trace_info.h"

/* An older file keeps its contents under another name. */
static int keep_old(const char *output)
{
	char old[PATH_MAX];
	struct stat status;

	if (stat(output, &status) || !S_ISREG(status.st_mode) || !status.st_size)
		return 0;
	if (snprintf(old, sizeof(old), "%s.old", output) >= (int)sizeof(old))
		return -ENAMETOOLONG;
	return rename(output, old) ? -errno : 0;
}

/*
 * The attributes of an event as the file has them. perf refuses a tracepoint without its format,
 * and an uprobe has the address of a string: samples of a trigger have neither, only a name.
 */
static void describe(const struct recorder *recorder, size_t event, struct perf_event_attr *attr)
{
	*attr = recorder->events.list[event].attr;
	if (event < recorder->events.triggers_at || attr->type == PERF_TYPE_BREAKPOINT)
		return;
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->config1 = 0;
	attr->config2 = 0;
}

static int open_file(struct recorder *recorder, struct perfdata_recording *recording)
{
	struct perfdata_recorded_event events[RECORD_LIST_MAX];
	struct perf_event_attr attrs[RECORD_LIST_MAX];
	uint64_t *ids[RECORD_LIST_MAX] = {NULL};
	const struct record_options *options = recorder->options;
	const struct perf_event_attr *attr = &recorder->events.list[RECORD_TRACE].attr;
	int error = 0;

	for (size_t i = 0; !error && i < recorder->events.count; i++) {
		const long count = recorder_ids(recorder, i, &ids[i]);

		error = count < 0 ? (int)count : 0;
		describe(recorder, i, &attrs[i]);
		events[i] = (struct perfdata_recorded_event){
			.attr = &attrs[i],
			.name = recorder->events.list[i].name,
			.ids = ids[i],
			.id_count = (size_t)count,
		};
	}
	recording->argv = options->arguments;
	recording->argc = options->argument_count;
	recording->machine_cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	recording->per_cpu = !options->per_thread;
	recording->snapshot = options->snapshot;
	recording->exclude_kernel = attr->exclude_kernel;
	recording->exclude_user = attr->exclude_user;
	recording->pmu_type = recorder->events.pmu.type;
	recording->events = events;
	recording->event_count = recorder->events.count;
	aux_ring_clock(recorder->rings[0].ring, &recording->clock);
	if (!error)
		error = keep_old(options->output);
	if (!error)
		error = perfdata_writer_open(&recorder->writer, options->output, recording);
	for (size_t i = 0; i < recorder->events.count; i++)
		free(ids[i]);
	return error;
}

/* List the processes that run already: those named, or all. The kernel reports later ones. */
static int list_processes(struct recorder *recorder)
{
	const struct record_target *target = &recorder->target;
	int error = 0;

	if (target->by_cpu)
		return synthesize_all(recorder->writer);
	for (int i = 0; !error && i < perf_thread_map__nr(target->threads); i++) {
		bool listed = false;

		for (int j = 0; j < i; j++)
			listed |= target->pids[j] == target->pids[i];
		if (!listed)
			error = synthesize_process(recorder->writer, target->pids[i]);
	}
	return error;
}

int recorder_create(struct recorder *recorder)
{
	const uint64_t config = recorder->events.list[RECORD_TRACE].attr.config;
	struct perfdata_recording recording = {.argc = 0};
	struct perfdata_cpu *units = NULL;
	int error;

	error = trace_info_read(&recorder->events.pmu, recorder->target.cpus,
				record_events_trcconfigr(config), &units, &recording.cpu_count);
	if (error)
		return record_error("the trace units cannot be read from sysfs: %s",
				    strerror(-error));
	recording.cpus = units;
	error = open_file(recorder, &recording);
	free(units);
	if (!error)
		error = list_processes(recorder);
	if (error)
		return record_error("%s: %s", recorder->options->output, strerror(-error));
	return 0;
}
