/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the plugin has to know of a target: its instructions, where QEMU has its registers, and what
 * Linux puts on the stack when it delivers a signal. One struct target a target, target_NAME.c.
 */
#ifndef HWFLOW_PLUGIN_TARGET_H
#define HWFLOW_PLUGIN_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;

/** TARGET_REGS - general-purpose registers of a target at most */
#define TARGET_REGS 32

/* signal numbers, the same for all targets with the generic table */
#define SIGNAL_ILL  4
#define SIGNAL_TRAP 5
#define SIGNAL_BUS  7
#define SIGNAL_FPE  8
#define SIGNAL_SEGV 11
#define SIGNAL_MAX  64

/* code of SIGNAL_BUS: an address that is not aligned (BUS_ADRALN of Linux) */
#define SIGNAL_BUS_ALIGNMENT 1

/** struct registers - of a thread; @x has the stack pointer @sp, too: arm64 as @x[31], riscv64 as
 * @x[2] */
struct registers {
	uint64_t x[TARGET_REGS];
	uint64_t sp;
	uint64_t pc;
};

/**
 * struct signal_head - siginfo and ucontext of Linux, up to the registers, whose order depends on
 * the target
 *
 * The members do not have Linux' names, which <signal.h> defines as macros.
 */
struct signal_head {
	int32_t signo;
	int32_t error;
	int32_t code;
	int32_t pad;
	uint64_t address;
	uint8_t info_rest[128 - 24];
	uint64_t context_flags;
	uint64_t context_link;
	uint64_t context_stack[3];
	uint64_t context_mask[16];
	uint64_t align;
};

_Static_assert(offsetof(struct signal_head, context_flags) == 128, "ABI of Linux");
_Static_assert(sizeof(struct signal_head) == 128 + 176, "ABI of Linux");

/** signal_fits() - may a handler of signal @number have been entered with this stack pointer? */
static inline bool signal_fits(const struct registers *now, uint64_t number)
{
	return (now->sp & 15) == 0 && number >= 1 && number <= SIGNAL_MAX;
}

/**
 * struct interruption - what a signal interrupted
 * @before: registers there; the program counter is that of the first instruction not executed
 * @address: that faulted, as far as the signal says it
 * @signal: number
 * @at_pc: the instruction itself, at the program counter, could not be fetched
 * @misaligned: an alignment fault
 */
struct interruption {
	struct registers before;
	uint64_t address;
	int signal;
	bool at_pc;
	bool misaligned;
};

/** enum target_cause - why the program was left for the kernel, other than by a call */
enum target_cause {
	CAUSE_INTERRUPT,        /* nothing that the program did */
	CAUSE_FETCH,            /* no instruction could be fetched */
	CAUSE_FETCH_MISALIGNED, /* its address is not aligned */
	CAUSE_ACCESS,           /* a load or store */
	CAUSE_MISALIGNED,       /* its address is not aligned */
	CAUSE_UNDEFINED,        /* no such instruction, or not allowed */
	CAUSE_BREAKPOINT,
};

/**
 * struct target - one target
 * @name: QEMU's, after "qemu-"
 * @programs: what its programs are called
 * @machine: of its ELF files, which are of 64 bits
 * @isa: enum hwf_isa of its code
 * @align: instructions are at multiples of so many bytes
 * @sp: index of the stack pointer in struct registers
 * @insn_size: bytes of an instruction
 * @may_trap: can QEMU raise an exception at this instruction when it is executed, after it has
 *	translated it? Where in doubt, it can
 * @set_end: how a block ends: next and flags, from the last instruction, at @last
 * @goes_to: could the indirect branch @opcode, ending at @after, with these registers after it,
 *	have gone to their pc?
 * @read_registers: from QEMU's CPU state, all but the pc
 * @read_frame: a handler has just been entered with @now: what it interrupted; false if no frame of
 *	a signal is there
 * @exception: type of an exception in the log (TRUTH_EXCEPTION); @opcode: of the instruction that
 *	took it, 0 if none did
 * @breakpoint_counts: an instruction that calls the debugger counts as executed
 * @trap_value: exceptions in the log have a trap value
 */
struct target {
	const char *name;
	const char *programs;
	uint16_t machine;
	uint8_t isa;
	uint8_t align;
	uint8_t sp;
	bool breakpoint_counts;
	bool trap_value;
	unsigned int (*insn_size)(uint32_t opcode);
	bool (*may_trap)(uint32_t opcode);
	void (*set_end)(struct block *block, uint32_t opcode, uint64_t last);
	bool (*goes_to)(uint32_t opcode, uint64_t after, const struct registers *registers);
	void (*read_registers)(const uint8_t *cpu_state, struct registers *now);
	bool (*read_frame)(const struct registers *now, struct interruption *found);
	unsigned int (*exception)(enum target_cause cause, uint32_t opcode);
};

extern const struct target target_arm64, target_riscv64;

/** target - the one that runs */
extern const struct target *target;

/** state_u64() - a register of QEMU's CPU state */
uint64_t state_u64(const uint8_t *cpu_state, size_t offset);

#endif /* HWFLOW_PLUGIN_TARGET_H */
