/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf.data files: the boundary between the command and perf's container.
 *
 * Functions return 0 or a negative errno. Facts of the format: perf_event_open(2) and the
 * kernel's tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef HWFLOW_PERFDATA_H
#define HWFLOW_PERFDATA_H

#include <linux/arm_ete_pmu.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hwflow/ete.h"
#include "perfdata_clock.h"
#include "perfdata_riscv.h"

/** PERFDATA_ANY - a cpu, pid or tid that is not known, or that does not matter */
#define PERFDATA_ANY (-1)

/* flags of an AUX record */
#define PERFDATA_AUX_TRUNCATED   UINT64_C(0x01) /* no room; the event was stopped */
#define PERFDATA_AUX_OVERWRITE   UINT64_C(0x02) /* snapshot mode */
#define PERFDATA_AUX_PARTIAL     UINT64_C(0x04) /* trace was lost, but went on */
#define PERFDATA_AUX_COLLISION   UINT64_C(0x08) /* part of it was lost to another user */
#define PERFDATA_AUX_FORMAT_MASK ARM_ETE_PMU_AUX_FORMAT_MASK
#define PERFDATA_AUX_FRAMED      UINT64_C(0x0000)       /* 16-byte CoreSight frames */
#define PERFDATA_AUX_RAW         ARM_ETE_PMU_AUX_FORMAT /* bytes as the trace unit made them */

/** enum perfdata_protocol - which trace unit a CPU has */
enum perfdata_protocol {
	PERFDATA_ETE,
	PERFDATA_ETMV4,
	PERFDATA_ETMV3,
	PERFDATA_RISCV,
};

/**
 * struct perfdata_etmv3_regs - registers of an ETMv3 or PTM
 */
struct perfdata_etmv3_regs {
	uint32_t etmcr;
	uint32_t etmtraceidr;
	uint32_t etmccer;
	uint32_t etmidr;
};

/**
 * struct perfdata_cpu - one CPU and its trace unit
 * @cpu: its number
 * @protocol: enum perfdata_protocol: which of the members below holds
 * @sink: the trace buffer of the CPU, by which trace IDs are told apart; 0 where not recorded
 * @regs: ETE and ETMv4, the latter without TRCDEVARCH
 * @etmv3: ETMv3
 * @riscv: RISC-V Processor Trace; in a recording of its own
 * @counter_time: timestamps of its trace are of the counter that the perf clock is made from. All
 *	CPUs have to have this for struct perfdata_clock
 */
struct perfdata_cpu {
	uint32_t cpu;
	uint8_t protocol;
	uint32_t sink;
	struct hwf_ete_regs regs;
	struct perfdata_etmv3_regs etmv3;
	struct perfdata_riscv riscv;
	bool counter_time;
};

/**
 * struct perfdata_mapping - file contents that a process has mapped
 * @address: first virtual address
 * @length: bytes
 * @file_offset: of the first byte, in @path
 * @prot: PROT_READ and so on, as mmap(2)
 * @flags: MAP_PRIVATE and so on, as mmap(2)
 * @path: name of the file on the machine recorded, or "[vdso]", "//anon" and so on
 * @major: device and inode of the file, where known, as in an MMAP2 record
 * @minor: see @major
 * @inode: see @major
 * @build_id: of the file, in place of device and inode, if @build_id_size is not 0
 * @build_id_size: bytes of @build_id, at most 20
 */
struct perfdata_mapping {
	uint64_t address;
	uint64_t length;
	uint64_t file_offset;
	uint32_t prot;
	uint32_t flags;
	const char *path;
	uint32_t major;
	uint32_t minor;
	uint64_t inode;
	uint8_t build_id[20];
	uint8_t build_id_size;
};

/*
 * Writing
 */

struct perf_event_attr;

/**
 * struct perfdata_recorded_event - an event that was opened
 * @attr: its attributes, as many bytes as attr->size says; the same for all events of a recording.
 *	Their sample_type has PERF_SAMPLE_TID and PERF_SAMPLE_IDENTIFIER
 * @name: as the user wrote it
 * @ids: identifiers, from PERF_EVENT_IOC_ID
 * @id_count: number of @ids, at least one
 */
struct perfdata_recorded_event {
	const struct perf_event_attr *attr;
	const char *name;
	const uint64_t *ids;
	size_t id_count;
};

