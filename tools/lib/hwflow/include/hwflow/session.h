/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A session decodes the trace of one trace unit, of any protocol: bytes in, program flow out.
 *
 * A session works in one of three modes. Which one follows from its configuration:
 *
 *	push	with a consumer (sink, steps or profile): hwf_session_push() calls its functions
 *	pull	with program code and no consumer: hwf_session_feed() lends bytes, and each
 *		hwf_session_next() returns one event
 *	packets	without program code: hwf_session_feed(), then hwf_session_next_packet()
 *
 * Functions return HWF_OK or another enum hwf_err; hwf_err_text() has the texts.
 *
 * Threads: a session is used by one thread at a time. Sessions of several threads may share a
 * struct hwf_image that no thread changes, each through a view of its own. Sessions may share a
 * struct hwf_graph if one thread uses all of them.
 */
#ifndef HWFLOW_SESSION_H
#define HWFLOW_SESSION_H

#include "hwflow/err.h"
#include "hwflow/ete.h"
#include "hwflow/etmv3.h"
#include "hwflow/flow.h"
#include "hwflow/graph.h"
#include "hwflow/profile.h"
#include "hwflow/riscv.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** struct hwf_session - a session; its members are the library's */
struct hwf_session;

/** enum hwf_session_protocol - protocol of the trace */
enum hwf_session_protocol {
	HWF_SESSION_ETE,
	HWF_SESSION_ETMV4,
	HWF_SESSION_ETMV3,
	HWF_SESSION_RISCV,
	HWF_SESSION_PROTOCOLS,
};

/**
 * HWF_SESSION_SPLIT_SOURCE - ETE: a range that a Source Address gives is split behind each branch
 * that was not taken
 */
#define HWF_SESSION_SPLIT_SOURCE 0x1u
/** HWF_SESSION_EACH_INSTRUCTION - ETMv3: each instruction is a range of its own */
#define HWF_SESSION_EACH_INSTRUCTION 0x2u
/**
 * HWF_SESSION_RAW_TRANSACTIONS - ETE: events in a transaction are given at once; without this flag
 * they are held back until its outcome is known
 */
#define HWF_SESSION_RAW_TRANSACTIONS 0x4u

/**
 * struct hwf_session_riscv - parameters of a RISC-V trace encoder
 * @params: from hwf_riscv_params_init() and then as the encoder has them; copied
 * @framing: how packets are packed; copied. NULL: HWF_RISCV_REFERENCE
 * @branch_limit: a packet that counts more branches becomes a gap; 0: no limit
 * @dialect: enum hwf_riscv_dialect
 * @isa: set of enum hwf_rv_isa, which rv_insn.h has
 * @source: number of the source to follow, if @one_source
 * @one_source: packets of other sources are passed over
 */
struct hwf_session_riscv {
	const struct hwf_riscv_params *params;
	const struct hwf_riscv_framing *framing;
	uint64_t branch_limit;
	uint32_t dialect;
	uint32_t isa;
	uint32_t source;
	bool one_source;
};

/**
 * typedef hwf_changes_fn - does the program change at an event?
 * @ctx: the consumer's own
 * @event: any event but HWF_FLOW_RANGE that the decoder has come to; in a transaction, too
 *
 * Return: true if execution continues in another program. The session then gives the context again,
 * and hwf_code.space has another address space for it.
 */
typedef bool hwf_changes_fn(void *ctx, const struct hwf_flow_event *event);

/**
 * struct hwf_session_config - configuration of a session
 * @size: sizeof(struct hwf_session_config), as the caller was compiled. A smaller structure is
 *	completed with zeros; a larger one is accepted if the members that the library does not know
 *	are 0.
 * @protocol: enum hwf_session_protocol
 * @flags: HWF_SESSION_SPLIT_SOURCE and the others; flags of other protocols have no effect
 * @ete: registers of an ETE or ETMv4, the member protocol of which is not read; copied
 * @etm3: registers of an ETMv3; copied
 * @riscv: parameters of a RISC-V encoder; copied
 * @code: the program; must outlive the session. NULL: the session gives packets only.
 * @sink: takes the events
 * @taken_back: takes execution in a transaction that failed, before the event of the failure; or
 *	NULL
 * @steps: takes ranges of ETE, ETMv4 and RISC-V, many at a time, in place of @sink; or NULL
 * @profile: receives counts of all ranges, which are then not given: @sink takes HWF_FLOW_COUNTED
 *	where a sequence of ranges begins. NULL: ranges are given. Not together with @steps.
 * @changes: ETE and ETMv4: asked where the program may change; or NULL
 * @ctx: first argument of these functions
 * @graph: ETE and ETMv4: the graph to use, of sessions with the same program and the same
 *	registers; must outlive the session. NULL: a graph of the session's own.
 * @graph_nodes: nodes of that: a power of two, 64 to 2^24; 0: 65536
 * @held_events: events that may wait for the consumer; 0: 262144
 * @held_transaction: events of one transaction that are held back; 0: 16384
 *
 * Set all members to 0 first. @steps or @profile without @sink drop all other events.
 */
