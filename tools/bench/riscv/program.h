/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One execution in two instruction sets: a program that has the same instruction at each address
 * in A64 and in RV64, traced by an ETE and by a RISC-V trace encoder.
 */
#ifndef HWFLOW_BENCH_RISCV_PROGRAM_H
#define HWFLOW_BENCH_RISCV_PROGRAM_H

#include "hwflow/ete.h"
#include "hwflow/riscv.h"

#define PROGRAM_BASE  UINT64_C(0x10000)
#define PROGRAM_WORDS 0x4000u
#define PROGRAM_BYTES ((size_t)4 * PROGRAM_WORDS)

/* struct trace - bytes that grow */
struct trace {
	uint8_t *bytes;
	size_t length;
	size_t room;
	uint64_t packets; /* RISC-V only */
};

/**
 * struct program - code, and the traces of its execution
 * @regs: of the ETE
 * @ete: from @regs
 * @params: of the RISC-V encoder, 2.0
 * @riscv: from @params
 * @a64: code at PROGRAM_BASE
 * @rv64: likewise
 * @ete_trace: what the ETE gave
 * @riscv_trace: what the encoder gave, in the reference framing
 * @instructions: executed
 */
struct program {
	struct hwf_ete_regs regs;
	struct hwf_ete_config ete;
	struct hwf_riscv_params params;
	struct hwf_riscv_config riscv;
	uint32_t a64[PROGRAM_WORDS];
	uint32_t rv64[PROGRAM_WORDS];
	uint8_t kinds[PROGRAM_WORDS];
	uint32_t targets[PROGRAM_WORDS];
	struct trace ete_trace;
	struct trace riscv_trace;
	uint64_t instructions;
	uint64_t random;
};

/**
 * program_run() - make a program and execute it
 * @program: @regs and @params are set, all else is 0
 * @instructions: how many, or a few more
 *
 * Return: 0, or -1 for a configuration that is none, or without memory. Free the traces' bytes.
 */
int program_run(struct program *program, uint64_t instructions);

#endif /* HWFLOW_BENCH_RISCV_PROGRAM_H */
