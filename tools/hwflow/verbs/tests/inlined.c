/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For autofdo.sh: calls that are inlined in each other, loops that a compiler unrolls, a loop that
 * begins at the entry of its function, and a function that calls itself.
 */
#include <stdio.h>
#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))

INLINE unsigned int leaf(unsigned int n)
{
	return n & 1 ? n * 3 : n / 2 + 1;
}

INLINE unsigned int middle(unsigned int n, unsigned int k)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += leaf(i + k) ^ (k > 3 ? leaf(sum) : leaf(k));
	return sum;
}

__attribute__((noinline)) unsigned int outer(unsigned int n)
{
	if (n > 10 && n % 3)
		return middle(n, 2) + middle(n, 5);
	return n == 1234 ? middle(n, 7) : middle(n * 2, n);
}

/* never called */
__attribute__((noinline)) static unsigned int unused(unsigned int n)
{
	return middle(n, 7) - 1;
}

/* the loop of a leaf begins at its entry */
__attribute__((noinline)) unsigned int loop(volatile unsigned int *left)
{
	while (--*left)
		;
	return *left;
}

__attribute__((noinline)) unsigned int nested(unsigned int n)
{
	return n ? nested(n - 1) * 3 % 101 + 1 : 7;
}

__attribute__((noinline)) unsigned int add_up(const unsigned int *values, size_t count)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i] * 7;
	return sum;
}

static int compare(const void *a, const void *b)
{
	const unsigned int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

unsigned int work(unsigned int count)
{
	static unsigned int (*const volatile called[])(unsigned int) = {outer, unused};
	static unsigned int values[400];
	unsigned int sum = 0;
	volatile unsigned int left;

	for (unsigned int i = 0; i < 400; i++) {
		sum += called[count > 100000](i);
		values[i] = sum % 1001;
		if (i % 8)
			continue;
		left = 50;
		sum += loop(&left);
	}
	qsort(values, 400, sizeof(values[0]), compare);
	for (unsigned int i = 0; i < count; i++)
		sum += add_up(values + i, 200 + i % 40);
	return sum + nested(20);
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
	(void)argv;
	printf("%u\n", work(100 + (unsigned int)argc));
	return 0;
}
#endif
