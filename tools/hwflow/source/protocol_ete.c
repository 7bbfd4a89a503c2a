// SPDX-License-Identifier: GPL-2.0-only
/* ETE and ETMv4. */
#include <linux/arm_ete_pmu.h>
#include <strings.h>

#include "config.h"
#include "hwflow/text.h"
#include "input_private.h"
#include "protocol.h"

#define REGISTER(name, member, captured) \
	CONFIG_REGISTER(name, struct hwf_ete_regs, member, false, captured)

/* A capture needs the trace ID only for frames, and a trace unit has the others in some versions.
 */
static const struct config_row registers[] = {
	REGISTER("TRCCONFIGR", trcconfigr, true),  REGISTER("TRCTRACEIDR", trctraceidr, false),
	REGISTER("TRCIDR0", trcidr0, true),        REGISTER("TRCIDR1", trcidr1, true),
	REGISTER("TRCIDR2", trcidr2, true),        REGISTER("TRCIDR8", trcidr8, true),
	REGISTER("TRCDEVARCH", trcdevarch, false), REGISTER("TRCAUTHSTATUS", trcauthstatus, false),
};

static const struct config_names names = {
	.rows = registers,
	.count = sizeof(registers) / sizeof(registers[0]),
};

static bool is_ete(const char *type)
{
	return !strcasecmp(type, "ETE");
}

/* with or without a minor version */
static bool is_etmv4(const char *type)
{
	return !strncasecmp(type, "ETM4", 4) || !strncasecmp(type, "ETMv4", 5);
}

static int init_source(struct input_source *source, const struct protocol *protocol,
		       enum hwf_ete_protocol number, const void *config)
{
	source->protocol = protocol;
	source->regs = *(const struct hwf_ete_regs *)config;
	source->regs.protocol = (uint8_t)number;
	return hwf_ete_config_init(&source->config, &source->regs);
}

static int init_ete(struct input_source *source, const void *config)
{
	return init_source(source, &protocol_ete, HWF_PROTOCOL_ETE, config);
}

static int init_etmv4(struct input_source *source, const void *config)
{
	return init_source(source, &protocol_etmv4, HWF_PROTOCOL_ETMV4, config);
}

static bool fault_of(enum hwf_ete_protocol number, const void *config,
		     struct hwf_config_fault *fault)
{
	struct hwf_ete_regs regs = *(const struct hwf_ete_regs *)config;

	regs.protocol = (uint8_t)number;
	return hwf_ete_config_fault(&regs, fault);
}

static bool ete_fault(const void *config, struct hwf_config_fault *fault)
{
	return fault_of(HWF_PROTOCOL_ETE, config, fault);
}

static bool etmv4_fault(const void *config, struct hwf_config_fault *fault)
{
	return fault_of(HWF_PROTOCOL_ETMV4, config, fault);
}

static bool is_same(const struct input_source *source, const void *config)
{
	const uint32_t version = 0xff0; /* of TRCIDR1, which also names the product */
	const struct hwf_ete_regs *a = &source->regs, *b = config;

	return a->trcconfigr == b->trcconfigr && a->trcidr0 == b->trcidr0 &&
	       (a->trcidr1 & version) == (b->trcidr1 & version) && a->trcidr2 == b->trcidr2 &&
	       a->trcidr8 == b->trcidr8 && a->trcdevarch == b->trcdevarch;
}

static uint8_t trace_id(const struct input_source *source)
{
	return source->regs.trctraceidr & 0x7f;
}

static int32_t thread_of(const struct input_source *source, const struct hwf_context *context,
			 int32_t before)
{
	const uint32_t config = source->regs.trcconfigr;

	if (config & ARM_ETE_PMU_TRCCONFIGR_VMID && config & ARM_ETE_PMU_TRCCONFIGR_VMIDOPT)
		return context->has_vmid ? (int32_t)context->vmid : before;
	if (config & ARM_ETE_PMU_TRCCONFIGR_CID)
		return context->has_cid ? (int32_t)context->cid : before;
	return before;
}

