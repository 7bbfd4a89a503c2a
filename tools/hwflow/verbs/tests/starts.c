// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of three threads, which run for the first time in the order of their names. The thread
 * that is created first, and comes first in the recording, runs after the other.
 */
#include <pthread.h>
#include <semaphore.h>

#define NOINLINE __attribute__((noinline))

static sem_t may_run;
static volatile int turns;

static NOINLINE void f_sixth(void)
{
	for (turns = 0; turns < 50; turns++)
		;
}

static NOINLINE void c_third(int i)
{
	for (turns = 0; turns < i; turns++)
		;
}

static NOINLINE void never(void)
{
	turns = 0;
}

static NOINLINE void e_fifth(void)
{
	for (turns = 0; turns < 50; turns++)
		;
}

/* The third function runs seldom, but often enough for a decoder to know it by heart. */
static NOINLINE void b_second(void)
{
	for (int i = 0; i < 4000; i++)
		if (i % 200 == 199)
			c_third(10);
}

static NOINLINE void a_first(void)
{
	for (turns = 0; turns < 50; turns++)
		;
}

static NOINLINE void d_fourth(void)
{
	for (turns = 0; turns < 50; turns++)
		;
}

static void *late(void *arg)
{
	sem_wait(&may_run);
	b_second();
	return arg;
}

static void *early(void *arg)
{
	b_second();
	d_fourth();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	(void)argv;
	sem_init(&may_run, 0, 0);
	a_first();
	pthread_create(&threads[0], 0, late, 0);
	pthread_create(&threads[1], 0, early, 0);
	pthread_join(threads[1], 0);
	e_fifth();
	sem_post(&may_run);
	pthread_join(threads[0], 0);
	f_sixth();
	a_first();
	if (argc > 9)
		never();
	return 0;
}
