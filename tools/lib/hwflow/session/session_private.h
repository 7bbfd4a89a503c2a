/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Between the files of the session. */
#ifndef HWF_SESSION_PRIVATE_H
#define HWF_SESSION_PRIVATE_H

#include "fast/state_writer.h"
#include "hwflow/decoder.h"
#include "hwflow/etmv3_flow.h"
#include "hwflow/profile.h"
#include "hwflow/riscv_flow.h"
#include "hwflow/session.h"
#include "hwflow/text.h"
#include "hwflow/transaction.h"

/*
 * HWF_SESSION_TAIL - bytes of a packet that is not complete, and of the piece behind it. Every
 * decoder leaves less than half of them.
 */
#define HWF_SESSION_TAIL (4 * HWF_ETE_MAX_PACKET)

_Static_assert(HWF_ETM3_MAX_PACKET <= HWF_ETE_MAX_PACKET, "the tail holds two packets of each");
_Static_assert(HWF_RISCV_MAX_PAYLOAD + 16 < HWF_SESSION_TAIL / 2, "and of RISC-V");

/**
 * struct hwf_input - bytes that are not decoded yet: those in @tail, then those at @bytes
 * @bytes: the caller's
 * @length: how many
 * @tail: copied from earlier pieces
 * @tail_length: how many
 * @last: none will follow
 */
struct hwf_input {
	const uint8_t *bytes;
	size_t length;
	uint8_t tail[HWF_SESSION_TAIL];
	size_t tail_length;
	bool last;
};

/**
 * struct hwf_view - some of these bytes, side by side
 * @bytes: the first
 * @length: how many
 * @copied: of the caller's bytes so many were copied behind the tail; SIZE_MAX: the tail is empty
 * @last: none will follow
 */
struct hwf_view {
	const uint8_t *bytes;
	size_t length;
	size_t copied;
	bool last;
};

/* Look at the next bytes, @most of the caller's at once if the tail is empty. */
void hwf_input_look(struct hwf_input *input, size_t most, struct hwf_view *view);

/* @taken bytes of the view are decoded. */
void hwf_input_take(struct hwf_input *input, const struct hwf_view *view, size_t taken);

/* No packet is complete: keep the caller's bytes, which are fewer than the tail has room for. */
void hwf_input_keep(struct hwf_input *input);

/**
 * struct hwf_held_event - an event that waits for the consumer
 * @event: the event
 * @taken_back: it is for config.taken_back
 * @has_each: a range of ETMv3 with @each
 * @each: what range.each of the event points to
 */
struct hwf_held_event {
	struct hwf_flow_event event;
	bool taken_back;
	bool has_each;
	uint8_t each[HWF_ETM3_RANGE_MAX];
};

/**
 * struct hwf_held - events that wait, from @first up to @used
 * @events: memory
 * @size: events there is room for
 * @most: never more than this
 */
struct hwf_held {
	struct hwf_held_event *events;
	uint32_t size;
	uint32_t most;
	uint32_t first;
	uint32_t used;
};

/* Copy an event behind the others. */
int hwf_held_add(struct hwf_held *held, const struct hwf_flow_event *event, bool taken_back);

static inline bool hwf_held_any(const struct hwf_held *held)
{
	return held->first != held->used;
}

/* The oldest one, which is then no longer held; valid until the next is added */
const struct hwf_held_event *hwf_held_take(struct hwf_held *held);

/* Who takes events: the consumer, or hwf_held_add() */
struct hwf_out {
	hwf_flow_fn *sink;
	hwf_flow_fn *taken_back;
	void *ctx;
};

/* struct hwf_session_ete - ETE and ETMv4; @own_graph is not used where @graph is the caller's */
struct hwf_session_ete {
	struct hwf_decoder decoder;
	struct hwf_transactions transactions;
	struct hwf_element *ring;
	struct hwf_flow_event *held;
	struct hwf_graph *graph;
	struct hwf_graph own_graph;
	void *graph_memory;
};

/* struct hwf_session_etm3 - ETMv3 */
struct hwf_session_etm3 {
	struct hwf_etm3_decoder decoder;
	struct hwf_graph graph;
	void *graph_memory;
};

/* struct hwf_session_riscv_state - RISC-V; @broken: bytes behind a bad packet have no framing */
struct hwf_session_riscv_state {
	struct hwf_riscv_decoder *decoder;
	struct hwf_graph graph;
	void *graph_memory;
	bool broken;
};

/* struct hwf_listing - packets as lines */
struct hwf_listing {
	enum hwf_text_format format;
	union {
		struct hwf_ete_lines ete;
		struct hwf_etm3_lines etm3;
	} lines;
};

/**
 * struct hwf_protocol - what is different in each protocol
 * @configure: read the configuration; nothing is allocated
 * @allocate: memory for decoding; what was allocated is freed by @release, on an error too
 * @release: free it
 * @start: begin at an offset
 * @forget: forget the code
 * @route: session->out has changed, or the session stops
 * @push: decode bytes, as hwf_decoder_push()
 * @complete_counts: counts that the decoder has go to the profile; false if that is not possible
 *	now. NULL: it has none
 * @settle: give all events that nothing can take back; NULL: they were given, or are a part of the
 *	state
 * @state: as hwf_decoder_state(), after @settle
 * @start_packets: begin at an offset, without code
 * @next_packet: read a packet of session->view to session->packets; fills in @packet but for
 *	offset and protocol, with size 0 if there is none
 * @packet_state: what the packets to come depend on beside their offset; false: parts of a trace
 *	cannot be joined here
 * @start_lines: begin a listing of packets; NULL: nothing to do
 * @line: as hwf_session_line(), of session->packets, which has these bytes
 * @flush: write a line that is held back; NULL: there is none
 * @line_state: what the lines to come depend on beside that; NULL: nothing
 * @seek: see hwf_session_seek()
 */
