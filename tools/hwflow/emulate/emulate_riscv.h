/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow emulate: which processor a program is for, and the options of RISC-V trace. */
#ifndef HWFLOW_EMULATE_RISCV_H
#define HWFLOW_EMULATE_RISCV_H

#include <stdbool.h>

#include "encode_riscv_log.h"

/**
 * struct riscv_words - options as they were given; NULL: not given
 * @protocol: --protocol
 * @dialect: --dialect
 * @framing: --framing
 * @config: --config
 * @traps: --traps
 * @blocks: --blocks
 * @privilege: --privilege
 */
struct riscv_words {
	const char *protocol;
	const char *dialect;
	const char *framing;
	const char *config;
	const char *traps;
	const char *blocks;
	const char *privilege;
};

/**
 * riscv_choice_take() - what is traced
 * @words: as they were given
 * @unit: the trace unit of ETE as it was asked for: its ranges are taken over
 * @choice: receives it
 *
 * Return: NULL, or what is wrong.
 */
const char *riscv_choice_take(const struct riscv_words *words, const struct hwf_tu_options *unit,
			      struct encode_riscv_choice *choice);

/**
 * emulate_riscv_take() - the options of RISC-V trace
 * @words: as they were given
 * @unit: the trace unit of ETE as it was asked for: its ranges are taken over
 * @log: receives them
 *
 * Return: NULL, or what is wrong; what was said on stderr already is "".
 */
const char *emulate_riscv_take(const struct riscv_words *words, const struct hwf_tu_options *unit,
			       struct encode_riscv_log *log);

#endif /* HWFLOW_EMULATE_RISCV_H */
