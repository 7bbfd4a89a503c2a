/* SPDX-License-Identifier: GPL-2.0-only */
/* State of the reader, shared by the perfdata_read*.c files. */
#ifndef HWFLOW_PERFDATA_READER_H
#define HWFLOW_PERFDATA_READER_H

#include <linux/perf_event.h>

#include "base/file_map.h"
#include "perfdata_format.h"
#include "perfdata_read.h"
#include "perfdata_samples.h"

/**
 * struct perfdata_bytes - bytes of the file, or decompressed from it
 * @at: the first
 * @size: how many
 */
struct perfdata_bytes {
	const uint8_t *at;
	size_t size;
};

/**
 * struct perfdata_array - growing array
 * @items: its memory
 * @count: items used
 * @room: items there is room for
 */
struct perfdata_array {
	void *items;
	size_t count;
	size_t room;
};

/* struct perfdata_attr - what the reader needs to know of an event's attribute */
struct perfdata_attr {
	uint32_t type;
	bool sample_id_all;
	uint64_t config;
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint64_t regs_user;
	uint64_t regs_intr;
	const char *name; /* NULL where the file has none */
	const struct perfdata_tracepoint *tracepoint;
};

/* struct perfdata_id - an identifier and its event */
struct perfdata_id {
	uint64_t id;
	size_t attr;
};

/* struct perfdata_aux - an AUX record; or the trace in a sample, which has no @offset */
struct perfdata_aux {
	uint64_t offset;
	uint64_t size;
	uint64_t flags;
	const uint8_t *sampled; /* the trace; NULL: it is in an AUXTRACE record */
	uint64_t id;            /* of the event that was sampled */
};

/* struct perfdata_place - the area of an event: @cpu is PERFDATA_ANY if it is a thread's */
struct perfdata_place {
	uint64_t id;
	uint32_t idx;
	int32_t cpu;
};

/* struct perfdata_chunk - an AUXTRACE record: bytes of one area from @offset on */
struct perfdata_chunk {
	uint64_t offset;
	uint64_t size;
	uint64_t at; /* of the bytes, in the file */
	uint32_t idx;
	int32_t tid;
	int32_t cpu;
	size_t order; /* in the file */
};

struct perfdata_unpacker;

/**
 * struct perfdata - an open file
 * @info: what the user sees; its arrays are those below
 * @file: all of the file
 * @map: of @file; empty if @file is memory of the caller
 * @pool: memory of strings and mappings, freed all at once
 * @attrs: struct perfdata_attr
 * @ids: struct perfdata_id, in runs that are each sorted by id, when @indexed
 * @id_runs: size_t: the number of @ids in each run, and in those before it
 * @different: an attribute has another sample_type than the first one
 * @indexed: @id_runs has all @ids
 * @events: struct perfdata_event
 * @auxes: struct perfdata_aux, in file order; empty after perfdata_make_sessions()
 * @chunks: struct perfdata_chunk; likewise
 * @places: struct perfdata_place; likewise
 * @sessions: struct perfdata_session
 * @cpus: struct perfdata_cpu
 * @samples: struct perfdata_sample
 * @cgroups: struct perfdata_cgroup
 * @tracepoints: struct perfdata_tracepoint
 * @build_ids: struct perfdata_build_id
 * @notes: struct perfdata_note
 * @argv: const char *
 * @last_time: of the record before, for records that carry none
 * @pmu_type: type of the trace event, from AUXTRACE_INFO
 * @have_info: an AUXTRACE_INFO was read
 * @aux_format: format in the flags of an AUX record; PERFDATA_ANY if there is none
 * @unpacker: state of decompression, NULL until needed
 * @error: -ENOMEM once memory ran out
 */
struct perfdata {
	struct perfdata_info info;
	struct perfdata_bytes file;
	struct file_map map;
	struct perfdata_array pool;
	struct perfdata_array attrs;
	struct perfdata_array ids;
	struct perfdata_array id_runs;
	bool different;
	bool indexed;
	struct perfdata_array events;
	struct perfdata_array auxes;
	struct perfdata_array chunks;
	struct perfdata_array places;
	struct perfdata_array sessions;
	struct perfdata_array cpus;
	struct perfdata_array samples;
	struct perfdata_array cgroups;
	struct perfdata_array tracepoints;
	struct perfdata_array build_ids;
	struct perfdata_array notes;
	struct perfdata_array argv;
	uint64_t last_time;
	uint32_t pmu_type;
	bool have_info;
	int32_t aux_format;
	struct perfdata_unpacker *unpacker;
	int error;
};

/**
 * perfdata_array_add() - one more item
 * @data: takes the error
 * @array: to grow
 * @size: of an item
 *
 * Return: the item, zeroed; NULL without memory.
 */
void *perfdata_array_add(struct perfdata *data, struct perfdata_array *array, size_t size);

/**
 * perfdata_pool() - memory that lives as long as the file
 * @data: the file; takes the error
 * @size: bytes
 *
 * Return: the memory, zeroed; NULL without memory.
 */
void *perfdata_pool(struct perfdata *data, size_t size);

/** perfdata_pool_free() - free all of that memory */
void perfdata_pool_free(struct perfdata *data);

/**
 * perfdata_string() - copy of a string that may lack its end
 * @data: the file
 * @bytes: the string
 *
 * Return: the copy; "" without memory.
 */
const char *perfdata_string(struct perfdata *data, struct perfdata_bytes bytes);

/**
 * perfdata_note() - tell the user something
 * @data: the file
 * @severity: enum perfdata_severity
 * @at: where
 * @format: cause and remedy, as for printf
 */
