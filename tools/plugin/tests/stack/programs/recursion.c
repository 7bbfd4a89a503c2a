// SPDX-License-Identifier: GPL-2.0-only
/* Deep recursion, mutual recursion, and functions whose frame has no fixed size (alloca). */
#include <alloca.h>
#include <string.h>

#include "../../check.h"

static volatile int zero;

__attribute__((noinline)) static unsigned long leaf(unsigned long value)
{
	return value + (unsigned long)zero;
}

__attribute__((noinline)) static unsigned long down(unsigned int depth)
{
	return depth ? down(depth - 1) + leaf(1) : leaf(0);
}

static unsigned long odd(unsigned int depth);

__attribute__((noinline)) static unsigned long even(unsigned int depth)
{
	return depth ? odd(depth - 1) + leaf(1) : 0;
}

__attribute__((noinline)) static unsigned long odd(unsigned int depth)
{
	return depth ? even(depth - 1) + leaf(2) : 0;
}

/* Ackermann: many calls, of all depths */
__attribute__((noinline)) static unsigned int ackermann(unsigned int m, unsigned int n)
{
	if (!m)
		return (unsigned int)leaf(n + 1);
	if (!n)
		return ackermann(m - 1, 1);
	return ackermann(m - 1, ackermann(m, n - 1));
}

/* Calls at stack pointers that differ within one activation */
__attribute__((noinline)) static unsigned long growing(unsigned int depth)
{
	unsigned long sum = leaf(0);

	for (unsigned int i = 1; i < 4; i++) {
		char *bytes = alloca(depth * i * 8 + 1);

		memset(bytes, (int)i, depth * i * 8 + 1);
		sum += leaf((unsigned long)bytes[depth]);
		if (depth)
			sum += growing(depth - 1);
	}
	return sum;
}

/* A variable length array gives its memory back at the end of the block. */
__attribute__((noinline)) static unsigned long blocks(unsigned int count)
{
	unsigned long sum = 0;

	for (unsigned int i = 0; i < count; i++) {
		volatile char bytes[16 + i % 7 * 64];

		bytes[i % 7] = 1;
		sum += leaf((unsigned long)bytes[i % 7]);
	}
	return sum + leaf(0);
}

int main(void)
{
	CHECK(down(5000) == 5000);
	CHECK(even(3000) == 4500);
	CHECK(ackermann(2, 30) == 63);
	CHECK(growing(6) == 6558);
	CHECK(blocks(1000) == 1000);
	puts("recursion: good");
	return 0;
}
