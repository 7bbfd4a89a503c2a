/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For profile.sh: statements of all kinds, some of which never run. Its lines are counted by gcov,
 * and by hwflow. It has no fork(): gcov counts each process by itself.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* clang-format off */
static volatile int sink;
static jmp_buf back;

#define TWICE(x) ((x) + (x))

static inline int small(int value)
{
	return value < 10 ? value : 10;
}

static int __attribute__((noinline)) never(int value)
{
	if (value > 3)
		sink = value;
	while (value-- > 0)
		sink += value;
	return sink;
}

static int classify(int value)
{
	switch (value % 6) {
	case 0:
		return 3;
	case 1: return value / 7; case 2: return value / 9;
	case 3:
		value += 2;
		/* fall through */
	case 4:
		value *= 3;
		break;
	default:
		if (value > 1000000) {
			printf("%d\n", value);
			value = never(value);
		}
		return -value;
	}
	return value;
}

static int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

/* a line that is entered by calls of its own, and by a branch from another line */
static int descend(int n) { if (n > 0) descend(n - 1); if (n != 2) goto down; up: return n;
down: sink += n; goto up;
}

static int conditions(int a, int b, int c)
{
	int found = 0;

	if (a > 3 &&
	    b > 5 &&
	    c > 7)
		found++;
	if (a == 1 || b == 2 || c == 3)
		found += 2;
	else if (a + b + c > 1000000)
		found += 100;
	else
		found += 4;
	found += a > b ? TWICE(a) : small(b);
	return found;
}

static int loops(int count)
{
	int total = 0, i, j;

	for (i = 0; i < count; i++)
		total += i;
	for (i = 0; i < count; i++) total ^= i;
	for (i = 0; i < count; i++) {
		for (j = 0; j < i; j++) {
			if (j == 5)
				continue;
			if (j > 7)
				break;
			total += small(j);
		}
	}
	do {
		total -= 3;
	} while (total > 100);
	while (count > 0)
		count -= 2;
	for (i = 0; i < 100; i += 10)
		;
	for (;;) {
		if (++i > 130)
			goto out;
	}
out:
	return total;
}

static int compare(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void handler(int number)
{
	sink += number;
}

static void jump(int value)
{
	if (value)
		longjmp(back, value);
	sink = 0;
}

static void jumps(void)
{
	volatile int round = 0;
	int value = setjmp(back);

	sink += value;
	if (round < 3) {
		round++;
		jump(round);
	}
	jump(0);
}

static void fail(const char *why)
{
	fprintf(stderr, "%s\n", why);
	exit(1);
}

struct shape {
	int (*area)(int a,
		    int b);
	const char *name;
};

static int square(int a, int b)
{
	(void)b;
	return a * a;
}

static int rectangle(int a, int b)
{
	return a *
	       b;
}

int main(int argc, char **argv)
{
	static const struct shape shapes[] = {{square, "square"}, {rectangle, "rectangle"}};
	int numbers[20];

	signal(SIGUSR1, handler);
	if (argc > 5)
		fail(argv[0]);
	for (int i = 0; i < 50; i++)
		sink += classify(i);
	sink += factorial(6) + descend(3);
	for (int i = 0; i < 10; i++)
		sink += conditions(i, 2 * i - 5, i * i);
	sink += loops(20);
	for (unsigned int i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		numbers[i] = (int)(i * 7 % 20);
	qsort(numbers, sizeof(numbers) / sizeof(numbers[0]), sizeof(numbers[0]), compare);
	for (unsigned int i = 0; i < 2; i++)
		sink += shapes[i].area(3,
				       (int)strlen(shapes[i].name));
	jumps();
	raise(SIGUSR1);
	raise(SIGUSR1);
	if (sink == 1)
		fail("sum");
	return 0;
}
