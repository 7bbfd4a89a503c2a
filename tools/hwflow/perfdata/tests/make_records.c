// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_records KIND COUNT FILE - write a perf.data file as from a pipe, whose records ask for more
 * time or memory than their number explains. COUNT is how many records there are of the kind.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "perfdata/perfdata.h"
#include "perfdata/perfdata_format.h"

#define PMU_TYPE 4711u

/* What a record has behind its body, as the attribute says: pid, tid, time, CPU */
#define SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

/* In a record before compression, at most so many bytes */
#define PACKED_BYTES 0x8000u

/**
 * struct maker - a file being written
 * @file: the file
 * @packer: compresses the records; NULL: they are not compressed
 * @packed: records that are not written yet
 * @packed_size: bytes of them
 * @snapshot: the trace is snapshots of what was executed last
 */
struct maker {
	FILE *file;
	ZSTD_CCtx *packer;
	uint8_t *packed;
	size_t packed_size;
	bool snapshot;
};

/* struct stamp - when, and who did it */
struct stamp {
	uint64_t time;
	int32_t pid;
	int32_t tid;
	int32_t cpu;
};

/* struct body - contents of a record */
struct body {
	uint8_t bytes[0x2000];
	size_t size;
};

static void put(struct body *body, const void *bytes, size_t size)
{
	memcpy(body->bytes + body->size, bytes, size);
	body->size += size;
}

static void put_u32(struct body *body, uint32_t value)
{
	put(body, &value, sizeof(value));
}

static void put_u64(struct body *body, uint64_t value)
{
	put(body, &value, sizeof(value));
}

static void put_text(struct body *body, const char *text)
{
	const size_t size = (strlen(text) + 8) & ~(size_t)7;

	memset(body->bytes + body->size, 0, size);
	memcpy(body->bytes + body->size, text, strlen(text));
	body->size += size;
}

static void write_bytes(struct maker *maker, const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, maker->file) != size) {
		perror("make_records");
		exit(1);
	}
}

/* Writes the records that are not written yet as compressed ones: a frame of zstd over all. */
static void flush(struct maker *maker, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = {maker->packed, maker->packed_size, 0};
	uint8_t bytes[0xfff0];
	size_t left;

	do {
		ZSTD_outBuffer out = {bytes, sizeof(bytes), 0};
		struct perf_event_header header = {.type = PERFDATA_RECORD_COMPRESSED};

		left = ZSTD_compressStream2(maker->packer, &out, &in, end);
		if (ZSTD_isError(left))
			exit(1);
		header.size = (uint16_t)(sizeof(header) + out.pos);
		if (!out.pos)
			continue;
		write_bytes(maker, &header, sizeof(header));
		write_bytes(maker, bytes, out.pos);
	} while (end == ZSTD_e_continue ? in.pos < in.size : left != 0);
	maker->packed_size = 0;
}

static void write_record(struct maker *maker, uint32_t type, uint16_t misc, const struct body *body)
{
	const struct perf_event_header header = {
		.type = type, .misc = misc, .size = (uint16_t)(sizeof(header) + body->size)};

	if (!maker->packer) {
		write_bytes(maker, &header, sizeof(header));
		write_bytes(maker, body->bytes, body->size);
		return;
	}
	memcpy(maker->packed + maker->packed_size, &header, sizeof(header));
	memcpy(maker->packed + maker->packed_size + sizeof(header), body->bytes, body->size);
	maker->packed_size += header.size;
	if (maker->packed_size >= PACKED_BYTES)
		flush(maker, ZSTD_e_continue);
}

static void stamp_record(struct maker *maker, uint32_t type, uint16_t misc, struct body *body,
			 const struct stamp *stamp)
{
	put_u32(body, (uint32_t)stamp->pid);
	put_u32(body, (uint32_t)stamp->tid);
	put_u64(body, stamp->time);
	put_u64(body, (uint32_t)stamp->cpu);
	write_record(maker, type, misc, body);
}

