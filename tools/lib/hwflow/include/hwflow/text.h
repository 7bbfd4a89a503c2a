/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Text of packets and of flow events, one line each, as "hwflow dump" and "hwflow flow" print it.
 *
 * The text is appended to a buffer of the caller's; nothing is allocated:
 *
 *	bytes            at               end
 *	| text ..........|  room .........|
 *
 * Where the buffer has no room for what comes next, the caller's function write receives the text.
 */
#ifndef HWFLOW_TEXT_H
#define HWFLOW_TEXT_H

#include "hwflow/ete.h"
#include "hwflow/element.h"
#include "hwflow/etmv3.h"
#include "hwflow/flow.h"
#include "hwflow/riscv.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** enum hwf_text_format - layout of lines */
enum hwf_text_format {
	HWF_TEXT_HUMAN, /* for reading */
	HWF_TEXT_REF,   /* stable, for comparison by programs: hwflow-format(5) */
};

/** HWF_TEXT_LEAST - bytes that a buffer must have */
#define HWF_TEXT_LEAST 256u

/** HWF_TEXT_WAITING - text behind an error after which packets are passed over */
#define HWF_TEXT_WAITING "; waiting for the next synchronisation"

/**
 * struct hwf_text - text that is not written yet
 * @at: the next byte goes here
 * @end: end of the buffer
 * @bytes: the buffer
 * @write: receives the text; returns 0, or a number other than 0, which becomes @error. NULL: text
 *	for which there is no room is dropped, and @error becomes HWF_ERR_NO_SPACE
 * @ctx: first argument of @write
 * @flushes: how often the buffer was emptied
 * @error: the first error; text after it is dropped
 * @by_line: @write is called at the end of each line
 *
 * A caller may read all members, set @by_line, and set @at to @bytes when it has used the text.
 */
struct hwf_text {
	char *at;
	char *end;
	char *bytes;
	int (*write)(void *ctx, const char *bytes, size_t size);
	void *ctx;
	uint64_t flushes;
	int error;
	bool by_line;
};

/**
 * hwf_text_init() - begin with no text
 * @text: to initialise
 * @bytes: the buffer; must outlive @text
 * @size: bytes of it, HWF_TEXT_LEAST at least
 * @write: receives the text; or NULL
 * @ctx: its first argument
 */
void hwf_text_init(struct hwf_text *text, char *bytes, size_t size,
		   int (*write)(void *ctx, const char *bytes, size_t size), void *ctx);

/** hwf_text_flush() - hand the text to the function write; the buffer is empty then */
void hwf_text_flush(struct hwf_text *text);

/** hwf_isa_name() - name of an enum hwf_isa, such as A64; "?" for other numbers */
const char *hwf_isa_name(unsigned int isa);

/** hwf_security_name() - name of an enum hwf_security: S, NS, Root or Realm; "?" for other numbers
 */
const char *hwf_security_name(unsigned int security);

/** hwf_gap_text() - why execution cannot be followed: text for an enum hwf_gap */
const char *hwf_gap_text(unsigned int reason);

/** hwf_gap_remedy() - what to do about it, to be written behind hwf_gap_text(); or "" */
const char *hwf_gap_remedy(unsigned int reason);

/** hwf_no_sync_name() - name of the reason of an HWF_FLOW_NO_SYNC */
const char *hwf_no_sync_name(unsigned int reason);

/** hwf_riscv_cause_name() - the cause of a trap in words; NULL for a cause that has no name */
const char *hwf_riscv_cause_name(unsigned int cause, bool interrupt);

/** HWF_TEXT_READY - the longest text of a packet that is kept */
#define HWF_TEXT_READY 96u

/**
 * struct hwf_ete_lines - state of a listing of packets of ETE or ETMv4
 * @out: receives the lines
 * @config: of the trace unit
 * @format: layout
 * @history: the addresses that the next packet refers to
 * @timestamp: the time that the next packet refers to
 * @cc_threshold: from the last Trace Info
 * @wait_sync: the first Trace Info is still to come
 * @unsync_offset: offset of bytes passed over before synchronisation that have no line yet
 * @unsync_length: how many; 0: none
 * @unsync_out: receives their line: @out when the first of them was given
 * @ready: kept texts, by header byte
 * @ready_size: bytes of them; 0: there is none
 * @ready_type: enum hwf_ete_type of them
 *
 * Lines have whole addresses and times, as far as the packets before have them. The text behind the
 * offset is kept for a packet of one byte whose fields follow from this byte alone, such as an Atom
 * packet. Members are the library's; a caller may read them, and may set @out between two lines.
 */
struct hwf_ete_lines {
	struct hwf_text *out;
	const struct hwf_ete_config *config;
	enum hwf_text_format format;
	struct hwf_address_history history;
	uint64_t timestamp;
	uint32_t cc_threshold;
	bool wait_sync;
	uint64_t unsync_offset;
	uint64_t unsync_length;
	struct hwf_text *unsync_out;
	char ready[256][HWF_TEXT_READY];
	uint8_t ready_size[256];
	unsigned int ready_type[256];
};

/**
 * hwf_ete_lines_init() - begin a listing
 * @lines: to initialise
 * @config: of the trace unit; must outlive @lines
 * @format: layout
 * @out: receives the lines; must outlive @lines
 */
void hwf_ete_lines_init(struct hwf_ete_lines *lines, const struct hwf_ete_config *config,
			enum hwf_text_format format, struct hwf_text *out);

/**
 * hwf_ete_line() - write the line of a packet
 * @lines: the listing
 * @packet: from hwf_ete_stream_next(), or hwf_packet.u.ete of a session
 * @bytes: its bytes
 * @offset: of the first byte
 * @tentative: synchronisation was lost before it
 *
 * Bytes that are passed over share one line, which the next packet or hwf_ete_lines_flush() writes.
 */
