/* SPDX-License-Identifier: GPL-2.0-only */
/* Executed RISC-V instructions through a trace encoder. */
#ifndef HWFLOW_ENCODE_RISCV_H
#define HWFLOW_ENCODE_RISCV_H

#include "encode.h"
#include "hwflow/te_encoder.h"
#include "source/riscv_params.h"

/** ENCODE_RISCV_ROOM - bytes of a packet in its framing, at most */
#define ENCODE_RISCV_ROOM (HWF_RISCV_MAX_PAYLOAD + 16)

/**
 * encode_riscv_packet() - one packet in its framing
 * @config: of the encoder
 * @framing: how packets are packed
 * @packet: the packet
 * @bytes: receives it
 * @room: bytes there
 *
 * Return: bytes written, or the error of hwf_riscv_encode() or hwf_riscv_enframe().
 */
int encode_riscv_packet(const struct hwf_riscv_config *config,
			const struct hwf_riscv_framing *framing,
			const struct hwf_riscv_packet *packet, uint8_t *bytes, size_t room);

/**
 * struct encode_riscv_choice - what of a program is traced, and how the core gives it
 * @include: only code in one of these ranges, ends included
 * @include_count: how many; 0: all code
 * @privileges: only at these levels, bit n is level n; 0: at all
 * @blocks: blocks a cycle of the ingress port, taken_branches_p; 0: single retirement
 */
struct encode_riscv_choice {
	struct hwf_tu_range include[HWF_TU_RANGES];
	uint8_t include_count;
	uint16_t privileges;
	uint8_t blocks;
};

/**
 * encode_riscv_config() - configuration of the packets
 * @riscv: dialect, parameters and framing
 * @config: receives it
 *
 * Return: NULL, or why there is no such encoder.
 */
const char *encode_riscv_config(const struct riscv_options *riscv, struct hwf_riscv_config *config);

/**
 * encode_riscv_filters() - a filter for each range
 * @choice: what is traced
 * @filters: receives them
 *
 * Return: NULL, or why no encoder has them.
 */
const char *encode_riscv_filters(const struct encode_riscv_choice *choice,
				 struct hwf_te_filters *filters);

/**
 * encode_riscv_port() - the core's side of the ingress port
 * @riscv: dialect and parameters
 * @choice: blocks a cycle
 */
struct hwf_te_port_params encode_riscv_port(const struct riscv_options *riscv,
					    const struct encode_riscv_choice *choice);

/**
 * struct encode_riscv - what is encoded, and how
 * @name: of the text, for messages
 * @in: the text: see exec_csv.h
 * @riscv: dialect, parameters and framing
 * @choice: what is traced
 * @post_iss: --quirk=post-iss: the packets of the reference flow, its oddities included
 */
struct encode_riscv {
	const char *name;
	FILE *in;
	struct riscv_options riscv;
	struct encode_riscv_choice choice;
	bool post_iss;
};

/**
 * encode_riscv_check() - can there be such an encoder?
 * @encode: the options
 *
 * Return: NULL, or what is wrong with them.
 */
const char *encode_riscv_check(const struct encode_riscv *encode);

/**
 * encode_riscv() - all of a text to trace
 * @encode: what
 * @sink: takes the bytes
 * @totals: instructions that retired
 * @message: receives what is wrong, where something is
 *
 * Return: 0; -EINVAL for a text that cannot be read or that no core executes, -EIO for a text that
 * cannot be read or bytes that cannot be written, -ENOMEM.
 */
int encode_riscv(const struct encode_riscv *encode, const struct encode_sink *sink,
		 struct encode_totals *totals, char message[TRUTH_MESSAGE]);

#endif /* HWFLOW_ENCODE_RISCV_H */
