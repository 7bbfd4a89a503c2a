/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts the events in order of time, and finds the bytes of each AUX record and sample. */
#include <errno.h>
#include <stdlib.h>

#include "perfdata_reader.h"

/* how many AUXTRACE records to look at when several may hold the bytes */
#define CHUNKS_TRIED 16

static int compare_events(const void *a, const void *b, void *ctx)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct perfdata_event *events = ctx;
	const int by_time = perfdata_compare(events[x].time, events[y].time);

	return by_time ? by_time : perfdata_compare(x, y);
}

static bool events_sorted(const struct perfdata_event *events, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (events[i].time < events[i - 1].time)
			return false;
	return true;
}

/* Event number order[i] comes to place i; @order is used up. A second array would take as much
 * memory as the events. */
static void permute(struct perfdata_event *events, size_t *order, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct perfdata_event first = events[i];
		size_t at = i;

		if (order[i] == i)
			continue;
		while (order[at] != i) {
			const size_t from = order[at];

			events[at] = events[from];
			order[at] = at;
			at = from;
		}
		events[at] = first;
		order[at] = at;
	}
}

/* Equal times keep the order of the file. */
static void sort_events(struct perfdata *data)
{
	struct perfdata_event *events = data->events.items;
	const size_t count = data->events.count;
	size_t *order;

	if (events_sorted(events, count))
		return;
	order = reallocarray(NULL, count, sizeof(*order));
	if (!order) {
		data->error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_events, events);
	permute(events, order, count);
	free(order);
}

/* One order for chunks by CPU and by thread: those by thread have cpu -1 and come first. */
static int compare_area(const struct perfdata_chunk *chunk, int32_t cpu, int32_t tid)
{
	if (chunk->cpu != cpu)
		return chunk->cpu < cpu ? -1 : 1;
	if (cpu >= 0 || chunk->tid == tid)
		return 0;
	return chunk->tid < tid ? -1 : 1;
}

static int compare_chunks(const void *a, const void *b)
{
	const struct perfdata_chunk *x = a, *y = b;
	int order = compare_area(x, y->cpu, y->tid);

	if (!order)
		order = perfdata_compare(x->offset, y->offset);
	return order ? order : perfdata_compare(x->order, y->order);
}

