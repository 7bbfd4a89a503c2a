// SPDX-License-Identifier: GPL-2.0-only
/* The program of the examples: prints a checksum of each argument. */
#include <stdio.h>

__attribute__((noinline)) static unsigned int mix(unsigned int sum, unsigned int value)
{
	return sum * 31 + value;
}

unsigned int checksum(const char *text)
{
	unsigned int sum = 0;

	for (unsigned int round = 0; round < 2000; round++) {
		for (const char *at = text; *at; at++)
			sum = mix(sum, (unsigned char)*at + round);
	}
	return sum;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		printf("%s %08x\n", argv[i], checksum(argv[i]));
	return 0;
}
