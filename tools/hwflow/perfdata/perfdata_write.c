/* SPDX-License-Identifier: GPL-2.0-only */
/* perf.data as stock perf record writes it: head, records, trace. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "perfdata_writer.h"

/* longest record: an MMAP2 with a path of PATH_MAX, or what the kernel made */
#define RECORD_MAX 65536

#define STAMP_MAX 32

/* struct record - one record as it grows; its size is put in at the end */
struct record {
	uint8_t bytes[8192];
	size_t size;
};

static void put_bytes(struct record *record, const void *bytes, size_t size)
{
	memcpy(record->bytes + record->size, bytes, size);
	record->size += size;
}

static void put_u32(struct record *record, uint32_t value)
{
	put_bytes(record, &value, sizeof(value));
}

static void put_u64(struct record *record, uint64_t value)
{
	put_bytes(record, &value, sizeof(value));
}

/* A string with its end, filled up to a multiple of 8. */
static void put_string(struct record *record, const char *string, size_t length)
{
	size_t room = (length + 8) & ~(size_t)7;

	memset(record->bytes + record->size, 0, room);
	memcpy(record->bytes + record->size, string, length);
	record->size += room;
}

static void record_begin(struct record *record, uint32_t type, uint16_t misc)
{
	const struct perf_event_header header = {.type = type, .misc = misc};

	record->size = 0;
	put_bytes(record, &header, sizeof(header));
}

static int record_end(struct perfdata_writer *writer, struct record *record)
{
	const uint16_t size = (uint16_t)record->size;

	memcpy(record->bytes + offsetof(struct perf_event_header, size), &size, sizeof(size));
	perfdata_pack_flush(writer);
	return perfdata_put(writer, record->bytes, record->size);
}

/* What the kernel puts behind each record with sample_id_all, for SAMPLE_TYPE. */
static int record_end_stamped(struct perfdata_writer *writer, struct record *record,
			      const struct perfdata_stamp *stamp, unsigned int event)
{
	put_u32(record, (uint32_t)stamp->pid);
	put_u32(record, (uint32_t)stamp->tid);
	if (writer->has_time)
		put_u64(record, stamp->time);
	if (writer->has_cpu) {
		put_u32(record, stamp->cpu < 0 ? 0 : (uint32_t)stamp->cpu);
		put_u32(record, 0);
	}
	put_u64(record, writer->events[event].ids[0]);
	return record_end(writer, record);
}

int perfdata_write_tracepoint(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
			      size_t index, const void *raw, size_t size)
{
	struct record record;

	record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_u64(&record, writer->events[PERFDATA_EVENTS + index].ids[0]);
	put_u64(&record, 0); /* the instruction is not known */
	put_u32(&record, (uint32_t)stamp->pid);
	put_u32(&record, (uint32_t)stamp->tid);
	put_u64(&record, stamp->time);
	if (writer->has_cpu) {
		put_u32(&record, stamp->cpu < 0 ? 0 : (uint32_t)stamp->cpu);
		put_u32(&record, 0);
	}
	put_u32(&record, (uint32_t)size);
	put_bytes(&record, raw, size);
	return record_end(writer, &record);
}

