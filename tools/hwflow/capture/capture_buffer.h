/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace buffer of a capture: its section of trace.ini, its bytes, and which of them are used.
 * Called in this order: capture_buffer_name(), capture_buffer_read(), capture_buffer_claim() for
 * each source, capture_buffer_end(), capture_buffer_free().
 */
#ifndef HWFLOW_CAPTURE_BUFFER_H
#define HWFLOW_CAPTURE_BUFFER_H

#include "capture_files.h"
#include "deframe.h"

/**
 * struct capture_buffer - a trace buffer
 * @section: of trace.ini
 * @name: of the buffer, by which sources name it
 * @files: names of its files, with commas between them
 * @stem: of the first of them, for the names of sources
 * @map: its bytes
 * @store: of its trace IDs, if it has frames
 * @streams: likewise
 * @framed: it has frames
 * @dstream: a DSTREAM recorded them
 * @used: a source has the bytes of this trace ID, or with 0, all
 */
struct capture_buffer {
	const char *section;
	const char *name;
	const char *files;
	char stem[256];
	struct file_map map;
	struct frame_store *store;
	struct frame_streams streams;
	bool framed;
	bool dstream;
	bool used[HWF_FRAME_ID_LAST + 1];
};

/**
 * capture_buffer_name() - read the section of a buffer
 * @files: the capture's
 * @trace: trace.ini
 * @section: of the buffer
 * @buffer: receives names and format
 *
 * Return: false if the buffer is left out: capture_note() said why.
 */
bool capture_buffer_name(struct capture_files *files, const struct ini *trace, const char *section,
			 struct capture_buffer *buffer);

/**
 * capture_buffer_read() - read the bytes of a buffer
 * @files: the capture's
 * @buffer: the buffer
 *
 * Return: false if it is left out, which was said on stderr.
 */
bool capture_buffer_read(struct capture_files *files, struct capture_buffer *buffer);

/**
 * capture_buffer_claim() - give a trace unit the bytes of its trace ID, which no other one has
 * @files: the capture's
 * @buffer: the buffer
 * @unit: name of the trace unit
 * @id: its trace ID; not looked at if the buffer has no frames
 *
 * Return: false if the trace unit has no bytes in the buffer, which capture_note() said.
 */
bool capture_buffer_claim(struct capture_files *files, struct capture_buffer *buffer,
			  const char *unit, uint8_t id);

/** capture_buffer_end() - all sources were added: name the bytes of frames that none of them has */
void capture_buffer_end(struct capture_files *files, struct capture_buffer *buffer);

/** capture_buffer_free() - free the bytes */
void capture_buffer_free(struct capture_buffer *buffer);

#endif /* HWFLOW_CAPTURE_BUFFER_H */
