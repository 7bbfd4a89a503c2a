/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * What an encoder and a decoder of ratified E-Trace both keep, entry by entry the same: the branch
 * predictor, the jump target cache and the return stack (RISCV_MIRRORS). All are reset by a
 * synchronisation packet.
 */
#ifndef HWFLOW_RISCV_MIRROR_H
#define HWFLOW_RISCV_MIRROR_H

#include "hwflow/riscv.h"

#ifdef __cplusplus
extern "C" {
#endif

/** HWF_RISCV_MIRROR_MAX - entries of a table at most */
#define HWF_RISCV_MIRROR_MAX (1u << HWF_RISCV_MIRROR_LOG2)

/**
 * struct hwf_riscv_predictor - branch predictor, 2 bits an entry
 * @state: bit 1: predicted as taken; bit 0: was taken last
 */
struct hwf_riscv_predictor {
	uint8_t state[HWF_RISCV_MIRROR_MAX];
};

/** hwf_riscv_predictor_reset() - predict not taken, weakly, everywhere */
void hwf_riscv_predictor_reset(struct hwf_riscv_predictor *predictor,
			       const struct hwf_riscv_config *config);

/** hwf_riscv_predict() - is the branch at an address predicted as taken? */
bool hwf_riscv_predict(const struct hwf_riscv_predictor *predictor,
		       const struct hwf_riscv_config *config, uint64_t address);

/** hwf_riscv_predictor_learn() - the branch at an address was taken, or was not */
void hwf_riscv_predictor_learn(struct hwf_riscv_predictor *predictor,
			       const struct hwf_riscv_config *config, uint64_t address, bool taken);

/**
 * struct hwf_riscv_targets - jump target cache: targets of uninferable discontinuities
 * @address: of each entry; HWF_RISCV_NO_TARGET where it has none
 */
struct hwf_riscv_targets {
	uint64_t address[HWF_RISCV_MIRROR_MAX];
};

/** HWF_RISCV_NO_TARGET - no instruction has this address: instructions are at even ones */
#define HWF_RISCV_NO_TARGET UINT64_MAX

/** hwf_riscv_targets_reset() - forget all */
void hwf_riscv_targets_reset(struct hwf_riscv_targets *targets,
			     const struct hwf_riscv_config *config);

/** hwf_riscv_targets_index() - the only entry that an address may be in */
uint32_t hwf_riscv_targets_index(const struct hwf_riscv_config *config, uint64_t address);

/** hwf_riscv_targets_put() - remember a target, in place of what was in its entry */
void hwf_riscv_targets_put(struct hwf_riscv_targets *targets, const struct hwf_riscv_config *config,
			   uint64_t address);

/**
 * struct hwf_riscv_calls - where calls return to
 * @address: a ring; an encoder with a call counter only does not look at it
 * @top: place behind the newest
 * @depth: how many there are
 * @implied: returns that were inferred since the last branch, or packet with an address
 */
struct hwf_riscv_calls {
	uint64_t address[HWF_RISCV_MIRROR_MAX];
	uint32_t top;
	uint32_t depth;
	uint32_t implied;
};

/** hwf_riscv_calls_reset() - forget all */
void hwf_riscv_calls_reset(struct hwf_riscv_calls *calls);

/** hwf_riscv_calls_push() - a call; with all entries full the oldest is forgotten */
void hwf_riscv_calls_push(struct hwf_riscv_calls *calls, const struct hwf_riscv_config *config,
			  uint64_t address);

/**
 * hwf_riscv_calls_pop() - a return
 * @calls: the calls
 * @address: receives where it goes; NULL if nobody wants to know
 *
 * Return: false where no call is known.
 */
bool hwf_riscv_calls_pop(struct hwf_riscv_calls *calls, uint64_t *address);

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_RISCV_MIRROR_H */
