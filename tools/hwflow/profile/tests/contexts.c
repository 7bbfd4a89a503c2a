/* SPDX-License-Identifier: GPL-2.0-only */
/* A program whose calls contexts.sh knows: recursion, an inlined function with a call, a tail call.
 */
#define NOINLINE __attribute__((noinline))

static volatile int sink;

NOINLINE int leaf(int x)
{
	sink = x;
	return x + 1;
}

#include "contexts.h"

NOINLINE int middle(int x)
{
	int sum = 0;

	for (int i = 0; i < x; i++)
		sum += outer(i) + leaf(i);
	return sum;
}

NOINLINE int tail(int x)
{
	sink = x;
	return leaf(x - 1);
}

NOINLINE int factorial(int n)
{
	return n < 2 ? leaf(1) : n * factorial(n - 1) + leaf(n);
}

NOINLINE int odd(int n);

NOINLINE int even(int n)
{
	sink = n;
	return n ? odd(n - 1) + 1 : 0;
}

NOINLINE int odd(int n)
{
	sink = n;
	return n ? even(n - 1) + 1 : 0;
}

/* Its first instruction is of the inlined function. */
NOINLINE int begins(int x)
{
	return scaled(x);
}

int main(void)
{
	sink = begins(sink);
	return (middle(3) + factorial(6) + tail(7) + even(9)) & 0;
}
