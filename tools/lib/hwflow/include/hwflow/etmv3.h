/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Packets of the Embedded Trace Macrocell, version 3 (ETMv3.0 to ETMv3.5).
 *
 * Sections and tables are those of IHI 0014Q. Given a constant configuration a packet is
 * context-free: addresses are the bits that the packet carries, timestamps likewise. What has a
 * history is in etmv3_flow.h.
 */
#ifndef HWFLOW_ETMV3_H
#define HWFLOW_ETMV3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hwflow/err.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** enum hwf_etm3_type - packet types, from etmv3_packets.def, then what is no packet */
enum hwf_etm3_type {
#define P(name, listed, mode, mask, value, valid, when, codec) HWF_ETM3_##name,
#include "hwflow/etmv3_packets.def"
#undef P
	HWF_ETM3_TYPES,
	/* given by struct hwf_etm3_stream only */
	HWF_ETM3_UNSYNC = HWF_ETM3_TYPES,
	HWF_ETM3_RESERVED,
	HWF_ETM3_BAD_SEQUENCE,
	HWF_ETM3_INCOMPLETE,
	HWF_ETM3_ALL_TYPES,
};

/**
 * struct hwf_etm3_regs - trace unit registers that say how to read its trace
 * @etmcr: control: what was traced
 * @etmidr: architecture version and what is implemented; it cannot be left out
 * @etmccer: what else is implemented; 0 where there is none
 * @etmtraceidr: CoreSight trace ID
 * @armv7m: not a register: the processor is one of the M profile, which numbers its exceptions
 *	in its own way
 */
struct hwf_etm3_regs {
	uint32_t etmcr;
	uint32_t etmidr;
	uint32_t etmccer;
	uint32_t etmtraceidr;
	bool armv7m;
};

/**
 * struct hwf_etm3_config - how to read the packets of one trace unit
 * @minor: ETMv3.@minor, from ETMIDR
 * @context_bytes: of Context IDs: 0, 1, 2 or 4 (ETMCR bits 15:14)
 * @timestamp_bytes: at most: 7 (48 bits) or 9 (64 bits)
 * @cycle_accurate: ETMCR bit 12
 * @alternative: branch packets have the alternative address encoding (ETMIDR bit 20, from
 *	ETMv3.4)
 * @data_only: no instructions are traced (ETMCR bit 20)
 * @data_value: values of data are traced (ETMCR bit 2)
 * @data_address: addresses of data are traced (ETMCR bit 3)
 * @whole_thumb: a 32-bit Thumb instruction is traced as one, not as two (ETMIDR bit 18)
 * @gray: timestamps are in Gray code (ETMCCER bit 22 is 1, bit 28 is 0)
 * @armv7m: of struct hwf_etm3_regs
 * @types: by header byte: enum hwf_etm3_type, or HWF_ETM3_RESERVED
 */
struct hwf_etm3_config {
	uint8_t minor;
	uint8_t context_bytes;
	uint8_t timestamp_bytes;
	bool cycle_accurate;
	bool alternative;
	bool data_only;
	bool data_value;
	bool data_address;
	bool whole_thumb;
	bool gray;
	bool armv7m;
	uint8_t types[256];
};

/**
 * hwf_etm3_config_init() - derive the configuration from the registers
 * @config: receives it
 * @regs: the registers
 *
 * Return: 0, or HWF_ERR_BAD_CONFIG where ETMIDR names no ETMv3.0 to ETMv3.5; @config is then
 * unchanged.
 */
int hwf_etm3_config_init(struct hwf_etm3_config *config, const struct hwf_etm3_regs *regs);

/**
 * hwf_etm3_config_fault() - find the register that hwf_etm3_config_init() refuses
 * @regs: the registers
 * @fault: receives it
 *
 * Return: is there one?
 */
bool hwf_etm3_config_fault(const struct hwf_etm3_regs *regs, struct hwf_config_fault *fault);

/** HWF_ETM3_MAX_ATOMS - no P-header has more E and N atoms than this */
#define HWF_ETM3_MAX_ATOMS 16

/**
 * struct hwf_etm3_atoms - a P-header (section 7.3.1)
 * @bits: E and N atoms; bit 0 is the oldest; set for E
 * @count: how many; may be none
 * @waits: W atoms
 *
 * Where the W atoms stand: in P_HEADER_CYCLE_F1 one before each atom; in all others that have them,
 * in front.
 */
struct hwf_etm3_atoms {
	uint16_t bits;
	uint8_t count;
	uint8_t waits;
};

/** enum hwf_etm3_state - instruction set states, by the alignment of their instructions */
enum hwf_etm3_state {
	HWF_ETM3_ARM,
	HWF_ETM3_THUMB, /* and ThumbEE */
	HWF_ETM3_JAZELLE,
};

