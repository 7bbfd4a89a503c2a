// SPDX-License-Identifier: GPL-2.0-only
/*
 * The oracle's own check: frame records of the procedure call standard against the live calls.
 *
 * A function that has a frame record saves x29 and its return address there and makes x29 point to
 * it. A record at address r belongs to the innermost call whose stack pointer is above r: the
 * callee's frame is below that, and the frames of the calls further in are below r. So each record
 * names one call, whose link must be in it. A call without a record is right only if the callee's
 * code makes none.
 *
 * A signal handler was not called. The kernel (QEMU) writes a record of x29 and x30 as they were,
 * to which x29 points when the handler begins, so two records stand for no call: the handler's own,
 * with the address of the code that executes rt_sigreturn, and the kernel's. A record
 * whose address does not follow a call instruction is that of the first function of makecontext(),
 * and stands for no call either.
 *
 * At its end the unwinder of GCC replaces the record of its own function by the values of the frame
 * where the exception is caught. Differences further out are then not counted.
 */
#include <string.h>

#include "stack.h"

#define MOV_X8_RT_SIGRETURN 0xd2801168
#define SVC_0               0xd4000001

/* add x29, sp, #n, and mov x29, sp */
#define MAKES_RECORD_MASK 0xff8003ff
#define MAKES_RECORD      0x910003fd

static bool follows_call(uint64_t address)
{
	uint32_t opcode;

	return guest_read_code(address - 4, &opcode) && is_call(opcode);
}

/* sub x29, sp, #8: the record of Go's compiler begins below the frame, and its second word is in it
 */
#define MAKES_GO_RECORD 0xd10023fd
#define GO_RECORD_SHIFT 8

/* the calls, from the innermost */
struct cursor {
	const struct stack *stack;
	size_t left;             /* calls in @stack */
	uint64_t callee_address; /* in the function that was called */
	uint64_t shift;          /* from the address of a record to that of its frame */
	uint64_t interrupted;    /* x30 of this function if a signal interrupted it, or 0 */
};

static const struct call *cursor_call(struct cursor *cursor)
{
	while (cursor->stack && !cursor->left) {
		cursor->stack =
			cursor->stack->region.kind == REGION_SIGNAL ? cursor->stack->below : NULL;
		cursor->left = cursor->stack ? cursor->stack->count : 0;
	}
	return cursor->stack ? &cursor->stack->calls[cursor->left - 1] : NULL;
}

static void cursor_next(struct cursor *cursor)
{
	cursor->callee_address = cursor_call(cursor)->link - 4;
	cursor->interrupted = 0;
	cursor->left--;
}

static bool code_makes_record(struct function *function)
{
	uint32_t opcode;

	if (function->has_record < 0) {
		int found = 0;

		for (uint64_t pc = function->start; !found && pc < function->end; pc += 4)
			found = guest_read_code(pc, &opcode) &&
				((opcode & MAKES_RECORD_MASK) == MAKES_RECORD ||
				 opcode == MAKES_GO_RECORD);
		__atomic_store_n(&function->has_record, found, __ATOMIC_RELAXED);
	}
	return function->has_record > 0;
}

bool grows_stack(uint64_t pc)
{
	static const char name[] = "runtime.morestack";
	const struct function *target;
	uint32_t opcode;
	int64_t offset;

	if (!guest_read_code(pc, &opcode) || (opcode & 0xfc000000) != 0x94000000)
		return false;
	offset = (int64_t)((uint64_t)opcode << 38) >> 36;
	target = function_find(pc + (uint64_t)offset);
	return target && target->name && !strncmp(target->name, name, sizeof(name) - 1);
}

/*
 * Must the function that was called have a record? One that was interrupted before it has made its
 * record, or after it has removed it, has its link in x30. One that makes no record may have
 * called, which has changed x30.
 */
static bool must_have_record(struct cursor *cursor)
{
	const uint64_t pc = cursor->interrupted ? cursor->interrupted - 4 : cursor->callee_address;
	struct function *function;

	if (cursor->interrupted == cursor_call(cursor)->link)
		return false;
	function = function_find(pc);
	return function && code_makes_record(function) && !(cursor->shift && grows_stack(pc));
}

static bool is_signal_return(uint64_t address)
{
	uint32_t first, second;

	return guest_read_code(address, &first) && guest_read_code(address + 4, &second) &&
	       first == MOV_X8_RT_SIGRETURN && second == SVC_0;
}

static enum frames_result differ(struct difference *difference, const char *text, uint64_t a,
				 uint64_t b, uint64_t c)
{
	difference->text = text;
	difference->value[0] = a;
	difference->value[1] = b;
	difference->value[2] = c;
	return FRAMES_DIFFER;
}

/* Skip calls that are further in than the record at @address; false if one of them lacks its
 * record. */
