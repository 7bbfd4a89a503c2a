/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Packets of the Embedded Trace Extension, and of ETMv4, its predecessor, for instructions.
 *
 * Given a constant configuration a packet is context-free: addresses are the bits
 * that the packet carries, timestamps likewise. What has a history is in element.h.
 */
#ifndef HWFLOW_ETE_H
#define HWFLOW_ETE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hwflow/err.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** enum hwf_ete_protocol - whose packets they are */
enum hwf_ete_protocol {
	HWF_PROTOCOL_ETE,
	HWF_PROTOCOL_ETMV4, /* Arm IHI 0064 */
	HWF_PROTOCOLS,
};

/* in which protocols there is a packet; see ete_packets.def */
#define HWF_IN_ETE   (1u << HWF_PROTOCOL_ETE)
#define HWF_IN_ETMV4 (1u << HWF_PROTOCOL_ETMV4)
#define HWF_IN_BOTH  (HWF_IN_ETE | HWF_IN_ETMV4)

/** enum hwf_ete_type - packet types, from ete_packets.def, then what is no packet */
enum hwf_ete_type {
#define P(name, mask, value, valid, codec, protocol) HWF_ETE_##name,
#define X(name, codec, protocol)                     HWF_ETE_##name,
#include "hwflow/ete_packets.def"
#undef P
#undef X
	HWF_ETE_TYPES,
	/* given by struct hwf_ete_stream only */
	HWF_ETE_UNSYNC = HWF_ETE_TYPES,
	HWF_ETE_RESERVED,
	HWF_ETE_BAD_SEQUENCE,
	HWF_ETE_INCOMPLETE,
	HWF_ETE_ALL_TYPES,
};

/**
 * struct hwf_ete_regs - trace unit registers that say how to read its trace
 *
 * All as read from the trace unit; those unknown are 0. @protocol is an enum hwf_ete_protocol.
 */
struct hwf_ete_regs {
	uint32_t trcconfigr;
	uint32_t trctraceidr;
	uint32_t trcidr0;
	uint32_t trcidr1;
	uint32_t trcidr2;
	uint32_t trcidr8;
	uint32_t trcauthstatus;
	uint32_t trcdevarch;
	uint8_t protocol;
};

/**
 * struct hwf_ete_config - how to read the packets of one trace unit
 * @max_spec: TRCIDR8.MAXSPEC
 * @vmid_bytes: width of the VMID field in Context packets: 0, 1, 2 or 4
 * @cid_bytes: width of the Context ID field: 0 or 4
 * @revision: ETE v1.@revision, from TRCDEVARCH.REVISION; ETMv4.@revision, from
 *	TRCIDR1.TRCARCHMIN, 0xff where that register is not known
 * @protocol: enum hwf_ete_protocol
 * @commit_mode1: cycle count packets carry no commit (TRCIDR0.COMMOPT is 1 and
 *	cycle counting is implemented)
 * @start_is_p0: a Transaction Start element is a P0 element (TRCIDR0.COMMTRANS is 0)
 * @q: Q packets are legal (TRCIDR0.QSUPP is not 0)
 * @cycle_count: TRCCONFIGR.CCI
 * @return_stack: TRCCONFIGR.RS and TRCIDR0.RETSTACK
 * @wfx: WFI and the like are P0 instructions (TRCIDR2.WFXMODE)
 * @ts_marker: every Timestamp has a Timestamp Marker (TRCIDR0.TSMARK, v1.1 and up)
 * @traces_eret: exception returns are traced (ETMv4); else they follow from the program
 * @eret_is_p0: and they are P0 elements (ETMv4 of the M profile)
 * @m_profile: of an M-profile PE: only T32, exceptions of its own
 * @conditional: conditional instructions other than branches are traced (TRCCONFIGR.COND and
 *	TRCIDR0.TRCCOND)
 * @data_trace: there is data trace too (TRCCONFIGR.DA or DV, and TRCIDR0.TRCDATA)
 * @load_store_p0: loads or stores are P0 instructions (TRCCONFIGR.INSTP0 and TRCIDR0.INSTP0)
 */
struct hwf_ete_config {
	uint32_t max_spec;
	uint8_t vmid_bytes;
	uint8_t cid_bytes;
	uint8_t revision;
	uint8_t protocol;
	bool commit_mode1;
	bool start_is_p0;
	bool q;
	bool cycle_count;
	bool return_stack;
	bool wfx;
	bool ts_marker;
	bool traces_eret;
	bool eret_is_p0;
	bool m_profile;
	bool conditional;
	bool data_trace;
	bool load_store_p0;
};

