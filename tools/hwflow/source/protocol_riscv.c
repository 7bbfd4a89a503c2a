// SPDX-License-Identifier: GPL-2.0-only
/* RISC-V Processor Trace. */
#include <stdlib.h>

#include "input_riscv.h"
#include "protocol.h"

static int init_source(struct input_source *source, const void *config)
{
	struct input_riscv *riscv = malloc(sizeof(*riscv));

	if (!riscv)
		return HWF_ERR_NO_SPACE;
	source->protocol = &protocol_riscv;
	source->own = riscv;
	*riscv = *(const struct input_riscv *)config;
	riscv->session = (struct hwf_session_riscv){
		.params = &riscv->config.params,
		.framing = &riscv->framing,
		.dialect = riscv->config.dialect,
		.isa = riscv->isa,
		.source = (uint32_t)riscv->number,
		.one_source = riscv->number >= 0,
	};
	return HWF_OK;
}

/* Contexts of this protocol do not name threads. */
static int32_t thread_of(const struct input_source *source, const struct hwf_context *context,
			 int32_t before)
{
	(void)source;
	(void)context;
	return before;
}

static uint8_t dialect(const struct input_source *source)
{
	const struct input_riscv *riscv = source->own;

	return (uint8_t)riscv->config.dialect;
}

static bool has_timestamps(const struct input_source *source)
{
	const struct input_riscv *riscv = source->own;

	return riscv->config.params.time_width_p;
}

static void set_session(const struct input_source *source, struct hwf_session_config *config)
{
	const struct input_riscv *riscv = source->own;

	config->protocol = HWF_SESSION_RISCV;
	config->riscv = &riscv->session;
}

static uint64_t packet_time(const struct input_source *source, struct packet_clock *clock,
			    const struct hwf_packet *packet)
{
	const bool is_sync = packet->type == HWF_RISCV_F3_START ||
			     packet->type == HWF_RISCV_F3_TRAP ||
			     packet->type == HWF_RISCV_F3_CONTEXT;

	(void)clock;
	return is_sync && has_timestamps(source) ? packet->u.riscv->u.sync.time : 0;
}

/* Data trace may be a source of its own, and is read from anywhere. */
static enum packet_role packet_role(const struct hwf_packet *packet)
{
	return packet->type == HWF_RISCV_F3_START || packet->type == HWF_RISCV_F3_TRAP ||
			       packet->type > HWF_RISCV_INCOMPLETE
		       ? PACKET_STARTS
		       : PACKET_UNSYNCED;
}

const struct protocol protocol_riscv = {
	.number = INPUT_RISCV,
	.word = "riscv",
	.name = "RISC-V",
	.no_sync = "; is it a trace of RISC-V?",
	.has_traps = true,
	.bad_packet = "; is the --config right?",
	.config_size = sizeof(struct input_riscv),
	.init = init_source,
	.thread = thread_of,
	.dialect = dialect,
	.has_timestamps = has_timestamps,
	.session = set_session,
	.packet_time = packet_time,
	.packet_role = packet_role,
};
