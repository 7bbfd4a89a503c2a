/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Without speculation: an Atom is executed as soon as it is seen, and a Target Address holds at
 * once. */
#include "ete/ete_private.h"
#include "flow/chains.h"
#include "flow/loops.h"
#include "history/packed.h"
#include "p0/p0_private.h"
#include "window/counts.h"

#define ATOMS   0xc0 /* headers of Atom packets, from here on */
#define SOURCES 0xb  /* bits 7:4 of headers of Source Addresses, and others */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/*
 * Bytes of a Cycle Count, if there is one of fewer than seven bits. The next packet is as often
 * one as none, so there is no branch.
 */
ALWAYS_INLINE size_t count_size(const uint8_t *at)
{
	static const uint8_t size[256] = {[0x0c] = 2, 2, 2, [0x10] = 1, 1, 1, 1};
	const size_t more = (at[0] == 0x0e) & (at[1] >> 7);

	return size[at[0]] & (more - 1);
}

/*
 * Atom packets one behind the other, as one run of outcomes: bytes of them. @at: offset of the
 * first, as of steps; they begin before @length. With @counting Cycle Counts between them are left
 * out. *@last: where the last packet begins
 */
ALWAYS_INLINE size_t take_atoms(struct hwf_follower *follower, uint32_t *node, const uint8_t *bytes,
				size_t at, size_t length, bool counting, size_t *last)
{
	uint32_t offsets[HWF_OFFSETS];
	const size_t first = at;
	uint32_t count = 0;
	uint64_t bits = 0;

	hwf_flow_open_steps(follower);
	do {
		const struct hwf_ete_atoms *atoms = &hwf_ete_atom_table[bytes[at] - ATOMS].atoms;

		hwf_offsets_put(offsets + count, atoms->count, (uint32_t)at);
		bits |= (uint64_t)atoms->bits << count;
		count += atoms->count;
		*last = at++;
		if (counting) {
			const size_t size = count_size(bytes + at);

			*last += size != 0;
			at += size;
		}
	} while (at < length && bytes[at] >= ATOMS && count <= HWF_OUTCOMES - HWF_P0_MOST_ATOMS);
	*node = hwf_flow_walk(follower, *node, bits, count, offsets);
	return at - first;
}

/*
 * A Source Address is the E Atom of the node that ends there (I_DJTGL): bytes of its packet, 0
 * where the plain stages have to take it.
 */
ALWAYS_INLINE size_t take_source(struct hwf_follower *follower, struct hwf_packed_history *history,
				 uint32_t *node, const uint8_t *bytes, size_t at)
{
	const uint32_t offsets[HWF_OFFSETS] = {(uint32_t)at};
	struct hwf_packed_history after = *history;
	const size_t size = hwf_packed_source(&after, bytes + at);
	const uint64_t address = after.address[0] & ~UINT64_C(1);
	uint32_t source;

	if (!size)
		return 0;
	if (!*node)
		*node = hwf_flow_here(follower, *node);
	if (!*node)
		return 0;
	source = hwf_graph_find_joined(follower->graph, *node, address);
	if (!source)
		source = hwf_flow_join(follower, *node, address);
	/* ranges that are to be given one by one are no node */
	if (!source || (source != *node && follower->split_source))
		return 0;
	*history = after;
	hwf_flow_open_steps(follower);
	*node = hwf_flow_walk(follower, source, 1, 1, offsets);
	return size;
}

/* Packets before @length: bytes of them; *@last: where the last one begins */
ALWAYS_INLINE size_t run(struct hwf_decoder *decoder, struct hwf_packed_history *history,
			 uint32_t *node, const uint8_t *bytes, size_t length, bool counting,
			 size_t *last)
{
	struct hwf_follower *const follower = &decoder->follower;
	const uint32_t threshold = decoder->elements.cc_threshold;
	size_t at = 0;

	/* an event of the walk may end counting */
	while (at < length && (!counting || follower->counting)) {
		struct hwf_count count;
		size_t size;

		if (bytes[at] >= ATOMS) {
			at += take_atoms(follower, node, bytes, at, length, counting, last);
			continue;
		}
		size = hwf_packed_target(history, bytes + at);
		if (size) {
			*node = hwf_flow_go_to(follower, *node, hwf_packed_newest(history));
		} else if (bytes[at] >> 4 == SOURCES) {
			size = take_source(follower, history, node, bytes, at);
			if (!size)
				break;
		} else {
			count = hwf_count_read(decoder->stream.config, bytes + at);
			/* nothing waits that it could commit */
			if (!count.size || count.commit)
				break;
			hwf_flow_give_cycles(follower, (uint32_t)at, threshold + count.count);
			size = count.size;
		}
		*last = at;
		at += size;
	}
	return at;
}

/* A function each, so that what only one of them wants costs the other nothing */
static __attribute__((noinline)) size_t run_ranges(struct hwf_decoder *decoder,
						   struct hwf_packed_history *history,
						   uint32_t *node, const uint8_t *bytes,
						   size_t length, size_t *last)
{
	return run(decoder, history, node, bytes, length, false, last);
}

/* Cycle Counts are not given; where they commit, which nothing waits for, they end the run. */
static __attribute__((noinline)) size_t run_counting(struct hwf_decoder *decoder,
						     struct hwf_packed_history *history,
						     uint32_t *node, const uint8_t *bytes,
						     size_t length, size_t *last)
{
	return run(decoder, history, node, bytes, length, true, last);
}

size_t hwf_flow_push_direct(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length)
{
	struct hwf_follower *const follower = &decoder->follower;
	const bool counting = follower->counting && decoder->elements.cycle_counting &&
			      decoder->stream.config->commit_mode1;
	uint32_t node = hwf_flow_resume(follower);
	struct hwf_packed_history history;
	size_t size, last = 0;

	if (length < HWF_PACKED_ROOM)
		return 0;
	length -= HWF_PACKED_ROOM;
	if (length > UINT32_MAX)
		length = UINT32_MAX;
	hwf_flow_begin_steps(follower, decoder->stream.offset);
	hwf_packed_open(&history, &decoder->elements.history);
	size = (counting ? run_counting : run_ranges)(decoder, &history, &node, bytes, length,
						      &last);
	hwf_flow_leave(follower, node);
	if (size)
		decoder->elements.last_offset = decoder->stream.offset + last;
	hwf_packed_close(&history, &decoder->elements.history);
	decoder->stream.offset += size;
	return size;
}
