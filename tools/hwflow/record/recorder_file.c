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

#include "base/error.h"
#include "perfdata/perfdata_writer.h"
#include "program/vdso.h"
#include "record/events/tracepoint.h"
#include "record/events/tracing_data.h"
#include "record/kernel/kernel_copy.h"
#include "recorder.h"
#include "source/input.h"
#include "synthesize.h"
#include "trace_info.h"

/* Description of the tracepoints among the events, for stock perf and `hwflow script` */
static int describe_tracepoints(const struct record_events *events, struct tracing_data *data)
{
	const char *names[RECORD_EVENTS_MAX];
	size_t count = 0;
	int error;

	for (size_t i = RECORD_OTHERS; i < events->triggers_at; i++)
		if (events->list[i].attr.type == PERF_TYPE_TRACEPOINT)
			names[count++] = events->list[i].name;
	if (!count)
		return 0;
	error = tracing_data_read(data, tracepoint_directory(), names, count);
	if (error)
		verb_error("%s: the formats of tracepoints cannot be read: %s",
			   tracepoint_directory(), strerror(-error));
	return error;
}

/* Make room for a file that is renamed: a directory is not replaced by rename(2). */
static int remove_old(const char *old)
{
	struct stat status;

	if (lstat(old, &status))
		return 0;
	if (S_ISDIR(status.st_mode))
		return kernel_copy_remove(old);
	return unlink(old) ? -errno : 0;
}

/* An older file, or directory, keeps its contents under another name. */
static int keep_old(const char *output, bool directory)
{
	char old[PATH_MAX];
	struct stat status;
	int error;

	if (stat(output, &status))
		return 0;
	if (!S_ISDIR(status.st_mode) && (!S_ISREG(status.st_mode) || !status.st_size))
		return directory && unlink(output) ? -errno : 0;
	if (snprintf(old, sizeof(old), "%s.old", output) >= (int)sizeof(old))
		return -ENAMETOOLONG;
	error = remove_old(old);
	if (error)
		return error;
	return rename(output, old) ? -errno : 0;
}

/* The file with the records */
static int data_path(const struct recorder *recorder, char path[PATH_MAX])
{
	return snprintf(path, PATH_MAX, "%s%s", recorder->options->output,
			recorder->directory ? "/data" : "") < PATH_MAX
		       ? 0
		       : -ENAMETOOLONG;
}

/* A file that is not a regular one, such as /dev/null, is not replaced by a directory. */
static bool may_be_directory(const char *output)
{
	struct stat status;

	return stat(output, &status) || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
}

/* Is the kernel's code to be copied? If the kernel does not permit it, the user is told. */
static bool wants_copy(const struct recorder *recorder)
{
	const struct record_options *options = recorder->options;
	int error;

	if (recorder->events.list[RECORD_TRACE].attr.exclude_kernel || options->no_kcore ||
	    !may_be_directory(options->output))
		return false;
	error = kernel_copy_permitted();
	if (!error)
		return true;
	if (error == -ENODATA)
		verb_error("/proc/kallsyms: the kernel hides its addresses; the recording has no "
			   "copy of the kernel's code, and that code cannot be decoded: become "
			   "root, or set kernel.kptr_restrict to 1 with sysctl");
	else
		verb_error("/proc/kcore: %s; the recording has no copy of the kernel's code, and "
			   "that code cannot be decoded: become root, or omit this message with "
			   "--no-kcore",
			   strerror(-error));
	return false;
}

