/* SPDX-License-Identifier: GPL-2.0-only */
/* The packets of a piece in a dump: the functions of each protocol, for the loop of hwflow dump */
#ifndef HWFLOW_PACKET_DUMP_H
#define HWFLOW_PACKET_DUMP_H

#include "decode/text_ahead.h"
#include "format.h"
#include "hwflow/text.h"
#include "source/input.h"

/** struct packet_dump_ete - ETE and ETMv4 */
struct packet_dump_ete {
	struct hwf_ete_stream stream;
	struct hwf_ete_packet packet;
	struct hwf_ete_lines lines;
	bool tentative;
};

/** struct packet_dump_etmv3 - ETMv3 */
struct packet_dump_etmv3 {
	struct hwf_etm3_stream stream;
	struct hwf_etm3_packet packet;
	struct hwf_etm3_lines lines;
	bool tentative;
};

/**
 * struct packet_dump_riscv - RISC-V
 * @at: offset of the next packet
 * @synced: a packet was read at which decoding can begin
 */
struct packet_dump_riscv {
	struct hwf_riscv_stream stream;
	struct hwf_riscv_packet packet;
	size_t at;
	bool synced;
};

/**
 * struct packet_dump - state of a dump
 * @format: layout
 * @out: receives the next line
 * @u: state of the protocol
 */
struct packet_dump {
	enum hwf_text_format format;
	struct text *out;
	union {
		struct packet_dump_ete ete;
		struct packet_dump_etmv3 etmv3;
		struct packet_dump_riscv riscv;
	} u;
};

/**
 * struct dumped_packet - what hwflow dump has to know of a packet
 * @good: it is a packet, so that a gap before it ends here
 * @error: enum hwf_err: it cannot be decoded; HWF_OK: it can, or that was reported before
 * @remedy: text to be written behind the error
 * @has_header: @header is the first byte of the packet
 * @header: see there
 * @timestamp: its timestamp, whole; 0: it has none
 */
struct dumped_packet {
	bool good;
	int error;
	const char *remedy;
	bool has_header;
	uint8_t header;
	uint64_t timestamp;
};

/**
 * struct packet_dump_ops - functions of a protocol
 * @begin: begin a listing at an offset of a piece, not synchronised
 * @next: read the next packet; returns its size, or 0 at the end
 * @line: write the line of this packet
 * @flush: write lines that are held back; NULL: there are none
 * @holds: is a line held back? NULL: there are none
 * @synced: was there a synchronisation?
 * @put_state: what the lines to come depend on, as text_work.state
 * @put_stream: what the packets to come depend on, two words; false if parts cannot be joined here
 * @begin_flow: begin a listing of flow events of a source
 */
struct packet_dump_ops {
	void (*begin)(struct packet_dump *dump, const struct input_source *source,
		      const struct input_piece *piece, size_t at);
	size_t (*next)(struct packet_dump *dump, const uint8_t *bytes, size_t length,
		       struct dumped_packet *dumped);
	void (*line)(struct packet_dump *dump, const uint8_t *bytes, size_t size, size_t at);
	void (*flush)(struct packet_dump *dump);
	bool (*holds)(const struct packet_dump *dump);
	bool (*synced)(const struct packet_dump *dump);
	void (*put_state)(const struct packet_dump *dump, struct text_state *state);
	bool (*put_stream)(const struct packet_dump *dump, struct text_state *state);
	void (*begin_flow)(struct hwf_flow_lines *lines, const struct input_source *source,
			   enum hwf_text_format format, struct hwf_text *out);
};

extern const struct packet_dump_ops packet_dump_ete;
extern const struct packet_dump_ops packet_dump_etmv3;
extern const struct packet_dump_ops packet_dump_riscv;

/** packet_dump_of() - the functions of the protocol of a source */
const struct packet_dump_ops *packet_dump_of(const struct input_source *source);

#endif /* HWFLOW_PACKET_DUMP_H */
