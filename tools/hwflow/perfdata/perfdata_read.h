/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading of perf.data files: events in the order of time, and the trace of each AUX record. */
#ifndef HWFLOW_PERFDATA_READ_H
#define HWFLOW_PERFDATA_READ_H

#include "perfdata.h"

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
 * struct perfdata_session - the trace of one AUX record, or of one sample that has trace: the
 *	decoder begins anew with each
 * @bytes: the trace; NULL where there is none
 * @size: how much
 * @missing: bytes the AUX record names that the file does not have
 * @clipped: older trace is not in the file: it was overwritten in snapshot mode, or is not in the
 *	sample
 * @time: end of the session, as perfdata_event.time
 * @at: offset of the AUX record, or the sample, in the file, as perfdata_event.at
 * @bytes_at: offset of @bytes in the file; of their record, if they are not @in_file
 * @aux_offset: of @bytes in the AUX area; 0 for a sample, whose place in it is not recorded
 * @flags: of the AUX record: PERFDATA_AUX_*; of a sample: PERFDATA_AUX_OVERWRITE
 * @pid: process; PERFDATA_ANY where not recorded
 * @tid: thread; PERFDATA_ANY where not recorded
 * @cpu: CPU whose AUX area the trace is in; PERFDATA_ANY where the area is a thread's
 * @written_on: CPU that wrote the AUX record; PERFDATA_ANY where not recorded. Of threads only
 *	perf 6.12 and later record it
 * @area: number of the AUX area (idx of the AUXTRACE record)
 * @framed: in CoreSight frames; else raw
 * @is_sample: the trace of a sample
 * @in_file: @bytes are in the mapped file; else they were in a compressed record
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
	bool is_sample;
	bool in_file;
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

struct file_map;
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
 * @cgroups: by number
 * @cgroup_count: how many
 * @build_ids: from the head
 * @build_id_count: how many
 * @bytes: of the file, and of its compressed records, unpacked
 * @notes: in order of discovery
 * @note_count: how many
 * @config: config of the trace event's attribute
 * @context_in_vmid: the pid is in the VMID field of contexts (TRCCONFIGR.VMIDOPT)
 * @context_in_cid: the pid is in the Context ID field
 * @timestamps: the trace has timestamps
 * @per_cpu: one AUX area a CPU
 * @snapshot: snapshot mode, or the trace is in samples
 * @clock: from timestamps of the trace to the perf clock
 * @vdso: the ELF file that programs had mapped as [vdso]; NULL if the recording does not have it
 * @vdso_size: bytes of @vdso
 * @incomplete: the recorder did not complete the file: it was killed, or the disk was full; or the
 *	file was cut. Trace after the last session is missing
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
	const struct perfdata_cgroup *cgroups;
	size_t cgroup_count;
	const struct perfdata_build_id *build_ids;
	size_t build_id_count;
	uint64_t bytes;
	const struct perfdata_note *notes;
	size_t note_count;
	uint64_t config;
	bool context_in_vmid;
	bool context_in_cid;
	bool timestamps;
	bool per_cpu;
	bool snapshot;
	struct perfdata_clock clock;
	const uint8_t *vdso;
	size_t vdso_size;
	bool incomplete;
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
 * @root: see input_file_open()
 * @message: receives, on failure, one line that names file, offset, cause and remedy
 *
 * What can be read of a damaged file is kept; each damage is a note.
 *
 * Return: 0; -ENOMEM; -EINVAL for what is no perf.data; -ENOTSUP for one of an unknown kind; or
 * the errno of the file.
 */
int perfdata_open(struct perfdata **data, const char *path, size_t root,
		  char message[PERFDATA_MESSAGE]);

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

/** perfdata_cgroup() - the path of the cgroup with a number; NULL if the recording does not have it
 */
const char *perfdata_cgroup(const struct perfdata_info *info, uint64_t id);

/** perfdata_map() - the mapped file, which sessions have their bytes in; NULL if it is not mapped
 */
const struct file_map *perfdata_map(const struct perfdata *data);

/** perfdata_close() - free everything; NULL is allowed */
void perfdata_close(struct perfdata *data);

/**
 * perfdata_is_perfdata() - does a file begin like perf.data?
 * @bytes: its first bytes
 * @size: how many, at least 8
 */
bool perfdata_is_perfdata(const void *bytes, size_t size);

#endif /* HWFLOW_PERFDATA_READ_H */
