/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Without speculation: an Atom is executed as soon as it is seen, and a Target Address holds at
 * once. */
#include "ete/ete_private.h"
#include "flow/chains.h"
#include "flow/loops.h"
#include "history/packed.h"
#include "p0/p0_private.h"
#include "window/counts.h"

#define ATOMS 0xc0 /* headers of Atom packets, from here on */

/*
 * Atom packets one behind the other, as one run of outcomes: bytes taken. @at: offset of the first,
 * as of steps; they begin before @length.
 */
static inline size_t take_atoms(struct hwf_follower *follower, uint32_t *node, const uint8_t *bytes,
				size_t at, size_t length)
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
		at++;
	} while (at < length && bytes[at] >= ATOMS && count <= HWF_OUTCOMES - HWF_P0_MOST_ATOMS);
	*node = hwf_flow_walk(follower, *node, bits, count, offsets);
	return at - first;
}

size_t hwf_flow_push_direct(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length)
{
	struct hwf_follower *const follower = &decoder->follower;
	const uint32_t threshold = decoder->elements.cc_threshold;
	uint32_t node = hwf_flow_resume(follower);
	struct hwf_packed_history history;
	size_t last = 0;
	size_t at = 0;

	if (length < HWF_PACKED_ROOM)
		return 0;
	length -= HWF_PACKED_ROOM;
	if (length > UINT32_MAX)
		length = UINT32_MAX;
	hwf_flow_begin_steps(follower, decoder->stream.offset);
	hwf_packed_open(&history, &decoder->elements.history);
	while (at < length) {
		struct hwf_count count;
		size_t size;

		if (bytes[at] >= ATOMS) {
			at += take_atoms(follower, &node, bytes, at, length);
			last = at - 1;
			continue;
		}
		size = hwf_packed_target(&history, bytes + at);
		if (size) {
			node = hwf_flow_go_to(follower, hwf_packed_newest(&history));
		} else {
			count = hwf_count_read(decoder->stream.config, bytes + at);
			/* nothing waits that it could commit */
			if (!count.size || count.commit)
				break;
			hwf_flow_give_cycles(follower, (uint32_t)at, threshold + count.count);
			size = count.size;
		}
		last = at;
		at += size;
	}
	hwf_flow_leave(follower, node);
	if (at)
		decoder->elements.last_offset = decoder->stream.offset + last;
	hwf_packed_close(&history, &decoder->elements.history);
	decoder->stream.offset += at;
	return at;
}
