/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of perf.data: each kind that says something of trace or of address spaces. */
#include <stdlib.h>
#include <string.h>

#include "perfdata_reader.h"

#define HEADER sizeof(struct perf_event_header)

/* read_records() releases as many bytes at a time, or more */
#define RELEASE_BYTES 0x10000u

/* what the kernel puts behind a record, for each of these bits 8 bytes in this order */
static const uint64_t trailer_bits[] = {
	PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER,
};

#define TRAILER_BITS (sizeof(trailer_bits) / sizeof(trailer_bits[0]))

/* struct stamp - who and when, from the trailer of a record */
struct stamp {
	uint64_t time;
	int32_t pid;
	int32_t tid;
	int32_t cpu;
	bool has_time;
	bool has_tid;
};

static struct perf_event_header header_of(struct perfdata_bytes record)
{
	struct perf_event_header header;

	memcpy(&header, record.at, sizeof(header));
	return header;
}

static int32_t get_i32(struct perfdata_bytes bytes, size_t at)
{
	return (int32_t)perfdata_u32(bytes, at);
}

static size_t trailer_size(const struct perfdata_attr *attr)
{
	size_t size = 0;

	for (size_t i = 0; i < TRAILER_BITS; i++)
		if (attr->sample_type & trailer_bits[i])
			size += 8;
	return attr->sample_id_all ? size : 0;
}

/* Where the identifier stands, counted from the end of the record; 0 for nowhere. */
static size_t id_from_end(const struct perfdata_attr *attr)
{
	size_t from_end = 8;

	if (!attr->sample_id_all)
		return 0;
	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
		return from_end;
	if (!(attr->sample_type & PERF_SAMPLE_ID))
		return 0;
	if (attr->sample_type & PERF_SAMPLE_CPU)
		from_end += 8;
	if (attr->sample_type & PERF_SAMPLE_STREAM_ID)
		from_end += 8;
	return from_end;
}

/* The event a record comes from. perf writes id 0 on its own: the first event's. */
static const struct perfdata_attr *attr_of(struct perfdata *data, struct perfdata_bytes record)
{
	const struct perfdata_attr *attrs = data->attrs.items, *found;
	size_t from_end;
	uint64_t id;

	if (!data->indexed)
		perfdata_index_ids(data);
	if (!data->attrs.count)
		return NULL;
	from_end = id_from_end(attrs);
	if (!data->different || !from_end || record.size < HEADER + from_end)
		return attrs;
	id = perfdata_u64(record, record.size - from_end);
	found = perfdata_find_attr(data, id);
	return found ? found : attrs;
}

/* Reads the trailer and cuts it off the record. */
static struct stamp take_stamp(struct perfdata *data, struct perfdata_bytes *record)
{
	const struct perfdata_attr *attr = attr_of(data, *record);
	struct stamp stamp = {.pid = PERFDATA_ANY, .tid = PERFDATA_ANY, .cpu = PERFDATA_ANY};
	const size_t size = attr ? trailer_size(attr) : 0;
	size_t at;

	stamp.time = data->last_time;
	if (!size || record->size < HEADER + size)
		return stamp;
	at = record->size -= size;
	if (attr->sample_type & PERF_SAMPLE_TID) {
		stamp.has_tid = true;
		stamp.pid = get_i32(*record, at);
		stamp.tid = get_i32(*record, at + 4);
		at += 8;
	}
	if (attr->sample_type & PERF_SAMPLE_TIME) {
		stamp.has_time = true;
		stamp.time = perfdata_u64(*record, at);
		at += 8;
	}
	if (attr->sample_type & PERF_SAMPLE_ID)
		at += 8;
	if (attr->sample_type & PERF_SAMPLE_STREAM_ID)
		at += 8;
	if (attr->sample_type & PERF_SAMPLE_CPU)
		stamp.cpu = get_i32(*record, at);
	data->last_time = stamp.time;
	return stamp;
}

/* Adds an event for a record whose body has at least @size bytes behind its header. */
static struct perfdata_event *add_event(struct perfdata *data, uint64_t at,
					struct perfdata_bytes *record, size_t size,
					enum perfdata_event_kind kind)
{
	const uint32_t type = header_of(*record).type;
	const struct stamp stamp = take_stamp(data, record);
	struct perfdata_event *event;

