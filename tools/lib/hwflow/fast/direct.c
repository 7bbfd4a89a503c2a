/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The loop without speculation: each Atom and each Target Address takes effect at once. */
#include "codec/ete/ete_private.h"
#include "fast/chains.h"
#include "fast/loops.h"
#include "fast/memo.h"
#include "fast/packed.h"
#include "decode/p0_private.h"
#include "fast/counts.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/*
 * Give the cycles of a Cycle Count packet of commit mode 1, if there is one at @at. There is no
 * branch on that: the words are written in any case. Return: bytes of the packet; 0 for another
 */
ALWAYS_INLINE size_t take_count(struct hwf_follower *follower, const uint8_t *bytes, size_t at,
				uint32_t threshold)
{
	const struct hwf_count count = hwf_count_read_mode1(bytes + at);
	struct hwf_graph *graph = follower->graph;
	uint64_t *given;

	hwf_flow_open_steps(follower);
	given = graph->given + graph->given_count;
	given[0] = (uint64_t)at << 32 | HWF_STEP_CYCLES;
	given[1] = threshold + count.count;
	graph->given_count += count.size && !follower->counting ? 2 : 0;
	return count.size;
}

/*
 * Walk the outcomes of successive Atom packets, which begin before @length, together. @at: index of
 * the first packet. While ranges are counted, Cycle Counts between the packets are skipped. Return:
 * bytes of the packets; *@last: index of the last packet
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
		const struct hwf_ete_atoms *atoms =
			&hwf_ete_atom_table[bytes[at] - HWF_ATOM_HEADERS].atoms;

		hwf_offsets_put(offsets + count, atoms->count, (uint32_t)at);
		bits |= (uint64_t)atoms->bits << count;
		count += atoms->count;
		*last = at++;
		if (counting) {
			const size_t size = hwf_count_read_mode1(bytes + at).size;

			*last += size != 0;
			at += size;
		}
	} while (at < length && bytes[at] >= HWF_ATOM_HEADERS &&
		 count <= HWF_OUTCOMES - HWF_P0_MOST_ATOMS);
	*node = hwf_flow_walk(follower, *node, bits, count, offsets);
	return at - first;
}

/*
 * A Source Address is walked as the E Atom of the node that ends at its address (I_DJTGL). Return:
 * bytes of the packet; 0 if the plain stages have to decode it. The loop is for AArch64 only: in
 * T32 a walk that ends at an address does not know whether the instruction there is in an IT block.
 */
ALWAYS_INLINE size_t take_source(struct hwf_follower *follower, struct hwf_packed_history *history,
				 uint32_t *node, const uint8_t *bytes, size_t at)
{
	const uint32_t offsets[HWF_OFFSETS] = {(uint32_t)at};
	struct hwf_packed_history after = *history;
	const size_t size = hwf_packed_source(&after, bytes + at);
	const uint64_t address = after.address[0] & ~UINT64_C(1);
	uint32_t source;

	/* in ETMv4 these headers are reserved */
	if (!size || follower->config->protocol != HWF_PROTOCOL_ETE)
		return 0;
	if (!*node)
		*node = hwf_flow_here(follower, *node);
	if (!*node)
		return 0;
	source = hwf_graph_find_joined(follower->graph, *node, address);
	if (!source)
		source = hwf_flow_join(follower, *node, address);
	/* a joined range is one range; the caller wants each */
	if (!source || (source != *node && follower->split_source))
		return 0;
	/* a flush of the graph would forget the joined range */
	if (!hwf_flow_has_room(follower))
		return 0;
	*history = after;
	hwf_flow_open_steps(follower);
	*node = hwf_flow_walk(follower, source, 1, 1, offsets);
	return size;
}

/* Decode the packets before @length. Return: bytes of them; *@last: index of the last packet */
ALWAYS_INLINE size_t run(struct hwf_decoder *decoder, struct hwf_packed_history *history,
			 uint32_t *node, const uint8_t *bytes, size_t length, bool counting,
			 size_t *last)
{
	struct hwf_follower *const follower = &decoder->follower;
	struct hwf_memo *const memo = follower->graph->memo;
	const uint32_t threshold = decoder->elements.cc_threshold;
	const bool mode1 = decoder->stream.config->commit_mode1;
	size_t resume = memo->pass;
	size_t at = 0;

	/* the receiver of an event may switch counting off */
	while (at < length && (!counting || follower->counting)) {
		struct hwf_count count;
		size_t size;

		if (at >= resume && *node && !follower->push_awaits) {
			at = hwf_flow_replay(decoder, history, node, bytes, at, length, last);
			resume = at + memo->pass;
			if (at >= length)
				break;
		}
		if (bytes[at] >= HWF_ATOM_HEADERS) {
			at += take_atoms(follower, node, bytes, at, length, counting, last);
			if (counting || !mode1)
				continue;
			size = take_count(follower, bytes, at, threshold);
			*last += size != 0;
			at += size;
			continue;
		}
		size = hwf_packed_target(history, bytes + at);
		if (size) {
			*node = hwf_flow_go_to(follower, *node, hwf_packed_newest(history));
		} else if (bytes[at] >> 4 == HWF_SOURCE_HEADERS) {
			size = take_source(follower, history, node, bytes, at);
			if (!size)
				break;
		} else {
			count = hwf_count_read(decoder->stream.config, bytes + at);
			/* no P0 element is unresolved that it could commit */
			if (!count.size || count.commit)
				break;
			hwf_flow_give_cycles(follower, (uint32_t)at, threshold + count.count);
			size = count.size;
		}
		*last = at;
		at += size;
	}
	memo->pass = resume > at ? (uint32_t)(resume - at) : 0;
	return at;
}

/* One function for each case, so that the compiler removes the code of the other case */
static __attribute__((noinline)) size_t run_ranges(struct hwf_decoder *decoder,
						   struct hwf_packed_history *history,
						   uint32_t *node, const uint8_t *bytes,
						   size_t length, size_t *last)
{
	return run(decoder, history, node, bytes, length, false, last);
}

/* Cycle Counts are skipped; one that commits ends the loop, as no P0 element is unresolved. */
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
