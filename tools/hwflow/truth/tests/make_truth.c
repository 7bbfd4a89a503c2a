// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_truth KIND COUNT FILE - write a ground-truth log whose sections ask for more time or memory
 * than their number explains.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "hwflow/flow.h"
#include "truth/truth_format.h"

/* Instructions of the blocks that unpack to much */
#define BLOCK_COUNT 60000u

static void put(FILE *file, const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, file) != size) {
		perror("make_truth");
		exit(1);
	}
}

static void put_section(FILE *file, uint32_t type, size_t length)
{
	const struct truth_section section = {.type = type, .length = length};

	put(file, &section, sizeof(section));
}

static void put_padding(FILE *file, size_t length)
{
	static const uint8_t zeros[8];

	put(file, zeros, -length & 7);
}

/* A stream each of as many threads, in which nothing is executed */
static void make_threads(FILE *file, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct truth_stream stream = {.pid = (int32_t)i + 1, .tid = (int32_t)i + 1};

		put_section(file, TRUTH_STREAM, sizeof(stream));
		put(file, &stream, sizeof(stream));
	}
}

/* A stream each of as many CPUs */
static void make_cpus(FILE *file, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct truth_stream stream = {.pid = -1, .tid = (int32_t)i};

		put_section(file, TRUTH_STREAM, sizeof(stream));
		put(file, &stream, sizeof(stream));
	}
}

/* As many streams of one thread, the last part first */
static void make_parts(FILE *file, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct truth_stream stream = {
			.pid = 1, .tid = 1, .part = (uint32_t)(count - i)};

		put_section(file, TRUTH_STREAM, sizeof(stream));
		put(file, &stream, sizeof(stream));
	}
}

/* As many blocks of zeros, which are packed to nearly nothing: sixty in a section */
static void make_blocks(FILE *file, size_t count)
{
	const size_t room = 60 * (sizeof(struct truth_block) + 4 * (size_t)BLOCK_COUNT);
	uint8_t *bytes = calloc(1, room), *frame = malloc(ZSTD_compressBound(room));
	size_t size = 0, packed_size;

	for (size_t i = 0; i < count && bytes && frame; i++) {
		const struct truth_block block = {
			.size = sizeof(block) + sizeof(uint32_t) * BLOCK_COUNT,
			.number = (uint32_t)i,
			.pc = 0x400000,
			.isa = HWF_ISA_A64,
			.count = BLOCK_COUNT,
		};
		struct truth_packed packed;

		memcpy(bytes + size, &block, sizeof(block));
		size += block.size;
		if (size < room && i + 1 < count)
			continue;
		packed.length = size;
		packed_size = ZSTD_compress(frame, ZSTD_compressBound(room), bytes, size, 3);
		put_section(file, TRUTH_PACKED_BLOCKS, sizeof(packed) + packed_size);
		put(file, &packed, sizeof(packed));
		put(file, frame, packed_size);
		put_padding(file, packed_size);
		size = 0;
	}
	free(bytes);
	free(frame);
}

/* struct kind - what can be made */
struct kind {
	const char *name;
	void (*make)(FILE *file, size_t count);
};

static const struct kind kinds[] = {
	{"threads", make_threads},
	{"cpus", make_cpus},
	{"parts", make_parts},
	{"blocks", make_blocks},
};

int main(int argc, char **argv)
{
	const struct truth_head head = {TRUTH_MAGIC, TRUTH_VERSION_PACKED, sizeof(head)};

	for (size_t i = 0; argc == 4 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		FILE *file;

		if (strcmp(kinds[i].name, argv[1]) != 0)
			continue;
		file = fopen(argv[3], "wb");
		if (!file) {
			perror(argv[3]);
			return 1;
		}
		put(file, &head, sizeof(head));
		kinds[i].make(file, strtoull(argv[2], NULL, 10));
		put_section(file, TRUTH_END, 0);
		return fclose(file) ? 1 : 0;
	}
	fputs("usage: make_truth KIND COUNT FILE\n", stderr);
	return 1;
}
