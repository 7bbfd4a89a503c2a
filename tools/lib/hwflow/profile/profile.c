/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Blocks and edges in two arrays, each with a hash table of indices. The counts of a graph are
 * appended without the table, and may be of items that the array has already. Items are looked up
 * by the table; before that it takes up what was appended:
 *
 *	items   |.........................|...........|
 *	        0                     indexed       count
 *	         each once                  appended
 */
#include <stdlib.h>
#include <string.h>

#include "profile/profile_private.h"

/* Slots of a table at first */
#define SLOTS 0x400u

/* A table with so many slots for each item is too large to be cleared often */
#define LARGE 16u

/* An empty slot; others have the index plus 1 */
#define EMPTY 0u

struct hwf_profile *hwf_profile_new(void)
{
	return calloc(1, sizeof(struct hwf_profile));
}

void hwf_profile_free(struct hwf_profile *profile)
{
	if (!profile)
		return;
	free(profile->blocks);
	free(profile->block_table.slots);
	free(profile->edges);
	free(profile->edge_table.slots);
	free(profile);
}

static void clear_table(struct hwf_profile_table *table)
{
	if (table->size > LARGE * (table->indexed + SLOTS)) {
		free(table->slots);
		table->slots = NULL;
		table->size = 0;
	} else if (table->indexed) {
		memset(table->slots, 0, table->size * sizeof(*table->slots));
	}
	table->indexed = 0;
}

void hwf_profile_clear(struct hwf_profile *profile)
{
	clear_table(&profile->block_table);
	clear_table(&profile->edge_table);
	profile->block_count = 0;
	profile->edge_count = 0;
	profile->latest.order = 0;
	profile->failed = false;
}

struct hwf_profile_times hwf_profile_times(const struct hwf_profile *profile)
{
	return (struct hwf_profile_times){profile->first_time, profile->latest.time};
}

void hwf_profile_set_times(struct hwf_profile *profile, const struct hwf_profile_times *times)
{
	profile->first_time = times->first;
	profile->latest.time = times->last;
}

bool hwf_profile_failed(const struct hwf_profile *profile)
{
	return profile->failed;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
	return a ^ a >> 32;
}

/* The address is mixed alone first: many blocks of one length have the same @start ^ @end. */
static uint64_t hash_block(const struct hwf_profile_block *block)
{
	return mix(mix(mix(block->start, 0), block->end), (uintptr_t)block->space);
}

static uint64_t hash_edge(const struct hwf_profile_edge *edge)
{
	return mix(mix(mix(edge->from, 0), edge->to), (uintptr_t)edge->to_space);
}

static bool same_insn(const struct hwf_insn *a, const struct hwf_insn *b)
{
	return a->target == b->target && a->kind == b->kind && a->sub == b->sub;
}

/* Code may have changed: the same addresses are another block then. */
static bool same_block(const struct hwf_profile_block *a, const struct hwf_profile_block *b)
{
	return a->start == b->start && a->end == b->end && a->space == b->space &&
	       a->isa == b->isa && a->p0 == b->p0 && a->instructions == b->instructions &&
	       same_insn(&a->insn, &b->insn);
}

static bool same_edge(const struct hwf_profile_edge *a, const struct hwf_profile_edge *b)
{
	return a->from == b->from && a->to == b->to && a->from_space == b->from_space &&
	       a->to_space == b->to_space && same_insn(&a->insn, &b->insn);
}

/* Slots for twice as many items as there are, all of them empty; false without memory */
static bool grow_table(struct hwf_profile_table *table, size_t count)
{
	size_t size = table->size ? table->size : SLOTS;
	uint32_t *slots;

	while (size < 2 * (count + 1))
		size *= 2;
	if (size == table->size)
		return true;
	slots = calloc(size, sizeof(*slots));
	if (!slots)
		return false;
	free(table->slots);
	*table = (struct hwf_profile_table){.slots = slots, .size = size};
	return true;
}

/* The slot of a block: it has the block, or it is empty and the table does not have the block. */
static uint32_t *block_slot(const struct hwf_profile *profile, const struct hwf_profile_block *key)
{
	const struct hwf_profile_table *table = &profile->block_table;
	size_t at = (size_t)hash_block(key) & (table->size - 1);

	while (table->slots[at] != EMPTY &&
	       !same_block(&profile->blocks[table->slots[at] - 1], key))
		at = (at + 1) & (table->size - 1);
	return &table->slots[at];
}

static uint32_t *edge_slot(const struct hwf_profile *profile, const struct hwf_profile_edge *key)
{
	const struct hwf_profile_table *table = &profile->edge_table;
	size_t at = (size_t)hash_edge(key) & (table->size - 1);

	while (table->slots[at] != EMPTY && !same_edge(&profile->edges[table->slots[at] - 1], key))
		at = (at + 1) & (table->size - 1);
	return &table->slots[at];
}

/* Adds the counts of a part of a block. */
static void add_part(struct hwf_profile_block *sum, const struct hwf_profile_block *part)
{
	sum->taken += part->taken;
	sum->not_taken += part->not_taken;
	sum->diverted += part->diverted;
	sum->recordings += part->recordings;
	sum->ranks += part->ranks;
	if (hwf_first_precedes(&part->first, &sum->first))
		sum->first = part->first;
}

