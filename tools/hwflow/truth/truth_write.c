// SPDX-License-Identifier: GPL-2.0-only
/* Writing the ground-truth log. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "truth_write.h"

/* the fastest: the log is written while the program runs */
#define LEVEL 1

/* bytes of a section of blocks, and one block more */
#define BLOCKS_MAX (1u << 20)

struct truth_writer {
	FILE *file;
	ZSTD_CCtx *context;
	uint8_t *frame;
	size_t room;
};

static int write_error(void)
{
	return errno ? -errno : -EIO;
}

static int put(struct truth_writer *writer, const void *bytes, size_t length)
{
	errno = 0;
	return fwrite(bytes, 1, length, writer->file) == length ? 0 : write_error();
}

static int flush(struct truth_writer *writer)
{
	errno = 0;
	return fflush(writer->file) ? write_error() : 0;
}

int truth_writer_open(struct truth_writer **result, const char *path, uint64_t whole)
{
	const struct truth_head head = {
		.magic = TRUTH_MAGIC, .version = TRUTH_VERSION_PACKED, .size = sizeof(head)};
	struct truth_writer *writer = calloc(1, sizeof(*writer));
	int error;

	if (!writer)
		return -ENOMEM;
	writer->context = ZSTD_createCCtx();
	writer->file = fopen(path, whole ? "r+e" : "we");
	error = writer->file && writer->context ? 0 : write_error();
	if (!error && whole &&
	    (ftruncate(fileno(writer->file), (off_t)whole) || fseeko(writer->file, 0, SEEK_END)))
		error = write_error();
	if (!error && !whole)
		error = put(writer, &head, sizeof(head));
	if (error) {
		if (writer->file)
			fclose(writer->file);
		ZSTD_freeCCtx(writer->context);
		free(writer);
		return error;
	}
	*result = writer;
	return 0;
}

static bool frame_room(struct truth_writer *writer, size_t length)
{
	size_t room = ZSTD_compressBound(length);
	uint8_t *frame;

	if (room <= writer->room)
		return true;
	frame = realloc(writer->frame, room);
	if (!frame)
		return false;
	writer->frame = frame;
	writer->room = room;
	return true;
}

static int put_section(struct truth_writer *writer, uint32_t type, const struct truth_stream *head,
		       const uint8_t *bytes, size_t length)
{
	static const uint8_t zeros[8];
	const struct truth_packed packed = {.length = length};
	struct truth_section section = {.type = type};
	size_t size;
	int error;

	if (!frame_room(writer, length))
		return -ENOMEM;
	size = ZSTD_compressCCtx(writer->context, writer->frame, writer->room, bytes, length,
				 LEVEL);
	if (ZSTD_isError(size))
		return -ENOMEM;
	section.length = (head ? sizeof(*head) : 0) + sizeof(packed) + size;
	error = put(writer, &section, sizeof(section));
	if (!error && head)
		error = put(writer, head, sizeof(*head));
	if (!error)
		error = put(writer, &packed, sizeof(packed));
	if (!error)
		error = put(writer, writer->frame, size);
	if (!error)
		error = put(writer, zeros, (size_t)(-section.length & 7));
	return error;
}

int truth_writer_blocks(struct truth_writer *writer, const uint8_t *bytes, size_t length)
{
	int error = 0;

	while (length && !error) {
		size_t part = 0;

		while (part < length && part < BLOCKS_MAX) {
			struct truth_block block;

			memcpy(&block, bytes + part, sizeof(block));
			part += block.size;
		}
		error = put_section(writer, TRUTH_PACKED_BLOCKS, NULL, bytes, part);
		bytes += part;
		length -= part;
	}
	return error;
}

int truth_writer_stream(struct truth_writer *writer, const struct truth_stream *head,
			const uint8_t *bytes, size_t length)
{
	int error = put_section(writer, TRUTH_PACKED_STREAM, head, bytes, length);

	return error ? error : flush(writer);
}

int truth_writer_close(struct truth_writer *writer, bool complete)
{
	const struct truth_section end = {.type = TRUTH_END};
	int error = 0;

	if (!writer)
		return 0;
	if (complete)
		error = put(writer, &end, sizeof(end));
	errno = 0;
	if (fclose(writer->file) && !error)
		error = write_error();
	ZSTD_freeCCtx(writer->context);
	free(writer->frame);
	free(writer);
	return error;
}
