/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The stages of RISC-V, one behind the other */
#include "fast/riscv_walk.h"
#include "codec/riscv/riscv_quick.h"

void hwf_riscv_decoder_init(struct hwf_riscv_decoder *decoder,
			    const struct hwf_riscv_config *config,
			    const struct hwf_riscv_framing *framing, unsigned int isa,
			    const struct hwf_code *code, hwf_flow_fn *sink, void *sink_ctx)
{
	hwf_riscv_stream_init(&decoder->stream, config, framing);
	/* data trace is passed over, whatever it is: nothing in it is needed (RISCV_DATA) */
	decoder->stream.config.params.data_width_p = 0;
	hwf_riscv_flow_init(&decoder->flow, config, isa, code, sink, sink_ctx);
	decoder->at = 0;
}

size_t hwf_riscv_decoder_push(struct hwf_riscv_decoder *decoder, const uint8_t *bytes,
			      size_t length, bool last)
{
	struct hwf_riscv_stream *stream = &decoder->stream;
	struct hwf_riscv_packet packet;
	size_t taken = 0;

	for (;;) {
		const size_t room = length - taken;
		size_t size = hwf_riscv_quick(stream, bytes + taken, room, &packet);

		if (!size)
			size = hwf_riscv_stream_next(stream, bytes + taken, room, last, &packet);
		if (!size)
			break;
		hwf_riscv_take(&decoder->flow, decoder->at, &packet, stream->error);
		taken += size;
		decoder->at += size;
	}
	hwf_riscv_give_steps(&decoder->flow);
	if (last)
		hwf_riscv_flow_end(&decoder->flow, decoder->at);
	return taken;
}
