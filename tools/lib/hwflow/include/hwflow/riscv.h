/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Packets of RISC-V Processor Trace: the draft 0.026 and the ratified E-Trace (1.0, 2.0), two
 * dialects of one code.
 *
 * Given a constant configuration a payload is context-free: addresses are the bits that it carries,
 * differences stay differences. What has a history is in riscv_flow.h. The fact sheet that the
 * sections A.n and B.n in comments refer to is spec/riscv-etrace.md.
 */
#ifndef HWFLOW_RISCV_H
#define HWFLOW_RISCV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hwflow/err.h"

#ifdef __cplusplus
extern "C" {
#endif

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
	HWF_RISCV_DATA,                   /* data trace and message types that are not flow */
	HWF_RISCV_BAD,                    /* does not read as a packet */
	HWF_RISCV_INCOMPLETE,             /* the trace ends inside it */
	HWF_RISCV_ALL_TYPES,
};

/**
 * struct hwf_riscv_params - parameters of an encoder, by the names of Table 3.7
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
 * @full_address: addresses are never differences
 * @implicit_return: returns that the decoder can infer are not reported (ratified)
 * @implicit_exception: handler addresses are not reported (ratified)
 * @branch_prediction: branches predicted right are counted (ratified)
 * @jump_target_cache: targets may be reported by their place in the cache (ratified)
 * @max_resync: packets between synchronisations; a decoder does not need it
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
	bool full_address;
	bool implicit_return;
	bool implicit_exception;
	bool branch_prediction;
	bool jump_target_cache;
	uint32_t max_resync;
};

/**
 * struct hwf_riscv_config - how to read the packets of one encoder
 * @params: as given, defaults filled in
 * @dialect: enum hwf_riscv_dialect
 * @address_bits: bits of an address field
 * @irdepth_bits: bits of irdepth (ratified)
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
 * Return: 0, or HWF_ERR_BAD_CONFIG where a parameter is outside of its range (Table 3.7), is not
 * of this dialect, or contradicts another; @config is then unchanged.
 */
int hwf_riscv_config_init(struct hwf_riscv_config *config, enum hwf_riscv_dialect dialect,
			  const struct hwf_riscv_params *params);

/** enum hwf_riscv_ioption - bits of ioptions in the support packet (ratified) */
enum hwf_riscv_ioption {
	HWF_RISCV_IMPLICIT_RETURN = 0x01,
	HWF_RISCV_IMPLICIT_EXCEPTION = 0x02,
	HWF_RISCV_FULL_ADDRESS = 0x04,
	HWF_RISCV_JUMP_TARGET_CACHE = 0x08,
	HWF_RISCV_BRANCH_PREDICTION = 0x10,
};

/** enum hwf_riscv_qual_status - qual_status of the support packet (Table 6.4) */
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
 * @notify: the notify bit itself (ratified)
 * @updiscon: likewise
 * @irreport: likewise
 * @irdepth: stack depth or call count where @irreport differs from @updiscon
 *
 * An encoder sets the bits as they stand in the packet; hwf_riscv_differs_*() tell whether one
 * differs from the bit before it, which is what it means.
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
 * @irreport: the bit itself
 * @irdepth: where @irreport differs from the bit before it
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
	} u;
};

/** HWF_RISCV_MAX_PAYLOAD - bytes that a payload has at most: the length has 5 bits (A.3) */
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
 * Bits that were compressed away are those of the top bit received (A.3, "Compression").
 *
 * Return: 0; HWF_ERR_RESERVED for a format, subformat or value that the dialect reserves;
 * HWF_ERR_BAD_PAYLOAD where bytes are left behind the last field, or bits that do not repeat the
 * top one. @packet is then unchanged.
 */
int hwf_riscv_decode(const struct hwf_riscv_config *config, bool support, const uint8_t *bytes,
		     size_t length, struct hwf_riscv_packet *packet);

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

/** hwf_riscv_map_bits() - length of the branch map field for so many branches (A.3) */
unsigned int hwf_riscv_map_bits(enum hwf_riscv_dialect dialect, unsigned int branches);

/**
 * hwf_riscv_notify() - was the packet sent because of a notification? (B.1: notify)
 * @config: of the encoder
 * @address: fields of a ratified packet
 *
 * Return: true where notify differs from the top bit of the address.
 */
static inline bool hwf_riscv_notify(const struct hwf_riscv_config *config,
				    const struct hwf_riscv_address *address)
{
	return address->notify != (address->value >> (config->address_bits - 1) & 1);
}

/** hwf_riscv_updiscon() - does updiscon differ from notify? (B.1: updiscon) */
static inline bool hwf_riscv_updiscon(const struct hwf_riscv_address *address)
{
	return address->updiscon != address->notify;
}

/** hwf_riscv_irreport() - does irreport differ from updiscon? (B.1: irreport) */
static inline bool hwf_riscv_irreport(const struct hwf_riscv_address *address)
{
	return address->irreport != address->updiscon;
}

/*
 * Framings: how payloads are packed into a byte stream.
 */

/** enum hwf_riscv_framing - what stands around a payload (A.3, B.5) */
enum hwf_riscv_framing {
	HWF_RISCV_REFERENCE, /* header byte: length 4:0, message type 6:5 */
	HWF_RISCV_ENCAP,     /* E-Trace encapsulation 1.0 */
	HWF_RISCV_SIEMENS,   /* Siemens messaging: as REFERENCE, then time tag and source */
	HWF_RISCV_BARE,      /* nothing: a byte of length, then the payload */
};

/** HWF_RISCV_MSG_* - message types in bits 6:5 of a header */
#define HWF_RISCV_MSG_SUPPORT 0
#define HWF_RISCV_MSG_INST    2
#define HWF_RISCV_MSG_DATA    3

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_RISCV_H */