/**
 * hwf_ete_config_init() - derive the configuration from the registers
 * @config: receives it
 * @regs: the registers
 *
 * An ETMv4 with 32-bit addresses and no Context ID (TRCIDR2.IASIZE and CIDSIZE) is one of an
 * M-profile PE: all others have a Context ID.
 *
 * Return: 0, or HWF_ERR_BAD_CONFIG where TRCDEVARCH is set and names another architecture than
 * @regs->protocol, or a field holds a reserved value; @config is then unchanged.
 */
int hwf_ete_config_init(struct hwf_ete_config *config, const struct hwf_ete_regs *regs);

/**
 * hwf_ete_config_fault() - find the register that hwf_ete_config_init() refuses
 * @regs: the registers
 * @fault: receives it
 *
 * Return: is there one?
 */
bool hwf_ete_config_fault(const struct hwf_ete_regs *regs, struct hwf_config_fault *fault);

/**
 * struct hwf_ete_atoms - ATOM_F1 to ATOM_F6
 * @bits: bit 0 is the oldest; set for E
 * @count: 1 to 24
 */
struct hwf_ete_atoms {
	uint32_t bits;
	uint8_t count;
};

/**
 * struct hwf_ete_address - an address as far as the packet carries it
 * @value: the address bits in their place, all others 0
 * @bits: number of low address bits given: 9, 17, 32 or 64 for IS0; 8, 16, 32 or
 *	64 for IS1
 * @is: 0 or 1: the instruction set class
 */
struct hwf_ete_address {
	uint64_t value;
	uint8_t bits;
	uint8_t is;
};

/**
 * struct hwf_ete_context - Context payload
 * @vmid: virtual context identifier, if @has_vmid
 * @cid: context identifier, if @has_cid
 * @same: the packet carries nothing: the context has not changed
 * @el: exception level
 * @sf: 1 for AArch64
 * @ns: NS bit
 * @nse: NSE bit (FEAT_RME): NSE:NS 00 Secure, 01 Non-secure, 10 Root, 11 Realm
 */
struct hwf_ete_context {
	uint32_t vmid;
	uint32_t cid;
	bool same;
	bool has_vmid;
	bool has_cid;
	uint8_t el;
	uint8_t sf;
	uint8_t ns;
	uint8_t nse;
};

/** struct hwf_ete_address_context - TARGET_ADDRESS_WITH_CONTEXT_* */
struct hwf_ete_address_context {
	struct hwf_ete_address address;
	struct hwf_ete_context context;
};

/**
 * struct hwf_ete_trace_info - TRACE_INFO
 * @plctl: first control byte: bit 0 INFO, 1 KEY, 2 SPEC, 3 CYCT, 4 WNDW
 * @info: INFO section: bit 0 cycle counting enabled, bit 6 in transaction; in ETMv4 bits 3:1
 *	conditional instructions, bits 4 and 5 loads and stores as P0 elements
 * @key: KEY section, of data trace
 * @spec_depth: uncommitted P0 elements before this point
 * @cc_threshold: cycle count threshold
 * @window: WNDW section, of no meaning in ETE
 *
 * A section that is absent reads as 0.
 */
struct hwf_ete_trace_info {
	uint8_t plctl;
	uint32_t info;
	uint32_t key;
	uint32_t spec_depth;
	uint32_t cc_threshold;
	uint32_t window;
};

#define HWF_ETE_PLCTL_INFO 0x01
#define HWF_ETE_PLCTL_KEY  0x02
#define HWF_ETE_PLCTL_SPEC 0x04
#define HWF_ETE_PLCTL_CYCT 0x08
#define HWF_ETE_PLCTL_WNDW 0x10

#define HWF_ETE_INFO_CC_ENABLED     0x01
#define HWF_ETE_INFO_IN_TRANSACTION 0x40

/**
 * struct hwf_ete_timestamp - TIMESTAMP
 * @value: the low bits that changed
 * @bits: how many: 7, 14, ... 56, or 64
 * @has_count: a cycle count follows
 * @count: PE clock cycles, no threshold in it
 */
struct hwf_ete_timestamp {
	uint64_t value;
	uint8_t bits;
	bool has_count;
	uint32_t count;
};

