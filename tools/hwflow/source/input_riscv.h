/* SPDX-License-Identifier: GPL-2.0-only */
/* Sources of RISC-V Processor Trace, for the files of this protocol */
#ifndef HWFLOW_INPUT_RISCV_H
#define HWFLOW_INPUT_RISCV_H

#include "hwflow/session.h"
#include "input_private.h"

/**
 * struct input_riscv - how to read the trace of one hart
 * @config: of its encoder
 * @framing: how packets are packed
 * @isa: set of enum hwf_rv_isa
 * @number: of the source in a stream of several; -1 for all there is
 * @session: the same, for sessions of the library; of a source only
 */
struct input_riscv {
	struct hwf_riscv_config config;
	struct hwf_riscv_framing framing;
	unsigned int isa;
	int64_t number;
	struct hwf_session_riscv session;
};

#endif /* HWFLOW_INPUT_RISCV_H */
