/* SPDX-License-Identifier: GPL-2.0-only */
/* Sources of RISC-V Processor Trace, for the files of this protocol */
#ifndef HWFLOW_INPUT_RISCV_H
#define HWFLOW_INPUT_RISCV_H

#include "hwflow/riscv_flow.h"
#include "input_private.h"

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

/**
 * input_riscv_stream() - begin to read the packets of a source
 * @source: the source
 * @piece: one of its pieces
 * @at: offset in it that reading begins at; 0: the options are those of @source. Else they are
 *those that the first packets of the piece have set, which may have changed since
 * @stream: receives it
 */
void input_riscv_stream(const struct input_source *source, const struct input_piece *piece,
			size_t at, struct hwf_riscv_stream *stream);

/** input_riscv_is_sync() - can decoding begin with this packet? */
bool input_riscv_is_sync(const struct hwf_riscv_packet *packet);

/** input_riscv_next_sync() - see struct protocol */
size_t input_riscv_next_sync(const struct input_source *source, const struct input_piece *piece,
			     size_t from, size_t end);

#endif /* HWFLOW_INPUT_RISCV_H */