void hwf_ete_line(struct hwf_ete_lines *lines, const struct hwf_ete_packet *packet,
		  const uint8_t *bytes, uint64_t offset, bool tentative);

/** hwf_ete_lines_flush() - end of the listing: write a line that is held back */
void hwf_ete_lines_flush(struct hwf_ete_lines *lines);

/**
 * struct hwf_etm3_lines - state of a listing of packets of ETMv3
 * @out: receives the lines
 * @config: of the trace unit
 * @format: layout
 * @state: addresses and times that the next packet refers to
 * @unsync_offset: offset of bytes passed over before synchronisation that have no line yet
 * @unsync_length: how many; 0: none
 * @unsync_out: receives their line: @out when the first of them was given
 *
 * Members are the library's; a caller may read them, and may set @out between two lines.
 */
struct hwf_etm3_lines {
	struct hwf_text *out;
	const struct hwf_etm3_config *config;
	enum hwf_text_format format;
	struct hwf_etm3_address_state state;
	uint64_t unsync_offset;
	uint64_t unsync_length;
	struct hwf_text *unsync_out;
};

/** hwf_etm3_lines_init() - as hwf_ete_lines_init() */
void hwf_etm3_lines_init(struct hwf_etm3_lines *lines, const struct hwf_etm3_config *config,
			 enum hwf_text_format format, struct hwf_text *out);

/** hwf_etm3_line() - as hwf_ete_line() */
void hwf_etm3_line(struct hwf_etm3_lines *lines, const struct hwf_etm3_packet *packet,
		   const uint8_t *bytes, uint64_t offset, bool tentative);

/** hwf_etm3_lines_flush() - as hwf_ete_lines_flush() */
void hwf_etm3_lines_flush(struct hwf_etm3_lines *lines);

/**
 * hwf_riscv_line() - write the line of a packet of RISC-V Processor Trace
 * @out: receives the line
 * @format: layout
 * @stream: the stream that gave the packet, with its options as they are at this packet
 * @packet: the packet
 * @bytes: its bytes, with framing
 * @size: how many
 * @offset: of the first byte
 */
void hwf_riscv_line(struct hwf_text *out, enum hwf_text_format format,
		    const struct hwf_riscv_stream *stream, const struct hwf_riscv_packet *packet,
		    const uint8_t *bytes, size_t size, uint64_t offset);

/** hwf_element_name() - name of an enum hwf_element_kind, such as TARGET_ADDRESS; "?" for other
 * numbers */
const char *hwf_element_name(unsigned int kind);

/**
 * hwf_element_line() - write the line of an element of ETE or ETMv4: offset, name, fields
 * @out: receives the line
 * @element: from hwf_elements_push(), or one to be given to hwf_packer_encode()
 *
 * Atoms that a Mispredict corrected are in lower case.
 */
void hwf_element_line(struct hwf_text *out, const struct hwf_element *element);

/**
 * struct hwf_flow_lines - state of a listing of flow events
 * @out: receives the lines
 * @ete: of the trace unit, ETE and ETMv4; else NULL
 * @etm3: likewise, ETMv3
 * @format: layout
 * @context: the last one
 * @gap: likewise
 * @held: an HWF_FLOW_NO_SYNC that has no line if the trace ends there
 * @held_out: receives its line: @out when it was given
 * @holding: there is such an event
 *
 * Members are the library's; a caller may read them, and may set @out between two events.
 */
struct hwf_flow_lines {
	struct hwf_text *out;
	const struct hwf_ete_config *ete;
	const struct hwf_etm3_config *etm3;
	enum hwf_text_format format;
	struct hwf_context context;
	struct hwf_flow_gap gap;
	struct hwf_flow_event held;
	struct hwf_text *held_out;
	bool holding;
};

/**
 * hwf_flow_lines_init() - begin a listing
 * @lines: to initialise
 * @ete: of the trace unit, ETE and ETMv4; else NULL; must outlive @lines
 * @etm3: likewise, ETMv3
 * @format: layout
 * @out: receives the lines; must outlive @lines
 */
void hwf_flow_lines_init(struct hwf_flow_lines *lines, const struct hwf_ete_config *ete,
			 const struct hwf_etm3_config *etm3, enum hwf_text_format format,
			 struct hwf_text *out);

/** hwf_flow_line() - write the line of an event; some events have none */
void hwf_flow_line(struct hwf_flow_lines *lines, const struct hwf_flow_event *event);

struct hwf_session;

/**
 * hwf_session_list() - packets are to be written as lines
 * @session: a session without code that has given no packet since it was begun or reset
 * @format: layout
 *
 * Return: HWF_OK; HWF_ERR_BAD_CALL; HWF_ERR_NO_MEMORY.
 */
int hwf_session_list(struct hwf_session *session, enum hwf_text_format format);

/**
 * hwf_session_line() - write the line of a packet
 * @session: a session that lists, of which hwf_session_next_packet() has just returned HWF_OK or
 *	HWF_ERR_END
 * @out: receives the line
 *
 * A line has whole addresses and times, which packets before have a part of, so each packet must be
 * written, if only to a text that nobody reads. Bytes that are passed over share one line, which is
 * written before that of the packet behind them or at the end of trace, to the @out that the first
 * of them had.
 *
 * Return: true if all packets up to this one have their lines; false if bytes wait for theirs, or
 * if the session does not list.
 */
bool hwf_session_line(struct hwf_session *session, struct hwf_text *out);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_TEXT_H */
