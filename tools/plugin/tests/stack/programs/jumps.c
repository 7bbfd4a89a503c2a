// SPDX-License-Identifier: GPL-2.0-only
/*
 * longjmp: over many frames, over none, from a tail call, and in a recursion in which each level
 * has a jmp_buf of its own (as Lua's protected calls).
 */
#include <setjmp.h>

#include "../../check.h"

static volatile int zero;
static jmp_buf outermost;

__attribute__((noinline)) static int leaf(int value)
{
	return value + zero;
}

__attribute__((noinline)) static int down(int depth)
{
	if (!depth)
		longjmp(outermost, 1);
	return down(depth - 1) + leaf(1);
}

/* The call of longjmp() is at the stack pointer of this function's entry. */
__attribute__((noinline, noreturn)) static void jump(int value)
{
	longjmp(outermost, value);
}

static void (*volatile jump_pointer)(int) = jump;

__attribute__((noinline)) static int from_tail_call(int value)
{
	if (!value)
		return leaf(1);
	jump_pointer(value);
	return leaf(2);
}

/* setjmp() and longjmp() in one function, and a call right after */
__attribute__((noinline)) static int here(int value)
{
	jmp_buf buffer;
	volatile int turns = 0;

	if (setjmp(buffer) < value) {
		turns++;
		leaf(turns);
		longjmp(buffer, turns);
	}
	leaf(0);
	return turns;
}

struct level {
	jmp_buf buffer;
	struct level *before;
};

static struct level *levels;
static unsigned int caught;

static int protected_call(int depth);

__attribute__((noinline)) static int run(int depth)
{
	int sum = 0;

	for (int i = 0; i < 3; i++) {
		if (depth)
			sum += protected_call(depth - 1);
		sum += leaf(1);
	}
	if (depth % 2)
		longjmp(levels->buffer, depth);
	/* out of two levels at once */
	if (depth == 2 && levels->before) {
		levels = levels->before;
		longjmp(levels->buffer, 100);
	}
	return sum;
}

__attribute__((noinline)) static int protected_call(int depth)
{
	struct level level = {.before = levels};
	volatile int result = 0;

	levels = &level;
	if (!setjmp(level.buffer))
		result = run(depth);
	else
		caught++;
	levels = level.before;
	return result + leaf(0);
}

int main(void)
{
	for (volatile int i = 0; i < 200; i++) {
		if (!setjmp(outermost))
			down(i);
		leaf(i);
	}
	for (volatile int i = 0; i < 100; i++) {
		if (!setjmp(outermost))
			from_tail_call(i);
		leaf(i);
	}
	for (int i = 0; i < 50; i++)
		CHECK(here(i) == i);
	for (int i = 0; i < 7; i++)
		protected_call(i);
	CHECK(caught > 100);
	puts("jumps: good");
	return 0;
}
