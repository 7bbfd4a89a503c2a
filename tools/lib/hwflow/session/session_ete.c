/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Sessions of ETE and ETMv4. */
#include <stdlib.h>

#include "ete/ete_private.h"
#include "flow/follower.h"
#include "session/session_private.h"

static int configure(struct hwf_session *session, const struct hwf_session_config *config)
{
	struct hwf_ete_regs regs;

	if (!config->ete)
		return HWF_ERR_BAD_CONFIG;
	regs = *config->ete;
	regs.protocol = config->protocol == HWF_SESSION_ETE ? HWF_PROTOCOL_ETE : HWF_PROTOCOL_ETMV4;
	return hwf_ete_config_init(&session->configs.ete, &regs);
}

static void release(struct hwf_session *session)
{
	struct hwf_session_ete *ete = session->state.ete;

	if (!ete)
		return;
	free(ete->ring);
	free(ete->held);
	free(ete->graph_memory);
	free(ete);
}

static int allocate(struct hwf_session *session)
{
	const struct hwf_session_config *config = &session->config;
	struct hwf_session_ete *ete = calloc(1, sizeof(*ete));

	session->state.ete = ete;
	if (!ete)
		return HWF_ERR_NO_MEMORY;
	ete->ring = calloc(hwf_p0_ring_size(&session->configs.ete), sizeof(*ete->ring));
	if (!(config->flags & HWF_SESSION_RAW_TRANSACTIONS))
		ete->held = calloc(config->held_transaction, sizeof(*ete->held));
	if (!ete->ring || (!ete->held && !(config->flags & HWF_SESSION_RAW_TRANSACTIONS)))
		return HWF_ERR_NO_MEMORY;
	ete->graph = config->graph;
	if (ete->graph)
		return HWF_OK;
	ete->graph_memory = calloc(1, hwf_graph_bytes(config->graph_nodes));
	if (!ete->graph_memory)
		return HWF_ERR_NO_MEMORY;
	ete->graph = &ete->own_graph;
	hwf_graph_init(ete->graph, ete->graph_memory, config->graph_nodes);
	return HWF_OK;
}

void hwf_session_give_counts(struct hwf_session *session)
{
	struct hwf_graph *graph;

	if (!session->config.counts || session->protocol != &hwf_protocol_ete)
		return;
	graph = session->state.ete->graph;
	hwf_graph_settle_counts(graph);
	session->config.counts(session->config.ctx, graph);
	hwf_graph_clear_counts(graph);
}

static void take_steps(void *ctx, const struct hwf_steps *steps)
{
	const struct hwf_session *session = ctx;

	session->config.steps(session->config.ctx, steps);
}

/*
 * Ranges go to the consumer as steps, or are counted, while nothing is held. Else each is an event.
 * Silence, in which ranges are counted, is ended by the follower alone.
 */
static void route_ranges(struct hwf_session *session)
{
	struct hwf_session_ete *ete = session->state.ete;
	const bool direct = !ete->transactions.open && !hwf_session_holds(session);
	struct hwf_follower *follower = &ete->decoder.follower;

	if (!follower->silent)
		follower->counting = direct && session->config.counts;
	follower->steps = direct && session->config.steps ? take_steps : NULL;
}

/* The sink of the follower where ranges are given as steps or counted */
static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	struct hwf_session *session = ctx;

	if (session->config.flags & HWF_SESSION_RAW_TRANSACTIONS)
		session->out.sink(session->out.ctx, event);
	else
		hwf_transactions_push(&session->state.ete->transactions, event);
	/* behind this event the follower counts at once */
	if (event->kind != HWF_FLOW_COUNTED)
		route_ranges(session);
}

static void forgets(void *ctx, struct hwf_graph *graph)
{
	(void)graph;
	hwf_session_give_counts(ctx);
}

static bool by_range(const struct hwf_session *session)
{
	return session->config.steps || session->config.counts;
}

static void route(struct hwf_session *session)
{
	struct hwf_session_ete *ete = session->state.ete;
	struct hwf_follower *follower = &ete->decoder.follower;

	ete->transactions.sink = session->out.sink;
	ete->transactions.taken_back = session->out.taken_back;
	ete->transactions.ctx = session->out.ctx;
	if (!by_range(session)) {
		if (session->config.flags & HWF_SESSION_RAW_TRANSACTIONS) {
			follower->sink = session->out.sink;
			follower->sink_ctx = session->out.ctx;
		}
	} else if (session->running) {
		/* the follower calls the consumer just now; take_event() does the rest behind it */
		follower->steps = NULL;
	} else {
		route_ranges(session);
	}
}

