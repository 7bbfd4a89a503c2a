/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The .xz file format: a stream is a head of 12 bytes, blocks, an index that begins with a zero
 * byte, and a tail. A block is a head, chunks of LZMA2 up to one that begins with a zero byte,
 * padding to a multiple of four bytes, and a check.
 */
#include "xz_size.h"

#include <stdbool.h>
#include <string.h>

#define STREAM_HEAD  12u
#define FILTER_LZMA2 0x21u

/* bits of the flags in the head of a block */
#define BLOCK_FILTERS      0x03u
#define BLOCK_COMPRESSED   0x40u
#define BLOCK_DECOMPRESSED 0x80u

/* Larger dictionaries than that of xz -9 are no format of MiniDebugInfo. */
#define DICTIONARY_MAX 28u /* 64 MB */

/* first bytes of a chunk: the end, data as it is with and without a new dictionary, else LZMA */
enum chunk {
	CHUNK_END = 0,
	CHUNK_PLAIN_RESET = 1,
	CHUNK_PLAIN = 2,
	CHUNK_LZMA = 0x80,
	CHUNK_LZMA_PROPERTIES = 0xc0,
};

/* struct reader - where the data is read */
struct reader {
	const uint8_t *bytes;
	size_t size;
	size_t at;
	bool bad;
};

static uint8_t take_byte(struct reader *reader)
{
	if (reader->at >= reader->size)
		reader->bad = true;
	return reader->bad ? 0 : reader->bytes[reader->at++];
}

static uint32_t take_size(struct reader *reader)
{
	const uint32_t high = take_byte(reader);

	return (high << 8 | take_byte(reader)) + 1;
}

static void skip(struct reader *reader, size_t count)
{
	if (count > reader->size - reader->at)
		reader->bad = true;
	else
		reader->at += count;
}

static uint64_t take_number(struct reader *reader)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 63; shift += 7) {
		const uint8_t byte = take_byte(reader);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	reader->bad = true;
	return 0;
}

/* The head of a block, whose filters end with LZMA2. Those before it do not change the size. */
static void take_head(struct reader *reader)
{
	const size_t start = reader->at;
	const size_t size = ((size_t)take_byte(reader) + 1) * 4;
	const uint8_t flags = take_byte(reader);
	bool lzma2 = false;

	if (flags & BLOCK_COMPRESSED)
		take_number(reader);
	if (flags & BLOCK_DECOMPRESSED)
		take_number(reader);
	for (unsigned int i = 0; i <= (flags & BLOCK_FILTERS) && !reader->bad; i++) {
		const uint64_t filter = take_number(reader), properties = take_number(reader);

		lzma2 = filter == FILTER_LZMA2 && properties == 1;
		if (lzma2 && (take_byte(reader) > DICTIONARY_MAX))
			reader->bad = true;
		else if (!lzma2 && properties <= size)
			skip(reader, (size_t)properties);
	}
	if (!lzma2 || reader->at > start + size)
		reader->bad = true;
	reader->at = start;
	skip(reader, size);
}

/* The sum of the chunks' sizes */
static uint64_t take_chunks(struct reader *reader)
{
	uint64_t sum = 0;

	while (!reader->bad) {
		const uint8_t control = take_byte(reader);
		uint32_t size;

		if (control == CHUNK_END)
			break;
		if (control < CHUNK_LZMA && control > CHUNK_PLAIN)
			reader->bad = true;
		size = take_size(reader);
		if (control < CHUNK_LZMA) {
			skip(reader, size);
		} else {
			size += (uint32_t)(control & 0x1f) << 16;
			skip(reader, take_size(reader) + (control >= CHUNK_LZMA_PROPERTIES));
		}
		sum += size;
	}
	return sum;
}

/* Bytes of the check of each block, by the flags of the stream */
static size_t check_size(uint8_t flags)
{
	static const uint8_t sizes[] = {0, 4, 8, 16, 32, 64};

	return sizes[((flags & 0xf) + 2) / 3];
}

uint64_t xz_size(const uint8_t *bytes, size_t size)
{
	static const uint8_t magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
	struct reader reader = {.bytes = bytes, .size = size, .at = STREAM_HEAD};
	uint64_t sum = 0;
	size_t check;

	if (size < STREAM_HEAD || memcmp(bytes, magic, sizeof(magic)) != 0)
		return UINT64_MAX;
	check = check_size(bytes[7]);
	/* no byte: the data is cut, and the decoder stops here as well */
	while (!reader.bad && reader.at < size && bytes[reader.at]) {
		take_head(&reader);
		sum += take_chunks(&reader);
		skip(&reader, -reader.at % 4);
		skip(&reader, check);
	}
	return reader.bad ? UINT64_MAX : sum;
}