/**
 * struct hwf_etm3_address - an address as far as a packet carries it
 * @value: of five bytes the whole address; of fewer its low bits without those that alignment
 *	makes 0: shifted by 2 in ARM state, by 1 in Thumb state and by 0 in Jazelle state
 * @bits: number of bits in @value; 32 for a whole address
 * @bytes: 1 to 5
 * @state: enum hwf_etm3_state, where @bytes is 5
 */
struct hwf_etm3_address {
	uint32_t value;
	uint8_t bits;
	uint8_t bytes;
	uint8_t state;
};

/**
 * struct hwf_etm3_branch - BRANCH_ADDRESS (section 7.3.5)
 * @address: the target
 * @exception: number of the exception; 0 for none. Of @old: bits 5:3 of the fifth byte
 * @resume: from the third exception information byte
 * @info: exception information bytes: 0 to 3; the second may be left out before the third
 * @has_second: there is a second exception information byte
 * @has_third: there is a third one
 * @ns: Non-secure; with @info
 * @alt_isa: with Thumb: ThumbEE; with @info
 * @cancel: the last instruction traced was cancelled; with @info, or @old
 * @hyp: in Hyp mode; with @has_second
 * @old: the exception stands in the fifth address byte, a form for ARM state that is deprecated
 */
struct hwf_etm3_branch {
	struct hwf_etm3_address address;
	uint16_t exception;
	uint8_t resume;
	bool info;
	bool has_second;
	bool has_third;
	bool ns;
	bool alt_isa;
	bool cancel;
	bool hyp;
	bool old;
};

/** enum hwf_etm3_reason - why there is an I-sync packet (section 7.10.5) */
enum hwf_etm3_reason {
	HWF_ETM3_PERIODIC,
	HWF_ETM3_TRACE_ENABLE,
	HWF_ETM3_OVERFLOW,
	HWF_ETM3_DEBUG_EXIT,
};

/**
 * struct hwf_etm3_i_sync - I_SYNC and I_SYNC_WITH_CYCLE_COUNT (section 7.10.5)
 * @cycles: with I_SYNC_WITH_CYCLE_COUNT
 * @cid: Context ID, where the configuration has one
 * @address: of the next instruction; with @in_progress, of the load or store that is executing;
 *	not in data-only mode
 * @next: with @in_progress: the next instruction, compressed against @address
 * @reason: enum hwf_etm3_reason
 * @in_progress: a load or store is executing: its execution is implied
 * @thumb: bit 0 of the address
 * @jazelle: J bit
 * @alt_isa: with Thumb: ThumbEE
 * @ns: Non-secure
 * @hyp: in Hyp mode
 */
struct hwf_etm3_i_sync {
	uint32_t cycles;
	uint32_t cid;
	uint32_t address;
	struct hwf_etm3_address next;
	uint8_t reason;
	bool in_progress;
	bool thumb;
	bool jazelle;
	bool alt_isa;
	bool ns;
	bool hyp;
};

/**
 * struct hwf_etm3_data - data packets (section 7.4)
 * @value: data value
 * @address: data address bits, all others 0
 * @value_bytes: 0 to 4: high-order bytes that are 0 are left out
 * @address_bits: 7, 14, 21, 28 or 32; 0: no address
 * @tag: of out-of-order packets: 1 to 3
 * @expected: bit A of the header: an address is expected here, traced or not
 * @big_endian: E bit, with a whole address
 */
struct hwf_etm3_data {
	uint32_t value;
	uint32_t address;
	uint8_t value_bytes;
	uint8_t address_bits;
	uint8_t tag;
	bool expected;
	bool big_endian;
};

/**
 * struct hwf_etm3_timestamp - TIMESTAMP (section 7.7.4)
 * @value: the low bits that changed; in Gray code where the configuration says so
 * @bits: how many: 7, 14, ... or 48, or 64
 * @clock_changed: R bit
 */
struct hwf_etm3_timestamp {
	uint64_t value;
	uint8_t bits;
	bool clock_changed;
};

/**
 * struct hwf_etm3_packet - one packet
 * @type: enum hwf_etm3_type: it says which member of the union holds
 * @header: its first byte
 * @size: bytes it takes
 */
struct hwf_etm3_packet {
	uint8_t type;
	uint8_t header;
	uint32_t size;
	union {
		struct hwf_etm3_atoms atoms;
		struct hwf_etm3_branch branch;
		struct hwf_etm3_i_sync i_sync;
		struct hwf_etm3_data data;
		struct hwf_etm3_timestamp timestamp;
		uint32_t cycles; /* CYCLE_COUNT; 0: the counter overflowed */
		uint32_t cid;
		uint8_t vmid;
		uint32_t zeros; /* A_SYNC: bytes of 0x00 before the 0x80, 5 or more */
	} u;
};

