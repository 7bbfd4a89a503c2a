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

#endif /* HWFLOW_TRUTH_PRIVATE_H */