static void make_attr(struct maker *maker, uint32_t type, uint64_t config, uint64_t sample_type,
		      uint64_t first_id, size_t id_count)
{
	const struct perf_event_attr attr = {.type = type,
					     .size = sizeof(attr),
					     .config = config,
					     .sample_type = sample_type,
					     .sample_id_all = sample_type != 0};
	struct body body = {.size = 0};

	put(&body, &attr, sizeof(attr));
	for (size_t i = 0; i < id_count; i++)
		put_u64(&body, first_id + i);
	write_record(maker, PERFDATA_RECORD_HEADER_ATTR, 0, &body);
}

/* Trace units of ETE on so many CPUs, with the Context ID in contexts and in the virtual clock */
static void make_info(struct maker *maker, uint32_t cpus)
{
	struct body body = {.size = 0};

	put_u64(&body, ARM_ETE_PMU_AUXTRACE_TYPE);
	put_u64(&body, 1);
	put_u64(&body, (uint64_t)PMU_TYPE << 32 | cpus);
	put_u64(&body, maker->snapshot);
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		/* TRCCONFIGR, TRCTRACEIDR, TRCIDR0, 1, 2, 8, TRCAUTHSTATUS, TRCDEVARCH */
		static const uint32_t regs[] = {0x41,       0x10, 0x084002a1, 0x4100f440,
						0x40001088, 0,    0,          0x47735a13};

		put_u64(&body, PERFDATA_MAGIC_ETE);
		put_u64(&body, cpu);
		put_u64(&body, PERFDATA_REGS_ETE);
		for (size_t i = 0; i < PERFDATA_REGS_ETE; i++)
			put_u64(&body, i < sizeof(regs) / sizeof(regs[0]) ? regs[i] : UINT64_MAX);
	}
	write_record(maker, PERFDATA_RECORD_AUXTRACE_INFO, 0, &body);
}

/* Timestamps of the trace are times. */
static void make_time_conv(struct maker *maker)
{
	struct perfdata_time_conv conv = {.mult = 1};
	struct body body = {.size = 0};

	put(&body, (const uint8_t *)&conv + sizeof(struct perf_event_header),
	    sizeof(conv) - sizeof(struct perf_event_header));
	write_record(maker, PERFDATA_RECORD_TIME_CONV, 0, &body);
}

static void make_head(struct maker *maker)
{
	const uint64_t head[2] = {PERFDATA_MAGIC, PERFDATA_PIPE_HEADER};

	write_bytes(maker, head, sizeof(head));
}

/* What most kinds begin with */
static void make_begin(struct maker *maker, uint32_t cpus)
{
	make_attr(maker, PMU_TYPE, ARM_ETE_PMU_MASK(contextid1), SAMPLE_TYPE, 1, 1);
	make_info(maker, cpus);
}

static void make_comm(struct maker *maker, const struct stamp *stamp, const char *name, bool exec)
{
	struct body body = {.size = 0};

	put_u32(&body, (uint32_t)stamp->pid);
	put_u32(&body, (uint32_t)stamp->tid);
	put_text(&body, name);
	stamp_record(maker, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, &body, stamp);
}

static void make_fork(struct maker *maker, const struct stamp *stamp, int32_t ppid, int32_t ptid)
{
	struct body body = {.size = 0};

	put_u32(&body, (uint32_t)stamp->pid);
	put_u32(&body, (uint32_t)ppid);
	put_u32(&body, (uint32_t)stamp->tid);
	put_u32(&body, (uint32_t)ptid);
	put_u64(&body, stamp->time);
	stamp_record(maker, PERF_RECORD_FORK, 0, &body, stamp);
}

static void make_mmap(struct maker *maker, const struct stamp *stamp, uint64_t address,
		      uint64_t length, const char *path)
{
	struct body body = {.size = 0};

	put_u32(&body, (uint32_t)stamp->pid);
	put_u32(&body, (uint32_t)stamp->tid);
	put_u64(&body, address);
	put_u64(&body, length);
	put_u64(&body, 0);
	put_text(&body, path);
	stamp_record(maker, PERF_RECORD_MMAP, 0, &body, stamp);
}

