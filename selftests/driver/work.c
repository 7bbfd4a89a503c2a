// SPDX-License-Identifier: GPL-2.0-only
/*
 * work [THREADS [ROUNDS]] - executes what it never executed before, so that each part of its trace
 * fits in one place of the log only: branches by the bits of a sequence of numbers. Until there is
 * a file `stop` in the working directory, or for ROUNDS rounds; a line a round to standard output.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define STEPS 1600

static unsigned long rounds;
static volatile uint64_t sink[64];

static __attribute__((noinline)) uint64_t odd(uint64_t n)
{
	return n * 6364136223846793005u + 1442695040888963407u;
}

static __attribute__((noinline)) uint64_t even(uint64_t n)
{
	return n * 6364136223846793005u + 1442695040888963409u;
}

static __attribute__((noinline)) uint64_t turn(uint64_t n)
{
	static uint64_t (*const steps[])(uint64_t n) = {even, odd};

	return steps[n >> 60 & 1](n);
}

static __attribute__((noinline)) void play(uint64_t *state, volatile uint64_t *to)
{
	for (int i = 0; i < STEPS; i++) {
		if (*state >> 61 & 1)
			*to += *state;
		*state = turn(*state);
	}
}

static void *worker(void *number)
{
	const uintptr_t id = (uintptr_t)number;
	uint64_t state = id + 1;

	for (unsigned long round = 0; !rounds || round < rounds; round++) {
		if (!rounds && !access("stop", F_OK))
			break;
		play(&state, &sink[id % 64]);
		if (write(STDOUT_FILENO, "\n", 1) != 1)
			break;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;
	pthread_t threads[64];

	rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	if (!count || count > 64)
		return 1;
	for (uintptr_t i = 1; i < count; i++)
		if (pthread_create(&threads[i], NULL, worker, (void *)i))
			return 1;
	worker(0);
	for (unsigned int i = 1; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