	if (record->size < HEADER + size) {
		perfdata_note(data, PERFDATA_ERROR, at,
			      "record of type %u is too short: ignored; the file is damaged", type);
		return NULL;
	}
	event = perfdata_array_add(data, &data->events, sizeof(*event));
	if (!event)
		return NULL;
	event->time = stamp.time;
	event->at = at;
	event->pid = stamp.pid;
	event->tid = stamp.tid;
	event->cpu = stamp.cpu;
	event->kind = (uint8_t)kind;
	return event;
}

static struct perfdata_bytes rest_of(struct perfdata_bytes record, size_t at)
{
	return (struct perfdata_bytes){record.at + at, record.size - at};
}

static void read_comm(struct perfdata *data, uint64_t at, struct perfdata_bytes record)
{
	struct perfdata_event *event = add_event(data, at, &record, 8, PERFDATA_COMM);

	if (!event)
		return;
	event->pid = get_i32(record, HEADER);
	event->tid = get_i32(record, HEADER + 4);
	event->u.comm.exec = header_of(record).misc & PERF_RECORD_MISC_COMM_EXEC;
	event->u.comm.name = perfdata_string(data, rest_of(record, HEADER + 8));
}

static void read_task(struct perfdata *data, uint64_t at, struct perfdata_bytes record,
		      enum perfdata_event_kind kind)
{
	struct perfdata_event *event = add_event(data, at, &record, 24, kind);

	if (!event)
		return;
	event->pid = get_i32(record, HEADER);
	event->tid = get_i32(record, HEADER + 8);
	event->u.parent.pid = get_i32(record, HEADER + 4);
	event->u.parent.tid = get_i32(record, HEADER + 12);
	event->u.parent.listed =
		kind == PERFDATA_FORK && header_of(record).misc & PERF_RECORD_MISC_FORK_EXEC;
}

/* The part that MMAP and MMAP2 have in common; @path_at is where they differ. */
static struct perfdata_mapping *add_mapping(struct perfdata *data, uint64_t at,
					    struct perfdata_bytes *record, size_t path_at)
{
	struct perfdata_event *event = add_event(data, at, record, path_at - HEADER, PERFDATA_MMAP);
	struct perfdata_mapping *mapping;

	if (!event)
		return NULL;
	mapping = perfdata_pool(data, sizeof(*mapping));
	if (!mapping) {
		data->events.count--;
		return NULL;
	}
	event->pid = get_i32(*record, HEADER);
	event->tid = get_i32(*record, HEADER + 4);
	event->u.mapping = mapping;
	mapping->address = perfdata_u64(*record, HEADER + 8);
	mapping->length = perfdata_u64(*record, HEADER + 16);
	mapping->file_offset = perfdata_u64(*record, HEADER + 24);
	mapping->path = perfdata_string(data, rest_of(*record, path_at));
	return mapping;
}

/* MMAP has no protection: what is not marked as data is code (PROT_EXEC). */
static void read_mmap(struct perfdata *data, uint64_t at, struct perfdata_bytes record)
{
	struct perfdata_mapping *mapping = add_mapping(data, at, &record, HEADER + 32);

	if (mapping && !(header_of(record).misc & PERF_RECORD_MISC_MMAP_DATA))
		mapping->prot = 4;
}

static void read_mmap2(struct perfdata *data, uint64_t at, struct perfdata_bytes record)
{
	struct perfdata_mapping *mapping = add_mapping(data, at, &record, HEADER + 64);
	const size_t identity = HEADER + 32;

	if (!mapping)
		return;
	if (header_of(record).misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		const uint8_t size = record.at[identity];

		mapping->build_id_size = size > sizeof(mapping->build_id) ? 0 : size;
		memcpy(mapping->build_id, record.at + identity + 4, mapping->build_id_size);
	} else {
		mapping->major = perfdata_u32(record, identity);
		mapping->minor = perfdata_u32(record, identity + 4);
		mapping->inode = perfdata_u64(record, identity + 8);
	}
	mapping->prot = perfdata_u32(record, HEADER + 56);
	mapping->flags = perfdata_u32(record, HEADER + 60);
}

