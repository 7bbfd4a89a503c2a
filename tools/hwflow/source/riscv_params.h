/* SPDX-License-Identifier: GPL-2.0-only */
/* --dialect, --framing and --config for RISC-V Processor Trace */
#ifndef HWFLOW_RISCV_PARAMS_H
#define HWFLOW_RISCV_PARAMS_H

#include "hwflow/riscv_flow.h"

/**
 * struct riscv_options - what the command line says of RISC-V trace
 * @dialect: enum hwf_riscv_dialect
 * @params: --config
 * @framing: --framing, and widths from --config
 * @rv32: --config=rv32=N; -1 where not given: then iaddress_width_p tells
 * @knows_context: --config=nocontext_p=N was given
 * @zcm: --config=zcm=1: Zcmp and Zcmt in place of c.fsdsp
 */
struct riscv_options {
	uint8_t dialect;
	struct hwf_riscv_params params;
	struct hwf_riscv_framing framing;
	int32_t rv32;
	bool knows_context;
	bool zcm;
};

/**
 * riscv_options_init() - a dialect and a framing by their names, all else at its default
 * @options: receives it
 * @dialect: --dialect; NULL for ratified
 * @framing: --framing; NULL for reference
 *
 * Return: false for a name there is not: it was said on stderr.
 */
bool riscv_options_init(struct riscv_options *options, const char *dialect, const char *framing);

/**
 * riscv_options_set() - take one parameter
 * @options: receives it
 * @name: of the tables of the specification, such as iaddress_lsb_p
 * @value: its value
 *
 * Return: 0; -1 for a name there is not, -2 for a value that no encoder has.
 */
int riscv_options_set(struct riscv_options *options, const char *name, uint64_t value);

/**
 * riscv_options_config() - take K=V,..., after dialect and framing
 * @options: receives it
 * @text: --config; NULL for nothing
 *
 * Return: false for a parameter that is not possible, or not in this dialect or framing: it was
 * said on stderr.
 */
bool riscv_options_config(struct riscv_options *options, const char *text);

/** riscv_options_isa() - set of enum hwf_rv_isa */
unsigned int riscv_options_isa(const struct riscv_options *options);

/** riscv_dialect_name() - as --dialect takes it */
const char *riscv_dialect_name(unsigned int dialect);

#endif /* HWFLOW_RISCV_PARAMS_H */