/**
 * struct hwf_ete_exception - EXCEPTION; the address packets follow it
 * @type: enum hwf_exception; M-profile: enum hwf_exception_m, or another of ten bits
 * @ee: E1:E0, 1 or 2; with 2 the address is also the target of the P0 element before
 * @wide: there is a second information byte (ETMv4, M-profile)
 * @fault_pending: P bit of that byte
 */
struct hwf_ete_exception {
	uint16_t type;
	uint8_t ee;
	bool wide;
	bool fault_pending;
};

/**
 * struct hwf_ete_data_sync - DATA_SYNC_MARKER_NUMBERED and _UNNUMBERED
 * @atoms: unnumbered: E Atoms that come before it, at most four
 * @number: numbered: 0 to 7
 */
struct hwf_ete_data_sync {
	struct hwf_ete_atoms atoms;
	uint8_t number;
};

/**
 * struct hwf_ete_cond_instr - COND_INSTR_F1 to F3
 * @key: F1: right-hand key of the one element
 * @ci: F2: 0: one element with the next key, 1: one with the same key, 2: both
 * @count: F3: elements with the next key each, at most 63
 * @same: F3: then one more with the same key
 */
struct hwf_ete_cond_instr {
	uint32_t key;
	uint8_t ci;
	uint8_t count;
	bool same;
};

/**
 * struct hwf_ete_cond_result - COND_RESULT_F1 to F4
 * @key: F1: of each element
 * @result: F1: of each element, four bits
 * @ci: F1: Conditional Instruction elements come before the element
 * @count: F1: elements, 1 or 2
 * @skip: F2: the key is the next one, or, with 1, that behind it
 * @tokens: F2 and F4: two bits, not 3; F3: twelve bits
 */
struct hwf_ete_cond_result {
	uint32_t key[2];
	uint8_t result[2];
	bool ci[2];
	uint8_t count;
	uint8_t skip;
	uint16_t tokens;
};

/**
 * struct hwf_ete_cycle_count - CYCLE_COUNT_F1 to F3
 * @commit: P0 elements committed; 0 in commit mode 1
 * @count: cycles above the threshold
 * @unknown: the count is unknown
 */
struct hwf_ete_cycle_count {
	uint32_t commit;
	uint32_t count;
	bool unknown;
};

/**
 * struct hwf_ete_resolve - COMMIT, CANCEL_F1 to F3, MISPREDICT
 * @atoms: Atoms that come before the resolution; may be none
 * @commit: P0 elements to commit
 * @cancel: P0 elements to cancel
 * @mispredict: then the newest Atom is corrected
 */
struct hwf_ete_resolve {
	struct hwf_ete_atoms atoms;
	uint32_t commit;
	uint32_t cancel;
	bool mispredict;
};

/**
 * struct hwf_ete_q - Q
 * @address: where execution goes on, if @has_address
 * @count: instructions executed, if @has_count
 * @type: low four bits of the header
 * @entry: address history entry, if the address is an exact match; else 0xff
 */
struct hwf_ete_q {
	struct hwf_ete_address address;
	uint32_t count;
	uint8_t type;
	uint8_t entry;
	bool has_address;
	bool has_count;
};

/** struct hwf_ete_instrumentation - INSTRUMENTATION: what TRCIT wrote, and where */
struct hwf_ete_instrumentation {
	uint64_t value;
	uint8_t el;
};

/**
 * struct hwf_ete_packet - one packet
 * @type: enum hwf_ete_type: which member of the union holds
 * @size: bytes it takes
 * @header: its first byte
 */
struct hwf_ete_packet {
	uint8_t type;
	uint8_t header;
	uint32_t size;
	union {
		struct hwf_ete_atoms atoms;
		struct hwf_ete_address address;
		struct hwf_ete_address_context address_context;
		struct hwf_ete_context context;
		struct hwf_ete_trace_info trace_info;
		struct hwf_ete_timestamp timestamp;
		struct hwf_ete_exception exception;
		struct hwf_ete_cycle_count cycle_count;
		struct hwf_ete_resolve resolve;
		struct hwf_ete_q q;
		struct hwf_ete_instrumentation instrumentation;
		struct hwf_ete_data_sync data_sync;
		struct hwf_ete_cond_instr cond_instr;
		struct hwf_ete_cond_result cond_result;
		uint8_t event;
		uint8_t entry;
	} u;
};

/** HWF_ETE_MAX_PACKET - no packet is longer than this many bytes */
#define HWF_ETE_MAX_PACKET ((size_t)64)

