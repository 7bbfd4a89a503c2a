/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A RISC-V trace encoder in software: cycles of the ingress port in, packets out. The 0.026 draft
 * by its figure 5.1, ratified E-Trace by its reference algorithm. Freestanding; memory is the
 * caller's.
 */
#ifndef HWFLOW_TE_ENCODER_H
#define HWFLOW_TE_ENCODER_H

#include "hwflow/te_filter.h"
#include "hwflow/te_ingress.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/**
 * struct hwf_te_options - how an encoder is built and set
 * @config: parameters of the packets, from hwf_riscv_config_init(); max_resync: packets after which
 *	a synchronisation is due, 0 for never
 * @filters: which instructions are traced; NULL: all. Has to last as long as the encoder
 * @single: the core retires one instruction a block: iretire is 0 or 1 (ratified only)
 * @single_watchpoint: in the draft, trigger action 4 reports the address of the instruction; else
 * it makes a synchronisation point of it. Ratified: always the former
 * @trigger_start: tracing is off until a trigger switches it on
 * @stall: what cannot be sent stalls the core, see hwf_te_stall(); else it is lost (ratified)
 * @post_iss: the packets that the reference flow's encoder makes, its oddities included (2.0)
 */
struct hwf_te_options {
	struct hwf_riscv_config config;
	const struct hwf_te_filters *filters;
	bool single;
	bool single_watchpoint;
	bool trigger_start;
	bool stall;
	bool post_iss;
};

/**
 * struct hwf_te_sink - what takes the packets
 * @ctx: first argument
 * @packet: takes one; returns false where it cannot take it now
 */
struct hwf_te_sink {
	void *ctx;
	bool (*packet)(void *ctx, const struct hwf_riscv_packet *packet);
};

struct hwf_te;

/**
 * hwf_te_size() - bytes of memory that an encoder takes
 * @options: how it will be
 */
size_t hwf_te_size(const struct hwf_te_options *options);

/**
 * hwf_te_init() - make an encoder, and say in a support packet that it is on
 * @memory: the caller's, hwf_te_size() bytes, aligned as for max_align_t
 * @options: copied
 * @sink: copied
 * @result: receives the encoder, which lives in @memory
 *
 * Return: 0; HWF_ERR_BAD_CONFIG for options that contradict each other: implicit return with
 * neither return stack nor call counter, or with an itype of 3 bits; a predictor or cache that is
 * on and has no size; @single in the draft; @post_iss with anything but 2.0 without options; no
 * @stall in the draft, which has no way to tell of lost packets.
 */
int hwf_te_init(void *memory, const struct hwf_te_options *options, const struct hwf_te_sink *sink,
		struct hwf_te **result);

/**
 * hwf_te_cycle() - one cycle of the port
 * @te: the encoder
 * @cycle: what the core drives
 *
 * The encoder is one instruction behind, for what comes next decides on some packets.
 *
 * Return: 0; HWF_ERR_BAD_PAYLOAD for what no core drives: a reserved itype, a trap that is not in
 * the newest block, a group that is used above one that is not, or an instruction longer than its
 * block; HWF_ERR_NO_SPACE where the core went on although it was stalled. The cycle is then not
 * taken.
 */
int hwf_te_cycle(struct hwf_te *te, const struct hwf_te_cycle *cycle);

/**
 * hwf_te_stall() - the stall output (Table 3.6)
 * @te: the encoder
 *
 * Offers the sink what it could not take.
 *
 * Return: true as long as packets wait and the core has to.
 */
bool hwf_te_stall(struct hwf_te *te);

/**
 * hwf_te_finish() - tracing is switched off
 * @te: the encoder
 *
 * Reports the last instruction, and says in a support packet that the encoder is off.
 */
void hwf_te_finish(struct hwf_te *te);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_TE_ENCODER_H */
