// SPDX-License-Identifier: GPL-2.0-only
/*
 * riscv64, with C. QEMU's CPU state begins with x0 to x31.
 *
 * The frame of a signal is Linux' own (arch/riscv/kernel/signal.c): siginfo, to which a1 points,
 * and ucontext, to which a2 points. Both are there whether or not the handler asked for them.
 */
#include <elf.h>
#include <string.h>

#include "hwflow/insn.h"
#include "hwflow/rv_insn.h"
#include "plugin.h"

#define REGS 32
#define SP   2
#define A0   10
#define A1   11
#define A2   12

/* struct rt_sigframe, up to the registers: the pc, then x1 to x31 */
struct signal_frame {
	struct signal_head head;
	uint64_t pc;
	uint64_t regs[REGS - 1];
};

/* causes of the privileged specification */
enum {
	CAUSE_OF_ILLEGAL = 2,
	CAUSE_OF_BREAKPOINT = 3,
	CAUSE_OF_LOAD_MISALIGNED = 4,
	CAUSE_OF_STORE_MISALIGNED = 6,
	CAUSE_OF_FETCH_FAULT = 12,
	CAUSE_OF_LOAD_FAULT = 13,
	CAUSE_OF_STORE_FAULT = 15,
	CAUSE_OF_TIMER = 5, /* among the interrupts */
};

static unsigned int insn_size(uint32_t opcode)
{
	return truth_rv_size(opcode);
}

/* Short ones: loads and stores may, and of the rest what is reserved, which ends a block. */
static bool may_trap_short(uint32_t opcode)
{
	unsigned int funct3 = opcode >> 13 & 7;

	switch (opcode & 3) {
	case 0: /* c.addi4spn is none, if it is not all zeros */
		return funct3 != 0 || opcode == 0;
	case 1:
		return false;
	default: /* c.slli, and moves, adds and jumps; c.ebreak */
		return (funct3 != 0 && funct3 != 4) || opcode == 0x9002;
	}
}

/*
 * Integer arithmetic, jumps and branches do not. Floating point may: the rounding mode that an
 * instruction names, or the register does, may be a reserved one.
 */
static bool may_trap(uint32_t opcode)
{
	if (insn_size(opcode) == 2)
		return may_trap_short(opcode & 0xffff);
	switch (opcode & 0x7f) {
	case 0x13: /* op-imm */
	case 0x17: /* auipc */
	case 0x1b: /* op-imm-32 */
	case 0x33: /* op */
	case 0x37: /* lui */
	case 0x3b: /* op-32 */
	case 0x63: /* branch */
	case 0x67: /* jalr */
	case 0x6f: /* jal */
		return false;
	default:
		return true;
	}
}

static void set_end(struct block *block, uint32_t opcode, uint64_t last)
{
	struct hwf_rv_insn insn;

	hwf_rv_insn(opcode, last, HWF_RV_64, &insn);
	switch (insn.kind) {
	case HWF_RV_BRANCH:
		block->flags |= BLOCK_BRANCH;
		block->next[0] = insn.target;
		break;
	case HWF_RV_JUMP:
		block->flags |= BLOCK_BRANCH;
		block->next[0] = insn.target;
		block->next[1] = insn.target;
		break;
	case HWF_RV_JUMP_REG:
		block->flags |= BLOCK_BRANCH | BLOCK_ANYWHERE;
		break;
	case HWF_RV_ECALL:
		block->flags |= BLOCK_CALL;
		break;
	default:
		break;
	}
}

static bool goes_to(uint32_t opcode, uint64_t after, const struct registers *registers)
{
	struct hwf_rv_insn insn;

	hwf_rv_insn(opcode, 0, HWF_RV_64, &insn);
	/* the jump has overwritten its own register */
	if (insn.rd != 0 && insn.rd == insn.rs1)
		return registers->x[insn.rd] == after;
	return hwf_rv_jump_target(&insn, registers->x[insn.rs1 % REGS], HWF_RV_64) == registers->pc;
}

static void read_registers(const uint8_t *cpu_state, struct registers *now)
{
	for (size_t i = 0; i < REGS; i++)
		now->x[i] = state_u64(cpu_state, i * 8);
	now->sp = now->x[SP];
}

static bool read_frame(const struct registers *now, struct interruption *found)
{
	struct signal_frame frame;

	if (!signal_fits(now, now->x[A0]) || now->x[A1] != now->sp ||
	    now->x[A2] != now->sp + offsetof(struct signal_head, context_flags))
		return false;
	if (!guest_read(now->sp, &frame, sizeof(frame)) || frame.head.signo != (int64_t)now->x[A0])
		return false;
	found->before.x[0] = 0;
	memcpy(found->before.x + 1, frame.regs, sizeof(frame.regs));
	found->before.sp = found->before.x[SP];
	found->before.pc = frame.pc;
	found->address = frame.head.address;
	found->signal = frame.head.signo;
	/* an instruction may cross into a page that is not there */
	found->at_pc = frame.head.address - frame.pc < 4;
	found->misaligned =
		frame.head.signo == SIGNAL_BUS && frame.head.code == SIGNAL_BUS_ALIGNMENT;
	return true;
}

/* A load, load-reserved too; what else accesses memory raises the exceptions of stores. */
static bool is_load(uint32_t opcode)
{
	if (insn_size(opcode) == 2)
		return (opcode >> 15 & 1) == 0;
	switch (opcode & 0x7f) {
	case 0x03:
	case 0x07:
		return true;
	case 0x2f:
		return opcode >> 27 == 2;
	default:
		return false;
	}
}

static unsigned int exception(enum target_cause cause, uint32_t opcode)
{
	switch (cause) {
	case CAUSE_FETCH:
	case CAUSE_FETCH_MISALIGNED:
		return TRUTH_RV_EXCEPTION + CAUSE_OF_FETCH_FAULT;
	case CAUSE_ACCESS:
		return TRUTH_RV_EXCEPTION +
		       (is_load(opcode) ? CAUSE_OF_LOAD_FAULT : CAUSE_OF_STORE_FAULT);
	case CAUSE_MISALIGNED:
		return TRUTH_RV_EXCEPTION +
		       (is_load(opcode) ? CAUSE_OF_LOAD_MISALIGNED : CAUSE_OF_STORE_MISALIGNED);
	case CAUSE_UNDEFINED:
		return TRUTH_RV_EXCEPTION + CAUSE_OF_ILLEGAL;
	case CAUSE_BREAKPOINT:
		return TRUTH_RV_EXCEPTION + CAUSE_OF_BREAKPOINT;
	default:
		/* which one it was the program cannot tell */
		return TRUTH_RV_INTERRUPT + CAUSE_OF_TIMER;
	}
}

const struct target target_riscv64 = {
	.name = "riscv64",
	.programs = "riscv64",
	.machine = EM_RISCV,
	.isa = HWF_ISA_RV64,
	.align = 2,
	.sp = SP,
	.breakpoint_counts = true,
	.trap_value = true,
	.insn_size = insn_size,
	.may_trap = may_trap,
	.set_end = set_end,
	.goes_to = goes_to,
	.read_registers = read_registers,
	.read_frame = read_frame,
	.exception = exception,
};
