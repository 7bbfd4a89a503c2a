/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The stages of ETMv3, one behind the other. */
#include "etmv3/etm3_flow_private.h"

void hwf_etm3_decoder_init(struct hwf_etm3_decoder *decoder, const struct hwf_etm3_config *config,
			   const struct hwf_code *code, hwf_flow_fn *sink, void *sink_ctx)
{
	hwf_etm3_stream_init(&decoder->stream, config);
	hwf_etm3_flow_init(&decoder->flow, config, code, sink, sink_ctx);
}

size_t hwf_etm3_decoder_push(struct hwf_etm3_decoder *decoder, const uint8_t *bytes, size_t length,
			     bool last)
{
	struct hwf_etm3_stream *stream = &decoder->stream;
	struct hwf_etm3_packet packet;
	size_t taken = 0;

	for (;;) {
		const uint64_t offset = stream->offset;
		size_t size =
			hwf_etm3_stream_next(stream, bytes + taken, length - taken, last, &packet);

		if (!size)
			break;
		hwf_etm3_flow_push(&decoder->flow, &packet, offset, stream->error,
				   stream->tentative || !stream->synced);
		taken += size;
	}
	if (last)
		hwf_etm3_flow_flush(&decoder->flow);
	return taken;
}
