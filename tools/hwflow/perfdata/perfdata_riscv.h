/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace encoder of a hart in perf.data: its parameters as words of a block of the AUXTRACE_INFO
 * record. perf has no kind of AUX trace for RISC-V; the kind and the layout are this project's own.
 */
#ifndef HWFLOW_PERFDATA_RISCV_H
#define HWFLOW_PERFDATA_RISCV_H

#include <stdbool.h>
#include <stdint.h>

#include "hwflow/riscv.h"

/** PERFDATA_RISCV_KIND - in place of ARM_ETE_PMU_AUXTRACE_TYPE: "RVTR" */
#define PERFDATA_RISCV_KIND 0x52545652u

/** PERFDATA_MAGIC_RISCV - of a block */
#define PERFDATA_MAGIC_RISCV UINT64_C(0x5352495343565452)

/** PERFDATA_REGS_RISCV - words of a block behind magic, CPU and their number */
#define PERFDATA_REGS_RISCV ((size_t)32)

/**
 * struct perfdata_riscv - an encoder, and how its packets are packed
 * @params: its parameters
 * @framing: of the packets
 * @dialect: enum hwf_riscv_dialect
 * @isa: set of enum hwf_rv_isa
 */
struct perfdata_riscv {
	struct hwf_riscv_params params;
	struct hwf_riscv_framing framing;
	uint8_t dialect;
	uint8_t isa;
};

/** perfdata_riscv_put() - the words of a block */
void perfdata_riscv_put(const struct perfdata_riscv *riscv, uint64_t words[PERFDATA_REGS_RISCV]);

/**
 * perfdata_riscv_get() - read the words of a block
 *
 * Return: false where no encoder can be like that.
 */
bool perfdata_riscv_get(struct perfdata_riscv *riscv, const uint64_t words[PERFDATA_REGS_RISCV]);

#endif /* HWFLOW_PERFDATA_RISCV_H */
