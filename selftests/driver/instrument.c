// SPDX-License-Identifier: GPL-2.0-only
/*
 * instrument FIRST COUNT [MICROSECONDS] - writes the numbers from FIRST on into its trace, by TRCIT (FEAT_ITE), and sleeps
 * for so long after each.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* SYS #3, c7, c2, #7, x0: assemblers do not know trcit */
static void trcit(uint64_t value)
{
	register uint64_t x0 __asm__("x0") = value;

	__asm__ volatile(".inst 0xd50b72e0" : : "r"(x0));
}

int main(int argc, char **argv)
{
	uint64_t value, end;
	unsigned int sleep;

	if (argc < 3)
		return 2;
	value = strtoull(argv[1], NULL, 0);
	end = value + strtoull(argv[2], NULL, 0);
	sleep = argc > 3 ? (unsigned int)strtoul(argv[3], NULL, 0) : 0;
	for (; value < end; value++) {
		trcit(value);
		if (sleep)
			usleep(sleep);
	}
	return 0;
}
