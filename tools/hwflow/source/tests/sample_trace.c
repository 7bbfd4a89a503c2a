// SPDX-License-Identifier: GPL-2.0-only
/*
 * sample_trace MODE INPUT OUTPUT FROM-TO... - write a recording of samples that have trace
 * (perf record --aux-sample), of a recording with one thread. For each FROM-TO there is a sample;
 * its trace are these bytes of the first AUX record of INPUT. MODE:
 *
 *	thread	the AUX areas are those of threads
 *	cpu	the AUX areas are those of CPUs
 *	packed	the same, and the samples are compressed
 *	record	in place of samples, there is an AUX record for each FROM-TO
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/perfdata_format.h"
#include "perfdata/perfdata_read.h"
#include "perfdata/perfdata_write.h"
#include "perfdata/tests/sample_record.h"

/* of the trace event, the dummy event and the event that is sampled */
static const uint64_t ids[] = {11, 12, 13};

#define EVENTS (sizeof(ids) / sizeof(ids[0]))

/* Time of the sample of FROM-TO number i; all mappings are before */
#define TIME(i) (1000000 * ((uint64_t)(i) + 1))

/**
 * struct sampled - a recording being written
 * @writer: the recording
 * @info: what INPUT says
 * @session: the first AUX record of INPUT
 * @cycles: attribute of the event that is sampled
 * @by_cpu: the area is a CPU's
 */
struct sampled {
	struct perfdata_writer *writer;
	const struct perfdata_info *info;
	const struct perfdata_session *session;
	struct perf_event_attr cycles;
	bool by_cpu;
};

static int open_writer(struct sampled *sampled, const char *path, bool packed)
{
	static const char *const argv[] = {"perf", "record", "--aux-sample"};
	static const char *const names[EVENTS] = {"cs_etm//u", "dummy:u", "cycles:u"};
	const struct perfdata_info *info = sampled->info;
	struct perfdata_recording recording = {
		.argv = argv,
		.argc = 3,
		.cpus = info->cpus,
		.cpu_count = info->cpu_count,
		.per_cpu = sampled->by_cpu,
		.exclude_kernel = true,
		.clock = info->clock,
		.vdso = info->vdso,
		.vdso_size = info->vdso_size,
		.compression = packed,
	};
	struct perfdata_recorded_event events[EVENTS];
	struct perf_event_attr attrs[EVENTS];

	for (unsigned int i = 0; i < EVENTS; i++) {
		perfdata_writer_attr(&recording, i == 2 ? 1 : i, &attrs[i]);
		events[i] = (struct perfdata_recorded_event){&attrs[i], names[i], &ids[i], 1};
	}
	attrs[2].type = PERF_TYPE_HARDWARE;
	attrs[2].config = PERF_COUNT_HW_CPU_CYCLES;
	/* no PERF_SAMPLE_CPU: the list of identifiers names the CPU */
	attrs[2].sample_type |= PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
				SAMPLE_FIELDS_BEFORE_AUX | PERF_SAMPLE_AUX;
	attrs[2].sample_regs_user = 0x1ffffffff;
	attrs[2].sample_stack_user = 256;
	attrs[2].aux_sample_size = 0xf000;
	sampled->cycles = attrs[2];
	recording.events = events;
	recording.event_count = EVENTS;
	return perfdata_writer_open(&sampled->writer, path, &recording);
}

/* What the process has mapped, and whose area the trace is from */
static int write_process(const struct sampled *sampled)
{
	const struct perfdata_stamp stamp = {1, sampled->session->pid, sampled->session->tid, 0};
	struct sample_record record = {.size = sizeof(struct perf_event_header)};
	struct perf_event_header header = {.type = PERFDATA_RECORD_ID_INDEX};
	const struct perfdata_id_entry entry = {
		.id = ids[2],
		.cpu = sampled->by_cpu ? sampled->info->cpus->cpu : UINT64_MAX,
		.tid = sampled->by_cpu ? UINT64_MAX : (uint32_t)stamp.tid,
	};
	int error;

	sample_put_u64(&record, 1);
	sample_put(&record, &entry, sizeof(entry));
	header.size = (uint16_t)record.size;
	memcpy(record.bytes, &header, sizeof(header));
	error = perfdata_write_raw(sampled->writer, record.bytes, record.size);
	if (!error)
		error = perfdata_write_comm(sampled->writer, &stamp, "program", true);
	for (size_t i = 0; i < sampled->info->event_count && !error; i++) {
		const struct perfdata_event *event = &sampled->info->events[i];

		if (event->kind == PERFDATA_MMAP && event->pid == stamp.pid)
			error = perfdata_write_mmap2(sampled->writer, &stamp, event->u.mapping);
	}
	return error;
}

/* The kernel adds zeros, to make words of the trace. */
static int write_piece(const struct sampled *sampled, size_t i, size_t from, size_t size,
		       bool is_sample)
{
	const struct perfdata_session *session = sampled->session;
	const struct perfdata_area area = {0, session->pid, session->tid, PERFDATA_ANY};
	const struct perfdata_stamp stamp = {TIME(i), session->pid, session->tid, PERFDATA_ANY};
	uint8_t words[SAMPLE_RECORD_MAX] = {0};
	struct sample_values values = {
		.id = ids[2],
		.time = TIME(i),
		.pid = session->pid,
		.tid = session->tid,
		.trace = words,
		.size = (size + 7) & ~(size_t)7,
	};
	struct sample_record record;

	if (!is_sample)
		return perfdata_write_session(sampled->writer, &stamp, &area, from,
					      session->bytes + from, size, 0);
	if (size > 0xf000)
		return -EINVAL;
	memcpy(words, session->bytes + from, size);
	sample_make(&record, &sampled->cycles, &values);
	return perfdata_write_raw(sampled->writer, record.bytes, record.size);
}

static int write_pieces(const struct sampled *sampled, int count, char **ranges, bool is_sample)
{
	int error = write_process(sampled);

	for (int i = 0; i < count && !error; i++) {
		size_t from, to;

		if (sscanf(ranges[i], "%zu-%zu", &from, &to) != 2 || from > to ||
		    to > sampled->session->size)
			return -EINVAL;
		error = write_piece(sampled, (size_t)i, from, to - from, is_sample);
	}
	return error;
}

int main(int argc, char **argv)
{
	char message[PERFDATA_MESSAGE];
	struct sampled sampled = {0};
	struct perfdata *data;
	int error, closed;

	if (argc < 4) {
		fputs("usage: sample_trace MODE INPUT OUTPUT FROM-TO...\n", stderr);
		return 1;
	}
	if (perfdata_open(&data, argv[2], 0, message)) {
		fprintf(stderr, "%s\n", message);
		return 1;
	}
	sampled.info = perfdata_info(data);
	sampled.session = sampled.info->sessions;
	sampled.by_cpu = !strcmp(argv[1], "cpu") || !strcmp(argv[1], "packed");
	error = open_writer(&sampled, argv[3], !strcmp(argv[1], "packed"));
	if (!error) {
		error = write_pieces(&sampled, argc - 4, argv + 4, strcmp(argv[1], "record") != 0);
		closed = perfdata_writer_close(sampled.writer);
		error = error ? error : closed;
	}
	perfdata_close(data);
	if (error)
		fprintf(stderr, "sample_trace: %s: %s\n", argv[3], strerror(-error));
	return error != 0;
}
