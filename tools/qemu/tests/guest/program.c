// SPDX-License-Identifier: GPL-2.0-only
/*
 * To be traced: so many calls of each kind that they can be counted in what is decoded.
 */
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile uint32_t sum;

__attribute__((noinline)) void leaf(uint32_t n)
{
	if (n & 1)
		sum += n;
}

__attribute__((noinline)) void other_leaf(uint32_t n)
{
	sum ^= n;
}

__attribute__((noinline)) uint32_t recursive(uint32_t n)
{
	return n ? recursive(n - 1) + sum : 0;
}

static void handler(int signal)
{
	(void)signal;
	other_leaf(7);
}

int main(void)
{
	static void (*volatile const table[])(uint32_t) = {leaf, other_leaf};
	volatile uint8_t *pages =
		mmap(NULL, 64 << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* 1000 of leaf(), 500 of other_leaf() */
	for (uint32_t n = 0; n < 500; n++)
		leaf(n);
	for (uint32_t n = 0; n < 1000; n++)
		table[n & 1](n);
	/* 51 of recursive() */
	recursive(50);
	/* faults, calls of the kernel, and 20 signals: 20 more of other_leaf() */
	for (uint32_t n = 0; n < 64; n++)
		pages[n << 12] = 1;
	signal(SIGUSR1, handler);
	for (uint32_t n = 0; n < 20; n++)
		kill(getpid(), SIGUSR1);
	return 0;
}
