/* SPDX-License-Identifier: GPL-2.0-only */
/* State of a recording, shared by the files that open, read and write it. */
#ifndef HWFLOW_RECORD_RECORDER_H
#define HWFLOW_RECORD_RECORDER_H

#include "aux_mmap.h"
#include "base/output.h"
#include "perfdata/perfdata_write.h"
#include "record.h"
#include "record/events/events.h"
#include "record/events/tracing_data.h"
#include "record/kernel/kernel_watch.h"
#include "record/parts/parts.h"
#include "record/trigger/trigger.h"
#include "record/trigger/trigger_watch.h"
#include "target.h"
#include "workload.h"

struct perf_evlist;
struct perf_evsel;
struct perf_mmap;
union perf_event;

/**
 * struct recorder_ring - a ring of records, and its AUX area
 * @ring: the ring, of libperf
 * @aux: the AUX area; without a base if the CPU has no trace
 * @area: how the file names it
 * @reported: AUX records that were read say where the trace up to here is
 * @lost: an AUX record may have been lost since
 */
struct recorder_ring {
	struct perf_mmap *ring;
	struct aux_area aux;
	struct perfdata_area area;
	uint64_t reported;
	bool lost;
};

/**
 * struct recorder_description - what the head of each file says, and what that points to
 */
struct recorder_description {
	struct perfdata_recording recording;
	struct perfdata_recorded_event events[RECORD_LIST_MAX];
	struct perf_event_attr attrs[RECORD_LIST_MAX];
	uint64_t *ids[RECORD_LIST_MAX];
	struct perfdata_cpu *units;
	struct tracing_data tracing;
};

/**
 * struct recorder_records - records that are kept, one after the other
 * @bytes: the records
 * @size: bytes of them
 */
struct recorder_records {
	uint8_t *bytes;
	size_t size;
};

/**
 * struct recorder_part - the part of a recording that is written now, to be counted
 * @parts: all of them; NULL: nothing is counted
 * @writer: the file; NULL: it is not open
 * @number: of the part
 * @begins: bytes that were in it before anything new
 * @trace: bytes of trace in it
 * @reports: AUX records in it
 * @began: when it began, in seconds of CLOCK_MONOTONIC
 * @count: parts so far, with this one
 * @is_full: no other part is free: trace is dropped until one is
 * @is_ending: AUX records are for the next part
 * @deferred: those
 * @identities: records of trace IDs, which each part begins with
 * @dropped: how much
 * @output: the file that receives the counts
 */
