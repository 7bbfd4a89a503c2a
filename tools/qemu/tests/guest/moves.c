// SPDX-License-Identifier: GPL-2.0-only
/*
 * To be traced: a thread that goes from CPU to CPU and comes back, and does something else each time; then code that is
 * mapped again, so that the processor has it at two addresses.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile uint32_t sum;

__attribute__((noinline)) static void work(uint32_t n)
{
	for (uint32_t i = 0; i < 100 + n; i++)
		if (i & n)
			sum += i;
}

/* Begins a page, and does not depend on its address */
__attribute__((noinline, aligned(4096))) static uint32_t bits(uint32_t n)
{
	uint32_t count = 0;

	for (; n; n >>= 1)
		if (n & 1)
			count++;
	return count;
}

static int execute_twice(void)
{
	extern const char __executable_start[];
	const off_t at = (const char *)(uintptr_t)bits - __executable_start;
	const int fd = open("/proc/self/exe", O_RDONLY);
	uint32_t (*again)(uint32_t);

	again = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, at);
	return again == MAP_FAILED || bits(0x5555) != 8 || again(0x7777) != 12;
}

int main(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (uint32_t n = 0; n < 40; n++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(n % (uint32_t)cpus, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			return 1;
		work(n);
	}
	return execute_twice();
}
