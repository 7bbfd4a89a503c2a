// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording of this program, what is in it, and code to be recorded.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trace.h"

#define PATIENCE_S 20

extern const char __ehdr_start[];
static struct record_pmu pmu;
static pthread_once_t pmu_once = PTHREAD_ONCE_INIT;
static int pmu_error;
static volatile uint64_t sink;

static void make_config(struct record_config *config, const struct perf_event_attr *attr)
{
	*config = (struct record_config){
		.pmu = &pmu,
		.config = attr->config,
		.config1 = attr->config1,
		.config2 = attr->config2,
		.watermark = attr->aux_watermark,
		.kernel = !attr->exclude_kernel,
		.no_user = attr->exclude_user,
		.inherit = attr->inherit,
		.on_exec = attr->enable_on_exec,
	};
	memcpy(&config->action, (const char *)attr + RECORD_ATTR_ACTION, sizeof(config->action));
}

static void find_pmu(void)
{
	pmu_error = record_find_pmu(&pmu, NULL);
}

/**
 * trace_open() - open an event, which is disabled, and map its rings
 * @trace: written
 * @attr: the event's attributes: config, config1, config2, aux_watermark, exclude_kernel,
 *	exclude_user, inherit, enable_on_exec, aux_action
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
	struct record_config config;
	int err;

	memset(trace, 0, sizeof(*trace));
	pthread_once(&pmu_once, find_pmu);
	if (pmu_error)
		return -pmu_error;
	make_config(&config, attr);
	config.pid = pid;
	config.cpu = cpu;
	config.aux_pages = (unsigned int)(aux_size / (size_t)getpagesize());
	config.snapshot = snapshot;
	err = record_open(&trace->rec, &config);
	trace->open = !err;
	return -err;
}

/**
 * trace_close() - close the event and free what was recorded
 * @trace: as opened, or closed before
 */
void trace_close(struct trace *trace)
{
	if (!trace->open)
		return;
	decode_free(&trace->decode);
	record_close(&trace->rec);
	trace->open = false;
}

/**
 * trace_enable() - enable the event
 * @trace: the event
 *
 * Return: 0 or a negative errno.
 */
int trace_enable(struct trace *trace)
{
	return record_enable(&trace->rec);
}

/**
 * trace_disable() - disable the event; its last AUX record is written
 * @trace: the event
 *
 * Return: 0 or a negative errno.
 */
int trace_disable(struct trace *trace)
{
	return record_disable(&trace->rec);
}

static bool begins_with_sync(const struct trace *trace, const struct record_part *part)
{
	return !memcmp(trace->rec.bytes + part->at, record_sync, RECORD_SYNC_BYTES);
}

static void see_part(struct trace *trace, size_t n)
{
	const struct record_part *part = &trace->rec.parts[n];

	trace->bytes += part->size;
	trace->flags |= part->flags;
	if (trace->rec.config.snapshot)
		return;
	if (part->size >= RECORD_SYNC_BYTES && !begins_with_sync(trace, part))
		trace->unsynchronised++;
	if (n && part->offset < part[-1].offset + part[-1].size)
		trace->jumps++;
}

/**
 * trace_count_synchronisations() - number of alignment synchronisation packets in what was collected
 * @trace: the event
 *
 * Return: the number.
 */
size_t trace_count_synchronisations(const struct trace *trace)
{
	const uint8_t *at = trace->rec.bytes, *end = at + trace->rec.length;
	size_t count = 0;

	for (; (at = memmem(at, (size_t)(end - at), record_sync, RECORD_SYNC_BYTES)); at += RECORD_SYNC_BYTES)
		count++;
	return count;
}

/**
 * trace_head() - where the next AUX record begins
 * @trace: the event
 *
 * Return: bytes of the AUX area that were used so far, padding included.
 */
uint64_t trace_head(const struct trace *trace)
{
	return __atomic_load_n(&trace->rec.page->aux_head, __ATOMIC_ACQUIRE);
}

/**
 * trace_collect() - read all records that are there, and make room
 * @trace: the event
 *
 * Return: bytes of the AUX records that were read.
 */
uint64_t trace_collect(struct trace *trace)
{
	const uint64_t before = trace->bytes;

	record_collect(&trace->rec);
	while (trace->seen < trace->rec.part_count)
		see_part(trace, trace->seen++);
	return trace->bytes - before;
}

/**
 * trace_decode() - decode all that was collected, with the code of this program
 * @trace: the event; a snapshot's trace is copied from its AUX area
 *
 * Return: 0, or the error of the decoder. Gaps are no error; see trace_first_gap().
 */
int trace_decode(struct trace *trace)
{
	int err;

	decode_free(&trace->decode);
	decode_init(&trace->decode);
	if (trace->rec.config.snapshot) {
		err = record_snapshot(&trace->rec);
		if (err)
			return err;
	}
	err = trace->rec.error;
	if (!err)
		err = decode_add_self(&trace->decode);
	return err ? err : decode_record(&trace->decode, &trace->rec);
}

/**
 * trace_first_gap() - the first gap of what was decoded
 * @trace: after trace_decode()
 *
 * Return: its text, "" if there is none.
 */
const char *trace_first_gap(const struct trace *trace)
{
	static char text[160];
	size_t i;

	text[0] = '\0';
	for (i = 0; i < trace->decode.count; i++)
		if (trace->decode.items[i].kind == DECODE_GAP)
			return decode_item_text(&trace->decode.items[i], text, sizeof(text));
	return text;
}

/**
 * trace_executions() - number of times that an instruction was executed
 * @trace: after trace_decode()
 * @at: the instruction
 *
 * Return: the number.
 */
uint64_t trace_executions(const struct trace *trace, const void *at)
{
	const uint64_t address = (uintptr_t)at;
	uint64_t executions = 0;
	size_t i;

	for (i = 0; i < trace->decode.count; i++) {
		const struct decode_item *item = &trace->decode.items[i];

		executions += item->kind == DECODE_RANGE && item->start <= address &&
			      address < item->end;
	}
	return executions;
}

/* A global label of an instruction that stays in its place, and exists once */
#define STEP(name) __asm__ volatile(".globl " name "\n" name ":\n\tnop")

uint64_t spin_steps;

/**
 * spin() - execute branches that depend on a sequence of numbers
 * @steps: length of the sequence; a step is some ten instructions and one bit or more of trace
 */
__attribute__((noinline, noclone)) void spin(unsigned int steps)
{
	static uint64_t state = 1;

	spin_steps += steps;
	while (steps--) {
		STEP("spin_step");
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
__attribute__((noinline, noclone)) void spin_elsewhere(unsigned int steps)
{
	uint64_t state = steps;

	while (steps--) {
		STEP("spin_elsewhere_step");
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
