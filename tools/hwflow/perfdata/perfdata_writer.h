/* SPDX-License-Identifier: GPL-2.0-only */
/* State of the writer, shared by the perfdata_write*.c files. */
#ifndef HWFLOW_PERFDATA_WRITER_H
#define HWFLOW_PERFDATA_WRITER_H

#include <stdio.h>
#include <time.h>

#include "perfdata_write.h"
#include "perfdata_format.h"

/* bytes of the longest attributes that a file of ours has */
#define PERFDATA_ATTR_MAX 256

/**
 * struct perfdata_writer_event - an event of a file
 * @attr: its attributes, struct perf_event_attr
 * @name: its name
 * @ids: its identifiers; records that this program makes carry the first
 * @id_count: number of @ids
 */
struct perfdata_writer_event {
	uint8_t attr[PERFDATA_ATTR_MAX];
	char *name;
	uint64_t *ids;
	size_t id_count;
};

struct perfdata_packer;

/**
 * struct perfdata_writer - a file being written
 * @file: the file
 * @at: bytes written
 * @is_regular: it is a regular file
 * @flushed: end of the data that the head counts; 0 before perfdata_write_flush()
 * @has_tail: a description of the machine is after that, which the next record replaces
 * @tail_second: when this description was written, in seconds
 * @is_complete: this description is that of the complete file
 * @error: the first error, a negative errno: it stays
 * @data_at: where the records begin
 * @attrs_at: where the attributes are
 * @per_cpu: see struct perfdata_recording
 * @recording: copy; what it points to is in the members below
 * @hostname: of the machine recorded
 * @osrelease: of its kernel
 * @argv: copy of the command line
 * @tracing_data: copy of the description of tracepoints, or NULL
 * @packer: state of compression; NULL: records are not compressed
 * @events: the events
 * @event_count: number of @events
 * @attr_size: bytes of the attributes of each event
 * @has_time: records of the kernel have times
 * @has_cpu: records of the kernel have CPUs
 * @ids_changed: identifiers differ from those at the beginning of the file
 * @build_ids: of the files mapped, each file once: a tree of struct perfdata_writer_file
 * @index: where the AUXTRACE records are
 * @index_count: how many
 * @index_room: room for how many
 * @reference: number of AUXTRACE records so far
 */
struct perfdata_writer {
	FILE *file;
	uint64_t at;
	bool is_regular;
	uint64_t flushed;
	bool has_tail;
	time_t tail_second;
	bool is_complete;
	int error;
	uint64_t data_at;
	uint64_t attrs_at;
	bool per_cpu;
	struct perfdata_recording recording;
	char *hostname;
	char *osrelease;
	char **argv;
	void *tracing_data;
	struct perfdata_packer *packer;
	struct perfdata_writer_event *events;
	size_t event_count;
	size_t attr_size;
	bool has_time;
	bool has_cpu;
	bool ids_changed;
	void *build_ids;
	struct perfdata_section *index;
	size_t index_count;
	size_t index_room;
	uint64_t reference;
};

/**
 * struct perfdata_writer_file - a file that was mapped, for the list of build ids
 * @pid: -1 for the kernel's own; else 0
 * @build_id: of the file
 * @build_id_size: bytes of it
 * @path: of the file
 */
struct perfdata_writer_file {
	int32_t pid;
	uint8_t build_id[20];
	uint8_t build_id_size;
	char path[];
};

/**
 * perfdata_writer_build_id() - put the build id of a mapping into the list in the head
 * @writer: the file
 * @mapping: has a build id
 * @kernel: it is the kernel's own
 *
 * Return: 0, or the first error of the writer.
 */
int perfdata_writer_build_id(struct perfdata_writer *writer, const struct perfdata_mapping *mapping,
			     bool kernel);

/**
 * perfdata_writer_pmu_type() - the type of the trace events, made up if the recording has none
 * @recording: the recording
 */
uint32_t perfdata_writer_pmu_type(const struct perfdata_recording *recording);

/**
 * perfdata_writer_events() - copy the events of a recording, or make them up
 * @writer: the file
 * @recording: the recording
 *
 * Return: 0 or a negative errno.
 */
int perfdata_writer_events(struct perfdata_writer *writer,
			   const struct perfdata_recording *recording);

/**
 * perfdata_writer_free_events() - free the copies
 * @writer: the file
 */
void perfdata_writer_free_events(struct perfdata_writer *writer);

/**
 * perfdata_writer_header() - the header of a file
 * @writer: the file
 * @data_size: bytes of its records
 * @features: a bit for each; NULL: none
 */
struct perfdata_header perfdata_writer_header(const struct perfdata_writer *writer,
					      uint64_t data_size, const uint64_t *features);

/**
 * perfdata_writer_cut_tail() - let the file end with the records that its head counts
 * @writer: the file
 *
 * Return: 0 or a negative errno.
 */
int perfdata_writer_cut_tail(struct perfdata_writer *writer);

/** PERFDATA_FEATURES - features that a file of ours may have */
#define PERFDATA_FEATURES 13

/**
 * perfdata_list_features() - the features of a file
 * @writer: the file
 * @bits: zero; receives a bit for each
 *
 * Return: how many.
 */
size_t perfdata_list_features(const struct perfdata_writer *writer, uint64_t bits[4]);

/**
 * perfdata_put_features() - append the sections of all features
 * @writer: the file
 * @table: receives where they are, in the order of the bits
 */
void perfdata_put_features(struct perfdata_writer *writer, struct perfdata_section *table);

/**
 * perfdata_put() - append bytes
 * @writer: the file
 * @bytes: to append
 * @size: how many
 *
 * Return: 0, or the first error of the writer.
 */
int perfdata_put(struct perfdata_writer *writer, const void *bytes, size_t size);

/* words of the section COMPRESSED */
#define PERFDATA_PACK_WORDS 5

/**
 * perfdata_packer_new() - begin compression
 * @packer: receives its state
 * @level: of zstd, from 1 to 22
 *
 * Return: 0, -EINVAL for a level that zstd does not have, or -ENOMEM.
 */
int perfdata_packer_new(struct perfdata_packer **packer, int level);

/**
 * perfdata_packer_free() - free the state
 * @packer: the state; NULL is allowed
 */
void perfdata_packer_free(struct perfdata_packer *packer);

/**
 * perfdata_pack() - append a record, compressed unless it is about trace
 * @writer: the file, which has a packer
 * @record: the record
 * @size: bytes of it, less than 64 KB
 *
 * Return: 0, or the first error of the writer.
 */
int perfdata_pack(struct perfdata_writer *writer, const void *record, size_t size);

/**
 * perfdata_pack_flush() - write the records that wait for compression
 * @writer: the file; without a packer nothing is done
 *
 * Precedes each record that is written as it is: the order of records stays.
 *
 * Return: 0, or the first error of the writer.
 */
int perfdata_pack_flush(struct perfdata_writer *writer);

/**
 * perfdata_pack_describe() - contents of the section COMPRESSED
 * @packer: the state
 * @words: receives them
 */
void perfdata_pack_describe(const struct perfdata_packer *packer,
			    uint32_t words[PERFDATA_PACK_WORDS]);

#endif /* HWFLOW_PERFDATA_WRITER_H */