/**
 * struct perfdata_recording - what the head of a file says
 * @argv: command line that made the recording
 * @argc: words of it
 * @hostname: name of the machine recorded; NULL for this one
 * @osrelease: its kernel; NULL for this one
 * @cpus: its CPUs with their trace units, by ascending number; at least one. The first
 *	one's TRCCONFIGR gives the event's options: branch broadcast, cycle counts, context
 *	identifiers, timestamps, return stack
 * @cpu_count: how many
 * @machine_cpus: CPUs that the machine has, recorded or not; 0: @cpu_count
 * @per_cpu: one AUX area a CPU (perf record -a); else one a thread (--per-thread)
 * @snapshot: snapshot mode (perf record -S)
 * @exclude_kernel: user space only
 * @exclude_user: kernel only
 * @pmu_type: dynamic type of the PMU; 0 for one made up
 * @clock: from timestamps of the trace to the perf clock, where that is known
 * @events: the events that were opened, in the order of enum perfdata_event_index, then any others;
 *	NULL for a recording that no kernel made: its two events then have made-up attributes
 * @event_count: number of @events
 * @tracing_data: description of the tracepoints among @events; NULL if there are none
 * @tracing_data_size: bytes of it
 * @compression: level of zstd with which perfdata_write_raw() compresses; 0: it does not
 *
 * Read by perfdata_writer_open() only.
 */
struct perfdata_recording {
	const char *const *argv;
	size_t argc;
	const char *hostname;
	const char *osrelease;
	const struct perfdata_cpu *cpus;
	size_t cpu_count;
	uint32_t machine_cpus;
	bool per_cpu;
	bool snapshot;
	bool exclude_kernel;
	bool exclude_user;
	uint32_t pmu_type;
	struct perfdata_clock clock;
	const struct perfdata_recorded_event *events;
	size_t event_count;
	const void *tracing_data;
	size_t tracing_data_size;
	int compression;
};

/**
 * struct perfdata_stamp - when, and who did it
 * @time: nanoseconds of the perf clock. Times may go back, but no further than the last
 *	perfdata_write_round()
 * @pid: process
 * @tid: thread
 * @cpu: CPU; PERFDATA_ANY where not known
 */
struct perfdata_stamp {
	uint64_t time;
	int32_t pid;
	int32_t tid;
	int32_t cpu;
};

/** struct perfdata_writer - a file being written */
struct perfdata_writer;

/**
 * perfdata_writer_open() - begin a file, as stock perf record -e cs_etm// writes it
 * @result: receives the writer
 * @path: of the file; replaced if it exists
 * @recording: what its head says
 *
 * Memory does not grow with the trace written, but for 16 bytes an AUXTRACE record.
 *
 * Return: 0; -EINVAL for a recording that cannot be expressed; or the errno of the file.
 */
int perfdata_writer_open(struct perfdata_writer **result, const char *path,
			 const struct perfdata_recording *recording);

/**
 * perfdata_write_comm() - a thread has a name
 * @writer: the file
 * @stamp: when, and which thread
 * @comm: the name, at most 15 characters
 * @exec: because of an exec: all mappings of the process before it are gone
 */
int perfdata_write_comm(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
			const char *comm, bool exec);

/**
 * perfdata_write_fork() - a thread or process was made
 * @writer: the file
 * @stamp: when, and the new thread
 * @ppid: process of the maker; equal to the new thread's for a new thread of a process
 * @ptid: thread of the maker
 */
int perfdata_write_fork(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
			int32_t ppid, int32_t ptid);

/**
 * perfdata_write_listed() - a thread existed before the recording
 * @writer: the file
 * @stamp: the thread; its time is 0
 * @ppid: process of its creator
 * @ptid: thread of its creator
 *
 * Its process is not a copy of another: records list all of its mappings.
 */
int perfdata_write_listed(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
			  int32_t ppid, int32_t ptid);

/**
 * perfdata_write_exit() - a thread has ended
 * @writer: the file
 * @stamp: when, and which thread
 * @ppid: process of its maker
 * @ptid: thread of its maker
 *
 * Stock perf decodes the trace of a thread, where it has no timestamps, at this record:
 * its mappings and its trace should precede it.
 */
