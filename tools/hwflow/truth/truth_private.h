/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the reader of the log and who makes one. */
#ifndef HWFLOW_TRUTH_PRIVATE_H
#define HWFLOW_TRUTH_PRIVATE_H

#include "truth.h"

/** struct truth_block_info - a block; @opcodes NULL where the number is not used */
struct truth_block_info {
	uint64_t pc;
	const uint32_t *opcodes;
	uint32_t count;
	uint8_t isa;
	uint8_t size;
};

/**
 * struct truth_table - blocks by number
 * @blocks: theirs
 * @count: how many entries there are
 * @limit: no number is as high; the caller's to set
 */
struct truth_table {
	struct truth_block_info *blocks;
	size_t count;
	uint64_t limit;
};

/**
 * truth_table_add() - take in records of blocks
 * @table: receives them; their opcodes stay where they are
 * @bytes: the records
 * @length: how much
 * @zeros_end: zeros end the records, as in a file that is being written
 * @used: receives the bytes of the records; on an error, the offset of the bad one
 *
 * Return: NULL, or what is wrong.
 */
const char *truth_table_add(struct truth_table *table, const uint8_t *bytes, size_t length,
			    bool zeros_end, size_t *used);

/**
 * truth_decode() - one event of a stream
 * @table: blocks
 * @cursor: moved behind it; not moved on an error
 * @event: receives it
 * @error: receives what is wrong
 *
 * Return: 1; 0 at the end; -EINVAL.
 */
int truth_decode(const struct truth_table *table, struct truth_cursor *cursor,
		 struct truth_event *event, const char **error);

/**
 * truth_pass() - past blocks that were executed, as long as each is executed as a whole
 * @table: blocks
 * @cursor: stops before the first event that is something else
 * @steps: instructions at most; those that were passed are subtracted
 */
void truth_pass(const struct truth_table *table, struct truth_cursor *cursor, uint64_t *steps);

/** TRUTH_SLOTS - packed sections that are unpacked at the same time */
#define TRUTH_SLOTS 4

/** struct truth_slot - one of them; @stamp: differs whenever it holds another, 0: it holds none */
struct truth_slot {
	uint8_t *bytes;
	size_t room;
	uint64_t stamp;
	size_t key;
};

/**
 * struct truth_cache - packed sections of streams that are being read
 * @slots: they
 * @last: stamp given last; the slot used least recently has the lowest
 */
struct truth_cache {
	struct truth_slot slots[TRUTH_SLOTS];
	uint64_t last;
};

/**
 * truth_cache_get() - unpack a section, unless it is unpacked
 * @cache: receives it
 * @key: number of the section
 * @frame: its Zstandard frame
 * @size: bytes of that
 * @length: bytes that it unpacks to
 *
 * Return: the slot, NULL if it is damaged or there is no memory.
 */
struct truth_slot *truth_cache_get(struct truth_cache *cache, size_t key, const uint8_t *frame,
				   size_t size, size_t length);

/** truth_cache_free() - free what it holds; NULL is allowed */
void truth_cache_free(struct truth_cache *cache);

/** truth_unpacked_size() - bytes that a section of blocks unpacks to; 0 if it is damaged */
uint64_t truth_unpacked_size(const uint8_t *bytes, size_t size);

/**
 * truth_unpack() - unpack a section of blocks
 * @bytes: struct truth_packed and the frame
 * @size: bytes of them
 * @length: receives the bytes of the result
 *
 * Return: the caller's to free; NULL if it is damaged.
 */
uint8_t *truth_unpack(const uint8_t *bytes, size_t size, size_t *length);

#endif /* HWFLOW_TRUTH_PRIVATE_H */
