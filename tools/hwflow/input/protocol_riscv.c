// SPDX-License-Identifier: GPL-2.0-only
/* RISC-V Processor Trace. */
#include <stdlib.h>

#include "input_riscv.h"
#include "listing/packet_dump.h"
#include "protocol.h"

/* Bytes between two looks at the clock */
#define CHUNK 0x4000u

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

void input_riscv_stream(const struct input_source *source, struct hwf_riscv_stream *stream)
{
	const struct input_riscv *riscv = source->own;

	hwf_riscv_stream_init(stream, &riscv->config, &riscv->framing);
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
	input_riscv_stream(source, &stream);
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

/* struct riscv - memory for decoding: @graph_memory is of @graph, which has ranges of the code */
struct riscv {
	struct hwf_riscv_decoder decoder;
	struct hwf_graph graph;
	void *graph_memory;
};

static void free_memory(void *memory)
{
	struct riscv *riscv = memory;

	free(riscv->graph_memory);
	free(riscv);
}

/* Most of it is written only as the program needs it. */
static void *new_memory(void)
{
	struct riscv *riscv = malloc(sizeof(*riscv));

	if (!riscv)
		return NULL;
	riscv->graph_memory = malloc(hwf_graph_nodes_bytes(HWF_RISCV_NODES));
	if (!riscv->graph_memory) {
		free(riscv);
		return NULL;
	}
	return riscv;
}

/* Each piece begins with an empty graph, as what the decoder knows of its nodes is empty too. */
static void forget(void *memory)
{
	(void)memory;
}

static bool begin(struct decoding *decoding)
{
	const struct input_riscv *riscv = decoding->source->own;
	struct riscv *memory = decoding->memory;
	struct hwf_riscv_decoder *decoder = &memory->decoder;

	hwf_riscv_decoder_init(decoder, &riscv->config, &riscv->framing, riscv->isa, decoding->code,
			       decoding->how->sink, decoding->how->ctx);
	decoder->stream.source = riscv->number;
	hwf_graph_init_nodes(&memory->graph, memory->graph_memory, HWF_RISCV_NODES);
	decoder->flow.graph = &memory->graph;
	return true;
}

static size_t push(struct decoding *decoding, const uint8_t *bytes, size_t length, bool last)
{
	struct riscv *memory = decoding->memory;

	return hwf_riscv_decoder_push(&memory->decoder, bytes, length, last);
}

const struct protocol protocol_riscv = {
	.number = INPUT_RISCV,
	.word = "riscv",
	.name = "RISC-V",
	.no_sync = "; is it a trace of RISC-V?",
	.packets = &packet_dump_riscv,
	.has_traps = true,
	.open_raw = input_open_riscv,
	.config_size = sizeof(struct input_riscv),
	.init = init_source,
	.thread = thread_of,
	.dialect = dialect,
	.has_timestamps = has_timestamps,
	.has_sync = has_sync,
	.chunk = CHUNK,
	.new_memory = new_memory,
	.free_memory = free_memory,
	.forget = forget,
	.begin = begin,
	.push = push,
};