/* A-Sync, Trace Info, Trace On, Address with Context (EL0, Context ID), Atom E */
static size_t make_trace(uint8_t trace[64], uint64_t address, int32_t tid)
{
	static const uint8_t sync[] = {0, 0, 0, 0,    0,    0,    0,    0,
				       0, 0, 0, 0x80, 0x01, 0x01, 0x00, 0x04};
	size_t at = sizeof(sync);

	memcpy(trace, sync, sizeof(sync));
	trace[at++] = 0x85;
	trace[at++] = address >> 2 & 0x7f;
	trace[at++] = address >> 9 & 0x7f;
	for (unsigned int shift = 16; shift < 64; shift += 8)
		trace[at++] = (uint8_t)(address >> shift);
	trace[at++] = 0x80;
	memcpy(trace + at, &tid, sizeof(tid));
	at += sizeof(tid);
	trace[at++] = 0xf7;
	return at;
}

/* An AUX record and the AUXTRACE record with its trace, in an area of its own */
static void make_session(struct maker *maker, const struct stamp *stamp, bool by_cpu,
			 uint64_t address)
{
	uint8_t trace[64] = {0};
	const size_t size = make_trace(trace, address, stamp->tid);
	const struct perfdata_auxtrace auxtrace = {
		.type = PERFDATA_RECORD_AUXTRACE,
		.record_size = sizeof(auxtrace),
		.size = (size + 7) & ~(size_t)7,
		.offset = stamp->time * 64,
		.idx = (uint32_t)(by_cpu ? stamp->cpu : stamp->tid),
		.tid = (uint32_t)(by_cpu ? -1 : stamp->tid),
		.cpu = (uint32_t)(by_cpu ? stamp->cpu : -1),
	};
	struct body body = {.size = 0};

	/* in snapshot mode the offset is that of the end */
	put_u64(&body, auxtrace.offset + (maker->snapshot ? size : 0));
	put_u64(&body, size);
	put_u64(&body, PERFDATA_AUX_RAW | (maker->snapshot ? PERFDATA_AUX_OVERWRITE : 0));
	stamp_record(maker, PERF_RECORD_AUX, 0, &body, stamp);
	write_bytes(maker, &auxtrace, sizeof(auxtrace));
	write_bytes(maker, trace, auxtrace.size);
}

/* Behind the rest: one session, so that there is something to decode */
static void make_end(struct maker *maker, uint64_t time)
{
	const struct stamp stamp = {.time = time, .pid = 1, .tid = 1, .cpu = 0};

	if (maker->packer) {
		flush(maker, ZSTD_e_end);
		ZSTD_freeCCtx(maker->packer);
		maker->packer = NULL;
	}
	make_session(maker, &stamp, true, 0x400000);
}

static struct stamp stamp_of(size_t number, int32_t tid)
{
	return (struct stamp){.time = 1000 + number, .pid = tid, .tid = tid, .cpu = 0};
}

/* A process with many mappings forks as often: half of the records are mappings. */
static void make_forks(struct maker *maker, size_t count)
{
	make_begin(maker, 1);
	for (size_t i = 0; i < count / 2; i++) {
		const struct stamp stamp = stamp_of(i, 1);

		make_mmap(maker, &stamp, 0x400000 + 0x2000 * i, 0x1000, "/a");
	}
	for (size_t i = count / 2; i < count; i++) {
		struct stamp stamp = stamp_of(i, (int32_t)i + 2);

		make_fork(maker, &stamp, 1, 1);
	}
	make_end(maker, 2000 + count);
}

/* The same, compressed */
static void make_packed_forks(struct maker *maker, size_t count)
{
	maker->packer = ZSTD_createCCtx();
	make_forks(maker, count);
}

/* The same record again and again, which compresses to nearly nothing */
static void make_bomb(struct maker *maker, size_t count)
{
	const struct stamp stamp = stamp_of(0, 1);

	make_begin(maker, 1);
	maker->packer = ZSTD_createCCtx();
	for (size_t i = 0; i < count; i++)
		make_comm(maker, &stamp, "a", false);
	make_end(maker, 2000);
}

/* Mappings in descending order */
static void make_descending(struct maker *maker, size_t count)
{
	make_begin(maker, 1);
	for (size_t i = 0; i < count; i++) {
		const struct stamp stamp = stamp_of(i, 1);

		make_mmap(maker, &stamp, 0x7000000000 - 0x2000 * i, 0x1000, "/a");
	}
	make_end(maker, 2000 + count);
}

