/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* To look up ranges that were followed before, in place: where that is done for every few of them.
 */
#ifndef HWF_FLOW_RANGE_FIND_H
#define HWF_FLOW_RANGE_FIND_H

#include "hwflow/range_cache.h"

/*
 * Code lies close together: the product spreads neighbours over all buckets, and ranges of several
 * lengths from the same address.
 */
static inline uint32_t hwf_range_bucket(const struct hwf_range_cache *cache, uint64_t address,
					uint32_t most)
{
	return (uint32_t)(((address ^ (uint64_t)most << 40) * UINT64_C(0x9e3779b97f4a7c15)) >>
			  32) >>
	       (32 - cache->bucket_bits);
}

/* hwf_range_cache_find() */
static inline struct hwf_range_node *hwf_range_find(const struct hwf_range_cache *cache,
						    const void *space, uint64_t address,
						    uint8_t isa, uint32_t most)
{
	struct hwf_range_node *node = cache->buckets[hwf_range_bucket(cache, address, most)];

	/* one question, not four: nearly always it is the first node */
	while (node && ((node->event.u.range.start ^ address) |
			((uintptr_t)node->space ^ (uintptr_t)space) |
			(uint64_t)(node->event.u.range.isa ^ isa) | (node->most ^ most)))
		node = node->next;
	return node;
}

#endif /* HWF_FLOW_RANGE_FIND_H */
