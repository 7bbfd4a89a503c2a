/* SPDX-License-Identifier: GPL-2.0-only */
/* For diff.sh: ROUNDS calls of a function, and another function before and after. */
static volatile int sink;

#ifndef ROUNDS
#define ROUNDS 100
#endif

static void __attribute__((noinline)) steady(int value)
{
	sink = sink * 3 + value;
}

#ifdef BEFORE
static void __attribute__((noinline)) vanishing(int value)
{
	sink = sink * 5 + value;
}
#else
static void __attribute__((noinline)) appearing(int value)
{
	sink = sink * 7 + value;
}
#endif

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		steady(i);
		if (i % 10 == 0)
#ifdef BEFORE
			vanishing(i);
#else
			appearing(i);
#endif
	}
	return 0;
}
