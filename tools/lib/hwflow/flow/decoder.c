/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The stages, one behind the other. */
#include "hwflow/decoder.h"

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

size_t hwf_decoder_push(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length, bool last)
{
	struct hwf_ete_packet packet;
	size_t taken = 0;

	for (;;) {
		uint64_t offset = decoder->stream.offset;
		bool tentative;
		size_t size = hwf_ete_stream_next(&decoder->stream, bytes + taken, length - taken,
						  last, &packet);

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
