/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The stages of ETMv3, one behind the other; and a short way for P-headers, which are nearly all of
 * a trace.
 */
#include "etmv3/etm3_flow_private.h"

void hwf_etm3_decoder_init(struct hwf_etm3_decoder *decoder, const struct hwf_etm3_config *config,
			   const struct hwf_code *code, hwf_flow_fn *sink, void *sink_ctx)
{
	hwf_etm3_stream_init(&decoder->stream, config);
	hwf_etm3_flow_init(&decoder->flow, config, code, sink, sink_ctx);
	for (unsigned int i = 0; i < 64; i++) {
		const uint8_t header = (uint8_t)(0x80 | i << 1);
		struct hwf_etm3_packet packet = {0};

		hwf_etm3_decode(config, &header, 1, &packet);
		decoder->p_headers[i] = packet.u.atoms;
	}
}

/* P-headers, as many as come one after the other; the bytes taken */
static size_t push_p_headers(struct hwf_etm3_decoder *decoder, const uint8_t *bytes, size_t length)
{
	const struct hwf_etm3_config *config = decoder->stream.config;
	const uint64_t offset = decoder->stream.offset;
	size_t at = 0;

	if (!decoder->stream.synced || decoder->stream.tentative)
		return 0;
	for (; at < length && (bytes[at] & 0x81) == 0x80; at++) {
		const uint8_t type = config->types[bytes[at]];

		if (type == HWF_ETM3_RESERVED)
			break;
		hwf_etm3_follow(&decoder->flow, offset + at, type,
				&decoder->p_headers[bytes[at] >> 1 & 63]);
	}
	if (at)
		decoder->flow.last_offset = offset + at - 1;
	decoder->stream.offset += at;
	return at;
}

size_t hwf_etm3_decoder_push(struct hwf_etm3_decoder *decoder, const uint8_t *bytes, size_t length,
			     bool last)
{
	struct hwf_etm3_stream *stream = &decoder->stream;
	struct hwf_etm3_packet packet;
	size_t taken = 0;

	for (;;) {
		uint64_t offset;
		size_t size;

		taken += push_p_headers(decoder, bytes + taken, length - taken);
		offset = stream->offset;
		size = hwf_etm3_stream_next(stream, bytes + taken, length - taken, last, &packet);
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
