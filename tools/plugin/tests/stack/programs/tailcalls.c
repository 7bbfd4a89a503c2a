// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls in the place of a return: direct, indirect, among several functions, at the end of a
 * recursion. With -O2 they are branches, so the function that makes one is not on the stack any
 * more. dispatch() is a tail call before the function has a frame, and a jump table at the entry's
 * stack pointer.
 */
#include <stdlib.h>

#include "../../check.h"

static volatile unsigned int zero;
typedef unsigned int step_fn(unsigned int count, unsigned int sum);

__attribute__((noinline)) static unsigned int last(unsigned int sum)
{
	return sum + zero;
}

static step_fn ping, pong;
static step_fn *volatile steps[2] = {ping, pong};

__attribute__((noinline)) static unsigned int ping(unsigned int count, unsigned int sum)
{
	if (!count)
		return last(sum);
	sum += last(1);
	return steps[1](count - 1, sum);
}

__attribute__((noinline)) static unsigned int pong(unsigned int count, unsigned int sum)
{
	if (!count)
		return last(sum);
	if (count % 3)
		return ping(count - 1, sum + last(0));
	return steps[count % 2](count - 1, sum + last(0));
}

__attribute__((noinline)) static unsigned int dispatch(unsigned int which, unsigned int value)
{
	switch (which) {
	case 0:
		return last(value);
	case 1:
		return ping(value, 0);
	case 2:
		return value ? dispatch(0, value - 1) + last(1) : 0;
	case 3:
		return pong(3, value);
	case 4:
		return steps[0](2, value);
	case 5:
		return value + 1;
	case 6:
		return value < 3 ? 0 : dispatch(6, value - 1) + dispatch(2, value - 2);
	case 7:
		return last(dispatch(6, 2) + value);
	default:
		abort();
	}
}

int main(void)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < 30; i++)
		sum += steps[i % 2](i, 0);
	CHECK(sum > 0);
	sum = 0;
	for (unsigned int i = 0; i < 800; i++)
		sum += dispatch(i % 8, i % 13);
	CHECK(sum > 0);
	puts("tailcalls: good");
	return 0;
}
