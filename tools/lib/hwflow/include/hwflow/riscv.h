/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Packets of RISC-V Processor Trace: the draft 0.026 and the ratified E-Trace (1.0, 2.0), two
 * dialects of one code.
 *
 * Given a constant configuration a payload is context-free: addresses are the bits that it carries,
 * differences stay differences. What has a history is in riscv_flow.h. What
 * RISCV_* in comments refers to is in Documentation/rules.rst.
 */
#ifndef HWFLOW_RISCV_H
#define HWFLOW_RISCV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hwflow/err.h"
#include "hwflow/riscv_data.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** enum hwf_riscv_dialect - which text the trace follows */
enum hwf_riscv_dialect {
	HWF_RISCV_DRAFT_026, /* RISC-V Processor Trace 0.026-DRAFT */
	HWF_RISCV_V1,        /* Efficient Trace 1.0 */
	HWF_RISCV_V2,        /* Efficient Trace 2.0, ratified */
};

/** enum hwf_riscv_type - packet types, from riscv_packets.def, then what is none */
enum hwf_riscv_type {
#define P(name, dialects, format, sub, codec) HWF_RISCV_##name,
#include "hwflow/riscv_packets.def"
#undef P
	HWF_RISCV_TYPES,
	/* given by struct hwf_riscv_stream only */
	HWF_RISCV_IDLE = HWF_RISCV_TYPES, /* null packets, alignment, padding */
	HWF_RISCV_DATA,                   /* data trace that is not read, other message types */
	HWF_RISCV_BAD,                    /* does not read as a packet */
	HWF_RISCV_INCOMPLETE,             /* the trace ends inside it */
/* data trace, where the parameters say how to read it */
#define D(name) HWF_RISCV_##name,
#include "hwflow/riscv_data.def"
#undef D
	HWF_RISCV_ALL_TYPES,
};

/**
 * struct hwf_riscv_params - parameters of an encoder, by the names of the draft's Table 3.7
 *
 * Those of the ingress port and of filters are the encoder's own (riscv_encoder.h): here is what a
 * reader of the packets has to know.
 *
 * @iaddress_width_p: bits of an address, 2 to 64
 * @iaddress_lsb_p: low bits of an address that packets leave out, 0 to 3
 * @context_width_p: bits of the context, 0 to 32
 * @nocontext_p: packets carry no context
 * @privilege_width_p: bits of the privilege, 1 to 4
 * @ecause_width_p: bits of the cause, 1 to 16
 * @notval_p: F3.1 carries no trap value (draft only)
 * @itype_width_p: 3 or 4; packets do not depend on it
 * @return_stack_size_p: log2 of the return stack's entries; 0: none (ratified)
 * @call_counter_size_p: bits of the call counter; 0: none (ratified)
 * @time_width_p: bits of the time field of format 3; 0: none (2.0)
 * @bpred_size_p: log2 of the branch predictor's entries (ratified)
 * @cache_size_p: log2 of the jump target cache's entries (ratified)
 * @f0s_width_p: bits of the subformat of format 0, 0 or 1 (ratified)
 * @sijump_p: sequentially inferable jumps are not reported (ratified)
 * @encoder_mode_width: bits of encoder_mode in the support packet; 0 stands for the default: 2 in
 *	the draft, 1 else
 * @ioptions_width: bits of ioptions; 0 stands for 5
 * @doptions_width: bits of doptions; 0 stands for 4 (2.0)
 * @data_width_p: bits of the data bus: 8, 16, 32, 64 or 128; 0: data trace is not read (2.0, with
 *	all parameters that follow up to @mmacas)
 * @daddress_width_p: bits of a data address, up to 64; 0 stands for @iaddress_width_p
 * @dtype_width_p: bits of the kind of access, up to 4: 1 where there are loads and stores only; 0
 *	stands for 4
 * @lrid_width_p: loads and atomics are split; bits of the load request ID, up to 8. 0: they are not
 * @ddiff_width: bits of diff, 1 or 2, where there is no address; 0 stands for 2
 * @mmacas: packets are those of the extension for multiple-memory access and compare and swap
 * @noaddr: data trace has no addresses
 * @nodata: data trace has no data
 * @full_daddress: its addresses are never differences; not needed to read them
 * @full_data: likewise its data
 * @full_address: addresses are never differences
 * @irets: packets have the number of implied returns in place of irdepth: the extension of 2026 for
 *	implicit returns (2.0)
 * @implicit_return: returns that the decoder can infer are not reported (ratified)
 * @implicit_exception: handler addresses are not reported (ratified)
 * @branch_prediction: branches predicted right are counted (ratified)
 * @jump_target_cache: targets may be reported by their place in the cache (ratified)
 * @max_resync: packets between synchronisations; a decoder does not need it
 * @tvec: as mtvec: where handlers are, for @implicit_exception; 0: not known
 */
