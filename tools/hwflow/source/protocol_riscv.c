// SPDX-License-Identifier: GPL-2.0-only
/* RISC-V Processor Trace. */
#include <stdlib.h>

#include "flow_memory.h"
#include "input_riscv.h"
#include "protocol.h"

/* Bytes between two looks at the clock */
#define CHUNK 0x4000u

/* Packets at the beginning of a trace among which a support packet is */
#define OPTIONS_PACKETS 64u

static int init_source(struct input_source *source, const void *config)
{
	struct input_riscv *riscv = malloc(sizeof(*riscv));

	if (!riscv)
		return HWF_ERR_NO_SPACE;
	source->protocol = &protocol_riscv;
	source->own = riscv;
	*riscv = *(const struct input_riscv *)config;
	return HWF_OK;
}

/* Read packets up to the first support packet, which may set options (RISCV_OPTIONS). */
static void find_options(struct hwf_riscv_stream *stream, const struct input_piece *piece)
{
	struct hwf_riscv_packet packet;
	size_t at = 0, size;

	for (unsigned int i = 0; i < OPTIONS_PACKETS; i++) {
		size = hwf_riscv_stream_next(stream, piece->bytes + at, piece->length - at, true,
					     &packet);
		if (!size || packet.type == HWF_RISCV_F3_SUPPORT)
			return;
		at += size;
	}
}

void input_riscv_stream(const struct input_source *source, const struct input_piece *piece,
			size_t at, struct hwf_riscv_stream *stream)
{
	const struct input_riscv *riscv = source->own;
	struct hwf_riscv_stream first;

	hwf_riscv_stream_init(&first, &riscv->config, &riscv->framing);
	first.source = riscv->number;
	if (at)
		find_options(&first, piece);
	hwf_riscv_stream_init(stream, &first.config, &riscv->framing);
	stream->source = riscv->number;
}

bool input_riscv_is_sync(const struct hwf_riscv_packet *packet)
{
	/* data trace may be a source of its own, and is read from anywhere */
	return packet->type == HWF_RISCV_F3_START || packet->type == HWF_RISCV_F3_TRAP ||
	       packet->type > HWF_RISCV_INCOMPLETE;
}

static bool has_sync(const struct input_source *source, const struct input_piece *piece,
		     enum input_sync level)
{
	struct hwf_riscv_stream stream;
	struct hwf_riscv_packet packet;
	size_t released = 0;
	size_t size;

	/* packets are framed, and a synchronisation is what instructions are followed from */
	(void)level;
	input_riscv_stream(source, piece, 0, &stream);
	for (size_t at = 0;; at += size) {
		size = hwf_riscv_stream_next(&stream, piece->bytes + at, piece->length - at, true,
					     &packet);
		if (!size)
			return false;
		released = input_release(piece, released, at);
		if (input_riscv_is_sync(&packet))
			return true;
	}
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

/* struct riscv - memory for decoding */
struct riscv {
	struct flow_memory common;
	struct hwf_riscv_decoder decoder;
};

static void *new_memory(void)
{
	return flow_memory_new(sizeof(struct riscv), HWF_RISCV_NODES);
}

static void forget(void *memory)
{
	struct riscv *riscv = memory;

	range_counts_forget(&riscv->common.counts);
}

/* Each piece begins with an empty graph, as what the decoder knows of its nodes is empty too. */
static bool begin(struct decoding *decoding)
{
	const struct input_riscv *riscv = decoding->source->own;
	struct riscv *memory = decoding->memory;
	struct hwf_riscv_decoder *decoder = &memory->decoder;

	struct hwf_riscv_stream stream;

	if (!flow_memory_begin(&memory->common, decoding))
		return false;
	input_riscv_stream(decoding->source, decoding->piece, decoding->at, &stream);
	hwf_riscv_decoder_init(decoder, &stream.config, &riscv->framing, riscv->isa, decoding->code,
			       memory->common.sink, memory->common.ctx);
	decoder->stream.source = riscv->number;
	decoder->at = decoding->at;
	flow_memory_clear(&memory->common);
	decoder->flow.graph = &memory->common.graph;
	if (!memory->common.is_counted)
		decoder->flow.steps_sink = decoding->how->steps;
	return true;
}

static size_t push(struct decoding *decoding, const uint8_t *bytes, size_t length, bool last)
{
	struct riscv *memory = decoding->memory;

	return hwf_riscv_decoder_push(&memory->decoder, bytes, length, last);
}

static size_t write_state(const struct decoding *decoding, uint8_t *state, size_t size)
{
	const struct riscv *memory = decoding->memory;

	if (input_is_split(decoding->input))
		return 0;
	return hwf_riscv_decoder_state(&memory->decoder, state, size);
}

const struct protocol protocol_riscv = {
	.number = INPUT_RISCV,
	.word = "riscv",
	.name = "RISC-V",
	.no_sync = "; is it a trace of RISC-V?",
	.has_traps = true,
	.config_size = sizeof(struct input_riscv),
	.init = init_source,
	.thread = thread_of,
	.dialect = dialect,
	.has_timestamps = has_timestamps,
	.has_sync = has_sync,
	.next_sync = input_riscv_next_sync,
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
