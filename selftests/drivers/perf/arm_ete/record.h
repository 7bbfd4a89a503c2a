/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recording of program flow trace with perf_event_open(2) and mmap(2) alone: an event, its data ring, its AUX area,
 * and a copy of all trace and of the records that describe it.
 *
 * Functions return 0 or a negative errno, unless their comment says another value.
 */
#ifndef ARM_ETE_SELFTESTS_RECORD_H
#define ARM_ETE_SELFTESTS_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Environment variable with the name of the PMU, and the name without it */
#define RECORD_PMU_ENV "ARM_ETE_PMU"
#define RECORD_PMU_NAME "cs_etm"

/* Bytes of an alignment synchronisation packet: 11 bytes of 0, then 0x80 */
#define RECORD_SYNC_BYTES 12
extern const uint8_t record_sync[RECORD_SYNC_BYTES];

/**
 * struct record_unit - identification registers of the trace unit of a CPU
 * @cpu: the CPU
 * @trcidr0: as sysfs shows the register, and likewise all others; 0 if sysfs does not have it
 * @trcidr1: implementation
 * @trcidr2: sizes of context identifiers and cycle counts
 * @trcidr8: maximum speculation depth
 * @trcauthstatus: permitted trace
 * @trcdevarch: architecture; 0 on kernels whose in-tree driver does not show it
 */
struct record_unit {
	int cpu;
	uint32_t trcidr0;
	uint32_t trcidr1;
	uint32_t trcidr2;
	uint32_t trcidr8;
	uint32_t trcauthstatus;
	uint32_t trcdevarch;
};

/**
 * struct record_pmu - a PMU that records program flow
 * @name: its directory in sysfs
 * @type: struct perf_event_attr.type of its events
 * @in_tree: the kernel's coresight driver; otherwise arm_ete_pmu
 * @units: trace units of the CPUs that have one
 * @unit_count: number of @units
 */
struct record_pmu {
	char name[64];
	uint32_t type;
	bool in_tree;
	struct record_unit *units;
	size_t unit_count;
};

/**
 * record_find_pmu() - find the PMU and read the registers of its trace units
 * @pmu: receives it; record_free_pmu() frees its memory
 * @name: its name; NULL: the value of ARM_ETE_PMU, or "cs_etm"
 *
 * Return: -ENOENT if there is no such PMU; -ENODEV if it has no trace unit.
 */
int record_find_pmu(struct record_pmu *pmu, const char *name);

/** record_free_pmu() - free the memory of a PMU */
void record_free_pmu(struct record_pmu *pmu);

/** record_find_unit() - the trace unit of a CPU, or NULL */
const struct record_unit *record_find_unit(const struct record_pmu *pmu, int cpu);

/**
 * struct record_config - how to record
 * @pmu: the PMU
 * @config: fields of the event, and likewise @config1 to @config3
 * @pid: thread; 0: the caller; -1: all threads, with @cpu
 * @cpu: CPU; -1: all CPUs, with @pid
 * @ring_pages: pages of the data ring, a power of two; 0: 64
 * @aux_pages: pages of the AUX area, a power of two; 0: 256
 * @watermark: struct perf_event_attr.aux_watermark, in bytes; 0: the kernel's default
 * @filter: address filter for PERF_EVENT_IOC_SET_FILTER, or NULL
 * @snapshot: overwrite old trace
 * @kernel: trace the kernel, too
 * @no_user: do not trace user code
 * @inherit: trace children of the thread, too; needs a CPU
 * @on_exec: the event is enabled by the next exec of @pid
 * @action: aux_start_paused, aux_pause and aux_resume: the word after aux_sample_size (Linux 6.13)
 * @poll: called by record_thread() with @poll_ctx and the thread before each record_collect() while the thread runs;
 *	or NULL
 * @poll_ctx: see @poll
 */
struct record_config {
	const struct record_pmu *pmu;
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
	uint64_t config3;
	pid_t pid;
	int cpu;
	unsigned int ring_pages;
	unsigned int aux_pages;
	unsigned int watermark;
	const char *filter;
	bool snapshot;
	bool kernel;
	bool no_user;
	bool inherit;
	bool on_exec;
	unsigned int action;
	void (*poll)(void *ctx, pid_t tid);
	void *poll_ctx;
};

/**
 * struct record_part - the trace of one PERF_RECORD_AUX
 * @offset: position in the stream of all trace, as the record has it
 * @size: bytes
 * @flags: PERF_AUX_FLAG_*
 * @at: offset of its first byte in struct record.bytes
 * @time: of the record
 * @cpu: CPU that wrote the record
 * @tid: thread that was running
 */
struct record_part {
	uint64_t offset;
	uint64_t size;
	uint64_t flags;
	size_t at;
	uint64_t time;
	int cpu;
	pid_t tid;
};

