// SPDX-License-Identifier: GPL-2.0-only
/* Reading the packets of a piece: a session without code gives them. */
#include "packets.h"

#include <errno.h>

int packets_open(struct packets *packets, const struct input_source *source)
{
	struct hwf_session_config config = {.size = sizeof(config)};

	*packets = (struct packets){.source = source};
	source->protocol->session(source, &config);
	/* the source's own configuration was made from these registers */
	return hwf_session_new(&packets->session, &config) ? -ENOMEM : 0;
}

void packets_close(struct packets *packets)
{
	hwf_session_free(packets->session);
	packets->session = NULL;
}

void packets_begin(struct packets *packets, const struct input_piece *piece, size_t from)
{
	size_t found;

	/* HWF_SEEK_HERE has nothing to look for */
	hwf_session_seek(packets->session, piece->bytes, piece->length, from, HWF_SEEK_HERE,
			 &found);
	hwf_session_feed(packets->session, piece->bytes + from, piece->length - from, true);
	packets->piece = piece;
	packets->released = from;
	packets->clock = (struct packet_clock){0};
}

bool packets_next(struct packets *packets, struct hwf_packet *packet)
{
	const struct input_source *source = packets->source;

	if (hwf_session_next_packet(packets->session, packet))
		return false;
	packets->time =
		packet->valid ? source->protocol->packet_time(source, &packets->clock, packet) : 0;
	packets->released =
		input_release(packets->piece, packets->released, (size_t)packet->offset);
	return true;
}