int perfdata_write_exit(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
			int32_t ppid, int32_t ptid);

/**
 * perfdata_write_mmap2() - a process has mapped a file
 * @writer: the file
 * @stamp: when, and which thread; pid -1 for the kernel's own
 * @mapping: what it mapped
 */
int perfdata_write_mmap2(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
			 const struct perfdata_mapping *mapping);

/**
 * perfdata_write_itrace_start() - tracing of a thread has started
 * @writer: the file
 * @stamp: when, and which thread
 */
int perfdata_write_itrace_start(struct perfdata_writer *writer, const struct perfdata_stamp *stamp);

/**
 * perfdata_write_aux() - say where the trace of one session is: an AUX record
 * @writer: the file
 * @stamp: end of the session, and which thread and CPU
 * @offset: of its first byte in the AUX area; of the byte past its last in snapshot mode
 * @size: bytes; 0 where all of it was lost
 * @flags: PERFDATA_AUX_*
 */
int perfdata_write_aux(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
		       uint64_t offset, uint64_t size, uint64_t flags);

/**
 * struct perfdata_area - one AUX area
 * @idx: number of the area, from 0 up: the thread's or the CPU's
 * @pid: process
 * @tid: thread it traces; PERFDATA_ANY in a recording by CPU
 * @cpu: CPU it traces; PERFDATA_ANY in a recording by thread
 */
struct perfdata_area {
	uint32_t idx;
	int32_t pid;
	int32_t tid;
	int32_t cpu;
};

/**
 * perfdata_write_auxtrace() - the bytes of an AUX area: an AUXTRACE record
 * @writer: the file
 * @area: which area
 * @offset: of the first byte in the area, counted from the beginning of tracing
 * @bytes: the trace
 * @size: how much
 *
 * AUX records before or after it refer to parts of it, or all. It must hold them whole.
 */
int perfdata_write_auxtrace(struct perfdata_writer *writer, const struct perfdata_area *area,
			    uint64_t offset, const void *bytes, size_t size);

/**
 * perfdata_write_auxtrace_halves() - the same of bytes that go over the end of a ring
 * @writer: the file
 * @area: where the bytes come from
 * @offset: of the first byte in the AUX area
 * @first: bytes up to the end of the ring
 * @first_size: number of these
 * @second: bytes from the start of the ring on
 * @second_size: number of these, may be 0
 */
int perfdata_write_auxtrace_halves(struct perfdata_writer *writer, const struct perfdata_area *area,
				   uint64_t offset, const void *first, size_t first_size,
				   const void *second, size_t second_size);

/**
 * perfdata_write_session() - one session: AUX record and AUXTRACE record in one go
 * @writer: the file
 * @stamp: end of the session, and which thread and CPU
 * @area: which area
 * @offset: of the first byte in the area; the next session of it begins at offset + size
 * @bytes: the trace, raw
 * @size: how much
 * @flags: PERFDATA_AUX_*; PERFDATA_AUX_RAW is added
 */
int perfdata_write_session(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
			   const struct perfdata_area *area, uint64_t offset, const void *bytes,
			   size_t size, uint64_t flags);

/**
 * perfdata_write_raw() - a record as the kernel made it
 * @writer: the file
 * @record: from a perf ring buffer, its struct perf_event_header first
 * @size: bytes of it
 *
 * The event it comes from must have the sample_type of perfdata_writer_attr().
 */
int perfdata_write_raw(struct perfdata_writer *writer, const void *record, size_t size);

/**
 * perfdata_write_round() - no later record has a time before any that precedes this
 * @writer: the file
 *
 * Bounds the memory of who reads the file in order of time.
 */
int perfdata_write_round(struct perfdata_writer *writer);

/** enum perfdata_event_index - the two events of a file */
enum perfdata_event_index {
	PERFDATA_EVENT_TRACE,    /* cs_etm// */
	PERFDATA_EVENT_TRACKING, /* dummy:u: comm, mmap, fork, exit */
	PERFDATA_EVENTS,
};

/**
 * perfdata_writer_attr() - attribute of an event, as the file will describe it
 * @recording: what the head of the file says
 * @which: enum perfdata_event_index
 * @attr: receives it; a caller that records opens this very event
 */
void perfdata_writer_attr(const struct perfdata_recording *recording, unsigned int which,
			  struct perf_event_attr *attr);

