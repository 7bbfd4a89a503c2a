// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Calling contexts of a stored profile: a tree of calls, of which each node has a number. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "profile/stored_private.h"

/* The first size of the hash table */
#define LEAST_SLOTS 256u

/* Nodes of the tree are in the array as well. */
static void free_nothing(void *node)
{
	(void)node;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

void hwf_stored_free_contexts(struct hwf_stored_contexts *contexts)
{
	tdestroy(contexts->name_tree, free_nothing);
	for (size_t i = 0; i < contexts->name_count; i++)
		free(contexts->names[i]);
	hwf_stored_free_shares(&contexts->blocks);
	hwf_stored_free_shares(&contexts->edges);
	free(contexts->names);
	free(contexts->slots);
	free(contexts->items);
}

void hwf_stored_profile_keep_contexts(struct hwf_stored_profile *stored)
{
	stored->contexts.kept = true;
}

bool hwf_stored_profile_has_contexts(const struct hwf_stored_profile *stored)
{
	return stored->contexts.kept;
}

const struct hwf_profile_context *hwf_stored_profile_next_context(
	const struct hwf_stored_profile *stored, size_t *at)
{
	return *at < stored->contexts.count ? &stored->contexts.items[++*at] : NULL;
}

/* The copy of a name that the profile has; NULL without memory */
static const char *name_of(struct hwf_stored_profile *stored, const char *name)
{
	struct hwf_stored_contexts *contexts = &stored->contexts;
	char **node = tfind(name, &contexts->name_tree, compare_names), *added;

	if (node)
		return *node;
	if (!hwf_stored_make_room(stored, &contexts->names, &contexts->name_room,
				  contexts->name_count))
		return NULL;
	added = strdup(name);
	if (!added || !tsearch(added, &contexts->name_tree, compare_names)) {
		free(added);
		stored->failed = true;
		return NULL;
	}
	contexts->names[contexts->name_count++] = added;
	return added;
}

/* Members that have no meaning for a context have one value. */
static struct hwf_profile_context key_of(const struct hwf_profile_context *context)
{
	struct hwf_profile_context key = *context;

	if (!key.caller)
		key.site_file = NULL;
	if (!key.site_file)
		key.site = 0;
	if (key.file)
		key.name = NULL;
	else
		key.entry = 0;
	if (!key.file && !key.name)
		key.name = "";
	return key;
}

static uint64_t hash_of(const struct hwf_profile_context *key)
{
	const uint64_t words[] = {
		key->site,
		key->entry,
		(uintptr_t)key->site_file,
		(uintptr_t)key->file,
		(uint64_t)key->open << 32 | key->caller,
		key->name ? XXH3_64bits(key->name, strlen(key->name)) : 0,
	};

	return XXH3_64bits(words, sizeof(words));
}

static bool is_same(const struct hwf_profile_context *a, const struct hwf_profile_context *b)
{
	return a->caller == b->caller && a->site == b->site && a->entry == b->entry &&
	       a->site_file == b->site_file && a->file == b->file && a->open == b->open &&
	       (a->file || !strcmp(a->name, b->name));
}

/* The slot that has a context, or is free for it */
static uint32_t *slot_of(const struct hwf_stored_contexts *contexts,
			 const struct hwf_profile_context *key)
{
	const size_t mask = contexts->slot_count - 1;
	size_t slot = hash_of(key) & mask;

	while (contexts->slots[slot] && !is_same(&contexts->items[contexts->slots[slot]], key))
		slot = (slot + 1) & mask;
	return &contexts->slots[slot];
}

/* Makes the hash table of all contexts, and of one more; false without memory. */
static bool make_slots(struct hwf_stored_contexts *contexts)
{
	size_t slot_count = LEAST_SLOTS;
	uint32_t *slots;

	while (slot_count < 4 * (contexts->count + 1))
		slot_count *= 2;
	slots = calloc(slot_count, sizeof(*slots));
	if (!slots)
		return false;
	free(contexts->slots);
	contexts->slots = slots;
	contexts->slot_count = slot_count;
	for (uint32_t i = 1; i <= contexts->count; i++)
		*slot_of(contexts, &contexts->items[i]) = i;
	return true;
}

bool hwf_stored_append_context(struct hwf_stored_profile *stored,
			       const struct hwf_profile_context *context)
{
	struct hwf_stored_contexts *contexts = &stored->contexts;
	struct hwf_profile_context added = *context;

	if (contexts->count + 1 >= contexts->room) {
		const size_t room = 2 * contexts->room + 64;
		struct hwf_profile_context *moved =
			room < UINT32_MAX ? realloc(contexts->items, room * sizeof(*moved)) : NULL;

		if (!moved) {
			stored->failed = true;
			return false;
		}
		contexts->items = moved;
		contexts->room = room;
	}
	if (!added.file) {
		added.name = name_of(stored, added.name);
		if (!added.name)
			return false;
	}
	contexts->items[++contexts->count] = added;
	return true;
}

uint32_t hwf_stored_profile_context(struct hwf_stored_profile *stored,
				    const struct hwf_profile_context *context)
{
	struct hwf_stored_contexts *contexts = &stored->contexts;
	const struct hwf_profile_context key = key_of(context);
	uint32_t *slot;

	contexts->kept = true;
	if (2 * (contexts->count + 1) > contexts->slot_count && !make_slots(contexts)) {
		stored->failed = true;
		return 0;
	}
	slot = slot_of(contexts, &key);
	if (*slot) {
		hwf_stored_profile_add_to_context(stored, *slot, key.calls, key.instructions);
		return *slot;
	}
	if (!hwf_stored_append_context(stored, &key))
		return 0;
	*slot = (uint32_t)contexts->count;
	return *slot;
}

uint32_t hwf_stored_profile_find_context(const struct hwf_stored_profile *stored,
					 const struct hwf_profile_context *context)
{
	const struct hwf_profile_context key = key_of(context);

	return stored->contexts.slot_count ? *slot_of(&stored->contexts, &key) : 0;
}

void hwf_stored_profile_add_to_context(struct hwf_stored_profile *stored, uint32_t number,
				       uint64_t calls, uint64_t instructions)
{
	struct hwf_profile_context *context = &stored->contexts.items[number];

	if (!number)
		return;
	context->calls += calls;
	context->instructions += instructions;
}

void hwf_stored_add_contexts(struct hwf_stored_profile *stored,
			     const struct hwf_stored_profile *other,
			     const struct hwf_profile_file *const *joined)
{
	uint32_t *numbers = calloc(other->contexts.count + 1, sizeof(*numbers));

	if (!numbers)
		stored->failed = true;
	for (size_t i = 1; numbers && i <= other->contexts.count && !stored->failed; i++) {
		struct hwf_profile_context here = other->contexts.items[i];

		here.caller = numbers[here.caller];
		here.site_file = hwf_stored_joined_file(joined, here.site_file);
		here.file = hwf_stored_joined_file(joined, here.file);
		numbers[i] = hwf_stored_profile_context(stored, &here);
	}
	if (numbers)
		hwf_stored_add_shares(stored, other, numbers, joined);
	free(numbers);
}
