/* SPDX-License-Identifier: GPL-2.0-only */
/* For the programs that are traced: what differs by the processor they are for. */
#ifndef ARCH_H
#define ARCH_H

#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#if defined(__aarch64__)

static inline uint64_t context_pc(const ucontext_t *uc)
{
	return uc->uc_mcontext.pc;
}

static inline void context_set_pc(ucontext_t *uc, uint64_t pc)
{
	uc->uc_mcontext.pc = pc;
}

static inline uint64_t context_link(const ucontext_t *uc)
{
	return uc->uc_mcontext.regs[30];
}

static inline uint64_t insn_size(uint64_t pc)
{
	(void)pc;
	return 4;
}

/* the address of an instruction may be odd by so much, and nothing can be executed there */
#define ODD_PC 2

#define INSN_UNDEFINED     "nop\n .inst 0x00000000\n nop\n"
#define INSN_PRIVILEGED    "mrs x0, sctlr_el1\n"
#define PRIVILEGED_CLOBBER "x0"
#define INSN_BREAKPOINT    "brk #7\n"

/* undefined, breakpoints, loads from address 0 */
#define TRAPS                              \
	"mov x9, #0\n .inst 0\n .inst 0\n" \
	"brk #1\n brk #2\n"                \
	"ldr x9, [x9]\n ldr x9, [x9]\n nop\n ldr x9, [x9]\n"
#define TRAPS_CLOBBER , "x9"
#define TRAPS_COUNT   7

#define RET     0xd65f03c0u
#define MOVZ(n) (0x52800000u | (uint32_t)(n) << 5)  /* mov w0, #n */
#define ADD(n)  (0x11000000u | (uint32_t)(n) << 10) /* add w0, w0, #n */

/* the second load of a block faults, with arithmetic in between */
static inline void load_twice(const volatile void *good, const volatile void *bad)
{
	__asm__ volatile("ldr x1, [%0]\n add x1, x1, #1\n ldr x2, [%1]\n add x2, x2, x1\n"
			 :
			 : "r"(good), "r"(bad)
			 : "x1", "x2", "memory");
}

/* a fault at the last instruction before a branch: of a pair, its second half */
static inline void load_at_end(uintptr_t bad)
{
	__asm__ volatile("ldp x1, x2, [%0]\n b 1f\n nop\n1:\n"
			 :
			 : "r"(bad - 8)
			 : "x1", "x2", "memory");
}

/* as they are, with arithmetic before and behind in the same block */
static inline uint64_t load_at(const volatile void *at)
{
	uint64_t value = 1;

	__asm__ volatile("add x1, x1, #1\n ldr %0, [%1]\n add x1, x1, #1\n"
			 : "+r"(value)
			 : "r"(at)
			 : "x1", "memory");
	return value;
}

static inline void store_at(volatile void *at, uint64_t value)
{
	__asm__ volatile("add x1, x1, #1\n str %0, [%1]\n add x1, x1, #1\n"
			 :
			 : "r"(value), "r"(at)
			 : "x1", "memory");
}

/* these have to be aligned */
static inline void load_exclusive(volatile void *at)
{
	__asm__ volatile("add x1, x1, #1\n ldxr w2, [%0]\n add x1, x1, #1\n"
			 :
			 : "r"(at)
			 : "x1", "x2", "memory");
}

static inline void add_atomic(volatile void *at)
{
	__asm__ volatile(".arch armv8.1-a\n add x1, x1, #1\n ldadd w1, w2, [%0]\n"
			 "add x1, x1, #1\n"
			 :
			 : "r"(at)
			 : "x1", "x2", "memory");
}

#elif defined(__riscv)

static inline uint64_t context_pc(const ucontext_t *uc)
{
	return uc->uc_mcontext.__gregs[REG_PC];
}

static inline void context_set_pc(ucontext_t *uc, uint64_t pc)
{
	uc->uc_mcontext.__gregs[REG_PC] = pc;
}

static inline uint64_t context_link(const ucontext_t *uc)
{
	return uc->uc_mcontext.__gregs[REG_RA];
}

static inline uint64_t insn_size(uint64_t pc)
{
	uint16_t first;

	memcpy(&first, (const void *)(uintptr_t)pc, sizeof(first));
	return (first & 3) == 3 ? 4 : 2;
}

#define INSN_UNDEFINED     "nop\n .half 0\n nop\n"
#define INSN_PRIVILEGED    "csrr x5, sstatus\n"
#define PRIVILEGED_CLOBBER "x5"
#define INSN_BREAKPOINT    "ebreak\n"

/* breakpoints, loads from address 0, encodings of 6, 8, 10 and 22 bytes, and of reserved lengths */
#define TRAPS                                                                               \
	"c.ebreak\n ebreak\n"                                                               \
	"lw t0, 0(zero)\n lw t0, 0(zero)\n nop\n"                                           \
	".4byte 0x1f\n .4byte 0x3f\n .4byte 0x7f\n .4byte 0x607f\n .4byte 0x707f\n .4byte " \
	"0xffffffff\n"
#define TRAPS_CLOBBER , "t0"
#define TRAPS_COUNT   10

#define RET     0x00008067u
#define MOVZ(n) (0x00000513u | (uint32_t)(n) << 20) /* li a0, n */
#define ADD(n)  (0x00050513u | (uint32_t)(n) << 20) /* addi a0, a0, n */

static inline void load_twice(const volatile void *good, const volatile void *bad)
{
	__asm__ volatile("ld x5, (%0)\n addi x5, x5, 1\n ld x6, (%1)\n add x6, x6, x5\n"
			 :
			 : "r"(good), "r"(bad)
			 : "x5", "x6", "memory");
}

static inline void load_at_end(uintptr_t bad)
{
	__asm__ volatile("ld x5, (%0)\n j 1f\n nop\n1:\n" : : "r"(bad) : "x5", "memory");
}

static inline uint64_t load_at(const volatile void *at)
{
	uint64_t value = 1;

	__asm__ volatile("addi x5, x5, 1\n ld %0, (%1)\n addi x5, x5, 1\n"
			 : "+r"(value)
			 : "r"(at)
			 : "x5", "memory");
	return value;
}

static inline void store_at(volatile void *at, uint64_t value)
{
	__asm__ volatile("addi x5, x5, 1\n sd %0, (%1)\n addi x5, x5, 1\n"
			 :
			 : "r"(value), "r"(at)
			 : "x5", "memory");
}

static inline void load_exclusive(volatile void *at)
{
	__asm__ volatile("addi x5, x5, 1\n lr.w x6, (%0)\n addi x5, x5, 1\n"
			 :
			 : "r"(at)
			 : "x5", "x6", "memory");
}

static inline void add_atomic(volatile void *at)
{
	__asm__ volatile("addi x5, x5, 1\n amoadd.w x6, x5, (%0)\n addi x5, x5, 1\n"
			 :
			 : "r"(at)
			 : "x5", "x6", "memory");
}

#endif

#endif /* ARCH_H */
