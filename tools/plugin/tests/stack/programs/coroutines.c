// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coroutines with swapcontext(): a chain of generators, several that suspend in the same function
 * with different callers, new ones on the stacks of finished ones, and a longjmp in one. Their
 * stacks are next to each other.
 */
#include <setjmp.h>
#include <stdint.h>
#include <ucontext.h>

#include "../../check.h"

#define COUNT 6
#define STACK 32768

static volatile int zero;

struct coroutine {
	ucontext_t context;
	ucontext_t *resumer;
	int value;
	int done;
};

static struct coroutine coroutines[COUNT];
static uint8_t stacks[COUNT][STACK] __attribute__((aligned(16)));

__attribute__((noinline)) static int leaf(int value)
{
	return value + zero;
}

__attribute__((noinline)) static void yield(int self, int value)
{
	coroutines[self].value = leaf(value);
	swapcontext(&coroutines[self].context, coroutines[self].resumer);
	leaf(1);
}

__attribute__((noinline)) static int resume(int number)
{
	ucontext_t here;

	coroutines[number].resumer = &here;
	swapcontext(&here, &coroutines[number].context);
	return leaf(coroutines[number].value);
}

static void begin(int number, void (*function)(void), int stack)
{
	struct coroutine *coroutine = &coroutines[number];

	CHECK(!getcontext(&coroutine->context));
	coroutine->context.uc_stack.ss_sp = stacks[stack];
	coroutine->context.uc_stack.ss_size = STACK;
	coroutine->context.uc_link = NULL;
	coroutine->done = 0;
	makecontext(&coroutine->context, function, 1, number);
}

/* A generator of 1, 2, 3, ..., and filters that pass on what the generator before gives, but not
 * multiples */
static void numbers(int self)
{
	for (int i = 2;; i++)
		yield(self, i);
}

static void filter(int self)
{
	const int prime = resume(self - 1);

	yield(self, prime);
	for (;;) {
		const int value = resume(self - 1);

		if (value % prime)
			yield(self, value);
	}
}

__attribute__((noinline)) static void descend(int self, int depth)
{
	if (depth)
		descend(self, depth - 1);
	yield(self, depth);
	leaf(depth);
}

__attribute__((noinline)) static void descend_otherwise(int self, int depth)
{
	yield(self, depth + 100);
	if (depth)
		descend_otherwise(self, depth - 1);
	leaf(depth);
}

static void walker(int self)
{
	jmp_buf buffer;
	volatile int turns = 0;

	if (self % 2)
		descend(self, 5 + self);
	else
		descend_otherwise(self, 5 + self);
	/* a jump after others have been on their stacks */
	if (setjmp(buffer) < 3) {
		turns++;
		yield(self, turns);
		longjmp(buffer, turns);
	}
	coroutines[self].done = 1;
	yield(self, 0);
	abort();
}

static void test_generators(void)
{
	static const int primes[] = {7, 13, 17, 19, 23, 29};

	begin(0, (void (*)(void))numbers, 0);
	for (int i = 1; i < 4; i++)
		begin(i, (void (*)(void))filter, i);
	/* each of the filters keeps its first number for itself, and gives it */
	CHECK(resume(3) > 1);
	for (size_t i = 0; i < sizeof(primes) / sizeof(primes[0]); i++)
		CHECK(resume(3) > 1);
}

static void test_walkers(int rounds)
{
	for (int round = 0; round < rounds; round++) {
		int running = COUNT;

		for (int i = 0; i < COUNT; i++)
			begin(i, (void (*)(void))walker, (i + round) % COUNT);
		while (running) {
			running = 0;
			for (int i = 0; i < COUNT; i++) {
				if (coroutines[i].done)
					continue;
				resume(i);
				running += !coroutines[i].done;
			}
		}
	}
}

int main(void)
{
	test_generators();
	test_walkers(20);
	puts("coroutines: good");
	return 0;
}
