/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace in CoreSight frames, as the bytes of each trace ID. The bytes of one ID are needed as one
 * run, and a file may have them anywhere, so they are copied: to memory if they are few, else to a
 * temporary file, which is mapped.
 *
 *	frames  |1 1 1 2 2 1 1 2 2 2 1| |2 2 1 1|
 *	store   |1 1 1 1 1 1|2 2 2 2 2| |1 1|2 2|
 *
 * Each call of deframe_all() appends the runs of its IDs to the store.
 */
#ifndef HWFLOW_INPUT_DEFRAME_H
#define HWFLOW_INPUT_DEFRAME_H

#include <stddef.h>
#include <stdint.h>

#include "file_map.h"

/* IDs 0x01 to 0x6f carry trace; 0 is padding, those above are reserved. */
#define FRAME_FIRST_ID 0x01u
#define FRAME_LAST_ID  0x6fu

/** struct frame_store - the bytes of all trace IDs of an input */
struct frame_store;

/**
 * struct frame_stream - the bytes of one trace ID
 * @bytes: the bytes, as long as the store
 * @length: how many
 * @id: the ID
 */
struct frame_stream {
	const uint8_t *bytes;
	size_t length;
	uint8_t id;
};

/**
 * struct frame_streams - the bytes of all trace IDs of some frames
 * @items: those of each ID, ascending
 * @count: how many IDs there are
 */
struct frame_streams {
	struct frame_stream items[FRAME_LAST_ID];
	size_t count;
};

/**
 * frame_store_new() - begin with no bytes
 * @result: receives the store
 * @framed: bytes in frames that deframe_all() will be given, in all its calls
 *
 * Return: 0; -ENOMEM; or -errno of the temporary file.
 */
int frame_store_new(struct frame_store **result, uint64_t framed);

/** frame_store_map() - the temporary file; NULL if the bytes are in memory */
const struct file_map *frame_store_map(const struct frame_store *store);

/** frame_store_free() - free all bytes; NULL is allowed */
void frame_store_free(struct frame_store *store);

/**
 * deframe_all() - sort the bytes in frames by their trace IDs
 * @store: receives the bytes
 * @bytes: the frames; the last one is not read if it is not whole
 * @length: bytes of them
 * @map: the file that @bytes are in, whose pages are released; NULL: they are in memory
 * @streams: receives the bytes of each ID
 *
 * Return: 0; -ENOMEM; -errno of the temporary file; -ENOSPC if the frames are more than
 * frame_store_new() was told.
 */
int deframe_all(struct frame_store *store, const uint8_t *bytes, size_t length,
		const struct file_map *map, struct frame_streams *streams);

/** deframe_error() - print the error of one of these functions for the file @path on stderr */
void deframe_error(const char *path, int error);

#endif /* HWFLOW_INPUT_DEFRAME_H */
