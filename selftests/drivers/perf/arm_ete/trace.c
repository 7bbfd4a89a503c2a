// SPDX-License-Identifier: GPL-2.0-only
/*
 * An event with its two rings, and its trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "pmu.h"
#include "trace.h"

#define DATA_PAGES   16
#define SYNC_BYTES   12
#define PATIENCE_S   20

extern const char __ehdr_start[];
static volatile uint64_t sink;

/**
 * trace_open() - open an event and map its rings
 * @trace: written
 * @attr: the event's attributes
 * @pid: as for perf_event_open()
 * @cpu: likewise
 * @aux_size: size of the AUX area, a power of two of pages
 * @snapshot: the AUX area is overwritten
 *
 * Return: 0, or the errno of what failed; then nothing is open.
 */
int trace_open(struct trace *trace, const struct perf_event_attr *attr, pid_t pid, int cpu,
	       size_t aux_size, bool snapshot)
{
	const size_t data = (1 + DATA_PAGES) * (size_t)getpagesize();
	void *at;
	int err;

	memset(trace, 0, sizeof(*trace));
	trace->snapshot = snapshot;
	trace->fd = pmu_open(attr, pid, cpu);
	if (trace->fd < 0)
		return errno;
	at = mmap(NULL, data, PROT_READ | PROT_WRITE, MAP_SHARED, trace->fd, 0);
	if (at == MAP_FAILED)
		goto fail;
	trace->head = at;
	trace->head->aux_offset = data;
	trace->head->aux_size = aux_size;
	at = mmap(NULL, aux_size, snapshot ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED,
		  trace->fd, (off_t)data);
	if (at == MAP_FAILED)
		goto fail;
	trace->aux = at;
	trace->aux_size = aux_size;
	return 0;
fail:
	err = errno;
	trace_close(trace);
	return err;
}

/**
 * trace_close() - unmap the rings and close the event
 * @trace: as opened; what was collected stays
 */
void trace_close(struct trace *trace)
{
	if (trace->aux)
		munmap(trace->aux, trace->aux_size);
	if (trace->head)
		munmap(trace->head, (1 + DATA_PAGES) * (size_t)getpagesize());
	if (trace->fd >= 0)
		close(trace->fd);
	trace->aux = NULL;
	trace->head = NULL;
	trace->fd = -1;
}

/**
 * trace_enable() - enable the event
 * @trace: the event
 *
 * Return: as ioctl().
 */
int trace_enable(struct trace *trace)
{
	return ioctl(trace->fd, PERF_EVENT_IOC_ENABLE, 0);
}

/**
 * trace_disable() - disable the event; its last AUX record is written
 * @trace: the event
 *
 * Return: as ioctl().
 */