/* Mappings that lie in one another: each cuts the one before */
static void make_nested(struct maker *maker, size_t count)
{
	make_begin(maker, 1);
	for (size_t i = 0; i < count; i++) {
		const struct stamp stamp = stamp_of(i, 1);

		make_mmap(maker, &stamp, 0x1000 * i, 0x7000000000 - 0x2000 * i,
			  i % 2 ? "/a" : "/b");
	}
	make_end(maker, 2000 + count);
}

/* Each mapping of a file of its own */
static void make_paths(struct maker *maker, size_t count)
{
	make_begin(maker, 1);
	for (size_t i = 0; i < count; i++) {
		const struct stamp stamp = stamp_of(i, 1);
		char path[32];

		snprintf(path, sizeof(path), "/%zx", i);
		make_mmap(maker, &stamp, 0x400000 + 0x2000 * i, 0x1000, path);
	}
	make_end(maker, 2000 + count);
}

/* Event attributes with many identifiers, a record of two kinds of stamps between any two */
static void make_attrs(struct maker *maker, size_t count)
{
	const struct stamp stamp = stamp_of(0, 1);

	make_begin(maker, 1);
	for (size_t i = 0; i < count; i++) {
		make_attr(maker, PERF_TYPE_SOFTWARE, 0,
			  SAMPLE_TYPE | (i % 2 ? PERF_SAMPLE_IDENTIFIER : 0), (count - i) << 16,
			  128);
		make_comm(maker, &stamp, "a", false);
	}
	make_end(maker, 2000 + count);
}

static void make_sources(struct maker *maker, size_t count, bool by_cpu, bool exec)
{
	make_begin(maker, 1);
	make_time_conv(maker);
	for (size_t i = 0; i < count; i++) {
		struct stamp stamp = stamp_of(3 * i, (int32_t)i + 1);

		make_comm(maker, &stamp, "a", exec);
		stamp.time++;
		make_mmap(maker, &stamp, 0x400000, 0x1000, i % 2 ? "/a" : "/b");
		stamp.time++;
		stamp.cpu = by_cpu ? (int32_t)i : 0;
		make_session(maker, &stamp, by_cpu, 0x400000);
	}
	/* a second piece of each, so that each goes through all of the time */
	for (size_t i = 0; i < count; i++) {
		struct stamp stamp = stamp_of(3 * count + i, (int32_t)i + 1);

		stamp.cpu = by_cpu ? (int32_t)i : 0;
		make_session(maker, &stamp, by_cpu, 0x400000);
	}
}

static void make_cpus(struct maker *maker, size_t count)
{
	make_sources(maker, count, true, false);
}

static void make_exec_cpus(struct maker *maker, size_t count)
{
	make_sources(maker, count, true, true);
}

static void make_threads(struct maker *maker, size_t count)
{
	make_sources(maker, count, false, true);
}

/* Pieces of many CPUs, each from a time in which one process maps so often */
static void make_mappings_of(struct maker *maker, size_t count, size_t mappings)
{
	make_begin(maker, 1);
	make_time_conv(maker);
	for (size_t i = 0; i < 2 * count; i++) {
		struct stamp stamp = stamp_of(i < count ? i : i + mappings, 1);

		for (size_t j = 0; i == count && j < mappings; j++) {
			const struct stamp mapped = stamp_of(count + j, 1);

			make_mmap(maker, &mapped, 0x400000 + 0x1000 * (j % 7), 0x2000,
				  j % 2 ? "/a" : "/b");
		}
		stamp.cpu = (int32_t)(i % count);
		make_session(maker, &stamp, true, 0x400000);
	}
}

/* As many as the limit allows, about */
static void make_mappings(struct maker *maker, size_t count)
{
	make_mappings_of(maker, count, 1000);
}

static void make_many_mappings(struct maker *maker, size_t count)
{
	make_mappings_of(maker, 2, count);
}

/* Sessions of a trace unit that the file does not describe */
static void make_unknown(struct maker *maker, size_t count)
{
	make_attr(maker, PMU_TYPE, 0, SAMPLE_TYPE, 1, 1);
	for (size_t i = 0; i < count; i++) {
		const struct stamp stamp = stamp_of(i, 1);
		struct body body = {.size = 0};

		put_u64(&body, i);
		put_u64(&body, 0);
		put_u64(&body, PERFDATA_AUX_RAW);
		stamp_record(maker, PERF_RECORD_AUX, 0, &body, &stamp);
	}
	make_end(maker, 2000 + count);
}

