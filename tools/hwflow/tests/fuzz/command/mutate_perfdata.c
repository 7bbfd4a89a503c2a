// SPDX-License-Identifier: GPL-2.0-only
/* Mutations of perf.data files: records, attributes, features, compressed records, trace. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "mutate.h"
#include "perfdata/perfdata_format.h"

#define RECORDS       1024
#define RECORD_HEAD   8
#define FEATURES_AT   72 /* of the feature bits in the file's head */
#define SECTION_BYTES 16
#define UNPACKED      (1u << 17)

/**
 * struct view - where the parts of a file are
 * @data: the records
 * @is_pipe: the file has no sections but these
 * @records: record by record; of an AUXTRACE record the trace is part
 * @count: number of @records
 */
struct view {
	struct mutate_range data;
	bool is_pipe;
	struct mutate_range records[RECORDS];
	size_t count;
};

static struct view view;

static size_t record_size(const struct edit *edit, size_t at)
{
	size_t size = edit_get(edit, at + 6, 2);

	if (edit_get(edit, at, 4) == PERFDATA_RECORD_AUXTRACE)
		size += edit_get(edit, at + 8, 8) & 0xffffff;
	return size;
}

static void find_records(const struct edit *edit)
{
	size_t end;

	view.is_pipe = edit_get(edit, 8, 8) == PERFDATA_PIPE_HEADER;
	view.data.at = view.is_pipe ? PERFDATA_PIPE_HEADER : edit_get(edit, 40, 8);
	view.data.size = view.is_pipe ? edit->size : edit_get(edit, 48, 8);
	if (view.data.at > edit->size)
		view.data.at = edit->size;
	if (view.data.size > edit->size - view.data.at)
		view.data.size = edit->size - view.data.at;
	end = view.data.at + view.data.size;
	view.count = 0;
	for (size_t at = view.data.at; at + RECORD_HEAD <= end && view.count < RECORDS;) {
		size_t size = record_size(edit, at);

		if (size < RECORD_HEAD || size > end - at)
			size = end - at;
		view.records[view.count++] = (struct mutate_range){at, size};
		at += size;
	}
}

static void shift(struct edit *edit, size_t field, size_t from, size_t delta)
{
	const uint64_t offset = edit_get(edit, field, 8);

	if (offset >= from)
		edit_put(edit, field, 8, offset + delta);
}

/* Other records in place of some: what is behind the data moves, and its offsets with it. */
static bool replace(struct edit *edit, struct mutate_range range, const void *bytes, size_t size)
{
	const size_t end = view.data.at + view.data.size, delta = size - range.size;
	size_t table = end + delta;

	if (!edit_replace(edit, range.at, range.size, bytes, size))
		return false;
	view.data.size += delta;
	if (view.is_pipe)
		return true;
	edit_put(edit, 48, 8, view.data.size);
	shift(edit, 24, end, delta);
	shift(edit, 56, end, delta);
	for (unsigned int bit = 0; bit < PERFDATA_FEATURES; bit++) {
		if (!(edit->bytes[FEATURES_AT + bit / 8] & 1u << bit % 8))
			continue;
		shift(edit, table, end, delta);
		table += SECTION_BYTES;
	}
	return true;
}

static void insert_copy(struct edit *edit, struct mutate_range from, size_t to)
{
	uint8_t *copy = malloc(from.size);

	if (!copy)
		abort();
	memcpy(copy, edit->bytes + from.at, from.size);
	replace(edit, (struct mutate_range){to, 0}, copy, from.size);
	free(copy);
}

static struct mutate_range any_record(void)
{
	return view.records[mutate_below(view.count)];
}

/* The head of a record without its trace */
static struct mutate_range body(const struct edit *edit, struct mutate_range record)
{
	size_t size = edit_get(edit, record.at + 6, 2);

	if (size > record.size)
		size = record.size;
	size -= size < RECORD_HEAD ? size : RECORD_HEAD;
	return (struct mutate_range){record.at + RECORD_HEAD, size};
}

static uint32_t any_type(void)
{
	static const uint32_t types[] = {
		PERF_RECORD_MMAP,
		PERF_RECORD_LOST,
		PERF_RECORD_COMM,
		PERF_RECORD_EXIT,
		PERF_RECORD_FORK,
		PERF_RECORD_SAMPLE,
		PERF_RECORD_MMAP2,
		PERF_RECORD_AUX,
		PERF_RECORD_ITRACE_START,
		PERF_RECORD_SWITCH,
		PERF_RECORD_SWITCH_CPU_WIDE,
		PERF_RECORD_NAMESPACES,
		PERF_RECORD_KSYMBOL,
		PERF_RECORD_BPF_EVENT,
		PERF_RECORD_CGROUP,
		PERF_RECORD_TEXT_POKE,
		21, /* PERF_RECORD_AUX_OUTPUT_HW_ID */
		PERFDATA_RECORD_HEADER_ATTR,
		PERFDATA_RECORD_TRACING_DATA,
		PERFDATA_RECORD_BUILD_ID,
		PERFDATA_RECORD_FINISHED_ROUND,
		PERFDATA_RECORD_AUXTRACE_INFO,
		PERFDATA_RECORD_AUXTRACE,
		PERFDATA_RECORD_TIME_CONV,
		PERFDATA_RECORD_HEADER_FEATURE,
		PERFDATA_RECORD_COMPRESSED,
		PERFDATA_RECORD_COMPRESSED2,
		PERFDATA_RECORD_SIMPLEPERF,
		PERFDATA_RECORD_SIMPLEPERF + 3,
	};

	return types[mutate_below(sizeof(types) / sizeof(types[0]))];
}