struct hwf_riscv_params {
	uint8_t iaddress_width_p;
	uint8_t iaddress_lsb_p;
	uint8_t context_width_p;
	uint8_t nocontext_p;
	uint8_t privilege_width_p;
	uint8_t ecause_width_p;
	uint8_t notval_p;
	uint8_t itype_width_p;
	uint8_t return_stack_size_p;
	uint8_t call_counter_size_p;
	uint8_t time_width_p;
	uint8_t bpred_size_p;
	uint8_t cache_size_p;
	uint8_t f0s_width_p;
	uint8_t sijump_p;
	uint8_t encoder_mode_width;
	uint8_t ioptions_width;
	uint8_t doptions_width;
	uint8_t data_width_p;
	uint8_t daddress_width_p;
	uint8_t dtype_width_p;
	uint8_t lrid_width_p;
	uint8_t ddiff_width;
	bool mmacas;
	bool noaddr;
	bool nodata;
	bool full_daddress;
	bool full_data;
	bool full_address;
	bool irets;
	bool implicit_return;
	bool implicit_exception;
	bool branch_prediction;
	bool jump_target_cache;
	uint32_t max_resync;
	uint64_t tvec;
};

/** HWF_RISCV_MIRROR_LOG2 - log2 of the entries that tables a decoder mirrors have at most */
#define HWF_RISCV_MIRROR_LOG2 12

/**
 * struct hwf_riscv_config - how to read the packets of one encoder
 * @params: as given, defaults filled in
 * @dialect: enum hwf_riscv_dialect
 * @address_bits: bits of an address field
 * @irdepth_bits: bits of irdepth, or irets (ratified)
 *
 * Made by hwf_riscv_config_init() only.
 */
struct hwf_riscv_config {
	struct hwf_riscv_params params;
	uint8_t dialect;
	uint8_t address_bits;
	uint8_t irdepth_bits;
};

/** hwf_riscv_params_init() - what most encoders of a dialect have: RV64 with C, no options */
void hwf_riscv_params_init(struct hwf_riscv_params *params, enum hwf_riscv_dialect dialect);

/**
 * hwf_riscv_config_init() - check parameters and derive the widths of fields
 * @config: receives it
 * @dialect: which text the trace follows
 * @params: the parameters
 *
 * Return: 0, or HWF_ERR_BAD_CONFIG where a parameter is outside of its range (RISCV_PARAMETERS), is
 * not of this dialect, or contradicts another; @config is then unchanged.
 */
int hwf_riscv_config_init(struct hwf_riscv_config *config, enum hwf_riscv_dialect dialect,
			  const struct hwf_riscv_params *params);

/**
 * hwf_riscv_config_fault() - find the parameter that hwf_riscv_config_init() refuses
 * @dialect: which text the trace follows
 * @params: the parameters
 * @fault: receives it
 *
 * Return: is there one?
 */
bool hwf_riscv_config_fault(enum hwf_riscv_dialect dialect, const struct hwf_riscv_params *params,
			    struct hwf_config_fault *fault);