/* Sessions of one CPU */
static void make_sessions(struct maker *maker, size_t count)
{
	make_begin(maker, 1);
	for (size_t i = 0; i < count; i++) {
		const struct stamp stamp = stamp_of(i, 1);

		make_session(maker, &stamp, true, 0x400000);
	}
}

/* exec begins a program whose files are missing. */
static void make_program(struct maker *maker, struct stamp *stamp)
{
	static const char *const paths[] = {"/a", "/ld.so", "[vdso]"};

	make_comm(maker, stamp, "a", true);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		stamp->time++;
		make_mmap(maker, stamp, 0x400000 + 0x100000 * i, 0x1000, paths[i]);
	}
	stamp->time++;
}

static void make_itrace_start(struct maker *maker, struct stamp *stamp)
{
	struct body body = {.size = 0};

	put_u32(&body, (uint32_t)stamp->pid);
	put_u32(&body, (uint32_t)stamp->tid);
	stamp_record(maker, PERF_RECORD_ITRACE_START, 0, &body, stamp);
	stamp->time++;
}

/* Snapshots of a thread or of a CPU; before each one the traced process or another calls exec. */
static void make_snapshots_of(struct maker *maker, size_t count, bool by_cpu, bool same_process)
{
	struct stamp stamp = stamp_of(0, 1);

	maker->snapshot = true;
	make_begin(maker, 1);
	make_time_conv(maker);
	make_program(maker, &stamp);
	make_itrace_start(maker, &stamp);
	for (size_t i = 0; i < count; i++) {
		struct stamp other = stamp;

		if (!same_process)
			other.pid = other.tid = (int32_t)i + 2;
		make_program(maker, &other);
		if (!same_process)
			make_itrace_start(maker, &other);
		stamp.time = other.time;
		make_session(maker, &stamp, by_cpu, 0x400000);
		stamp.time++;
	}
}

static void make_snapshots(struct maker *maker, size_t count)
{
	make_snapshots_of(maker, count, false, false);
}

static void make_exec_snapshots(struct maker *maker, size_t count)
{
	make_snapshots_of(maker, count, false, true);
}

static void make_cpu_snapshots(struct maker *maker, size_t count)
{
	make_snapshots_of(maker, count, true, false);
}

/* exec of one process, none of which maps anything */
static void make_execs(struct maker *maker, size_t count)
{
	make_begin(maker, 1);
	for (size_t i = 0; i < count; i++) {
		const struct stamp stamp = stamp_of(i, 1 + (int32_t)(i % 2));

		make_comm(maker, &stamp, "a", true);
	}
	make_end(maker, 2000 + count);
}

/* exec of as many processes, none of which maps the vdso */
static void make_programs(struct maker *maker, size_t count)
{
	make_begin(maker, 1);
	for (size_t i = 0; i < count; i++) {
		const struct stamp stamp = stamp_of(i, (int32_t)i + 1);

		make_comm(maker, &stamp, "a", true);
	}
	make_end(maker, 2000 + count);
}

/* A process each, of which no more is known than its number; the last one is the first */
static void make_processes(struct maker *maker, size_t count)
{
	make_begin(maker, 1);
	for (size_t i = 0; i < count; i++) {
		const struct stamp stamp = stamp_of(count - i, (int32_t)(count - i));
		struct body body = {.size = 0};

		put_u32(&body, (uint32_t)stamp.pid);
		put_u32(&body, (uint32_t)stamp.tid);
		stamp_record(maker, PERF_RECORD_ITRACE_START, 0, &body, &stamp);
	}
	make_end(maker, 2000 + count);
}

/* The shortest records, without a stamp */
static void make_switches(struct maker *maker, size_t count)
{
	const struct body body = {.size = 0};

	make_attr(maker, PMU_TYPE, 0, 0, 1, 1);
	make_info(maker, 1);
	for (size_t i = 0; i < count; i++)
		write_record(maker, PERF_RECORD_SWITCH, 0, &body);
	make_end(maker, 0);
}

