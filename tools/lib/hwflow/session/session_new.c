/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* New sessions: their configuration and their memory. */
#include <stdlib.h>
#include <string.h>

#include "session/session_private.h"

#define GRAPH_NODES      0x10000u
#define HELD_EVENTS      0x40000u
#define HELD_TRANSACTION 0x4000u

/* The members that the first version of the structure had and that no session can do without */
#define SMALLEST offsetof(struct hwf_session_config, sink)

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

	if (config->protocol >= HWF_SESSION_PROTOCOLS || (config->steps && config->profile) ||
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
	made->pull = !complete.sink && !complete.steps && !complete.profile;
	made->held.most = complete.held_events;
	hwf_session_set_consumer(made);
	made->out = made->consumer;
	err = made->protocol->configure(made, &complete);
	if (!err && complete.code)
		err = made->protocol->allocate(made);
	if (err) {
		hwf_session_free(made);
		return err;
	}
	hwf_session_reset(made, 0);
	*session = made;
	return HWF_OK;
}
