/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Packets out of a stream of bytes: framing off, payload read, options followed. */
#include "hwflow/riscv.h"

void hwf_riscv_stream_init(struct hwf_riscv_stream *stream, const struct hwf_riscv_config *config,
			   const struct hwf_riscv_framing *framing)
{
	*stream = (struct hwf_riscv_stream){.config = *config, .framing = *framing, .source = -1};
}

/* The packet cannot be read, and is passed over. */
static void bad(struct hwf_riscv_stream *stream, struct hwf_riscv_packet *packet, int error)
{
	stream->error = error;
	*packet = (struct hwf_riscv_packet){.type = HWF_RISCV_BAD};
}

/* The trace ends inside a packet. */
static size_t incomplete(struct hwf_riscv_stream *stream, size_t room, bool last,
			 struct hwf_riscv_packet *packet)
{
	if (!room || !last)
		return 0;
	stream->error = HWF_ERR_NEED_MORE;
	*packet = (struct hwf_riscv_packet){.type = HWF_RISCV_INCOMPLETE};
	return room;
}

static void read_data(struct hwf_riscv_stream *stream, struct hwf_riscv_packet *packet)
{
	const struct hwf_riscv_frame *frame = &stream->frame;
	const int err = hwf_riscv_data_decode(&stream->config, &stream->requests, frame->payload,
					      frame->length, packet);

	if (err)
		bad(stream, packet, err);
	else
		hwf_riscv_requested(&stream->requests, &stream->config, packet);
}

/* A payload with its message type (RISCV_TE_SUPPORT) */
static void read_payload(struct hwf_riscv_stream *stream, struct hwf_riscv_packet *packet)
{
	const struct hwf_riscv_frame *frame = &stream->frame;
	const bool support = stream->config.dialect == HWF_RISCV_DRAFT_026 &&
			     frame->message == HWF_RISCV_MSG_SUPPORT;
	int err;

	/* RISCV_FRAME_SYNC: null packets, which a run of zeros is made of, too */
	if (!frame->length || (stream->source >= 0 && frame->source != stream->source)) {
		*packet = (struct hwf_riscv_packet){.type = HWF_RISCV_IDLE};
		return;
	}
	if (frame->message == HWF_RISCV_MSG_DATA && stream->config.params.data_width_p) {
		read_data(stream, packet);
		return;
	}
	if (!support && frame->message != HWF_RISCV_MSG_INST) {
		*packet = (struct hwf_riscv_packet){.type = HWF_RISCV_DATA};
		return;
	}
	err = hwf_riscv_decode(&stream->config, support, frame->payload, frame->length, packet);
	if (err)
		bad(stream, packet, err);
}

static size_t next_framed(struct hwf_riscv_stream *stream, const uint8_t *bytes, size_t room,
			  bool last, struct hwf_riscv_packet *packet)
{
	int size = hwf_riscv_unframe(&stream->framing, bytes, room, &stream->frame);

	if (size == HWF_ERR_NEED_MORE)
		return incomplete(stream, room, last, packet);
	if (size < 0) {
		bad(stream, packet, size);
		return hwf_riscv_frame_size(&stream->framing, bytes[0]);
	}
	read_payload(stream, packet);
	return (size_t)size;
}

static size_t next_bare(struct hwf_riscv_stream *stream, const uint8_t *bytes, size_t room,
			bool last, struct hwf_riscv_packet *packet)
{
	int size = hwf_riscv_decode_bare(&stream->config, bytes, room, packet);

	if (size == HWF_ERR_NEED_MORE)
		return incomplete(stream, room, last, packet);
	if (size > 0)
		return (size_t)size;
	bad(stream, packet, size);
	return room;
}

size_t hwf_riscv_stream_next(struct hwf_riscv_stream *stream, const uint8_t *bytes, size_t room,
			     bool last, struct hwf_riscv_packet *packet)
{
	size_t size;

	stream->error = 0;
	if (stream->framing.kind == HWF_RISCV_BARE)
		size = next_bare(stream, bytes, room, last, packet);
	else
		size = next_framed(stream, bytes, room, last, packet);
	if (size && packet->type == HWF_RISCV_F3_SUPPORT) {
		hwf_riscv_config_set(&stream->config, packet->u.support.ioptions);
		hwf_riscv_config_set_data(&stream->config, packet->u.support.doptions);
	}
	return size;
}
