/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading the packets of a piece, of any protocol. */
#ifndef HWFLOW_DECODE_PACKETS_H
#define HWFLOW_DECODE_PACKETS_H

#include "hwflow/session.h"
#include "source/input.h"
#include "source/protocol.h"

/**
 * struct packets - packets of one source
 * @source: the source
 * @session: reads them
 * @piece: the piece that is read
 * @released: see input_release()
 * @clock: of the packet
 * @time: timestamp of the packet, whole; 0: it has none
 */
struct packets {
	const struct input_source *source;
	struct hwf_session *session;
	const struct input_piece *piece;
	size_t released;
	struct packet_clock clock;
	uint64_t time;
};

/** packets_open() - begin with a source; 0 or -ENOMEM */
int packets_open(struct packets *packets, const struct input_source *source);

/** packets_close() - free what packets_open() allocated */
void packets_close(struct packets *packets);

/**
 * packets_begin() - begin with a piece
 * @packets: the packets
 * @piece: the piece
 * @from: offset of a synchronisation, or 0
 */
void packets_begin(struct packets *packets, const struct input_piece *piece, size_t from);

/**
 * packets_next() - read a packet
 * @packets: the packets
 * @packet: receives it, with its offset in the piece; valid until the next call
 *
 * Return: false at the end of the piece.
 */
bool packets_next(struct packets *packets, struct hwf_packet *packet);

#endif /* HWFLOW_DECODE_PACKETS_H */
