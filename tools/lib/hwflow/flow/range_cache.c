/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Ranges that were followed before. */
#include "flow/follower.h"
#include "flow/range_find.h"

/* One bucket for a node on average */
size_t hwf_range_cache_bytes(uint32_t size)
{
	return size * (sizeof(struct hwf_range_node) + sizeof(struct hwf_range_node *));
}

static uint32_t bits_of(uint32_t size)
{
	uint32_t bits = 0;

	while (size >> (bits + 1))
		bits++;
	return bits;
}

void hwf_range_cache_init(struct hwf_range_cache *cache, void *memory, uint32_t size)
{
	*cache = (struct hwf_range_cache){
		.nodes = memory,
		.buckets = (struct hwf_range_node **)((char *)memory +
						      size * sizeof(struct hwf_range_node)),
		.size = size,
		.bucket_bits = bits_of(size),
	};
	for (uint32_t i = 0; i < size; i++)
		cache->buckets[i] = NULL;
}

void hwf_range_cache_flush(struct hwf_range_cache *cache)
{
	for (uint32_t i = 0; i < cache->used; i++) {
		const struct hwf_range_node *node = &cache->nodes[i];

		cache->buckets[hwf_range_bucket(cache, node->event.u.range.start, node->most)] =
			NULL;
	}
	cache->used = 0;
	cache->flushes++;
}

struct hwf_range_node *hwf_range_cache_find(const struct hwf_range_cache *cache, const void *space,
					    uint64_t address, uint8_t isa, uint32_t most)
{
	return hwf_range_find(cache, space, address, isa, most);
}

struct hwf_range_node *hwf_range_cache_add(struct hwf_range_cache *cache, const void *space,
					   uint64_t address, uint8_t isa, uint32_t most,
					   const struct hwf_run *run)
{
	struct hwf_range_node **bucket = &cache->buckets[hwf_range_bucket(cache, address, most)];
	struct hwf_range_node *node;

	if (cache->used == cache->size)
		hwf_range_cache_flush(cache);
	node = &cache->nodes[cache->used++];
	*node = (struct hwf_range_node){
		.space = space,
		.next = *bucket,
		.most = most,
		.n_is_possible = hwf_flow_n_is_possible(isa, &run->insn),
	};
	node->event.kind = HWF_FLOW_RANGE;
	node->event.u.range = (struct hwf_flow_range){
		.start = address,
		.end = run->end,
		.instructions = run->instructions,
		.isa = isa,
		.p0 = !run->status,
		.insn = run->insn,
	};
	*bucket = node;
	return node;
}