static int make_output(struct recorder *recorder)
{
	const char *output = recorder->options->output;
	int error;

	recorder->directory = wants_copy(recorder);
	error = keep_old(output, recorder->directory);
	if (!error && recorder->directory && mkdir(output, 0700))
		error = -errno;
	return error;
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

static int describe_recording(struct recorder *recorder)
{
	struct recorder_description *description = &recorder->description;
	struct perfdata_recording *recording = &description->recording;
	const struct record_options *options = recorder->options;
	const struct perf_event_attr *attr = &recorder->events.list[RECORD_TRACE].attr;
	struct vdso vdso;
	int error = 0;

	for (size_t i = 0; !error && i < recorder->events.count; i++) {
		const long count = recorder_ids(recorder, i, &description->ids[i]);

		error = count < 0 ? (int)count : 0;
		describe(recorder, i, &description->attrs[i]);
		description->events[i] = (struct perfdata_recorded_event){
			.attr = &description->attrs[i],
			.name = recorder->events.list[i].name,
			.ids = description->ids[i],
			.id_count = (size_t)count,
		};
	}
	recording->argv = options->arguments;
	recording->argc = options->argument_count;
	recording->machine_cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	recording->per_cpu = !options->per_thread;
	recording->snapshot = options->snapshot;
	if (vdso_find(&vdso)) {
		recording->vdso = vdso.bytes;
		recording->vdso_size = vdso.size;
	}
	recording->exclude_kernel = attr->exclude_kernel;
	recording->exclude_user = attr->exclude_user;
	recording->pmu_type = recorder->events.pmu.type;
	recording->events = description->events;
	recording->event_count = recorder->events.count;
	recording->compression = options->compression;
	aux_ring_clock(recorder->rings[0].ring, &recording->clock);
	return error;
}

void recorder_description_free(struct recorder *recorder)
{
	struct recorder_description *description = &recorder->description;

	for (size_t i = 0; i < recorder->events.count; i++)
		free(description->ids[i]);
	free(description->units);
	free(description->tracing.bytes);
}

/* List the processes that run already: those named, or all. The kernel reports later ones. */
static int list_processes(const struct recorder *recorder, struct perfdata_writer *writer)
{
	const struct record_target *target = &recorder->target;
	int error = 0;

	if (target->by_cpu)
		return synthesize_all(writer);
	for (int i = 0; !error && i < perf_thread_map__nr(target->threads); i++) {
		bool listed = false;

		for (int j = 0; j < i; j++)
			listed |= target->pids[j] == target->pids[i];
		if (!listed)
			error = synthesize_process(writer, target->pids[i]);
	}
	return error;
}

/*
 * The build id of the vdso, which records of mappings do not have: `hwflow archive` and perf's
 * cache have copies under it.
 */
static int list_vdso(struct perfdata_writer *writer)
{
	struct perfdata_mapping mapping = {.path = "[vdso]"};
	struct vdso vdso;

	if (!vdso_find(&vdso))
		return 0;
	mapping.build_id_size = vdso.build_id_size;
	memcpy(mapping.build_id, vdso.build_id, sizeof(vdso.build_id));
	return perfdata_writer_build_id(writer, &mapping, false);
}

int recorder_list_existing(const struct recorder *recorder, struct perfdata_writer *writer)
{
	int error = 0;

	if (!recorder->events.list[RECORD_TRACE].attr.exclude_kernel)
		error = synthesize_kernel(writer);
	if (!error)
		error = list_vdso(writer);
	if (!error && recorder->events.has_cgroups)
		error = synthesize_cgroups(writer);
	if (!error)
		error = list_processes(recorder, writer);
	return error ? error : perfdata_write_flush(writer);
}

static int create_file(struct recorder *recorder)
{
	struct perfdata_recording *recording = &recorder->description.recording;
	char path[PATH_MAX];
	int error = make_output(recorder);

	recording->directory = recorder->directory;
	if (!error)
		error = data_path(recorder, path);
	if (!error)
		error = perfdata_writer_open(&recorder->writer, path, recording);
	if (!error)
		error = recorder_list_existing(recorder, recorder->writer);
	if (error == -ENOTEMPTY)
		return verb_error("%s.old: the directory has files that are not of a recording: "
				  "remove it, or name another file with -o",
				  recorder->options->output);
	if (error)
		return verb_error("%s: %s", recorder->options->output, strerror(-error));
	return 0;
}

int recorder_create(struct recorder *recorder)
{
	const uint64_t config = recorder->events.list[RECORD_TRACE].attr.config;
	struct recorder_description *description = &recorder->description;
	struct perfdata_recording *recording = &description->recording;
	int error, status = 0;

	if (describe_tracepoints(&recorder->events, &description->tracing))
		return EXIT_UNREADABLE;
	error = trace_info_read(&recorder->events.pmu, recorder->target.cpus,
				record_events_trcconfigr(config), &description->units,
				&recording->cpu_count);
	if (error)
		return verb_error("the trace units cannot be read from sysfs: %s",
				  strerror(-error));
	recording->cpus = description->units;
	recording->tracing_data = description->tracing.bytes;
	recording->tracing_data_size = description->tracing.size;
	error = describe_recording(recorder);
	if (error)
		return verb_error("%s", strerror(-error));
	if (recorder->options->output)
		status = create_file(recorder);
	if (!status && recorder->options->counter)
		status = recorder_part_begin(recorder);
	return status;
}

int recorder_copy_kernel(struct recorder *recorder)
{
	int error;

	if (!recorder->directory)
		return 0;
	error = kernel_copy_begin(&recorder->copy, recorder->options->output);
	if (error)
		return verb_error("%s: the kernel's code cannot be copied: %s; record with "
				  "--no-kcore",
				  recorder->options->output, strerror(-error));
	kernel_watch_open(&recorder->watch, recorder->copy);
	return 0;
}

/* A device such as /dev/null stays. */
void recorder_discard(struct recorder *recorder)
{
	struct stat status;

	if (!recorder->writer)
		return;
	perfdata_writer_close(recorder->writer);
	recorder->writer = NULL;
	if (recorder->directory)
		kernel_copy_remove(recorder->options->output);
	else if (!lstat(recorder->options->output, &status) && S_ISREG(status.st_mode))
		unlink(recorder->options->output);
}
