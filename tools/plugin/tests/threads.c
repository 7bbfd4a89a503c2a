// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads: made and joined, waiting for each other, sent signals, and, with the argument
 * "leave", still running when the process ends.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 6
#define ROUNDS  200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static int turn;
static atomic_long total;
static atomic_int spinning;
static _Thread_local volatile sig_atomic_t pokes;

static void on_poke(int signal)
{
	(void)signal;
	pokes++;
}

static void *take_turns(void *number)
{
	int own = (int)(long)number;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		while (turn != own)
			pthread_cond_wait(&turn_changed, &lock);
		turn = (turn + 1) % THREADS;
		pthread_cond_broadcast(&turn_changed);
		pthread_mutex_unlock(&lock);
		atomic_fetch_add(&total, i);
	}
	return number;
}

static void *short_lived(void *number)
{
	atomic_fetch_add(&total, (long)number);
	pthread_exit(number);
}

static void *spin(void *number)
{
	(void)number;
	atomic_fetch_add(&spinning, 1);
	for (;;)
		atomic_fetch_add(&total, 1);
	return NULL;
}

static void *wait_for_pokes(void *number)
{
	(void)number;
	atomic_fetch_add(&spinning, 1);
	while (pokes < 5)
		;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	void *result;

	for (long i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, take_turns, (void *)i);
	for (long i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &result);
		if (result != (void *)i)
			abort();
	}
	for (long i = 0; i < 50; i++) {
		pthread_create(&thread[0], NULL, short_lived, (void *)i);
		pthread_join(thread[0], NULL);
	}
	signal(SIGUSR1, on_poke);
	pthread_create(&thread[0], NULL, wait_for_pokes, NULL);
	while (!atomic_load(&spinning))
		usleep(1000);
	for (int i = 0; i < 200 && !pthread_kill(thread[0], SIGUSR1); i++)
		usleep(1000);
	pthread_join(thread[0], NULL);
	puts("threads: good");
	fflush(stdout);
	if (argc > 1) {
		for (int i = 0; i < 3; i++)
			pthread_create(&thread[i], NULL, spin, NULL);
		while (atomic_load(&spinning) < 4)
			usleep(1000);
		usleep(20000);
	}
	if (argc > 1 && !strcmp(argv[1], "kill"))
		kill(getpid(), SIGKILL);
	if (argc > 1 && !strcmp(argv[1], "fault"))
		*(volatile int *)8 = 1;
	return 0;
}