/** enum hwf_exception - TYPE field of an Exception packet (spec/ete-packets.md section 7) */
enum hwf_exception {
	HWF_EXC_PE_RESET = 0x00,
	HWF_EXC_DEBUG_HALT = 0x01,
	HWF_EXC_CALL = 0x02,
	HWF_EXC_TRAP = 0x03,
	HWF_EXC_SYSTEM_ERROR = 0x04,
	HWF_EXC_INST_DEBUG = 0x06,
	HWF_EXC_DATA_DEBUG = 0x07,
	HWF_EXC_ALIGNMENT = 0x0a,
	HWF_EXC_INST_FAULT = 0x0b,
	HWF_EXC_DATA_FAULT = 0x0c,
	HWF_EXC_IRQ = 0x0e,
	HWF_EXC_FIQ = 0x0f,
	HWF_EXC_IMPDEF0 = 0x10,
	HWF_EXC_IMPDEF7 = 0x17,
	HWF_EXC_TRANSACTION_FAILURE = 0x18,
};

/** enum hwf_exception_m - TYPE field of an Exception packet of an M-profile PE */
enum hwf_exception_m {
	HWF_EXC_M_RESET = 0x01,
	HWF_EXC_M_NMI = 0x02,
	HWF_EXC_M_HARD_FAULT = 0x03,
	HWF_EXC_M_MEM_MANAGE = 0x04,
	HWF_EXC_M_BUS_FAULT = 0x05,
	HWF_EXC_M_USAGE_FAULT = 0x06,
	HWF_EXC_M_SECURE_FAULT = 0x07,
	HWF_EXC_M_SVC = 0x0b,
	HWF_EXC_M_DEBUG_MONITOR = 0x0c,
	HWF_EXC_M_PEND_SV = 0x0e,
	HWF_EXC_M_SYS_TICK = 0x0f,
	HWF_EXC_M_IRQ0 = 0x10,
	HWF_EXC_M_IRQ7 = 0x17,
	HWF_EXC_M_DEBUG_HALT = 0x18,
	HWF_EXC_M_LAZY_FP = 0x19,
	HWF_EXC_M_LOCKUP = 0x1a,
	HWF_EXC_M_IRQ8 = 0x208,
	HWF_EXC_M_IRQ495 = 0x3ef,
};

/**
 * hwf_exception_name() - name of an exception type
 * @type: an enum hwf_exception, or any other number
 *
 * Return: a constant string, "reserved" where the type is.
 */
const char *hwf_exception_name(unsigned int type);

/**
 * hwf_exception_m_name() - name of an exception type of an M-profile PE
 * @type: an enum hwf_exception_m, or any other number
 *
 * Return: a constant string, "reserved" where the type is.
 */
const char *hwf_exception_m_name(unsigned int type);

/**
 * hwf_ete_type_name() - name of a packet type, as in listings
 * @type: an enum hwf_ete_type
 */
const char *hwf_ete_type_name(unsigned int type);

/** enum hwf_ete_codec - how a packet's payload is laid out */
enum hwf_ete_codec {
	HWF_ETE_CODEC_bare,
	HWF_ETE_CODEC_extension,
	HWF_ETE_CODEC_trace_info,
	HWF_ETE_CODEC_timestamp,
	HWF_ETE_CODEC_exception,
	HWF_ETE_CODEC_instrumentation,
	HWF_ETE_CODEC_cycle_count_f1,
	HWF_ETE_CODEC_cycle_count_f2,
	HWF_ETE_CODEC_cycle_count_f3,
	HWF_ETE_CODEC_commit,
	HWF_ETE_CODEC_cancel_f1,
	HWF_ETE_CODEC_mispredict,
	HWF_ETE_CODEC_cancel_f2,
	HWF_ETE_CODEC_cancel_f3,
	HWF_ETE_CODEC_event,
	HWF_ETE_CODEC_context,
	HWF_ETE_CODEC_address_context,
	HWF_ETE_CODEC_address,
	HWF_ETE_CODEC_exact_match,
	HWF_ETE_CODEC_q,
	HWF_ETE_CODEC_atoms,
	/* ETMv4, and what is checked there */
	HWF_ETE_CODEC_ignore,
	HWF_ETE_CODEC_function_return,
	HWF_ETE_CODEC_data_sync,
	HWF_ETE_CODEC_cond_instr,
	HWF_ETE_CODEC_cond_flush,
	HWF_ETE_CODEC_cond_result,
	HWF_ETE_CODECS,
};

/*
 * For a case of a switch: the codecs whose payload is a struct hwf_ete_cycle_count, and those whose
 * payload is a struct hwf_ete_resolve
 */