struct hwf_session_config {
	size_t size;
	uint32_t protocol;
	uint32_t flags;
	const struct hwf_ete_regs *ete;
	const struct hwf_etm3_regs *etm3;
	const struct hwf_session_riscv *riscv;
	const struct hwf_code *code;
	hwf_flow_fn *sink;
	hwf_flow_fn *taken_back;
	hwf_steps_fn *steps;
	struct hwf_profile *profile;
	hwf_changes_fn *changes;
	void *ctx;
	struct hwf_graph *graph;
	uint32_t graph_nodes;
	uint32_t held_events;
	uint32_t held_transaction;
};

/**
 * hwf_session_new() - begin a session, not synchronised
 * @session: receives it; NULL on an error
 * @config: the configuration; not used after the call, but for what its members point to
 *
 * Return: HWF_OK; HWF_ERR_BAD_CONFIG; HWF_ERR_UNKNOWN_MEMBERS; HWF_ERR_NO_MEMORY.
 */
int hwf_session_new(struct hwf_session **session, const struct hwf_session_config *config);

/** hwf_session_free() - free a session, not from its own functions; NULL is allowed */
void hwf_session_free(struct hwf_session *session);

/**
 * hwf_session_reset() - begin another trace of the same trace unit
 * @session: the session
 * @offset: of the first byte of that trace, from which offsets of events count
 *
 * Memory, graph and what the session knows of the code are kept. Events that wait and counts that
 * were not taken are dropped.
 *
 * Return: HWF_OK; HWF_ERR_BAD_CALL from one of the consumer's functions.
 */
int hwf_session_reset(struct hwf_session *session, uint64_t offset);

/**
 * hwf_session_forget() - the program code has changed
 * @session: the session, new or just reset
 *
 * Return: HWF_OK; HWF_ERR_BAD_CALL if bytes were decoded since hwf_session_reset().
 */
int hwf_session_forget(struct hwf_session *session);

/**
 * hwf_session_push() - decode bytes
 * @session: a session with a consumer
 * @bytes: those that follow the bytes taken so far, in pieces of any size
 * @length: how many
 * @last: none will follow; the end of trace is given
 * @taken: receives the bytes taken; NULL if the consumer never stops: hwf_session_stop() does
 *	nothing then, and the session decodes all bytes at once and copies no event
 *
 * The session keeps the bytes of a packet that is not complete.
 *
 * Return: HWF_OK: all bytes are taken. HWF_ERR_STOPPED: the consumer stopped; the next push, of the
 * bytes that were not taken, resumes behind the last event. With @last that push is needed even if
 * no bytes are left. HWF_ERR_END: the trace was at its end before the call. HWF_ERR_TOO_MANY_HELD
 * or HWF_ERR_NO_MEMORY: events were lost; only hwf_session_reset() helps. HWF_ERR_BAD_CALL.
 */
int hwf_session_push(struct hwf_session *session, const uint8_t *bytes, size_t length, bool last,
		     size_t *taken);

/**
 * hwf_session_stop() - stop decoding
 * @session: the session whose push calls the consumer
 *
 * To be called from one of the consumer's functions; elsewhere it does nothing. The present event
 * counts as given. The session calls no function of the consumer any more, and
 * hwf_session_push() returns HWF_ERR_STOPPED. Events that the decoder has still to give wait, each
 * by itself: at most those of some thousand bytes of trace, and never more than
 * config.held_events.
 */
void hwf_session_stop(struct hwf_session *session);

/**
 * hwf_session_feed() - lend bytes to a session without a consumer
 * @session: the session
 * @bytes: those that follow the bytes lent before, in pieces of any size; must stay as they are
 *	until HWF_ERR_NEED_MORE is returned, or hwf_session_reset() is called
 * @length: how many
 * @last: none will follow
 *
 * Return: HWF_OK; HWF_ERR_BAD_CALL while the bytes before are not used up; HWF_ERR_END.
 */
int hwf_session_feed(struct hwf_session *session, const uint8_t *bytes, size_t length, bool last);

/**
 * hwf_session_next() - the next event
 * @session: a session with code and without a consumer
 * @event: receives it; valid until the next call of any function with this session
 *
 * Execution in transactions that failed is left out, unless they are raw.
 *
 * Return: HWF_OK; HWF_ERR_NEED_MORE: feed more bytes; HWF_ERR_END: there are no more events; or as
 * hwf_session_push().
 */
