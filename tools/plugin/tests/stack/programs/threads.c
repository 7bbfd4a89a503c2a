// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads, each with its own stack, that recurse, jump, are interrupted by each other's signals,
 * end by pthread_exit in a deep call, and are cancelled.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "../../check.h"

#define COUNT 4

static volatile int zero, ready;

__attribute__((noinline)) static int leaf(int value)
{
	return value + zero;
}

__attribute__((noinline)) static int down(int depth)
{
	return depth ? down(depth - 1) + leaf(1) : leaf(0);
}

__attribute__((noinline)) static int exit_at(int depth)
{
	if (!depth)
		pthread_exit(NULL);
	return exit_at(depth - 1) + leaf(1);
}

__attribute__((noinline)) static int jump_at(jmp_buf buffer, int depth)
{
	if (!depth)
		longjmp(buffer, 1);
	return jump_at(buffer, depth - 1) + leaf(1);
}

static void on_signal(int signal)
{
	(void)signal;
	down(3);
}

static void clean(void *argument)
{
	down(*(int *)argument);
}

static void *work(void *argument)
{
	volatile int number = *(int *)argument;
	jmp_buf buffer;

	for (volatile int i = 0; i < 30; i++) {
		CHECK(down(i) == i);
		if (!setjmp(buffer))
			jump_at(buffer, i);
		leaf(i);
	}
	pthread_cleanup_push(clean, argument);
	if (number % 2)
		exit_at(10 + number);
	pthread_cleanup_pop(1);
	return argument;
}

static void *wait_for_end(void *argument)
{
	pthread_cleanup_push(clean, argument);
	ready = 1;
	for (;;) {
		down(4);
		pthread_testcancel();
	}
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	pthread_t threads[COUNT], last;
	int numbers[COUNT];

	signal(SIGUSR1, on_signal);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < COUNT; i++) {
			numbers[i] = i;
			CHECK(!pthread_create(&threads[i], NULL, work, &numbers[i]));
		}
		for (int i = 0; i < COUNT; i++)
			pthread_kill(threads[i], SIGUSR1);
		for (int i = 0; i < COUNT; i++)
			CHECK(!pthread_join(threads[i], NULL));
	}
	CHECK(!pthread_create(&last, NULL, wait_for_end, &numbers[3]));
	while (!ready)
		sched_yield();
	CHECK(!pthread_cancel(last));
	CHECK(!pthread_join(last, NULL));
	puts("threads: good");
	return 0;
}
