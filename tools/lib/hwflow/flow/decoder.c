/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The stages, one behind the other; and a short way past them for the packets that make up
 * nearly all of a trace, where nothing waits for its resolution.
 */
#include "hwflow/decoder.h"

#include "ete/ete_private.h"
#include "flow/follower.h"

static void element_to_p0(void *ctx, const struct hwf_element *element)
{
	hwf_p0_push(ctx, element);
}

static void element_to_flow(void *ctx, const struct hwf_element *element)
{
	hwf_follower_push(ctx, element);
}

void hwf_decoder_init(struct hwf_decoder *decoder, const struct hwf_ete_config *config,
		      const struct hwf_code *code, struct hwf_element *ring, uint32_t ring_size,
		      hwf_flow_fn *sink, void *sink_ctx)
{
	hwf_ete_stream_init(&decoder->stream, config);
	hwf_elements_init(&decoder->elements, config, element_to_p0, &decoder->p0);
	hwf_p0_init(&decoder->p0, config, ring, ring_size, element_to_flow, &decoder->follower);
	hwf_follower_init(&decoder->follower, config, code, sink, sink_ctx);
}

/*
 * With no speculation (TRCIDR8.MAXSPEC is 0) and nothing held back in any stage, an Atom is
 * executed as soon as it is seen, and a Target Address holds at once.
 */
static bool may_go_direct(const struct hwf_decoder *decoder)
{
	return decoder->stream.synced && !decoder->stream.tentative &&
	       decoder->elements.sync == HWF_SYNC_FULL &&
	       decoder->elements.lost == HWF_NOTHING_LOST && !decoder->elements.exception_pending &&
	       !decoder->elements.config->max_spec && !decoder->p0.lost && !decoder->p0.used &&
	       !decoder->p0.depth && !decoder->follower.q_pending;
}

/* Bytes of a Target Address packet without context; 0 if it is another one or may be cut. */
static size_t direct_address(const uint8_t *bytes, size_t length, struct hwf_ete_address *address)
{
	struct hwf_cursor cursor = {.at = bytes + 1, .end = bytes + length};
	int err;

	switch (bytes[0]) {
	case 0x95:
	case 0x96:
		err = hwf_ete_get_address(&cursor, 8, bytes[0] == 0x96, address);
		break;
	case 0x9a:
	case 0x9b:
		err = hwf_ete_get_address(&cursor, 32, bytes[0] == 0x9b, address);
		break;
	case 0x9d:
	case 0x9e:
		err = hwf_ete_get_address(&cursor, 64, bytes[0] == 0x9e, address);
		break;
	default:
		return 0;
	}
	return err ? 0 : (size_t)(cursor.at - bytes);
}

/* Cycle counts, timestamps and their markers, events: what goes through all stages at once */
static bool is_temporal(uint8_t header)
{
	return (header >= 0x0c && header <= 0x1f) || header == 0x02 || header == 0x03 ||
	       header == 0x88 || (header > 0x70 && header <= 0x7f);
}

static size_t push_temporal(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length,
			    uint64_t offset)
{
	struct hwf_ete_packet packet;
	int size = hwf_ete_decode_in_place(decoder->stream.config, bytes, length, &packet);

	if (size <= 0)
		return 0;
	hwf_elements_push(&decoder->elements, &packet, offset, false);
	return (size_t)size;
}

/* Atoms, addresses and times, as long as they come one after the other. */
static size_t push_direct(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length)
{
	struct hwf_address_history *history = &decoder->elements.history;
	struct hwf_follower *follower = &decoder->follower;
	uint64_t offset = decoder->stream.offset;
	size_t taken = 0;

	while (taken < length) {
		uint8_t header = bytes[taken];
		size_t size = 1;

		if (header >= 0xc0) {
			hwf_flow_atoms(follower, offset + taken,
				       &hwf_ete_atom_table[header - 0xc0].atoms);
		} else if (header >= 0x90 && header <= 0x92) {
			struct hwf_el_address address = history->entry[header & 3];

			hwf_history_push(history, address.value, address.is);
			hwf_flow_set_pc(follower, address);
		} else if (is_temporal(header)) {
			size = push_temporal(decoder, bytes + taken, length - taken,
					     offset + taken);
			taken += size;
			/* one that commits more than there is ends it all */
			if (!size || !may_go_direct(decoder))
				break;
			continue;
		} else {
			struct hwf_ete_address address;

			size = direct_address(bytes + taken, length - taken, &address);
			if (!size)
				break;
			hwf_flow_set_pc(follower, hwf_history_expand(history, &address));
		}
		decoder->elements.last_offset = offset + taken;
		taken += size;
	}
	decoder->stream.offset += taken;
	return taken;
}

size_t hwf_decoder_push(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length, bool last)
{
	struct hwf_ete_packet packet;
	size_t taken = 0;

	for (;;) {
		uint64_t offset;
		bool tentative;
		size_t size;

		if (may_go_direct(decoder))
			taken += push_direct(decoder, bytes + taken, length - taken);
		offset = decoder->stream.offset;
		size = hwf_ete_stream_next(&decoder->stream, bytes + taken, length - taken, last,
					   &packet);
		if (!size)
			break;
		tentative = decoder->stream.tentative || !decoder->stream.synced;
		hwf_elements_push(&decoder->elements, &packet, offset, tentative);
		taken += size;
	}
	if (last)
		hwf_elements_flush(&decoder->elements);
	return taken;
}