/**
 * perfdata_writer_ids() - say which kernel identifiers an event has
 * @writer: the file
 * @which: enum perfdata_event_index
 * @ids: from PERF_EVENT_IOC_ID
 * @count: how many
 *
 * Only for records from the kernel, see perfdata_write_raw(); before the first record.
 */
int perfdata_writer_ids(struct perfdata_writer *writer, unsigned int which, const uint64_t *ids,
			size_t count);

/**
 * perfdata_writer_close() - complete the file and free the writer
 * @writer: the file; NULL is allowed
 *
 * Return: 0, or the first error of all that was written: the file is then unusable.
 */
int perfdata_writer_close(struct perfdata_writer *writer);

/*
 * Reading
 */

/** enum perfdata_event_kind - what a recorded event is */
enum perfdata_event_kind {
	PERFDATA_COMM,         /* u.comm */
	PERFDATA_FORK,         /* u.parent; a process begins as a copy of it, unless it is listed */
	PERFDATA_EXIT,         /* u.parent */
	PERFDATA_MMAP,         /* u.mapping */
	PERFDATA_ITRACE_START, /* tracing of a thread started */
	PERFDATA_SESSION,      /* u.session: index into the sessions */
	PERFDATA_LOST,         /* u.lost: records that the kernel could not write */
	PERFDATA_SWITCH,       /* the thread came on to (u.switch_in) or left the CPU */
};

/**
 * struct perfdata_event - one event of the recording
 * @time: nanoseconds of the perf clock; 0 where it was there from the beginning
 * @at: offset of its record in the file; for one from a compressed record, that record's
 * @pid: process; -1 for the kernel
 * @tid: thread
 * @cpu: CPU; PERFDATA_ANY where not recorded
 * @kind: enum perfdata_event_kind: which member of the union holds
 */
struct perfdata_event {
	uint64_t time;
	uint64_t at;
	int32_t pid;
	int32_t tid;
	int32_t cpu;
	uint8_t kind;
	union {
		struct {
			const char *name;
			bool exec;
		} comm;
		struct {
			int32_t pid;
			int32_t tid;
			bool listed; /* it was there already: all that it has mapped comes behind */
		} parent;
		const struct perfdata_mapping *mapping;
		size_t session;
		uint64_t lost;
		bool switch_in;
	} u;
};

/**
 * struct perfdata_session - the trace of one AUX record: the decoder begins anew with each
 * @bytes: the trace, in the mapped file; NULL where there is none
 * @size: how much
 * @missing: bytes the AUX record names that the file does not have
 * @clipped: the missing bytes are the oldest ones, overwritten in snapshot mode
 * @time: end of the session, as perfdata_event.time
 * @at: offset of the AUX record in the file, as perfdata_event.at
 * @bytes_at: offset of @bytes in the file
 * @aux_offset: of @bytes in the AUX area
 * @flags: of the AUX record: PERFDATA_AUX_*
 * @pid: process; PERFDATA_ANY where not recorded
 * @tid: thread; PERFDATA_ANY where not recorded
 * @cpu: CPU whose AUX area the trace is in; PERFDATA_ANY where the area is a thread's
 * @written_on: CPU that wrote the AUX record; PERFDATA_ANY where not recorded. Of threads only
 *	perf 6.12 and later record it
 * @area: number of the AUX area (idx of the AUXTRACE record)
 * @framed: in CoreSight frames; else raw
 * @unit: the trace unit of @written_on; the first CPU's where that is not known; NULL if the
 *	file has none. In a framed session the trace IDs in the frames name the units.
 */
struct perfdata_session {
	const uint8_t *bytes;
	uint64_t size;
	uint64_t missing;
	uint64_t time;
	uint64_t at;
	uint64_t bytes_at;
	uint64_t aux_offset;
	uint64_t flags;
	int32_t pid;
	int32_t tid;
	int32_t cpu;
	int32_t written_on;
	uint32_t area;
	bool framed;
	bool clipped;
	const struct perfdata_cpu *unit;
};

/**
 * struct perfdata_build_id - a file and its build id, from the head of the recording
 * @path: on the machine recorded
 * @pid: -1 for user space of any process; the kernel's own otherwise
 * @bytes: the build id
 * @size: bytes of it
 */