/** enum hwf_riscv_ioption - bits of ioptions in the support packet (ratified) */
enum hwf_riscv_ioption {
	HWF_RISCV_IMPLICIT_RETURN = 0x01,
	HWF_RISCV_IMPLICIT_EXCEPTION = 0x02,
	HWF_RISCV_FULL_ADDRESS = 0x04,
	HWF_RISCV_JUMP_TARGET_CACHE = 0x08,
	HWF_RISCV_BRANCH_PREDICTION = 0x10,
};

/**
 * hwf_riscv_config_set() - take over what a support packet says of the run-time options
 * @config: as it was until the packet
 * @ioptions: of the packet (ratified)
 */
void hwf_riscv_config_set(struct hwf_riscv_config *config, uint32_t ioptions);

/** enum hwf_riscv_doption - bits of doptions in the support packet (2.0) */
enum hwf_riscv_doption {
	HWF_RISCV_NO_ADDRESS = 0x01,
	HWF_RISCV_NO_DATA = 0x02,
	HWF_RISCV_FULL_DADDRESS = 0x04,
	HWF_RISCV_FULL_DATA = 0x08,
};

/** hwf_riscv_config_set_data() - the same of @doptions, for data trace */
void hwf_riscv_config_set_data(struct hwf_riscv_config *config, uint32_t doptions);

/** enum hwf_riscv_qual_status - qual_status of the support packet (RISCV_QUAL_STATUS) */
enum hwf_riscv_qual_status {
	HWF_RISCV_NO_CHANGE,
	HWF_RISCV_ENDED_REP,  /* the packet before was sent because tracing ended */
	HWF_RISCV_TRACE_LOST, /* ratified; reserved in the draft */
	HWF_RISCV_ENDED_NTR,  /* it would have been sent anyway; ended_upd in 1.0 */
};

/**
 * struct hwf_riscv_address - the fields from address to irdepth
 * @value: address or difference, shifted right by iaddress_lsb_p, as unsigned field of
 *	config.address_bits
 * @has: the packet carries an address; else the rest is meaningless
 * @notify: sent because of a notification (ratified)
 * @updiscon: the instruction follows an uninferable jump, and format 3 comes next (ratified)
 * @irreport: a return was mispredicted, or the depth has to be told (ratified)
 * @irdepth: with @irreport: entries on the return stack, or call count; with params.irets returns
 * that were implied since the last branch or packet with an address. Else what stands in its place,
 * of no meaning; for encoding 0 stands for bits that compress away, as they ought to.
 *
 * The three flags are what the bits mean: in a packet each is set where it differs from the bit
 * before it (RISCV_DIFFERS), so that it compresses away.
 */
struct hwf_riscv_address {
	uint64_t value;
	bool has;
	bool notify;
	bool updiscon;
	bool irreport;
	uint32_t irdepth;
};

/**
 * struct hwf_riscv_map - F0 of the draft, F1: a branch map, perhaps with an address
 * @map: bit 0 is the oldest branch; set: not taken
 * @branches: 1 to 31 valid bits. Without an address always 31: the field is then 0.
 * @address: difference (F1) or full address (F0; F1 in full-address mode)
 */
struct hwf_riscv_map {
	uint32_t map;
	uint8_t branches;
	struct hwf_riscv_address address;
};

/** enum hwf_riscv_branch_fmt - branch_fmt of F0_COUNT */
enum hwf_riscv_branch_fmt {
	HWF_RISCV_COUNT_NO_ADDRESS = 0,   /* the branch after the counted ones was mispredicted */
	HWF_RISCV_COUNT_ADDRESS = 2,      /* address; a branch there was predicted right */
	HWF_RISCV_COUNT_ADDRESS_FAIL = 3, /* address of a branch that was mispredicted */
};

/**
 * struct hwf_riscv_count - F0_COUNT: branches predicted right
 * @branch_count: as in the packet: how many, less 31
 * @branch_fmt: enum hwf_riscv_branch_fmt; 1 is reserved
 * @address: with HWF_RISCV_COUNT_ADDRESS*
 */
