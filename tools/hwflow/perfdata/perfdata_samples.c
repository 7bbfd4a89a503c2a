/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of events beside the trace, and the names of these events. */
#include "perfdata_samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata_reader.h"

#define HEADER sizeof(struct perf_event_header)

/* struct cursor - what is left of a record; @cut once a field was not there */
struct cursor {
	struct perfdata_bytes rest;
	bool cut;
};

static uint64_t take_u64(struct cursor *cursor)
{
	uint64_t value;

	if (cursor->cut || cursor->rest.size < 8) {
		cursor->cut = true;
		return 0;
	}
	value = perfdata_u64(cursor->rest, 0);
	cursor->rest.at += 8;
	cursor->rest.size -= 8;
	return value;
}

static uint64_t take_if(struct cursor *cursor, const struct perfdata_attr *attr, uint64_t bit)
{
	return attr->sample_type & bit ? take_u64(cursor) : 0;
}

static void skip_words(struct cursor *cursor, uint64_t words)
{
	if (cursor->cut || words > cursor->rest.size / 8) {
		cursor->cut = true;
		return;
	}
	cursor->rest.at += 8 * words;
	cursor->rest.size -= 8 * words;
}

/* Counts of the event, or of its group */
static void skip_read(struct cursor *cursor, uint64_t format)
{
	const uint64_t times = (format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 1u : 0) +
			       (format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 1u : 0);
	const uint64_t each =
		1 + (format & PERF_FORMAT_ID ? 1u : 0) + (format & PERF_FORMAT_LOST ? 1u : 0);
	uint64_t count = 1;

	if (format & PERF_FORMAT_GROUP)
		count = take_u64(cursor);
	skip_words(cursor, times);
	if (count > cursor->rest.size / 8)
		cursor->cut = true;
	else
		skip_words(cursor, count * each);
}

