// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a signal interrupted, from the frame that its delivery has put on the stack.
 *
 * QEMU 7.2 gives a plugin no registers. Generated code has a pointer to QEMU's CPU state in a
 * host register (hwf_entry()); where the registers are in it the target says. That they are there
 * is tested when the program starts: the program counter must be that of its first block, the stack
 * pointer must point to argc, and argv[0] to a string. Where the test fails, signals
 * are gaps in the log, no more.
 */
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

#define MAX_HANDLERS 256
#define MAX_NESTED   64
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

uint64_t state_u64(const uint8_t *cpu_state, size_t offset)
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
	if (!cpu_state || state_u64(cpu_state, target->state_pc) != pc)
		return;
	sp = state_u64(cpu_state, target->state_sp);
	if ((sp & 15) != 0 || !guest_read(sp, words, sizeof(words)))
		return;
	plugin.layout_good = words[0] > 0 && words[0] < (1 << 24) && words[1] > sp &&
			     guest_read(words[1], &first, 1);
}

/*
 * The block at @pc, a handler, is entered: is that the delivery of a signal? It is if a frame is
 * there, and what it says was interrupted @fits what was executed last. Signals that were
 * delivered together have frames upon frames, with nothing executed in between.
 */
bool frame_find(const struct thread *thread, uint64_t pc, interruption_fits_fn *fits,
		const void *ctx, struct interruption *result)
{
	struct registers now = {0};

	if (!plugin.layout_good || !thread->cpu_state)
		return false;
	target->read_registers(thread->cpu_state, &now);
	now.pc = pc;
	for (int i = 0; i < MAX_NESTED; i++) {
		if (!handler_known(now.pc) || !target->read_frame(&now, result))
			return false;
		if (fits(result, ctx))
			return true;
		now = result->before;
	}
	return false;
}