static void read_itrace_start(struct perfdata *data, uint64_t at, struct perfdata_bytes record)
{
	struct perfdata_event *event = add_event(data, at, &record, 8, PERFDATA_ITRACE_START);

	if (!event)
		return;
	event->pid = get_i32(record, HEADER);
	event->tid = get_i32(record, HEADER + 4);
}

static void read_aux(struct perfdata *data, uint64_t at, struct perfdata_bytes record)
{
	struct perfdata_event *event = add_event(data, at, &record, 24, PERFDATA_SESSION);
	struct perfdata_aux *aux;

	if (!event)
		return;
	aux = perfdata_array_add(data, &data->auxes, sizeof(*aux));
	if (!aux) {
		data->events.count--;
		return;
	}
	event->u.session = data->auxes.count - 1;
	aux->offset = perfdata_u64(record, HEADER);
	aux->size = perfdata_u64(record, HEADER + 8);
	aux->flags = perfdata_u64(record, HEADER + 16);
}

/*
 * Which trace ID a CPU has, in place of its description: bits 7:0; from minor version 1 on the sink
 * in bits 39:8. Bits 59:56 are the minor version, bits 63:60 the major one. Trace in no frames
 * needs no ID.
 */
static void read_hw_id(struct perfdata *data, uint64_t at, struct perfdata_bytes record)
{
	struct perfdata_cpu *cpus = data->cpus.items;
	const struct stamp stamp = take_stamp(data, &record);
	uint64_t id;

	/* perf 6.1 records no CPU with --per-thread */
	if (record.size < HEADER + 8 || stamp.cpu < 0)
		return;
	id = perfdata_u64(record, HEADER);
	if (id >> 60) {
		perfdata_note(data, PERFDATA_ERROR, at,
			      "trace ID in a layout of version %u, known is 0",
			      (unsigned int)(id >> 60));
		return;
	}
	for (size_t i = 0; i < data->cpus.count; i++) {
		if (cpus[i].cpu != (uint32_t)stamp.cpu)
			continue;
		if (id >> 56)
			cpus[i].sink = (uint32_t)(id >> 8);
		if (cpus[i].protocol == PERFDATA_ETMV3)
			cpus[i].etmv3.etmtraceidr = id & 0x7f;
		else
			cpus[i].regs.trctraceidr = id & 0x7f;
	}
}

static void read_lost(struct perfdata *data, uint64_t at, struct perfdata_bytes record,
		      size_t count_at)
{
	struct perfdata_event *event =
		add_event(data, at, &record, count_at - HEADER + 8, PERFDATA_LOST);

	if (!event)
		return;
	event->u.lost = perfdata_u64(record, count_at);
	if (event->u.lost)
		perfdata_note(data, PERFDATA_LOSS, at,
			      "the kernel lost %llu records here: mappings and sessions may be "
			      "missing; record with a larger buffer (-m)",
			      (unsigned long long)event->u.lost);
}

static void read_switch(struct perfdata *data, uint64_t at, struct perfdata_bytes record)
{
	const bool out = header_of(record).misc & PERF_RECORD_MISC_SWITCH_OUT;
	struct perfdata_event *event = add_event(data, at, &record, 0, PERFDATA_SWITCH);

	if (event)
		event->u.switch_in = !out;
}

/* In a file from a pipe, attributes and features are records. */
static void read_attr_record(struct perfdata *data, uint64_t at, struct perfdata_bytes record)
{
	const struct perfdata_bytes body = rest_of(record, HEADER);
	struct perfdata_bytes attr, ids;
	uint32_t size;

	if (body.size < 8)
		return;
	size = perfdata_u32(body, offsetof(struct perf_event_attr, size));
	if (!perfdata_slice(body, 0, size, &attr)) {
		perfdata_note(data, PERFDATA_ERROR, at, "event attribute longer than its record");
		return;
	}
	perfdata_slice(body, size, body.size - size, &ids);
	perfdata_read_attr(data, at, attr, ids);
}

