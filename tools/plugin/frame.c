// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a signal interrupted, from the frame that its delivery has put on the stack.
 *
 * QEMU 7.2 gives a plugin no registers. Generated code has a pointer to QEMU's CPU state in a host
 * register (hwf_entry()); the target knows where the general-purpose registers are in it. The
 * plugin tests this when the program starts: Linux starts a program with all registers 0 but the
 * stack pointer, which points to argc and argv[0], and argv[0] points to a string. If the test
 * fails, each signal leaves a gap in the log.
 */
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

#define MAX_NESTED 64
static uint64_t *handlers;
static size_t handler_count, handler_room;

bool handler_known(uint64_t pc)
{
	const size_t count = __atomic_load_n(&handler_count, __ATOMIC_ACQUIRE);
	const uint64_t *list = __atomic_load_n(&handlers, __ATOMIC_ACQUIRE);

	for (size_t i = 0; i < count; i++) {
		if (list[i] == pc)
			return true;
	}
	return false;
}

/* The list before stays where it is: another thread may be reading it. */
static bool handlers_grow(void)
{
	const size_t room = handler_room ? 2 * handler_room : 64;
	uint64_t *more = calloc(room, sizeof(*more));

	if (!more)
		return false;
	if (handler_count)
		memcpy(more, handlers, handler_count * sizeof(*more));
	__atomic_store_n(&handlers, more, __ATOMIC_RELEASE);
	handler_room = room;
	return true;
}

/* Under the lock of the table of blocks. */
void handler_add(uint64_t pc)
{
	if (handler_known(pc))
		return;
	if (handler_count == handler_room && !handlers_grow()) {
		run_failed("no memory for the list of signal handlers");
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
void frame_check_layout(const uint8_t *cpu_state)
{
	struct registers now = {0};
	uint64_t words[2], other = 0;
	char first;

	plugin.layout_good = false;
	/* for tests of what is done without */
	if (getenv("HWFLOW_NO_REGISTERS") || !cpu_state)
		return;
	target->read_registers(cpu_state, &now);
	for (unsigned int i = 0; i < TARGET_REGS; i++)
		other |= i == target->sp ? 0 : now.x[i];
	if (other != 0 || (now.sp & 15) != 0 || !guest_read(now.sp, words, sizeof(words)))
		return;
	plugin.layout_good = words[0] > 0 && words[0] < (1 << 24) && words[1] > now.sp &&
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
