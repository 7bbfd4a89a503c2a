// SPDX-License-Identifier: GPL-2.0-only
/* hwflow dump of ETE and ETMv4. */
#include "packet_dump.h"

static void begin(struct packet_dump *dump, const struct input_source *source,
		  const struct input_piece *piece, size_t at)
{
	struct packet_dump_ete *ete = &dump->u.ete;

	(void)piece;
	hwf_ete_lines_init(&ete->lines, &source->config, dump->format, &dump->out->hwf);
	hwf_ete_stream_init(&ete->stream, &source->config);
	ete->stream.offset = at;
}

/* The time that the lines before the packet have is completed. */
static uint64_t time_of(const struct hwf_ete_lines *lines, const struct hwf_ete_packet *packet)
{
	if (packet->type >= HWF_ETE_TYPES ||
	    hwf_ete_type_codec(packet->type) != HWF_ETE_CODEC_timestamp)
		return 0;
	return hwf_ete_expand_time(&packet->u.timestamp, lines->timestamp);
}

static size_t next(struct packet_dump *dump, const uint8_t *bytes, size_t length,
		   struct dumped_packet *dumped)
{
	struct packet_dump_ete *ete = &dump->u.ete;
	const struct hwf_ete_packet *packet = &ete->packet;
	const bool tentative = ete->stream.tentative;
	const size_t size = hwf_ete_stream_next(&ete->stream, bytes, length, true, &ete->packet);

	if (!size)
		return 0;
	ete->tentative = tentative && ete->stream.tentative;
	*dumped = (struct dumped_packet){.good = packet->type < HWF_ETE_UNSYNC,
					 .timestamp = time_of(&ete->lines, packet)};
	if (packet->type > HWF_ETE_UNSYNC && !tentative) {
		dumped->error = ete->stream.error;
		dumped->remedy = packet->type == HWF_ETE_INCOMPLETE ? CUT_REMEDY : NO_SYNC_REMEDY;
		dumped->has_header = true;
		dumped->header = packet->header;
	}
	return size;
}

static void line(struct packet_dump *dump, const uint8_t *bytes, size_t size, size_t at)
{
	struct packet_dump_ete *ete = &dump->u.ete;

	(void)size;
	ete->lines.out = &dump->out->hwf;
	hwf_ete_line(&ete->lines, &ete->packet, bytes, at, ete->tentative);
}

static void flush(struct packet_dump *dump)
{
	hwf_ete_lines_flush(&dump->u.ete.lines);
}

static bool holds(const struct packet_dump *dump)
{
	return dump->u.ete.lines.unsync_length != 0;
}

static bool synced(const struct packet_dump *dump)
{
	return dump->u.ete.stream.synced;
}

static void put_state(const struct packet_dump *dump, struct text_state *state)
{
	const struct hwf_ete_lines *lines = &dump->u.ete.lines;

	for (size_t i = 0; i < HWF_HISTORY; i++) {
		text_state_put(state, lines->history.entry[i].value);
		text_state_put(state, lines->history.entry[i].is);
	}
	text_state_put(state, lines->history.aarch32);
	text_state_put(state, lines->timestamp);
	text_state_put(state, (uint64_t)lines->cc_threshold << 8 | lines->wait_sync);
	text_state_put(state, lines->unsync_length);
	if (lines->unsync_length)
		text_state_put(state, lines->unsync_offset);
}

static bool put_stream(const struct packet_dump *dump, struct text_state *state)
{
	const struct hwf_ete_stream *stream = &dump->u.ete.stream;

	text_state_put(state, stream->offset);
	/* why synchronisation was lost is of no account once it is found again */
	text_state_put(state, (uint64_t)stream->synced << 8 | stream->tentative);
	return stream->synced && !stream->tentative;
}

static void begin_flow(struct hwf_flow_lines *lines, const struct input_source *source,
		       enum hwf_text_format format, struct hwf_text *out)
{
	hwf_flow_lines_init(lines, &source->config, NULL, format, out);
}

const struct packet_dump_ops packet_dump_ete = {
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