int perfdata_write_comm(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
			const char *comm, bool exec)
{
	struct record record;

	record_begin(&record, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	put_u32(&record, (uint32_t)stamp->pid);
	put_u32(&record, (uint32_t)stamp->tid);
	put_string(&record, comm, strnlen(comm, 15));
	return record_end_stamped(writer, &record, stamp, PERFDATA_EVENT_TRACKING);
}

static int write_task(struct perfdata_writer *writer, uint32_t type, uint16_t misc,
		      const struct perfdata_stamp *stamp, int32_t ppid, int32_t ptid)
{
	struct record record;

	record_begin(&record, type, misc);
	put_u32(&record, (uint32_t)stamp->pid);
	put_u32(&record, (uint32_t)ppid);
	put_u32(&record, (uint32_t)stamp->tid);
	put_u32(&record, (uint32_t)ptid);
	put_u64(&record, stamp->time);
	return record_end_stamped(writer, &record, stamp, PERFDATA_EVENT_TRACKING);
}

int perfdata_write_fork(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
			int32_t ppid, int32_t ptid)
{
	return write_task(writer, PERF_RECORD_FORK, 0, stamp, ppid, ptid);
}

int perfdata_write_listed(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
			  int32_t ppid, int32_t ptid)
{
	return write_task(writer, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC, stamp, ppid, ptid);
}

int perfdata_write_exit(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
			int32_t ppid, int32_t ptid)
{
	return write_task(writer, PERF_RECORD_EXIT, 0, stamp, ppid, ptid);
}

/* The 24 bytes that hold either device and inode or the build id. */
static void put_file_identity(struct record *record, const struct perfdata_mapping *mapping)
{
	uint8_t identity[4 + sizeof(mapping->build_id)] = {mapping->build_id_size};

	if (mapping->build_id_size) {
		memcpy(identity + 4, mapping->build_id, mapping->build_id_size);
		put_bytes(record, identity, sizeof(identity));
		return;
	}
	put_u32(record, mapping->major);
	put_u32(record, mapping->minor);
	put_u64(record, mapping->inode);
	put_u64(record, 0);
}

int perfdata_write_mmap2(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
			 const struct perfdata_mapping *mapping)
{
	const size_t length = strlen(mapping->path);
	uint16_t misc = stamp->pid < 0 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	struct record record;

	if (length > 4095 || mapping->build_id_size > sizeof(mapping->build_id))
		return writer->error ? writer->error : (writer->error = -EINVAL);
	if (!(mapping->prot & PROT_EXEC))
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	if (mapping->build_id_size) {
		misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		perfdata_writer_build_id(writer, mapping, stamp->pid < 0);
	}
	record_begin(&record, PERF_RECORD_MMAP2, misc);
	put_u32(&record, (uint32_t)stamp->pid);
	put_u32(&record, (uint32_t)stamp->tid);
	put_u64(&record, mapping->address);
	put_u64(&record, mapping->length);
	put_u64(&record, mapping->file_offset);
	put_file_identity(&record, mapping);
	put_u32(&record, mapping->prot);
	put_u32(&record, mapping->flags);
	put_string(&record, mapping->path, length);
	return record_end_stamped(writer, &record, stamp, PERFDATA_EVENT_TRACKING);
}

int perfdata_write_cgroup(struct perfdata_writer *writer, const struct perfdata_cgroup *cgroup)
{
	const struct perfdata_stamp none = {0};
	const size_t length = strlen(cgroup->path);
	struct record record;

	if (length > 4095)
		return writer->error ? writer->error : (writer->error = -EINVAL);
	record_begin(&record, PERF_RECORD_CGROUP, 0);
	put_u64(&record, cgroup->id);
	put_string(&record, cgroup->path, length);
	return record_end_stamped(writer, &record, &none, PERFDATA_EVENT_TRACKING);
}

int perfdata_write_itrace_start(struct perfdata_writer *writer, const struct perfdata_stamp *stamp)
{
	struct record record;

	record_begin(&record, PERF_RECORD_ITRACE_START, 0);
	put_u32(&record, (uint32_t)stamp->pid);
	put_u32(&record, (uint32_t)stamp->tid);
	return record_end_stamped(writer, &record, stamp, PERFDATA_EVENT_TRACE);
}

int perfdata_write_lost(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
			uint64_t count)
{
	struct record record;

	record_begin(&record, PERF_RECORD_LOST, 0);
	/* the identifier of the event whose buffer was full is not known */
	put_u64(&record, 0);
	put_u64(&record, count);
	return record_end_stamped(writer, &record, stamp, PERFDATA_EVENT_TRACKING);
}

int perfdata_write_aux(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
		       uint64_t offset, uint64_t size, uint64_t flags)
{
	struct record record;

	record_begin(&record, PERF_RECORD_AUX, 0);
	put_u64(&record, offset);
	put_u64(&record, size);
	put_u64(&record, flags);
	return record_end_stamped(writer, &record, stamp, PERFDATA_EVENT_TRACE);
}

int perfdata_write_round(struct perfdata_writer *writer)
{
	struct record record;

	record_begin(&record, PERFDATA_RECORD_FINISHED_ROUND, 0);
	return record_end(writer, &record);
}

int perfdata_write_raw(struct perfdata_writer *writer, const void *record, size_t size)
{
	struct perf_event_header header;

	if (size < sizeof(header) || size >= RECORD_MAX || size % 8)
		return writer->error ? writer->error : (writer->error = -EINVAL);
	memcpy(&header, record, sizeof(header));
	if (header.size != size)
		return writer->error ? writer->error : (writer->error = -EINVAL);
	return writer->packer ? perfdata_pack(writer, record, size)
			      : perfdata_put(writer, record, size);
}

/* Remember where an AUXTRACE record is: readers find them by this index. */
static int index_add(struct perfdata_writer *writer)
{
	const struct perfdata_section entry = {writer->at, sizeof(struct perfdata_auxtrace)};

	if (writer->index_count == writer->index_room) {
		size_t room = writer->index_room ? 2 * writer->index_room : 256;
		struct perfdata_section *index = reallocarray(writer->index, room, sizeof(*index));

		if (!index)
			return writer->error = -ENOMEM;
		writer->index = index;
		writer->index_room = room;
	}
	writer->index[writer->index_count++] = entry;
	return 0;
}

int perfdata_write_auxtrace(struct perfdata_writer *writer, const struct perfdata_area *area,
			    uint64_t offset, const void *bytes, size_t size)
{
	return perfdata_write_auxtrace_halves(writer, area, offset, bytes, size, NULL, 0);
}

int perfdata_write_auxtrace_halves(struct perfdata_writer *writer, const struct perfdata_area *area,
				   uint64_t offset, const void *first, size_t first_size,
				   const void *second, size_t second_size)
{
	static const uint8_t zero[8];
	const size_t size = first_size + second_size, padding = (0 - size) & 7;
	const struct perfdata_auxtrace record = {
		.type = PERFDATA_RECORD_AUXTRACE,
		.record_size = sizeof(record),
		.size = size + padding,
		.offset = offset,
		.reference = ++writer->reference,
		.idx = area->idx,
		.tid = (uint32_t)area->tid,
		.cpu = (uint32_t)area->cpu,
	};

	if (perfdata_pack_flush(writer))
		return writer->error;
	if (index_add(writer))
		return writer->error;
	perfdata_put(writer, &record, sizeof(record));
	perfdata_put(writer, first, first_size);
	perfdata_put(writer, second, second_size);
	return perfdata_put(writer, zero, padding);
}

int perfdata_write_session(struct perfdata_writer *writer, const struct perfdata_stamp *stamp,
			   const struct perfdata_area *area, uint64_t offset, const void *bytes,
			   size_t size, uint64_t flags)
{
	const bool overwrite = flags & PERFDATA_AUX_OVERWRITE;

	perfdata_write_aux(writer, stamp, overwrite ? offset + size : offset, size,
			   flags | PERFDATA_AUX_RAW);
	if (!size)
		return writer->error;
	return perfdata_write_auxtrace(writer, area, offset, bytes, size);
}
