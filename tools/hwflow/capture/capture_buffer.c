// SPDX-License-Identifier: GPL-2.0-only
/* A trace buffer of a capture. */
#include "capture_buffer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "dstream.h"

/* The name of the first file, without directory and suffix */
static void set_stem(struct capture_buffer *buffer)
{
	char *dot;

	snprintf(buffer->stem, sizeof(buffer->stem), "%s", buffer->files);
	buffer->stem[strcspn(buffer->stem, ",")] = '\0';
	for (char *at = buffer->stem; *at; at++)
		if (*at == '\\')
			*at = '/';
	dot = strrchr(buffer->stem, '/');
	if (dot)
		memmove(buffer->stem, dot + 1, strlen(dot + 1) + 1);
	dot = strrchr(buffer->stem, '.');
	if (dot)
		*dot = '\0';
}

/*
 * The format of a buffer's bytes (ARM-ECM-0611873, 3.3.2): frames of a trace buffer or, recorded by
 * a DSTREAM, of a TPIU; or the trace of one source.
 */
static bool take_format(struct capture_files *files, struct capture_buffer *buffer,
			const char *format)
{
	buffer->dstream = format && !strcasecmp(format, "dstream_coresight");
	buffer->framed = buffer->dstream || (format && !strcasecmp(format, "coresight"));
	if (buffer->framed || (format && !strcasecmp(format, "source_data")))
		return true;
	capture_note(files,
		     "trace.ini: [%s] format=%s: not one of coresight, dstream_coresight and "
		     "source_data; %s is left out",
		     buffer->section, format ? format : "", buffer->files);
	return false;
}

bool capture_buffer_name(struct capture_files *files, const struct ini *trace, const char *section,
			 struct capture_buffer *buffer)
{
	const size_t number = ini_section(trace, section);

	*buffer = (struct capture_buffer){
		.section = section,
		.name = ini_value(trace, number, "name"),
		.files = ini_value(trace, number, "file"),
	};
	if (number == INI_NO_SECTION) {
		capture_note(files,
			     "trace.ini: [trace_buffers] names %s, and there is no section [%s]; "
			     "the buffer is left out",
			     section, section);
		return false;
	}
	if (!buffer->files || !buffer->name) {
		capture_note(files, "trace.ini: [%s] has no %s=; the buffer is left out", section,
			     buffer->files ? "name" : "file");
		return false;
	}
	set_stem(buffer);
	return take_format(files, buffer, ini_value(trace, number, "format"));
}

static size_t lost(const struct frame_streams *streams)
{
	return streams->beginning.bytes + streams->unaligned.bytes;
}

/*
 * A file with dstream_coresight has the probe's own bytes at the end of each block, or the frames
 * alone; nothing in trace.ini tells which. With the probe's bytes, the full synchronisation packets
 * after them are not aligned: join the blocks, and use them if more of the frames are aligned.
 */
static int try_blocks(struct capture_buffer *buffer)
{
	struct frame_streams streams = {0};
	struct frame_store *store = NULL;
	struct file_map joined;
	int error = dstream_join(&joined, &buffer->map);

	if (!error)
		error = frame_store_new(&store, joined.size);
	if (!error)
		error = deframe_all(store, joined.bytes, joined.size, &joined, FRAME_NO_BARRIERS,
				    &streams);
	file_unmap(&joined);
	if (error || lost(&streams) >= lost(&buffer->streams)) {
		frame_streams_free(&streams);
		frame_store_free(store);
		return error == -E2BIG ? 0 : error; /* more holes than without joining */
	}
	streams.unaligned.offset = dstream_offset(streams.unaligned.offset);
	streams.partial.offset = dstream_offset(streams.partial.offset);
	streams.reserved.offset = dstream_offset(streams.reserved.offset);
	frame_streams_free(&buffer->streams);
	frame_store_free(buffer->store);
	buffer->streams = streams;
	buffer->store = store;
	return 0;
}

bool capture_buffer_read(struct capture_files *files, struct capture_buffer *buffer)
{
	int error;

	if (!capture_map(files, buffer->files, &buffer->map))
		return false;
	if (!buffer->framed)
		return true;
	error = frame_store_new(&buffer->store, buffer->map.size);
	if (!error)
		error = deframe_all(buffer->store, buffer->map.bytes, buffer->map.size,
				    &buffer->map, FRAME_NO_BARRIERS, &buffer->streams);
	if (!error && buffer->dstream && lost(&buffer->streams))
		error = try_blocks(buffer);
	if (error) {
		deframe_error(files->shown, error);
		files->damaged = true;
		return false;
	}
	return true;
}

bool capture_buffer_claim(struct capture_files *files, struct capture_buffer *buffer,
			  const char *unit, uint8_t id)
{
	if (buffer->framed && (id < HWF_FRAME_ID_FIRST || id > HWF_FRAME_ID_LAST)) {
		capture_note(
			files,
			"%s: its trace ID is 0x%02x, and %s has frames, whose trace IDs are 0x%02x "
			"to 0x%02x; left out",
			unit, id, buffer->files, HWF_FRAME_ID_FIRST, HWF_FRAME_ID_LAST);
		return false;
	}
	if (buffer->used[buffer->framed ? id : 0]) {
		capture_note(
			files,
			"trace.ini: %s is said to have the trace of %s, which is that of another "
			"trace unit; left out",
			unit, buffer->files);
		return false;
	}
	buffer->used[buffer->framed ? id : 0] = true;
	return true;
}

static bool has_source(const struct capture_buffer *buffer)
{
	for (unsigned int id = 0; id <= HWF_FRAME_ID_LAST; id++)
		if (buffer->used[id])
			return true;
	return false;
}

/* Frames that have trace of no source may be none: a trace unit that is not decoded may write
 * others. */
void capture_buffer_end(struct capture_files *files, struct capture_buffer *buffer)
{
	const struct frame_stream *items = buffer->streams.items;
	char ids[256] = "";
	size_t bytes = 0, at = 0;

	if (!buffer->framed || !has_source(buffer))
		return;
	files->damaged |= frame_streams_report(&buffer->streams, buffer->files, 0);
	for (size_t i = 0; i < buffer->streams.count; i++) {
		if (buffer->used[items[i].id])
			continue;
		bytes += items[i].length;
		if ((!i || items[i - 1].id != items[i].id) && at < sizeof(ids))
			at += (size_t)snprintf(ids + at, sizeof(ids) - at, "%s0x%02x",
					       at ? ", " : "", items[i].id);
	}
	if (bytes)
		capture_note(files,
			     "%s: %zu bytes have trace IDs of no trace unit that is decoded: %s%s; "
			     "left out",
			     buffer->files, bytes, ids, at < sizeof(ids) ? "" : "...");
	frame_streams_free(&buffer->streams);
}

void capture_buffer_free(struct capture_buffer *buffer)
{
	frame_streams_free(&buffer->streams);
	file_unmap(&buffer->map);
	frame_store_free(buffer->store);
}
