/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Sessions of RISC-V Processor Trace. */
#include <stdlib.h>

#include "session/session_private.h"

/* Packets at the beginning of a trace among which a support packet is */
#define OPTIONS_PACKETS 64u

static int configure(struct hwf_session *session, const struct hwf_session_config *config)
{
	const struct hwf_session_riscv *riscv = config->riscv;
	struct hwf_riscv_framing framing;

	if (!riscv || !riscv->params || riscv->dialect > HWF_RISCV_V2)
		return HWF_ERR_BAD_CONFIG;
	hwf_riscv_framing_init(&framing, HWF_RISCV_REFERENCE);
	if (riscv->framing)
		framing = *riscv->framing;
	if (hwf_riscv_framing_check(&framing))
		return HWF_ERR_BAD_CONFIG;
	session->configs.riscv.framing = framing;
	session->configs.riscv.isa = riscv->isa;
	session->configs.riscv.source = riscv->one_source ? (int64_t)riscv->source : -1;
	session->configs.riscv.branch_limit = riscv->branch_limit;
	return hwf_riscv_config_init(&session->configs.riscv.config,
				     (enum hwf_riscv_dialect)riscv->dialect, riscv->params);
}

static void release(struct hwf_session *session)
{
	free(session->state.riscv.decoder);
	free(session->state.riscv.graph_memory);
}

static int allocate(struct hwf_session *session)
{
	/* most of it is written only as the program needs it */
	session->state.riscv.decoder = malloc(sizeof(*session->state.riscv.decoder));
	session->state.riscv.graph_memory = malloc(hwf_graph_nodes_bytes(HWF_RISCV_NODES));
	return session->state.riscv.decoder && session->state.riscv.graph_memory
		       ? HWF_OK
		       : HWF_ERR_NO_MEMORY;
}

static void route(struct hwf_session *session)
{
	struct hwf_riscv_flow *flow = &session->state.riscv.decoder->flow;

	flow->sink = session->out.sink;
	flow->sink_ctx = session->out.ctx;
	/* the ctx of steps is that of the sink: the consumer's own, as nothing is held */
	flow->steps_sink = hwf_session_holds(session) ? NULL : session->config.steps;
}

static void start_with(struct hwf_session *session, uint64_t offset,
		       const struct hwf_riscv_config *config)
{
	struct hwf_riscv_decoder *decoder = session->state.riscv.decoder;

	hwf_riscv_decoder_init(decoder, config, &session->configs.riscv.framing,
			       session->configs.riscv.isa, session->config.code, session->out.sink,
			       session->out.ctx);
	decoder->stream.source = session->configs.riscv.source;
	decoder->at = offset;
	hwf_graph_init_nodes(&session->state.riscv.graph, session->state.riscv.graph_memory,
			     HWF_RISCV_NODES);
	decoder->flow.graph = &session->state.riscv.graph;
	if (session->configs.riscv.branch_limit)
		decoder->flow.branch_limit = session->configs.riscv.branch_limit;
	route(session);
	session->state.riscv.broken = false;
}

static void start(struct hwf_session *session, uint64_t offset)
{
	start_with(session, offset, &session->configs.riscv.config);
}

/* Each start forgets it. */
static void forget(struct hwf_session *session)
{
	(void)session;
}

/*
 * Without framing a packet that cannot be read hides where the next one begins. All bytes behind it
 * are passed over, not only those of the same piece.
 */
static size_t push_bare(struct hwf_session *session, const uint8_t *bytes, size_t length, bool last)
{
	struct hwf_riscv_decoder *decoder = session->state.riscv.decoder;
	struct hwf_riscv_packet packet;
	size_t taken = 0;

	while (!session->state.riscv.broken) {
		const size_t size = hwf_riscv_stream_next(&decoder->stream, bytes + taken,
							  length - taken, last, &packet);

		if (!size)
			break;
		hwf_riscv_flow_push(&decoder->flow, decoder->at, &packet, decoder->stream.error);
		session->state.riscv.broken = packet.type == HWF_RISCV_BAD;
		taken += size;
		decoder->at += size;
	}
	if (session->state.riscv.broken) {
		decoder->at += length - taken;
		taken = length;
	}
	if (last)
		hwf_riscv_flow_end(&decoder->flow, decoder->at);
	return taken;
}

static size_t push(struct hwf_session *session, const uint8_t *bytes, size_t length, bool last)
{
	if (session->configs.riscv.framing.kind == HWF_RISCV_BARE)
		return push_bare(session, bytes, length, last);
	return hwf_riscv_decoder_push(session->state.riscv.decoder, bytes, length, last);
}

static size_t write_state(const struct hwf_session *session, uint8_t *state, size_t size)
{
	return session->state.riscv.broken
		       ? 0
		       : hwf_riscv_decoder_state(session->state.riscv.decoder, state, size);
}

static void start_stream(const struct hwf_session *session, struct hwf_riscv_stream *stream)
{
	hwf_riscv_stream_init(stream, &session->configs.riscv.config,
			      &session->configs.riscv.framing);
	stream->source = session->configs.riscv.source;
}

