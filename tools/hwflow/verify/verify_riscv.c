// SPDX-License-Identifier: GPL-2.0-only
/* verify of RISC-V. */
#include "verify_riscv.h"

#define RV_ILLEGAL 2

uint8_t verify_riscv_type(const struct hwf_flow_trap *trap)
{
	const unsigned int base = trap->interrupt ? TRUTH_RV_INTERRUPT : TRUTH_RV_EXCEPTION;

	return (uint8_t)(base + (trap->cause & (TRUTH_RV_CAUSES - 1u)));
}

static uint64_t value_of(const struct truth_exception *exception, uint8_t dialect)
{
	const bool illegal = exception->type == TRUTH_RV_EXCEPTION + RV_ILLEGAL;

	return dialect == HWF_RISCV_V1 && illegal ? exception->ret : exception->value;
}

bool verify_riscv_trap(const struct truth_exception *exception, const struct hwf_flow_trap *trap,
		       uint8_t dialect)
{
	return trap->cause < TRUTH_RV_CAUSES && exception->type == verify_riscv_type(trap) &&
	       (!trap->has_epc || exception->ret == trap->epc) &&
	       (!trap->has_tval || value_of(exception, dialect) == trap->tval);
}

uint64_t verify_riscv_rounds(struct verify_log *log, uint64_t last)
{
	struct verify_log at = *log;
	uint64_t end = VERIFY_NOWHERE, passed = 0;
	struct hwf_insn insn;

	while (verify_log_advance(&at) && !at.have_event) {
		truth_run_insn(&at.run, &insn);
		if (hwf_insn_is_p0(&insn, false))
			return 0;
		end = at.run.pc;
		verify_log_step(&at);
		passed++;
	}
	if (at.error || end != last)
		return 0;
	*log = at;
	return passed;
}
