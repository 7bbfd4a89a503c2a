/* SPDX-License-Identifier: GPL-2.0-only */
/* A program of many small functions, and a processor that executes it under an ETMv3. */
#ifndef HWFLOW_BENCH_ETMV3_PROGRAM_H
#define HWFLOW_BENCH_ETMV3_PROGRAM_H

#include "hwflow/etmv3_unit.h"

#define PROGRAM_BASE  0x8000u
#define PROGRAM_BYTES 0x10000u

/**
 * struct program - code, and the trace of its execution
 * @regs: of the trace unit
 * @config: from @regs
 * @thumb: it is Thumb code; else ARM
 * @code: at PROGRAM_BASE
 * @trace: what the trace unit gave
 * @length: of @trace
 * @instructions: executed
 */
struct program {
	struct hwf_etm3_regs regs;
	struct hwf_etm3_config config;
	bool thumb;
	uint8_t code[PROGRAM_BYTES];
	uint8_t *trace;
	size_t length;
	size_t room;
	uint64_t instructions;
	uint64_t random;
};

/**
 * program_run() - make a program and execute it
 * @program: @regs and @thumb are set, all else is 0
 * @instructions: how many
 *
 * Return: 0, or -1 without memory. Free @program->trace.
 */
int program_run(struct program *program, uint64_t instructions);

#endif /* HWFLOW_BENCH_ETMV3_PROGRAM_H */
