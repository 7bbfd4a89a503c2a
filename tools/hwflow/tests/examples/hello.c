// SPDX-License-Identifier: GPL-2.0-only
/* The program of the examples in the manual. */
#include <stdio.h>

static unsigned int __attribute__((noinline)) checksum(const char *text)
{
	unsigned int sum = 0;

	while (*text)
		sum = sum * 31 + (unsigned char)*text++;
	return sum;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		printf("%08x\n", checksum(argv[i]));
	return 0;
}
