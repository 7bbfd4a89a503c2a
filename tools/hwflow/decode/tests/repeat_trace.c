// SPDX-License-Identifier: GPL-2.0-only
/*
 * repeat_trace INPUT OUTPUT THREADS RECORDS - write a recording of THREADS threads of the process
 * that INPUT recorded. It has RECORDS AUX records, in turns of each thread, and each of them has
 * the trace of the first AUX record of INPUT.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "perfdata/perfdata_read.h"
#include "perfdata/perfdata_write.h"

/**
 * struct repeat - a recording being written
 * @writer: the recording
 * @info: what INPUT says
 * @session: the first AUX record of INPUT
 * @threads: number of threads
 */
struct repeat {
	struct perfdata_writer *writer;
	const struct perfdata_info *info;
	const struct perfdata_session *session;
	uint64_t threads;
};

static struct perfdata_stamp stamp_of(const struct repeat *repeat, uint64_t time, uint64_t thread)
{
	return (struct perfdata_stamp){time, repeat->session->pid,
				       repeat->session->tid + (int32_t)thread, PERFDATA_ANY};
}

/* The names of the threads, and what the process has mapped */
static int write_process(const struct repeat *repeat)
{
	const struct perfdata_stamp stamp = stamp_of(repeat, 1, 0);
	int error = 0;

	for (size_t i = 0; i < repeat->info->event_count && !error; i++) {
		const struct perfdata_event *event = &repeat->info->events[i];

		if (event->kind == PERFDATA_MMAP && event->pid == stamp.pid)
			error = perfdata_write_mmap2(repeat->writer, &stamp, event->u.mapping);
	}
	for (uint64_t i = 1; i < repeat->threads && !error; i++) {
		const struct perfdata_stamp thread = stamp_of(repeat, 2, i);

		error = perfdata_write_fork(repeat->writer, &thread, stamp.pid, stamp.tid);
	}
	return error;
}

static int write_records(const struct repeat *repeat, uint64_t records)
{
	const struct perfdata_session *session = repeat->session;
	int error = 0;

	for (uint64_t i = 0; i < records && !error; i++) {
		const uint64_t thread = i % repeat->threads;
		const struct perfdata_stamp stamp = stamp_of(repeat, 1000 * i + 1000, thread);
		const struct perfdata_area area = {(uint32_t)thread, stamp.pid, stamp.tid,
						   PERFDATA_ANY};

		error = perfdata_write_session(repeat->writer, &stamp, &area,
					       i / repeat->threads * session->size, session->bytes,
					       session->size, 0);
	}
	return error;
}

static int write_all(const struct perfdata_info *info, const char *path, uint64_t threads,
		     uint64_t records)
{
	static const char *const argv[] = {"repeat_trace"};
	const struct perfdata_recording recording = {
		.argv = argv,
		.argc = 1,
		.cpus = info->cpus,
		.cpu_count = info->cpu_count,
		.exclude_kernel = true,
		.clock = info->clock,
		.vdso = info->vdso,
		.vdso_size = info->vdso_size,
	};
	struct repeat repeat = {.info = info, .session = info->sessions, .threads = threads};
	int error = perfdata_writer_open(&repeat.writer, path, &recording);
	int closed;

	if (error)
		return error;
	error = write_process(&repeat);
	if (!error)
		error = write_records(&repeat, records);
	closed = perfdata_writer_close(repeat.writer);
	return error ? error : closed;
}

int main(int argc, char **argv)
{
	char message[PERFDATA_MESSAGE];
	const struct perfdata_info *info;
	struct perfdata *data;
	int error = -1;

	if (argc != 5 || !strtoull(argv[3], NULL, 10)) {
		fputs("usage: repeat_trace INPUT OUTPUT THREADS RECORDS\n", stderr);
		return 1;
	}
	if (perfdata_open(&data, argv[1], 0, message)) {
		fprintf(stderr, "%s\n", message);
		return 1;
	}
	info = perfdata_info(data);
	if (info->session_count && info->sessions->bytes)
		error = write_all(info, argv[2], strtoull(argv[3], NULL, 10),
				  strtoull(argv[4], NULL, 10));
	perfdata_close(data);
	if (error)
		fprintf(stderr, "%s: cannot be written\n", argv[2]);
	return error != 0;
}
