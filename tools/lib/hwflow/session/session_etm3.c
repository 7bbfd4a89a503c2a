/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Sessions of ETMv3. */
#include <stdlib.h>

#include "codec/etmv3/etm3_private.h"
#include "session/session_private.h"

/* Ranges that are remembered */
#define RANGES 0x4000u

static int configure(struct hwf_session *session, const struct hwf_session_config *config)
{
	if (!config->etm3)
		return HWF_ERR_BAD_CONFIG;
	return hwf_etm3_config_init(&session->configs.etm3, config->etm3);
}

static void release(struct hwf_session *session)
{
	struct hwf_session_etm3 *etm3 = session->state.etm3;

	if (!etm3)
		return;
	free(etm3->graph_memory);
	free(etm3);
}

static int allocate(struct hwf_session *session)
{
	struct hwf_session_etm3 *etm3 = calloc(1, sizeof(*etm3));

	session->state.etm3 = etm3;
	if (!etm3)
		return HWF_ERR_NO_MEMORY;
	etm3->graph_memory = malloc(hwf_graph_nodes_bytes(RANGES));
	if (!etm3->graph_memory)
		return HWF_ERR_NO_MEMORY;
	hwf_graph_init_nodes(&etm3->graph, etm3->graph_memory, RANGES);
	return HWF_OK;
}

static void route(struct hwf_session *session)
{
	struct hwf_etm3_flow *flow = &session->state.etm3->decoder.flow;

	flow->sink = session->out.sink;
	flow->sink_ctx = session->out.ctx;
}

static void start(struct hwf_session *session, uint64_t offset)
{
	struct hwf_session_etm3 *etm3 = session->state.etm3;

	hwf_etm3_decoder_init(&etm3->decoder, &session->configs.etm3, session->config.code,
			      session->out.sink, session->out.ctx);
	etm3->decoder.stream.offset = offset;
	etm3->decoder.flow.last_offset = offset;
	etm3->decoder.flow.straight = !(session->config.flags & HWF_SESSION_EACH_INSTRUCTION);
	etm3->decoder.flow.graph = &etm3->graph;
}

static void forget(struct hwf_session *session)
{
	hwf_graph_flush(&session->state.etm3->graph);
}

static size_t push(struct hwf_session *session, const uint8_t *bytes, size_t length, bool last)
{
	return hwf_etm3_decoder_push(&session->state.etm3->decoder, bytes, length, last);
}

static size_t write_state(const struct hwf_session *session, uint8_t *state, size_t size)
{
	return hwf_etm3_decoder_state(&session->state.etm3->decoder, state, size);
}

static void start_packets(struct hwf_session *session, uint64_t offset)
{
	hwf_etm3_stream_init(&session->streams.etm3, &session->configs.etm3);
	session->streams.etm3.offset = offset;
}

static void next_packet(struct hwf_session *session, struct hwf_packet *packet)
{
	const struct hwf_view *view = &session->view;
	struct hwf_etm3_stream *stream = &session->streams.etm3;
	const struct hwf_etm3_packet *etm3 = &session->packets.etm3;
	const size_t size = hwf_etm3_stream_next(stream, view->bytes, view->length, view->last,
						 &session->packets.etm3);

	*packet = (struct hwf_packet){
		.name = hwf_etm3_type_name(etm3->type),
		.size = (uint32_t)size,
		.type = etm3->type,
		.valid = etm3->type < HWF_ETM3_TYPES,
		.tentative = stream->tentative,
		.u.etm3 = etm3,
	};
	if (!packet->valid)
		packet->error = stream->synced ? stream->error : HWF_ERR_NO_SYNC;
}

/* Do packets from an A-sync lead to an I-sync? */
static bool is_sync(const struct hwf_session *session, const uint8_t *bytes, size_t length)
{
	struct hwf_etm3_stream stream;
	struct hwf_etm3_packet packet;
	size_t at;

	hwf_etm3_stream_init(&stream, &session->configs.etm3);
	at = hwf_etm3_stream_next(&stream, bytes, length, true, &packet);
	for (;;) {
		const size_t size =
			hwf_etm3_stream_next(&stream, bytes + at, length - at, true, &packet);

		if (!size || packet.type >= HWF_ETM3_TYPES || packet.type == HWF_ETM3_A_SYNC)
			return false;
		if (hwf_etm3_type_codec(packet.type) == HWF_ETM3_CODEC_i_sync)
			return true;
		at += size;
	}
}

static bool seek(struct hwf_session *session, const uint8_t *bytes, size_t length, size_t from,
		 enum hwf_seek direction, size_t *found)
{
	if (!hwf_seek_zeros(session, bytes, length, from, direction, ETM3_A_SYNC_ZEROS, is_sync,
			    found))
		return false;
	return hwf_session_reset(session, *found) == HWF_OK;
}

static bool packet_state(const struct hwf_session *session, struct hwf_state_writer *state)
{
	const struct hwf_etm3_stream *stream = &session->streams.etm3;

	(void)state;
	/* as of ETE */
	return stream->synced && !stream->tentative;
}

static void start_lines(struct hwf_session *session)
{
	struct hwf_listing *listing = session->listing;

	hwf_etm3_lines_init(&listing->lines.etm3, &session->configs.etm3, listing->format, NULL);
}

static bool line(struct hwf_session *session, const uint8_t *bytes, struct hwf_text *out)
{
	struct hwf_etm3_lines *lines = &session->listing->lines.etm3;

	lines->out = out;
	hwf_etm3_line(lines, &session->packets.etm3, bytes, hwf_session_packet_at(session),
		      session->tentative);
	return !lines->unsync_length;
}

static void flush(struct hwf_session *session)
{
	hwf_etm3_lines_flush(&session->listing->lines.etm3);
}

static void line_state(const struct hwf_session *session, struct hwf_state_writer *state)
{
	const struct hwf_etm3_lines *lines = &session->listing->lines.etm3;
	const struct hwf_etm3_address_state *known = &lines->state;

	hwf_state_put(state, known->timestamp);
	hwf_state_put(state, (uint64_t)known->address << 32 | known->data_address);
	hwf_state_put(state, (uint64_t)known->isa << 8 | known->alt_isa);
	hwf_state_put(state, lines->unsync_length);
	if (lines->unsync_length)
		hwf_state_put(state, lines->unsync_offset);
}

const struct hwf_protocol hwf_protocol_etm3 = {
	.configure = configure,
	.allocate = allocate,
	.release = release,
	.start = start,
	.forget = forget,
	.route = route,
	.push = push,
	.state = write_state,
	.start_packets = start_packets,
	.next_packet = next_packet,
	.packet_state = packet_state,
	.start_lines = start_lines,
	.line = line,
	.flush = flush,
	.line_state = line_state,
	.seek = seek,
};