/* How many chunks come before or at an offset of an area. */
static size_t chunks_up_to(const struct perfdata *data, int32_t cpu, int32_t tid, uint64_t offset)
{
	const struct perfdata_chunk *chunks = data->chunks.items;
	size_t low = 0, high = data->chunks.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = compare_area(&chunks[middle], cpu, tid);

		if (order < 0 || (!order && chunks[middle].offset <= offset))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Bytes of [offset, offset + size) that a chunk has; neither end overflows. */
static uint64_t overlap(const struct perfdata_chunk *chunk, uint64_t offset, uint64_t size)
{
	const uint64_t chunk_end = chunk->offset + chunk->size;
	const uint64_t from = offset > chunk->offset ? offset : chunk->offset;
	const uint64_t to = offset + size < chunk_end ? offset + size : chunk_end;

	return to > from ? to - from : 0;
}

/*
 * The chunk with most of [offset, offset + size) of an area. Chunks are padded, so the end of one
 * may overlap the beginning of the next: later ones go first.
 */
static const struct perfdata_chunk *find_chunk(const struct perfdata *data, int32_t cpu,
					       int32_t tid, uint64_t offset, uint64_t size)
{
	const struct perfdata_chunk *chunks = data->chunks.items, *best = NULL;
	size_t at = chunks_up_to(data, cpu, tid, offset + size - 1);
	uint64_t most = 0;

	for (int i = 0; i < CHUNKS_TRIED && at--; i++) {
		uint64_t has;

		if (compare_area(&chunks[at], cpu, tid))
			break;
		has = overlap(&chunks[at], offset, size);
		if (has > most) {
			most = has;
			best = &chunks[at];
		}
		if (most == size)
			break;
	}
	return best;
}

static const struct perfdata_chunk *chunk_of(const struct perfdata *data,
					     const struct perfdata_session *session,
					     uint64_t offset, uint64_t size)
{
	const struct perfdata_chunk *chunk = NULL;

	if (session->cpu >= 0)
		chunk = find_chunk(data, session->cpu, PERFDATA_ANY, offset, size);
	if (!chunk)
		chunk = find_chunk(data, PERFDATA_ANY, session->tid, offset, size);
	return chunk;
}

static const struct perfdata_cpu *unit_of(const struct perfdata *data, int32_t cpu)
{
	const struct perfdata_cpu *cpus = data->cpus.items;

	for (size_t i = 0; i < data->cpus.count; i++)
		if (cpu >= 0 && cpus[i].cpu == (uint32_t)cpu)
			return &cpus[i];
	return data->cpus.count ? cpus : NULL;
}

static void note_missing(struct perfdata *data, const struct perfdata_session *session)
{
	/* of an incomplete file there is a note already */
	if (!session->missing || (data->info.incomplete && !session->clipped))
		return;
	if (session->clipped)
		perfdata_note(data, PERFDATA_INFO, session->at,
			      "%llu bytes of trace were overwritten before the snapshot",
			      (unsigned long long)session->missing);
	else
		perfdata_note(data, PERFDATA_ERROR, session->at,
			      "%llu bytes of trace that the AUX record names are not in the file",
			      (unsigned long long)session->missing);
}

/* The area that the trace in a sample is from; NULL where the file does not name it */
static const struct perfdata_place *find_place(const struct perfdata *data, uint64_t id)
{
	const struct perfdata_place *places = data->places.items;
	size_t low = 0, high = data->places.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (places[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < data->places.count && places[low].id == id ? &places[low] : NULL;
}

/* The first one of the file comes first of those that have the same identifier. */
static int compare_places(const void *a, const void *b)
{
	const struct perfdata_place *x = a, *y = b;
	int order = perfdata_compare(x->id, y->id);

	if (!order)
		order = perfdata_compare(x->idx, y->idx);
	return order ? order : (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/*
 * A sample does not say how its trace is formatted: as that of the AUX records, which the kernel
 * writes when it takes the trace event off the CPU. Without one, the trace of an ETMv4 or an ETMv3
 * is in frames; that of an ETE is not, because a TRBE has no formatter.
 */
static bool is_sample_framed(const struct perfdata *data, const struct perfdata_session *session)
{
	if (data->aux_format != PERFDATA_ANY)
		return data->aux_format == PERFDATA_AUX_FRAMED;
	return session->unit && (session->unit->protocol == PERFDATA_ETMV4 ||
				 session->unit->protocol == PERFDATA_ETMV3);
}

/* The session of a sample that has trace */
static void take_sampled(struct perfdata *data, struct perfdata_session *session,
			 const struct perfdata_aux *aux)
{
	const struct perfdata_place *place = find_place(data, aux->id);

	if (place) {
		session->cpu = place->cpu;
		session->area = place->idx;
		if (session->written_on == PERFDATA_ANY)
			session->written_on = place->cpu;
		session->unit = unit_of(data, session->written_on);
	}
	session->is_sample = true;
	session->bytes = aux->sampled;
	session->size = aux->size;
	session->bytes_at = session->at;
	session->in_file = perfdata_in_file(data, aux->sampled);
	if (session->in_file)
		session->bytes_at = (uint64_t)(aux->sampled - data->file.at);
	session->framed = is_sample_framed(data, session);
	session->clipped = true;
	data->info.snapshot = true;
}

static void find_bytes(struct perfdata *data, struct perfdata_session *session,
		       const struct perfdata_aux *aux)
{
	const bool overwrite = aux->flags & PERFDATA_AUX_OVERWRITE;
	const struct perfdata_chunk *chunk = NULL;
	uint64_t offset = aux->offset, size = aux->size;

	/* in snapshot mode the offset is that of the end */
	if (overwrite) {
		size = size > offset ? offset : size;
		offset -= size;
	}
	session->aux_offset = offset;
	session->missing = size;
	if (size > UINT64_MAX - offset) {
		perfdata_note(data, PERFDATA_ERROR, session->at, "AUX record has a senseless size");
		return;
	}
	if (size)
		chunk = chunk_of(data, session, offset, size);
	if (chunk) {
		const uint64_t skip = offset < chunk->offset ? chunk->offset - offset : 0;
		const uint64_t into = offset > chunk->offset ? offset - chunk->offset : 0;

		session->aux_offset = offset + skip;
		session->size = overlap(chunk, offset, size);
		session->missing = size - session->size;
		session->bytes_at = chunk->at + into;
		session->bytes = data->file.at + session->bytes_at;
		session->in_file = true;
		session->area = chunk->idx;
	}
	session->clipped = overwrite && session->missing;
	note_missing(data, session);
}

/*
 * The CPU of the area that an event's trace is in. With --per-thread perf 6.12 and later record the
 * CPU of each record (PERF_SAMPLE_CPU), yet the areas are the threads' own.
 */
static int32_t cpu_of_area(const struct perfdata *data, const struct perfdata_event *event)
{
	return data->info.per_cpu ? event->cpu : PERFDATA_ANY;
}

static void make_session(struct perfdata *data, struct perfdata_event *event)
{
	const struct perfdata_aux *aux =
		(struct perfdata_aux *)data->auxes.items + event->u.session;
	struct perfdata_session *session =
		perfdata_array_add(data, &data->sessions, sizeof(*session));

	if (!session)
		return;
	session->time = event->time;
	session->at = event->at;
	session->flags = aux->flags;
	session->pid = event->pid;
	session->tid = event->tid;
	session->cpu = cpu_of_area(data, event);
	session->written_on = event->cpu;
	session->framed = (aux->flags & PERFDATA_AUX_FORMAT_MASK) == PERFDATA_AUX_FRAMED;
	session->unit = unit_of(data, event->cpu);
	event->u.session = data->sessions.count - 1;
	if (aux->sampled)
		take_sampled(data, session, aux);
	else
		find_bytes(data, session, aux);
}

static void note_unused(struct perfdata *data)
{
	const struct perfdata_chunk *chunks = data->chunks.items;

	if (!data->have_info)
		perfdata_note(data, PERFDATA_ERROR, 0,
			      "no description of a trace unit; record with -e cs_etm//");
	if (data->chunks.count && !data->auxes.count)
		perfdata_note(data, PERFDATA_ERROR, chunks[0].at,
			      "the file has trace without an AUX record that gives its offset: not "
			      "decoded");
}

/*
 * Are the areas those of CPUs? AUXTRACE records say it; where all trace is in samples, the list of
 * identifiers; else the trace belongs to the CPU of its record, if that has one.
 */
static bool is_by_cpu(const struct perfdata *data)
{
	const struct perfdata_chunk *chunks = data->chunks.items;
	const struct perfdata_place *places = data->places.items;

	for (size_t i = 0; i < data->chunks.count; i++)
		if (chunks[i].cpu >= 0)
			return true;
	if (data->chunks.count)
		return false;
	for (size_t i = 0; i < data->places.count; i++)
		if (places[i].cpu >= 0)
			return true;
	return !data->places.count;
}

static int32_t find_format(const struct perfdata *data)
{
	const struct perfdata_aux *auxes = data->auxes.items;

	for (size_t i = 0; i < data->auxes.count; i++)
		if (!auxes[i].sampled)
			return (int32_t)(auxes[i].flags & PERFDATA_AUX_FORMAT_MASK);
	return PERFDATA_ANY;
}

/* Does exec begin a program where a thread may have been traced before? */
static bool has_exec(const struct perfdata_event *events, size_t count)
{
	bool traced = false;

	for (size_t i = 0; i < count; i++) {
		traced |= events[i].kind == PERFDATA_ITRACE_START ||
			  events[i].kind == PERFDATA_SESSION;
		if (traced && events[i].kind == PERFDATA_COMM && events[i].u.comm.exec)
			return true;
	}
	return false;
}

/*
 * perf record --per-thread has no times. The kernel writes what a thread does, and its trace, to
 * one ring buffer in the order of time: where there are several programs, their places in the file
 * stand for times. Elsewhere all is as it was at the end: the order of records of several threads
 * is not that of time.
 */
static void number_events(struct perfdata *data)
{
	struct perfdata_event *events = data->events.items;
	const size_t count = data->events.count;

	for (size_t i = 0; i < count; i++)
		if (events[i].time)
			return;
	data->info.untimed = true;
	if (!has_exec(events, count))
		return;
	for (size_t i = 0; i < count; i++)
		events[i].time = i + 1;
}

static void free_array(struct perfdata_array *array)
{
	free(array->items);
	*array = (struct perfdata_array){0};
}

void perfdata_make_sessions(struct perfdata *data)
{
	struct perfdata_event *events;

	perfdata_drop_repeated(data);
	number_events(data);
	sort_events(data);
	if (data->chunks.count)
		qsort(data->chunks.items, data->chunks.count, sizeof(struct perfdata_chunk),
		      compare_chunks);
	if (data->places.count)
		qsort(data->places.items, data->places.count, sizeof(struct perfdata_place),
		      compare_places);
	data->info.per_cpu = is_by_cpu(data);
	data->aux_format = find_format(data);
	events = data->events.items;
	for (size_t i = 0; i < data->events.count && !data->error; i++)
		if (events[i].kind == PERFDATA_SESSION)
			make_session(data, &events[i]);
	note_unused(data);
	/* the sessions have what was needed of both */
	free_array(&data->auxes);
	free_array(&data->chunks);
	free_array(&data->places);
}