struct hwf_riscv_count {
	uint32_t branch_count;
	uint8_t branch_fmt;
	struct hwf_riscv_address address;
};

/**
 * struct hwf_riscv_cache - F0_CACHE: a target by its place in the jump target cache
 * @index: of the cache
 * @map: as struct hwf_riscv_map
 * @branches: 0 to 31
 * @irreport: as in struct hwf_riscv_address
 * @irdepth: likewise
 */
struct hwf_riscv_cache {
	uint32_t index;
	uint32_t map;
	uint8_t branches;
	bool irreport;
	uint32_t irdepth;
};

/**
 * struct hwf_riscv_sync - F3_START, F3_TRAP, F3_CONTEXT: fields that a subformat lacks are 0
 * @address: full address, shifted right by iaddress_lsb_p; F3_TRAP: of the handler, or, without
 *	@thaddr, the exception's own
 * @tval: trap value; in 1.0 the address of an illegal instruction
 * @time: as far as the packet carries it
 * @context: likewise
 * @ecause: of the trap
 * @privilege: of the instruction at @address
 * @branch: a branch is at @address and was not taken
 * @interrupt: the trap is one
 * @thaddr: @address is the handler's (2.0; true in the other dialects)
 * @has_address: the packet carries @address: not in implicit exception mode
 */
struct hwf_riscv_sync {
	uint64_t address;
	uint64_t tval;
	uint64_t time;
	uint32_t context;
	uint16_t ecause;
	uint8_t privilege;
	bool branch;
	bool interrupt;
	bool thaddr;
	bool has_address;
};

/**
 * struct hwf_riscv_support - F3_SUPPORT, TE_SUPPORT
 * @ioptions: enum hwf_riscv_ioption (ratified; `options` of 1.0)
 * @doptions: data trace (2.0)
 * @encoder_mode: 0 is branch trace
 * @qual_status: enum hwf_riscv_qual_status
 * @ienable: instruction trace is on; `enable` of the other dialects
 * @denable: data trace is on (2.0)
 * @dloss: data trace was lost (2.0)
 */
struct hwf_riscv_support {
	uint32_t ioptions;
	uint32_t doptions;
	uint8_t encoder_mode;
	uint8_t qual_status;
	bool ienable;
	bool denable;
	bool dloss;
};

/**
 * struct hwf_riscv_packet - one packet
 * @type: enum hwf_riscv_type: which member of the union holds
 */
struct hwf_riscv_packet {
	uint8_t type;
	union {
		struct hwf_riscv_map map;         /* F0_MAP, F1 */
		struct hwf_riscv_count count;     /* F0_COUNT */
		struct hwf_riscv_cache cache;     /* F0_CACHE */
		struct hwf_riscv_address address; /* F2 */
		struct hwf_riscv_sync sync;       /* F3_START, F3_TRAP, F3_CONTEXT */
		struct hwf_riscv_support support; /* F3_SUPPORT, TE_SUPPORT */
		struct hwf_riscv_data data;       /* riscv_data.def */
	} u;
};

/** HWF_RISCV_MAX_PAYLOAD - bytes that a payload has at most: the length has 5 bits */
#define HWF_RISCV_MAX_PAYLOAD 31

/** hwf_riscv_type_name() - name of a packet type in listings */
const char *hwf_riscv_type_name(unsigned int type);

/**
 * hwf_riscv_decode() - read one payload
 * @config: how
 * @support: the header says that it is a te_support (draft); false else
 * @bytes: the payload, compressed or not
 * @length: bytes of it, 1 or more
 * @packet: receives it
 *
 * Bits that were compressed away are those of the top bit received (RISCV_COMPRESSION).
 *
 * Return: 0; HWF_ERR_RESERVED for a format, subformat or value that the dialect reserves;
 * HWF_ERR_BAD_PAYLOAD where bytes are left behind the last field, or bits that do not repeat the
 * top one. @packet is then unchanged.
 */