/* The table takes up the blocks that were appended; false without memory. */
static bool index_blocks(struct hwf_profile *profile)
{
	struct hwf_profile_table *table = &profile->block_table;

	if (!grow_table(table, profile->block_count)) {
		profile->failed = true;
		return false;
	}
	while (table->indexed < profile->block_count) {
		struct hwf_profile_block *block = &profile->blocks[table->indexed];
		uint32_t *slot = block_slot(profile, block);

		if (*slot == EMPTY) {
			*slot = (uint32_t)++table->indexed;
			continue;
		}
		add_part(&profile->blocks[*slot - 1], block);
		*block = profile->blocks[--profile->block_count];
	}
	return true;
}

static bool index_edges(struct hwf_profile *profile)
{
	struct hwf_profile_table *table = &profile->edge_table;

	if (!grow_table(table, profile->edge_count)) {
		profile->failed = true;
		return false;
	}
	while (table->indexed < profile->edge_count) {
		struct hwf_profile_edge *edge = &profile->edges[table->indexed];
		uint32_t *slot = edge_slot(profile, edge);

		if (*slot == EMPTY) {
			*slot = (uint32_t)++table->indexed;
			continue;
		}
		profile->edges[*slot - 1].count += edge->count;
		*edge = profile->edges[--profile->edge_count];
	}
	return true;
}

/* Room for another item; false without memory */
static bool make_room(struct hwf_profile *profile, void *array, size_t *room, size_t count,
		      size_t size)
{
	void **const items = array;
	const size_t larger = 2 * count + 64;
	void *moved;

	if (count < *room)
		return true;
	moved = larger < UINT32_MAX ? realloc(*items, larger * size) : NULL;
	if (!moved) {
		profile->failed = true;
		return false;
	}
	*items = moved;
	*room = larger;
	return true;
}

struct hwf_profile_block *hwf_profile_append_block(struct hwf_profile *profile)
{
	if (!make_room(profile, &profile->blocks, &profile->block_room, profile->block_count,
		       sizeof(*profile->blocks)))
		return NULL;
	return &profile->blocks[profile->block_count++];
}

struct hwf_profile_edge *hwf_profile_append_edge(struct hwf_profile *profile)
{
	if (!make_room(profile, &profile->edges, &profile->edge_room, profile->edge_count,
		       sizeof(*profile->edges)))
		return NULL;
	return &profile->edges[profile->edge_count++];
}

/* Does the table have all items, and room for another one? */
static bool is_indexed(const struct hwf_profile_table *table, size_t count)
{
	return table->indexed == count && 2 * (count + 1) <= table->size;
}

struct hwf_profile_block *hwf_profile_block(struct hwf_profile *profile,
					    const struct hwf_profile_block *key)
{
	struct hwf_profile_table *table = &profile->block_table;
	struct hwf_profile_block *block;
	uint32_t *slot;

	if (!is_indexed(table, profile->block_count) && !index_blocks(profile))
		return NULL;
	slot = block_slot(profile, key);
	if (*slot != EMPTY)
		return &profile->blocks[*slot - 1];
	block = hwf_profile_append_block(profile);
	if (!block)
		return NULL;
	*block = (struct hwf_profile_block){
		.start = key->start,
		.end = key->end,
		.space = key->space,
		.insn = key->insn,
		.instructions = key->instructions,
		.isa = key->isa,
		.p0 = key->p0,
	};
	*slot = (uint32_t)++table->indexed;
	return block;
}

void hwf_profile_add_block(struct hwf_profile *profile, const struct hwf_profile_block *block)
{
	struct hwf_profile_block *sum = hwf_profile_block(profile, block);

	if (sum)
		add_part(sum, block);
}

struct hwf_profile_edge *hwf_profile_edge(struct hwf_profile *profile,
					  const struct hwf_profile_edge *key)
{
	struct hwf_profile_table *table = &profile->edge_table;
	struct hwf_profile_edge *edge;
	uint32_t *slot;

	if (!is_indexed(table, profile->edge_count) && !index_edges(profile))
		return NULL;
	slot = edge_slot(profile, key);
	if (*slot != EMPTY)
		return &profile->edges[*slot - 1];
	edge = hwf_profile_append_edge(profile);
	if (!edge)
		return NULL;
	*edge = *key;
	edge->count = 0;
	*slot = (uint32_t)++table->indexed;
	return edge;
}

void hwf_profile_add_edge(struct hwf_profile *profile, const struct hwf_profile_edge *edge)
{
	struct hwf_profile_edge *sum =
		hwf_profile_edge_follows(edge) ? NULL : hwf_profile_edge(profile, edge);

	if (sum)
		sum->count += edge->count;
}

const struct hwf_profile_block *hwf_profile_next_block(const struct hwf_profile *profile,
						       size_t *at)
{
	return *at < profile->block_count ? &profile->blocks[(*at)++] : NULL;
}

bool hwf_profile_next_edge(const struct hwf_profile *profile, size_t *at,
			   struct hwf_profile_edge *edge)
{
	while (*at < profile->block_count) {
		const struct hwf_profile_block *block = &profile->blocks[(*at)++];

		if (!block->p0 || block->taken == block->diverted ||
		    block->insn.kind != HWF_INSN_DIRECT)
			continue;
		*edge = (struct hwf_profile_edge){
			.from = block->end - block->insn.size,
			.to = block->insn.target,
			.from_space = block->space,
			.to_space = block->space,
			.count = block->taken - block->diverted,
			.insn = block->insn,
		};
		return true;
	}
	if (*at - profile->block_count >= profile->edge_count)
		return false;
	*edge = profile->edges[(*at)++ - profile->block_count];
	return true;
}
