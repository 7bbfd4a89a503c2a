/* SPDX-License-Identifier: GPL-2.0-only */
/* How packets and flow events are written, one a line. */
#ifndef HWFLOW_FORMAT_H
#define HWFLOW_FORMAT_H

#include "cli/text.h"
#include "hwflow/decoder.h"
#include "hwflow/etmv3.h"

/** enum line_format - --format */
enum line_format {
	FORMAT_HUMAN,
	FORMAT_REF, /* the layout of the reference results: stable, for comparison */
	FORMAT_PC,  /* addresses of executed instructions only */
};

/** PACKET_READY - the longest text of a packet that is kept */
#define PACKET_READY 96u

/**
 * struct packet_lines - what a listing of packets remembers from line to line
 *
 * It shows whole addresses and times, as far as the packets before told them. The text of a packet
 * of one byte whose fields follow from this byte alone, such as an Atom packet, is kept by this
 * byte. One listing has one format.
 */
struct packet_lines {
	struct text *out;
	const struct hwf_ete_config *config;
	struct hwf_address_history history;
	uint64_t timestamp;
	uint32_t cc_threshold;
	bool wait_sync; /* the first Trace Info is still to come */
	/* bytes passed over before synchronisation, not yet written */
	uint64_t unsync_offset;
	uint64_t unsync_length;
	struct text *unsync_out; /* their line goes there */
	/* the kept texts: all after the offset; a size of 0: there is none */
	char ready[256][PACKET_READY];
	uint8_t ready_size[256];
	unsigned int ready_type[256];
};

/** packet_lines_init() - begin a listing on @out */
void packet_lines_init(struct packet_lines *lines, const struct hwf_ete_config *config,
		       struct text *out);

/**
 * packet_line() - write one packet
 * @lines: the listing
 * @format: FORMAT_REF or FORMAT_HUMAN
 * @packet: from hwf_ete_stream_next()
 * @bytes: its bytes
 * @offset: of the first
 * @tentative: synchronisation was lost before it
 */
void packet_line(struct packet_lines *lines, enum line_format format,
		 const struct hwf_ete_packet *packet, const uint8_t *bytes, uint64_t offset,
		 bool tentative);

/** packet_lines_flush() - write what is left at the end */
void packet_lines_flush(struct packet_lines *lines, enum line_format format);

/** packet_human_bytes() - write the first bytes of a packet in their column, and the blanks around
 * it
 */
void packet_human_bytes(struct text *out, const uint8_t *bytes, size_t size);

/** isa_name() - A64, A32, T32 or ? */
const char *isa_name(unsigned int isa);

/** security_name() - NS, S, Root or Realm */
const char *security_name(unsigned int security);

/** gap_text() - why execution cannot be followed: one line, for an enum hwf_gap */
const char *gap_text(unsigned int reason);

/** gap_remedy() - what to do about it, to be written behind gap_text(); or "" */
const char *gap_remedy(unsigned int reason);

/** NO_SYNC_REMEDY - the same for a packet that cannot be decoded */
#define NO_SYNC_REMEDY "; waiting for the next synchronisation"

/** CUT_REMEDY - the same for a packet that does not end */
#define CUT_REMEDY "; the trace was cut here"

/** no_sync_name() - reason of a HWF_FLOW_NO_SYNC, as in the reference results */
const char *no_sync_name(unsigned int reason);

/**
 * struct flow_lines - what a listing of flow remembers from line to line
 */
struct flow_lines {
	struct text *out;
	const struct hwf_ete_config *config;
	struct hwf_context context;
	const struct hwf_etm3_config *etm3; /* the caller's: ETMv3 trace; else NULL */
	struct hwf_flow_gap gap;            /* the last one */
	struct hwf_flow_event held;         /* a NO_SYNC that may be the last line */
	bool holding;
};

/** flow_lines_init() - begin a listing on @out */
void flow_lines_init(struct flow_lines *lines, const struct hwf_ete_config *config,
		     struct text *out);

/** flow_lines_settle() - write the line that waits for the event that follows it, which is @event
 */
void flow_lines_settle(struct flow_lines *lines, const struct hwf_flow_event *event);

/** flow_line_ref() - write one event in the layout of the reference results */
void flow_line_ref(struct flow_lines *lines, const struct hwf_flow_event *event);

/** flow_line_human() - write one event for a person */
void flow_line_human(struct flow_lines *lines, const struct hwf_flow_event *event);

#endif /* HWFLOW_FORMAT_H */
