// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_unsynced INPUT OUTPUT PIECES BYTES - write a recording of the process that INPUT recorded,
 * with an AUX record for each letter of PIECES: g has the trace of the first AUX record of INPUT, t
 * its first 8 bytes, n BYTES bytes of packets without synchronisation, a an Alignment
 * Synchronisation packet and an Atom packet, p padding, e no trace.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/perfdata_read.h"
#include "perfdata/perfdata_write.h"

/* An Event packet of ETE; any other byte that is neither 0 nor 0x80 would do */
#define NOISE 0x71

/* An Ignore packet of ETE, which fills what has no trace */
#define PADDING 0x70

/* Bytes of t */
#define TINY 8u

/**
 * struct unsynced - a recording being written
 * @writer: the recording
 * @session: the first AUX record of INPUT
 * @noise: bytes of n
 * @noise_size: how many
 * @written: bytes of trace so far
 */
struct unsynced {
	struct perfdata_writer *writer;
	const struct perfdata_session *session;
	uint8_t *noise;
	size_t noise_size;
	uint64_t written;
};

static int write_process(const struct unsynced *unsynced, const struct perfdata_info *info)
{
	const struct perfdata_stamp stamp = {1, unsynced->session->pid, unsynced->session->tid,
					     PERFDATA_ANY};
	int error = 0;

	for (size_t i = 0; i < info->event_count && !error; i++) {
		const struct perfdata_event *event = &info->events[i];

		if (event->kind == PERFDATA_MMAP && event->pid == stamp.pid)
			error = perfdata_write_mmap2(unsynced->writer, &stamp, event->u.mapping);
	}
	return error;
}

static int write_piece(struct unsynced *unsynced, char piece, uint64_t number)
{
	static const uint8_t alignment[13] = {[11] = 0x80, [12] = 0xf7};
	static uint8_t padding[64];
	const struct perfdata_session *session = unsynced->session;
	const struct perfdata_stamp stamp = {1000 * number + 1000, session->pid, session->tid,
					     PERFDATA_ANY};
	const struct perfdata_area area = {0, session->pid, session->tid, PERFDATA_ANY};
	const uint8_t *bytes = session->bytes;
	size_t size = piece == 'g' ? session->size : piece == 't' ? TINY : 0;
	int error;

	if (piece == 'n') {
		bytes = unsynced->noise;
		size = unsynced->noise_size;
	} else if (piece == 'a') {
		bytes = alignment;
		size = sizeof(alignment);
	} else if (piece == 'p') {
		memset(padding, PADDING, sizeof(padding));
		bytes = padding;
		size = sizeof(padding);
	}
	error = perfdata_write_session(unsynced->writer, &stamp, &area, unsynced->written, bytes,
				       size, 0);
	unsynced->written += size;
	return error;
}

static int write_all(const struct perfdata_info *info, const char *path, const char *pieces,
		     size_t noise_size)
{
	static const char *const argv[] = {"make_unsynced"};
	const struct perfdata_recording recording = {
		.argv = argv,
		.argc = 1,
		.cpus = info->cpus,
		.cpu_count = info->cpu_count,
		.exclude_kernel = true,
		.clock = info->clock,
	};
	struct unsynced unsynced = {.session = info->sessions, .noise_size = noise_size};
	int error = perfdata_writer_open(&unsynced.writer, path, &recording);
	int closed;

	if (error)
		return error;
	unsynced.noise = malloc(noise_size + 1);
	error = unsynced.noise ? write_process(&unsynced, info) : -ENOMEM;
	if (unsynced.noise)
		memset(unsynced.noise, NOISE, noise_size);
	for (uint64_t i = 0; pieces[i] && !error; i++)
		error = write_piece(&unsynced, pieces[i], i);
	free(unsynced.noise);
	closed = perfdata_writer_close(unsynced.writer);
	return error ? error : closed;
}

int main(int argc, char **argv)
{
	char message[PERFDATA_MESSAGE];
	const struct perfdata_info *info;
	struct perfdata *data;
	int error = -1;

	if (argc != 5) {
		fputs("usage: make_unsynced INPUT OUTPUT PIECES BYTES\n", stderr);
		return 1;
	}
	if (perfdata_open(&data, argv[1], 0, message)) {
		fprintf(stderr, "%s\n", message);
		return 1;
	}
	info = perfdata_info(data);
	if (info->session_count && info->sessions->bytes && info->sessions->size > TINY)
		error = write_all(info, argv[2], argv[3], strtoul(argv[4], NULL, 10));
	perfdata_close(data);
	if (error)
		fprintf(stderr, "%s: cannot be written\n", argv[2]);
	return error != 0;
}
