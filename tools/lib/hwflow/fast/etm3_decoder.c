/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The stages of ETMv3, one behind the other; and a short way for P-headers, which are nearly all of
 * a trace.
 */
#include "decode/etm3_flow_private.h"
#include "fast/etm3_branch.h"
#include "fast/etm3_run.h"

/* What a P-header stands for; ETMV3_CYCLE: in format 1 each atom has a W, else the first has all */
static void make_p_header(const struct hwf_etm3_config *config, uint8_t header,
			  struct hwf_etm3_p_header *p_header)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	struct hwf_etm3_packet packet = {0};
	struct hwf_etm3_atoms *atoms = &packet.u.atoms;

	*p_header = (struct hwf_etm3_p_header){.type = config->types[header], .stop = true};
	if ((header & 0x81) != 0x80 || hwf_etm3_decode(config, &header, 1, &packet) != 1)
		return;
	p_header->stop = false;
	p_header->atoms = *atoms;
	p_header->keep = atoms->count ? 0 : UINT64_MAX;
	p_header->cycles = atoms->waits;
	if (packet.type == HWF_ETM3_P_HEADER_CYCLE_F1)
		p_header->cycles = ones >> (64 - 8 * atoms->count);
}

void hwf_etm3_decoder_init(struct hwf_etm3_decoder *decoder, const struct hwf_etm3_config *config,
			   const struct hwf_code *code, hwf_flow_fn *sink, void *sink_ctx)
{
	hwf_etm3_stream_init(&decoder->stream, config);
	hwf_etm3_flow_init(&decoder->flow, config, code, sink, sink_ctx);
	for (unsigned int i = 0; i < 256; i++)
		make_p_header(config, (uint8_t)i, &decoder->p_headers[i]);
}

/* P-headers, as many as come one after the other; the bytes taken */
static size_t push_p_headers(struct hwf_etm3_decoder *decoder, const uint8_t *bytes, size_t length)
{
	struct hwf_etm3_stream *stream = &decoder->stream;
	struct hwf_etm3_flow *flow = &decoder->flow;
	size_t at = 0;

	if (!stream->synced || stream->tentative)
		return 0;
	while (at < length) {
		const struct hwf_etm3_p_header *p_header = &decoder->p_headers[bytes[at]];
		size_t taken;

		if (p_header->stop)
			break;
		taken = hwf_etm3_run(decoder, bytes + at, length - at);
		if (!taken) {
			hwf_etm3_follow(flow, stream->offset, p_header->type, &p_header->atoms, 0);
			taken = 1;
		}
		at += taken;
		stream->offset += taken;
		flow->last_offset = stream->offset - 1;
	}
	return at;
}

/*
 * A branch packet, if it is a plain one in the midst of what is followed: only there the
 * instruction set is known. Bytes taken
 */
static size_t push_branch(struct hwf_etm3_decoder *decoder, const uint8_t *bytes, size_t length)
{
	struct hwf_etm3_stream *stream = &decoder->stream;
	struct hwf_etm3_flow *flow = &decoder->flow;
	uint32_t size;

	if (length < 4 || !(bytes[0] & 1) || !hwf_etm3_branch_keeps_isa(&flow->state) ||
	    flow->waits)
		return 0;
	size = hwf_etm3_take_branch(stream->config->alternative, hwf_etm3_shift(&flow->state),
				    &flow->state.address, bytes);
	if (!size)
		return 0;
	hwf_etm3_branch_to(flow);
	flow->last_offset = stream->offset;
	stream->offset += size;
	return size;
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

		do {
			taken += push_p_headers(decoder, bytes + taken, length - taken);
			size = push_branch(decoder, bytes + taken, length - taken);
			taken += size;
		} while (size);
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