/** HWF_ETM3_MAX_PACKET - no packet is longer than this many bytes */
#define HWF_ETM3_MAX_PACKET ((size_t)32)

/** enum hwf_etm3_codec - how a packet's payload is laid out */
enum hwf_etm3_codec {
	HWF_ETM3_CODEC_bare,
	HWF_ETM3_CODEC_a_sync,
	HWF_ETM3_CODEC_branch,
	HWF_ETM3_CODEC_cycle_count,
	HWF_ETM3_CODEC_i_sync,
	HWF_ETM3_CODEC_late_data,
	HWF_ETM3_CODEC_normal_data,
	HWF_ETM3_CODEC_data_place,
	HWF_ETM3_CODEC_vmid,
	HWF_ETM3_CODEC_context_id,
	HWF_ETM3_CODEC_timestamp,
	HWF_ETM3_CODEC_p_header,
	HWF_ETM3_CODECS,
};

/**
 * hwf_etm3_type_name() - name of a packet type, as in listings
 * @type: an enum hwf_etm3_type
 */
const char *hwf_etm3_type_name(unsigned int type);

/**
 * hwf_etm3_type_codec() - how packets of a type are laid out
 * @type: below HWF_ETM3_TYPES
 *
 * Return: the enum hwf_etm3_codec of its row.
 */
enum hwf_etm3_codec hwf_etm3_type_codec(unsigned int type);

/**
 * hwf_etm3_exception_name() - name of an exception
 * @number: as branch packets have it (Tables 7.12 and 7.13); of the deprecated form after
 *	hwf_etm3_exception_number()
 * @armv7m: numbered as the M profile does
 *
 * Return: a constant string, "reserved" where the number is.
 */
const char *hwf_etm3_exception_name(unsigned int number, bool armv7m);

/**
 * hwf_etm3_exception_number() - number of the exception in a branch packet
 * @branch: of the packet
 *
 * Return: the number in exception information bytes that means the same; 0 for none, and for
 * those that are reserved in the deprecated form.
 */
unsigned int hwf_etm3_exception_number(const struct hwf_etm3_branch *branch);

/**
 * hwf_etm3_decode() - decode one packet
 * @config: of the trace unit
 * @bytes: the packet's first byte
 * @length: bytes that may be read
 * @packet: receives it; unchanged on an error
 *
 * Needs no synchronisation: the caller knows that @bytes is the start of a packet.
 *
 * Return: bytes taken, at least 1; or HWF_ERR_NEED_MORE, HWF_ERR_RESERVED,
 * HWF_ERR_BAD_PAYLOAD.
 */
int hwf_etm3_decode(const struct hwf_etm3_config *config, const uint8_t *bytes, size_t length,
		    struct hwf_etm3_packet *packet);

/**
 * hwf_etm3_encode() - encode one packet
 * @config: of the trace unit
 * @packet: what to encode; @size and @header are not read
 * @bytes: receives the packet
 * @length: room there
 *
 * Return: bytes written; or HWF_ERR_NO_SPACE, or HWF_ERR_BAD_PAYLOAD where this packet type
 * cannot carry these values, or does not exist, under this configuration.
 */
int hwf_etm3_encode(const struct hwf_etm3_config *config, const struct hwf_etm3_packet *packet,
		    uint8_t *bytes, size_t length);

/** enum hwf_etm3_atom - one atom (section 7.3.1) */
enum hwf_etm3_atom {
	HWF_ETM3_N, /* an instruction failed its condition code check */
	HWF_ETM3_E, /* an instruction passed it */
	HWF_ETM3_W, /* a cycle begins */
};

/** HWF_ETM3_MAX_SEQUENCE - no P-header has more atoms of all kinds than this */
#define HWF_ETM3_MAX_SEQUENCE 16

/**
 * hwf_etm3_p_header_sequence() - the atoms of a P-header one by one
 * @packet: a P-header
 * @atoms: receives the enum hwf_etm3_atom of each, oldest first; room for HWF_ETM3_MAX_SEQUENCE
 *
 * Return: how many.
 */
unsigned int hwf_etm3_p_header_sequence(const struct hwf_etm3_packet *packet, uint8_t *atoms);

/**
 * hwf_etm3_pack() - the P-header that takes most of a sequence of atoms
 * @config: of the trace unit
 * @atoms: enum hwf_etm3_atom of each, oldest first; without cycle-accurate trace none is a W
 * @count: how many
 * @packet: receives the P-header
 *
 * Packed so from the first atom to the last a sequence takes as few P-headers as it can. Where
 * more atoms may follow, a caller waits until there are HWF_ETM3_PACK_AHEAD of them.
 *
 * Return: atoms taken; or HWF_ERR_BAD_PAYLOAD where no P-header can begin with them: a W in
 * trace that is not cycle-accurate, or before ETMv3.3 an atom that follows neither a W nor the
 * first atom of its cycle.
 */
