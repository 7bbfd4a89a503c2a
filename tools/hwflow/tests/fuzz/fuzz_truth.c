// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz target: any bytes as a ground-truth log. Each thread is read to its end, and printed. Then
 * the same bytes as blocks and a stream with no file around them, so that the sanitizers
 * see the last byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "truth/truth_private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One byte of a log may stand for 65535 instructions: of longer ones not all is printed */
#define PRINTED 10000

static char path[32];
static FILE *nowhere;
static int memory_fd = -1;

/* so that nothing that is only looked at is optimised away */
static volatile uint64_t looked_at;

static void prepare(void)
{
	if (nowhere)
		return;
	memory_fd = memfd_create("truth", MFD_CLOEXEC);
	nowhere = fopen("/dev/null", "we");
	if (memory_fd < 0 || !nowhere)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory_fd);
}

static uint64_t touch(const struct truth_event *event)
{
	const struct truth_run *run = &event->u.run;
	uint64_t sum = 0;

	if (event->kind != TRUTH_EVENT_RUN)
		return 0;
	if (run->count > run->block_count)
		abort();
	for (uint32_t i = 0; i < run->block_count; i++)
		sum += run->opcodes[i];
	looked_at = sum;
	return run->count;
}

static void read_thread(const struct truth *truth, size_t thread)
{
	char message[TRUTH_MESSAGE] = "";
	struct truth_reader reader;
	struct truth_event event;
	uint64_t instructions = 0;
	int status;

	truth_reader_init(&reader, truth, thread);
	while ((status = truth_next(&reader, &event)) > 0)
		instructions += touch(&event);
	if (status < 0 && !reader.message[0])
		abort();
	if (instructions <= PRINTED &&
	    truth_print(truth, thread, nowhere, message) != (status < 0 ? status : 0))
		abort();
}

static void read_file(const uint8_t *data, size_t size)
{
	char message[TRUTH_MESSAGE] = "";
	struct truth *truth;

	if (ftruncate(memory_fd, 0) || pwrite(memory_fd, data, size, 0) != (ssize_t)size)
		abort();
	if (truth_open(&truth, path, message)) {
		if (!message[0])
			abort();
		return;
	}
	for (size_t i = 0; i < truth_threads(truth); i++) {
		const struct truth_thread *thread = truth_thread(truth, i);

		if (truth_find(truth, thread->tid) != (ptrdiff_t)i)
			abort();
		read_thread(truth, i);
	}
	truth_close(truth);
}

/* Blocks as far as they are good, the rest is a stream. */
static void read_pieces(const uint8_t *data, size_t size)
{
	struct truth_table table = {.limit = 256};
	const char *error = NULL;
	struct truth_event event;
	size_t used;

	if (truth_table_add(&table, data, size, true, &used) || used < size) {
		struct truth_cursor cursor = {.at = data + used, .end = data + size};

		while (truth_decode(&table, &cursor, &event, &error) > 0)
			touch(&event);
	}
	free(table.blocks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	prepare();
	if (size) {
		read_file(data, size);
		read_pieces(data, size);
	}
	return 0;
}
