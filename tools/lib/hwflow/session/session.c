/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Sessions: configuration, memory, beginning anew. */
#include <stdlib.h>
#include <string.h>

#include "session/session_private.h"

#define GRAPH_NODES      0x10000u
#define HELD_EVENTS      0x40000u
#define HELD_TRANSACTION 0x4000u

/* The members that the first version of the structure had and that no session can do without */
#define SMALLEST offsetof(struct hwf_session_config, sink)

static void drop(void *ctx, const struct hwf_flow_event *event)
{
	(void)ctx;
	(void)event;
}

/* The caller's configuration, of whatever size, as this version has it */
static int read_config(struct hwf_session_config *config, const struct hwf_session_config *given)
{
	const size_t size = given->size;
	const uint8_t *bytes = (const uint8_t *)given;

	if (size < SMALLEST)
		return HWF_ERR_BAD_CONFIG;
	for (size_t i = sizeof(*config); i < size; i++)
		if (bytes[i])
			return HWF_ERR_UNKNOWN_MEMBERS;
	memset(config, 0, sizeof(*config));
	memcpy(config, given, size < sizeof(*config) ? size : sizeof(*config));
	config->size = sizeof(*config);
	if (!config->graph_nodes)
		config->graph_nodes = GRAPH_NODES;
	if (!config->held_events)
		config->held_events = HELD_EVENTS;
	if (!config->held_transaction)
		config->held_transaction = HELD_TRANSACTION;
	return HWF_OK;
}

static int check_config(const struct hwf_session_config *config)
{
	const uint32_t nodes = config->graph_nodes;

	if (config->protocol >= HWF_SESSION_PROTOCOLS || (config->steps && config->counts) ||
	    nodes < 64 || nodes > 1u << 24 || nodes & (nodes - 1))
		return HWF_ERR_BAD_CONFIG;
	if (config->flags & ~(HWF_SESSION_SPLIT_SOURCE | HWF_SESSION_EACH_INSTRUCTION |
			      HWF_SESSION_RAW_TRANSACTIONS))
		return HWF_ERR_UNKNOWN_MEMBERS;
	return HWF_OK;
}

static const struct hwf_protocol *const protocols[] = {
	[HWF_SESSION_ETE] = &hwf_protocol_ete,
	[HWF_SESSION_ETMV4] = &hwf_protocol_ete,
	[HWF_SESSION_ETMV3] = &hwf_protocol_etm3,
	[HWF_SESSION_RISCV] = &hwf_protocol_riscv,
};

/* Who takes the events of a session */
static void set_consumer(struct hwf_session *session)
{
	const struct hwf_session_config *config = &session->config;

	session->consumer.sink = config->sink ? config->sink : drop;
	session->consumer.taken_back = config->taken_back;
	session->consumer.ctx = config->ctx;
	session->out = session->consumer;
	session->pull = !config->sink && !config->steps && !config->counts;
	session->held.most = config->held_events;
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
		session->protocol->start_packets(session, offset);
		if (hwf_session_lists(session))
			session->protocol->start_lines(session);
		return;
	}
	session->protocol->start(session, offset);
	if (session->pull)
		hwf_session_hold(session);
}

int hwf_session_new(struct hwf_session **session, const struct hwf_session_config *config)
{
	struct hwf_session_config complete;
	struct hwf_session *made;
	int err = read_config(&complete, config);

	*session = NULL;
	if (!err)
		err = check_config(&complete);
	if (err)
		return err;
	made = calloc(1, sizeof(*made));
	if (!made)
		return HWF_ERR_NO_MEMORY;
	made->config = complete;
	made->protocol = protocols[complete.protocol];
	set_consumer(made);
	err = made->protocol->configure(made, &complete);
	if (!err && complete.code)
		err = made->protocol->allocate(made);
	if (err) {
		hwf_session_free(made);
		return err;
	}
	start(made, 0);
	*session = made;
	return HWF_OK;
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

int hwf_session_list(struct hwf_session *session, enum hwf_text_format format, struct hwf_text *out)
{
	if (session->config.code || session->begun)
		return HWF_ERR_BAD_CALL;
	if (!session->listing)
		session->listing = calloc(1, sizeof(*session->listing));
	if (!session->listing)
		return HWF_ERR_NO_MEMORY;
	session->listing->format = format;
	session->listing->out = out;
	if (out)
		session->protocol->start_lines(session);
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
