/* SPDX-License-Identifier: GPL-2.0-only */
/* Raw bytes of RISC-V Processor Trace: what input.h does for them */
#ifndef HWFLOW_INPUT_RISCV_H
#define HWFLOW_INPUT_RISCV_H

#include "input_private.h"
#include "hwflow/riscv_flow.h"

/**
 * struct input_riscv - how to read the trace of one hart
 * @config: of its encoder
 * @framing: how packets are packed
 * @isa: set of enum hwf_rv_isa
 * @number: of the source in a stream of several; -1 for all there is
 */
struct input_riscv {
	struct hwf_riscv_config config;
	struct hwf_riscv_framing framing;
	unsigned int isa;
	int64_t number;
};

/** input_open_riscv() - as input_open_raw() */
int input_open_riscv(struct input *input, const struct input_options *options);

/** input_riscv_stream() - the packets of a source, from their beginning */
void input_riscv_stream(const struct input_riscv *riscv, struct hwf_riscv_stream *stream);

/** input_riscv_has_sync() - is there a synchronisation packet in the piece? */
bool input_riscv_has_sync(const struct input_riscv *riscv, const struct input_piece *piece);

#endif /* HWFLOW_INPUT_RISCV_H */
