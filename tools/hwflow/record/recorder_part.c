// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting while recording: when a part of the recording is large enough, or old enough, it is
 * handed to the process that counts, and the next one begins.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <perf/evsel.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "perfdata/perfdata_read.h"
#include "perfdata/perfdata_writer.h"
#include "record/parts/carry.h"
#include "recorder.h"

/* Memory of all parts, in bytes, unless the command line says otherwise */
#define MEMORY (64u << 20)

/* Seconds after which a part with less trace is counted, likewise */
#define INTERVAL 10

/* A part has this many bytes of trace and records, and what one look at the buffers adds. */
static size_t part_bytes(const struct recorder *recorder)
{
	const size_t memory = recorder->options->profile_memory;

	return (memory ? memory : MEMORY) / RECORD_PARTS;
}

/*
 * Records of threads and mappings, in bytes, that each part repeats. If there are more, the trace
 * buffers are emptied, after which those that are not true any more are not needed. Trace is
 * disabled for some microseconds for that.
 */
static size_t carry_bytes(const struct recorder *recorder)
{
	return part_bytes(recorder) / 2;
}

int recorder_part_start(struct recorder *recorder)
{
	struct recorder_part *part = &recorder->part;
	int error = record_parts_start(&part->parts, recorder->options->counter);

	if (error)
		return verb_error("cannot create the process that counts: %s", strerror(-error));
	if (!recorder->options->profile)
		return 0;
	error = output_open(&part->output, recorder->options->profile, NULL, 0);
	if (error)
		return verb_error("%s: %s", part->output.name, strerror(-error));
	return 0;
}

void recorder_part_free(struct recorder *recorder)
{
	struct recorder_part *part = &recorder->part;

	perfdata_writer_close(part->writer);
	part->writer = NULL;
	if (part->output.file)
		output_close(&part->output, false);
	part->output.file = NULL;
	free(part->deferred.bytes);
	free(part->identities.bytes);
	part->deferred = part->identities = (struct recorder_records){NULL, 0};
	record_parts_free(part->parts);
	part->parts = NULL;
}

static time_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

/* Opens a part, whose records are to be written. */
static int open_part(struct recorder *recorder, int number)
{
	struct perfdata_recording recording = recorder->description.recording;
	struct recorder_part *part = &recorder->part;
	char path[RECORD_PART_PATH];

	/* of a part, nothing is kept */
	recording.compression = 0;
	recording.directory = false;
	record_parts_path(part->parts, number, path);
	part->number = number;
	part->begins = 0;
	part->trace = 0;
	part->reports = 0;
	part->is_full = false;
	part->began = now();
	part->count++;
	return perfdata_writer_open(&part->writer, path, &recording);
}

int recorder_part_begin(struct recorder *recorder)
{
	const int number = record_parts_take(recorder->part.parts);
	int error = number < 0 ? number : open_part(recorder, number);

	if (error == -EPIPE)
		return recorder_part_ended(recorder);
	if (!error)
		error = recorder_list_existing(recorder, recorder->part.writer);
	return error ? verb_error("counting cannot begin: %s", strerror(-error)) : 0;
}

/* The kernel reports all trace so far if tracing ends; it begins again at once. */
static int empty_buffers(struct recorder *recorder)
{
	perf_evsel__disable(recorder->evsels[RECORD_TRACE]);
	if (recorder->enabled)
		perf_evsel__enable(recorder->evsels[RECORD_TRACE]);
	return recorder_read_rings(recorder, true);
}

static int write_kept(struct recorder_part *part, const struct recorder_records *records)
{
	const struct perf_event_header *header;
	int error = 0;

	for (size_t at = 0; !error && at < records->size; at += header->size) {
		header = (const void *)(records->bytes + at);
		error = perfdata_write_raw(part->writer, header, header->size);
		part->reports += header->type == PERF_RECORD_AUX;
	}
	return error;
}

/*
 * The last records of the part: rings are read one after the other, and the trace of one may be of
 * a program whose records came to another one after that was read.
 */
