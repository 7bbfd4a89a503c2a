/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Events that wait for the consumer. */
#include <stdlib.h>
#include <string.h>

#include "session/session_private.h"

/* Events there is room for at first */
#define FIRST 64u

static int make_room(struct hwf_held *held)
{
	uint32_t size = held->size ? held->size * 2 : FIRST;
	struct hwf_held_event *events;

	if (held->used == held->most)
		return HWF_ERR_TOO_MANY_HELD;
	if (size > held->most)
		size = held->most;
	events = realloc(held->events, size * sizeof(*events));
	if (!events)
		return HWF_ERR_NO_MEMORY;
	held->events = events;
	held->size = size;
	return HWF_OK;
}

int hwf_held_add(struct hwf_held *held, const struct hwf_flow_event *event, bool taken_back)
{
	const int err = held->used == held->size ? make_room(held) : HWF_OK;
	struct hwf_held_event *copy;

	if (err)
		return err;
	copy = &held->events[held->used++];
	copy->event = *event;
	copy->taken_back = taken_back;
	copy->has_each = event->kind == HWF_FLOW_RANGE && event->u.range.each;
	if (copy->has_each)
		memcpy(copy->each, event->u.range.each, event->u.range.instructions);
	return HWF_OK;
}

const struct hwf_held_event *hwf_held_take(struct hwf_held *held)
{
	struct hwf_held_event *event = &held->events[held->first++];

	/* only now: the array may have moved since the event was added */
	if (event->has_each)
		event->event.u.range.each = event->each;
	if (held->first == held->used)
		held->first = held->used = 0;
	return event;
}

static void add_held(struct hwf_session *session, const struct hwf_flow_event *event,
		     bool taken_back)
{
	const int err = session->error ? HWF_OK : hwf_held_add(&session->held, event, taken_back);

	if (err)
		session->error = err;
}

static void hold(void *ctx, const struct hwf_flow_event *event)
{
	add_held(ctx, event, false);
}

static void hold_taken_back(void *ctx, const struct hwf_flow_event *event)
{
	add_held(ctx, event, true);
}

void hwf_session_hold(struct hwf_session *session)
{
	session->out.sink = hold;
	session->out.taken_back = session->consumer.taken_back ? hold_taken_back : NULL;
	session->out.ctx = session;
	session->protocol->route(session);
}