int hwf_etm3_pack(const struct hwf_etm3_config *config, const uint8_t *atoms, size_t count,
		  struct hwf_etm3_packet *packet);

/** HWF_ETM3_PACK_AHEAD - with as many atoms at hand, hwf_etm3_pack() is not misled by their end */
#define HWF_ETM3_PACK_AHEAD 18

/**
 * hwf_etm3_pack_cycle() - the P-header for one cycle, or one instruction
 * @config: of the trace unit
 * @atoms: as for hwf_etm3_pack()
 * @count: how many
 * @packet: receives the P-header
 *
 * The inefficient way that section 7.3.1 permits: one P-header for each cycle; without
 * cycle-accurate trace, for each instruction. What a cycle has beyond two instructions takes one
 * each.
 *
 * Return: as hwf_etm3_pack().
 */
int hwf_etm3_pack_cycle(const struct hwf_etm3_config *config, const uint8_t *atoms, size_t count,
			struct hwf_etm3_packet *packet);

/** struct hwf_etm3_address_state - what compressed addresses and timestamps go on from */
struct hwf_etm3_address_state {
	uint64_t timestamp;
	uint32_t address;      /* of the last branch or I-sync packet */
	uint32_t data_address; /* of the last data packet */
	uint8_t isa;           /* enum hwf_isa of @address; direct branches do not change it */
	bool alt_isa;          /* in Thumb state: ThumbEE */
};

/**
 * hwf_etm3_expand() - the whole address of a branch packet
 * @state: what it goes on from; takes the new address and instruction set
 * @branch: of the packet
 *
 * Return: the address.
 */
uint32_t hwf_etm3_expand(struct hwf_etm3_address_state *state,
			 const struct hwf_etm3_branch *branch);

/**
 * hwf_etm3_expand_i_sync() - take the address of an I-sync packet
 * @state: takes the address of the next instruction and its instruction set
 * @sync: of the packet, which has an address
 *
 * Return: the address of the next instruction; with @sync->in_progress, not @sync->address.
 */
uint32_t hwf_etm3_expand_i_sync(struct hwf_etm3_address_state *state,
				const struct hwf_etm3_i_sync *sync);

/**
 * hwf_etm3_expand_timestamp() - the whole time of a timestamp packet
 * @config: of the trace unit
 * @state: what it goes on from; takes the new time
 * @timestamp: of the packet
 *
 * Return: the time as a binary number; 0: not known.
 */
uint64_t hwf_etm3_expand_timestamp(const struct hwf_etm3_config *config,
				   struct hwf_etm3_address_state *state,
				   const struct hwf_etm3_timestamp *timestamp);

/**
 * struct hwf_etm3_stream - cut a byte stream into packets
 * @config: of the trace unit
 * @offset: of the next byte, from the start of the stream
 * @error: why synchronisation was lost, an enum hwf_err; 0 before the first
 * @synced: between packets, after an A-sync
 * @tentative: after an error packets are still cut, but nothing may be made of them before the
 *	next A-sync
 *
 * Fields are the library's; a caller may read them.
 */
struct hwf_etm3_stream {
	const struct hwf_etm3_config *config;
	uint64_t offset;
	int error;
	bool synced;
	bool tentative;
};

/**
 * hwf_etm3_stream_init() - begin a stream, not synchronised
 * @stream: to initialise
 * @config: of the trace unit; must outlive @stream
 */
void hwf_etm3_stream_init(struct hwf_etm3_stream *stream, const struct hwf_etm3_config *config);

/**
 * hwf_etm3_stream_next() - take the next packet from a stream
 * @stream: the stream
 * @bytes: bytes from @stream->offset on
 * @length: how many
 * @last: no bytes will follow these
 * @packet: receives it
 *
 * Before synchronisation the bytes passed over come as one HWF_ETM3_UNSYNC (there may be several
 * if the input comes in pieces). A reserved header is one HWF_ETM3_RESERVED of one byte, a
 * malformed packet one HWF_ETM3_BAD_SEQUENCE; with @last a cut packet is one
 * HWF_ETM3_INCOMPLETE. After one of these @stream->tentative holds until the next A-sync. No
 * byte is passed over in silence: the sizes of all packets add up to the length of the stream.
 *
 * Return: bytes taken; 0 when more bytes are needed, or with @last none are left.
 */
size_t hwf_etm3_stream_next(struct hwf_etm3_stream *stream, const uint8_t *bytes, size_t length,
			    bool last, struct hwf_etm3_packet *packet);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_ETMV3_H */
