/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing of perf.data files, as stock perf record writes them. */
#ifndef HWFLOW_PERFDATA_WRITE_H
#define HWFLOW_PERFDATA_WRITE_H

#include "perfdata.h"

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
 * struct perfdata_made_tracepoint - a tracepoint of a recording that no kernel made
 * @name: for example "raw_syscalls:sys_enter"
 * @id: as its description has it
 */
struct perfdata_made_tracepoint {
	const char *name;
	uint64_t id;
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
 * @directory: the file is in a directory, as perf record --kcore makes it
 * @exclude_kernel: user space only
 * @exclude_user: kernel only
 * @pmu_type: dynamic type of the PMU; 0 for one made up
 * @clock: from timestamps of the trace to the perf clock, where that is known
 * @vdso: the ELF file that programs have mapped as [vdso]; must outlive the writer; NULL if not
 * known
 * @vdso_size: bytes of @vdso
 * @events: the events that were opened, in the order of enum perfdata_event_index, then any others;
 *	NULL for a recording that no kernel made: its two events then have made-up attributes
 * @event_count: number of @events
 * @tracepoints: with @events NULL, tracepoints of samples that perfdata_write_tracepoint() writes
 * @tracepoint_count: how many
 * @tracing_data: description of the tracepoints among the events; NULL if there are none
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
	bool directory;
	bool exclude_kernel;
	bool exclude_user;
	uint32_t pmu_type;
	struct perfdata_clock clock;
	const void *vdso;
	size_t vdso_size;
	const struct perfdata_recorded_event *events;
	size_t event_count;
	const struct perfdata_made_tracepoint *tracepoints;
	size_t tracepoint_count;
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
 * perfdata_write_tracepoint() - a thread has passed a tracepoint: a sample
 * @writer: the file
 * @stamp: when, and which thread
 * @index: of the tracepoint in perfdata_recording.tracepoints
 * @raw: its fields as its description has them; @size: bytes of it, 4 less than a multiple of 8
 */
int perfdata_write_tracepoint(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
			      size_t index, const void *raw, size_t size);

/**
 * perfdata_write_cgroup() - there is a cgroup
 * @writer: the file
 * @cgroup: its number and its path, at most 4,095 bytes
 */
int perfdata_write_cgroup(struct perfdata_writer *writer, const struct perfdata_cgroup *cgroup);

/**
 * perfdata_write_itrace_start() - tracing of a thread has started
 * @writer: the file
 * @stamp: when, and which thread
 */
int perfdata_write_itrace_start(struct perfdata_writer *writer, const struct perfdata_stamp *stamp);

/**
 * perfdata_write_lost() - the kernel could not write records
 * @writer: the file
 * @stamp: when, and on which CPU
 * @count: how many; 0: that was said before
 */
int perfdata_write_lost(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
			uint64_t count);

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

/**
 * perfdata_write_flush() - make the file readable as far as it is written
 * @writer: the file
 *
 * The records so far are written to the file, and the size of the data in its head counts them. If
 * the program is killed before perfdata_writer_close(), readers find them all. A description of the
 * machine follows, without which stock perf does not decode trace: its version says that the file
 * is not complete. The next record replaces it.
 *
 * Return: 0, or the first error of the writer.
 */
int perfdata_write_flush(struct perfdata_writer *writer);

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
 * Return: 0, or the first error of all that was written: the file is then not complete, and can be
 * read up to the last record before the error.
 */
int perfdata_writer_close(struct perfdata_writer *writer);

#endif /* HWFLOW_PERFDATA_WRITE_H */
