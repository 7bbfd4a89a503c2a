/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Hops: for each half-word of a file, as A32 or T32 code, the straight code from there to its P0
 * instruction, or to the first instruction behind the page, where the next hop begins. A hop does
 * not end inside an IT block: it ends before a block with a P0 instruction, and behind any other
 * block. The hops of a page are made from its end to its beginning, when one is first asked for.
 *
 * An entry of the P0 map of A64 (p0_map.c) has a whole run. The size of a T32 instruction is known
 * only by decoding from an instruction before it, so a run here is one hop for each of its pages.
 */
#include "image_private.h"

/* half-words of a page */
#define PAGE 1024u

/* instructions of an IT block, with the IT instruction; a bound for damaged code */
#define BLOCK_MAX 5u

#define MADE (UINT64_C(1) << 32)

static uint16_t half(const struct hwf_image_file *file, size_t index)
{
	return (uint16_t)(file->bytes[2 * index] | file->bytes[2 * index + 1] << 8);
}

/* Decode one instruction; false if the file ends within it. */
static bool decode(const struct hwf_image_file *file, enum hwf_isa isa, size_t index,
		   unsigned int *it, struct hwf_insn *insn)
{
	const size_t count = file->size / 2;
	const bool wide =
		isa == HWF_ISA_A32 || (index < count && hwf_insn_t32_is_wide(half(file, index)));
	const uint16_t low = index < count ? half(file, index) : 0;
	const uint16_t high = wide && index + 1 < count ? half(file, index + 1) : 0;

	if (index >= count || (wide && index + 1 >= count))
		return false;
	if (isa == HWF_ISA_A32)
		hwf_insn_a32((uint32_t)high << 16 | low, 0, insn);
	else
		hwf_insn_t32(low, high, 0, it, insn);
	return true;
}

/* The hop over one instruction or one IT block; 0 if that is or has a P0 instruction. */
static uint64_t step(const struct hwf_image_file *file, bool wfx, enum hwf_isa isa, size_t index)
{
	unsigned int it = 0;
	uint32_t instructions = 0;
	uint32_t halves = 0;

	do {
		struct hwf_insn insn;

		if (!decode(file, isa, index + halves, &it, &insn) || hwf_insn_is_p0(&insn, wfx) ||
		    instructions == BLOCK_MAX)
			return 0;
		halves += insn.size / 2u;
		instructions++;
	} while (it);
	return HWF_HOP(instructions, halves);
}

static void make_page(struct hwf_image_file *file, bool wfx, enum hwf_isa isa, size_t first)
{
	uint64_t *hops = hwf_image_hops(file, wfx, isa)->entries;
	const size_t count = file->size / 2;
	const size_t end = count - first < PAGE ? count : first + PAGE;

	for (size_t i = end; i-- > first;) {
		uint64_t hop = step(file, wfx, isa, i);
		const size_t next = i + hwf_hop_halves(hop);

		if (hop && next < end)
			hop += __atomic_load_n(&hops[next], __ATOMIC_RELAXED);
		__atomic_store_n(&hops[i], hop | MADE, __ATOMIC_RELAXED);
	}
}

uint64_t hwf_image_hop(struct hwf_image_file *file, bool wfx, enum hwf_isa isa, size_t index)
{
	struct hwf_image_map *map = hwf_image_hops(file, wfx, isa);
	const size_t count = file->size / 2;
	uint64_t hop;

	if (index >= count || hwf_image_map_make(map, count))
		return 0;
	hop = __atomic_load_n(&map->entries[index], __ATOMIC_RELAXED);
	if (hop)
		return hop;
	make_page(file, wfx, isa, index / PAGE * PAGE);
	return __atomic_load_n(&map->entries[index], __ATOMIC_RELAXED);
}