static void read_feature_record(struct perfdata *data, uint64_t at, struct perfdata_bytes record)
{
	uint64_t feature;

	if (record.size < HEADER + 8)
		return;
	feature = perfdata_u64(record, HEADER);
	if (feature < PERFDATA_FEATURES)
		perfdata_read_feature(data, (unsigned int)feature, at, rest_of(record, HEADER + 8));
}

/* Which area the trace in the samples of an identifier is from */
static void read_id_index(struct perfdata *data, uint64_t at, struct perfdata_bytes record)
{
	const uint64_t count = record.size < HEADER + 8 ? 0 : perfdata_u64(record, HEADER);
	struct perfdata_bytes entries;

	if (count > record.size / sizeof(struct perfdata_id_entry) ||
	    !perfdata_slice(record, HEADER + 8, count * sizeof(struct perfdata_id_entry),
			    &entries)) {
		perfdata_note(data, PERFDATA_ERROR, at,
			      "list of identifiers is longer than its record: ignored; the file is "
			      "damaged");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		struct perfdata_place *place =
			perfdata_array_add(data, &data->places, sizeof(*place));
		struct perfdata_id_entry entry;

		if (!place)
			return;
		memcpy(&entry, entries.at + i * sizeof(entry), sizeof(entry));
		*place = (struct perfdata_place){entry.id, (uint32_t)entry.idx, (int32_t)entry.cpu};
	}
}

/* COMPRESSED2 has the size of its contents, the rest is padding. */
static void read_compressed(struct perfdata *data, uint64_t at, struct perfdata_bytes record,
			    uint32_t type)
{
	struct perfdata_bytes packed = rest_of(record, HEADER);

	if (type == PERFDATA_RECORD_COMPRESSED2) {
		if (packed.size < 8 ||
		    !perfdata_slice(packed, 8, perfdata_u64(packed, 0), &packed)) {
			perfdata_note(data, PERFDATA_ERROR, at, "compressed record is damaged");
			return;
		}
	}
	perfdata_unpack(data, at, packed);
}

void perfdata_read_record(struct perfdata *data, uint64_t at, struct perfdata_bytes record)
{
	const uint32_t type = header_of(record).type;

	switch (type) {
	case PERF_RECORD_MMAP:
		return read_mmap(data, at, record);
	case PERF_RECORD_MMAP2:
		return read_mmap2(data, at, record);
	case PERF_RECORD_COMM:
		return read_comm(data, at, record);
	case PERF_RECORD_FORK:
		return read_task(data, at, record, PERFDATA_FORK);
	case PERF_RECORD_EXIT:
		return read_task(data, at, record, PERFDATA_EXIT);
	case PERF_RECORD_ITRACE_START:
		return read_itrace_start(data, at, record);
	case PERF_RECORD_AUX:
		return read_aux(data, at, record);
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		return read_hw_id(data, at, record);
	case PERF_RECORD_LOST:
		return read_lost(data, at, record, HEADER + 8);
	case PERF_RECORD_LOST_SAMPLES:
		return read_lost(data, at, record, HEADER);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return read_switch(data, at, record);
	case PERFDATA_RECORD_HEADER_ATTR:
		return read_attr_record(data, at, record);
	case PERFDATA_RECORD_HEADER_FEATURE:
		return read_feature_record(data, at, record);
	case PERFDATA_RECORD_BUILD_ID:
		return perfdata_read_build_ids(data, at, record);
	case PERFDATA_RECORD_AUXTRACE_INFO:
		return perfdata_read_info(data, at, record);
	case PERFDATA_RECORD_ID_INDEX:
		return read_id_index(data, at, record);
	case PERFDATA_RECORD_TIME_CONV:
		return perfdata_read_time_conv(data, at, record);
	case PERFDATA_RECORD_COMPRESSED:
	case PERFDATA_RECORD_COMPRESSED2:
		return read_compressed(data, at, record, type);
	case PERF_RECORD_SAMPLE:
		return perfdata_read_sample(data, at, record);
	case PERF_RECORD_CGROUP:
		return perfdata_read_cgroup(data, at, record);
	default: /* what later versions of perf add */
		return;
	}
}

