/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Trace elements (Arm ARM D4.3), decoded from packets; and the packer, which encodes an element in
 * the shortest packets.
 */
#ifndef HWFLOW_ELEMENT_H
#define HWFLOW_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "hwflow/ete.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** enum hwf_element_kind - kind of an element */
enum hwf_element_kind {
	/* P0 elements (D4.3.5) */
	HWF_EL_ATOM,           /* u.atoms: one to 24 of them */
	HWF_EL_EXCEPTION,      /* u.exception */
	HWF_EL_SOURCE_ADDRESS, /* u.address */
	HWF_EL_Q,              /* u.q */
	/* a P0 element where TRCIDR0.COMMTRANS is 0 (R_CTLXL) */
	HWF_EL_TRANSACTION_START,
	/* ETMv4: a P0 element of Armv7-M */
	HWF_EL_EXCEPTION_RETURN,
	/* ETMv4: a P0 element */
	HWF_EL_FUNCTION_RETURN,
	/* never P0 elements */
	HWF_EL_TRANSACTION_COMMIT,
	HWF_EL_TRANSACTION_FAILURE,
	HWF_EL_TRACE_INFO,     /* u.trace_info */
	HWF_EL_TRACE_ON,       /* u.overflow: the first after an Overflow */
	HWF_EL_TARGET_ADDRESS, /* u.address */
	HWF_EL_CONTEXT,        /* u.context */
	HWF_EL_CYCLE_COUNT,    /* u.cycle_count */
	HWF_EL_TIMESTAMP,      /* u.timestamp */
	HWF_EL_TIMESTAMP_MARKER,
	HWF_EL_EVENT,           /* u.event: bit n: ETEEvent n */
	HWF_EL_INSTRUMENTATION, /* u.instrumentation */
	/* speculation resolution (D4.3.8); the P0 stage consumes them */
	HWF_EL_COMMIT, /* u.number */
	HWF_EL_CANCEL, /* u.number */
	HWF_EL_MISPREDICT,
	HWF_EL_DISCARD,
	HWF_EL_OVERFLOW,
	/* made by the stages, not traced */
	HWF_EL_NO_SYNC, /* u.no_sync: synchronisation is lost */
	HWF_EL_END,     /* end of trace; u.overflow: an Overflow came last */
	HWF_EL_KINDS,
};

/** enum hwf_security - security state of a context */
enum hwf_security {
	HWF_SEC_SECURE,
	HWF_SEC_NONSECURE,
	HWF_SEC_ROOT,
	HWF_SEC_REALM,
};

/**
 * struct hwf_context - context of the executed instructions (D4.3.6.3)
 * @vmid: virtual context identifier, if @has_vmid
 * @cid: context identifier, if @has_cid
 * @el: exception level
 * @security: enum hwf_security
 * @sf: AArch64
 * @has_vmid: a Context since the last Trace Info had a VMID
 * @has_cid: likewise, a context identifier
 * @el_unknown: ETMv3, whose trace says of the exception level only whether it is 2
 */
struct hwf_context {
	uint32_t vmid;
	uint32_t cid;
	uint8_t el;
	uint8_t security;
	bool sf;
	bool has_vmid;
	bool has_cid;
	bool el_unknown;
};

/** struct hwf_el_address - an address and its instruction set class, IS0 or IS1 */
struct hwf_el_address {
	uint64_t value;
	uint8_t is;
};

/**
 * struct hwf_el_exception - HWF_EL_EXCEPTION (D4.3.5.2)
 * @ret: preferred exception return address, if @has_ret
 * @type: enum hwf_exception, or hwf_exception_m
 * @has_ret: false for PE Reset of an ETE only (Table D4-5)
 * @ret_is_target: @ret is the target of the P0 element before, as well
 */
struct hwf_el_exception {
	struct hwf_el_address ret;
	uint16_t type;
	bool has_ret;
	bool ret_is_target;
};

/**
 * struct hwf_el_q - HWF_EL_Q (D4.3.5.4)
 * @address: of the next instruction, if @has_address
 * @count: instructions since the most recent P0 element, if @has_count
 * @type: low four header bits
 */