struct perfdata_build_id {
	const char *path;
	int32_t pid;
	uint8_t bytes[20];
	uint8_t size;
};

/** enum perfdata_severity - what a note means to the decode */
enum perfdata_severity {
	PERFDATA_INFO,  /* nothing is missing */
	PERFDATA_LOSS,  /* trace was lost when it was recorded */
	PERFDATA_ERROR, /* the file is damaged here, or not understood */
};

/**
 * struct perfdata_note - something the user should know
 * @at: offset in the file
 * @severity: enum perfdata_severity
 * @text: cause and remedy, one line; names neither file nor offset
 */
struct perfdata_note {
	uint64_t at;
	uint8_t severity;
	const char *text;
};

struct perfdata_sample;

/**
 * struct perfdata_info - all that a file says
 * @path: as given to perfdata_open()
 * @arch: uname -m of the machine recorded; "" where not recorded
 * @hostname: its name, likewise
 * @osrelease: its kernel, likewise
 * @argv: command line that made the recording
 * @argc: words of it
 * @cpus: trace units
 * @cpu_count: how many
 * @events: in order of time
 * @event_count: how many
 * @sessions: in order of time
 * @session_count: how many
 * @samples: of events beside the trace, in order of time; see perfdata_samples.h
 * @sample_count: how many
 * @build_ids: from the head
 * @build_id_count: how many
 * @notes: in order of discovery
 * @note_count: how many
 * @config: config of the trace event's attribute
 * @context_in_vmid: the pid is in the VMID field of contexts (TRCCONFIGR.VMIDOPT)
 * @context_in_cid: the pid is in the Context ID field
 * @timestamps: the trace has timestamps
 * @per_cpu: one AUX area a CPU
 * @snapshot: snapshot mode
 * @clock: from timestamps of the trace to the perf clock
 * @untimed: no record has a time: times of events and sessions are their order, or 0
 */
struct perfdata_info {
	const char *path;
	const char *arch;
	const char *hostname;
	const char *osrelease;
	const char *const *argv;
	size_t argc;
	const struct perfdata_cpu *cpus;
	size_t cpu_count;
	const struct perfdata_event *events;
	size_t event_count;
	const struct perfdata_session *sessions;
	size_t session_count;
	const struct perfdata_sample *samples;
	size_t sample_count;
	const struct perfdata_build_id *build_ids;
	size_t build_id_count;
	const struct perfdata_note *notes;
	size_t note_count;
	uint64_t config;
	bool context_in_vmid;
	bool context_in_cid;
	bool timestamps;
	bool per_cpu;
	bool snapshot;
	struct perfdata_clock clock;
	bool untimed;
};

/** struct perfdata - an open file */
struct perfdata;

/** PERFDATA_MESSAGE - room for the longest message of perfdata_open() */
#define PERFDATA_MESSAGE 512

/**
 * perfdata_open() - read all of a file but the trace itself, which is mapped
 * @data: receives the file
 * @path: of the file
 * @message: receives, on failure, one line that names file, offset, cause and remedy
 *
 * What can be read of a damaged file is kept; each damage is a note.
 *
 * Return: 0; -ENOMEM; -EINVAL for what is no perf.data; -ENOTSUP for one of an unknown kind; or
 * the errno of the file.
 */
int perfdata_open(struct perfdata **data, const char *path, char message[PERFDATA_MESSAGE]);

/**
 * perfdata_open_memory() - perfdata_open() of bytes in memory
 * @data: receives the file
 * @name: stands for the path
 * @bytes: contents; must outlive @data
 * @size: how much
 * @message: as for perfdata_open()
 */
int perfdata_open_memory(struct perfdata **data, const char *name, const void *bytes, size_t size,
			 char message[PERFDATA_MESSAGE]);

/** perfdata_info() - all that a file says; valid until perfdata_close() */
const struct perfdata_info *perfdata_info(const struct perfdata *data);

/** perfdata_close() - free everything; NULL is allowed */
void perfdata_close(struct perfdata *data);

/**
 * perfdata_is_perfdata() - does a file begin like perf.data?
 * @bytes: its first bytes
 * @size: how many, at least 8
 */
bool perfdata_is_perfdata(const void *bytes, size_t size);

#endif /* HWFLOW_PERFDATA_H */