static bool has_timestamps(const struct input_source *source)
{
	return source->regs.trcconfigr & ARM_ETE_PMU_TRCCONFIGR_TS;
}

/* Zeros that are no whole packet begin one of those whose header is zero, or the kernel added them.
 */
static size_t end_of_sample(const struct input_source *source, const struct input_piece *piece)
{
	struct hwf_ete_stream stream;
	struct hwf_ete_packet packet;
	size_t size = 1, zeros = 0, at = 0;

	while (zeros < piece->length && !piece->bytes[piece->length - 1 - zeros])
		zeros++;
	if (!zeros)
		return piece->length;
	hwf_ete_stream_init(&stream, &source->config);
	while (size) {
		size = hwf_ete_stream_next(&stream, piece->bytes + at, piece->length - at, true,
					   &packet);
		if (size && packet.type == HWF_ETE_INCOMPLETE)
			break;
		at += size;
	}
	return at < piece->length && piece->length - at <= zeros &&
			       piece->length - at < sizeof(uint64_t)
		       ? at
		       : piece->length;
}

static void set_session(const struct input_source *source, struct hwf_session_config *config)
{
	config->protocol = source->protocol == &protocol_ete ? HWF_SESSION_ETE : HWF_SESSION_ETMV4;
	config->ete = &source->regs;
}

static uint64_t packet_time(const struct input_source *source, struct packet_clock *clock,
			    const struct hwf_packet *packet)
{
	(void)source;
	if (packet->type == HWF_ETE_TRACE_INFO)
		clock->ete = 0;
	if (packet->type != HWF_ETE_TIMESTAMP)
		return 0;
	clock->ete = hwf_ete_expand_time(&packet->u.ete->u.timestamp, clock->ete);
	return clock->ete;
}

/* Packets of these types are decoded without a Trace Info packet before them (R_HMDGL). */
static enum packet_role packet_role(const struct hwf_packet *packet)
{
	switch (packet->type) {
	case HWF_ETE_UNSYNC:
		return PACKET_UNSYNCED;
	case HWF_ETE_TRACE_INFO:
		return PACKET_STARTS;
	case HWF_ETE_ALIGN_SYNC:
	case HWF_ETE_EVENT:
	case HWF_ETE_INSTRUMENTATION:
	case HWF_ETE_OVERFLOW:
	case HWF_ETE_DISCARD:
	case HWF_ETE_IGNORE:
		return PACKET_SYNCED;
	default:
		return packet->valid ? PACKET_NEEDS_START : PACKET_SYNCED;
	}
}

/* clang-format off */
/* What ETE and ETMv4 have in common */
#define COMMON                                                                 \
	.has_elements = true,                                                  \
	.has_headers = true,                                                   \
	.has_places = true,                                                    \
	.bad_packet = HWF_TEXT_WAITING,                                        \
	.config_size = sizeof(struct hwf_ete_regs),                            \
	.names = &names,                                                       \
	.same = is_same,                                                       \
	.trace_id = trace_id,                                                  \
	.thread = thread_of,                                                   \
	.has_timestamps = has_timestamps,                                      \
	.padding = 0x70, /* Ignore */                                          \
	.end_of_sample = end_of_sample,                                        \
	.session = set_session,                                                \
	.packet_time = packet_time,                                            \
	.packet_role = packet_role

const struct protocol protocol_ete = {
	.number = INPUT_ETE,
	.word = "ete",
	.name = "ETE",
	.no_sync = "; is it a trace of ETE?",
	.no_start = "no Trace Info packet found",
	.is_type = is_ete,
	.init = init_ete,
	.fault = ete_fault,
	COMMON,
};

const struct protocol protocol_etmv4 = {
	.number = INPUT_ETMV4,
	.word = "etmv4",
	.name = "ETMv4",
	.no_sync = "; is it a trace of ETMv4?",
	.no_start = "no Trace Info packet found",
	.is_type = is_etmv4,
	.init = init_etmv4,
	.fault = etmv4_fault,
	COMMON,
};
/* clang-format on */

_Static_assert(sizeof(struct hwf_ete_regs) <= PROTOCOL_CONFIG, "a configuration has room");