static void start_packets(struct hwf_session *session, uint64_t offset)
{
	(void)offset;
	start_stream(session, &session->streams.riscv);
	session->state.riscv.broken = false;
}

static void next_packet(struct hwf_session *session, struct hwf_packet *packet)
{
	const struct hwf_view *view = &session->view;
	struct hwf_riscv_stream *stream = &session->streams.riscv;
	struct hwf_riscv_packet *riscv = &session->packets.riscv;
	size_t size;

	if (session->state.riscv.broken && view->length) {
		/* as in push_bare() */
		riscv->type = HWF_RISCV_BAD;
		size = view->length;
	} else {
		size = hwf_riscv_stream_next(stream, view->bytes, view->length, view->last, riscv);
	}
	*packet = (struct hwf_packet){
		.name = hwf_riscv_type_name(riscv->type),
		.size = (uint32_t)size,
		.type = riscv->type,
		.valid = riscv->type < HWF_RISCV_TYPES || riscv->type > HWF_RISCV_INCOMPLETE,
		.u.riscv = riscv,
	};
	if (!size)
		return;
	if (riscv->type == HWF_RISCV_BAD || riscv->type == HWF_RISCV_INCOMPLETE)
		packet->error = stream->error;
	if (riscv->type == HWF_RISCV_BAD && stream->framing.kind == HWF_RISCV_BARE) {
		session->state.riscv.broken = true;
		packet->error = HWF_ERR_BAD_PAYLOAD;
	}
}

static bool is_sync(const struct hwf_riscv_packet *packet)
{
	return packet->type == HWF_RISCV_F3_START ||
	       (packet->type == HWF_RISCV_F3_TRAP && packet->u.sync.has_address);
}

/* Begin at an offset, with these options. */
static void start_at(struct hwf_session *session, size_t offset,
		     const struct hwf_riscv_stream *stream)
{
	hwf_session_reset(session, offset);
	if (session->config.code)
		start_with(session, offset, &stream->config);
	else
		session->streams.riscv = *stream;
}

/* The options that the first support packet sets (RISCV_OPTIONS) */
static void find_options(const struct hwf_session *session, const uint8_t *bytes, size_t length,
			 struct hwf_riscv_stream *stream)
{
	struct hwf_riscv_packet packet;
	struct hwf_riscv_stream first;
	size_t at = 0;

	start_stream(session, &first);
	for (unsigned int i = 0; i < OPTIONS_PACKETS; i++) {
		const size_t size =
			hwf_riscv_stream_next(&first, bytes + at, length - at, true, &packet);

		if (!size || packet.type == HWF_RISCV_F3_SUPPORT)
			break;
		at += size;
	}
	start_stream(session, stream);
	stream->config = first.config;
}

/* Packets from the first byte on show where packets begin, and what the options are. */
static bool seek(struct hwf_session *session, const uint8_t *bytes, size_t length, size_t from,
		 enum hwf_seek direction, size_t *found)
{
	struct hwf_riscv_stream stream, stream_found;
	struct hwf_riscv_packet packet;
	bool any = false;
	size_t size;

	start_stream(session, &stream);
	if (direction == HWF_SEEK_HERE || direction == HWF_SEEK_NEAR) {
		if (from)
			find_options(session, bytes, length, &stream);
		*found = from;
		if (direction == HWF_SEEK_NEAR &&
		    !hwf_seek_chain(&stream, bytes, length, from, found))
			return false;
		start_at(session, *found, &stream);
		return true;
	}
	for (size_t at = 0; direction == HWF_SEEK_NEXT || at < from; at += size) {
		const struct hwf_riscv_stream before = stream;

		size = hwf_riscv_stream_next(&stream, bytes + at, length - at, true, &packet);
		if (!size)
			break;
		if (!is_sync(&packet) || (direction == HWF_SEEK_NEXT && at < from))
			continue;
		stream_found = before;
		*found = at;
		any = true;
		if (direction == HWF_SEEK_NEXT)
			break;
	}
	if (!any)
		return false;
	start_at(session, *found, &stream_found);
	return true;
}

static bool packet_state(const struct hwf_session *session, struct hwf_state_writer *state)
{
	const struct hwf_riscv_stream *stream = &session->streams.riscv;

	hwf_state_put_options(state, &stream->config.params);
	for (size_t i = 0; i < HWF_RISCV_LRIDS; i++)
		if (stream->requests.size[i])
			hwf_state_put(state, (uint64_t)i << 8 | stream->requests.size[i]);
	return !session->state.riscv.broken;
}

/* A line depends on its packet and the stream only. */
static bool line(struct hwf_session *session, const uint8_t *bytes, struct hwf_text *out)
{
	hwf_riscv_line(out, session->listing->format, &session->streams.riscv,
		       &session->packets.riscv, bytes, session->packet_size,
		       hwf_session_packet_at(session));
	return true;
}

const struct hwf_protocol hwf_protocol_riscv = {
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
	.line = line,
	.seek = seek,
};
