/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Sessions with a profile. All ranges come to count(), but for those that the decoder
 * of ETE counts in its graph. The consumer receives HWF_FLOW_COUNTED in place of each sequence of
 * ranges:
 *
 *	decoder   range range time range  gap  counted ...... range context
 *	consumer  counted     time        gap  counted              context
 */
#include "decode/follower.h"
#include "fast/state_writer.h"
#include "session/session_private.h"

static void drop(void *ctx, const struct hwf_flow_event *event)
{
	(void)ctx;
	(void)event;
}

static void begin_ranges(struct hwf_session *session, const struct hwf_flow_event *event)
{
	const struct hwf_flow_event begin = {
		.offset = event->offset,
		.kind = HWF_FLOW_COUNTED,
		.u.address =
			event->kind == HWF_FLOW_RANGE ? event->u.range.start : event->u.address,
	};

	session->in_ranges = true;
	session->config.sink(session->config.ctx, &begin);
}

static void count(void *ctx, const struct hwf_flow_event *event)
{
	struct hwf_session *session = ctx;

	if (event->kind == HWF_FLOW_RANGE || event->kind == HWF_FLOW_COUNTED) {
		hwf_profile_walk_push(&session->walk, event);
		if (!session->in_ranges)
			begin_ranges(session, event);
		return;
	}
	session->in_ranges &= hwf_flow_is_independent(event->kind);
	session->config.sink(session->config.ctx, event);
	/* the consumer may have taken the counts up to this event */
	hwf_profile_walk_push(&session->walk, event);
}

static void take_back(void *ctx, const struct hwf_flow_event *event)
{
	const struct hwf_session *session = ctx;

	session->config.taken_back(session->config.ctx, event);
}

void hwf_session_set_consumer(struct hwf_session *session)
{
	struct hwf_session_config *config = &session->config;

	if (!config->sink)
		config->sink = drop;
	session->consumer.sink = config->sink;
	session->consumer.taken_back = config->taken_back;
	session->consumer.ctx = config->ctx;
	if (!config->profile)
		return;
	session->consumer.sink = count;
	session->consumer.taken_back = config->taken_back ? take_back : NULL;
	session->consumer.ctx = session;
}

static bool complete_counts(struct hwf_session *session)
{
	return !session->protocol->complete_counts || session->protocol->complete_counts(session);
}

int hwf_session_counts(struct hwf_session *session)
{
	if (!session->config.profile || !session->config.code)
		return HWF_ERR_BAD_CALL;
	return complete_counts(session) ? HWF_OK : HWF_ERR_BAD_CALL;
}

/* A branch whose destination is not known yet is counted with its destination. */
static size_t add_walk(const struct hwf_session *session, uint8_t *state, size_t used, size_t size)
{
	const struct hwf_profile_walk *walk = &session->walk;
	struct hwf_state_writer writer = {.at = state + used, .end = state + size};

	hwf_state_put(&writer, (uint64_t)session->in_ranges << 8 | walk->has_branch);
	if (walk->has_branch)
		hwf_state_put(&writer, walk->last.end);
	return hwf_state_size(&writer, state);
}

/* The state of a session without code */
static size_t state_of_packets(const struct hwf_session *session, uint8_t *state, size_t size)
{
	struct hwf_state_writer writer = {.at = state, .end = state + size};

	hwf_state_put(&writer, session->packet_offset);
	if (!session->protocol->packet_state(session, &writer))
		return 0;
	if (session->listing && session->protocol->line_state)
		session->protocol->line_state(session, &writer);
	return hwf_state_size(&writer, state);
}

size_t hwf_session_state(struct hwf_session *session, uint8_t *state, size_t size)
{
	const struct hwf_protocol *protocol = session->protocol;
	size_t used;

	if (!session->config.code)
		return state_of_packets(session, state, size);
	if (session->pull || session->running || session->error || session->stopped ||
	    session->ended)
		return 0;
	if (protocol->settle) {
		session->running = true;
		protocol->settle(session);
		session->running = false;
	}
	if (session->stopped || (session->config.profile && !complete_counts(session)))
		return 0;
	used = protocol->state(session, state, size);
	return used && session->config.profile ? add_walk(session, state, used, size) : used;
}