int hwf_riscv_decode(const struct hwf_riscv_config *config, bool support, const uint8_t *bytes,
		     size_t length, struct hwf_riscv_packet *packet);

/**
 * hwf_riscv_decode_bare() - read one payload that is not compressed, of a stream of such
 * @config: how
 * @bytes: the stream, from the beginning of a payload
 * @room: bytes there
 * @packet: receives it
 *
 * Return: bytes taken: all fields, and bits up to a whole byte; HWF_ERR_NEED_MORE; or as
 * hwf_riscv_decode().
 */
int hwf_riscv_decode_bare(const struct hwf_riscv_config *config, const uint8_t *bytes, size_t room,
			  struct hwf_riscv_packet *packet);

/**
 * hwf_riscv_encode() - write one payload, compressed
 * @config: how
 * @packet: what
 * @bytes: receives it
 * @room: bytes there; HWF_RISCV_MAX_PAYLOAD is always enough
 *
 * Return: bytes written; HWF_ERR_NO_SPACE; HWF_ERR_RESERVED for a type that the dialect does not
 * have; HWF_ERR_BAD_PAYLOAD where a value does not fit its field.
 */
int hwf_riscv_encode(const struct hwf_riscv_config *config, const struct hwf_riscv_packet *packet,
		     uint8_t *bytes, size_t room);

/** hwf_riscv_map_bits() - length of the branch map field for so many branches (RISCV_MAP_LENGTH) */
unsigned int hwf_riscv_map_bits(enum hwf_riscv_dialect dialect, unsigned int branches);

/*
 * Framings: how payloads are packed into a byte stream.
 */

/** enum hwf_riscv_framing_kind - what stands around a payload */
enum hwf_riscv_framing_kind {
	HWF_RISCV_REFERENCE, /* a header byte: length 4:0, message type 6:5 */
	HWF_RISCV_ENCAP,     /* E-Trace encapsulation 1.0: header, source, time, type */
	HWF_RISCV_SIEMENS,   /* Siemens messaging: header with type, source, time tag */
	HWF_RISCV_BARE,      /* nothing: payloads that are not compressed, one behind the other */
};

/** HWF_RISCV_MSG_* - message types: bits 6:5 of a header, or the type of 2 bits behind it */
#define HWF_RISCV_MSG_SUPPORT 0
#define HWF_RISCV_MSG_INST    2
#define HWF_RISCV_MSG_DATA    3

/**
 * struct hwf_riscv_framing - how payloads are packed
 * @kind: enum hwf_riscv_framing_kind
 * @srcid_width: bits of the source's number, 0 to 16: ENCAP, SIEMENS
 * @type_width: bits of the type in front of the payload, 0 to 2: ENCAP, SIEMENS. 2: 2 is
 *	instruction trace, with SIEMENS 1; 3 is data trace. 1: 0 and 1
 * @time_bytes: bytes of the time behind the source, 0 to 8: ENCAP; SIEMENS always has 2
 */
struct hwf_riscv_framing {
	uint8_t kind;
	uint8_t srcid_width;
	uint8_t type_width;
	uint8_t time_bytes;
};

/** hwf_riscv_framing_init() - a framing with its usual widths */
void hwf_riscv_framing_init(struct hwf_riscv_framing *framing, enum hwf_riscv_framing_kind kind);

/**
 * hwf_riscv_framing_check() - are the widths possible?
 *
 * Return: 0 or HWF_ERR_BAD_CONFIG.
 */
int hwf_riscv_framing_check(const struct hwf_riscv_framing *framing);

/**
 * hwf_riscv_framing_fault() - find the width that hwf_riscv_framing_check() refuses
 * @framing: the framing
 * @fault: receives it
 *
 * Return: is there one?
 */
bool hwf_riscv_framing_fault(const struct hwf_riscv_framing *framing,
			     struct hwf_config_fault *fault);

