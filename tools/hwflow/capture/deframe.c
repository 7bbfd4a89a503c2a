// SPDX-License-Identifier: GPL-2.0-only
/* Trace in CoreSight frames, as the bytes of each trace ID. */
#include "deframe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/temporary.h"
#include "hwflow/frames.h"

/* A store of so many bytes is in memory */
#define IN_MEMORY 0x400000u

/* Bytes of a trace ID that are written at once */
#define WRITTEN 0x10000u

/* Bytes of frames between two releases of their pages */
#define RELEASED 0x10000u

/* Full synchronisation packets in a row that Linux writes over lost trace */
#define BARRIER 4u

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
 * @unsure: bytes since the last full synchronisation packet, which may not be aligned
 * @length: bytes since the last hole
 * @total: bytes before that
 * @at: offset in the store of the first byte of @waiting
 * @waiting: bytes that are not written yet: memory of WRITTEN bytes; NULL: the ID has none
 * @count: how many these are
 */
struct run {
	size_t unsure;
	size_t length;
	size_t total;
	size_t at;
	uint8_t *waiting;
	size_t count;
};

/**
 * struct stretch - frames without a hole between them
 * @from: offset of the first one
 * @to: their end
 * @item: the first stream of them, while streams are in the order of the stretches
 */
struct stretch {
	size_t from;
	size_t to;
	size_t item;
};

/**
 * struct sorter - frames while they are sorted
 * @store: receives the bytes
 * @streams: likewise, the list of them
 * @bytes: the frames
 * @length: bytes of them
 * @map: see deframe_all()
 * @released: up to where pages are released
 * @runs: by trace ID
 * @reserved: data with a reserved ID since the last full synchronisation packet
 * @reserved_id: the first such ID
 * @stretches: those that have frames; memory for @stretch_room of them
 * @stretch_count: how many there are
 * @item_room: streams that there is memory for
 * @holes: how many were found
 * @error: the first one
 */
struct sorter {
	struct frame_store *store;
	struct frame_streams *streams;
	const uint8_t *bytes;
	size_t length;
	const struct file_map *map;
	size_t released;
	struct run runs[HWF_FRAME_ID_LAST + 1];
	struct frame_loss reserved;
	uint8_t reserved_id;
	struct stretch *stretches;
	size_t stretch_count;
	size_t stretch_room;
	size_t item_room;
	size_t holes;
	int error;
};

static void release(struct sorter *sorter, size_t at)
{
	if (!sorter->map || (at - sorter->released < RELEASED && at < sorter->length))
		return;
	file_map_release(sorter->map, sorter->bytes + sorter->released, sorter->bytes + at);
	sorter->released = at;
}

/* The list, with memory for one more element; NULL without memory */
static void *make_room(struct sorter *sorter, void *list, size_t count, size_t *room, size_t size)
{
	const size_t more = count ? 2 * count : 4;
	void *bigger;

	if (count < *room)
		return list;
	bigger = reallocarray(list, more, size);
	if (bigger)
		*room = more;
	else
		sorter->error = -ENOMEM;
	return bigger;
}

/* ---- first pass: how much each trace ID has, and where frames are aligned ---- */

static void add_loss(struct frame_loss *loss, size_t offset, size_t bytes)
{
	if (!loss->bytes)
		loss->offset = offset;
	loss->bytes += bytes;
}

static void count_frame(struct sorter *sorter, struct hwf_deframer *deframer,
			const struct hwf_frame *frame, size_t at)
{
	struct hwf_frame_byte out[HWF_FRAME];
	const size_t count = hwf_deframe(deframer, frame->bytes, out);

	for (size_t i = 0; i < count; i++) {
		const uint8_t id = out[i].id;

		if (id >= HWF_FRAME_ID_FIRST && id <= HWF_FRAME_ID_LAST) {
			sorter->runs[id].unsure++;
		} else if (id != HWF_FRAME_ID_NULL && id != HWF_FRAME_ID_TRIGGER &&
			   id != HWF_FRAME_NO_ID) {
			if (!sorter->reserved.bytes)
				sorter->reserved_id = id;
			add_loss(&sorter->reserved, at, 1);
		}
	}
}

/* FORMATTER_ALIGN: the frames since the last full synchronisation packet are aligned. */
static void confirm(struct sorter *sorter)
{
	struct frame_streams *streams = sorter->streams;

	for (unsigned int id = HWF_FRAME_ID_FIRST; id <= HWF_FRAME_ID_LAST; id++) {
		sorter->runs[id].length += sorter->runs[id].unsure;
		sorter->runs[id].unsure = 0;
	}
	if (!sorter->reserved.bytes)
		return;
	if (!streams->reserved.bytes)
		streams->reserved_id = sorter->reserved_id;
	add_loss(&streams->reserved, sorter->reserved.offset, sorter->reserved.bytes);
	sorter->reserved = (struct frame_loss){0};
}

