/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sections SHT_LLVM_BB_ADDR_MAP, of which "LLVM Extensions" has the layout. For each function:
 *
 *	version, features          1 byte each; from version 5 on features have 2
 *	number of ranges           only with a feature; else there is one
 *	  address, number of blocks
 *	    ID, offset from the end of the block before, calls, size, metadata
 *	frequencies                only with features
 *
 * Numbers are of LEB128, but for addresses. The size counts from the end of the last call.
 */
#include "block_map.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SHT_BB_ADDR_MAP 0x6fff4c0aU

enum { OLDEST = 2, NEWEST = 5, WIDE_FEATURES = 5 };

/* Features of a function */
enum {
	ENTRY_COUNT = 0x01,
	FREQUENCIES = 0x02,
	PROBABILITIES = 0x04,
	RANGES = 0x08,
	NO_BLOCKS = 0x10,
	CALLS = 0x20,
	HASHES = 0x40,
	KNOWN = 0x7f,
};

/**
 * struct reader - where a section is read
 * @at: the next byte
 * @end: behind the last
 * @map: receives the blocks
 * @block_room: map->blocks has room for so many
 * @entry_room: map->entries has room for so many
 * @error: what went wrong first; 0
 * @reason: of @error
 */
struct reader {
	const uint8_t *at;
	const uint8_t *end;
	struct block_map *map;
	size_t block_room;
	size_t entry_room;
	int error;
	const char *reason;
};

static void fail(struct reader *reader, int error, const char *reason)
{
	if (!reader->error) {
		reader->error = error;
		reader->reason = reason;
	}
	reader->at = reader->end;
}

/* A number of so many bytes, the lowest first */
static uint64_t get_fixed(struct reader *reader, size_t size)
{
	uint64_t value = 0;

	if ((size_t)(reader->end - reader->at) < size) {
		fail(reader, -EINVAL, "its map of basic blocks is cut off");
		return 0;
	}
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)*reader->at++ << 8 * i;
	return value;
}

static uint64_t get(struct reader *reader)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)get_fixed(reader, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

/* Memory for one item more; false without */
static bool make_room(struct reader *reader, void *array, size_t *room, size_t count, size_t size)
{
	void **const items = array;
	void *moved;

	if (count < *room)
		return true;
	moved = reallocarray(*items, 2 * count + 64, size);
	if (!moved) {
		fail(reader, -ENOMEM, "out of memory");
		return false;
	}
	*items = moved;
	*room = 2 * count + 64;
	return true;
}

static void add_block(struct reader *reader, uint64_t start, uint64_t end, uint64_t id)
{
	struct block_map *map = reader->map;

	if (end < start || id > UINT32_MAX) {
		fail(reader, -EINVAL, "its map of basic blocks is damaged");
		return;
	}
	if (!make_room(reader, &map->blocks, &reader->block_room, map->count, sizeof(*map->blocks)))
		return;
	map->blocks[map->count++] =
		(struct basic_block){start, end, (uint32_t)id, map->functions - 1};
}

/* Returns the end of the block, which follows @before. */
static uint64_t read_block(struct reader *reader, unsigned int features, uint64_t before)
{
	const uint64_t id = get(reader), start = before + get(reader);
	uint64_t end = start;

	for (uint64_t calls = features & CALLS ? get(reader) : 0; calls && !reader->error; calls--)
		end += get(reader);
	end += get(reader);
	get(reader);
	if (features & HASHES)
		get_fixed(reader, 8);
	if (!reader->error)
		add_block(reader, start, end, id);
	return end;
}

static void skip_frequencies(struct reader *reader, unsigned int features, uint64_t blocks)
{
	if (features & ENTRY_COUNT)
		get(reader);
	if (!(features & (FREQUENCIES | PROBABILITIES)))
		return;
	for (; blocks && !reader->error; blocks--) {
		if (features & FREQUENCIES)
			get(reader);
		for (uint64_t successors = features & PROBABILITIES ? get(reader) : 0;
		     successors && !reader->error; successors--) {
			get(reader);
			get(reader);
		}
	}
}

static void read_function(struct reader *reader)
{
	const uint64_t version = get_fixed(reader, 1);
	const unsigned int features =
		(unsigned int)get_fixed(reader, version < WIDE_FEATURES ? 1 : 2);
	uint64_t ranges = 1, all = 0;
	struct block_map *map = reader->map;

	if (version < OLDEST || version > NEWEST || features & ~(unsigned int)KNOWN) {
		fail(reader, -EOPNOTSUPP, "its map of basic blocks is of an unknown version");
		return;
	}
	if (!make_room(reader, &map->entries, &reader->entry_room, map->functions,
		       sizeof(*map->entries)))
		return;
	map->functions++;
	if (features & RANGES)
		ranges = get(reader);
	for (uint64_t i = 0; i < ranges && !reader->error; i++) {
		uint64_t at = get_fixed(reader, 8);
		uint64_t blocks = features & NO_BLOCKS ? 0 : get(reader);

		if (!i)
			map->entries[map->functions - 1] = at;
		all += blocks;
		for (; blocks && !reader->error; blocks--)
			at = read_block(reader, features, at);
	}
	skip_frequencies(reader, features, all);
}

/*
 * Blocks of a function that begin at one address are in the order in which the compiler has them:
 * the empty ones fall through to the last.
 */
static int compare_blocks(const void *a, const void *b)
{
	const struct basic_block *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* Two blocks that overlap are of functions that the linker has folded, or has left out at 0. */
static void sort(struct block_map *map)
{
	size_t count = 0;

	if (map->count)
		qsort(map->blocks, map->count, sizeof(*map->blocks), compare_blocks);
	for (size_t i = 0; i < map->count; i++)
		if (!count || map->blocks[count - 1].end <= map->blocks[i].start)
			map->blocks[count++] = map->blocks[i];
	map->count = count;
}

int block_map_read(struct block_map *map, const uint8_t *bytes, size_t size, const char **reason)
{
	Elf *elf = elf_memory((char *)(uintptr_t)bytes, size);
	struct reader reader = {.map = map};
	Elf_Scn *section = NULL;
	bool found = false;
	GElf_Shdr header;

	*map = (struct block_map){0};
	while (elf && (section = elf_nextscn(elf, section)) && !reader.error) {
		const Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_BB_ADDR_MAP)
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf)
			continue;
		found = true;
		reader.at = data->d_buf;
		reader.end = reader.at + data->d_size;
		while (reader.at < reader.end)
			read_function(&reader);
	}
	elf_end(elf);
	*reason = reader.reason;
	if (reader.error)
		return reader.error;
	sort(map);
	return found ? 0 : -ENOENT;
}

const struct basic_block *block_map_find(const struct block_map *map, uint64_t address)
{
	size_t low = 0, high = map->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (map->blocks[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < map->blocks[low - 1].end ? &map->blocks[low - 1] : NULL;
}

void block_map_free(struct block_map *map)
{
	free(map->blocks);
	free(map->entries);
	*map = (struct block_map){0};
}
