/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Between the files that count into a profile. */
#ifndef HWF_PROFILE_PRIVATE_H
#define HWF_PROFILE_PRIVATE_H

#include "hwflow/profile.h"

/**
 * struct hwf_profile_table - hash table of an array
 * @slots: indices plus 1; 0 is empty
 * @size: number of slots, a power of two, or 0
 * @indexed: items of the array that are in the table: those below this index
 */
struct hwf_profile_table {
	uint32_t *slots;
	size_t size;
	size_t indexed;
};

/**
 * struct hwf_profile - see hwflow/profile.h
 * @blocks: those in @block_table are there once
 * @block_count: number of blocks
 * @block_room: blocks that the array has room for
 * @block_table: of @blocks
 * @edges: of indirect branches; those in @edge_table are there once
 * @edge_count: number of edges
 * @edge_room: edges that the array has room for
 * @edge_table: of @edges
 * @latest: the first execution of the block that was new last; its time is the last timestamp
 * @first_time: the first timestamp; 0 before it
 * @failed: memory ran out
 */
struct hwf_profile {
	struct hwf_profile_block *blocks;
	size_t block_count;
	size_t block_room;
	struct hwf_profile_table block_table;
	struct hwf_profile_edge *edges;
	size_t edge_count;
	size_t edge_room;
	struct hwf_profile_table edge_table;
	struct hwf_first latest;
	uint64_t first_time;
	bool failed;
};

/* The block of this key, added without counts if there is none; NULL without memory. */
struct hwf_profile_block *hwf_profile_block(struct hwf_profile *profile,
					    const struct hwf_profile_block *key);

/* The edge of this key, likewise. */
struct hwf_profile_edge *hwf_profile_edge(struct hwf_profile *profile,
					  const struct hwf_profile_edge *key);

/* Append a block or an edge, for the caller to fill in; NULL without memory. The profile may have
 * another item with the same key. */
struct hwf_profile_block *hwf_profile_append_block(struct hwf_profile *profile);
struct hwf_profile_edge *hwf_profile_append_edge(struct hwf_profile *profile);

struct hwf_graph;

/* Append the counts of a graph, which are settled. */
void hwf_profile_append_graph(struct hwf_profile *profile, const struct hwf_graph *graph);

#endif /* HWF_PROFILE_PRIVATE_H */