/* A record of another type with the body of one that is there, or zeros, and its last words */
static void insert_record(struct edit *edit)
{
	const struct mutate_range from = body(edit, any_record());
	uint8_t record[512] = {0};
	const uint32_t type = any_type();
	const uint16_t misc = mutate_below(2) ? 2 : (uint16_t)mutate_number();
	const uint16_t size = (uint16_t)(RECORD_HEAD + 8 * mutate_below(24));

	memcpy(record, &type, sizeof(type));
	memcpy(record + 4, &misc, sizeof(misc));
	memcpy(record + 6, &size, sizeof(size));
	if (from.size <= sizeof(record) - RECORD_HEAD && mutate_below(3))
		memcpy(record + RECORD_HEAD, edit->bytes + from.at, from.size);
	replace(edit, (struct mutate_range){any_record().at, 0}, record, size);
}

/* Many copies, each with another number in one place: identifiers, addresses, times */
static void repeat_record(struct edit *edit)
{
	const size_t number = mutate_below(view.count);
	const struct mutate_range record = view.records[number];
	const size_t field = RECORD_HEAD + 8 * mutate_below(record.size / 8);
	const int64_t step = (int64_t)mutate_number();
	uint64_t value = edit_get(edit, record.at + field, 8);

	for (size_t count = mutate_below(48); count; count--) {
		insert_copy(edit, record, record.at);
		value += (uint64_t)step;
		if (field + 8 <= record.size)
			edit_put(edit, record.at + field, 8, value);
	}
}

static void move_record(struct edit *edit)
{
	const struct mutate_range from = any_record(), to = any_record();

	insert_copy(edit, from, to.at);
	if (to.at > from.at)
		replace(edit, from, NULL, 0);
}

static void change_body(struct edit *edit)
{
	const struct mutate_range at = body(edit, any_record());

	if (mutate_below(2))
		edit_bytes(edit, at.at, at.size);
	else
		edit_number(edit, at.at, at.size);
}

/* The same identifier, thread or time in two records */
static void copy_field(struct edit *edit)
{
	const struct mutate_range from = body(edit, any_record()), to = body(edit, any_record());
	const unsigned int width = mutate_below(2) ? 8 : 4;

	if (from.size < width || to.size < width)
		return;
	edit_put(edit, to.at + mutate_below(to.size / width) * width, width,
		 edit_get(edit, from.at + mutate_below(from.size / width) * width, width));
}

static void change_head(struct edit *edit)
{
	const struct mutate_range record = any_record();

	switch (mutate_below(3)) {
	case 0:
		edit_put(edit, record.at, 4, any_type());
		break;
	case 1:
		edit_put(edit, record.at + 4, 2, mutate_number());
		break;
	default:
		edit_put(edit, record.at + 6, 2,
			 mutate_below(2) ? mutate_number() : record.size + mutate_below(33) - 16);
		break;
	}
}

/* A longer or shorter record, with a size that says so */
static void resize_record(struct edit *edit)
{
	const struct mutate_range record = any_record();
	const size_t size = edit_get(edit, record.at + 6, 2), change = 8 * (1 + mutate_below(8));
	const bool is_longer = mutate_below(2);

	if (size > record.size || (!is_longer && size < RECORD_HEAD + change) ||
	    size + change > 0xffff)
		return;
	edit_put(edit, record.at + 6, 2, is_longer ? size + change : size - change);
	replace(edit,
		(struct mutate_range){record.at + (is_longer ? size : size - change),
				      is_longer ? 0 : change},
		NULL, is_longer ? change : 0);
}

static void insert_string(struct edit *edit)
{
	static const char *const strings[] = {
		"/../../../etc/passwd",
		"\033[2J\007",
		"a\nerror: b",
		"[vdso]",
		"//anon",
		"[kernel.kallsyms]_text",
		"/program",
		"/tmp/perf-1000.map",
		"/tmp/jit-1000.dump",
		"%s%n",
		"[ext4]",
		"",
	};
	const char *string = strings[mutate_below(sizeof(strings) / sizeof(strings[0]))];
	const struct mutate_range at = body(edit, any_record());
	const size_t length = strlen(string) + 1;
	size_t to = mutate_below(at.size);

	/* where a string begins */
	while (to < at.size && edit->bytes[at.at + to] != '/' && edit->bytes[at.at + to] != '[')
		to++;
	if (at.size >= length && to <= at.size - length)
		memcpy(edit->bytes + at.at + to, string, length);
}

