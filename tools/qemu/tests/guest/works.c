// SPDX-License-Identifier: GPL-2.0-only
/*
 * To be traced while the machine moves: works until there is a file /tmp/moved, and says when it
 * has begun. It begins on another CPU than it stays on: what is logged there is written late, when
 * the machine stops.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static volatile uint32_t sum;

/* Most of the work has no trace: a slow host must not fill the half of the buffer at which perf is woken. */
static inline void work(void)
{
	asm volatile(".rept 200\n\tadd x9, x9, #1\n\t.endr" ::: "x9");
}

__attribute__((noinline)) static void even(uint32_t n)
{
	work();
	sum += n;
}

__attribute__((noinline)) static void odd(uint32_t n)
{
	work();
	sum ^= n << 3;
}

__attribute__((noinline)) static uint32_t depth(uint32_t n)
{
	return n ? depth(n - 1) + sum : 0;
}

static void go_to(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int main(void)
{
	static void (*volatile const table[])(uint32_t) = {even, odd};
	FILE *console = fopen("/dev/console", "w");

	if (!console)
		return 1;
	go_to(0);
	for (uint32_t round = 0; access("/tmp/moved", F_OK); round++) {
		if (round == 20)
			go_to(1);
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