struct recorder_part {
	struct record_parts *parts;
	struct perfdata_writer *writer;
	int number;
	uint64_t begins;
	uint64_t trace;
	uint64_t reports;
	time_t began;
	uint64_t count;
	bool is_full;
	bool is_ending;
	struct recorder_records deferred;
	struct recorder_records identities;
	struct record_dropped dropped;
	struct output output;
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
 * struct recorder_trigger - the trigger of a recording
 * @what: what it waits for
 * @watch: state of latency()
 * @ids: identifiers of each of its events
 * @id_counts: number of identifiers
 * @hits: how often it has fired
 * @fired: it has fired, and its snapshot was not taken yet
 * @due: with @fired: when the snapshot is taken, in nanoseconds of CLOCK_MONOTONIC
 * @snapshot_time: latest time of a sample when a snapshot was written: latency() does not fire for
 *	an earlier one, whose request is in that snapshot
 * @failed: a sample could not be stored, a negative errno
 * @evaluated: samples of latency() were evaluated since recorder_trigger_rest()
 */
struct recorder_trigger {
	struct record_trigger what;
	struct trigger_watch watch;
	uint64_t *ids[RECORD_TRIGGER_EVENTS];
	size_t id_counts[RECORD_TRIGGER_EVENTS];
	uint64_t hits;
	bool fired;
	uint64_t due;
	uint64_t snapshot_time;
	int failed;
	bool evaluated;
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
 * @description: what the heads of the file and of the parts say
 * @writer: the file; NULL: there is none
 * @part: what is counted
 * @directory: the file of the command line is a directory
 * @copy: the kernel's code; NULL if it is not copied
 * @watch: with @copy: code that the kernel loads and unloads
 * @totals: what was recorded so far
 * @trigger: when a snapshot is taken
 * @is_saved: the file is complete
 * @enabled: the events are enabled, unless a snapshot is being written
 */
struct recorder {
	const struct record_options *options;
	struct record_workload workload;
	struct record_target target;
	struct record_events events;
	struct perf_evlist *evlist;
	struct perf_evsel *evsels[RECORD_LIST_MAX];
	struct recorder_ring *rings;
	size_t ring_count;
	struct recorder_description description;
	struct perfdata_writer *writer;
	struct recorder_part part;
	bool directory;
	struct kernel_copy *copy;
	struct kernel_watch watch;
	struct recorder_totals totals;
	struct recorder_trigger trigger;
	bool is_saved;
	bool enabled;
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
 * recorder_enable() - enable or disable all events
 * @recorder: open
 * @enable: enable them
 */
void recorder_enable(struct recorder *recorder, bool enable);

/**
 * recorder_pause() - disable all events but the one that reports mappings and threads
 * @recorder: open; recorder_enable() ends the pause
 */
void recorder_pause(struct recorder *recorder);

/**
 * recorder_for_each_fd() - call a function for the file descriptors of an event
 * @recorder: open
 * @event: index of the event
 * @function: called for the event on each CPU and thread, until it returns an error
 * @ctx: argument of @function
 *
 * Return: what the last call of @function has returned; 0 without a call.
 */
int recorder_for_each_fd(const struct recorder *recorder, size_t event,
			 int (*function)(int fd, void *ctx), void *ctx);

/**
 * recorder_ids() - the identifiers of an event on all CPUs and threads
 * @recorder: open
 * @event: index of the event
 * @result: receives the identifiers, to be freed
 *
 * Return: their number, or a negative errno.
 */
long recorder_ids(const struct recorder *recorder, size_t event, uint64_t **result);

/**
 * recorder_create() - create the file, and the first part, with head and records of what exists
 *	already
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
 * recorder_description_free() - free what the heads of files point to
 * @recorder: created, or not
 */
void recorder_description_free(struct recorder *recorder);

/**
 * recorder_list_existing() - write the records of what exists already
 * @recorder: the recording
 * @writer: a file without records
 *
 * Return: 0 or a negative errno.
 */
int recorder_list_existing(const struct recorder *recorder, struct perfdata_writer *writer);

/**
 * recorder_part_start() - start the process that counts
 * @recorder: with the options; recorder_part_free() undoes this, also after an error
 *
 * Return: 0, or an exit status after an error, which is reported.
 */
int recorder_part_start(struct recorder *recorder);

/** recorder_part_free() - end the process, and forget what was counted unless it is written */
void recorder_part_free(struct recorder *recorder);

/**
 * recorder_part_begin() - begin the first part
 * @recorder: created
 *
 * Return: 0, or an exit status after an error, which is reported.
 */
int recorder_part_begin(struct recorder *recorder);

/**
 * recorder_part_turn() - have the part counted and begin the next one, if it is time for that
 * @recorder: the recording
 *
 * Return: 0 or a negative errno; -EPIPE: the process that counts has ended.
 */
int recorder_part_turn(struct recorder *recorder);

/**
 * recorder_part_end() - have the last part counted, and write the counts
 * @recorder: nothing is read any more
 *
 * Return: an exit status; errors are reported.
 */
int recorder_part_end(struct recorder *recorder);

/** recorder_part_ended() - report that the process that counts has ended; EXIT_UNREADABLE */
int recorder_part_ended(const struct recorder *recorder);

/**
 * recorder_read_rings() - write all new records to the file and to the part, one ring after the
 *	other
 * @recorder: the recording
 * @with_trace: except in snapshot mode, write all new trace as well
 *
 * Return: 0 or a negative errno.
 */
int recorder_read_rings(struct recorder *recorder, bool with_trace);

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

/**
 * recorder_trigger_open() - find out the identifiers of the trigger's events
 * @recorder: with open events; recorder_trigger_close() undoes this
 *
 * Return: 0 or a negative errno.
 */
int recorder_trigger_open(struct recorder *recorder);

/**
 * recorder_trigger_close() - free the state of the trigger
 * @recorder: the recording
 */
void recorder_trigger_close(struct recorder *recorder);

/**
 * recorder_trigger_place() - set the addresses of breakpoints in the program, and enable them
 * @ctx: the struct recorder
 * @pid: the process, which has executed the program but no instruction of it
 *
 * Return: 0, or an exit status after an error, which is reported.
 */
int recorder_trigger_place(void *ctx, pid_t pid);

/**
 * recorder_trigger_is_late() - whether recorder_trigger_place() has to be called
 * @recorder: with events
 */
bool recorder_trigger_is_late(const struct recorder *recorder);

/**
 * recorder_trigger_take() - look at a record of a ring
 * @recorder: the recording; trace is disabled if the trigger fires without --trigger-tail
 * @record: the record
 *
 * Return: whether the record is to be written to the file.
 */
bool recorder_trigger_take(struct recorder *recorder, const union perf_event *record);

/**
 * recorder_trigger_read() - all rings have been read once
 * @recorder: the recording; trace is disabled if the trigger fires without --trigger-tail
 *
 * Return: 0 or a negative errno.
 */
int recorder_trigger_read(struct recorder *recorder);

/**
 * recorder_trigger_waits() - whether records are to be read without delay
 * @recorder: the recording
 */
bool recorder_trigger_waits(const struct recorder *recorder);

/**
 * recorder_trigger_is_due() - whether the snapshot of the trigger is to be taken now
 * @recorder: the recording
 */
bool recorder_trigger_is_due(const struct recorder *recorder);

/**
 * recorder_trigger_interval() - how long to wait before the rings are read again
 * @recorder: the recording
 * @interval: milliseconds without a trigger
 */
int recorder_trigger_interval(const struct recorder *recorder, int interval);

/**
 * recorder_trigger_rest() - with latency(), wait a short time after samples have been evaluated
 * @recorder: the recording
 *
 * The end of each request wakes the command. Where requests are short and many, this function
 * limits how often that occurs, see trigger_watch_rest().
 */
void recorder_trigger_rest(struct recorder *recorder);

#endif /* HWFLOW_RECORD_RECORDER_H */
