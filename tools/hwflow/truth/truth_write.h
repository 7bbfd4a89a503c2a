/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the ground-truth log, packed, section by section. */
#ifndef HWFLOW_TRUTH_WRITE_H
#define HWFLOW_TRUTH_WRITE_H

#include "truth.h"

/** struct truth_writer - a log that is being written */
struct truth_writer;

/* Functions that return int return 0 or a negative errno. */

/**
 * truth_writer_open() - begin a log, or go on with one
 * @result: receives it
 * @path: of the file
 * @whole: bytes of it that stay, what follows is cut off; 0: a new one
 */
int truth_writer_open(struct truth_writer **result, const char *path, uint64_t whole);

/** truth_writer_blocks() - records of blocks, each once; before the events that refer to them */
int truth_writer_blocks(struct truth_writer *writer, const uint8_t *bytes, size_t length);

/**
 * truth_writer_stream() - events of a thread
 * @writer: of the log
 * @head: of the thread and part, of which what was written before goes on
 * @bytes: whole events, with a TRUTH_STOP that belongs to the last of them
 * @length: how much
 *
 * Afterwards the section is in the file, whatever becomes of the process.
 */
int truth_writer_stream(struct truth_writer *writer, const struct truth_stream *head,
			const uint8_t *bytes, size_t length);

/** truth_writer_close() - close; @complete: with the section that ends a log; NULL is allowed */
int truth_writer_close(struct truth_writer *writer, bool complete);

#endif /* HWFLOW_TRUTH_WRITE_H */