/**
 * struct hwf_riscv_frame - one packet with its framing
 * @payload: of the packet
 * @length: bytes of it; 0 for a null packet
 * @message: HWF_RISCV_MSG_*; meaningless for a null packet
 * @flow: bits 6:5 of the header
 * @has_time: @time is given
 * @source: number of the source; 0 where the framing has none
 * @time: as the framing carries it
 */
struct hwf_riscv_frame {
	uint8_t payload[HWF_RISCV_MAX_PAYLOAD];
	uint8_t length;
	uint8_t message;
	uint8_t flow;
	bool has_time;
	uint32_t source;
	uint64_t time;
};

/**
 * hwf_riscv_unframe() - take the framing off one packet
 * @framing: how; not HWF_RISCV_BARE, of which hwf_riscv_stream_next() knows the lengths
 * @bytes: the stream, from the beginning of a packet
 * @room: bytes there
 * @frame: receives it
 *
 * Return: bytes taken, 1 or more; HWF_ERR_NEED_MORE; HWF_ERR_BAD_PAYLOAD where a length has no
 * room for the fields that it counts: the packet is to be passed over, hwf_riscv_frame_size().
 */
int hwf_riscv_unframe(const struct hwf_riscv_framing *framing, const uint8_t *bytes, size_t room,
		      struct hwf_riscv_frame *frame);

/** hwf_riscv_frame_size() - bytes of the packet that a header byte begins, by the framing */
size_t hwf_riscv_frame_size(const struct hwf_riscv_framing *framing, uint8_t header);

/**
 * hwf_riscv_enframe() - put the framing around one payload
 * @framing: how
 * @frame: payload, message type, source and so on; @flow as message type for REFERENCE
 * @bytes: receives it
 * @room: bytes there
 *
 * Return: bytes written; HWF_ERR_NO_SPACE; HWF_ERR_BAD_PAYLOAD where a value does not fit.
 */
int hwf_riscv_enframe(const struct hwf_riscv_framing *framing, const struct hwf_riscv_frame *frame,
		      uint8_t *bytes, size_t room);

/**
 * struct hwf_riscv_stream - packets out of bytes
 * @config: as it is now: a support packet changes the run-time options
 * @framing: how payloads are packed
 * @source: the number of the source to follow; -1 for all. The packets of others are given as
 *	HWF_RISCV_IDLE. A caller may set it.
 * @error: of the packet given last: why it is HWF_RISCV_BAD or HWF_RISCV_INCOMPLETE
 * @frame: of the packet given last
 * @requests: of data trace
 *
 * Fields are the library's; a caller may read them, and set @source.
 */
struct hwf_riscv_stream {
	struct hwf_riscv_config config;
	struct hwf_riscv_framing framing;
	int64_t source;
	int error;
	struct hwf_riscv_frame frame;
	struct hwf_riscv_requests requests;
};

/**
 * hwf_riscv_stream_init() - begin at the beginning of a packet
 * @stream: to initialise
 * @config: of the encoder; copied
 * @framing: copied; checked before by hwf_riscv_framing_check()
 */
void hwf_riscv_stream_init(struct hwf_riscv_stream *stream, const struct hwf_riscv_config *config,
			   const struct hwf_riscv_framing *framing);

/**
 * hwf_riscv_stream_next() - the next packet
 * @stream: the stream
 * @bytes: those that follow the bytes taken so far
 * @room: how many
 * @last: none will follow
 * @packet: receives it; of HWF_RISCV_IDLE to HWF_RISCV_INCOMPLETE no member of the union holds
 *
 * A payload that does not read costs that packet only: the header tells where the next begins. With
 * HWF_RISCV_BARE it costs the rest of @bytes.
 *
 * Return: bytes taken; 0 where more are needed, or none are left.
 */
size_t hwf_riscv_stream_next(struct hwf_riscv_stream *stream, const uint8_t *bytes, size_t room,
			     bool last, struct hwf_riscv_packet *packet);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_RISCV_H */
