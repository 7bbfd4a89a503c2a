// SPDX-License-Identifier: GPL-2.0-only
/* Trace in CoreSight frames, as the bytes of each trace ID. */
#include "deframe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/temporary.h"
#include "hwflow/frames.h"
#include "input.h"

/* A store of so many bytes is in memory */
#define IN_MEMORY 0x400000u

/* Bytes of a trace ID that are written at once */
#define WRITTEN 0x10000u

/* Frames between two releases of their pages */
#define RELEASED (0x10000u / HWF_FRAME)

/**
 * struct frame_store - see deframe.h
 * @bytes: all bytes: memory, or the temporary file, mapped
 * @room: bytes there
 * @used: bytes that have trace
 * @fd: the temporary file; -1: @bytes are memory
 * @map: the temporary file
 */
struct frame_store {
	uint8_t *bytes;
	size_t room;
	size_t used;
	int fd;
	struct file_map map;
};

/* The file has its size from the beginning, so that the bytes do not move. */
static int map_temporary(struct frame_store *store)
{
	void *bytes;

	store->fd = temporary_open();
	if (store->fd < 0 || ftruncate(store->fd, (off_t)store->room))
		return -errno;
	/* pwrite() changes what is mapped */
	bytes = mmap(NULL, store->room, PROT_READ, MAP_SHARED, store->fd, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	madvise(bytes, store->room, MADV_SEQUENTIAL);
	store->bytes = bytes;
	store->map = (struct file_map){bytes, store->room};
	return 0;
}

int frame_store_new(struct frame_store **result, uint64_t framed)
{
	struct frame_store *store = calloc(1, sizeof(*store));
	int error = 0;

	if (!store)
		return -ENOMEM;
	/* a frame has 15 bytes at most, and no trace has no bytes */
	store->room = framed / HWF_FRAME * (HWF_FRAME - 1) + 1;
	store->fd = -1;
	if (store->room > IN_MEMORY) {
		error = map_temporary(store);
	} else {
		store->bytes = malloc(store->room);
		error = store->bytes ? 0 : -ENOMEM;
	}
	if (error)
		frame_store_free(store);
	else
		*result = store;
	return error;
}

const struct file_map *frame_store_map(const struct frame_store *store)
{
	return store->fd < 0 ? NULL : &store->map;
}

void frame_store_free(struct frame_store *store)
{
	if (!store)
		return;
	file_unmap(&store->map);
	if (store->fd < 0)
		free(store->bytes);
	else
		close(store->fd);
	free(store);
}

/**
 * struct run - the bytes of a trace ID while frames are sorted
 * @length: how many there are
 * @at: offset in the store of the first byte of @waiting
 * @waiting: bytes that are not written yet: memory of WRITTEN bytes
 * @count: how many these are
 */
struct run {
	size_t length;
	size_t at;
	uint8_t *waiting;
	size_t count;
};

/**
 * struct sorter - frames while they are sorted
 * @store: receives the bytes
 * @runs: by trace ID
 * @error: the first one
 */
struct sorter {
	struct frame_store *store;
	struct run runs[FRAME_LAST_ID + 1];
	int error;
};

static void count_byte(struct sorter *sorter, struct run *run, uint8_t value)
{
	(void)sorter;
	(void)value;
	run->length++;
}

static void write_run(struct sorter *sorter, struct run *run)
{
	const struct frame_store *store = sorter->store;

	if (store->fd < 0)
		memcpy(store->bytes + run->at, run->waiting, run->count);
	else if (!sorter->error)
		sorter->error = temporary_write(store->fd, run->at, run->waiting, run->count);
	run->at += run->count;
	run->count = 0;
}

static void put_byte(struct sorter *sorter, struct run *run, uint8_t value)
{
	run->waiting[run->count++] = value;
	if (run->count == WRITTEN)
		write_run(sorter, run);
}

/* Gives each byte with a trace ID to @take. */
static inline void each_byte(struct sorter *sorter, const uint8_t *bytes, size_t length,
			     const struct file_map *map,
			     void (*take)(struct sorter *sorter, struct run *run, uint8_t value))
{
	struct hwf_frame_byte out[HWF_FRAME];
	struct hwf_deframer deframer;
	size_t released = 0;
	size_t frames = length / HWF_FRAME;

	hwf_deframer_init(&deframer);
	for (size_t frame = 0; frame < frames && !sorter->error; frame++) {
		const size_t count = hwf_deframe(&deframer, bytes + frame * HWF_FRAME, out);

		for (size_t i = 0; i < count; i++)
			if (out[i].id >= FRAME_FIRST_ID && out[i].id <= FRAME_LAST_ID)
				take(sorter, &sorter->runs[out[i].id], out[i].value);
		if (map && (frame % RELEASED == RELEASED - 1 || frame == frames - 1)) {
			const size_t at = (frame + 1) * HWF_FRAME;

			file_map_release(map, bytes + released, bytes + at);
			released = at;
		}
	}
}

/* Gives each ID its place in the store, one behind the other. */
static int place_runs(struct sorter *sorter, struct frame_streams *streams)
{
	struct frame_store *store = sorter->store;

	streams->count = 0;
	for (unsigned int id = FRAME_FIRST_ID; id <= FRAME_LAST_ID; id++) {
		struct run *run = &sorter->runs[id];

		if (!run->length)
			continue;
		if (run->length > store->room - store->used)
			return -ENOSPC;
		run->at = store->used;
		run->waiting = malloc(WRITTEN);
		if (!run->waiting)
			return -ENOMEM;
		streams->items[streams->count++] = (struct frame_stream){
			.bytes = store->bytes + run->at, .length = run->length, .id = (uint8_t)id};
		store->used += run->length;
	}
	return 0;
}

int deframe_all(struct frame_store *store, const uint8_t *bytes, size_t length,
		const struct file_map *map, struct frame_streams *streams)
{
	struct sorter *sorter = calloc(1, sizeof(*sorter));
	int error;

	if (!sorter)
		return -ENOMEM;
	sorter->store = store;
	each_byte(sorter, bytes, length, map, count_byte);
	sorter->error = place_runs(sorter, streams);
	if (!sorter->error)
		each_byte(sorter, bytes, length, map, put_byte);
	for (unsigned int id = FRAME_FIRST_ID; id <= FRAME_LAST_ID; id++) {
		if (sorter->runs[id].count)
			write_run(sorter, &sorter->runs[id]);
		free(sorter->runs[id].waiting);
	}
	error = sorter->error;
	free(sorter);
	return error;
}

void deframe_error(const char *path, int error)
{
	if (error == -ENOMEM)
		input_error(path, UINT64_MAX, "out of memory");
	else
		input_error(path, UINT64_MAX,
			    "the trace is in CoreSight frames and is copied without them to a "
			    "temporary file in %s: %s; TMPDIR names another directory",
			    temporary_directory(), strerror(-error));
}
