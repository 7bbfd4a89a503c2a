// SPDX-License-Identifier: GPL-2.0-only
/* Events, rings, AUX areas. record_pmu.c has the PMU, record_run.c threads and programs. */
#include "record.h"

#include <errno.h>
#include <linux/arm_ete_pmu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_PAGES 64
#define AUX_PAGES 256

const uint8_t record_sync[RECORD_SYNC_BYTES] = { [RECORD_SYNC_BYTES - 1] = 0x80 };

/* struct sample_id of the sample_type in record_attr(): pid and tid, time, cpu */
#define SAMPLE_ID_WORDS 3

void record_attr(const struct record_config *config, union record_attr *result)
{
	struct perf_event_attr *attr = &result->attr;

	memset(result, 0, sizeof(*result));
	attr->type = config->pmu->type;
	/* kernels before 6.3 refuse a larger structure unless its other members are 0 */
	attr->size = config->config3 ? (RECORD_ATTR_CONFIG3 + 1) * sizeof(uint64_t) :
				       PERF_ATTR_SIZE_VER7;
	result->words[RECORD_ATTR_CONFIG3] = config->config3;
	attr->config = config->config;
	attr->config1 = config->config1;
	attr->config2 = config->config2;
	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	attr->sample_id_all = 1;
	attr->disabled = 1;
	attr->enable_on_exec = config->on_exec;
	attr->exclude_kernel = !config->kernel;
	attr->exclude_user = config->no_user;
	attr->exclude_hv = 1;
	attr->inherit = config->inherit;
	attr->aux_watermark = config->watermark;
	memcpy((char *)attr + RECORD_ATTR_ACTION, &config->action, sizeof(config->action));
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
}

