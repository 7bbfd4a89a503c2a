// SPDX-License-Identifier: GPL-2.0-only
/* longjmp out of deep calls and out of a signal handler, and coroutines on stacks of their own. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define ROUNDS 1000
#define STACK 65536

static jmp_buf outermost;
static sigjmp_buf interrupted;
static ucontext_t scheduler, coroutine[2];
static unsigned long turns;

static void descend(int depth, int bottom)
{
	volatile int here = depth;

	if (depth == bottom)
		longjmp(outermost, 1);
	if (depth < 50)
		descend(here + 1, bottom);
	turns += (unsigned long)here; /* not executed: longjmp() skips every frame */
}

static void on_signal(int number)
{
	(void)number;
	siglongjmp(interrupted, 1);
}

static void run_coroutine(int self)
{
	for (int i = 0; i < ROUNDS; i++) {
		turns++;
		swapcontext(&coroutine[self], &coroutine[!self]);
	}
}

static void run_coroutines(void)
{
	static char stack[2][STACK];

	for (int i = 0; i < 2; i++) {
		getcontext(&coroutine[i]);
		coroutine[i].uc_stack.ss_sp = stack[i];
		coroutine[i].uc_stack.ss_size = sizeof(stack[i]);
		coroutine[i].uc_link = &scheduler;
		makecontext(&coroutine[i], (void (*)(void))run_coroutine, 1, i);
	}
	swapcontext(&scheduler, &coroutine[0]);
}

int main(void)
{
	for (volatile int i = 0; i < ROUNDS; i++) {
		if (!setjmp(outermost))
			descend(0, i % 50);
	}
	signal(SIGUSR1, on_signal);
	for (volatile int i = 0; i < 100; i++) {
		if (!sigsetjmp(interrupted, 1))
			raise(SIGUSR1);
	}
	run_coroutines();
	printf("%lu turns\n", turns);
	return turns == 2 * ROUNDS - 1 || turns == 2 * ROUNDS ? EXIT_SUCCESS : EXIT_FAILURE;
}
