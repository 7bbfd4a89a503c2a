/* SPDX-License-Identifier: GPL-2.0-only */
/* An open ground-truth log: between truth.c, which reads the file, and truth_reader.c. */
#ifndef HWFLOW_TRUTH_FILE_H
#define HWFLOW_TRUTH_FILE_H

#include "base/file_map.h"
#include "base/source_index.h"
#include "truth_private.h"

struct stream {
	struct truth_stream head;
	const uint8_t *bytes; /* in the file; of a packed one the frame */
	size_t size;          /* of the frame; 0 where it is not packed */
	size_t length;        /* of the events */
	size_t thread;
	int32_t cpu; /* -1 where the log does not say */
};

/* its streams stand together, in order of their parts */
struct thread {
	struct truth_thread public;
	size_t first;
	size_t end;
};

/* its streams stand together in truth.by_cpu, in order of the file */
struct cpu {
	int32_t number;
	size_t first;
	size_t end;
};

struct truth {
	char *path;
	struct file_map map;
	struct truth_table table;
	uint8_t **unpacked; /* blocks */
	size_t unpacked_count;
	uint64_t unpacked_bytes; /* of all of them */
	struct truth_cache *cache;
	uint64_t *whole; /* it may be cut: receives where the last whole section ends */
	struct stream *streams;
	size_t stream_count;
	struct thread *threads;
	size_t thread_count;
	struct source_index by_tid; /* @threads */
	struct stream **by_cpu;
	struct cpu *cpus;
	size_t cpu_count;
};

/** truth_bad() - put an error that names file and offset into @message; returns -EINVAL */
int truth_bad(char *message, const char *path, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif /* HWFLOW_TRUTH_FILE_H */