struct hwf_el_q {
	struct hwf_el_address address;
	uint32_t count;
	uint8_t type;
	bool has_address;
	bool has_count;
};

/** enum hwf_ts_mark - element of a Timestamp element (R_MCSGX, R_DGTJZ, I_PXZVX) */
enum hwf_ts_mark {
	HWF_TS_LATEST,       /* the most recent P0, Event or Instrumentation element */
	HWF_TS_MARKED,       /* the most recent of these before the Timestamp Marker */
	HWF_TS_BEFORE_TRACE, /* one from before the start of trace */
};

/**
 * struct hwf_el_timestamp - HWF_EL_TIMESTAMP (D4.3.7.2)
 * @value: 0 means unknown; may go backwards (see D4.3.7.2)
 * @marker: byte offset of the Timestamp Marker, with HWF_TS_MARKED
 * @count: cycles since the last Cycle Count element, if @has_count
 * @mark: enum hwf_ts_mark
 */
struct hwf_el_timestamp {
	uint64_t value;
	uint64_t marker;
	uint32_t count;
	uint8_t mark;
	bool has_count;
};

/** struct hwf_el_cycle_count - HWF_EL_CYCLE_COUNT; 0 cycles where @unknown */
struct hwf_el_cycle_count {
	uint32_t count;
	bool unknown;
};

/**
 * struct hwf_el_context - HWF_EL_CONTEXT
 * @context: the whole context, with the fields that the packet omits
 * @is: instruction set class of the address in the same packet, if @has_is
 * @has_is: the packet has an address
 * @gives_vmid: the packet itself has a VMID
 * @gives_cid: likewise
 */
struct hwf_el_context {
	struct hwf_context context;
	uint8_t is;
	bool has_is;
	bool gives_vmid;
	bool gives_cid;
};

/** enum hwf_no_sync - why synchronisation was lost */
enum hwf_no_sync {
	HWF_NO_SYNC_INIT,       /* not synchronised yet */
	HWF_NO_SYNC_BAD_PACKET, /* reserved header, malformed payload, impossible sequence */
	HWF_NO_SYNC_DISCARD,    /* after a Discard element */
	HWF_NO_SYNC_OVERFLOW,   /* after an Overflow element */
	HWF_NO_SYNC_RESET,      /* the caller began a new session */
};

/**
 * struct hwf_el_no_sync - HWF_EL_NO_SYNC
 * @reason: enum hwf_no_sync
 * @error: enum hwf_err with HWF_NO_SYNC_BAD_PACKET
 */
struct hwf_el_no_sync {
	uint8_t reason;
	int error;
};

/**
 * struct hwf_element - one element, or up to 24 Atoms of one packet
 * @offset: of its packet's first byte in the trace
 * @kind: enum hwf_element_kind, which selects the member of the union
 * @corrected: bit n: a Mispredict corrected Atom n, which was traced with the other outcome; set by
 *	the P0 stage
 */
struct hwf_element {
	uint64_t offset;
	uint8_t kind;
	uint32_t corrected;
	union {
		struct hwf_ete_atoms atoms;
		struct hwf_el_exception exception;
		struct hwf_el_address address;
		struct hwf_el_q q;
		struct hwf_ete_trace_info trace_info;
		struct hwf_el_context context;
		struct hwf_el_cycle_count cycle_count;
		struct hwf_el_timestamp timestamp;
		struct hwf_ete_instrumentation instrumentation;
		struct hwf_el_no_sync no_sync;
		uint32_t number;
		uint8_t event;
		bool overflow;
	} u;
};

/**
 * typedef hwf_element_fn - sink of elements
 * @ctx: of the sink
 * @element: valid during the call only
 */
typedef void hwf_element_fn(void *ctx, const struct hwf_element *element);

/** HWF_HISTORY - depth of the address history */
#define HWF_HISTORY 3

/**
 * struct hwf_address_history - the addresses and the timestamp that packets are compressed against
 * @entry: [0] is the newest
 * @timestamp: of the newest Timestamp packet
 * @aarch32: the newest Context packet was of AArch32: an address packet of 32 bits has a whole
 *	address
 */
