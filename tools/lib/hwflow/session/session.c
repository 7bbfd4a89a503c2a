/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Sessions: beginning anew, listing, seeking, the end. */
#include <stdlib.h>

#include "session/session_private.h"

static void start_lines(struct hwf_session *session)
{
	if (session->protocol->start_lines)
		session->protocol->start_lines(session);
}

static void start(struct hwf_session *session, uint64_t offset)
{
	session->input = (struct hwf_input){0};
	session->held.first = session->held.used = 0;
	session->out = session->consumer;
	session->packet_offset = offset;
	session->error = HWF_OK;
	session->stopped = false;
	session->begun = false;
	session->ended = false;
	session->finished = false;
	if (!session->config.code) {
		session->packet_size = 0;
		session->protocol->start_packets(session, offset);
		if (session->listing)
			start_lines(session);
		return;
	}
	if (session->config.profile) {
		session->in_ranges = false;
		hwf_profile_walk_init(&session->walk, session->config.profile,
				      session->config.code);
	}
	session->protocol->start(session, offset);
	if (session->pull)
		hwf_session_hold(session);
}

void hwf_session_free(struct hwf_session *session)
{
	if (!session)
		return;
	session->protocol->release(session);
	free(session->held.events);
	free(session->listing);
	free(session);
}

int hwf_session_list(struct hwf_session *session, enum hwf_text_format format)
{
	if (session->config.code || session->begun)
		return HWF_ERR_BAD_CALL;
	if (!session->listing)
		session->listing = calloc(1, sizeof(*session->listing));
	if (!session->listing)
		return HWF_ERR_NO_MEMORY;
	session->listing->format = format;
	start_lines(session);
	return HWF_OK;
}

int hwf_session_reset(struct hwf_session *session, uint64_t offset)
{
	if (session->running)
		return HWF_ERR_BAD_CALL;
	start(session, offset);
	return HWF_OK;
}

int hwf_session_forget(struct hwf_session *session)
{
	if (session->running || session->begun)
		return HWF_ERR_BAD_CALL;
	if (session->config.code)
		session->protocol->forget(session);
	return HWF_OK;
}

int hwf_session_seek(struct hwf_session *session, const uint8_t *bytes, size_t length, size_t from,
		     enum hwf_seek seek, size_t *found)
{
	if (session->running)
		return HWF_ERR_BAD_CALL;
	return session->protocol->seek(session, bytes, length, from, seek, found) ? HWF_OK
										  : HWF_ERR_NO_SYNC;
}
