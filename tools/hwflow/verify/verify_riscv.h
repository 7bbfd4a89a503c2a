/* SPDX-License-Identifier: GPL-2.0-only */
/* verify of RISC-V: traps, and loops of which no packet tells how often they were gone through. */
#ifndef HWFLOW_VERIFY_RISCV_H
#define HWFLOW_VERIFY_RISCV_H

#include "hwflow/flow.h"
#include "hwflow/riscv.h"
#include "verify_log.h"

/** verify_riscv_type() - the type that the log has for a trap */
uint8_t verify_riscv_type(const struct hwf_flow_trap *trap);

/**
 * verify_riscv_trap() - is a trap of the trace the one of the log?
 * @exception: of the log
 * @trap: of the trace; what it does not tell may be anything
 * @dialect: enum hwf_riscv_dialect. 1.0 has the address of an illegal instruction as its trap value
 */
bool verify_riscv_trap(const struct truth_exception *exception, const struct hwf_flow_trap *trap,
		       uint8_t dialect);

/**
 * verify_riscv_rounds() - past the rounds of a loop with no branch in it
 * @log: goes on to the next exception, or the end
 * @last: address that execution has come to, by the trace
 *
 * Where trace ends an address says how far execution has come. Such a loop has come there once a
 * round, and how many rounds there were no packet tells. The last one has to end at the address.
 *
 * Return: instructions passed; 0: it is no such loop, and @log stays where it is.
 */
uint64_t verify_riscv_rounds(struct verify_log *log, uint64_t last);

#endif /* HWFLOW_VERIFY_RISCV_H */
