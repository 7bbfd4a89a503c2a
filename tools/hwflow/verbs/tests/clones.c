/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For autofdo-gcc.sh: a function with a clone for a constant argument; functions whose beginning is
 * inlined in their callers: of one the rest is a function, of the other it is inlined as well; a
 * function that calls itself, a loop that begins at the entry of its function, calls by way of a
 * pointer, and functions whose symbols DWARF does not have: one as of a static function of C++, and
 * one as of a function in a function.
 */
#include <stdio.h>

#define NOINLINE __attribute__((noinline))

static NOINLINE unsigned int scale(unsigned int n, unsigned int by)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (i % by == 0)
			sum += i;
		sum = sum * by + 1;
	}
	return sum;
}

unsigned int outside(unsigned int *cell, unsigned int n)
{
	if (!*cell)
		return 0;
	for (unsigned int i = 0; i < n; i++)
		*cell = *cell * 5 + scale(i, n);
	printf("%u\n", *cell);
	printf("%u\n", *cell / 2);
	printf("%u\n", *cell / 3);
	return *cell % 7;
}

unsigned int inside(unsigned int *cell, unsigned int n)
{
	if (!*cell)
		return 0;
	for (unsigned int i = 0; i < n; i++)
		*cell += 3 * i;
	return *cell % 7;
}

NOINLINE unsigned int nested(unsigned int n)
{
	return n ? nested(n - 1) * 3 % 101 + 1 : 7;
}

NOINLINE unsigned int loop(volatile unsigned int *left)
{
	while (--*left)
		;
	return *left;
}

NOINLINE static unsigned int often(unsigned int n)
{
	return n * 3 + 1;
}

static unsigned int seldom(unsigned int n) __asm__("_ZL6seldomj");

NOINLINE static unsigned int seldom(unsigned int n)
{
	return n / 3;
}

static unsigned int within(unsigned int n) __asm__("within.0");

NOINLINE static unsigned int within(unsigned int n)
{
	return n * 5 % 11;
}

int main(int argc, char **argv)
{
	static unsigned int (*const volatile called[])(unsigned int) = {often, seldom};
	unsigned int (*const volatile called_outside)(unsigned int *, unsigned int) = outside;
	unsigned int cells[16] = {[3] = 1, [9] = 2}, sum = 0;
	volatile unsigned int left = 50;

	/* not executed */
	if (argc > 100)
		printf("%s\n", argv[1]);
	for (unsigned int i = 0; i < 300; i++) {
		sum += scale(i % 16, 3);
		sum += outside(&cells[i % 16], 5);
		sum += inside(&cells[i % 15], 4);
		sum += called[i % 10 == 0](i);
		sum += i % 30 ? 0 : called_outside(&cells[i % 7], 2);
	}
	sum += scale(20, (unsigned int)argc + 2) + outside(&cells[argc], 3) +
	       outside(&cells[argc + 2], 4) + nested(20) + loop(&left) + within(sum);
	printf("%u\n", sum);
	return 0;
}