/* The records from one on, as perf record -z writes them */
static void compress(struct edit *edit)
{
	const size_t first = mutate_below(view.count);
	const size_t at = view.records[first].at;
	size_t end = at, packed;
	uint8_t *record;
	uint32_t type = PERFDATA_RECORD_COMPRESSED;
	uint16_t size;

	for (size_t i = first; i < view.count && mutate_below(16); i++) {
		if (edit_get(edit, view.records[i].at, 4) == PERFDATA_RECORD_AUXTRACE)
			break;
		end += view.records[i].size;
	}
	record = malloc(RECORD_HEAD + ZSTD_compressBound(end - at));
	if (!record)
		abort();
	packed = ZSTD_compress(record + RECORD_HEAD, ZSTD_compressBound(end - at), edit->bytes + at,
			       end - at, 1);
	size = (uint16_t)(RECORD_HEAD + packed);
	memcpy(record, &type, sizeof(type));
	memset(record + 4, 0, 2);
	memcpy(record + 6, &size, sizeof(size));
	if (!ZSTD_isError(packed) && packed < 0xff00)
		replace(edit, (struct mutate_range){at, end - at}, record, size);
	free(record);
}

/* Compressed records as they were before */
static void unpack(struct edit *edit)
{
	for (size_t i = 0; i < view.count; i++) {
		const struct mutate_range at = body(edit, view.records[i]);
		uint8_t *bytes;
		size_t size;

		if (edit_get(edit, view.records[i].at, 4) != PERFDATA_RECORD_COMPRESSED)
			continue;
		bytes = malloc(UNPACKED);
		if (!bytes)
			abort();
		size = ZSTD_decompress(bytes, UNPACKED, edit->bytes + at.at, at.size);
		if (!ZSTD_isError(size))
			replace(edit, view.records[i], bytes, size);
		free(bytes);
		return;
	}
}

/* The trace of an AUXTRACE record; its size follows where the record says another one */
static void change_trace(struct edit *edit)
{
	for (size_t tries = 8; tries; tries--) {
		const struct mutate_range record = any_record();
		const size_t head = edit_get(edit, record.at + 6, 2);

		if (edit_get(edit, record.at, 4) != PERFDATA_RECORD_AUXTRACE || head > record.size)
			continue;
		if (mutate_below(2)) {
			edit_bytes(edit, record.at + head, record.size - head);
		} else {
			const size_t size = mutate_below(record.size - head);

			replace(edit, (struct mutate_range){record.at + head, size}, NULL, 0);
			edit_put(edit, record.at + 8, 8, record.size - head - size);
		}
		return;
	}
}

/* Attributes, their identifiers, features: all that is outside of the records */
static void change_sections(struct edit *edit)
{
	const size_t end = view.data.at + view.data.size;

	switch (mutate_below(5)) {
	case 0:
		edit_number(edit, 16, FEATURES_AT - 16);
		break;
	case 1:
		edit->bytes[FEATURES_AT + mutate_below(5)] ^= (uint8_t)(1u << mutate_below(8));
		break;
	case 2:
		edit_number(edit, FEATURES_AT + 32, view.data.at - FEATURES_AT - 32);
		break;
	case 3:
		edit_number(edit, end, edit->size - end);
		break;
	default:
		edit_bytes(edit, end, edit->size - end);
		break;
	}
}

void mutate_perfdata(struct edit *edit)
{
	static void (*const all[])(struct edit *edit) = {
		insert_record, repeat_record, move_record,   change_body,   change_body,
		copy_field,    change_head,   resize_record, insert_string, compress,
		unpack,        change_trace,  change_trace,
	};

	if (edit->size < sizeof(struct perfdata_header))
		return;
	find_records(edit);
	if (view.is_pipe ? !view.count : !view.count || !mutate_below(6)) {
		if (!view.is_pipe && view.data.at >= sizeof(struct perfdata_header))
			change_sections(edit);
	} else if (!mutate_below(12)) {
		replace(edit, any_record(), NULL, 0);
	} else {
		all[mutate_below(sizeof(all) / sizeof(all[0]))](edit);
	}
}

void mutate_splice_perfdata(struct edit *edit, const struct edit *other)
{
	uint8_t *records;
	struct mutate_range range = {0};

	find_records(other);
	if (view.count) {
		const size_t first = mutate_below(view.count);
		const size_t count = 1 + mutate_below(view.count - first);
		const struct mutate_range last = view.records[first + count - 1];

		range.at = view.records[first].at;
		range.size = last.at + last.size - range.at;
	}
	records = malloc(range.size + 1);
	if (!records)
		abort();
	memcpy(records, other->bytes + range.at, range.size);
	find_records(edit);
	if (view.count && view.data.at >= PERFDATA_PIPE_HEADER &&
	    edit->size >= sizeof(struct perfdata_header))
		replace(edit, (struct mutate_range){any_record().at, 0}, records, range.size);
	free(records);
}