static int map_areas(struct record *record)
{
	const size_t page_size = (size_t)getpagesize();
	const size_t ring_size = (1 + (size_t)record->config.ring_pages) * page_size;
	const int aux_prot = record->config.snapshot ? PROT_READ : PROT_READ | PROT_WRITE;
	void *map;

	map = mmap(NULL, ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, record->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	record->page = map;
	record->data = (uint8_t *)map + record->page->data_offset;
	record->aux_size = record->config.aux_pages * page_size;
	record->page->aux_offset = ring_size;
	record->page->aux_size = record->aux_size;
	map = mmap(NULL, record->aux_size, aux_prot, MAP_SHARED, record->fd, (off_t)ring_size);
	if (map == MAP_FAILED)
		return -errno;
	record->aux = map;
	return 0;
}

int record_open(struct record *record, const struct record_config *config)
{
	union record_attr attr;
	int error = 0;

	memset(record, 0, sizeof(*record));
	record->config = *config;
	if (!record->config.ring_pages)
		record->config.ring_pages = RING_PAGES;
	if (!record->config.aux_pages)
		record->config.aux_pages = AUX_PAGES;
	record_attr(config, &attr);
	record->fd = (int)syscall(SYS_perf_event_open, &attr, config->pid, config->cpu, -1,
				  PERF_FLAG_FD_CLOEXEC);
	if (record->fd < 0)
		return -errno;
	if (config->filter && ioctl(record->fd, PERF_EVENT_IOC_SET_FILTER, config->filter))
		error = -errno;
	if (!error)
		error = map_areas(record);
	if (error)
		record_close(record);
	return error;
}

int record_enable(struct record *record)
{
	return ioctl(record->fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

int record_disable(struct record *record)
{
	return ioctl(record->fd, PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

/* Copy @size bytes from position @from of a ring of @ring_size bytes */
static void copy_from_ring(void *to, const uint8_t *ring, size_t ring_size, uint64_t from,
			   size_t size)
{
	const size_t at = (size_t)(from % ring_size);
	const size_t first = size < ring_size - at ? size : ring_size - at;

	memcpy(to, ring + at, first);
	memcpy((uint8_t *)to + first, ring, size - first);
}

/* Append @size bytes of the AUX area from position @from */
static int copy_trace(struct record *record, uint64_t from, size_t size)
{
	uint8_t *bytes;

	if (size > record->aux_size)
		return -EOVERFLOW;
	bytes = realloc(record->bytes, record->length + size + 1);
	if (!bytes)
		return -ENOMEM;
	record->bytes = bytes;
	copy_from_ring(bytes + record->length, record->aux, record->aux_size, from, size);
	record->length += size;
	return 0;
}

static struct record_part *new_part(struct record *record)
{
	const size_t size = (record->part_count + 1) * sizeof(*record->parts);
	struct record_part *parts = realloc(record->parts, size);

	if (!parts)
		return NULL;
	record->parts = parts;
	return &parts[record->part_count++];
}

/* Count what is no padding between the end of the AUX record before and the beginning of this one */
static void check_padding(struct record *record, const struct record_part *part)
{
	const struct record_part *before = part - 1;
	uint64_t at;

	if (record->part_count < 2)
		return;
	for (at = before->offset + before->size; at < part->offset; at++)
		record->unpadded += record->aux[at % record->aux_size] != ARM_ETE_PMU_PADDING;
}

static int add_part(struct record *record, const uint64_t *words, const uint64_t *id)
{
	struct record_part *part = new_part(record);

	if (!part)
		return -ENOMEM;
	*part = (struct record_part){
		.offset = words[0],
		.size = words[1],
		.flags = words[2],
		.at = record->length,
		.tid = (pid_t)(id[0] >> 32),
		.time = id[1],
		.cpu = (int)(uint32_t)id[2],
	};
	if (record->config.snapshot)
		return 0;
	check_padding(record, part);
	return copy_trace(record, part->offset, (size_t)part->size);
}

/* The members of PERF_RECORD_MMAP2, _COMM, _FORK, _EXIT and _ITRACE_START; see perf_event.h */
static int add_side(struct record *record, const struct perf_event_header *header,
		    const uint64_t *words, const uint64_t *id)
{
	const size_t size = (record->side_count + 1) * sizeof(*record->sides);
	struct record_side *side = realloc(record->sides, size);
	const char *name = NULL;

	if (!side)
		return -ENOMEM;
	record->sides = side;
	side += record->side_count++;
	*side = (struct record_side){
		.type = header->type,
		.misc = header->misc,
		.pid = (pid_t)(uint32_t)words[0],
		.tid = (pid_t)(words[0] >> 32),
		.time = id[1],
	};
	if (header->type == PERF_RECORD_MMAP2) {
		side->address = words[1];
		side->size = words[2];
		side->page_offset = words[3];
		side->prot = (uint32_t)words[7];
		name = (const char *)&words[8];
	} else if (header->type == PERF_RECORD_FORK || header->type == PERF_RECORD_EXIT) {
		/* pid, ppid, tid, ptid */
		side->tid = (pid_t)(uint32_t)words[1];
	} else if (header->type == PERF_RECORD_COMM) {
		name = (const char *)&words[1];
	}
	if (name)
		snprintf(side->name, sizeof(side->name), "%.63s", name);
	return 0;
}

static int add_record(struct record *record, const struct perf_event_header *header,
		      const uint64_t *words, const uint64_t *id)
{
	switch (header->type) {
	case PERF_RECORD_AUX:
		return add_part(record, words, id);
	case PERF_RECORD_LOST:
		record->lost += words[1];
		return 0;
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_ITRACE_START:
		return add_side(record, header, words, id);
	default:
		return 0;
	}
}

/* Read the records from data_tail to data_head */
static int read_ring(struct record *record)
{
	struct perf_event_mmap_page *page = record->page;
	const uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	const size_t size = (size_t)page->data_size;
	uint64_t tail = page->data_tail;
	int error = 0;

	while (tail < head && !error) {
		struct perf_event_header header;
		uint64_t words[(UINT16_MAX + 1) / sizeof(uint64_t)];
		size_t count;

		copy_from_ring(&header, record->data, size, tail, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - tail)
			return -EPROTO;
		copy_from_ring(words, record->data, size, tail, header.size);
		count = header.size / sizeof(uint64_t);
		if (count < 1 + SAMPLE_ID_WORDS)
			return -EPROTO;
		error = add_record(record, &header, words + 1, words + count - SAMPLE_ID_WORDS);
		tail += header.size;
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
	return error;
}

int record_collect(struct record *record)
{
	struct perf_event_mmap_page *page = record->page;
	size_t before = record->part_count;
	int error = read_ring(record);

	if (error && !record->error)
		record->error = error;
	if (!record->config.snapshot && record->part_count > before) {
		const struct record_part *last = &record->parts[record->part_count - 1];

		__atomic_store_n(&page->aux_tail, last->offset + last->size, __ATOMIC_RELEASE);
	}
	return record->error;
}

/*
 * Whether the AUX records of our driver fit what is in the AUX area. In snapshot mode a record has the position of its
 * end. Each begins with an alignment synchronisation packet, behind the one before or padding: of up to a page,
 * and where errata keep a page free behind the trace buffer, and bytes at its base, of less than three.
 */
static bool check_snapshot(const struct record *record, uint64_t head, bool wrapped)
{
	const struct record_part *last = &record->parts[record->part_count - 1];
	uint8_t bytes[RECORD_SYNC_BYTES];

	for (const struct record_part *part = record->parts + 1; part <= last; part++)
		if (part->offset < part->size + part[-1].offset ||
		    part->offset - part->size - part[-1].offset >= 3 * (uint64_t)getpagesize())
			return false;
	if (last->offset != head || (head > record->aux_size && !wrapped))
		return false;
	if (last->size < RECORD_SYNC_BYTES || last->size > record->aux_size)
		return true;
	copy_from_ring(bytes, record->aux, record->aux_size, last->offset - last->size, RECORD_SYNC_BYTES);
	return !memcmp(bytes, record_sync, RECORD_SYNC_BYTES);
}

int record_snapshot(struct record *record)
{
	const uint64_t head = __atomic_load_n(&record->page->aux_head, __ATOMIC_ACQUIRE);
	const size_t at = (size_t)(head % record->aux_size);
	struct record_part part = { .flags = PERF_AUX_FLAG_OVERWRITE };
	bool wrapped = false;
	int error;

	error = record_collect(record);
	if (error)
		return error;
	/* the kernel clears the area when it is mapped, and no packet is all zeros */
	for (size_t i = at; i < record->aux_size && !wrapped; i++)
		wrapped = record->aux[i];
	part.size = wrapped ? record->aux_size : at;
	part.offset = wrapped ? at : 0;
	if (!record->config.pmu->in_tree && record->part_count &&
	    !check_snapshot(record, head, wrapped))
		return -ERANGE;
	if (record->part_count) {
		part.cpu = record->parts[record->part_count - 1].cpu;
		part.flags = record_flags(record);
	}
	record->part_count = 0;
	record->length = 0;
	if (!new_part(record))
		return -ENOMEM;
	record->parts[0] = part;
	return copy_trace(record, part.offset, (size_t)part.size);
}

uint64_t record_flags(const struct record *record)
{
	uint64_t flags = 0;

	for (size_t i = 0; i < record->part_count; i++)
		flags |= record->parts[i].flags;
	return flags;
}

void record_close(struct record *record)
{
	if (record->aux)
		munmap(record->aux, record->aux_size);
	if (record->page)
		munmap(record->page, (1 + (size_t)record->config.ring_pages) * (size_t)getpagesize());
	if (record->fd >= 0)
		close(record->fd);
	free(record->bytes);
	free(record->parts);
	free(record->sides);
	memset(record, 0, sizeof(*record));
	record->fd = -1;
}
