// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a signal interrupted, from the frame that its delivery has put on the stack.
 *
 * QEMU 7.2 gives a plugin no registers. Generated code has a pointer to QEMU's CPU state in a
 * host register (entry.S); x0 to x30, the stack pointer and the program counter are the members
 * of it that follow 16 32-bit registers of AArch32. That they are there is tested when
 * the program starts: the program counter must be that of its first block, the stack
 * pointer must point to argc, and argv[0] to a string. Where the test fails, signals
 * are gaps in the log, no more.
 *
 * The frame is Linux' own (arch/arm64/kernel/signal.c): siginfo, ucontext, and above them, where
 * x29 points, a frame record with x29 and x30 of the code interrupted.
 */
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

#define STATE_XREGS 64
#define STATE_PC    (STATE_XREGS + 32 * 8)

#define MAX_HANDLERS 256
#define MAX_NESTED   64
#define MAX_FRAME    65536

/* from linux/signal.h of arm64 */
#define ARM64_NSIG   64
#define ARM64_SIGBUS 7
#define BUS_ADRALN   1

/* struct rt_sigframe, up to the program counter */
struct signal_frame {
	int32_t si_signo;
	int32_t si_errno;
	int32_t si_code;
	int32_t si_pad;
	uint64_t si_addr;
	uint8_t info_rest[128 - 24];
	uint64_t uc_flags;
	uint64_t uc_link;
	uint64_t uc_stack[3];
	uint64_t uc_sigmask[16];
	uint64_t align;
	uint64_t fault_address;
	uint64_t regs[31];
	uint64_t sp;
	uint64_t pc;
};

_Static_assert(offsetof(struct signal_frame, fault_address) == 128 + 176, "ABI of Linux");

/* registers x0 to x30, stack pointer, program counter */
struct registers {
	uint64_t x[31];
	uint64_t sp;
	uint64_t pc;
};

static uint64_t handlers[MAX_HANDLERS];
static size_t handler_count;

bool handler_known(uint64_t pc)
{
	for (size_t i = 0; i < handler_count; i++) {
		if (handlers[i] == pc)
			return true;
	}
	return false;
}

/* Under the lock of the table of blocks. */
void handler_add(uint64_t pc)
{
	if (handler_known(pc))
		return;
	if (handler_count == MAX_HANDLERS) {
		run_failed("the program has more than %d signal handlers", MAX_HANDLERS);
		return;
	}
	handlers[handler_count] = pc;
	__atomic_store_n(&handler_count, handler_count + 1, __ATOMIC_RELEASE);
}

static uint64_t state_u64(const uint8_t *cpu_state, size_t offset)
{
	uint64_t value;

	memcpy(&value, cpu_state + offset, sizeof(value));
	return value;
}

/* Called at the program's first block, before anything was executed. */
void frame_check_layout(const uint8_t *cpu_state, uint64_t pc)
{
	uint64_t sp, words[2];
	char first;

	plugin.layout_good = false;
	/* for tests of what is done without */
	if (getenv("HWFLOW_NO_REGISTERS"))
		return;
	if (!cpu_state || state_u64(cpu_state, STATE_PC) != pc)
		return;
	sp = state_u64(cpu_state, STATE_XREGS + 31 * 8);
	if ((sp & 15) != 0 || !guest_read(sp, words, sizeof(words)))
		return;
	plugin.layout_good = words[0] > 0 && words[0] < (1 << 24) && words[1] > sp &&
			     guest_read(words[1], &first, 1);
}

/* A handler has just been entered with @now: what it interrupted. */
static bool frame_read(const struct registers *now, struct registers *before,
		       struct interruption *found)
{
	struct signal_frame frame;
	uint64_t record[2];

	if ((now->sp & 15) != 0 || now->x[0] < 1 || now->x[0] > ARM64_NSIG ||
	    now->x[29] <= now->sp || now->x[29] - now->sp > MAX_FRAME)
		return false;
	if (!guest_read(now->sp, &frame, sizeof(frame)) ||
	    !guest_read(now->x[29], record, sizeof(record)))
		return false;
	if (record[0] != frame.regs[29] || record[1] != frame.regs[30])
		return false;
	memcpy(before->x, frame.regs, sizeof(before->x));
	before->sp = frame.sp;
	before->pc = frame.pc;

	found->pc = frame.pc;
	memcpy(found->reg, frame.regs, sizeof(found->reg));
	found->signal = (int)now->x[0];
	found->at_pc = frame.fault_address == frame.pc;
	/* siginfo is there only for a handler that asked for it: then x1 points to it */
	found->misaligned = found->signal == ARM64_SIGBUS && now->x[1] == now->sp &&
			    frame.si_code == BUS_ADRALN;
	return true;
}

/*
 * The block at @pc, a handler, is entered: is that the delivery of a signal? It is if a frame is
 * there, and what it says was interrupted @fits what was executed last. Signals that were
 * delivered together have frames upon frames, with nothing executed in between.
 */
bool frame_find(const struct thread *thread, uint64_t pc, interruption_fits_fn *fits,
		const void *ctx, struct interruption *result)
{
	struct registers now, before;

	if (!plugin.layout_good || !thread->cpu_state)
		return false;
	for (size_t i = 0; i < 31; i++)
		now.x[i] = state_u64(thread->cpu_state, STATE_XREGS + i * 8);
	now.sp = state_u64(thread->cpu_state, STATE_XREGS + 31 * 8);
	now.pc = pc;
	for (int i = 0; i < MAX_NESTED; i++) {
		if (!handler_known(now.pc) || !frame_read(&now, &before, result))
			return false;
		if (fits(result, ctx))
			return true;
		now = before;
	}
	return false;
}
