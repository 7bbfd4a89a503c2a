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
 *
 * Frames are used if they are aligned for certain: from the beginning or a full synchronisation
 * packet up to the next one or the end. If the bytes between two such places are not whole frames,
 * some are missing, nobody knows where, and these bytes are left out. Trace after them continues no
 * trace before them: it is a run of its own.
 *
 *	frames   S |1 1 2 2| |1 1 1 2| S |1 1| ? |2 1 S |2 2 1 1| |1 1| end
 *	store      |1 1 1 1 1|2 2 2|       left out       |1 1 1 1|2 2|
 */
#ifndef HWFLOW_DEFRAME_H
#define HWFLOW_DEFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file_map.h"
#include "hwflow/frames.h"

/** struct frame_store - the bytes of all trace IDs of an input */
struct frame_store;

/**
 * struct frame_stream - the bytes of one trace ID, without a hole between them
 * @bytes: the bytes, as long as the store
 * @length: how many
 * @at: how many bytes with this ID are before them
 * @id: the ID
 * @cut: bytes of frames are missing before them
 */
struct frame_stream {
	const uint8_t *bytes;
	size_t length;
	size_t at;
	uint8_t id;
	bool cut;
};

/**
 * struct frame_loss - bytes of frames that are not used
 * @offset: of the first one
 * @bytes: how many
 */
struct frame_loss {
	size_t offset;
	size_t bytes;
};

/**
 * struct frame_streams - the bytes of all trace IDs of some frames
 * @items: those of the IDs, ascending, those of an ID in order
 * @count: how many there are
 * @beginning: before the first full synchronisation packet, which is inside of a frame
 * @unaligned: likewise, before another one
 * @unaligned_count: in how many places
 * @partial: of a frame at the end that is not whole
 * @reserved: data with a reserved ID; the offset is that of the first frame
 * @reserved_id: the first such ID
 */
struct frame_streams {
	struct frame_stream *items;
	size_t count;
	struct frame_loss beginning;
	struct frame_loss unaligned;
	size_t unaligned_count;
	struct frame_loss partial;
	struct frame_loss reserved;
	uint8_t reserved_id;
};

/** FRAME_CUT - why trace is missing before a stream that is cut; for struct input_piece */
extern const char FRAME_CUT[];

/**
 * FRAME_HOLES - deframe_all() refuses frames with more holes
 *
 * A recording with as many holes is damaged; each of them costs memory.
 */
#define FRAME_HOLES 0x10000u

/** enum frame_barriers - what four full synchronisation packets in a row mean */
enum frame_barriers {
	FRAME_NO_BARRIERS, /* nothing: a TPIU pads with them */
	/* FORMATTER_BARRIER: trace was lost here; Linux writes them over trace in a buffer */
	FRAME_BARRIERS,
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
 * @bytes: the frames, with synchronisation packets or without
 * @length: bytes of them
 * @map: the file that @bytes are in, whose pages are released; NULL: they are in memory
 * @barriers: see enum frame_barriers
 * @streams: receives the bytes of each ID; frame_streams_free() frees them, after an error too
 *
 * Return: 0; -ENOMEM; -errno of the temporary file; -ENOSPC if the frames are more than
 * frame_store_new() was told; -E2BIG if they have more than FRAME_HOLES holes.
 */
int deframe_all(struct frame_store *store, const uint8_t *bytes, size_t length,
		const struct file_map *map, enum frame_barriers barriers,
		struct frame_streams *streams);

/** frame_streams_free() - free the list; the bytes belong to the store */
void frame_streams_free(struct frame_streams *streams);

/**
 * frame_streams_report() - name on stderr the bytes of frames that are not used
 * @streams: of the frames
 * @path: of the file
 * @at: offset of the frames in the file
 *
 * Return: is there a message?
 */
bool frame_streams_report(const struct frame_streams *streams, const char *path, uint64_t at);

/** deframe_error() - print the error of one of these functions for the file @path on stderr */
void deframe_error(const char *path, int error);

#endif /* HWFLOW_DEFRAME_H */
