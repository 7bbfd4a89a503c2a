// SPDX-License-Identifier: GPL-2.0-only
/* Sections of the ground-truth log that are Zstandard frames. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "truth_private.h"

static bool unpack(uint8_t *to, size_t length, const uint8_t *frame, size_t size)
{
	return ZSTD_decompress(to, length, frame, size) == length;
}

static struct truth_slot *oldest(struct truth_cache *cache)
{
	struct truth_slot *slot = &cache->slots[0];

	for (size_t i = 1; i < TRUTH_SLOTS; i++) {
		if (cache->slots[i].stamp < slot->stamp)
			slot = &cache->slots[i];
	}
	return slot;
}

struct truth_slot *truth_cache_get(struct truth_cache *cache, size_t key, const uint8_t *frame,
				   size_t size, size_t length)
{
	struct truth_slot *slot;

	for (size_t i = 0; i < TRUTH_SLOTS; i++) {
		if (cache->slots[i].stamp && cache->slots[i].key == key)
			return &cache->slots[i];
	}
	slot = oldest(cache);
	slot->stamp = 0;
	if (slot->room < length || !slot->bytes) {
		free(slot->bytes);
		slot->room = length;
		slot->bytes = malloc(length ? length : 1);
	}
	if (!slot->bytes || !unpack(slot->bytes, length, frame, size))
		return NULL;
	slot->key = key;
	slot->stamp = ++cache->last;
	return slot;
}

void truth_cache_free(struct truth_cache *cache)
{
	for (size_t i = 0; cache && i < TRUTH_SLOTS; i++)
		free(cache->slots[i].bytes);
	free(cache);
}

uint64_t truth_unpacked_size(const uint8_t *bytes, size_t size)
{
	struct truth_packed packed;

	if (size < sizeof(packed))
		return 0;
	memcpy(&packed, bytes, sizeof(packed));
	return packed.length > TRUTH_PACKED_MAX ? 0 : packed.length;
}

uint8_t *truth_unpack(const uint8_t *bytes, size_t size, size_t *length)
{
	struct truth_packed packed;
	uint8_t *to;

	if (size < sizeof(packed))
		return NULL;
	memcpy(&packed, bytes, sizeof(packed));
	if (packed.length > TRUTH_PACKED_MAX)
		return NULL;
	*length = (size_t)packed.length;
	to = malloc(*length ? *length : 1);
	if (!to || unpack(to, *length, bytes + sizeof(packed), size - sizeof(packed)))
		return to;
	free(to);
	return NULL;
}
