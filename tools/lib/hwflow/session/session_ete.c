/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Sessions of ETE and ETMv4. */
#include <stdlib.h>

#include "codec/ete/ete_private.h"
#include "fast/chains.h"
#include "profile/profile_private.h"
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
		ete->held = malloc(config->held_transaction * sizeof(*ete->held));
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

/* What the graph has counted goes to the profile. */
static void take_counts(struct hwf_session *session)
{
	struct hwf_graph *graph = session->state.ete->graph;

	hwf_graph_settle_counts(graph);
	hwf_profile_append_graph(session->config.profile, graph);
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

	if (!follower->last_is_counted)
		follower->counting = direct && session->config.profile;
	follower->steps = direct && session->config.steps ? take_steps : NULL;
}

/* Hand on what the follower gives. */
static void give(struct hwf_session *session, const struct hwf_flow_event *event)
{
	if (session->config.flags & HWF_SESSION_RAW_TRANSACTIONS)
		session->out.sink(session->out.ctx, event);
	else
		hwf_transactions_push(&session->state.ete->transactions, event);
}

/* The context is the same, but its address space is another one. */
static void repeat_context(struct hwf_session *session, uint64_t offset)
{
	const struct hwf_follower *follower = &session->state.ete->decoder.follower;
	struct hwf_flow_event event = {.offset = offset, .kind = HWF_FLOW_CONTEXT};

	if (!follower->has_context)
		return;
	event.u.context.context = follower->context;
	event.u.context.isa = follower->isa;
	give(session, &event);
}

/* The sink of the follower where ranges are given as steps or counted, or the program may change */
static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	struct hwf_session *session = ctx;
	const struct hwf_session_config *config = &session->config;
	const bool changes = config->changes && event->kind != HWF_FLOW_RANGE &&
			     config->changes(config->ctx, event);

	give(session, event);
	if (changes && event->kind != HWF_FLOW_CONTEXT)
		repeat_context(session, event->offset);
	/* behind this event the follower counts at once */
	if (event->kind != HWF_FLOW_COUNTED)
		route_ranges(session);
}

static void take_counts_before_flush(void *ctx, struct hwf_graph *graph)
{
	(void)graph;
	take_counts(ctx);
}

/* Does take_event() take the events of the follower? */
static bool is_wrapped(const struct hwf_session *session)
{
	const struct hwf_session_config *config = &session->config;

	return config->steps || config->profile || config->changes;
}

static void route(struct hwf_session *session)
{
	struct hwf_session_ete *ete = session->state.ete;
	struct hwf_follower *follower = &ete->decoder.follower;

	ete->transactions.sink = session->out.sink;
	ete->transactions.taken_back = session->out.taken_back;
	ete->transactions.ctx = session->out.ctx;
	if (!is_wrapped(session)) {
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
	const bool wrapped = is_wrapped(session);

	if (session->config.profile) {
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
	ete->graph->counts.latest = NULL;
	if (session->config.profile) {
		follower->before_flush = take_counts_before_flush;
		ete->graph->counts.latest = &session->config.profile->latest;
	}
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

/* The last range that was counted is given and not counted, so that the counts are complete. */
static bool complete_counts(struct hwf_session *session)
{
	struct hwf_decoder *decoder = &session->state.ete->decoder;

	if (decoder->follower.last_is_counted) {
		if (session->running)
			return false;
		session->running = true;
		hwf_flow_interrupt_counting(&decoder->follower, decoder->stream.offset);
		session->running = false;
	}
	take_counts(session);
	return true;
}

static void settle(struct hwf_session *session)
{
	hwf_decoder_settle(&session->state.ete->decoder);
	route_ranges(session);
}

static size_t write_state(const struct hwf_session *session, uint8_t *state, size_t size)
{
	const struct hwf_session_ete *ete = session->state.ete;

	return ete->transactions.open ? 0 : hwf_decoder_state(&ete->decoder, state, size);
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

static void next_packet(struct hwf_session *session, struct hwf_packet *packet)
{
	const struct hwf_view *view = &session->view;
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

static bool packet_state(const struct hwf_session *session, struct hwf_state_writer *state)
{
	const struct hwf_ete_stream *stream = &session->streams.ete;

	(void)state;
	/* why synchronisation was lost is of no account once it is found again */
	return stream->synced && !stream->tentative;
}

static void start_lines(struct hwf_session *session)
{
	struct hwf_listing *listing = session->listing;

	hwf_ete_lines_init(&listing->lines.ete, &session->configs.ete, listing->format, NULL);
}

static bool line(struct hwf_session *session, const uint8_t *bytes, struct hwf_text *out)
{
	struct hwf_ete_lines *lines = &session->listing->lines.ete;

	lines->out = out;
	hwf_ete_line(lines, &session->packets.ete, bytes, hwf_session_packet_at(session),
		     session->tentative);
	return !lines->unsync_length;
}

static void flush(struct hwf_session *session)
{
	hwf_ete_lines_flush(&session->listing->lines.ete);
}

static void line_state(const struct hwf_session *session, struct hwf_state_writer *state)
{
	const struct hwf_ete_lines *lines = &session->listing->lines.ete;

	for (size_t i = 0; i < HWF_HISTORY; i++) {
		hwf_state_put(state, lines->history.entry[i].value);
		hwf_state_put(state, lines->history.entry[i].is);
	}
	hwf_state_put(state, lines->history.aarch32);
	hwf_state_put(state, lines->timestamp);
	hwf_state_put(state, (uint64_t)lines->cc_threshold << 8 | lines->wait_sync);
	hwf_state_put(state, lines->unsync_length);
	if (lines->unsync_length)
		hwf_state_put(state, lines->unsync_offset);
}

const struct hwf_protocol hwf_protocol_ete = {
	.configure = configure,
	.allocate = allocate,
	.release = release,
	.start = start,
	.forget = forget,
	.route = route,
	.push = push,
	.complete_counts = complete_counts,
	.settle = settle,
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
