// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals from outside, at any place: a timer while code runs that ends in branches of all
 * kinds, in one thread and in several.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;
static volatile uint64_t sink;

static void on_tick(int signal)
{
	(void)signal;
	ticks++;
}

static void on_other(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	sink += strlen("a handler that does more");
}

__attribute__((noinline)) static uint64_t leaf(uint64_t x)
{
	return x * 3 + 1;
}

typedef uint64_t step(uint64_t);

static void *work(void *rounds)
{
	step *volatile steps[2] = {leaf, leaf};
	uint64_t x = 1;

	for (long i = 0; i < (long)rounds; i++) {
		x = leaf(x);
		if ((x & 7) == 3)
			x = steps[i & 1](x);
		else if ((x & 3) == 1)
			x ^= x >> 7;
	}
	sink += x;
	return NULL;
}

int main(int argc, char **argv)
{
	struct itimerval timer = {{0, 700}, {0, 700}};
	struct sigaction other = {.sa_sigaction = on_other, .sa_flags = SA_SIGINFO | SA_RESTART};
	long rounds = argc > 1 ? atol(argv[1]) : 1000000;
	long threads = argc > 2 ? atol(argv[2]) : 0;
	pthread_t thread[8];

	signal(SIGPROF, on_tick);
	signal(SIGALRM, on_tick);
	sigaction(SIGVTALRM, &other, NULL);
	setitimer(ITIMER_PROF, &timer, NULL);
	timer.it_interval.tv_usec = timer.it_value.tv_usec = 900;
	setitimer(ITIMER_VIRTUAL, &timer, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (long i = 0; i < threads && i < 8; i++)
		pthread_create(&thread[i], NULL, work, (void *)rounds);
	work((void *)rounds);
	for (long i = 0; i < threads && i < 8; i++)
		pthread_join(thread[i], NULL);
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_PROF, &timer, NULL);
	setitimer(ITIMER_VIRTUAL, &timer, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("async: good, %s ticks\n", ticks > 3 ? "many" : "few");
	return 0;
}