static void start(struct hwf_session *session, uint64_t offset)
{
	struct hwf_session_ete *ete = session->state.ete;
	struct hwf_follower *follower = &ete->decoder.follower;
	const bool wrapped = by_range(session);

	if (session->config.counts) {
		hwf_graph_settle_counts(ete->graph);
		hwf_graph_clear_counts(ete->graph);
	}
	hwf_transactions_init(&ete->transactions, ete->held, session->config.held_transaction, NULL,
			      NULL, NULL);
	hwf_decoder_init(&ete->decoder, &session->configs.ete, session->config.code, ete->ring,
			 hwf_p0_ring_size(&session->configs.ete),
			 wrapped ? take_event : hwf_transactions_push,
			 wrapped ? (void *)session : &ete->transactions);
	ete->decoder.stream.offset = offset;
	ete->decoder.elements.last_offset = offset;
	follower->graph = ete->graph;
	follower->split_source = session->config.flags & HWF_SESSION_SPLIT_SOURCE;
	if (session->config.counts)
		follower->forgets = forgets;
	route(session);
}

static void forget(struct hwf_session *session)
{
	hwf_graph_flush(session->state.ete->graph);
}

static size_t push(struct hwf_session *session, const uint8_t *bytes, size_t length, bool last)
{
	return hwf_decoder_push(&session->state.ete->decoder, bytes, length, last);
}

int hwf_session_counts(struct hwf_session *session)
{
	struct hwf_follower *follower;

	if (!session->config.counts || !session->config.code)
		return HWF_ERR_BAD_CALL;
	if (session->protocol != &hwf_protocol_ete)
		return HWF_OK;
	follower = &session->state.ete->decoder.follower;
	if (follower->silent) {
		/* the last range that was counted is not counted any more: it has to be given */
		if (session->running)
			return HWF_ERR_BAD_CALL;
		session->running = true;
		hwf_flow_end_silence(follower, session->state.ete->decoder.stream.offset);
		session->running = false;
	}
	hwf_session_give_counts(session);
	return HWF_OK;
}

struct hwf_graph *hwf_session_graph(struct hwf_session *session)
{
	if (session->protocol != &hwf_protocol_ete || !session->config.code)
		return NULL;
	return session->state.ete->graph;
}

static void start_packets(struct hwf_session *session, uint64_t offset)
{
	hwf_ete_stream_init(&session->streams.ete, &session->configs.ete);
	session->streams.ete.offset = offset;
}

static size_t next_packet(struct hwf_session *session, const struct hwf_view *view,
			  struct hwf_packet *packet)
{
	struct hwf_ete_stream *stream = &session->streams.ete;
	const struct hwf_ete_packet *ete = &session->packets.ete;
	const size_t size = hwf_ete_stream_next(stream, view->bytes, view->length, view->last,
						&session->packets.ete);

	*packet = (struct hwf_packet){
		.name = hwf_ete_type_name(ete->type),
		.size = (uint32_t)size,
		.type = ete->type,
		.valid = ete->type < HWF_ETE_TYPES,
		.tentative = stream->tentative,
		.u.ete = ete,
	};
	if (!packet->valid)
		packet->error = stream->synced ? stream->error : HWF_ERR_NO_SYNC;
	return size;
}

/* Do packets from an Alignment Synchronisation lead to a Trace Info? */
static bool is_sync(const struct hwf_session *session, const uint8_t *bytes, size_t length)
{
	struct hwf_ete_stream stream;
	struct hwf_ete_packet packet;
	size_t at;

	hwf_ete_stream_init(&stream, &session->configs.ete);
	at = hwf_ete_stream_next(&stream, bytes, length, true, &packet);
	for (;;) {
		const size_t size =
			hwf_ete_stream_next(&stream, bytes + at, length - at, true, &packet);

		if (!size || packet.type >= HWF_ETE_TYPES || packet.type == HWF_ETE_ALIGN_SYNC)
			return false;
		if (packet.type == HWF_ETE_TRACE_INFO)
			return true;
		at += size;
	}
}

static bool seek(struct hwf_session *session, const uint8_t *bytes, size_t length, size_t from,
		 enum hwf_seek direction, size_t *found)
{
	if (!hwf_seek_zeros(session, bytes, length, from, direction, HWF_ETE_ASYNC - 1, is_sync,
			    found))
		return false;
	return hwf_session_reset(session, *found) == HWF_OK;
}

static void start_lines(struct hwf_session *session)
{
	struct hwf_listing *listing = session->listing;

	hwf_ete_lines_init(&listing->lines.ete, &session->configs.ete, listing->format,
			   listing->out);
}

static void line(struct hwf_session *session, const uint8_t *bytes, const struct hwf_packet *packet)
{
	hwf_ete_line(&session->listing->lines.ete, packet->u.ete, bytes, packet->offset,
		     packet->tentative);
}

static void flush(struct hwf_session *session)
{
	hwf_ete_lines_flush(&session->listing->lines.ete);
}

const struct hwf_protocol hwf_protocol_ete = {
	.configure = configure,
	.allocate = allocate,
	.release = release,
	.start = start,
	.forget = forget,
	.route = route,
	.push = push,
	.start_packets = start_packets,
	.next_packet = next_packet,
	.start_lines = start_lines,
	.line = line,
	.flush = flush,
	.seek = seek,
};
