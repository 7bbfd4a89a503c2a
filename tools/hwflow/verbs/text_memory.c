/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts that are kept: a table by a hash of what they follow from. */
#include "text_memory.h"

#include <errno.h>
#include <stdlib.h>

/* texts kept; a power of two */
#define ENTRIES_LOG2 15
#define ENTRIES      (1u << ENTRIES_LOG2)

struct text_memory {
	struct text_entry entries[ENTRIES];
};

int text_memory_new(struct text_memory **result)
{
	*result = calloc(1, sizeof(**result));
	return *result ? 0 : -ENOMEM;
}

struct text_entry *text_memory_at(struct text_memory *memory, const struct text_key *key)
{
	/* multiplication by 2^64 / golden ratio: the upper bits depend on all of the lower ones */
	const uint64_t hash =
		(key->from ^ key->to << 21 ^ key->what) * UINT64_C(0x9e3779b97f4a7c15);

	return &memory->entries[hash >> (64 - ENTRIES_LOG2)];
}

void text_memory_keep(struct text_entry *entry, const struct text_key *key, const char *start,
		      uint64_t flushes, const struct text *out)
{
	const size_t size = (size_t)(out->hwf.at - start);

	if (out->hwf.flushes != flushes || size > TEXT_MEMORY_LONGEST)
		return;
	entry->size = 0;
	if (size > entry->room) {
		const size_t room = (size + 63) / 64 * 64;
		char *text = realloc(entry->text, room);

		if (!text)
			return;
		entry->text = text;
		entry->room = (uint32_t)room;
	}
	memcpy(entry->text, start, size);
	entry->key = *key;
	entry->size = (uint32_t)size;
	entry->word = 0;
}

void text_memory_free(struct text_memory *memory)
{
	for (size_t i = 0; memory && i < ENTRIES; i++)
		free(memory->entries[i].text);
	free(memory);
}
