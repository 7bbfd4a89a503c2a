/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* How the items of a .hwprof file are written; Documentation/profile-format.rst has the layout. */
#ifndef HWF_STORED_PUT_H
#define HWF_STORED_PUT_H

#include <stdlib.h>
#include <string.h>

#include "profile/stored_private.h"

/**
 * struct payload - what is compressed
 * @bytes: so far
 * @size: how many
 * @room: for how many there is room
 * @failed: memory ran out
 */
struct payload {
	uint8_t *bytes;
	size_t size;
	size_t room;
	bool failed;
};

static inline void put_bytes(struct payload *payload, const void *bytes, size_t size)
{
	if (payload->size + size > payload->room) {
		const size_t room = 2 * (payload->size + size) + 256;
		uint8_t *moved = realloc(payload->bytes, room);

		if (!moved) {
			payload->failed = true;
			return;
		}
		payload->bytes = moved;
		payload->room = room;
	}
	if (size)
		memcpy(payload->bytes + payload->size, bytes, size);
	payload->size += size;
}

/* Seven bits a byte, the lowest first; bit 7 says that more follow. */
static inline void put(struct payload *payload, uint64_t value)
{
	uint8_t bytes[10];
	size_t size = 0;

	while (value >= 0x80) {
		bytes[size++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	bytes[size++] = (uint8_t)value;
	put_bytes(payload, bytes, size);
}

/* A difference, whose sign becomes bit 0 */
static inline void put_difference(struct payload *payload, uint64_t to, uint64_t from)
{
	const uint64_t value = to - from;

	put(payload, value >> 63 ? ~(value << 1) : value << 1);
}

static inline void put_text(struct payload *payload, const char *text)
{
	put(payload, strlen(text));
	put_bytes(payload, text, strlen(text));
}

/* 0 is no file. */
static inline uint32_t rank_of(const void *space)
{
	const struct hwf_profile_file *file = space;

	return file ? file->number + 1 : 0;
}

static inline int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Blocks that have counts, and edges, in ascending order, for free(); NULL without memory. @count
 * receives how many. */
const struct hwf_profile_block **hwf_stored_sort_blocks(const struct hwf_profile *counts,
							size_t *count);
const struct hwf_profile_edge **hwf_stored_sort_edges(const struct hwf_profile *counts,
						      size_t *count);

/* The sections of contexts, and of their shares; false without memory */
bool hwf_stored_put_contexts(struct payload *payload, const struct hwf_stored_profile *stored);

#endif /* HWF_STORED_PUT_H */