static int end_part(struct recorder *recorder)
{
	struct recorder_part *part = &recorder->part;
	int error;

	part->is_ending = true;
	error = recorder_read_rings(recorder, false);
	part->is_ending = false;
	if (!error)
		error = perfdata_writer_close(part->writer);
	else
		perfdata_writer_close(part->writer);
	part->writer = NULL;
	return error;
}

/* Begins part @next with what is known of threads and mappings. */
static int begin_next(struct recorder *recorder, int next, const struct perfdata *before,
		      uint64_t settled)
{
	struct recorder_part *part = &recorder->part;
	int error = open_part(recorder, next);

	if (!error)
		error = carry_write(part->writer, perfdata_info(before), settled);
	if (!error)
		error = write_kept(part, &part->identities);
	part->begins = part->writer ? part->writer->at : 0;
	if (!error)
		error = write_kept(part, &part->deferred);
	part->deferred.size = 0;
	return error;
}

/* Has the part counted, and begins part @next. */
static int turn(struct recorder *recorder, int next)
{
	struct recorder_part *part = &recorder->part;
	const int last = part->number;
	char path[RECORD_PART_PATH], message[PERFDATA_MESSAGE];
	struct perfdata *before;
	uint64_t settled = 0;
	bool is_empty;
	int error = 0;

	if (part->writer->at - part->trace > carry_bytes(recorder)) {
		settled = part->writer->at;
		error = empty_buffers(recorder);
	}
	if (!error)
		error = end_part(recorder);
	record_parts_path(part->parts, last, path);
	if (!error)
		error = perfdata_open(&before, path, 0, message);
	if (error)
		return error;
	is_empty = !part->reports;
	error = begin_next(recorder, next, before, settled);
	perfdata_close(before);
	if (!error && is_empty)
		record_parts_put_back(part->parts, last);
	else if (!error)
		error = record_parts_give(part->parts, last);
	return error;
}

int recorder_part_turn(struct recorder *recorder)
{
	struct recorder_part *part = &recorder->part;
	const unsigned int interval = recorder->options->interval;
	const bool is_large = part->writer->at - part->begins >= part_bytes(recorder);
	int next;

	if (!is_large &&
	    (!part->trace || now() - part->began < (time_t)(interval ? interval : INTERVAL)))
		return 0;
	next = record_parts_take(part->parts);
	if (next >= 0)
		return turn(recorder, next);
	if (next != -EAGAIN)
		return next;
	part->is_full |= is_large;
	return 0;
}

/* Writes the counts to their file; 0 or a negative errno */
static int write_counts(struct recorder_part *part)
{
	const int error = record_parts_copy(part->parts, part->output.file);
	const int close_error = output_close(&part->output, !error);

	part->output.file = NULL;
	return error ? error : close_error;
}

int recorder_part_end(struct recorder *recorder)
{
	struct recorder_part *part = &recorder->part;
	int error = perfdata_writer_close(part->writer), status = EXIT_UNREADABLE;

	part->writer = NULL;
	if (!error && part->reports)
		error = record_parts_give(part->parts, part->number);
	if (!error)
		status = record_parts_end(part->parts, &part->dropped);
	if (status != EXIT_GOOD && status != EXIT_GAPS && (!error || error == -EPIPE))
		return recorder_part_ended(recorder);
	if (error)
		return verb_error("the last part of the trace: %s: it is not counted",
				  strerror(-error));
	if (part->output.file)
		error = write_counts(part);
	if (error)
		return verb_error("%s: %s: the counts are lost; free space, or name a file on "
				  "another disk with --profile=FILE",
				  part->output.name, strerror(-error));
	return status;
}

int recorder_part_ended(const struct recorder *recorder)
{
	const int signal = record_parts_signal(recorder->part.parts);
	const char *profile = recorder->options->profile;
	char cause[64] = "has ended early";

	if (signal)
		snprintf(cause, sizeof(cause), "was ended by signal %d (%s)", signal,
			 strsignal(signal));
	return verb_error("the process that counts %s%s%s%s", cause, profile ? ": " : "",
			  profile ? profile : "", profile ? " is not written" : "");
}