/* Mappings of jitdump files, which are not there */
static void make_dumps(struct maker *maker, size_t count)
{
	make_begin(maker, 1);
	for (size_t i = 0; i < count; i++) {
		const struct stamp stamp = stamp_of(i, (int32_t)i + 1);
		char path[64];

		snprintf(path, sizeof(path), "/tmp/jit-%zu.dump", i + 1);
		make_mmap(maker, &stamp, 0x400000, 0x1000, path);
	}
	make_end(maker, 2000 + count);
}

/* Descriptions of tracepoints, and as many events as there may be */
static void make_tracepoints(struct maker *maker, size_t count)
{
	static const char head[] = "\x17\x08\x44"
				   "tracing0.6\0\0\x08\0\x10\0\0";
	const struct perf_event_header header = {.type = PERFDATA_RECORD_TRACING_DATA,
						 .size = sizeof(header) + 4};
	const uint32_t formats = (uint32_t)count;
	uint32_t size = (uint32_t)(sizeof(head) - 1 + 12 + 8 + 13 + 8 + 4 + count * (8 + 24) + 4);
	const uint64_t zero = 0, length = 24;
	const uint32_t padding = (uint32_t)-size & 7;

	write_bytes(maker, &header, sizeof(header));
	write_bytes(maker, &size, sizeof(size));
	write_bytes(maker, head, sizeof(head) - 1);
	write_bytes(maker, "header_page", 12);
	write_bytes(maker, &zero, 8);
	write_bytes(maker, "header_event", 13);
	write_bytes(maker, &zero, 8);
	write_bytes(maker, &formats, 4);
	for (size_t i = 0; i < count; i++) {
		char text[48];

		snprintf(text, sizeof(text), "name: a\nID: %010zu\n\n", i + 1);
		write_bytes(maker, &length, 8);
		write_bytes(maker, text, 24);
	}
	write_bytes(maker, &zero, 4);
	write_bytes(maker, &zero, padding);
	for (size_t i = 0; i < count / 16 && i < 4000; i++)
		make_attr(maker, PERF_TYPE_TRACEPOINT, count + 1, SAMPLE_TYPE, i, 1);
}

/* The events of samples, whose times descend */
static void make_samples(struct maker *maker, size_t count)
{
	make_attr(maker, PERF_TYPE_SOFTWARE, 0, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME, 1, 1);
	make_info(maker, 1);
	make_tracepoints(maker, count / 16);
	for (size_t i = 0; i < count; i++) {
		struct body body = {.size = 0};

		put_u64(&body, 1);
		put_u64(&body, count - i);
		write_record(maker, PERF_RECORD_SAMPLE, 0, &body);
	}
	make_end(maker, 2000 + count);
}

/* struct kind - what can be made */
struct kind {
	const char *name;
	void (*make)(struct maker *maker, size_t count);
};

static const struct kind kinds[] = {
	{"forks", make_forks},
	{"packed-forks", make_packed_forks},
	{"bomb", make_bomb},
	{"descending", make_descending},
	{"nested", make_nested},
	{"paths", make_paths},
	{"attrs", make_attrs},
	{"cpus", make_cpus},
	{"exec-cpus", make_exec_cpus},
	{"threads", make_threads},
	{"mappings", make_mappings},
	{"many-mappings", make_many_mappings},
	{"unknown", make_unknown},
	{"sessions", make_sessions},
	{"execs", make_execs},
	{"programs", make_programs},
	{"processes", make_processes},
	{"switches", make_switches},
	{"dumps", make_dumps},
	{"samples", make_samples},
	{"snapshots", make_snapshots},
	{"cpu-snapshots", make_cpu_snapshots},
	{"exec-snapshots", make_exec_snapshots},
};

int main(int argc, char **argv)
{
	static uint8_t packed[0x20000];
	struct maker maker = {.packed = packed};

	if (argc != 4) {
		fputs("usage: make_records KIND COUNT FILE\n", stderr);
		return 1;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, argv[1]) != 0)
			continue;
		maker.file = fopen(argv[3], "wb");
		if (!maker.file) {
			perror(argv[3]);
			return 1;
		}
		make_head(&maker);
		kinds[i].make(&maker, strtoull(argv[2], NULL, 10));
		return fclose(maker.file) ? 1 : 0;
	}
	fprintf(stderr, "make_records: no kind %s\n", argv[1]);
	return 1;
}
