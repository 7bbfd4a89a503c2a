// SPDX-License-Identifier: GPL-2.0-only
/*
 * To be traced while the machine moves: works until there is a file /tmp/moved, and asks the kernel
 * for it again and again. It says when it has begun.
 */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static volatile uint32_t sum;

__attribute__((noinline)) static void even(uint32_t n)
{
	sum += n;
}

__attribute__((noinline)) static void odd(uint32_t n)
{
	sum ^= n << 3;
}

__attribute__((noinline)) static uint32_t depth(uint32_t n)
{
	return n ? depth(n - 1) + sum : 0;
}

int main(void)
{
	static void (*volatile const table[])(uint32_t) = {even, odd};
	FILE *console = fopen("/dev/console", "w");

	if (!console)
		return 1;
	for (uint32_t round = 0; access("/tmp/moved", F_OK); round++) {
		for (uint32_t n = 0; n < 2000; n++)
			table[(n ^ n >> 3) & 1](n);
		depth(round % 10);
		if (round == 100) {
			fputs("working\n", console);
			fflush(console);
		}
	}
	return 0;
}
