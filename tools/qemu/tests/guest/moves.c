// SPDX-License-Identifier: GPL-2.0-only
/*
 * To be traced: a thread that goes from CPU to CPU and comes back, and does something else each time.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <unistd.h>

static volatile uint32_t sum;

__attribute__((noinline)) static void work(uint32_t n)
{
	for (uint32_t i = 0; i < 100 + n; i++)
		if (i & n)
			sum += i;
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
	return 0;
}
