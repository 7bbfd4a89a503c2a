/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Push and pull. The decoders call the consumer directly. When the consumer stops, the decoder has
 * a piece of trace at hand, and what it still gives of this piece is held: the sink of the decoder
 * becomes hold(). A pull is a session that always holds.
 */
#include "session/session_private.h"

/*
 * Bytes that are decoded at once if the consumer may stop: the more, the faster; the fewer, the
 * fewer events are held when the consumer stops. A consumer that has stopped once will do so again.
 */
#define PIECE         0x2000u
#define PIECE_TO_HOLD 0x200u

static void stop_holding(struct hwf_session *session)
{
	session->stopped = false;
	session->out = session->consumer;
	session->protocol->route(session);
}

void hwf_session_stop(struct hwf_session *session)
{
	if (!session->running || !session->stops || session->stopped)
		return;
	session->stopped = true;
	session->holds_often = true;
	hwf_session_hold(session);
}

static size_t most_bytes(const struct hwf_session *session)
{
	if (session->pull || session->holds_often)
		return PIECE_TO_HOLD;
	return session->stops ? PIECE : SIZE_MAX;
}

/* Decode one piece. HWF_ERR_NEED_MORE: nothing but part of a packet is left. */
static int decode_piece(struct hwf_session *session)
{
	struct hwf_input *input = &session->input;
	struct hwf_view view;
	size_t taken;

	hwf_input_look(input, most_bytes(session), &view);
	if (!view.length && !view.last)
		return HWF_ERR_NEED_MORE;
	session->begun = true;
	taken = session->protocol->push(session, view.bytes, view.length, view.last);
	hwf_input_take(input, &view, taken);
	session->ended = view.last;
	if (session->error)
		return session->error;
	if (taken || view.last)
		return HWF_OK;
	hwf_input_keep(input);
	return HWF_ERR_NEED_MORE;
}

/* Give what is held, until the consumer stops again. */
static void give_held(struct hwf_session *session)
{
	while (hwf_held_any(&session->held) && !session->stopped) {
		const struct hwf_held_event *held = hwf_held_take(&session->held);

		if (held->taken_back)
			session->consumer.taken_back(session->consumer.ctx, &held->event);
		else
			session->consumer.sink(session->consumer.ctx, &held->event);
	}
}

static int run(struct hwf_session *session)
{
	int err = HWF_OK;

	give_held(session);
	while (!session->stopped && !session->ended && !err)
		err = decode_piece(session);
	if (session->ended && !session->stopped && !session->finished) {
		session->finished = true;
		if (session->config.profile)
			hwf_session_counts(session);
	}
	if (!session->error && session->config.profile &&
	    hwf_profile_failed(session->config.profile))
		session->error = HWF_ERR_NO_MEMORY;
	if (session->error)
		return session->error;
	if (session->stopped)
		return HWF_ERR_STOPPED;
	return err == HWF_ERR_NEED_MORE ? HWF_OK : err;
}

static int check_push(const struct hwf_session *session)
{
	if (session->pull || session->running || !session->config.code)
		return HWF_ERR_BAD_CALL;
	if (session->error)
		return session->error;
	return session->ended && !session->stopped ? HWF_ERR_END : HWF_OK;
}

int hwf_session_push(struct hwf_session *session, const uint8_t *bytes, size_t length, bool last,
		     size_t *taken)
{
	int err = check_push(session);

	if (taken)
		*taken = 0;
	if (err)
		return err;
	session->input.bytes = bytes;
	session->input.length = length;
	session->input.last = last;
	if (session->stopped)
		stop_holding(session);
	session->stops = taken != NULL;
	session->running = true;
	err = run(session);
	session->running = false;
	if (taken)
		*taken = length - session->input.length;
	/* what is left is given again */
	session->input.bytes = NULL;
	session->input.length = 0;
	return err;
}

int hwf_session_feed(struct hwf_session *session, const uint8_t *bytes, size_t length, bool last)
{
	if ((session->config.code && !session->pull) || session->input.length)
		return HWF_ERR_BAD_CALL;
	if (session->input.last)
		return HWF_ERR_END;
	session->input.bytes = bytes;
	session->input.length = length;
	session->input.last = last;
	return HWF_OK;
}

int hwf_session_next(struct hwf_session *session, const struct hwf_flow_event **event)
{
	if (!session->pull || !session->config.code)
		return HWF_ERR_BAD_CALL;
	/* events before an error are given before the error is reported */
	while (!hwf_held_any(&session->held)) {
		if (session->error)
			return session->error;
		if (session->ended)
			return HWF_ERR_END;
		if (decode_piece(session) == HWF_ERR_NEED_MORE && !hwf_held_any(&session->held))
			return HWF_ERR_NEED_MORE;
	}
	*event = &hwf_held_take(&session->held)->event;
	return HWF_OK;
}

/* Take the bytes of the last packet, and look at those behind it. */
static void look_on(struct hwf_session *session)
{
	struct hwf_view *view = &session->view;
	const uint32_t size = session->packet_size;

	/* most packets are in a view of all bytes that were lent */
	if (size && size < view->length && view->copied == SIZE_MAX) {
		session->input.bytes = view->bytes += size;
		session->input.length = view->length -= size;
		return;
	}
	if (size)
		hwf_input_take(&session->input, view, size);
	hwf_input_look(&session->input, SIZE_MAX, view);
}

int hwf_session_next_packet(struct hwf_session *session, struct hwf_packet *packet)
{
	if (session->config.code)
		return HWF_ERR_BAD_CALL;
	look_on(session);
	session->protocol->next_packet(session, packet);
	packet->offset = session->packet_offset;
	packet->protocol = (uint8_t)session->config.protocol;
	session->packet_size = packet->size;
	session->packet_offset += packet->size;
	session->tentative = packet->tentative;
	session->begun = true;
	if (packet->size)
		return HWF_OK;
	if (session->view.last)
		return HWF_ERR_END;
	hwf_input_keep(&session->input);
	return HWF_ERR_NEED_MORE;
}

bool hwf_session_line(struct hwf_session *session, struct hwf_text *out)
{
	const struct hwf_protocol *protocol = session->protocol;

	if (!session->listing)
		return false;
	if (session->packet_size)
		return protocol->line(session, session->view.bytes, out);
	if (protocol->flush)
		protocol->flush(session);
	return true;
}
