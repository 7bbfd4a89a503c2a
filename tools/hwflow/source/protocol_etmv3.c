// SPDX-License-Identifier: GPL-2.0-only
/* ETMv3. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config.h"
#include "etm3.h"
#include "hwflow/text.h"
#include "input_private.h"
#include "protocol.h"

/**
 * struct etm3_source - configuration of a source
 * @regs: of the trace unit
 * @config: from @regs
 */
struct etm3_source {
	struct hwf_etm3_regs regs;
	struct hwf_etm3_config config;
};

static bool is_type(const char *type)
{
	return !strncasecmp(type, "ETM3", 4) || !strncasecmp(type, "ETMv3", 5);
}

#define REGISTER(name, member, required, captured) \
	CONFIG_REGISTER(name, struct hwf_etm3_regs, member, required, captured)

static const struct config_row registers[] = {
	REGISTER("ETMCR", etmcr, false, true),
	REGISTER("ETMIDR", etmidr, true, true),
	REGISTER("ETMCCER", etmccer, false, true),
	REGISTER("ETMTRACEIDR", etmtraceidr, false, false),
	REGISTER("ARMV7M", armv7m, false, false),
};

static const struct config_names names = {
	.rows = registers,
	.count = sizeof(registers) / sizeof(registers[0]),
};

static int init_source(struct input_source *source, const void *config)
{
	struct etm3_source *etm3 = calloc(1, sizeof(*etm3));

	if (!etm3)
		return HWF_ERR_NO_SPACE;
	source->protocol = &protocol_etmv3;
	source->own = etm3;
	etm3->regs = *(const struct hwf_etm3_regs *)config;
	return hwf_etm3_config_init(&etm3->config, &etm3->regs);
}

static bool fault_of(const void *config, struct hwf_config_fault *fault)
{
	return hwf_etm3_config_fault(config, fault);
}

const struct hwf_etm3_config *etm3_config(const struct input_source *source)
{
	const struct etm3_source *etm3 = source->own;

	return &etm3->config;
}

static const struct hwf_etm3_regs *regs_of(const struct input_source *source)
{
	const struct etm3_source *etm3 = source->own;

	return &etm3->regs;
}

/* ETMIDR names the version of the protocol with the product and its revision. */
static bool is_same(const struct input_source *source, const void *config)
{
	const struct hwf_etm3_regs *a = regs_of(source), *b = config;

	return a->etmcr == b->etmcr && a->etmccer == b->etmccer && a->etmidr == b->etmidr;
}

static uint8_t trace_id(const struct input_source *source)
{
	return regs_of(source)->etmtraceidr & 0x7f;
}

static int32_t thread_of(const struct input_source *source, const struct hwf_context *context,
			 int32_t before)
{
	(void)source;
	return context->has_cid ? (int32_t)context->cid : before;
}

static bool has_timestamps(const struct input_source *source)
{
	/* ETMCR.TimestampEn */
	return regs_of(source)->etmcr & 1u << 28;
}

static void set_session(const struct input_source *source, struct hwf_session_config *config)
{
	config->protocol = HWF_SESSION_ETMV3;
	config->etm3 = regs_of(source);
}

static uint64_t packet_time(const struct input_source *source, struct packet_clock *clock,
			    const struct hwf_packet *packet)
{
	if (hwf_etm3_type_codec(packet->type) != HWF_ETM3_CODEC_timestamp)
		return 0;
	return hwf_etm3_expand_timestamp(etm3_config(source), &clock->etm3,
					 &packet->u.etm3->u.timestamp);
}

static enum packet_role packet_role(const struct hwf_packet *packet)
{
	if (packet->type == HWF_ETM3_UNSYNC)
		return PACKET_UNSYNCED;
	if (packet->type == HWF_ETM3_I_SYNC || packet->type == HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT)
		return PACKET_STARTS;
	if (packet->valid && (hwf_etm3_type_codec(packet->type) == HWF_ETM3_CODEC_p_header ||
			      hwf_etm3_type_codec(packet->type) == HWF_ETM3_CODEC_branch))
		return PACKET_NEEDS_START;
	return PACKET_SYNCED;
}

const struct protocol protocol_etmv3 = {
	.number = INPUT_ETMV3,
	.word = "etmv3",
	.name = "ETMv3",
	.no_sync = "; is it a trace of ETMv3?",
	.no_start = "no I-sync packet found",
	.has_headers = true,
	.has_places = true,
	.bad_packet = HWF_TEXT_WAITING,
	.is_type = is_type,
	.config_size = sizeof(struct hwf_etm3_regs),
	.names = &names,
	.init = init_source,
	.fault = fault_of,
	.same = is_same,
	.trace_id = trace_id,
	.thread = thread_of,
	.has_timestamps = has_timestamps,
	.session = set_session,
	.packet_time = packet_time,
	.packet_role = packet_role,
};

_Static_assert(sizeof(struct hwf_etm3_regs) <= PROTOCOL_CONFIG, "a configuration has room");
