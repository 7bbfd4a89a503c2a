/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Packets of RISC-V data trace (te_data): loads, stores, atomics and CSRs. Those of 2.0, and those
 * of its extension for multiple-memory access and compare and swap. Program flow does not need
 * them.
 *
 * Given a constant configuration a payload is context-free: differences stay differences.
 */
#ifndef HWFLOW_RISCV_DATA_H
#define HWFLOW_RISCV_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** enum hwf_riscv_data_op - what an atomic or an access to a CSR does */
enum hwf_riscv_data_op {
	HWF_RISCV_SWAP,
	HWF_RISCV_ADD,
	HWF_RISCV_AND,
	HWF_RISCV_OR,
	HWF_RISCV_XOR,
	HWF_RISCV_MAX,
	HWF_RISCV_MIN,
	HWF_RISCV_STORE_FAILURE, /* of a conditional store */
	HWF_RISCV_CAS_FAILURE,   /* of compare and swap: the extension only */
	HWF_RISCV_RW = 0,        /* CSRs */
	HWF_RISCV_RS = 1,
	HWF_RISCV_RC = 2,
};

/** enum hwf_riscv_diff - how address and values are to be understood: the field diff of 2 bits */
enum hwf_riscv_diff {
	HWF_RISCV_DIFF_NONE, /* all of it as it is */
	HWF_RISCV_DIFF_XOR,  /* address: difference; values: XOR with the last */
	HWF_RISCV_DIFF_ADDR, /* address: difference; values as they are */
	HWF_RISCV_DIFF_ALL,  /* differences */
};

/** enum hwf_riscv_resp - the field resp of LOAD_DATA and ATOMIC_DATA */
enum hwf_riscv_resp {
	HWF_RISCV_RESP_ERROR, /* there is no data */
	HWF_RISCV_RESP_XOR,
	HWF_RISCV_RESP_FULL,
	HWF_RISCV_RESP_DIFF,
};

/**
 * struct hwf_riscv_data - LOAD, STORE, ATOMIC, CSR, LOAD_DATA, ATOMIC_DATA
 * @data: value read or written; low half first. As wide as the access, or as the data bus where
 *	the packet has no @data_len
 * @operand: rs2 or rs1 before the operation; likewise
 * @address: as the packet carries it: shifted right by @size, if not @unaligned; or the number of
 *	the CSR
 * @lrid: load request ID, which joins the two phases of a split access
 * @op: enum hwf_riscv_data_op: ATOMIC, CSR
 * @size: log2 of the bytes of the access; of ATOMIC_DATA that of its request; CSR: 0
 * @diff: as in the packet. Of 2 bits an enum hwf_riscv_diff; of 1 bit: 1 is a difference to the
 *	last address, or data that is compressed in the encoder's only way
 * @resp: enum hwf_riscv_resp: LOAD_DATA, ATOMIC_DATA
 * @data_len: bytes of @data in the packet, sign-extended here; 0: not told. For encoding 0 stands
 *	for as few as it takes
 * @op_len: likewise of @operand
 * @unaligned: the address is not a multiple of the size: LOAD, STORE
 * @multi: one access of an instruction that makes several: LOAD, STORE, the extension only
 * @has_address: @address is there
 * @has_data: @data is there
 * @has_operand: @operand is there
 */
struct hwf_riscv_data {
	uint64_t data[2];
	uint64_t operand[2];
	uint64_t address;
	uint32_t lrid;
	uint8_t op;
	uint8_t size;
	uint8_t diff;
	uint8_t resp;
	uint8_t data_len;
	uint8_t op_len;
	bool unaligned;
	bool multi;
	bool has_address;
	bool has_data;
	bool has_operand;
};

/** HWF_RISCV_LRIDS - load request IDs there may be: lrid_width_p is 8 at most */
#define HWF_RISCV_LRIDS 256

/**
 * struct hwf_riscv_requests - atomics whose second phase may come
 * @size: for each lrid log2 of the bytes, plus 1; 0: none was seen
 *
 * ATOMIC_DATA does not say how wide the field is that says how wide its data is.
 */
struct hwf_riscv_requests {
	uint8_t size[HWF_RISCV_LRIDS];
};

struct hwf_riscv_config;
struct hwf_riscv_packet;

/**
 * hwf_riscv_data_decode() - read one payload of data trace
 * @config: how; its data_width_p is not 0
 * @requests: those seen so far; the caller's, who adds each ATOMIC with hwf_riscv_requested()
 * @bytes: the payload, compressed or not
 * @length: bytes of it, 1 or more
 * @packet: receives it, with a type of riscv_data.def
 *
 * Return: 0; HWF_ERR_RESERVED for codes that have no meaning, or not in this configuration;
 * HWF_ERR_BAD_PAYLOAD for an access wider than the data bus, or bytes that are left;
 * HWF_ERR_NO_SYNC for an ATOMIC_DATA whose request was not seen. @packet is then unchanged.
 */
int hwf_riscv_data_decode(const struct hwf_riscv_config *config,
			  const struct hwf_riscv_requests *requests, const uint8_t *bytes,
			  size_t length, struct hwf_riscv_packet *packet);

/** hwf_riscv_requested() - note the size of an ATOMIC, if a second phase is to follow */
void hwf_riscv_requested(struct hwf_riscv_requests *requests, const struct hwf_riscv_config *config,
			 const struct hwf_riscv_packet *packet);

/**
 * hwf_riscv_data_encode() - write one payload of data trace, compressed
 * @config: how
 * @packet: what; which fields are there follows from @config, has_* are not looked at
 * @bytes: receives it
 * @room: bytes there; HWF_RISCV_MAX_PAYLOAD is enough
 *
 * Return: bytes written; HWF_ERR_NO_SPACE, where the payload has more than a packet can hold;
 * HWF_ERR_RESERVED for what this configuration has no packet for; HWF_ERR_BAD_PAYLOAD where a value
 * does not fit its field.
 */
int hwf_riscv_data_encode(const struct hwf_riscv_config *config,
			  const struct hwf_riscv_packet *packet, uint8_t *bytes, size_t room);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_RISCV_DATA_H */
