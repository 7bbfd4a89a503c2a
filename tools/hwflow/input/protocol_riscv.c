// SPDX-License-Identifier: GPL-2.0-only
/* RISC-V Processor Trace. */
#include <stdlib.h>

#include "input_riscv.h"
#include "protocol.h"

/* Bytes between two looks at the clock */
#define CHUNK 0x4000u

void input_riscv_stream(const struct input_riscv *riscv, struct hwf_riscv_stream *stream)
{
	hwf_riscv_stream_init(stream, &riscv->config, &riscv->framing);
	stream->source = riscv->number;
}

bool input_riscv_has_sync(const struct input_riscv *riscv, const struct input_piece *piece)
{
	struct hwf_riscv_stream stream;
	struct hwf_riscv_packet packet;
	size_t released = 0;
	size_t size;

	input_riscv_stream(riscv, &stream);
	for (size_t at = 0;; at += size) {
		size = hwf_riscv_stream_next(&stream, piece->bytes + at, piece->length - at, true,
					     &packet);
		if (!size)
			return false;
		released = input_release(piece, released, at);
		/* data trace may be a source of its own, and is read from anywhere */
		if (packet.type == HWF_RISCV_F3_START || packet.type == HWF_RISCV_F3_TRAP ||
		    packet.type > HWF_RISCV_INCOMPLETE)
			return true;
	}
}

/* most of it is written only as the program needs it */
static void *new_memory(void)
{
	return malloc(sizeof(struct hwf_riscv_decoder));
}

/* The decoder forgets all code when it begins a piece. */
static void forget(void *memory)
{
	(void)memory;
}

static bool begin(struct decoding *decoding)
{
	const struct input_riscv *riscv = decoding->source->riscv;
	struct hwf_riscv_decoder *decoder = decoding->memory;

	hwf_riscv_decoder_init(decoder, &riscv->config, &riscv->framing, riscv->isa, decoding->code,
			       decoding->how->sink, decoding->how->ctx);
	decoder->stream.source = riscv->number;
	return true;
}

static size_t push(struct decoding *decoding, const uint8_t *bytes, size_t length, bool last)
{
	return hwf_riscv_decoder_push(decoding->memory, bytes, length, last);
}

const struct protocol protocol_riscv = {
	.chunk = CHUNK,
	.new_memory = new_memory,
	.free_memory = free,
	.forget = forget,
	.begin = begin,
	.push = push,
};
