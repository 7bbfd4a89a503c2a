// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64. In QEMU's CPU state x0 to x30 and the stack pointer follow 16 32-bit registers of AArch32.
 *
 * The frame of a signal is Linux' own (arch/arm64/kernel/signal.c): siginfo, ucontext, and above
 * them, where x29 points, a frame record with x29 and x30 of the code interrupted.
 */
#include <elf.h>
#include <string.h>

#include "hwflow/ete.h"
#include "hwflow/insn.h"
#include "plugin.h"

#define STATE_XREGS 64
#define XREGS       31
#define SP          31

#define MAX_FRAME 65536

/* user space addresses have no more bits; above may be a pointer authentication code */
#define ADDRESS_MASK ((UINT64_C(1) << 48) - 1)

/* struct rt_sigframe, up to the program counter */
struct signal_frame {
	struct signal_head head;
	uint64_t fault_address;
	uint64_t regs[XREGS];
	uint64_t sp;
	uint64_t pc;
};

static unsigned int insn_size(uint32_t opcode)
{
	(void)opcode;
	return 4;
}

/*
 * Not at data processing: immediate (op0 100x of bits 28:25, C4.1 of the Arm ARM), register
 * (x101) and SIMD and floating-point (x111), but for pointer authentication, whose
 * failure may fault. Floating-point exceptions that trap are not implemented by QEMU.
 */
static bool may_trap(uint32_t opcode)
{
	unsigned int op0 = opcode >> 25 & 0xf;

	if ((opcode & 0x7fff0000) == 0x5ac10000)
		return true;
	return (op0 & 0xe) != 8 && (op0 & 7) != 5 && (op0 & 7) != 7;
}

static void set_end(struct block *block, uint32_t opcode, uint64_t last)
{
	struct hwf_insn insn;

	hwf_insn_a64(opcode, last, &insn);
	if (insn.kind == HWF_INSN_DIRECT) {
		block->flags |= BLOCK_BRANCH;
		block->next[0] = insn.target;
		if (!insn.conditional)
			block->next[1] = insn.target;
	} else if (insn.kind == HWF_INSN_INDIRECT && insn.sub != HWF_SUB_ERET) {
		block->flags |= BLOCK_BRANCH | BLOCK_ANYWHERE;
	} else if (insn.call == HWF_CALL_SVC) {
		block->flags |= BLOCK_CALL;
	}
}

/* The register that an indirect branch takes its target from. */
static unsigned int target_register(uint32_t opcode)
{
	unsigned int rn = opcode >> 5 & 31;

	/* RETAA and its like name none: the link register */
	return rn == 31 || (opcode & 0xff000000) == 0x55000000 ? 30 : rn;
}

static bool is_blr_x30(uint32_t opcode)
{
	return (opcode & 0xfeff03e0) == 0xd63f03c0;
}

static bool goes_to(uint32_t opcode, uint64_t after, const struct registers *registers)
{
	/* the branch has overwritten its own register */
	if (is_blr_x30(opcode))
		return registers->x[30] == after;
	return ((registers->x[target_register(opcode)] ^ registers->pc) & ADDRESS_MASK) == 0;
}

static void read_registers(const uint8_t *cpu_state, struct registers *now)
{
	for (size_t i = 0; i < TARGET_REGS; i++)
		now->x[i] = state_u64(cpu_state, STATE_XREGS + i * 8);
	now->sp = now->x[SP];
}

static bool read_frame(const struct registers *now, struct interruption *found)
{
	struct signal_frame frame;
	uint64_t record[2];
	bool bus;

	if (!signal_fits(now, now->x[0]) || now->x[29] <= now->sp ||
	    now->x[29] - now->sp > MAX_FRAME)
		return false;
	if (!guest_read(now->sp, &frame, sizeof(frame)) ||
	    !guest_read(now->x[29], record, sizeof(record)))
		return false;
	if (record[0] != frame.regs[29] || record[1] != frame.regs[30])
		return false;
	memcpy(found->before.x, frame.regs, sizeof(frame.regs));
	found->before.x[SP] = frame.sp;
	found->before.sp = frame.sp;
	found->before.pc = frame.pc;
	found->signal = (int)now->x[0];
	/* siginfo is there only for a handler that asked for it: then x1 points to it */
	bus = found->signal == SIGNAL_BUS && now->x[1] == now->sp;
	/* of memory that its file has not QEMU leaves fault_address as it was */
	found->address = bus && frame.head.code > 0 ? frame.head.address : frame.fault_address;
	found->at_pc = found->address == frame.pc;
	found->misaligned = bus && frame.head.code == SIGNAL_BUS_ALIGNMENT;
	return true;
}

/* Tables D4-4 and D4-5 */
static unsigned int exception(enum target_cause cause, uint32_t opcode)
{
	(void)opcode;
	switch (cause) {
	case CAUSE_FETCH:
		return HWF_EXC_INST_FAULT;
	case CAUSE_ACCESS:
		return HWF_EXC_DATA_FAULT;
	case CAUSE_FETCH_MISALIGNED:
	case CAUSE_MISALIGNED:
		return HWF_EXC_ALIGNMENT;
	case CAUSE_UNDEFINED:
		return HWF_EXC_TRAP;
	case CAUSE_BREAKPOINT:
		return HWF_EXC_INST_DEBUG;
	default:
		return HWF_EXC_IRQ;
	}
}

const struct target target_arm64 = {
	.name = "aarch64",
	.programs = "arm64",
	.machine = EM_AARCH64,
	.isa = HWF_ISA_A64,
	.align = 4,
	.sp = SP,
	.insn_size = insn_size,
	.may_trap = may_trap,
	.set_end = set_end,
	.goes_to = goes_to,
	.read_registers = read_registers,
	.read_frame = read_frame,
	.exception = exception,
};
