/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples with trace, as the kernel lays them out; for tests. perf_output_sample() has the order.
 */
#ifndef HWFLOW_TEST_SAMPLE_RECORD_H
#define HWFLOW_TEST_SAMPLE_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* no record is longer */
#define SAMPLE_RECORD_MAX 65528

/* Fields of variable length have so many items: branches, addresses, values of a group. */
#define SAMPLE_ITEMS UINT64_C(3)

/* attr.branch_sample_type: words of counters follow */
#define SAMPLE_BRANCH_COUNTERS (UINT64_C(1) << 19)

/* All fields between PERF_SAMPLE_RAW and the trace */
#define SAMPLE_FIELDS_BEFORE_AUX                                                     \
	(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | \
	 PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |       \
	 PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |        \
	 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)

/* SAMPLE_CGROUP - number of the cgroup in each sample that has one */
#define SAMPLE_CGROUP 42

/**
 * struct sample_values - what a sample says
 * @id: of its event
 * @time: nanoseconds
 * @pid: process
 * @tid: thread
 * @cpu: CPU
 * @no_branches: the kernel had no list of branches
 * @trace: the trace
 * @size: bytes of it
 */
struct sample_values {
	uint64_t id;
	uint64_t time;
	int32_t pid;
	int32_t tid;
	uint32_t cpu;
	bool no_branches;
	const uint8_t *trace;
	size_t size;
};

/* struct sample_record - a record being made */
struct sample_record {
	uint8_t bytes[SAMPLE_RECORD_MAX];
	size_t size;
};

static inline void sample_put(struct sample_record *record, const void *bytes, size_t size)
{
	if (size > sizeof(record->bytes) - record->size)
		size = sizeof(record->bytes) - record->size;
	if (size)
		memcpy(record->bytes + record->size, bytes, size);
	record->size += size;
}

static inline void sample_put_u64(struct sample_record *record, uint64_t value)
{
	sample_put(record, &value, sizeof(value));
}

/* Words that are no plausible sizes, each another one */
static inline void sample_put_words(struct sample_record *record, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		sample_put_u64(record, UINT64_C(0xfedc000000000000) + record->size);
}

static inline void sample_put_ids(struct sample_record *record, const struct perf_event_attr *attr,
				  const struct sample_values *values)
{
	const uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		sample_put_u64(record, values->id);
	if (type & PERF_SAMPLE_IP)
		sample_put_words(record, 1);
	if (type & PERF_SAMPLE_TID)
		sample_put_u64(record,
			       (uint64_t)(uint32_t)values->tid << 32 | (uint32_t)values->pid);
	if (type & PERF_SAMPLE_TIME)
		sample_put_u64(record, values->time);
	if (type & PERF_SAMPLE_ADDR)
		sample_put_words(record, 1);
	if (type & PERF_SAMPLE_ID)
		sample_put_u64(record, values->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		sample_put_words(record, 1);
	if (type & PERF_SAMPLE_CPU)
		sample_put_u64(record, values->cpu);
	if (type & PERF_SAMPLE_PERIOD)
		sample_put_words(record, 1);
}

static inline void sample_put_read(struct sample_record *record, uint64_t format)
{
	const uint64_t times = (format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 1u : 0) +
			       (format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 1u : 0);
	const uint64_t each =
		1 + (format & PERF_FORMAT_ID ? 1u : 0) + (format & PERF_FORMAT_LOST ? 1u : 0);

	if (format & PERF_FORMAT_GROUP)
		sample_put_u64(record, SAMPLE_ITEMS);
	sample_put_words(record, times + (format & PERF_FORMAT_GROUP ? SAMPLE_ITEMS : 1) * each);
}

static inline void sample_put_branches(struct sample_record *record, uint64_t type,
				       bool no_branches)
{
	sample_put_u64(record, no_branches ? 0 : SAMPLE_ITEMS);
	if (no_branches)
		return;
	if (type & PERF_SAMPLE_BRANCH_HW_INDEX)
		sample_put_words(record, 1);
	sample_put_words(record, 3 * SAMPLE_ITEMS);
	if (type & SAMPLE_BRANCH_COUNTERS)
		sample_put_words(record, SAMPLE_ITEMS);
}

/* Registers of 64-bit code, or none (a kernel thread has no user registers) */
static inline void sample_put_registers(struct sample_record *record, uint64_t mask)
{
	sample_put_u64(record, mask ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE);
	for (uint64_t left = mask; left; left &= left - 1)
		sample_put_words(record, 1);
}

static inline void sample_put_lists(struct sample_record *record,
				    const struct perf_event_attr *attr,
				    const struct sample_values *values)
{
	const uint32_t raw[4] = {12, 0x11111111, 0x22222222, 0x33333333};
	const uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_READ)
		sample_put_read(record, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		sample_put_u64(record, SAMPLE_ITEMS);
		sample_put_words(record, SAMPLE_ITEMS);
	}
	if (type & PERF_SAMPLE_RAW)
		sample_put(record, raw, sizeof(raw));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		sample_put_branches(record, attr->branch_sample_type, values->no_branches);
	if (type & PERF_SAMPLE_REGS_USER)
		sample_put_registers(record, attr->sample_regs_user);
	if (type & PERF_SAMPLE_STACK_USER) {
		sample_put_u64(record, attr->sample_stack_user);
		sample_put_words(record, attr->sample_stack_user / 8);
		if (attr->sample_stack_user)
			sample_put_u64(record, 8);
	}
}

/**
 * sample_make() - a sample
 * @record: receives it
 * @attr: attribute of its event
 * @values: what it says
 */
static inline void sample_make(struct sample_record *record, const struct perf_event_attr *attr,
			       const struct sample_values *values)
{
	struct perf_event_header header = {.type = PERF_RECORD_SAMPLE};
	const uint64_t first[] = {PERF_SAMPLE_DATA_SRC, PERF_SAMPLE_TRANSACTION};
	const uint64_t last[] = {PERF_SAMPLE_DATA_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE};
	const uint64_t type = attr->sample_type;

	record->size = 0;
	sample_put(record, &header, sizeof(header));
	sample_put_ids(record, attr, values);
	sample_put_lists(record, attr, values);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		sample_put_words(record, 1);
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		sample_put_words(record, type & first[i] ? 1 : 0);
	if (type & PERF_SAMPLE_REGS_INTR)
		sample_put_registers(record, attr->sample_regs_intr);
	sample_put_words(record, type & PERF_SAMPLE_PHYS_ADDR ? 1 : 0);
	if (type & PERF_SAMPLE_CGROUP)
		sample_put_u64(record, SAMPLE_CGROUP);
	for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++)
		sample_put_words(record, type & last[i] ? 1 : 0);
	if (type & PERF_SAMPLE_AUX) {
		sample_put_u64(record, values->size);
		sample_put(record, values->trace, values->size);
	}
	header.size = (uint16_t)record->size;
	memcpy(record->bytes, &header, sizeof(header));
}

#endif /* HWFLOW_TEST_SAMPLE_RECORD_H */
