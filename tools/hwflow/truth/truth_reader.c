// SPDX-License-Identifier: GPL-2.0-only
/* The events of a ground-truth log, by thread or by CPU. */
#include <errno.h>
#include <string.h>

#include "truth_file.h"

/* A reader releases as many bytes of a stream at a time, or more */
#define RELEASE_BYTES 0x10000

void truth_reader_init(struct truth_reader *reader, const struct truth *truth, size_t thread)
{
	*reader = (struct truth_reader){
		.truth = truth,
		.stream = truth->threads[thread].first,
		.end = truth->threads[thread].end,
	};
}

void truth_reader_init_cpu(struct truth_reader *reader, const struct truth *truth, size_t index)
{
	*reader = (struct truth_reader){
		.truth = truth,
		.stream = truth->cpus[index].first,
		.end = truth->cpus[index].end,
		.by_cpu = true,
	};
}

uint64_t truth_bytes(const struct truth *truth)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < truth->stream_count; i++)
		bytes += truth->streams[i].length;
	return bytes;
}

uint64_t truth_reader_at(const struct truth_reader *reader)
{
	if (!reader->begin)
		return 0;
	return reader->before + (uint64_t)(reader->cursor.at - reader->begin);
}

bool truth_has_block(const struct truth *truth, uint32_t number)
{
	return number < truth->table.count && truth->table.blocks[number].opcodes;
}

uint64_t truth_part_bytes(const struct truth *truth, int32_t tid, uint32_t part)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < truth->stream_count; i++)
		bytes += truth->streams[i].head.tid == tid && truth->streams[i].head.part == part
				 ? truth->streams[i].length
				 : 0;
	return bytes;
}

/* Releases the pages of a stream that is not packed, up to where it was read. */
static void release(struct truth_reader *reader)
{
	file_map_release(&reader->truth->map, reader->released, reader->cursor.at);
	reader->released = reader->cursor.at;
}

static const struct stream *stream_at(const struct truth_reader *reader, size_t index)
{
	return reader->by_cpu ? reader->truth->by_cpu[index] : &reader->truth->streams[index];
}

/* The events of the section that is being read, from @offset on */
static int go_to(struct truth_reader *reader, const struct stream *stream, size_t offset)
{
	const struct truth *truth = reader->truth;
	const struct truth_slot *slot = NULL;

	/* where it cannot be unpacked the reader stays where it is, so that it reports the same
	 * again */
	if (stream->size) {
		slot = truth_cache_get(truth->cache, (size_t)(stream - truth->streams),
				       stream->bytes, stream->size, stream->length);
		if (!slot)
			return truth_bad(
				reader->message, truth->path,
				(uint64_t)(stream->bytes - truth->map.bytes),
				"a packed stream cannot be unpacked: the log is damaged; make "
				"it anew");
		reader->stamp = slot->stamp;
		file_map_release(&truth->map, stream->bytes, stream->bytes + stream->size);
	}
	reader->slot = slot;
	reader->begin = slot ? slot->bytes : stream->bytes;
	reader->released = stream->size ? NULL : reader->begin + offset;
	reader->cursor.at = reader->begin + offset;
	reader->cursor.end = reader->begin + stream->length;
	return 0;
}

#define GOES_ON 2

/* Go to the next stream of the thread, if there is one; its head is an event. */
static int next_stream(struct truth_reader *reader, struct truth_event *event)
{
	const struct stream *stream, *last = NULL;
	int status;

	if (reader->stream == reader->end)
		return 0;
	if (reader->begin)
		last = stream_at(reader, reader->stream - 1);
	if (reader->released)
		release(reader);
	stream = stream_at(reader, reader->stream);
	reader->before = truth_reader_at(reader);
	status = go_to(reader, stream, 0);
	if (status)
		return status;
	reader->stream++;
	/* the same stream goes on */
	if (last && stream->size && last->head.tid == stream->head.tid &&
	    last->head.part == stream->head.part)
		return GOES_ON;
	reader->cursor = (struct truth_cursor){
		.at = reader->cursor.at, .end = reader->cursor.end, .time = stream->head.start};
	event->kind = TRUTH_EVENT_PROGRAM;
	event->u.time = stream->head.start;
	return 1;
}

static const struct stream *current(const struct truth_reader *reader)
{
	return stream_at(reader, reader->stream - 1);
}

int32_t truth_reader_thread(const struct truth_reader *reader)
{
	/* a log by CPU has numbers of CPUs in place of threads, and no process */
	if (!reader->begin || current(reader)->head.pid < 0)
		return -1;
	return current(reader)->head.tid;
}

/* Where another reader has needed the place of the section it is unpacked again. */
static int refresh(struct truth_reader *reader)
{
	if (reader->released && reader->cursor.at - reader->released >= RELEASE_BYTES)
		release(reader);
	if (!reader->slot || reader->slot->stamp == reader->stamp)
		return 0;
	return go_to(reader, current(reader), (size_t)(reader->cursor.at - reader->begin));
}

/* An event of the section that is being read; 0 at its end */
static int next_event(struct truth_reader *reader, struct truth_event *event)
{
	const struct truth *truth = reader->truth;
	const char *error;
	int status;

	if (!reader->begin)
		return 0;
	status = refresh(reader);
	if (status)
		return status;
	status = truth_decode(&truth->table, &reader->cursor, event, &error);
	if (status < 0)
		truth_bad(reader->message, truth->path,
			  (uint64_t)((reader->slot ? current(reader)->bytes : reader->cursor.at) -
				     truth->map.bytes),
			  "%s: the log is damaged; make it anew", error);
	return status;
}

int truth_next(struct truth_reader *reader, struct truth_event *event)
{
	int status;

	do {
		status = next_event(reader, event);
		if (!status)
			status = next_stream(reader, event);
	} while (status == GOES_ON);
	return status;
}

void truth_pass_blocks(struct truth_reader *reader, uint64_t *steps)
{
	/* what is wrong truth_next() reports */
	if (reader->begin && !refresh(reader))
		truth_pass(&reader->truth->table, &reader->cursor, steps);
}

void truth_reader_receive(struct truth_reader *reader)
{
	/* the slot has another section in this process, or none */
	reader->stamp = UINT64_MAX;
}
