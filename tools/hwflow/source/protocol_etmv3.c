// SPDX-License-Identifier: GPL-2.0-only
/* ETMv3. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config.h"
#include "core/sync.h"
#include "etm3.h"
#include "flow_memory.h"
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

/* Ranges of a program that are executed often enough to matter: some 2 MB */
#define NODES 0x4000u

/* fuzz targets have fewer, as protocol_ete.c */
#ifdef HWFLOW_GRAPH_NODES
#undef NODES
#define NODES HWFLOW_GRAPH_NODES
#endif

/* Bytes between two looks at the clock */
#define CHUNK 0x10000u

/* zeros of the A-sync packet */
#define SYNC_ZEROS 5u

/* Bytes in which an I-sync follows an A-sync; an ETM gives both at the same time */
#define I_SYNC_DISTANCE 0x400u

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

/* Does an I-sync follow the A-sync at an offset, so that a decoder soon knows where it is? */
static bool is_followed(const struct input_source *source, const struct input_piece *piece,
			size_t at)
{
	const size_t rest = piece->length - at;
	const size_t length = rest < I_SYNC_DISTANCE ? rest : I_SYNC_DISTANCE;
	struct hwf_etm3_stream stream;
	struct hwf_etm3_packet packet;
	size_t taken = 0, size;

	hwf_etm3_stream_init(&stream, etm3_config(source));
	do {
		size = hwf_etm3_stream_next(&stream, piece->bytes + at + taken, length - taken,
					    false, &packet);
		taken += size;
		if (size && (packet.type == HWF_ETM3_I_SYNC ||
			     packet.type == HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT))
			return true;
	} while (size && stream.synced && !stream.tentative);
	return false;
}

static size_t next_sync(const struct input_source *source, const struct input_piece *piece,
			size_t from, size_t end)
{
	size_t maybe;

	from += hwf_find_sync(piece->bytes + from, end - from, SYNC_ZEROS, &maybe);
	while (from < end && !is_followed(source, piece, from)) {
		from += SYNC_ZEROS;
		from += hwf_find_sync(piece->bytes + from, end - from, SYNC_ZEROS, &maybe);
	}
	return from;
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

/* struct etm3 - memory for decoding */
struct etm3 {
	struct flow_memory common;
	struct hwf_etm3_decoder decoder;
};

static void *new_memory(void)
{
	return flow_memory_new(sizeof(struct etm3), NODES);
}

static void forget(void *memory)
{
	struct etm3 *etm3 = memory;

	hwf_graph_flush(&etm3->common.graph);
	range_counts_forget(&etm3->common.counts);
}

static bool begin(struct decoding *decoding)
{
	struct etm3 *etm3 = decoding->memory;

	if (!flow_memory_begin(&etm3->common, decoding))
		return false;
	hwf_etm3_decoder_init(&etm3->decoder, etm3_config(decoding->source), decoding->code,
			      etm3->common.sink, etm3->common.ctx);
	etm3->decoder.stream.offset = decoding->at;
	etm3->decoder.flow.straight = !decoding->how->each_instruction;
	etm3->decoder.flow.graph = &etm3->common.graph;
	return true;
}

static size_t push(struct decoding *decoding, const uint8_t *bytes, size_t length, bool last)
{
	struct etm3 *etm3 = decoding->memory;

	return hwf_etm3_decoder_push(&etm3->decoder, bytes, length, last);
}

static size_t write_state(const struct decoding *decoding, uint8_t *state, size_t size)
{
	const struct etm3 *etm3 = decoding->memory;

	if (input_is_split(decoding->input))
		return 0;
	return hwf_etm3_decoder_state(&etm3->decoder, state, size);
}

const struct protocol protocol_etmv3 = {
	.number = INPUT_ETMV3,
	.word = "etmv3",
	.name = "ETMv3",
	.no_sync = "; is it a trace of ETMv3?",
	.no_start = "no I-sync packet found",
	.is_type = is_type,
	.config_size = sizeof(struct hwf_etm3_regs),
	.names = &names,
	.init = init_source,
	.fault = fault_of,
	.same = is_same,
	.trace_id = trace_id,
	.thread = thread_of,
	.has_timestamps = has_timestamps,
	.has_sync = has_sync,
	.session = set_session,
	.packet_time = packet_time,
	.next_sync = next_sync,
	.chunk = CHUNK,
	.new_memory = new_memory,
	.free_memory = flow_memory_free,
	.forget = forget,
	.begin = begin,
	.push = push,
	.begin_part = flow_memory_begin_part,
	.end_part = flow_memory_end_part,
	.state = write_state,
};

_Static_assert(sizeof(struct hwf_etm3_regs) <= PROTOCOL_CONFIG, "a configuration has room");
