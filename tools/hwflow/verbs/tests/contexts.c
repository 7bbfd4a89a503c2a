// SPDX-License-Identifier: GPL-2.0-only
/* Functions that do other work for other callers. SEPARATE keeps those apart that the compiler
 * would inline. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#ifndef SEPARATE
#define SEPARATE
#endif
#define NOINLINE __attribute__((noinline))

static volatile int sink;
static int table[16];

static inline int sum_up(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += table[i] ^ n;
	return sum;
}

/* inlined where it is called often, in hot() alone */
SEPARATE static int work(int n, int how)
{
	if (how)
		return sum_up(n & 15) + 3;
	for (int i = 0; i < n; i++) {
		sink += i;
		sink ^= n;
		sink -= table[n & 15];
		sink ^= sink << 3;
		sink += n >> 1;
		sink ^= table[i & 15];
	}
	return sink;
}

NOINLINE static int hot(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += work(i, 1);
	return sum;
}

NOINLINE static int cold(int n)
{
	return work(n, 0) + 1;
}

SEPARATE static int one(int n)
{
	return n + sink;
}
SEPARATE static int two(int n)
{
	return work(n, 1);
}

NOINLINE static int indirect(int n)
{
	static int (*volatile functions[2])(int) = {one, two};
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += functions[i % 3 == 0](i & 3);
	return sum;
}

/* a jump enters work() */
NOINLINE static int jump(int n)
{
	return work(n, sink < 1000000000);
}
NOINLINE static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

NOINLINE static int odd(int n);
NOINLINE static int even(int n)
{
	return n ? odd(n - 1) + (sink & 1) : 1;
}
NOINLINE static int odd(int n)
{
	return n ? even(n - 1) + (sink & 2) : 0;
}

static int compare(const void *a, const void *b)
{
	return work(*(const int *)a, 1) < work(*(const int *)b, 1) ? -1 : 1;
}

static void handler(int number)
{
	sink += work(number, 1);
}
static void *worker(void *unused)
{
	sink += hot(50);
	return unused;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 16; i++)
		table[i] = 37 * i % 16;
	sink += hot(2000);
	sink += cold(3);
	sink += indirect(100);
	sink += jump(7) + jump(8);
	sink += fib(9);
	sink += even(9);
	qsort(table, 16, sizeof(table[0]), compare);
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	pthread_create(&thread, NULL, worker, NULL);
	pthread_join(thread, NULL);
	return 0;
}