struct hwf_protocol {
	int (*configure)(struct hwf_session *session, const struct hwf_session_config *config);
	int (*allocate)(struct hwf_session *session);
	void (*release)(struct hwf_session *session);
	void (*start)(struct hwf_session *session, uint64_t offset);
	void (*forget)(struct hwf_session *session);
	void (*route)(struct hwf_session *session);
	size_t (*push)(struct hwf_session *session, const uint8_t *bytes, size_t length, bool last);
	bool (*complete_counts)(struct hwf_session *session);
	void (*settle)(struct hwf_session *session);
	size_t (*state)(const struct hwf_session *session, uint8_t *state, size_t size);
	void (*start_packets)(struct hwf_session *session, uint64_t offset);
	void (*next_packet)(struct hwf_session *session, struct hwf_packet *packet);
	bool (*packet_state)(const struct hwf_session *session, struct hwf_state_writer *state);
	void (*start_lines)(struct hwf_session *session);
	bool (*line)(struct hwf_session *session, const uint8_t *bytes, struct hwf_text *out);
	void (*flush)(struct hwf_session *session);
	void (*line_state)(const struct hwf_session *session, struct hwf_state_writer *state);
	bool (*seek)(struct hwf_session *session, const uint8_t *bytes, size_t length, size_t from,
		     enum hwf_seek seek, size_t *found);
};

extern const struct hwf_protocol hwf_protocol_ete;
extern const struct hwf_protocol hwf_protocol_etm3;
extern const struct hwf_protocol hwf_protocol_riscv;

/**
 * struct hwf_session - see session.h
 * @config: the caller's, completed; pointers to registers are not used any more
 * @protocol: functions of the protocol
 * @configs: what packets look like; of RISC-V with the options as they are at the beginning
 * @state: of decoding
 * @streams: of a session of packets
 * @packets: the packet that was given last; its bytes are taken by the next call
 * @packet_offset: offset behind it
 * @packet_size: its bytes
 * @tentative: synchronisation is lost
 * @view: where its bytes are
 * @listing: see hwf_session_list(); NULL: never called
 * @walk: counts ranges to config.profile
 * @in_ranges: the last event that depends on ranges was one that is counted
 * @consumer: who takes events but while the session stops
 * @out: who takes events
 * @error: events were lost
 * @pull: there is no consumer
 * @running: the consumer may be called
 * @stops: the consumer may stop
 * @stopped: the consumer stopped, and the push that resumes did not come yet
 * @holds_often: the consumer has stopped before
 * @begun: bytes were decoded
 * @ended: the end of trace was decoded
 * @finished: and the counts were given
 */
struct hwf_session {
	struct hwf_session_config config;
	const struct hwf_protocol *protocol;
	union {
		struct hwf_ete_config ete;
		struct hwf_etm3_config etm3;
		struct {
			struct hwf_riscv_config config;
			struct hwf_riscv_framing framing;
			uint64_t branch_limit;
			int64_t source;
			unsigned int isa;
		} riscv;
	} configs;
	union {
		struct hwf_session_ete *ete;
		struct hwf_session_etm3 *etm3;
		struct hwf_session_riscv_state riscv;
	} state;
	union {
		struct hwf_ete_stream ete;
		struct hwf_etm3_stream etm3;
		struct hwf_riscv_stream riscv;
	} streams;
	union {
		struct hwf_ete_packet ete;
		struct hwf_etm3_packet etm3;
		struct hwf_riscv_packet riscv;
	} packets;
	uint64_t packet_offset;
	uint32_t packet_size;
	bool tentative;
	struct hwf_view view;
	struct hwf_listing *listing;
	struct hwf_input input;
	struct hwf_held held;
	struct hwf_profile_walk walk;
	bool in_ranges;
	struct hwf_out consumer;
	struct hwf_out out;
	int error;
	bool pull;
	bool running;
	bool stops;
	bool stopped;
	bool holds_often;
	bool begun;
	bool ended;
	bool finished;
};

/* Is what the decoder gives held? */
static inline bool hwf_session_holds(const struct hwf_session *session)
{
	return session->pull || session->stopped;
}

/* Offset of the packet that was given last */
static inline uint64_t hwf_session_packet_at(const struct hwf_session *session)
{
	return session->packet_offset - session->packet_size;
}

/* Set who takes the events of a session, from its configuration. */
void hwf_session_set_consumer(struct hwf_session *session);

/* No function of the consumer is called from now on until the next push. */
void hwf_session_hold(struct hwf_session *session);

/*
 * A synchronisation of RISC-V at @from or behind it, found without the packets before it; @start is
 * a stream with the options of the trace
 */
bool hwf_seek_chain(const struct hwf_riscv_stream *start, const uint8_t *bytes, size_t length,
		    size_t from, size_t *found);

/*
 * The next or previous synchronisation of @zeros zeros and 0x80 that @is_sync accepts, which is
 * given the bytes from the first zero on
 */
bool hwf_seek_zeros(const struct hwf_session *session, const uint8_t *bytes, size_t length,
		    size_t from, enum hwf_seek seek, size_t zeros,
		    bool (*is_sync)(const struct hwf_session *session, const uint8_t *bytes,
				    size_t length),
		    size_t *found);

#endif /* HWF_SESSION_PRIVATE_H */