/* clang-format off */
#define HWF_ETE_CODECS_CYCLE_COUNT HWF_ETE_CODEC_cycle_count_f1 ... HWF_ETE_CODEC_cycle_count_f3
#define HWF_ETE_CODECS_RESOLVE     HWF_ETE_CODEC_commit ... HWF_ETE_CODEC_cancel_f3
/* clang-format on */

/**
 * hwf_ete_type_codec() - how packets of a type are laid out
 * @type: below HWF_ETE_TYPES
 *
 * Return: the enum hwf_ete_codec of its row.
 */
enum hwf_ete_codec hwf_ete_type_codec(unsigned int type);

/**
 * hwf_ete_header_type() - which packet a header byte begins
 * @protocol: whose packets
 * @header: the byte
 *
 * Return: the enum hwf_ete_type of the P() row that claims it, or
 * HWF_ETE_RESERVED.
 */
unsigned int hwf_ete_header_type(enum hwf_ete_protocol protocol, uint8_t header);

/**
 * hwf_ete_decode() - decode one packet
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
int hwf_ete_decode(const struct hwf_ete_config *config, const uint8_t *bytes, size_t length,
		   struct hwf_ete_packet *packet);

/**
 * hwf_ete_encode() - encode one packet
 * @config: of the trace unit
 * @packet: what to encode; @size and @header are not read, except that the
 *	header of a CYCLE_COUNT_F2 with more than one encoding is the library's choice
 * @bytes: receives the packet
 * @length: room there
 *
 * Return: bytes written; or HWF_ERR_NO_SPACE, or HWF_ERR_BAD_PAYLOAD where this
 * packet type cannot carry these values under this configuration.
 */
int hwf_ete_encode(const struct hwf_ete_config *config, const struct hwf_ete_packet *packet,
		   uint8_t *bytes, size_t length);

/**
 * hwf_ete_atoms_packet() - the packet type that holds just these atoms
 * @atoms: 1 to 24 of them
 *
 * Return: HWF_ETE_ATOM_F1 to F6, or HWF_ERR_BAD_PAYLOAD where no one packet does.
 */
int hwf_ete_atoms_packet(const struct hwf_ete_atoms *atoms);

/**
 * hwf_ete_atoms_header() - the packet that holds just these atoms
 * @atoms: 1 to 24 of them
 *
 * Return: the one byte of the packet, or HWF_ERR_BAD_PAYLOAD where no one packet does.
 */
int hwf_ete_atoms_header(const struct hwf_ete_atoms *atoms);

/**
 * struct hwf_ete_stream - cut a byte stream into packets
 * @config: of the trace unit
 * @offset: of the next byte, from the start of the stream
 * @error: why synchronisation was lost, an enum hwf_err; 0 before the first
 * @synced: between packets, after an alignment synchronisation
 * @tentative: after an error that cost one packet, packets are still cut, but
 *	nothing may be made of them before the next ALIGN_SYNC
 *
 * Fields are the library's; a caller may read them.
 */
struct hwf_ete_stream {
	const struct hwf_ete_config *config;
	uint64_t offset;
	int error;
	bool synced;
	bool tentative;
};

/**
 * hwf_ete_stream_init() - begin a stream, not synchronised
 * @stream: to initialise
 * @config: of the trace unit; must outlive @stream
 */
void hwf_ete_stream_init(struct hwf_ete_stream *stream, const struct hwf_ete_config *config);

/**
 * hwf_ete_stream_next() - take the next packet from a stream
 * @stream: the stream
 * @bytes: bytes from @stream->offset on
 * @length: how many
 * @last: no bytes will follow these
 * @packet: receives it
 *
 * Before synchronisation the bytes passed over come as one HWF_ETE_UNSYNC (there may
 * be several if the input comes in pieces). A reserved header is one
 * HWF_ETE_RESERVED of one byte, a malformed packet one HWF_ETE_BAD_SEQUENCE;
 * with @last a cut packet is one HWF_ETE_INCOMPLETE. After one of these
 * @stream->tentative holds until the next ALIGN_SYNC. No byte is passed over in silence: the
 * sizes of all packets add up to the length of the stream.
 *
 * Return: bytes taken; 0 when more bytes are needed, or with @last none are left.
 */
size_t hwf_ete_stream_next(struct hwf_ete_stream *stream, const uint8_t *bytes, size_t length,
			   bool last, struct hwf_ete_packet *packet);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_ETE_H */