struct hwf_address_history {
	struct hwf_el_address entry[HWF_HISTORY];
	uint64_t timestamp;
	bool aarch32;
};

/** hwf_history_reset() - reset the address history, as a Trace Info does */
void hwf_history_reset(struct hwf_address_history *history);

/**
 * hwf_history_push() - add an address as the newest
 * @history: the address history
 * @value: the address
 * @is: its instruction set class
 */
static inline void hwf_history_push(struct hwf_address_history *history, uint64_t value, uint8_t is)
{
	history->entry[2] = history->entry[1];
	history->entry[1] = history->entry[0];
	history->entry[0].value = value;
	history->entry[0].is = is;
}

/**
 * hwf_history_expand() - complete an address with the high bits of the newest, and add it
 * @history: the address history
 * @address: of the packet
 *
 * Return: the whole address.
 */
static inline struct hwf_el_address hwf_history_expand(struct hwf_address_history *history,
						       const struct hwf_ete_address *address)
{
	uint64_t value = address->value;

	if (address->bits < 32 || (address->bits == 32 && !history->aarch32))
		value |= history->entry[0].value >> address->bits << address->bits;
	hwf_history_push(history, value, address->is);
	return history->entry[0];
}

/**
 * hwf_ete_expand_time() - complete a timestamp with the high bits of the one before
 * @timestamp: of the packet
 * @before: the whole timestamp before it; 0 after a Trace Info
 *
 * Return: the whole timestamp.
 */
static inline uint64_t hwf_ete_expand_time(const struct hwf_ete_timestamp *timestamp,
					   uint64_t before)
{
	if (timestamp->bits >= 64)
		return timestamp->value;
	return timestamp->value | before >> timestamp->bits << timestamp->bits;
}

/** enum hwf_elements_sync - synchronisation of the element stage */
enum hwf_elements_sync {
	HWF_SYNC_NONE,
	HWF_SYNC_ALIGNED, /* after an ALIGN_SYNC, before a Trace Info */
	HWF_SYNC_FULL,
};

#define HWF_NOTHING_LOST 0xff

/**
 * struct hwf_elements - state of the element stage
 *
 * Fields are the library's; a caller may read them.
 */
struct hwf_elements {
	const struct hwf_ete_config *config;
	hwf_element_fn *sink;
	void *sink_ctx;
	struct hwf_address_history history;
	struct hwf_context context;
	uint64_t marker_offset;
	uint64_t last_offset; /* of the newest packet */
	uint32_t cc_threshold;
	bool cycle_counting; /* the last Trace Info enables Cycle Counts */
	/* an Exception packet that waits for its address */
	struct hwf_element exception;
	bool exception_pending;
	bool marker_pending;
	bool marker_seen;
	bool overflowed;
	uint8_t sync; /* enum hwf_elements_sync */
	uint8_t lost; /* enum hwf_no_sync to report at the next packet, or HWF_NOTHING_LOST */
	int lost_error;
};

/**
 * hwf_elements_init() - begin, not synchronised
 * @elements: to initialise
 * @config: of the trace unit; must outlive @elements
 * @sink: takes the elements
 * @sink_ctx: its first argument
 */
void hwf_elements_init(struct hwf_elements *elements, const struct hwf_ete_config *config,
		       hwf_element_fn *sink, void *sink_ctx);

/**
 * hwf_elements_push() - turn one packet into elements
 * @elements: the stage
 * @packet: from hwf_ete_stream_next()
 * @offset: of its first byte
 * @tentative: the stream is not synchronised: see struct hwf_ete_stream
 *
 * Elements begin with the first Trace Info after an ALIGN_SYNC; Event and Instrumentation
 * elements may come before it (R_HMDGL).
 */
void hwf_elements_push(struct hwf_elements *elements, const struct hwf_ete_packet *packet,
		       uint64_t offset, bool tentative);

/**
 * hwf_elements_flush() - end of trace: gives HWF_EL_END
 * @elements: the stage
 *
 * Its offset is that of the last packet.
 */
void hwf_elements_flush(struct hwf_elements *elements);

