// SPDX-License-Identifier: GPL-2.0-only
/* Framed trace into one byte stream a trace ID. */
#include <stdlib.h>
#include <string.h>

#include "hwflow/frames.h"
#include "input_private.h"

static int put(struct frame_stream *stream, uint8_t byte)
{
	if (stream->length == stream->room) {
		size_t room = stream->room ? 2 * stream->room : 4096;
		uint8_t *bytes = realloc(stream->bytes, room);

		if (!bytes)
			return -1;
		stream->bytes = bytes;
		stream->room = room;
	}
	stream->bytes[stream->length++] = byte;
	return 0;
}

/* IDs 0x01 to 0x6f carry trace; 0 is padding, those above are reserved. */
#define FIRST_ID 0x01
#define LAST_ID  0x6f

static int deframe_bytes(const uint8_t *bytes, size_t length, struct frame_stream *by_id)
{
	struct hwf_frame_byte out[HWF_FRAME];
	struct hwf_deframer deframer;

	hwf_deframer_init(&deframer);
	for (size_t at = 0; at + HWF_FRAME <= length; at += HWF_FRAME) {
		size_t count = hwf_deframe(&deframer, bytes + at, out);

		for (size_t i = 0; i < count; i++) {
			if (out[i].id >= FIRST_ID && out[i].id <= LAST_ID &&
			    put(&by_id[out[i].id], out[i].value))
				return -1;
		}
	}
	return 0;
}

int deframe_all(const uint8_t *bytes, size_t length, struct frame_stream **streams, size_t *count)
{
	struct frame_stream *by_id = calloc(LAST_ID + 1, sizeof(*by_id));

	*streams = NULL;
	*count = 0;
	if (!by_id)
		return -1;
	if (deframe_bytes(bytes, length, by_id)) {
		deframe_free(by_id, LAST_ID + 1);
		return -1;
	}
	for (unsigned int id = FIRST_ID; id <= LAST_ID; id++) {
		if (!by_id[id].length)
			continue;
		by_id[*count] = by_id[id];
		by_id[*count].id = (uint8_t)id;
		++*count;
	}
	*streams = by_id;
	return 0;
}

void deframe_free(struct frame_stream *streams, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(streams[i].bytes);
	free(streams);
}
