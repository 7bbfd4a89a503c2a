/* SPDX-License-Identifier: GPL-2.0-only */
/* Data in xz's format that is made here, byte by byte; each cut and each damaged byte is survived.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/xz_size.h"

enum { ROOM = 4096, CHECK_NONE = 0, CHECK_CRC64 = 4, DICTIONARY_64M = 28 };

/* struct stream - data that is made */
struct stream {
	uint8_t bytes[ROOM];
	size_t size;
};

static void put(struct stream *stream, uint8_t byte)
{
	assert_true(stream->size < ROOM);
	stream->bytes[stream->size++] = byte;
}

static void put_many(struct stream *stream, size_t count)
{
	while (count--)
		put(stream, 0xee);
}

static void begin(struct stream *stream, uint8_t check)
{
	static const uint8_t magic[] = {0xfd, '7', 'z', 'X', 'Z', 0, 0};

	stream->size = 0;
	for (size_t i = 0; i < sizeof(magic); i++)
		put(stream, magic[i]);
	put(stream, check);
	put_many(stream, 4);
}

/* The head of a block of 12 bytes: LZMA2 alone */
static void put_head(struct stream *stream, uint8_t dictionary)
{
	put(stream, 2);
	put(stream, 0);
	put(stream, 0x21);
	put(stream, 1);
	put(stream, dictionary);
	put_many(stream, 7);
}

static void put_plain(struct stream *stream, uint16_t size)
{
	put(stream, 1);
	put(stream, (uint8_t)((size - 1) >> 8));
	put(stream, (uint8_t)(size - 1));
	put_many(stream, size);
}

/* A chunk of LZMA with new properties: so many bytes become @size */
static void put_packed(struct stream *stream, uint32_t size, uint16_t packed)
{
	put(stream, (uint8_t)(0xe0 | (size - 1) >> 16));
	put(stream, (uint8_t)((size - 1) >> 8));
	put(stream, (uint8_t)(size - 1));
	put(stream, (uint8_t)((packed - 1) >> 8));
	put(stream, (uint8_t)(packed - 1));
	put_many(stream, (size_t)packed + 1);
}

static void end_block(struct stream *stream, size_t check)
{
	put(stream, 0);
	while (stream->size % 4)
		put(stream, 0);
	put_many(stream, check);
}

static uint64_t bound_of(const struct stream *stream, size_t size)
{
	/* in memory of its own, so that a read behind its end is reported */
	uint8_t *copy = malloc(size ? size : 1);
	uint64_t bound;

	assert_non_null(copy);
	memcpy(copy, stream->bytes, size);
	bound = xz_size(copy, size);
	free(copy);
	return bound;
}

/* Two blocks: 10 + 300 + 2 MB, and 5 */
static void make(struct stream *stream)
{
	begin(stream, CHECK_CRC64);
	put_head(stream, DICTIONARY_64M);
	put_plain(stream, 10);
	put_plain(stream, 300);
	put_packed(stream, 1 << 21, 200);
	end_block(stream, 8);
	put_head(stream, 0);
	put_plain(stream, 5);
	end_block(stream, 8);
	put(stream, 0);
	put_many(stream, 20);
}

static void chunks_are_added(void **state)
{
	struct stream stream;

	(void)state;
	make(&stream);
	assert_int_equal(bound_of(&stream, stream.size), 10 + 300 + (1 << 21) + 5);
	begin(&stream, CHECK_NONE);
	put_head(&stream, 0);
	put_plain(&stream, 7);
	end_block(&stream, 0);
	put(&stream, 0);
	assert_int_equal(bound_of(&stream, stream.size), 7);
}

static void other_formats_have_no_bound(void **state)
{
	struct stream stream;

	(void)state;
	make(&stream);
	stream.bytes[0] ^= 1;
	assert_int_equal(bound_of(&stream, stream.size), UINT64_MAX);
	/* a dictionary that is too large; a filter that is not LZMA2; an unknown chunk */
	make(&stream);
	stream.bytes[16] = DICTIONARY_64M + 1;
	assert_int_equal(bound_of(&stream, stream.size), UINT64_MAX);
	make(&stream);
	stream.bytes[14] = 0x20;
	assert_int_equal(bound_of(&stream, stream.size), UINT64_MAX);
	make(&stream);
	stream.bytes[24] = 3;
	assert_int_equal(bound_of(&stream, stream.size), UINT64_MAX);
}

static void cut_and_damaged_data_is_survived(void **state)
{
	struct stream stream;
	uint64_t whole;

	(void)state;
	make(&stream);
	whole = bound_of(&stream, stream.size);
	for (size_t size = 0; size < stream.size; size++) {
		const uint64_t bound = bound_of(&stream, size);

		/* no more than whole data, or no bound */
		assert_true(bound <= whole || bound == UINT64_MAX);
	}
	for (size_t i = 0; i < stream.size; i++)
		for (unsigned int value = 0; value < 256; value++) {
			make(&stream);
			stream.bytes[i] = (uint8_t)value;
			bound_of(&stream, stream.size);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_are_added),
		cmocka_unit_test(other_formats_have_no_bound),
		cmocka_unit_test(cut_and_damaged_data_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
