/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An event with its two rings, and its trace.
 */
#ifndef SELFTESTS_ARM_ETE_TRACE_H
#define SELFTESTS_ARM_ETE_TRACE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TRACE_MAX_RECORDS 4096

/**
 * struct trace_record - an AUX record
 * @offset: of its first byte in the sequence of all bytes of the AUX area; in a snapshot, of its end
 * @size: number of bytes
 * @flags: PERF_AUX_FLAG_*
 */
struct trace_record {
	uint64_t offset;
	uint64_t size;
	uint64_t flags;
};

/**
 * struct trace - an event, its rings, and what was collected from them
 * @fd: the event; -1 if it is not open
 * @head: first page of the data ring
 * @aux: the AUX area
 * @aux_size: its size in bytes
 * @snapshot: the AUX area is overwritten
 * @tail: position in the data ring
 * @bytes: bytes of all AUX records
 * @flags: PERF_AUX_FLAG_* of all AUX records
 * @nr_records: AUX records so far; @record has the first TRACE_MAX_RECORDS
 * @unsynchronised: records that do not begin with an alignment synchronisation packet
 * @jumps: records that do not begin where the record before ended
 * @lost: records that perf lost
 * @record: the AUX records
 */
struct trace {
	int fd;
	struct perf_event_mmap_page *head;
	uint8_t *aux;
	size_t aux_size;
	bool snapshot;
	uint64_t tail;
	uint64_t bytes;
	uint64_t flags;
	unsigned int nr_records;
	unsigned int unsynchronised;
	unsigned int jumps;
	uint64_t lost;
	struct trace_record record[TRACE_MAX_RECORDS];
};

int trace_open(struct trace *trace, const struct perf_event_attr *attr, pid_t pid, int cpu,
	       size_t aux_size, bool snapshot);
void trace_close(struct trace *trace);
int trace_enable(struct trace *trace);
int trace_disable(struct trace *trace);
uint64_t trace_collect(struct trace *trace);

void spin(unsigned int steps);
void spin_elsewhere(unsigned int steps);
void spin_elsewhere_end(void);
uint64_t spin_for(struct trace *trace, uint64_t bytes);
uint64_t file_offset(const void *code);
bool pin(int cpu);
int online_cpus(int *cpus, int max);
uint64_t read_number(const char *path);

#endif