/* They may not be aligned: nothing of them is used. */
static void reject(struct sorter *sorter, size_t from, size_t to)
{
	for (unsigned int id = HWF_FRAME_ID_FIRST; id <= HWF_FRAME_ID_LAST; id++)
		sorter->runs[id].unsure = 0;
	sorter->reserved = (struct frame_loss){0};
	if (!from) {
		sorter->streams->beginning = (struct frame_loss){0, to};
		return;
	}
	add_loss(&sorter->streams->unaligned, from, to - from);
	sorter->streams->unaligned_count++;
}

static bool add_item(struct sorter *sorter, unsigned int id)
{
	struct frame_streams *streams = sorter->streams;
	struct run *run = &sorter->runs[id];
	struct frame_stream *items;

	if (run->length > sorter->store->room - sorter->store->used) {
		sorter->error = -ENOSPC;
		return false;
	}
	items = make_room(sorter, streams->items, streams->count, &sorter->item_room,
			  sizeof(*items));
	if (!items)
		return false;
	streams->items = items;
	items[streams->count++] =
		(struct frame_stream){.bytes = sorter->store->bytes + sorter->store->used,
				      .length = run->length,
				      .at = run->total,
				      .id = (uint8_t)id,
				      .cut = sorter->stretch_count};
	sorter->store->used += run->length;
	run->total += run->length;
	run->length = 0;
	return true;
}

/* A hole, or the end: the bytes of each ID get their place in the store, after one another. */
static void end_stretch(struct sorter *sorter, size_t from, size_t to)
{
	const size_t first = sorter->streams->count;
	struct stretch *stretches;

	for (unsigned int id = HWF_FRAME_ID_FIRST; id <= HWF_FRAME_ID_LAST; id++)
		if (sorter->runs[id].length && !add_item(sorter, id))
			return;
	if (first == sorter->streams->count)
		return;
	stretches = make_room(sorter, sorter->stretches, sorter->stretch_count,
			      &sorter->stretch_room, sizeof(*stretches));
	if (!stretches)
		return;
	sorter->stretches = stretches;
	stretches[sorter->stretch_count++] = (struct stretch){from, to, first};
}

/**
 * struct counting - progress of the first pass
 * @deframer: state of the frames
 * @at: offset that was reached
 * @aligned: the last offset where a frame began for certain
 * @from: of the present stretch
 * @full: full synchronisation packets in a row before @at
 */
struct counting {
	struct hwf_deframer deframer;
	size_t at;
	size_t aligned;
	size_t from;
	unsigned int full;
};

/* Bytes are missing before @counting->at. @to: the end of the frames before */
static void begin_stretch(struct sorter *sorter, struct counting *counting, size_t to)
{
	end_stretch(sorter, counting->from, to);
	if (++sorter->holes > FRAME_HOLES && !sorter->error)
		sorter->error = -E2BIG;
	hwf_deframer_init(&counting->deframer);
	counting->aligned = counting->from = counting->at;
	counting->full = 0;
}

static void take_sync(struct sorter *sorter, struct counting *counting,
		      enum frame_barriers barriers)
{
	confirm(sorter);
	counting->aligned = counting->at;
	if (++counting->full == BARRIER && barriers == FRAME_BARRIERS)
		begin_stretch(sorter, counting, counting->at);
}

static void count_all(struct sorter *sorter, enum frame_barriers barriers)
{
	struct counting counting = {0};
	struct hwf_frame frame;

	hwf_deframer_init(&counting.deframer);
	while (counting.at < sorter->length && !sorter->error) {
		const size_t at = counting.at;
		const size_t aligned = counting.aligned;

		counting.at += hwf_frame_read(sorter->bytes, sorter->length, at, &frame);
		if (frame.kind == HWF_FRAME_WHOLE) {
			count_frame(sorter, &counting.deframer, &frame, at);
			counting.full = 0;
		} else if (frame.kind == HWF_FRAME_SYNC) {
			take_sync(sorter, &counting, barriers);
		} else if (frame.kind == HWF_FRAME_PARTIAL) {
			sorter->streams->partial = (struct frame_loss){at, counting.at - at};
		} else {
			reject(sorter, aligned, counting.at);
			begin_stretch(sorter, &counting, aligned);
		}
		release(sorter, counting.at);
	}
	confirm(sorter);
	end_stretch(sorter, counting.from, sorter->length);
}

/* ---- second pass: the bytes ---- */

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

static void put_frame(struct sorter *sorter, struct hwf_deframer *deframer,
		      const struct hwf_frame *frame)
{
	struct hwf_frame_byte out[HWF_FRAME];
	const size_t count = hwf_deframe(deframer, frame->bytes, out);

	for (size_t i = 0; i < count; i++) {
		struct run *run;

		if (out[i].id < HWF_FRAME_ID_FIRST || out[i].id > HWF_FRAME_ID_LAST)
			continue;
		run = &sorter->runs[out[i].id];
		run->waiting[run->count++] = out[i].value;
		if (run->count == WRITTEN)
			write_run(sorter, run);
	}
}

