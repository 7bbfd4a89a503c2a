// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that call without a change of the stack pointer: in assembler, as compilers outline
 * code. They keep the link in a list in memory. The call before them and their own calls have the
 * same stack pointer. They are left by returns, by longjmp, and by a signal's siglongjmp; and a
 * call that is no call reads the program counter.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include "../../check.h"

static volatile int zero;
static jmp_buf out;
static sigjmp_buf signal_out;

/* A list of links, and the number of those in use */
uint64_t links[4096], link_count;

int frameless_call(int (*function)(int), int value);
int frameless_twice(int (*function)(int), int value);
int frameless_tail(int (*function)(int), int value);
int jump_and_call(int (*function)(int), int value);
uint64_t program_counter(void);

__asm__(".text\n"
	".macro push_link\n"
	"	adrp x9, link_count\n"
	"	ldr x10, [x9, :lo12:link_count]\n"
	"	adrp x11, links\n"
	"	add x11, x11, :lo12:links\n"
	"	str x30, [x11, x10, lsl #3]\n"
	"	add x10, x10, #1\n"
	"	str x10, [x9, :lo12:link_count]\n"
	".endm\n"
	".macro pop_link\n"
	"	adrp x9, link_count\n"
	"	ldr x10, [x9, :lo12:link_count]\n"
	"	adrp x11, links\n"
	"	add x11, x11, :lo12:links\n"
	"	sub x10, x10, #1\n"
	"	str x10, [x9, :lo12:link_count]\n"
	"	ldr x16, [x11, x10, lsl #3]\n"
	".endm\n"
	".type frameless_call, %function\n"
	"frameless_call:\n"
	"	push_link\n"
	"	mov x12, x0\n"
	"	mov w0, w1\n"
	"	blr x12\n"
	"	pop_link\n"
	"	ret x16\n"
	".size frameless_call, . - frameless_call\n"
	/* frameless_twice(f, v) is frameless_call(f, v), and then again with the result */
	".type frameless_twice, %function\n"
	"frameless_twice:\n"
	"	push_link\n"
	"	adrp x9, twice_function\n"
	"	str x0, [x9, :lo12:twice_function]\n"
	"	bl frameless_call\n"
	"	mov w1, w0\n"
	"	adrp x9, twice_function\n"
	"	ldr x0, [x9, :lo12:twice_function]\n"
	"	bl frameless_call\n"
	"	pop_link\n"
	"	br x16\n"
	".size frameless_twice, . - frameless_twice\n"
	".type frameless_tail, %function\n"
	"frameless_tail:\n"
	"	mov x12, x0\n"
	"	mov w0, w1\n"
	"	br x12\n"
	".size frameless_tail, . - frameless_tail\n"
	/* a jump to x0 with the stack pointer x1, from this function's entry on */
	".type jump_out, %function\n"
	"jump_out:\n"
	"	mov sp, x1\n"
	"	br x0\n"
	".size jump_out, . - jump_out\n"
	/* a jump in the function before it has a frame, as by a table */
	".type jump_and_call, %function\n"
	"jump_and_call:\n"
	"	adr x9, 1f\n"
	"	br x9\n"
	"	brk #1\n"
	"1:	stp x29, x30, [sp, #-16]!\n"
	"	mov x29, sp\n"
	"	mov x12, x0\n"
	"	mov w0, w1\n"
	"	blr x12\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n"
	".size jump_and_call, . - jump_and_call\n"
	".type program_counter, %function\n"
	"program_counter:\n"
	"	mov x9, x30\n"
	"	bl 1f\n"
	"1:	mov x0, x30\n"
	"	ret x9\n"
	".size program_counter, . - program_counter\n"
	".local twice_function\n"
	".comm twice_function, 8, 8\n");

__attribute__((noinline)) static int leaf(int value)
{
	return value + zero;
}

__attribute__((noinline)) static int plus_one(int value)
{
	return leaf(value) + leaf(1);
}

/* Frames and frameless functions in turn */
__attribute__((noinline)) static int down(int depth)
{
	if (!depth)
		return leaf(0);
	return frameless_call(down, depth - 1) + frameless_tail(leaf, 1);
}

__attribute__((noinline)) static int jump_at(int depth)
{
	if (!depth)
		longjmp(out, 1);
	return frameless_call(jump_at, depth - 1) + leaf(1);
}

/* longjmp() itself is called at the stack pointer of the call before */
static int jump_now(int value)
{
	longjmp(out, value);
}

static void on_signal(int signal)
{
	leaf(signal);
	siglongjmp(signal_out, 1);
}

static int raise_signal(int value)
{
	raise(SIGUSR1);
	return value;
}

/* Calls the next instruction, which never returns from that call, and then a function */
__attribute__((noinline)) static int count_here(int value)
{
	uint64_t counter;

	__asm__ volatile("bl 1f\n1:	mov %0, x30" : "=r"(counter) : : "x30");
	return leaf(value) + leaf(counter != 0);
}

static void on_quiet(int signal)
{
	leaf(signal);
}

/* A jump back from a function that has no frame, and a signal before the next call */
__attribute__((noinline)) static int jump_and_interrupt(long pid)
{
	register long x0 __asm__("x0");
	register long x1 __asm__("x1");

	__asm__ volatile("adr x0, 1f\n"
			 "	mov x1, sp\n"
			 "	bl jump_out\n"
			 "	brk #1\n"
			 "1:	adr x30, 1b\n"
			 "	mov x8, #129\n" /* kill */
			 "	mov x0, %2\n"
			 "	mov x1, %3\n"
			 "	svc #0\n"
			 : "=&r"(x0), "=&r"(x1)
			 : "r"(pid), "i"(SIGUSR2)
			 : "x8", "x30", "memory");
	return leaf((int)x0);
}

__attribute__((noinline)) static void test_jumps(int count)
{
	for (volatile int i = 0; i < count; i++) {
		const uint64_t before = link_count;

		if (!setjmp(out))
			frameless_call(jump_at, i % 20);
		link_count = before;
		leaf(1);
		if (!setjmp(out))
			frameless_call(jump_now, 1);
		link_count = before;
		/* after the jump a call by a frameless function, at the stack pointer of the dead
		 * ones */
		CHECK(frameless_twice(plus_one, i) == i + 2);
		if (!sigsetjmp(signal_out, 1))
			frameless_call(raise_signal, i);
		link_count = before;
		leaf(2);
	}
}

int main(void)
{
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_quiet);
	for (int i = 0; i < 200; i++) {
		CHECK(frameless_call(plus_one, i) == i + 1);
		CHECK(frameless_twice(plus_one, i) == i + 2);
		CHECK(down(i) == i);
		CHECK(program_counter() != 0);
		CHECK(jump_and_call(plus_one, i) == i + 1);
		CHECK(jump_and_interrupt(getpid()) == 0);
		CHECK(count_here(i) == i + 1);
		CHECK(frameless_tail(plus_one, i) == i + 1);
	}
	test_jumps(60);
	CHECK(!link_count);
	puts("frameless: good");
	return 0;
}
