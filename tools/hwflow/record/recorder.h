/* SPDX-License-Identifier: GPL-2.0-only */
/* State of a recording, shared by the files that open, read and write it. */
#ifndef HWFLOW_RECORD_RECORDER_H
#define HWFLOW_RECORD_RECORDER_H

#include "../perfdata_write.h"
#include "../record.h"
#include "aux_mmap.h"
#include "events.h"
#include "kernel_watch.h"
#include "target.h"
#include "workload.h"

struct perf_evlist;
struct perf_evsel;
struct perf_mmap;

/**
 * struct recorder_ring - a ring of records, and its AUX area
 * @ring: the ring, of libperf
 * @aux: the AUX area
 * @area: how the file names it
 */
struct recorder_ring {
	struct perf_mmap *ring;
	struct aux_area aux;
	struct perfdata_area area;
};

/**
 * struct recorder_totals - what was recorded
 * @trace_bytes: bytes of trace
 * @gaps: AUX records that report a loss of trace
 * @lost_records: records that the kernel could not write
 * @snapshots: snapshots taken
 * @fill: how full a trace buffer was at most when it was read, in thousandths
 * @absent: recorded CPUs that went offline
 */
struct recorder_totals {
	uint64_t trace_bytes;
	uint64_t gaps;
	uint64_t lost_records;
	uint64_t snapshots;
	unsigned int fill;
	struct machine_cpus absent;
};

/**
 * struct recorder - a recording
 * @options: the command line
 * @workload: the program to start, if any
 * @target: threads and CPUs
 * @events: attributes of the events
 * @evlist: the events, as libperf has opened them
 * @evsels: the event of each element of @events
 * @rings: the rings
 * @ring_count: number of @rings
 * @writer: the file
 * @directory: the file of the command line is a directory
 * @copy: the kernel's code; NULL if it is not copied
 * @watch: with @copy: code that the kernel loads and unloads
 * @totals: what was recorded so far
 */
struct recorder {
	const struct record_options *options;
	struct record_workload workload;
	struct record_target target;
	struct record_events events;
	struct perf_evlist *evlist;
	struct perf_evsel *evsels[RECORD_EVENTS_MAX + 2];
	struct recorder_ring *rings;
	size_t ring_count;
	struct perfdata_writer *writer;
	bool directory;
	struct kernel_copy *copy;
	struct kernel_watch watch;
	struct recorder_totals totals;
};

/**
 * recorder_open() - open and map all events
 * @recorder: with options, target and events; recorder_close() undoes this, also after an error
 *
 * Return: 0, or an exit status after an error, which is reported.
 */
int recorder_open(struct recorder *recorder);

/**
 * recorder_close() - close all events, and free what recorder_open() allocated
 * @recorder: the recording
 */
void recorder_close(struct recorder *recorder);

/**
 * recorder_pause() - disable all events but the one that reports mappings and threads
 * @recorder: open; perf_evlist__enable() ends the pause
 */
void recorder_pause(const struct recorder *recorder);

/**
 * recorder_create() - create the file, with its head and the records of what exists already
 * @recorder: open
 *
 * An older file of this name is renamed to FILE.old.
 *
 * Return: 0, or an exit status after an error, which is reported.
 */
int recorder_create(struct recorder *recorder);

/**
 * recorder_copy_kernel() - copy the kernel's code to the directory of the recording
 * @recorder: created, with all events open; no event is enabled
 *
 * The kernel changes its code when events are opened.
 *
 * Return: 0, or an exit status after an error, which is reported.
 */
int recorder_copy_kernel(struct recorder *recorder);

/**
 * recorder_discard() - remove the file after an error
 * @recorder: created
 */
void recorder_discard(struct recorder *recorder);

/**
 * recorder_read() - write all new records and, except in snapshot mode, all new trace to the file
 * @recorder: the recording
 *
 * Return: 0 or a negative errno.
 */
int recorder_read(struct recorder *recorder);

/**
 * recorder_snapshot() - write the latest trace to the file
 * @recorder: the recording, in snapshot mode
 *
 * Trace is disabled meanwhile.
 *
 * Return: 0 or a negative errno.
 */
int recorder_snapshot(struct recorder *recorder);

#endif /* HWFLOW_RECORD_RECORDER_H */