int hwf_session_next(struct hwf_session *session, const struct hwf_flow_event **event);

/**
 * struct hwf_packet - a packet of any protocol, or bytes that are no packet
 * @offset: of its first byte
 * @name: of its type, as in listings; a constant string
 * @size: bytes
 * @protocol: enum hwf_session_protocol: which member of the union holds
 * @type: enum hwf_ete_type, hwf_etm3_type or hwf_riscv_type
 * @valid: it is a packet, and the union holds
 * @tentative: synchronisation is lost, so that it may be none
 * @error: enum hwf_err: why it is none, where @valid is false
 */
struct hwf_packet {
	uint64_t offset;
	const char *name;
	uint32_t size;
	uint8_t protocol;
	uint8_t type;
	bool valid;
	bool tentative;
	int error;
	union {
		const struct hwf_ete_packet *ete;
		const struct hwf_etm3_packet *etm3;
		const struct hwf_riscv_packet *riscv;
	} u;
};

/**
 * hwf_session_next_packet() - the next packet
 * @session: a session without code
 * @packet: receives it; what it points to is valid until the next call
 *
 * The sizes of all packets add up to the length of the trace. Bytes that are no packet may come in
 * several pieces.
 *
 * Return: as hwf_session_next().
 */
int hwf_session_next_packet(struct hwf_session *session, struct hwf_packet *packet);

/**
 * hwf_session_counts() - complete the counts of config.profile
 * @session: a session with a profile
 *
 * The profile has all ranges that were given up to now. The caller may read it then, and clear it.
 * The session completes the counts by itself at the end of trace. From the sink the call is
 * possible at any event that ends counting; see HWF_FLOW_COUNTED.
 *
 * Return: HWF_OK; HWF_ERR_BAD_CALL.
 */
int hwf_session_counts(struct hwf_session *session);

/** HWF_SESSION_STATE - bytes that are enough for the state of nearly every session */
#define HWF_SESSION_STATE 0x4100u

/**
 * hwf_session_state() - write what the session depends on
 * @session: a session with a consumer, or without code
 * @state: receives it
 * @size: bytes there
 *
 * Two sessions of one trace unit, of which one began later than the other one, give the same events
 * from where their states are equal, or the same packets and lines: a long trace is decoded in
 * parts that way. The program code, and the address space that the context has, are not in the
 * state. A session with a consumer first gives all events that nothing can take back, and completes
 * the counts.
 *
 * Return: bytes written; 0 if there is no room for them, if a transaction is open, if events wait
 * for the consumer, if packets are not synchronised, or if the call is not possible.
 */
size_t hwf_session_state(struct hwf_session *session, uint8_t *state, size_t size);

/** hwf_session_graph() - the graph of a session, for others; NULL where the protocol has none */
struct hwf_graph *hwf_session_graph(struct hwf_session *session);

/** enum hwf_seek - which synchronisation is looked for */
enum hwf_seek {
	HWF_SEEK_NEXT,     /* the first one that begins at the offset or behind it */
	HWF_SEEK_PREVIOUS, /* the last one that begins before the offset */
	HWF_SEEK_NEAR, /* one at the offset or behind it, which is probable; see hwf_session_seek()
			*/
	HWF_SEEK_HERE, /* the one at the offset, which the caller knows; it is not looked for */
};

/**
 * hwf_session_seek() - go to a synchronisation
 * @session: the session; after success as after hwf_session_reset() with the offset found
 * @bytes: trace. RISC-V: from the beginning of a packet
 * @length: bytes of it
 * @from: offset in @bytes
 * @seek: enum hwf_seek
 * @found: receives the offset in @bytes, where decoding may begin
 *
 * ETE and ETMv4: an Alignment Synchronisation, between which and the next one there is a Trace
 * Info and nothing that is no packet. ETMv3: likewise an A-sync, and an I-sync. RISC-V: a packet
 * with a whole address, format 3 subformat 0 or 1; run-time options are as support packets before
 * it set them, so that all bytes before it are read. With HWF_SEEK_NEAR and HWF_SEEK_HERE the bytes
 * before it are not read, and the options are as the first support packet of @bytes sets them, if
 * it is one of the first 64 packets. What HWF_SEEK_NEAR finds is probably the beginning of a
 * packet; equal states (hwf_session_state()) show that it is. Of other protocols it is as
 * HWF_SEEK_NEXT.
 *
 * Return: HWF_OK; HWF_ERR_NO_SYNC: there is none, and the session is as before; HWF_ERR_BAD_CALL.
 */
int hwf_session_seek(struct hwf_session *session, const uint8_t *bytes, size_t length, size_t from,
		     enum hwf_seek seek, size_t *found);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_SESSION_H */