int trace_disable(struct trace *trace)
{
	return ioctl(trace->fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* An alignment synchronisation packet: 11 bytes of 0, then 0x80 (R_WFKLK) */
static bool begins_with_sync(const struct trace *trace, const struct trace_record *record)
{
	unsigned int i;

	for (i = 0; i < SYNC_BYTES; i++) {
		const uint8_t byte = trace->aux[(record->offset + i) % trace->aux_size];

		if (byte != (i == SYNC_BYTES - 1 ? 0x80 : 0))
			return false;
	}
	return true;
}

static void add_record(struct trace *trace, const uint64_t *words)
{
	const struct trace_record record = { words[0], words[1], words[2] };
	const unsigned int last = trace->nr_records - 1;

	trace->bytes += record.size;
	trace->flags |= record.flags;
	if (!trace->snapshot && record.size >= SYNC_BYTES && !begins_with_sync(trace, &record))
		trace->unsynchronised++;
	if (!trace->snapshot && trace->nr_records && last < TRACE_MAX_RECORDS &&
	    record.offset < trace->record[last].offset + trace->record[last].size)
		trace->jumps++;
	if (trace->nr_records < TRACE_MAX_RECORDS)
		trace->record[trace->nr_records] = record;
	trace->nr_records++;
}

/**
 * trace_collect() - read all records that are there, and free their part of the AUX area
 * @trace: the event
 *
 * Return: bytes of the AUX records that were read.
 */
uint64_t trace_collect(struct trace *trace)
{
	struct perf_event_mmap_page *head = trace->head;
	const uint64_t before = trace->bytes;
	const uint64_t end = __atomic_load_n(&head->data_head, __ATOMIC_ACQUIRE);
	const uint64_t aux_end = __atomic_load_n(&head->aux_head, __ATOMIC_ACQUIRE);
	const uint8_t *data = (const uint8_t *)head + head->data_offset;

	while (trace->tail < end) {
		uint64_t record[8] = { 0 };
		struct perf_event_header header;
		unsigned int i;

		for (i = 0; i < sizeof(record); i++)
			((uint8_t *)record)[i] = data[(trace->tail + i) % head->data_size];
		memcpy(&header, record, sizeof(header));
		if (header.type == PERF_RECORD_AUX)
			add_record(trace, record + 1);
		if (header.type == PERF_RECORD_LOST)
			trace->lost += record[2];
		trace->tail += header.size;
	}
	__atomic_store_n(&head->data_tail, trace->tail, __ATOMIC_RELEASE);
	if (!trace->snapshot)
		__atomic_store_n(&head->aux_tail, aux_end, __ATOMIC_RELEASE);
	return trace->bytes - before;
}

/**
 * spin() - execute branches that depend on a sequence of numbers
 * @steps: length of the sequence; a step is some ten instructions and one bit or more of trace
 */
__attribute__((noinline)) void spin(unsigned int steps)
{
	static uint64_t state = 1;

	while (steps--) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		if (state >> 61 & 1)
			sink += state;
		if (state >> 60 & 1)
			sink ^= state;
	}
}

/**
 * spin_elsewhere() - spin(), in code of its own for filters
 * @steps: as for spin()
 */
__attribute__((noinline)) void spin_elsewhere(unsigned int steps)
{
	uint64_t state = steps;

	while (steps--) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		if (state >> 62 & 1)
			sink += state;
		if (state >> 59 & 1)
			sink ^= state;
	}
}

/**
 * spin_elsewhere_end() - a function behind spin_elsewhere()
 */
__attribute__((noinline)) void spin_elsewhere_end(void)
{
	sink++;
}

/**
 * spin_for() - spin and collect until there are so many bytes
 * @trace: the event, enabled
 * @bytes: number of bytes of AUX records
 *
 * Return: bytes collected; fewer than @bytes after PATIENCE_S seconds.
 */
uint64_t spin_for(struct trace *trace, uint64_t bytes)
{
	const time_t end = time(NULL) + PATIENCE_S;
	uint64_t collected = 0;

	while (collected < bytes && time(NULL) < end) {
		spin(2000);
		collected += trace_collect(trace);
	}
	return collected;
}

/**
 * file_offset() - offset of code of this program in its file, as a filter has it
 * @code: a function
 *
 * Return: the offset.
 */
uint64_t file_offset(const void *code)
{
	return (uint64_t)((const char *)code - __ehdr_start);
}

/**
 * pin() - execute on one CPU only
 * @cpu: its number
 *
 * Return: whether this thread executes there.
 */
bool pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned int)cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set) && sched_getcpu() == cpu;
}

/**
 * online_cpus() - the CPUs that this thread may execute on
 * @cpus: written: their numbers
 * @max: entries of @cpus
 *
 * Return: number of entries written.
 */
int online_cpus(int *cpus, int max)
{
	cpu_set_t set;
	int cpu, n = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (cpu = 0; cpu < CPU_SETSIZE && n < max; cpu++)
		if (CPU_ISSET((unsigned int)cpu, &set))
			cpus[n++] = cpu;
	return n;
}

/**
 * read_number() - the number that a file has, in any base that C knows
 * @path: the file
 *
 * Return: the number, ~0 if there is none.
 */
uint64_t read_number(const char *path)
{
	char text[64], *end;
	uint64_t number;
	FILE *file = fopen(path, "r");

	if (!file)
		return ~0ULL;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	number = strtoull(text, &end, 0);
	return end == text ? ~0ULL : number;
}