/**
 * struct record_side - a record of the data ring that describes threads or memory
 * @type: PERF_RECORD_MMAP2, _COMM, _FORK, _EXIT or _ITRACE_START
 * @misc: flags of the record, as PERF_RECORD_MISC_COMM_EXEC
 * @pid: process
 * @tid: thread
 * @time: of the record
 * @address: PERF_RECORD_MMAP2: first address
 * @size: PERF_RECORD_MMAP2: bytes
 * @page_offset: PERF_RECORD_MMAP2: offset in the file
 * @prot: PERF_RECORD_MMAP2: PROT_*
 * @name: PERF_RECORD_MMAP2: file; PERF_RECORD_COMM: name of the program
 */
struct record_side {
	uint32_t type;
	uint16_t misc;
	pid_t pid;
	pid_t tid;
	uint64_t time;
	uint64_t address;
	uint64_t size;
	uint64_t page_offset;
	uint32_t prot;
	char name[64];
};

/**
 * struct record - an event and all that it recorded
 * @config: as given to record_open()
 * @fd: of the event
 * @page: first page of the data ring
 * @data: data ring
 * @aux: AUX area; NULL if it is not mapped
 * @aux_size: bytes of it
 * @bytes: trace of all @parts, one after another
 * @length: bytes of @bytes
 * @parts: AUX records, in their order
 * @part_count: number of @parts
 * @sides: other records
 * @side_count: number of @sides
 * @lost: records that did not fit into the data ring (PERF_RECORD_LOST)
 * @unpadded: bytes between two AUX records that are no padding
 * @error: the first error of record_collect() that concerns memory, or a record out of place
 */
struct record {
	struct record_config config;
	int fd;
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint8_t *aux;
	size_t aux_size;
	uint8_t *bytes;
	size_t length;
	struct record_part *parts;
	size_t part_count;
	struct record_side *sides;
	size_t side_count;
	uint64_t lost;
	uint64_t unpadded;
	int error;
};

/**
 * union record_attr - attributes of an event, with room for a member config3 that older headers do not have
 * @attr: as perf_event_open(2) takes it
 * @words: the same; RECORD_ATTR_CONFIG3 is the index of config3
 */
union record_attr {
	struct perf_event_attr attr;
	uint64_t words[18];
};

#define RECORD_ATTR_CONFIG3 16

/* Offset of the word for struct record_config.action, which older headers do not have */
#define RECORD_ATTR_ACTION (offsetof(struct perf_event_attr, aux_sample_size) + 4)

/**
 * record_attr() - attributes of the event of a configuration
 * @config: the configuration
 * @attr: receives them
 */
void record_attr(const struct record_config *config, union record_attr *attr);

/**
 * record_open() - open an event, which is disabled, and map both of its areas
 * @record: to initialise
 * @config: copied, but for its PMU
 *
 * Return: the error of perf_event_open(2), ioctl(2) or mmap(2); then nothing is left open.
 */
int record_open(struct record *record, const struct record_config *config);

/** record_enable() - PERF_EVENT_IOC_ENABLE */
int record_enable(struct record *record);

/** record_disable() - PERF_EVENT_IOC_DISABLE */
int record_disable(struct record *record);

/**
 * record_collect() - copy what was recorded since the last call, and make room
 * @record: the event
 *
 * In snapshot mode it only reads the records of the data ring; record_snapshot() copies the trace.
 */
int record_collect(struct record *record);

/**
 * record_snapshot() - copy the AUX area of a disabled event in snapshot mode, oldest trace first
 * @record: the event; receives the trace as its only part
 *
 * Return: -ERANGE if positions and sizes of our driver's AUX records do not fit what is in the AUX area.
 */
int record_snapshot(struct record *record);

/** record_flags() - all flags of all AUX records, or-ed */
uint64_t record_flags(const struct record *record);

/** record_close() - close the event, and free all memory of @record */
void record_close(struct record *record);

/**
 * record_thread() - run a function in a new thread, with an event of that thread
 * @record: to initialise; holds all trace when the function returns
 * @config: @pid is not used
 * @function: called with the descriptor of the event, which is disabled, and @argument
 * @argument: of @function
 * @interval: microseconds between two calls of record_collect() while @function runs; 0: only at its end
 *
 * Return: as record_open() and record_collect().
 */
int record_thread(struct record *record, const struct record_config *config,
		  void (*function)(int fd, void *argument), void *argument, unsigned int interval);

/**
 * record_program() - run a program in a child, with an event that begins with its exec
 * @record: to initialise; holds all trace when the program ends
 * @config: @pid and @on_exec are not used
 * @argv: path and arguments, to NULL
 * @status: receives the status of waitpid(2); 127 << 8 if the program cannot be executed
 *
 * Return: as record_open() and record_collect().
 */
int record_program(struct record *record, const struct record_config *config, char *const argv[],
		   int *status);

#endif
