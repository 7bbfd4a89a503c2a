// SPDX-License-Identifier: GPL-2.0-only
/* hwflow dump of RISC-V: a packet that cannot be decoded does not hide the packet after it. */
#include "packet_dump.h"
#include "source/input_riscv.h"

static void begin(struct packet_dump *dump, const struct input_source *source,
		  const struct input_piece *piece, size_t at)
{
	struct packet_dump_riscv *riscv = &dump->u.riscv;

	input_riscv_stream(source, piece, at, &riscv->stream);
	riscv->at = at;
	riscv->synced = false;
}

static uint64_t time_of(const struct hwf_riscv_stream *stream,
			const struct hwf_riscv_packet *packet)
{
	const bool is_sync = packet->type == HWF_RISCV_F3_START ||
			     packet->type == HWF_RISCV_F3_TRAP ||
			     packet->type == HWF_RISCV_F3_CONTEXT;

	return is_sync && stream->config.params.time_width_p ? packet->u.sync.time : 0;
}

static size_t next(struct packet_dump *dump, const uint8_t *bytes, size_t length,
		   struct dumped_packet *dumped)
{
	struct packet_dump_riscv *riscv = &dump->u.riscv;
	const struct hwf_riscv_packet *packet = &riscv->packet;
	const size_t size =
		hwf_riscv_stream_next(&riscv->stream, bytes, length, true, &riscv->packet);

	if (!size)
		return 0;
	riscv->at += size;
	*dumped =
		(struct dumped_packet){.good = true, .timestamp = time_of(&riscv->stream, packet)};
	riscv->synced |= input_riscv_is_sync(packet);
	if (packet->type != HWF_RISCV_BAD && packet->type != HWF_RISCV_INCOMPLETE)
		return size;
	dumped->good = false;
	dumped->error = riscv->stream.error;
	dumped->remedy = packet->type == HWF_RISCV_BAD ? "; is the --config right?" : CUT_REMEDY;
	return size;
}

static void line(struct packet_dump *dump, const uint8_t *bytes, size_t size, size_t at)
{
	struct packet_dump_riscv *riscv = &dump->u.riscv;

	hwf_riscv_line(&dump->out->hwf, dump->format, &riscv->stream, &riscv->packet, bytes, size,
		       at);
}

static bool synced(const struct packet_dump *dump)
{
	return dump->u.riscv.synced;
}

/* What packets change of the way in which the next ones are read */
static void put_state(const struct packet_dump *dump, struct text_state *state)
{
	const struct hwf_riscv_stream *stream = &dump->u.riscv.stream;
	const struct hwf_riscv_params *params = &stream->config.params;

	text_state_put(state, (uint64_t)params->implicit_return << 8 |
				      (uint64_t)params->implicit_exception << 7 |
				      (uint64_t)params->full_address << 6 |
				      (uint64_t)params->jump_target_cache << 5 |
				      (uint64_t)params->branch_prediction << 4 |
				      (uint64_t)params->noaddr << 3 |
				      (uint64_t)params->nodata << 2 |
				      (uint64_t)params->full_daddress << 1 | params->full_data);
	for (size_t i = 0; i < HWF_RISCV_LRIDS; i++)
		if (stream->requests.size[i])
			text_state_put(state, (uint64_t)i << 8 | stream->requests.size[i]);
}

static bool put_stream(const struct packet_dump *dump, struct text_state *state)
{
	const struct packet_dump_riscv *riscv = &dump->u.riscv;

	text_state_put(state, riscv->at);
	text_state_put(state, riscv->synced);
	return riscv->synced;
}

static void begin_flow(struct hwf_flow_lines *lines, const struct input_source *source,
		       enum hwf_text_format format, struct hwf_text *out)
{
	(void)source;
	hwf_flow_lines_init(lines, NULL, NULL, format, out);
}

const struct packet_dump_ops packet_dump_riscv = {
	.begin = begin,
	.next = next,
	.line = line,
	.synced = synced,
	.put_state = put_state,
	.put_stream = put_stream,
	.begin_flow = begin_flow,
};