void perfdata_note(struct perfdata *data, enum perfdata_severity severity, uint64_t at,
		   const char *format, ...) __attribute__((format(printf, 4, 5)));

/**
 * perfdata_slice() - part of the bytes
 * @bytes: all of them
 * @at: where the part begins
 * @size: how long it is
 * @part: receives it
 *
 * Return: false, and @part empty, if @bytes do not hold all of it.
 */
bool perfdata_slice(struct perfdata_bytes bytes, uint64_t at, uint64_t size,
		    struct perfdata_bytes *part);

/** perfdata_compare() - order of two numbers, as qsort() wants it */
static inline int perfdata_compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/** perfdata_find_attr() - the event of an identifier, once they are indexed; NULL if there is none.
 * Of several events that have the identifier it is the first one of the file.
 */
const struct perfdata_attr *perfdata_find_attr(const struct perfdata *data, uint64_t id);

/** perfdata_in_file() - are bytes in the file, and not unpacked from it? */
static inline bool perfdata_in_file(const struct perfdata *data, const uint8_t *at)
{
	return at >= data->file.at && at < data->file.at + data->file.size;
}

/** perfdata_u32() - four bytes at an offset that the caller has checked */
uint32_t perfdata_u32(struct perfdata_bytes bytes, size_t at);

/** perfdata_u64() - eight bytes at an offset that the caller has checked */
uint64_t perfdata_u64(struct perfdata_bytes bytes, size_t at);

/**
 * perfdata_read_attr() - take in the attribute of an event
 * @data: the file
 * @at: where it is in the file, for notes
 * @bytes: struct perf_event_attr, as long as its writer knew it
 * @ids: its identifiers, 8 bytes each
 */
void perfdata_read_attr(struct perfdata *data, uint64_t at, struct perfdata_bytes bytes,
			struct perfdata_bytes ids);

/** perfdata_index_ids() - make the identifiers ready for look-up: sets @indexed */
void perfdata_index_ids(struct perfdata *data);

/**
 * perfdata_read_feature() - take in one section of the head
 * @data: the file
 * @feature: enum perfdata_feature
 * @at: where it is, for notes
 * @bytes: its contents
 */
void perfdata_read_feature(struct perfdata *data, unsigned int feature, uint64_t at,
			   struct perfdata_bytes bytes);

/**
 * perfdata_read_records() - take in all records
 * @data: the file
 * @at: where they begin
 * @end: where they end
 */
void perfdata_read_records(struct perfdata *data, uint64_t at, uint64_t end);

/**
 * perfdata_read_record() - take in one record
 * @data: the file
 * @at: where it is in the file
 * @record: all of it, at least its header
 */
void perfdata_read_record(struct perfdata *data, uint64_t at, struct perfdata_bytes record);

/**
 * perfdata_read_info() - take in an AUXTRACE_INFO record: the trace units
 * @data: the file
 * @at: where it is, for notes
 * @record: all of it
 */
void perfdata_read_info(struct perfdata *data, uint64_t at, struct perfdata_bytes record);

/**
 * perfdata_read_time_conv() - take in a TIME_CONV record
 * @data: the file
 * @at: where it is, for notes
 * @record: all of it
 */
void perfdata_read_time_conv(struct perfdata *data, uint64_t at, struct perfdata_bytes record);

/**
 * perfdata_read_build_ids() - take in records of build ids
 * @data: the file
 * @at: where they are, for notes
 * @bytes: the records
 */
void perfdata_read_build_ids(struct perfdata *data, uint64_t at, struct perfdata_bytes bytes);

/**
 * perfdata_read_sample() - take in a sample
 * @data: the file
 * @at: where it is, for notes
 * @record: all of it
 */
void perfdata_read_sample(struct perfdata *data, uint64_t at, struct perfdata_bytes record);

/** perfdata_read_cgroup() - a PERF_RECORD_CGROUP */
void perfdata_read_cgroup(struct perfdata *data, uint64_t at, struct perfdata_bytes record);

/** perfdata_finish_samples() - sort the samples, and name their events, when all is read */
void perfdata_finish_samples(struct perfdata *data);

/**
 * perfdata_read_event_desc() - take in the names of the events
 * @data: the file, with the attributes of the events
 * @bytes: the section EVENT_DESC
 *
 * Return: false if it is damaged.
 */
bool perfdata_read_event_desc(struct perfdata *data, struct perfdata_bytes bytes);

/**
 * perfdata_read_tracing_data() - take in the descriptions of tracepoints
 * @data: the file
 * @bytes: the section TRACING_DATA
 *
 * Return: false if it is damaged.
 */
bool perfdata_read_tracing_data(struct perfdata *data, struct perfdata_bytes bytes);

/**
 * perfdata_unpack() - take in the records of a compressed record
 * @data: the file
 * @at: where it is
 * @packed: its contents
 */
void perfdata_unpack(struct perfdata *data, uint64_t at, struct perfdata_bytes packed);

/** perfdata_note_incomplete() - the recorder did not complete the file; noted once */
void perfdata_note_incomplete(struct perfdata *data);

/** perfdata_unpack_end() - end of decompression, frees its state */
void perfdata_unpack_end(struct perfdata *data);

/** perfdata_drop_repeated() - take out the events of AUX records that stock perf wrote twice */
void perfdata_drop_repeated(struct perfdata *data);

/** perfdata_make_sessions() - sort the events, match AUX with AUXTRACE records, and free both */
void perfdata_make_sessions(struct perfdata *data);

/** perfdata_find_options() - the options of the trace event; TRCCONFIGR of each CPU by them */
void perfdata_find_options(struct perfdata *data);

#endif /* HWFLOW_PERFDATA_READER_H */
