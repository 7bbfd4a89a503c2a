// SPDX-License-Identifier: GPL-2.0-only
/* ETMv3. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "etm3.h"
#include "input_private.h"
#include "listing/packet_dump.h"
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

/* Ranges of a program that are executed often enough to matter: some 2 MB */
#define NODES 0x4000u

/* Bytes between two looks at the clock */
#define CHUNK 0x10000u

static bool is_type(const char *type)
{
	return !strncasecmp(type, "ETM3", 4) || !strncasecmp(type, "ETMv3", 5);
}

static int set_register(void *config, const char *name, uint64_t value)
{
	struct hwf_etm3_regs *regs = config;

	if (value > UINT32_MAX)
		return -2;
	if (!strcmp(name, "ETMCR"))
		regs->etmcr = (uint32_t)value;
	else if (!strcmp(name, "ETMIDR"))
		regs->etmidr = (uint32_t)value;
	else if (!strcmp(name, "ETMCCER"))
		regs->etmccer = (uint32_t)value;
	else if (!strcmp(name, "ETMTRACEIDR"))
		regs->etmtraceidr = (uint32_t)value;
	else if (!strcmp(name, "ARMV7M"))
		regs->armv7m = (uint32_t)value;
	else
		return -1;
	return 0;
}

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

/* Is a packet one of instructions, which are followed from an I-sync packet on? */
static bool needs_i_sync(const struct hwf_etm3_packet *packet)
{
	return packet->type < HWF_ETM3_TYPES &&
	       (hwf_etm3_type_codec(packet->type) == HWF_ETM3_CODEC_p_header ||
		hwf_etm3_type_codec(packet->type) == HWF_ETM3_CODEC_branch);
}

static bool has_sync(const struct input_source *source, const struct input_piece *piece,
		     enum input_sync level)
{
	struct hwf_etm3_stream stream;
	struct hwf_etm3_packet packet;
	bool is_synced = false, is_lost = false;
	size_t released = 0, at = 0, size = 1;

	hwf_etm3_stream_init(&stream, etm3_config(source));
	while (size && !(is_synced && level == INPUT_SYNC_PACKETS)) {
		size = hwf_etm3_stream_next(&stream, piece->bytes + at, piece->length - at, true,
					    &packet);
		at += size;
		released = input_release(piece, released, at);
		if (!size || !stream.synced)
			continue;
		if (packet.type == HWF_ETM3_I_SYNC ||
		    packet.type == HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT)
			return true;
		is_synced = true;
		is_lost |= needs_i_sync(&packet);
	}
	return is_synced && !is_lost;
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

/* struct etm3 - memory for decoding: @graph_memory is of @graph, which has ranges of the code */
struct etm3 {
	struct hwf_etm3_decoder decoder;
	struct hwf_graph graph;
	void *graph_memory;
};

static void free_memory(void *memory)
{
	struct etm3 *etm3 = memory;

	free(etm3->graph_memory);
	free(etm3);
}

static void *new_memory(void)
{
	struct etm3 *etm3 = calloc(1, sizeof(*etm3));

	if (!etm3)
		return NULL;
	etm3->graph_memory = malloc(hwf_graph_nodes_bytes(NODES));
	if (!etm3->graph_memory) {
		free_memory(etm3);
		return NULL;
	}
	hwf_graph_init_nodes(&etm3->graph, etm3->graph_memory, NODES);
	return etm3;
}

static void forget(void *memory)
{
	struct etm3 *etm3 = memory;

	hwf_graph_flush(&etm3->graph);
}

static bool begin(struct decoding *decoding)
{
	const struct input_decode *how = decoding->how;
	struct etm3 *etm3 = decoding->memory;

	hwf_etm3_decoder_init(&etm3->decoder, etm3_config(decoding->source), decoding->code,
			      how->sink, how->ctx);
	etm3->decoder.stream.offset = decoding->at;
	etm3->decoder.flow.straight = !how->each_instruction;
	etm3->decoder.flow.graph = &etm3->graph;
	return true;
}

static size_t push(struct decoding *decoding, const uint8_t *bytes, size_t length, bool last)
{
	struct etm3 *etm3 = decoding->memory;

	return hwf_etm3_decoder_push(&etm3->decoder, bytes, length, last);
}

const struct protocol protocol_etmv3 = {
	.number = INPUT_ETMV3,
	.word = "etmv3",
	.name = "ETMv3",
	.no_sync = "; is it a trace of ETMv3?",
	.no_start = "no I-sync packet found",
	.packets = &packet_dump_etmv3,
	.open_raw = input_open_raw,
	.is_type = is_type,
	.config_size = sizeof(struct hwf_etm3_regs),
	.set = set_register,
	.init = init_source,
	.same = is_same,
	.trace_id = trace_id,
	.thread = thread_of,
	.has_timestamps = has_timestamps,
	.has_sync = has_sync,
	.session = set_session,
	.packet_time = packet_time,
	.chunk = CHUNK,
	.new_memory = new_memory,
	.free_memory = free_memory,
	.forget = forget,
	.begin = begin,
	.push = push,
};

_Static_assert(sizeof(struct hwf_etm3_regs) <= PROTOCOL_CONFIG, "a configuration has room");
