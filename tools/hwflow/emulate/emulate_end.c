// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwflow emulate: the end of a stream that was not closed.
 *
 * Its thread was killed, by a signal or with its process. What is certain is written: of the block
 * entered last, the instructions up to the last point that was noted, and no branch of which it is
 * not known where it went; then an exception.
 */
#include <signal.h>

#include "hwflow/ete.h"
#include "hwflow/insn.h"
#include "hwflow/rv_insn.h"
#include "emulate_stream.h"

/* causes of RISC-V */
#define RV_ILLEGAL     2
#define RV_BREAKPOINT  3
#define RV_LOAD_FAULT  13
#define RV_STORE_FAULT 15
#define RV_TIMER       5 /* among the interrupts */

/* Of a load or store; else it was none of the instruction's. */
static uint8_t rv_memory_fault(uint32_t opcode, unsigned int size)
{
	if (size == 2) {
		/* quadrants 0 and 2: funct3 1 to 3 are loads, 5 to 7 stores */
		if ((opcode & 1) != 0 || (opcode >> 13 & 3) == 0)
			return TRUTH_RV_INTERRUPT + RV_TIMER;
		return TRUTH_RV_EXCEPTION +
		       ((opcode & 0x8000) != 0 ? RV_STORE_FAULT : RV_LOAD_FAULT);
	}
	switch (opcode & 0x7f) {
	case 0x03:
	case 0x07:
		return TRUTH_RV_EXCEPTION + RV_LOAD_FAULT;
	case 0x23:
	case 0x27:
		return TRUTH_RV_EXCEPTION + RV_STORE_FAULT;
	case 0x2f: /* lr reads, all other atomics write */
		return TRUTH_RV_EXCEPTION + (opcode >> 27 == 2 ? RV_LOAD_FAULT : RV_STORE_FAULT);
	default:
		return TRUTH_RV_INTERRUPT + RV_TIMER;
	}
}

/* Which exception ended a thread at this instruction, if its process died of @signal. */
static uint8_t last_exception_rv(uint32_t opcode, int signal)
{
	struct hwf_rv_insn insn;

	hwf_rv_insn(opcode, 0, HWF_RV_64, &insn);
	if (signal == SIGTRAP && insn.kind == HWF_RV_EBREAK)
		return TRUTH_RV_EXCEPTION + RV_BREAKPOINT;
	if (signal == SIGILL)
		return TRUTH_RV_EXCEPTION + RV_ILLEGAL;
	if (signal == SIGSEGV || signal == SIGBUS)
		return rv_memory_fault(opcode, insn.size);
	return TRUTH_RV_INTERRUPT + RV_TIMER;
}

static uint8_t last_exception(uint32_t opcode, int signal)
{
	struct hwf_insn insn;
	bool memory = (opcode >> 25 & 5) == 4 || (opcode >> 25 & 0xf) == 2;

	hwf_insn_a64(opcode, 0, &insn);
	if (signal == SIGTRAP && insn.call == HWF_CALL_BRK)
		return HWF_EXC_INST_DEBUG;
	if (signal == SIGILL)
		return HWF_EXC_TRAP;
	if ((signal == SIGSEGV || signal == SIGBUS) && memory)
		return HWF_EXC_DATA_FAULT;
	return HWF_EXC_IRQ;
}

static void put_tail(struct stream_tail *tail, uint64_t number)
{
	while (number >= 0x80) {
		tail->bytes[tail->length++] = (uint8_t)(number | 0x80);
		number >>= 7;
	}
	tail->bytes[tail->length++] = (uint8_t)number;
}

/* As stream_end_run(), of RISC-V: ebreak counts as executed, and there is a trap value. */
static void end_run_rv(struct stream_tail *tail, const struct truth_run *run, uint32_t executed,
		       int signal)
{
	struct hwf_rv_insn insn = {0};
	uint8_t type = TRUTH_RV_INTERRUPT + RV_TIMER;
	uint64_t epc;

	if (executed == run->block_count) {
		hwf_rv_insn(run->opcodes[executed - 1], 0, HWF_RV_64, &insn);
		executed -= insn.kind == HWF_RV_BRANCH || insn.kind == HWF_RV_JUMP ||
			    insn.kind == HWF_RV_JUMP_REG;
	}
	epc = run->pc + truth_run_bytes(run, executed);
	if (executed < run->block_count) {
		type = last_exception_rv(run->opcodes[executed], signal);
		executed += type == TRUTH_RV_EXCEPTION + RV_BREAKPOINT;
	}
	if (executed < run->block_count) {
		put_tail(tail, TRUTH_STOP);
		put_tail(tail, executed);
	}
	put_tail(tail, TRUTH_EXCEPTION);
	put_tail(tail, type);
	put_tail(tail, epc);
	put_tail(tail, 0);
}

void stream_end_run(struct stream_tail *tail, const struct truth_run *run, uint32_t reached,
		    int signal)
{
	uint32_t executed = reached < run->count ? reached : run->count;
	struct hwf_insn insn;

	if (run->isa == HWF_ISA_RV64) {
		end_run_rv(tail, run, executed, signal);
		return;
	}
	if (executed == run->block_count) {
		hwf_insn_a64(run->opcodes[executed - 1], 0, &insn);
		executed -= insn.kind == HWF_INSN_DIRECT || insn.kind == HWF_INSN_INDIRECT;
	}
	if (executed < run->block_count) {
		put_tail(tail, TRUTH_STOP);
		put_tail(tail, executed);
	}
	put_tail(tail, TRUTH_EXCEPTION);
	put_tail(tail, executed < run->block_count ? last_exception(run->opcodes[executed], signal)
						   : HWF_EXC_IRQ);
	put_tail(tail, run->pc + 4 * (uint64_t)executed);
}
