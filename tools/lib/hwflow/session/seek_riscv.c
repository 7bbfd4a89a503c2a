/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A synchronisation in the middle of a RISC-V trace, found without the packets before it. No packet
 * of this protocol is there for alignment, but the header of a packet says where the next one
 * begins: packets are a chain. One packet begins at one of PACKET_MOST offsets in a row, so one of
 * the chains from these offsets is that of the packets; and chains that meet are one from there on:
 *
 *	offsets   0 1 2 3 4 5 6 7 8 ...
 *	            |_______|_____|____
 *	              |_|_____|
 *	                  |___|_____|__
 *
 * Most of the time all of them have met after some packets. Where they have not, as in a loop that
 * gives the same packets again and again, the chain with the most packets that can be read is taken
 * for that of the packets.
 */
#include <limits.h>

#include "session/session_private.h"

/* Bytes of a packet at most: header, source, time, type, and a payload */
#define PACKET_MOST (1u + 11u + HWF_RISCV_MAX_PAYLOAD)

/* Bytes in which chains meet, or are compared */
#define CHAIN_BYTES 0x400u

/**
 * struct chains - chains of packets that have not met
 * @at: the next packet of each
 * @count: how many
 */
struct chains {
	size_t at[PACKET_MOST];
	unsigned int count;
};

/* The chain whose next packet comes first */
static unsigned int first_chain(const struct chains *chains)
{
	unsigned int first = 0;

	for (unsigned int i = 1; i < chains->count; i++)
		if (chains->at[i] < chains->at[first])
			first = i;
	return first;
}

/* A chain is at a packet that another one has come to, too. */
static bool has_met(const struct chains *chains, unsigned int number)
{
	for (unsigned int i = 0; i < chains->count; i++)
		if (i != number && chains->at[i] == chains->at[number])
			return true;
	return false;
}

/* Follow all chains until they have met, or up to @end. */
static void follow_chains(struct chains *chains, const struct hwf_riscv_framing *framing,
			  const uint8_t *bytes, size_t end)
{
	while (chains->count > 1) {
		const unsigned int i = first_chain(chains);

		if (chains->at[i] >= end)
			return;
		chains->at[i] += hwf_riscv_frame_size(framing, bytes[chains->at[i]]);
		if (has_met(chains, i))
			chains->at[i] = chains->at[--chains->count];
	}
}

/* Packets of instructions from an offset to @end, less those that cannot be read */
static int count_good(const struct hwf_riscv_stream *start, const uint8_t *bytes, size_t at,
		      size_t end)
{
	struct hwf_riscv_stream stream = *start;
	struct hwf_riscv_packet packet;
	int good = 0;

	while (at < end) {
		const size_t size =
			hwf_riscv_stream_next(&stream, bytes + at, end - at, true, &packet);

		good += packet.type < HWF_RISCV_TYPES;
		good -= packet.type == HWF_RISCV_BAD;
		at += size;
	}
	return good;
}

/* The beginning of a packet at @from or behind it; @end if there is none */
static size_t find_packet(const struct hwf_riscv_stream *start, const uint8_t *bytes, size_t from,
			  size_t end)
{
	const size_t limit = end - from < CHAIN_BYTES ? end : from + CHAIN_BYTES;
	struct chains chains = {.count = PACKET_MOST};
	size_t found = end;
	int most = INT_MIN;

	if (end - from <= PACKET_MOST)
		return end;
	for (unsigned int i = 0; i < PACKET_MOST; i++)
		chains.at[i] = from + i;
	follow_chains(&chains, &start->framing, bytes, limit);
	if (chains.count == 1)
		return chains.at[0];
	for (unsigned int i = 0; i < chains.count; i++) {
		const size_t at = chains.at[i];
		const size_t rest = at < end ? end - at : 0;
		const int good =
			count_good(start, bytes, at, rest < CHAIN_BYTES ? end : at + CHAIN_BYTES);

		if (good > most) {
			most = good;
			found = at;
		}
	}
	return found;
}

/* Does a packet reset all that decoding depends on (RISCV_MIRRORS)? */
static bool resets_all(const struct hwf_riscv_packet *packet)
{
	return packet->type == HWF_RISCV_F3_START ||
	       (packet->type == HWF_RISCV_F3_TRAP && packet->u.sync.thaddr &&
		packet->u.sync.has_address);
}

bool hwf_seek_chain(const struct hwf_riscv_stream *start, const uint8_t *bytes, size_t length,
		    size_t from, size_t *found)
{
	struct hwf_riscv_stream stream = *start;
	struct hwf_riscv_packet packet;
	size_t at, size;

	/* only all packets from the first one on tell where the next one is */
	if (from > length || start->framing.kind == HWF_RISCV_BARE)
		return false;
	for (at = find_packet(start, bytes, from, length); at < length; at += size) {
		size = hwf_riscv_stream_next(&stream, bytes + at, length - at, true, &packet);
		if (!resets_all(&packet))
			continue;
		*found = at;
		return true;
	}
	return false;
}
