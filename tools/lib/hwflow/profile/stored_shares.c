// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Shares of calling contexts: how often a block or an edge of a stored profile was executed in
 * each. */
#include <stdlib.h>

#include "profile/profile_private.h"
#include "profile/stored_private.h"

/* The first size of the hash table */
#define LEAST_SLOTS 256u

void hwf_stored_free_shares(struct hwf_stored_shares *shares)
{
	free(shares->items);
	free(shares->slots);
}

void hwf_stored_profile_keep_context_counts(struct hwf_stored_profile *stored)
{
	stored->contexts.kept = true;
	stored->contexts.has_counts = true;
}

bool hwf_stored_profile_has_context_counts(const struct hwf_stored_profile *stored)
{
	return stored->contexts.has_counts;
}

/* The slot that has the share of an item in a context, or is free for it */
static uint32_t *slot_of(const struct hwf_stored_shares *shares, uint32_t context, uint32_t item)
{
	const uint64_t hash = ((uint64_t)context << 32 | item) * UINT64_C(0x9e3779b97f4a7c15);
	const size_t mask = shares->slot_count - 1;
	size_t slot = (size_t)(hash >> 32) & mask;

	while (shares->slots[slot] && (shares->items[shares->slots[slot] - 1].context != context ||
				       shares->items[shares->slots[slot] - 1].item != item))
		slot = (slot + 1) & mask;
	return &shares->slots[slot];
}

/* Makes the hash table of all shares, and of one more; false without memory. */
static bool make_slots(struct hwf_stored_shares *shares)
{
	size_t slot_count = LEAST_SLOTS;
	uint32_t *slots;

	while (slot_count < 4 * (shares->count + 1))
		slot_count *= 2;
	slots = calloc(slot_count, sizeof(*slots));
	if (!slots)
		return false;
	free(shares->slots);
	shares->slots = slots;
	shares->slot_count = slot_count;
	for (size_t i = 0; i < shares->count; i++)
		*slot_of(shares, shares->items[i].context, shares->items[i].item) = (uint32_t)i + 1;
	return true;
}

bool hwf_stored_append_share(struct hwf_stored_profile *stored, struct hwf_stored_shares *shares,
			     const struct hwf_stored_share *share)
{
	if (shares->count == shares->room) {
		const size_t room = 2 * shares->room + 64;
		struct hwf_stored_share *moved =
			room < UINT32_MAX ? realloc(shares->items, room * sizeof(*moved)) : NULL;

		if (!moved) {
			stored->failed = true;
			return false;
		}
		shares->items = moved;
		shares->room = room;
	}
	shares->items[shares->count++] = *share;
	return true;
}

static void add(struct hwf_stored_profile *stored, struct hwf_stored_shares *shares,
		const struct hwf_stored_share *share)
{
	struct hwf_stored_share *sum;
	uint32_t *slot;

	if (!share->item)
		return;
	if (2 * (shares->count + 1) > shares->slot_count && !make_slots(shares)) {
		stored->failed = true;
		return;
	}
	slot = slot_of(shares, share->context, share->item);
	if (!*slot) {
		if (!hwf_stored_append_share(stored, shares, share))
			return;
		*slot = (uint32_t)shares->count;
		shares->is_sorted = false;
		return;
	}
	sum = &shares->items[*slot - 1];
	sum->taken += share->taken;
	sum->not_taken += share->not_taken;
	sum->diverted += share->diverted;
}

uint32_t hwf_stored_profile_block_number(struct hwf_stored_profile *stored,
					 const struct hwf_profile_block *block)
{
	const struct hwf_profile_block *found = hwf_profile_block(stored->counts, block);

	return found ? (uint32_t)(found - stored->counts->blocks) + 1 : 0;
}

uint32_t hwf_stored_profile_edge_number(struct hwf_stored_profile *stored,
					const struct hwf_profile_edge *edge)
{
	const struct hwf_profile_edge *found = hwf_profile_edge(stored->counts, edge);

	return found ? (uint32_t)(found - stored->counts->edges) + 1 : 0;
}

void hwf_stored_profile_count_block(struct hwf_stored_profile *stored, uint32_t context,
				    uint32_t number, const struct hwf_profile_block *block)
{
	add(stored, &stored->contexts.blocks,
	    &(struct hwf_stored_share){.context = context,
				       .item = number,
				       .taken = block->taken,
				       .not_taken = block->not_taken,
				       .diverted = block->diverted});
}

void hwf_stored_profile_count_edge(struct hwf_stored_profile *stored, uint32_t context,
				   uint32_t number, uint64_t count)
{
	add(stored, &stored->contexts.edges,
	    &(struct hwf_stored_share){.context = context, .item = number, .taken = count});
}

void hwf_stored_add_shares(struct hwf_stored_profile *stored,
			   const struct hwf_stored_profile *other, const uint32_t *contexts,
			   const struct hwf_profile_file *const *joined)
{
	const struct hwf_stored_shares *blocks = &other->contexts.blocks;
	const struct hwf_stored_shares *edges = &other->contexts.edges;

	for (size_t i = 0; i < blocks->count; i++) {
		struct hwf_stored_share share = blocks->items[i];
		struct hwf_profile_block block = other->counts->blocks[share.item - 1];

		block.space = hwf_stored_joined_file(joined, block.space);
		share.context = contexts[share.context];
		share.item = hwf_stored_profile_block_number(stored, &block);
		add(stored, &stored->contexts.blocks, &share);
	}
	for (size_t i = 0; i < edges->count; i++) {
		struct hwf_stored_share share = edges->items[i];
		struct hwf_profile_edge edge = other->counts->edges[share.item - 1];

		edge.from_space = hwf_stored_joined_file(joined, edge.from_space);
		edge.to_space = hwf_stored_joined_file(joined, edge.to_space);
		share.context = contexts[share.context];
		share.item = hwf_stored_profile_edge_number(stored, &edge);
		add(stored, &stored->contexts.edges, &share);
	}
}

int hwf_stored_compare_shares(const void *a, const void *b)
{
	const struct hwf_stored_share *x = a, *y = b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

/* The index of the first share of a context. The shares are sorted first; their hash table does not
 * fit any more then. */
static size_t first_share(struct hwf_stored_shares *shares, uint32_t context)
{
	size_t low = 0, high = shares->count;

	if (!shares->is_sorted && shares->count) {
		qsort(shares->items, shares->count, sizeof(*shares->items),
		      hwf_stored_compare_shares);
		shares->slot_count = 0;
	}
	shares->is_sorted = true;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (shares->items[middle].context < context)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void hwf_stored_profile_context_counts(struct hwf_stored_profile *stored, uint32_t context,
				       struct hwf_profile *counts)
{
	struct hwf_stored_shares *blocks = &stored->contexts.blocks;
	struct hwf_stored_shares *edges = &stored->contexts.edges;

	for (size_t i = first_share(blocks, context);
	     i < blocks->count && blocks->items[i].context == context; i++) {
		const struct hwf_stored_share *share = &blocks->items[i];
		struct hwf_profile_block block = stored->counts->blocks[share->item - 1];

		block.taken = share->taken;
		block.not_taken = share->not_taken;
		block.diverted = share->diverted;
		hwf_profile_add_block(counts, &block);
	}
	for (size_t i = first_share(edges, context);
	     i < edges->count && edges->items[i].context == context; i++) {
		struct hwf_profile_edge edge = stored->counts->edges[edges->items[i].item - 1];

		edge.count = edges->items[i].taken;
		hwf_profile_add_edge(counts, &edge);
	}
}
