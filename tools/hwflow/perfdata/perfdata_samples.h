/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples: what other events than the trace have recorded, such as tracepoints. */
#ifndef HWFLOW_PERFDATA_SAMPLES_H
#define HWFLOW_PERFDATA_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** enum perfdata_field_kind - how the value of a field is printed */
enum perfdata_field_kind {
	PERFDATA_FIELD_INTEGER,  /* decimal */
	PERFDATA_FIELD_ADDRESS,  /* hexadecimal: pointers, and unsigned long */
	PERFDATA_FIELD_STRING,   /* characters in the record */
	PERFDATA_FIELD_BYTES,    /* other arrays */
	PERFDATA_FIELD_LOCATION, /* the field has offset and length of characters or bytes */
};

/**
 * struct perfdata_field - a field of a tracepoint
 * @name: as the kernel names it
 * @offset: of the field in the raw data of a sample
 * @size: bytes of it
 * @kind: enum perfdata_field_kind
 * @is_signed: an integer that may be negative
 * @relative: the offset in a PERFDATA_FIELD_LOCATION counts from the end of the field
 * @text: a PERFDATA_FIELD_LOCATION is of characters
 */
struct perfdata_field {
	const char *name;
	uint32_t offset;
	uint32_t size;
	uint8_t kind;
	bool is_signed;
	bool relative;
	bool text;
};

/**
 * struct perfdata_tracepoint - a tracepoint, as the recording describes it
 * @id: config of its event
 * @system: for example "sched"
 * @name: for example "sched_switch"
 * @fields: without those that all tracepoints have
 * @field_count: number of @fields
 */
struct perfdata_tracepoint {
	uint64_t id;
	const char *system;
	const char *name;
	const struct perfdata_field *fields;
	size_t field_count;
};

/**
 * struct perfdata_sample - a sample
 * @time: nanoseconds of the perf clock; 0 where not recorded
 * @order: number of the sample in the file
 * @ip: address of the instruction; 0 where not recorded
 * @event: name of the event
 * @tracepoint: its description; NULL for other events, and where the file has none
 * @raw: raw data of a tracepoint; NULL for other events
 * @raw_size: bytes of it
 * @pid: process; PERFDATA_ANY where not recorded
 * @tid: thread; PERFDATA_ANY where not recorded
 * @cpu: CPU; PERFDATA_ANY where not recorded
 * @cgroup: number of the cgroup that the thread is in, see perfdata_cgroup(); 0 where not recorded
 */
struct perfdata_sample {
	uint64_t time;
	uint64_t order;
	uint64_t ip;
	const char *event;
	const struct perfdata_tracepoint *tracepoint;
	const uint8_t *raw;
	uint32_t raw_size;
	int32_t pid;
	int32_t tid;
	int32_t cpu;
	uint64_t cgroup;
};

/*
 * Names of the two events of a trigger latency() begin so: a thread executes the first instruction
 * of a request, and the second one. The file has samples of requests that were slow, alone.
 */
#define PERFDATA_REQUEST_BEGIN "request-begin:"
#define PERFDATA_REQUEST_END   "request-end:"

/**
 * perfdata_sample_print() - name of the event, then CPU, address and fields as NAME=VALUE
 * @sample: the sample
 * @out: receives the text, without end of line
 */
void perfdata_sample_print(const struct perfdata_sample *sample, FILE *out);

#endif /* HWFLOW_PERFDATA_SAMPLES_H */