/**
 * struct hwf_packer - encoder of elements: the reverse of struct hwf_elements
 * @config: of the trace unit
 * @history: address history of the decoder
 * @context: of the last Context element since the Trace Info, if @context_known
 * @timestamp: of the last Timestamp element since the Trace Info; 0 before it
 * @cc_threshold: as in the last Trace Info
 * @history_sure: number of the newest entries of @history that are equal in every decoder
 * @context_known: see @context
 */
struct hwf_packer {
	const struct hwf_ete_config *config;
	struct hwf_address_history history;
	struct hwf_context context;
	uint64_t timestamp;
	uint32_t cc_threshold;
	uint8_t history_sure;
	bool context_known;
};

/**
 * hwf_packer_init() - begin; a Trace Info element must come first
 * @packer: to initialise
 * @config: of the trace unit; must outlive @packer
 */
void hwf_packer_init(struct hwf_packer *packer, const struct hwf_ete_config *config);

/**
 * hwf_packer_encode() - write the packets of one element, in the fewest bytes
 * @packer: state; unchanged on an error
 * @element: one element: HWF_EL_TRACE_INFO is preceded by nothing (the caller writes
 *	the ALIGN_SYNC), an Atom element with 1 to 24 Atoms takes as many packets as it needs;
 *	HWF_EL_CYCLE_COUNT with a commit goes through hwf_packer_commit_count()
 * @bytes: receives the packets
 * @length: room there; HWF_PACKER_MAX always suffices
 *
 * The plctl of a Trace Info, and gives_vmid and gives_cid of a Context, are ignored: the values
 * determine the packet.
 *
 * Return: bytes written, or HWF_ERR_NO_SPACE, HWF_ERR_BAD_PAYLOAD.
 */
int hwf_packer_encode(struct hwf_packer *packer, const struct hwf_element *element, uint8_t *bytes,
		      size_t length);

/**
 * hwf_packer_target() - Target Address, in the fewest bytes
 * @packer: state; unchanged on an error
 * @address: the new address
 * @bytes: receives the packet
 * @length: room there
 *
 * The same as hwf_packer_encode() of that element, and faster.
 *
 * Return: as hwf_packer_encode().
 */
int hwf_packer_target(struct hwf_packer *packer, const struct hwf_el_address *address,
		      uint8_t *bytes, size_t length);

/**
 * hwf_packer_address_context() - Context and Target Address, in the fewest bytes
 * @packer: state; unchanged on an error
 * @context: the new context
 * @address: the new address
 * @bytes: receives one packet, or two where that is shorter
 * @length: room there
 *
 * Return: as hwf_packer_encode().
 */
int hwf_packer_address_context(struct hwf_packer *packer, const struct hwf_el_context *context,
			       const struct hwf_el_address *address, uint8_t *bytes, size_t length);

/**
 * hwf_packer_commit_count() - Commit and Cycle Count in one packet
 * @packer: state
 * @commit: P0 elements to commit; 0 in commit mode 1
 * @count: the cycle count, threshold included; at least the threshold unless unknown
 * @bytes: receives the packet
 * @length: room there
 *
 * Return: as hwf_packer_encode().
 */
int hwf_packer_commit_count(struct hwf_packer *packer, uint32_t commit,
			    const struct hwf_el_cycle_count *count, uint8_t *bytes, size_t length);

/**
 * hwf_packer_resolve() - Atoms, Commit, Cancel and Mispredict, in this order and the fewest bytes
 * @packer: state
 * @resolve: one or more of the four parts; at most 24 Atoms
 * @bytes: receives the packets
 * @length: room there
 *
 * Return: as hwf_packer_encode().
 */
int hwf_packer_resolve(struct hwf_packer *packer, const struct hwf_ete_resolve *resolve,
		       uint8_t *bytes, size_t length);

/**
 * hwf_packer_longest() - number of Atoms in the longest packet that begins with the oldest Atom
 * @atoms: 1 to 24 of them, oldest in bit 0
 *
 * The longest packet each time gives the fewest packets: the last Atoms of a packet, however many,
 * fit in one packet, too.
 */
uint32_t hwf_packer_longest(const struct hwf_ete_atoms *atoms);

/** HWF_PACKER_MAX - enough room for the packets of any one element */
#define HWF_PACKER_MAX 64

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_ELEMENT_H */