/* Bytes of the words before PERF_SAMPLE_ID in a sample; -1 for a sample without identifier */
static int id_position(uint64_t type)
{
	static const uint64_t before[] = {PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
					  PERF_SAMPLE_ADDR};
	int at = 0;

	if (type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	if (!(type & PERF_SAMPLE_ID))
		return -1;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		at += type & before[i] ? 8 : 0;
	return at;
}

/* The event of a sample. Where events have different fields, each has the identifier at one place.
 */
static const struct perfdata_attr *attr_of(struct perfdata *data, struct perfdata_bytes body)
{
	const struct perfdata_attr *first = data->attrs.items;
	int at;

	if (!data->indexed)
		perfdata_index_ids(data);
	if (!data->attrs.count)
		return NULL;
	at = id_position(first->sample_type);
	if (at < 0)
		return data->attrs.count == 1 ? first : NULL;
	return body.size < (size_t)at + 8
		       ? NULL
		       : perfdata_find_attr(data, perfdata_u64(body, (size_t)at));
}

/* Bytes that live as long as @data: those of a compressed record are copied. */
static const uint8_t *keep(struct perfdata *data, struct perfdata_bytes bytes)
{
	uint8_t *copy;

	if (perfdata_in_file(data, bytes.at))
		return bytes.at;
	copy = perfdata_pool(data, bytes.size);
	return copy ? memcpy(copy, bytes.at, bytes.size) : NULL;
}

/* Raw data of a tracepoint: a size of four bytes, then so many bytes */
static struct perfdata_bytes take_raw(struct cursor *cursor)
{
	struct perfdata_bytes raw = {0};

	if (cursor->cut || cursor->rest.size < 4 ||
	    !perfdata_slice(cursor->rest, 4, perfdata_u32(cursor->rest, 0), &raw)) {
		cursor->cut = true;
		return raw;
	}
	perfdata_slice(cursor->rest, 4 + raw.size, cursor->rest.size - 4 - raw.size, &cursor->rest);
	return raw;
}

/* A size of eight bytes, then so many bytes, of a stack or of an AUX area */
static struct perfdata_bytes take_sized(struct cursor *cursor)
{
	struct perfdata_bytes bytes = {0};
	const uint64_t size = take_u64(cursor);

	if (cursor->cut || !perfdata_slice(cursor->rest, 0, size, &bytes)) {
		cursor->cut = true;
		return bytes;
	}
	perfdata_slice(cursor->rest, size, cursor->rest.size - size, &cursor->rest);
	return bytes;
}

/*
 * Branches: their number, the index of the newest one if the event asks for it, and for each three
 * words, and a word of counters if the event asks for it. If the kernel has no list of branches it
 * writes the number 0 and no index (@has_index false).
 */
static void skip_branches(struct cursor *cursor, uint64_t type, bool has_index)
{
	const uint64_t count = take_u64(cursor);

	if (type & PERF_SAMPLE_BRANCH_HW_INDEX && (count || has_index))
		skip_words(cursor, 1);
	if (count > cursor->rest.size / 8)
		cursor->cut = true;
	else
		skip_words(cursor, count * (type & PERFDATA_BRANCH_COUNTERS ? 4 : 3));
}

/* Registers: which ABI they are of, and those of the mask unless there are none (ABI 0) */
static void skip_registers(struct cursor *cursor, uint64_t mask)
{
	if (take_u64(cursor))
		skip_words(cursor, (uint64_t)__builtin_popcountll(mask));
}

/* A copy of the stack: the size of the copy, the copy, and how much of it was read */
static void skip_stack(struct cursor *cursor)
{
	if (take_sized(cursor).size)
		skip_words(cursor, 1);
}

/**
 * struct parts - the parts of a sample that stand behind others, or are more than numbers
 * @raw: raw data of a tracepoint
 * @trace: of the AUX area
 * @cgroup: the identifier of a cgroup; 0 where not recorded
 * @id: the identifier of the event
 */
struct parts {
	struct perfdata_bytes raw;
	struct perfdata_bytes trace;
	uint64_t cgroup;
	uint64_t id;
};

/* The fields behind the raw data, in the order of the kernel */
static void take_later(struct cursor *cursor, const struct perfdata_attr *attr, bool has_index,
		       struct parts *parts)
{
	const uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_BRANCH_STACK)
		skip_branches(cursor, attr->branch_sample_type, has_index);
	if (type & PERF_SAMPLE_REGS_USER)
		skip_registers(cursor, attr->regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		skip_stack(cursor);
	/* one word in two layouts */
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		skip_words(cursor, 1);
	take_if(cursor, attr, PERF_SAMPLE_DATA_SRC);
	take_if(cursor, attr, PERF_SAMPLE_TRANSACTION);
	if (type & PERF_SAMPLE_REGS_INTR)
		skip_registers(cursor, attr->regs_intr);
	take_if(cursor, attr, PERF_SAMPLE_PHYS_ADDR);
	parts->cgroup = take_if(cursor, attr, PERF_SAMPLE_CGROUP);
	take_if(cursor, attr, PERF_SAMPLE_DATA_PAGE_SIZE);
	take_if(cursor, attr, PERF_SAMPLE_CODE_PAGE_SIZE);
	if (type & PERF_SAMPLE_AUX)
		parts->trace = take_sized(cursor);
}

/* The record ends with these fields, which tells whether a list of no branches has an index. */
static void find_later(struct cursor *cursor, const struct perfdata_attr *attr, struct parts *parts)
{
	struct cursor with = *cursor, without = *cursor;
	struct parts other = *parts;

	take_later(&with, attr, true, parts);
	take_later(&without, attr, false, &other);
	if (!without.cut && !without.rest.size && (with.cut || with.rest.size)) {
		*cursor = without;
		*parts = other;
		return;
	}
	*cursor = with;
}

/* The fields of a sample, in the order of the kernel */
static bool take_sample(struct cursor *cursor, const struct perfdata_attr *attr,
			struct perfdata_sample *sample, struct parts *parts)
{
	const uint64_t type = attr->sample_type;
	uint64_t value;

	parts->id = take_if(cursor, attr, PERF_SAMPLE_IDENTIFIER);
	sample->ip = take_if(cursor, attr, PERF_SAMPLE_IP);
	if (type & PERF_SAMPLE_TID) {
		value = take_u64(cursor);
		sample->pid = (int32_t)(uint32_t)value;
		sample->tid = (int32_t)(value >> 32);
	}
	sample->time = take_if(cursor, attr, PERF_SAMPLE_TIME);
	take_if(cursor, attr, PERF_SAMPLE_ADDR);
	/* the same number as the identifier */
	if (type & PERF_SAMPLE_ID)
		parts->id = take_u64(cursor);
	take_if(cursor, attr, PERF_SAMPLE_STREAM_ID);
	if (type & PERF_SAMPLE_CPU)
		sample->cpu = (int32_t)(uint32_t)take_u64(cursor);
	take_if(cursor, attr, PERF_SAMPLE_PERIOD);
	if (type & PERF_SAMPLE_READ)
		skip_read(cursor, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		skip_words(cursor, take_u64(cursor));
	if (type & PERF_SAMPLE_RAW)
		parts->raw = take_raw(cursor);
	if (type & (PERF_SAMPLE_AUX | PERF_SAMPLE_CGROUP))
		find_later(cursor, attr, parts);
	return !cursor->cut;
}

/* The trace in a sample is a snapshot of the AUX area, as an AUX record of snapshot mode is. */
static void add_trace(struct perfdata *data, uint64_t at, const struct perfdata_sample *sample,
		      const struct parts *parts)
{
	const uint8_t *bytes = keep(data, parts->trace);
	struct perfdata_event *event = NULL;
	struct perfdata_aux *aux = NULL;

	if (bytes)
		aux = perfdata_array_add(data, &data->auxes, sizeof(*aux));
	if (aux)
		event = perfdata_array_add(data, &data->events, sizeof(*event));
	if (!event)
		return;
	*aux = (struct perfdata_aux){.size = parts->trace.size,
				     .flags = PERFDATA_AUX_OVERWRITE,
				     .sampled = bytes,
				     .id = parts->id};
	*event = (struct perfdata_event){
		.time = sample->time,
		.at = at,
		.pid = sample->pid,
		.tid = sample->tid,
		.cpu = sample->cpu,
		.kind = PERFDATA_SESSION,
		.u.session = data->auxes.count - 1,
	};
}

void perfdata_read_cgroup(struct perfdata *data, uint64_t at, struct perfdata_bytes record)
{
	struct perfdata_cgroup *cgroup;

	if (record.size < HEADER + 8) {
		perfdata_note(data, PERFDATA_ERROR, at,
			      "a cgroup is cut: ignored; the file is damaged");
		return;
	}
	cgroup = perfdata_array_add(data, &data->cgroups, sizeof(*cgroup));
	if (!cgroup)
		return;
	cgroup->id = perfdata_u64(record, HEADER);
	cgroup->path = perfdata_string(
		data, (struct perfdata_bytes){record.at + HEADER + 8, record.size - HEADER - 8});
}

void perfdata_read_sample(struct perfdata *data, uint64_t at, struct perfdata_bytes record)
{
	struct cursor cursor = {{record.at + HEADER, record.size - HEADER}, false};
	const struct perfdata_attr *attr = attr_of(data, cursor.rest);
	struct perfdata_sample sample = {
		.pid = PERFDATA_ANY,
		.tid = PERFDATA_ANY,
		.cpu = PERFDATA_ANY,
		.order = data->samples.count,
	};
	struct perfdata_sample *added;
	struct parts parts = {0};

	/* the kernel reports to what the trace belongs by other records */
	if (!attr || (data->have_info && attr->type == data->pmu_type))
		return;
	if (!take_sample(&cursor, attr, &sample, &parts)) {
		perfdata_note(data, PERFDATA_ERROR, at,
			      "a sample is cut: ignored; the file is damaged");
		return;
	}
	if (parts.raw.size)
		sample.raw = keep(data, parts.raw);
	sample.raw_size = sample.raw ? (uint32_t)parts.raw.size : 0;
	sample.cgroup = parts.cgroup;
	if (parts.trace.size)
		add_trace(data, at, &sample, &parts);
	added = perfdata_array_add(data, &data->samples, sizeof(*added));
	if (!added)
		return;
	*added = sample;
	/* names may stand behind the records: until the end, the number of the event */
	added->event = NULL;
	added->order |= (uint64_t)(attr - (const struct perfdata_attr *)data->attrs.items) << 48;
}

/* Attributes, then for each its identifiers and its name, in the order of the attributes */
bool perfdata_read_event_desc(struct perfdata *data, struct perfdata_bytes bytes)
{
	struct perfdata_bytes rest;
	uint32_t count, attr_size;

	if (bytes.size < 8)
		return false;
	count = perfdata_u32(bytes, 0);
	attr_size = perfdata_u32(bytes, 4);
	rest = (struct perfdata_bytes){bytes.at + 8, bytes.size - 8};
	for (uint32_t i = 0; i < count; i++) {
		struct perfdata_bytes name;
		struct perfdata_attr *attr = data->attrs.items;
		uint64_t ids, used;

		if (!perfdata_slice(rest, attr_size, 8, &name))
			return false;
		ids = perfdata_u32(name, 0);
		if (!perfdata_slice(rest, (uint64_t)attr_size + 8, perfdata_u32(name, 4), &name))
			return false;
		if (i < data->attrs.count)
			attr[i].name = perfdata_string(data, name);
		used = (uint64_t)attr_size + 8 + name.size + 8 * ids;
		if (!perfdata_slice(rest, used, rest.size < used ? 0 : rest.size - used, &rest) &&
		    i + 1 < count)
			return false;
	}
	return true;
}

/* By number; the first one of the file comes first of those that have the same */
static int compare_tracepoints(const void *a, const void *b)
{
	const struct perfdata_tracepoint *x = *(const struct perfdata_tracepoint *const *)a;
	const struct perfdata_tracepoint *y = *(const struct perfdata_tracepoint *const *)b;

	return x->id != y->id ? perfdata_compare(x->id, y->id) : (x > y) - (x < y);
}

/* All tracepoints, sorted; NULL without memory, or without tracepoints */
static const struct perfdata_tracepoint **sort_tracepoints(struct perfdata *data)
{
	const struct perfdata_tracepoint *tracepoints = data->tracepoints.items, **sorted;
	const size_t count = data->tracepoints.count;

	if (!count)
		return NULL;
	sorted = reallocarray(NULL, count, sizeof(const struct perfdata_tracepoint *));
	if (!sorted) {
		data->error = -ENOMEM;
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		sorted[i] = &tracepoints[i];
	qsort(sorted, count, sizeof(const struct perfdata_tracepoint *), compare_tracepoints);
	return sorted;
}

static const struct perfdata_tracepoint *find_tracepoint(
	const struct perfdata_tracepoint *const *sorted, size_t count,
	const struct perfdata_attr *attr)
{
	size_t low = 0, high = sorted && attr->type == PERF_TYPE_TRACEPOINT ? count : 0;
	const size_t end = high;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (sorted[middle]->id < attr->config)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && sorted[low]->id == attr->config ? sorted[low] : NULL;
}

/* A name for an event that the file does not name */
static const char *make_name(struct perfdata *data, const struct perfdata_attr *attr,
			     const struct perfdata_tracepoint *tracepoint)
{
	char text[256];

	if (tracepoint)
		snprintf(text, sizeof(text), "%s:%s", tracepoint->system, tracepoint->name);
	else
		snprintf(text, sizeof(text), "event %u:%llu", attr->type,
			 (unsigned long long)attr->config);
	return perfdata_string(data, (struct perfdata_bytes){(uint8_t *)text, strlen(text)});
}

static int compare_samples(const void *a, const void *b)
{
	const struct perfdata_sample *x = a, *y = b;

	return x->time != y->time ? perfdata_compare(x->time, y->time)
				  : perfdata_compare(x->order, y->order);
}

static int compare_cgroups(const void *a, const void *b)
{
	const struct perfdata_cgroup *x = a, *y = b;

	return perfdata_compare(x->id, y->id);
}

const char *perfdata_cgroup(const struct perfdata_info *info, uint64_t id)
{
	const struct perfdata_cgroup key = {.id = id}, *found;

	if (!info->cgroup_count)
		return NULL;
	found = bsearch(&key, info->cgroups, info->cgroup_count, sizeof(key), compare_cgroups);
	return found ? found->path : NULL;
}

void perfdata_finish_samples(struct perfdata *data)
{
	struct perfdata_sample *samples = data->samples.items;
	struct perfdata_attr *attrs = data->attrs.items;
	const struct perfdata_tracepoint **tracepoints = sort_tracepoints(data);

	for (size_t i = 0; i < data->attrs.count && data->samples.count; i++) {
		attrs[i].tracepoint =
			find_tracepoint(tracepoints, data->tracepoints.count, &attrs[i]);
		if (!attrs[i].name || !*attrs[i].name)
			attrs[i].name = make_name(data, &attrs[i], attrs[i].tracepoint);
	}
	free(tracepoints);
	for (size_t i = 0; i < data->samples.count; i++) {
		const struct perfdata_attr *attr = &attrs[samples[i].order >> 48];

		samples[i].order &= (UINT64_C(1) << 48) - 1;
		samples[i].event = attr->name;
		samples[i].tracepoint = attr->tracepoint;
	}
	if (data->cgroups.count)
		qsort(data->cgroups.items, data->cgroups.count, sizeof(struct perfdata_cgroup),
		      compare_cgroups);
	if (data->samples.count)
		qsort(samples, data->samples.count, sizeof(*samples), compare_samples);
}