static void put_stretch(struct sorter *sorter, size_t number)
{
	const struct stretch *stretch = &sorter->stretches[number];
	const struct frame_streams *streams = sorter->streams;
	const size_t items = number + 1 < sorter->stretch_count ? stretch[1].item : streams->count;
	struct hwf_deframer deframer;
	struct hwf_frame frame;

	for (size_t i = stretch->item; i < items; i++)
		sorter->runs[streams->items[i].id].at =
			(size_t)(streams->items[i].bytes - sorter->store->bytes);
	hwf_deframer_init(&deframer);
	for (size_t at = stretch->from; at < stretch->to && !sorter->error;) {
		at += hwf_frame_read(sorter->bytes, sorter->length, at, &frame);
		if (frame.kind == HWF_FRAME_WHOLE)
			put_frame(sorter, &deframer, &frame);
		release(sorter, at);
	}
	for (size_t i = stretch->item; i < items; i++)
		write_run(sorter, &sorter->runs[streams->items[i].id]);
}

static void put_all(struct sorter *sorter)
{
	for (size_t i = 0; i < sorter->streams->count; i++) {
		struct run *run = &sorter->runs[sorter->streams->items[i].id];

		if (!run->waiting)
			run->waiting = malloc(WRITTEN);
		if (!run->waiting) {
			sorter->error = -ENOMEM;
			return;
		}
	}
	sorter->released = 0;
	for (size_t i = 0; i < sorter->stretch_count && !sorter->error; i++)
		put_stretch(sorter, i);
}

static int compare_streams(const void *a, const void *b)
{
	const struct frame_stream *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

int deframe_all(struct frame_store *store, const uint8_t *bytes, size_t length,
		const struct file_map *map, enum frame_barriers barriers,
		struct frame_streams *streams)
{
	struct sorter *sorter = calloc(1, sizeof(*sorter));
	int error;

	*streams = (struct frame_streams){0};
	if (!sorter)
		return -ENOMEM;
	sorter->store = store;
	sorter->streams = streams;
	sorter->bytes = bytes;
	sorter->length = length;
	sorter->map = map;
	count_all(sorter, barriers);
	if (!sorter->error)
		put_all(sorter);
	for (unsigned int id = HWF_FRAME_ID_FIRST; id <= HWF_FRAME_ID_LAST; id++)
		free(sorter->runs[id].waiting);
	if (streams->count)
		qsort(streams->items, streams->count, sizeof(*streams->items), compare_streams);
	error = sorter->error;
	free(sorter->stretches);
	free(sorter);
	return error;
}

void frame_streams_free(struct frame_streams *streams)
{
	free(streams->items);
	streams->items = NULL;
	streams->count = 0;
}

const char FRAME_CUT[] = "bytes of CoreSight frames are missing before this trace";

bool frame_streams_report(const struct frame_streams *streams, const char *path, uint64_t at)
{
	const struct frame_loss *loss = &streams->beginning;

	if (loss->bytes)
		input_error(path, at,
			    "the first full synchronisation packet is inside of a CoreSight frame: "
			    "the %zu bytes up to its end are not aligned, and are left out",
			    loss->bytes);
	loss = &streams->unaligned;
	if (loss->bytes)
		input_error(
			path, at + loss->offset,
			"bytes of CoreSight frames are missing before %zu full synchronisation "
			"packets: the %zu bytes since the packet before each of these are left out",
			streams->unaligned_count, loss->bytes);
	loss = &streams->partial;
	if (loss->bytes)
		input_error(path, at + loss->offset,
			    "the last CoreSight frame is not whole; its %zu bytes are left out",
			    loss->bytes);
	loss = &streams->reserved;
	if (loss->bytes)
		input_error(
			path, at + loss->offset,
			"trace ID 0x%02x is reserved in CoreSight frames; %zu bytes with reserved "
			"IDs are left out. Are these bytes CoreSight frames?",
			streams->reserved_id, loss->bytes);
	return streams->beginning.bytes || streams->unaligned.bytes || streams->partial.bytes ||
	       loss->bytes;
}

void deframe_error(const char *path, int error)
{
	if (error == -ENOMEM)
		input_error(path, UINT64_MAX, "out of memory");
	else if (error == -E2BIG)
		input_error(
			path, UINT64_MAX,
			"the CoreSight frames have more than %u holes; are these bytes CoreSight "
			"frames?",
			FRAME_HOLES);
	else
		input_error(path, UINT64_MAX,
			    "the trace is in CoreSight frames and is copied without them to a "
			    "temporary file in %s: %s; TMPDIR names another directory",
			    temporary_directory(), strerror(-error));
}
