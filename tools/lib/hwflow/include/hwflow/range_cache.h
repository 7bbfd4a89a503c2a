/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Ranges that were followed before: from an address straight to the event that tells of it, and
 * from there to the ranges that come next.
 */
#ifndef HWFLOW_RANGE_CACHE_H
#define HWFLOW_RANGE_CACHE_H

#include "hwflow/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct hwf_range_node - one range and what follows it
 * @after: the range after this one, [1] when its last instruction is taken, [0] when it is not;
 *	NULL while not known, and where an address or an error comes first
 * @event: HWF_FLOW_RANGE, complete but for its offset and whether it was taken
 * @space: address space it is in
 * @next: in the same bucket
 * @most: instructions that it may have at most
 * @n_is_possible: its last instruction may be not taken
 */
struct hwf_range_node {
	/* first what each visit needs */
	struct hwf_range_node *after[2];
	struct hwf_flow_event event;
	const void *space;
	struct hwf_range_node *next;
	uint32_t most;
	bool n_is_possible;
};

/**
 * struct hwf_range_cache - ranges by address; memory is the caller's
 *
 * Holds what it is told and no more: when it is full it forgets everything. A caller whose
 * program code changes must flush it.
 */
struct hwf_range_cache {
	struct hwf_range_node *nodes;
	struct hwf_range_node **buckets;
	uint32_t size;
	uint32_t used;
	uint32_t bucket_bits;
	uint32_t flushes;
};

/**
 * hwf_range_cache_bytes() - memory a cache takes
 * @size: ranges it can hold, a power of two
 */
size_t hwf_range_cache_bytes(uint32_t size);

/**
 * hwf_range_cache_init() - begin with an empty cache
 * @cache: to initialise
 * @memory: hwf_range_cache_bytes() bytes, aligned as for a pointer; must outlive @cache
 * @size: ranges it can hold, a power of two
 */
void hwf_range_cache_init(struct hwf_range_cache *cache, void *memory, uint32_t size);

/** hwf_range_cache_flush() - forget everything: the program code has changed */
void hwf_range_cache_flush(struct hwf_range_cache *cache);

/**
 * hwf_range_cache_find() - the node of an address
 * @cache: the cache
 * @space: address space
 * @address: first instruction
 * @isa: its instruction set
 * @most: as it was added with
 *
 * Return: the node, or NULL.
 */
struct hwf_range_node *hwf_range_cache_find(const struct hwf_range_cache *cache, const void *space,
					    uint64_t address, uint8_t isa, uint32_t most);

/**
 * hwf_range_cache_add() - remember a range
 * @cache: the cache
 * @space: address space
 * @address: first instruction
 * @isa: its instruction set
 * @most: instructions that the walk was to stop at
 * @run: the run from there, of one instruction at least
 *
 * Return: the node, never NULL; all earlier nodes are gone if @cache->flushes has changed.
 */
struct hwf_range_node *hwf_range_cache_add(struct hwf_range_cache *cache, const void *space,
					   uint64_t address, uint8_t isa, uint32_t most,
					   const struct hwf_run *run);

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_RANGE_CACHE_H */
