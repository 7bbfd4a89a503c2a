// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signal handlers: on the same stack and on one of their own, one in the other, that call deep
 * functions, left by siglongjmp, and by timers at random places. The alternate stack is in the
 * middle of the program's data.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>
#include <unistd.h>

#include "../../check.h"

static volatile int zero;
static volatile unsigned int handled, ticks;
static sigjmp_buf out;
static uint8_t space[65536];

__attribute__((noinline)) static int leaf(int value)
{
	return value + zero;
}

__attribute__((noinline)) static int down(int depth)
{
	return depth ? down(depth - 1) + leaf(1) : leaf(0);
}

__attribute__((noinline)) static void on_deep(int signal)
{
	(void)signal;
	handled += (unsigned int)(down(20) == 20);
}

/* Executes no call */
static void on_leaf(int signal)
{
	handled += (unsigned int)(signal != 0);
}

static void on_nested(int signal)
{
	(void)signal;
	leaf(1);
	raise(SIGUSR1);
	down(5);
	raise(SIGUSR1);
	leaf(2);
}

__attribute__((noinline)) static int down_and_jump(int depth, int value)
{
	volatile char bytes[64];

	bytes[depth % 64] = 1;
	if (!depth)
		siglongjmp(out, value);
	return down_and_jump(depth - 1, value) + leaf(bytes[depth % 64]);
}

static void on_jump(int signal)
{
	leaf(1);
	down_and_jump((int)(handled % 11), signal);
}

static void on_tick(int signal)
{
	(void)signal;
	ticks++;
	down((int)(ticks % 7));
}

/* Out of the middle of a computation, now and then */
static volatile sig_atomic_t may_jump;

static void on_tick_jump(int signal)
{
	ticks++;
	down((int)(ticks % 5));
	if (may_jump && ticks % 2)
		siglongjmp(out, signal);
}

static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	CHECK(!sigaction(signal, &action, NULL));
}

__attribute__((noinline)) static int raise_at(int depth)
{
	if (depth)
		return raise_at(depth - 1) + leaf(1);
	raise(SIGUSR1);
	leaf(0);
	raise(SIGUSR2);
	return leaf(0);
}

static void test_returns(int flags)
{
	handle(SIGUSR1, on_deep, flags);
	handle(SIGUSR2, on_nested, flags);
	for (int i = 0; i < 20; i++)
		CHECK(raise_at(i) == i);
	handle(SIGUSR1, on_leaf, flags);
	for (int i = 0; i < 20; i++)
		CHECK(raise_at(i) == i);
}

static void test_jumps(int flags)
{
	handle(SIGUSR1, on_jump, flags);
	handle(SIGUSR2, on_leaf, flags);
	for (volatile int i = 0; i < 60; i++) {
		handled++;
		if (!sigsetjmp(out, 1))
			raise_at(i % 7);
		leaf(i);
		/* what the handler before has left on its stack is dead */
		if (i % 3 == 0)
			raise(SIGUSR2);
	}
}

/* kill(pid, SIGUSR1) without a call */
static inline void interrupt(long pid)
{
	register long number __asm__("x8") = 129;
	register long result __asm__("x0") = pid;
	register long signal __asm__("x1") = SIGUSR1;

	__asm__ volatile("svc #0" : "+r"(result) : "r"(number), "r"(signal) : "memory");
}

/* An interrupt before and after each of: a call, and a jump over one frame, over many, over none */
__attribute__((noinline)) static int interrupted(long pid, int depth)
{
	volatile int result = 0;

	interrupt(pid);
	result += down(depth);
	interrupt(pid);
	if (!sigsetjmp(out, 1))
		result += down_and_jump(0, 1);
	interrupt(pid);
	if (!sigsetjmp(out, 1))
		result += down_and_jump(depth, 1);
	interrupt(pid);
	if (!sigsetjmp(out, 1))
		siglongjmp(out, 1);
	interrupt(pid);
	return result;
}

static void test_interrupts(int flags)
{
	const long pid = getpid();

	handle(SIGUSR1, on_deep, flags);
	for (int i = 0; i < 30; i++)
		CHECK(interrupted(pid, i) == i);
}

static void set_timer(int microseconds)
{
	const struct itimerval timer = {.it_interval = {.tv_usec = microseconds},
					.it_value = {.tv_usec = microseconds}};

	CHECK(!setitimer(ITIMER_REAL, &timer, NULL));
}

static void test_ticks(int flags)
{
	handle(SIGALRM, on_tick, flags);
	ticks = 0;
	set_timer(500);
	while (ticks < 60)
		CHECK(down(12) == 12);
	handle(SIGALRM, on_tick_jump, flags);
	ticks = 0;
	while (ticks < 60) {
		if (!sigsetjmp(out, 1)) {
			may_jump = 1;
			down(15);
		}
		may_jump = 0;
		leaf(1);
	}
	set_timer(0);
}

int main(void)
{
	const stack_t stack = {.ss_sp = space, .ss_size = sizeof(space)};
	const stack_t none = {.ss_flags = SS_DISABLE};

	test_returns(0);
	test_jumps(0);
	test_interrupts(0);
	test_ticks(0);
	CHECK(!sigaltstack(&stack, NULL));
	test_returns(SA_ONSTACK);
	test_jumps(SA_ONSTACK);
	test_interrupts(SA_ONSTACK);
	test_ticks(SA_ONSTACK);
	CHECK(!sigaltstack(&none, NULL));
	test_returns(SA_ONSTACK);
	puts("signals: good");
	return 0;
}
