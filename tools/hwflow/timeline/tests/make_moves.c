// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_moves INPUT OUTPUT OFFSET:TIME... - write a recording of two CPUs, of one of a thread, which
 * moves from one CPU to the other. The trace of the first AUX record of INPUT, up to each OFFSET,
 * is that of CPU 0, of CPU 1, and so on, in turn; at TIME, in nanoseconds of the perf clock, the
 * thread is switched out and in.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/perfdata_read.h"
#include "perfdata/perfdata_write.h"

#define CPUS 2u

/**
 * struct moves - a recording being written
 * @writer: the recording
 * @info: what INPUT says
 * @session: its first AUX record
 * @sample_type: of the event that has records of switches
 * @written: bytes of trace that each CPU has
 */
struct moves {
	struct perfdata_writer *writer;
	const struct perfdata_info *info;
	const struct perfdata_session *session;
	uint64_t sample_type;
	uint64_t written[CPUS];
};

static int open_writer(struct moves *moves, const char *path)
{
	static const char *const argv[] = {"perf", "record", "-a"};
	struct perfdata_cpu cpus[CPUS] = {moves->info->cpus[0], moves->info->cpus[0]};
	struct perfdata_recording recording = {
		.argv = argv,
		.argc = 3,
		.cpus = cpus,
		.cpu_count = CPUS,
		.per_cpu = true,
		.exclude_kernel = true,
		.clock = moves->info->clock,
		.vdso = moves->info->vdso,
		.vdso_size = moves->info->vdso_size,
	};
	struct perf_event_attr attr;

	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		cpus[cpu].cpu = cpu;
	perfdata_writer_attr(&recording, PERFDATA_EVENT_TRACKING, &attr);
	moves->sample_type = attr.sample_type;
	return perfdata_writer_open(&moves->writer, path, &recording);
}

static int write_process(const struct moves *moves)
{
	const struct perfdata_stamp stamp = {0, moves->session->pid, moves->session->tid, 0};
	int error = perfdata_write_comm(moves->writer, &stamp, "program", true);

	for (size_t i = 0; i < moves->info->event_count && !error; i++) {
		const struct perfdata_event *event = &moves->info->events[i];

		if (event->kind == PERFDATA_MMAP && event->pid == stamp.pid)
			error = perfdata_write_mmap2(moves->writer, &stamp, event->u.mapping);
	}
	return error;
}

/* A record of PERF_RECORD_SWITCH, with the fields of sample_id_all in the kernel's order */
static int write_switch(const struct moves *moves, uint64_t time, uint32_t cpu, bool out)
{
	struct {
		struct perf_event_header header;
		uint64_t words[6];
	} record = {.header.type = PERF_RECORD_SWITCH,
		    .header.misc = out ? PERF_RECORD_MISC_SWITCH_OUT : 0};
	const uint64_t ids = (uint32_t)moves->session->pid | (uint64_t)(uint32_t)moves->session->tid
								     << 32;
	size_t count = 0;

	if (moves->sample_type & PERF_SAMPLE_TID)
		record.words[count++] = ids;
	if (moves->sample_type & PERF_SAMPLE_TIME)
		record.words[count++] = time;
	if (moves->sample_type & PERF_SAMPLE_CPU)
		record.words[count++] = cpu;
	if (moves->sample_type & PERF_SAMPLE_IDENTIFIER)
		record.words[count++] = 0;
	record.header.size = (uint16_t)(sizeof(record.header) + count * sizeof(*record.words));
	return perfdata_write_raw(moves->writer, &record, record.header.size);
}

static int write_piece(struct moves *moves, uint64_t from, uint64_t to, uint64_t time, uint32_t cpu)
{
	const struct perfdata_area area = {cpu, PERFDATA_ANY, PERFDATA_ANY, (int32_t)cpu};
	const struct perfdata_stamp stamp = {time, moves->session->pid, moves->session->tid,
					     (int32_t)cpu};
	const uint64_t at = moves->written[cpu];

	moves->written[cpu] += to - from;
	return perfdata_write_session(moves->writer, &stamp, &area, at,
				      moves->session->bytes + from, to - from, 0);
}

static int write_moves(struct moves *moves, int count, char **places)
{
	int error = write_process(moves);
	uint64_t from = 0;

	for (int i = 0; i < count && !error; i++) {
		const uint32_t cpu = (uint32_t)i % CPUS;
		uint64_t to, time;

		if (sscanf(places[i], "%" SCNu64 ":%" SCNu64, &to, &time) != 2 || to < from ||
		    to > moves->session->size)
			return -EINVAL;
		error = write_piece(moves, from, to, time, cpu);
		if (!error)
			error = write_switch(moves, time, cpu, true);
		if (!error && i + 1 < count)
			error = write_switch(moves, time + 1, !cpu, false);
		from = to;
	}
	return error;
}

int main(int argc, char **argv)
{
	char message[PERFDATA_MESSAGE];
	struct moves moves = {0};
	struct perfdata *data;
	int error, closed;

	if (argc < 4) {
		fputs("usage: make_moves INPUT OUTPUT OFFSET:TIME...\n", stderr);
		return 1;
	}
	if (perfdata_open(&data, argv[1], 0, message)) {
		fprintf(stderr, "%s\n", message);
		return 1;
	}
	moves.info = perfdata_info(data);
	moves.session = moves.info->sessions;
	error = open_writer(&moves, argv[2]);
	if (!error) {
		error = write_moves(&moves, argc - 3, argv + 3);
		closed = perfdata_writer_close(moves.writer);
		error = error ? error : closed;
	}
	perfdata_close(data);
	if (error)
		fprintf(stderr, "make_moves: %s: %s\n", argv[2], strerror(-error));
	return error != 0;
}