/*
 * An AUXTRACE record and the trace that follows it. Returns the bytes that follow, as far as the
 * file has them.
 */
static uint64_t read_auxtrace(struct perfdata *data, uint64_t at, struct perfdata_bytes record,
			      uint64_t room)
{
	struct perfdata_auxtrace raw;
	struct perfdata_chunk *chunk;

	if (record.size < sizeof(raw)) {
		perfdata_note(data, PERFDATA_ERROR, at,
			      "AUXTRACE record is too short; the file is damaged");
		return 0;
	}
	memcpy(&raw, record.at, sizeof(raw));
	if (raw.size > room) {
		if (!data->info.incomplete)
			perfdata_note(data, PERFDATA_ERROR, at,
				      "the trace here is cut: %llu of %llu bytes are missing",
				      (unsigned long long)(raw.size - room),
				      (unsigned long long)raw.size);
		raw.size = room;
	}
	if (raw.offset > UINT64_MAX - raw.size) {
		perfdata_note(data, PERFDATA_ERROR, at, "AUXTRACE record has a senseless offset");
		return raw.size;
	}
	chunk = perfdata_array_add(data, &data->chunks, sizeof(*chunk));
	if (!chunk)
		return raw.size;
	chunk->offset = raw.offset;
	chunk->size = raw.size;
	chunk->at = at + record.size;
	chunk->idx = raw.idx;
	chunk->tid = (int32_t)raw.tid;
	chunk->cpu = (int32_t)raw.cpu;
	chunk->order = data->chunks.count;
	return raw.size;
}

/* An incomplete file has a note already. */
static void note_cut(struct perfdata *data, uint64_t at)
{
	if (!data->info.incomplete)
		perfdata_note(data, PERFDATA_ERROR, at, "the file is cut within a record");
}

/*
 * In a file from a pipe, the description of tracepoints follows a record that has its size. Returns
 * the bytes that follow, as far as the file has them.
 */
static uint64_t read_tracing_data(struct perfdata *data, uint64_t at, struct perfdata_bytes record,
				  uint64_t room)
{
	struct perfdata_bytes bytes;
	uint64_t size;

	if (record.size < HEADER + 4)
		return 0;
	size = perfdata_u32(record, HEADER);
	if (size > room || !perfdata_slice(data->file, at + record.size, size, &bytes) ||
	    !perfdata_read_tracing_data(data, bytes))
		perfdata_note(data, PERFDATA_ERROR, at,
			      "the description of tracepoints is damaged: their fields are not "
			      "known");
	size = (size + 7) & ~UINT64_C(7);
	return size < room ? size : room;
}

/* What was read of records, and bytes near it that page faults mapped, is not needed again soon. */
static uint64_t release(const struct perfdata *data, uint64_t from, uint64_t to)
{
	if (!data->map.bytes || to - from < RELEASE_BYTES)
		return from;
	file_map_release(&data->map, data->map.bytes + from, data->map.bytes + to);
	return to;
}

void perfdata_read_records(struct perfdata *data, uint64_t at, uint64_t end)
{
	uint64_t released = at;

	while (at < end && !data->error) {
		struct perfdata_bytes record;
		struct perf_event_header header;

		released = release(data, released, at);

		if (!perfdata_slice(data->file, at, HEADER, &record) || HEADER > end - at) {
			note_cut(data, at);
			return;
		}
		header = header_of(record);
		if (header.size < HEADER) {
			perfdata_note(data, PERFDATA_ERROR, at,
				      "record of %u bytes: the file is damaged; the rest of it, "
				      "%llu bytes, is not read",
				      header.size, (unsigned long long)(end - at));
			return;
		}
		if (header.size > end - at ||
		    !perfdata_slice(data->file, at, header.size, &record)) {
			note_cut(data, at);
			return;
		}
		if (header.type == PERFDATA_RECORD_AUXTRACE) {
			at += header.size + read_auxtrace(data, at, record, end - at - header.size);
		} else if (header.type == PERFDATA_RECORD_TRACING_DATA) {
			at += header.size +
			      read_tracing_data(data, at, record, end - at - header.size);
		} else {
			perfdata_read_record(data, at, record);
			at += header.size;
		}
	}
}