static bool skip_inner(struct cursor *cursor, uint64_t address, struct difference *difference)
{
	const struct call *call;

	while ((call = cursor_call(cursor))) {
		const struct region *region = &cursor->stack->region;
		const bool same_stack = address >= region->low && address < region->high;

		if (same_stack ? call->sp + cursor->stack->base > address
			       : region->kind != REGION_SIGNAL)
			return true;
		if (must_have_record(cursor)) {
			differ(difference,
			       "no record of the call at %#llx, sp %#llx, before that at %#llx",
			       call->link - 4, call->sp, address);
			return false;
		}
		cursor_next(cursor);
	}
	return true;
}

/* Is it a function of the unwinder that replaces its own record? */
static bool is_unwinder(uint64_t pc)
{
	static const char *const names[] = {"_Unwind_RaiseException", "_Unwind_Resume",
					    "_Unwind_Resume_or_Rethrow", "_Unwind_ForcedUnwind"};
	const struct function *function = function_find(pc);

	for (size_t i = 0; function && function->name && i < sizeof(names) / sizeof(names[0]);
	     i++) {
		if (!strcmp(function->name, names[i]))
			return true;
	}
	return false;
}

/* In Go programs the records go on from the scheduler's stack to that of the goroutine that has
 * called it. */
static bool is_on_other_stack(const struct thread *thread, uint64_t address)
{
	const struct region *region = &thread->current->region;

	return address < region->low || address >= region->high;
}

/* The runtime of Go does not change records that it moves with a stack: they point to the stack
 * before. */
static bool is_moved(const struct cursor *cursor)
{
	return cursor->stack && cursor->stack->is_moved;
}

/* One record; @fp is then the address of the next one. */
static enum frames_result compare_record(struct cursor *cursor, uint64_t *fp,
					 struct difference *difference)
{
	const struct call *call;
	uint64_t record[2];

	if (is_moved(cursor) || (*fp & 7) != 0 || !guest_read(*fp, record, sizeof(record)))
		return FRAMES_INCOMPLETE;
	if (!skip_inner(cursor, *fp + cursor->shift, difference))
		return FRAMES_DIFFER;
	difference->replaced |= is_unwinder(cursor->callee_address);
	if (is_signal_return(record[1])) {
		if (!guest_read(record[0], record, sizeof(record)))
			return FRAMES_INCOMPLETE;
		cursor->interrupted = record[1];
	} else if (follows_call(record[1])) {
		call = cursor_call(cursor);
		if (!call || call->link != record[1])
			return differ(difference,
				      "the record at %#llx has %#llx, the call has %#llx", *fp,
				      record[1], call ? call->link : 0);
		cursor_next(cursor);
	}
	if (*fp == record[0])
		return FRAMES_INCOMPLETE;
	*fp = record[0];
	return FRAMES_SAME;
}

/* The records have ended: have all calls, too? The runtime of Go ends them where it changes to
 * another stack. */
static enum frames_result compare_end(struct cursor *cursor, struct difference *difference)
{
	const struct call *call;

	while (!cursor->shift && (call = cursor_call(cursor))) {
		if (must_have_record(cursor))
			return differ(difference,
				      "no record of the call at %#llx, sp %#llx, at the end",
				      call->link - 4, call->sp, 0);
		cursor_next(cursor);
	}
	return FRAMES_SAME;
}

/* Before the calls of duffzero and duffcopy Go's compiler makes a record of that call, below the
 * stack pointer. */
static bool skip_duff(const struct thread *thread, uint64_t shift, uint64_t *fp)
{
	const struct stack *stack = thread->current;
	uint64_t record[2];

	if (!shift || *fp + shift >= stack->calls[stack->count - 1].sp + stack->base)
		return true;
	if (!guest_read(*fp, record, sizeof(record)))
		return false;
	*fp = record[0];
	return true;
}

/* In a function of Go that a panic was recovered in, x29 is not that of its record. */
static bool is_recovered(const struct thread *thread, uint64_t fp)
{
	const struct stack *stack = thread->current;
	const struct call *call = &stack->calls[stack->count - 1];
	struct function *caller = function_find(call->link - 4);

	return fp + GO_RECORD_SHIFT != call->sp + stack->base && caller &&
	       code_makes_record(caller) && !grows_stack(call->link - 4);
}

enum frames_result frames_compare(const struct thread *thread, uint64_t fp,
				  struct difference *difference)
{
	struct cursor cursor = {
		.stack = thread->current,
		.left = thread->current->count,
		.shift = thread->goroutine.kind == REGION_GOROUTINE ? GO_RECORD_SHIFT : 0,
	};
	enum frames_result result = FRAMES_SAME;

	*difference = (struct difference){.replaced = false};
	if (!skip_duff(thread, cursor.shift, &fp) || (cursor.shift && is_recovered(thread, fp)))
		return FRAMES_INCOMPLETE;
	cursor_next(&cursor);
	while (fp && result == FRAMES_SAME) {
		if (cursor.shift && !cursor_call(&cursor) && is_on_other_stack(thread, fp))
			return FRAMES_SAME;
		result = compare_record(&cursor, &fp, difference);
	}
	if (result == FRAMES_SAME)
		result = compare_end(&cursor, difference);
	return result != FRAMES_SAME && difference->replaced ? FRAMES_REPLACED : result;
}
