// SPDX-License-Identifier: GPL-2.0-only
/* hwflow dump of ETMv3. */
#include "packet_dump.h"
#include "source/etm3.h"

static void begin(struct packet_dump *dump, const struct input_source *source,
		  const struct input_piece *piece, size_t at)
{
	struct packet_dump_etmv3 *etmv3 = &dump->u.etmv3;

	(void)piece;
	hwf_etm3_lines_init(&etmv3->lines, etm3_config(source), dump->format, &dump->out->hwf);
	hwf_etm3_stream_init(&etmv3->stream, etm3_config(source));
	etmv3->stream.offset = at;
}

/* The time that the lines before the packet have is completed. */
static uint64_t time_of(const struct hwf_etm3_lines *lines, const struct hwf_etm3_packet *packet)
{
	struct hwf_etm3_address_state state = lines->state;

	if (packet->type >= HWF_ETM3_TYPES ||
	    hwf_etm3_type_codec(packet->type) != HWF_ETM3_CODEC_timestamp)
		return 0;
	return hwf_etm3_expand_timestamp(lines->config, &state, &packet->u.timestamp);
}

static size_t next(struct packet_dump *dump, const uint8_t *bytes, size_t length,
		   struct dumped_packet *dumped)
{
	struct packet_dump_etmv3 *etmv3 = &dump->u.etmv3;
	const struct hwf_etm3_packet *packet = &etmv3->packet;
	const bool tentative = etmv3->stream.tentative;
	const size_t size =
		hwf_etm3_stream_next(&etmv3->stream, bytes, length, true, &etmv3->packet);

	if (!size)
		return 0;
	etmv3->tentative = tentative && etmv3->stream.tentative;
	*dumped = (struct dumped_packet){.good = packet->type < HWF_ETM3_UNSYNC,
					 .timestamp = time_of(&etmv3->lines, packet)};
	if (packet->type > HWF_ETM3_UNSYNC && !tentative) {
		dumped->error = etmv3->stream.error;
		dumped->remedy = packet->type == HWF_ETM3_INCOMPLETE ? CUT_REMEDY : NO_SYNC_REMEDY;
		dumped->has_header = true;
		dumped->header = packet->header;
	}
	return size;
}

static void line(struct packet_dump *dump, const uint8_t *bytes, size_t size, size_t at)
{
	struct packet_dump_etmv3 *etmv3 = &dump->u.etmv3;

	(void)size;
	etmv3->lines.out = &dump->out->hwf;
	hwf_etm3_line(&etmv3->lines, &etmv3->packet, bytes, at, etmv3->tentative);
}

static void flush(struct packet_dump *dump)
{
	hwf_etm3_lines_flush(&dump->u.etmv3.lines);
}

static bool holds(const struct packet_dump *dump)
{
	return dump->u.etmv3.lines.unsync_length != 0;
}

static bool synced(const struct packet_dump *dump)
{
	return dump->u.etmv3.stream.synced;
}

static void put_state(const struct packet_dump *dump, struct text_state *state)
{
	const struct hwf_etm3_lines *lines = &dump->u.etmv3.lines;
	const struct hwf_etm3_address_state *known = &lines->state;

	text_state_put(state, known->timestamp);
	text_state_put(state, (uint64_t)known->address << 32 | known->data_address);
	text_state_put(state, (uint64_t)known->isa << 8 | known->alt_isa);
	text_state_put(state, lines->unsync_length);
	if (lines->unsync_length)
		text_state_put(state, lines->unsync_offset);
}

static bool put_stream(const struct packet_dump *dump, struct text_state *state)
{
	const struct hwf_etm3_stream *stream = &dump->u.etmv3.stream;

	text_state_put(state, stream->offset);
	/* why synchronisation was lost is of no account once it is found again */
	text_state_put(state, (uint64_t)stream->synced << 8 | stream->tentative);
	return stream->synced && !stream->tentative;
}

static void begin_flow(struct hwf_flow_lines *lines, const struct input_source *source,
		       enum hwf_text_format format, struct hwf_text *out)
{
	hwf_flow_lines_init(lines, NULL, etm3_config(source), format, out);
}

const struct packet_dump_ops packet_dump_etmv3 = {
	.begin = begin,
	.next = next,
	.line = line,
	.flush = flush,
	.holds = holds,
	.synced = synced,
	.put_state = put_state,
	.put_stream = put_stream,
	.begin_flow = begin_flow,
};
