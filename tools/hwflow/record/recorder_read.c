// SPDX-License-Identifier: GPL-2.0-only
/* Records and trace from the kernel's buffers to the file. */
#include <errno.h>
#include <perf/event.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

/* Count losses of trace and of records. */
static void count_record(struct recorder *recorder, const union perf_event *event)
{
	switch (event->header.type) {
	case PERF_RECORD_AUX:
		if (event->aux.flags & (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL))
			recorder->totals.gaps++;
		break;
	case PERF_RECORD_LOST:
		recorder->totals.lost_records += event->lost.lost;
		break;
	default:
		break;
	}
}

static int keep(struct recorder_records *records, const union perf_event *event)
{
	const size_t size = event->header.size;
	uint8_t *bytes = realloc(records->bytes, records->size + size);

	if (!bytes)
		return -ENOMEM;
	memcpy(bytes + records->size, event, size);
	records->bytes = bytes;
	records->size += size;
	return 0;
}

/* A part has what decoding needs. AUX records after its end are for the next one, with their trace.
 */
static int write_to_part(struct recorder_part *part, const union perf_event *event)
{
	int error = 0;

	switch (event->header.type) {
	case PERF_RECORD_AUX:
		if (part->is_ending)
			return keep(&part->deferred, event);
		part->dropped.records += part->is_full;
		if (part->is_full)
			return 0;
		part->reports++;
		break;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		error = keep(&part->identities, event);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_ITRACE_START:
	case PERF_RECORD_LOST:
		break;
	default:
		return 0;
	}
	return error ? error : perfdata_write_raw(part->writer, event, event->header.size);
}

/* A record goes to the file and to the part. */
static int write_record(struct recorder *recorder, const union perf_event *event)
{
	struct recorder_part *part = &recorder->part;
	int error = 0;

	if (recorder->writer)
		error = perfdata_write_raw(recorder->writer, event, event->header.size);
	return error || !part->writer ? error : write_to_part(part, event);
}

/* All records of a ring, in their order */
static int read_records(struct recorder *recorder, struct recorder_ring *from)
{
	struct perf_mmap *ring = from->ring;
	const union perf_event *event;
	int error = 0;

	/* an error says that the ring is empty */
	if (perf_mmap__read_init(ring))
		return 0;
	while (!error && (event = perf_mmap__read_event(ring)) != NULL) {
		count_record(recorder, event);
		if (event->header.type == PERF_RECORD_AUX) {
			from->reported = event->aux.aux_offset + event->aux.aux_size;
			from->lost = false;
		}
		from->lost |= event->header.type == PERF_RECORD_LOST;
		if (recorder_trigger_take(recorder, event))
			error = write_record(recorder, event);
		if (!error && recorder->copy)
			error = kernel_watch_record(&recorder->watch, &event->header);
		perf_mmap__consume(ring);
	}
	/*
	 * Not perf_mmap__read_done(), which is for rings that are overwritten: it skips records
	 * that the kernel has written since the last perf_mmap__read_event().
	 */
	return error;
}

/*
 * The bytes of an AUX area between two offsets. They are one AUXTRACE record even if they go over
 * the end of the ring: stock perf looks for the trace of an AUX record in one AUXTRACE record.
 */
static int write_trace(struct recorder *recorder, struct recorder_ring *ring, uint64_t from,
		       uint64_t to)
{
	const struct aux_area *aux = &ring->aux;
	const size_t start = (size_t)(from & (aux->size - 1)), size = (size_t)(to - from);
	const size_t first = size < aux->size - start ? size : aux->size - start;
	struct recorder_part *part = &recorder->part;
	int error = 0;

	recorder->totals.trace_bytes += size;
	if (!size)
		return 0;
	if (recorder->writer)
		error = perfdata_write_auxtrace_halves(recorder->writer, &ring->area, from,
						       aux->base + start, first, aux->base,
						       size - first);
	if (error || !part->writer)
		return error;
	if (part->is_full) {
		part->dropped.bytes += size;
		return 0;
	}
	part->trace += size;
	return perfdata_write_auxtrace_halves(part->writer, &ring->area, from, aux->base + start,
					      first, aux->base, size - first);
}

/* The trace of a part is where its AUX records say: what comes after them is left for the next. */
static int read_trace(struct recorder *recorder, struct recorder_ring *ring)
{
	const uint64_t head = aux_area_head(&ring->aux), tail = ring->aux.tail;
	const unsigned int fill = (unsigned int)((head - tail) * 1000 / ring->aux.size);
	uint64_t end = head;
	int error = 0;

	if (fill > recorder->totals.fill)
		recorder->totals.fill = fill;
	/* trace whose record was lost would fill the area, and no record would ever come again */
	if (recorder->part.writer && !ring->lost && head - ring->reported <= head - tail)
		end = ring->reported;
	if (end == tail)
		return 0;
	error = write_trace(recorder, ring, tail, end);
	aux_area_consume(&ring->aux, end);
	return error;
}

int recorder_read_rings(struct recorder *recorder, bool with_trace)
{
	int error = 0;

	for (size_t i = 0; !error && i < recorder->ring_count; i++) {
		struct recorder_ring *ring = &recorder->rings[i];

		error = read_records(recorder, ring);
		if (!error && with_trace && ring->aux.base && !ring->aux.overwrite)
			error = read_trace(recorder, ring);
	}
	return error ? error : recorder_trigger_read(recorder);
}

int recorder_read(struct recorder *recorder)
{
	int error = recorder_read_rings(recorder, true);

	/* samples of latency() are evaluated here, before the file is written, which takes time */
	if (!error && recorder_trigger_waits(recorder))
		error = recorder_read_rings(recorder, true);
	if (!error && recorder->copy)
		error = kernel_watch_round(&recorder->watch);
	if (!error && recorder->part.writer)
		error = perfdata_write_round(recorder->part.writer);
	if (error || !recorder->writer)
		return error;
	error = perfdata_write_round(recorder->writer);
	return error ? error : perfdata_write_flush(recorder->writer);
}

/* The latest trace of an AUX area, except for what an earlier snapshot has */
static int read_latest(struct recorder *recorder, struct recorder_ring *ring)
{
	const uint64_t head = aux_area_head(&ring->aux);
	uint64_t size = head - ring->aux.tail;

	if (size > ring->aux.size)
		size = ring->aux.size;
	if (recorder->options->snapshot_bytes && size > recorder->options->snapshot_bytes)
		size = recorder->options->snapshot_bytes;
	ring->aux.tail = head;
	return write_trace(recorder, ring, head - size, head);
}

int recorder_snapshot(struct recorder *recorder)
{
	struct perf_evsel *trace = recorder->evsels[RECORD_TRACE];
	int error;

	/* this closes the open AUX records, which say how far the trace goes */
	perf_evsel__disable(trace);
	error = recorder_read(recorder);
	for (size_t i = 0; !error && i < recorder->ring_count; i++)
		if (recorder->rings[i].aux.base)
			error = read_latest(recorder, &recorder->rings[i]);
	recorder->totals.snapshots++;
	recorder->trigger.snapshot_time = recorder->trigger.watch.latest;
	if (recorder->enabled)
		perf_evsel__enable(trace);
	return error ? error : perfdata_write_flush(recorder->writer);
}
