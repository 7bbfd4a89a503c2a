// SPDX-License-Identifier: GPL-2.0-only
/*
 * request COUNT [SLOW_MS [THREADS [HOW]]] - carries out COUNT requests in each of THREADS threads.
 * One request of the first thread, at a place chosen by chance, takes SLOW_MS milliseconds more.
 * Prints the number of this request and the address of the function that only it calls. HOW:
 *
 *   nested   each request carries out another one before its end
 *   moving   each request moves to another CPU before its end
 *   signal   the slow request sends SIGUSR1 to its process
 *   late     the slow request comes when there is a file `now` in the working directory; COUNT is
 *            the largest number of requests
 *
 * Each request executes what no other one executes, by the bits of a sequence of numbers.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define STEPS 16

static unsigned long count;
static unsigned long slow_at;
static long slow_ms;
static const char *how = "";
static volatile uint64_t sink;

static __attribute__((noinline)) uint64_t odd(uint64_t n)
{
	return n * 6364136223846793005u + 1442695040888963407u;
}

static __attribute__((noinline)) uint64_t even(uint64_t n)
{
	return n * 6364136223846793005u + 1442695040888963409u;
}

/* Only the slow request calls this function. */
__attribute__((noinline)) void slow(void)
{
	struct timespec time = {.tv_sec = slow_ms / 1000, .tv_nsec = slow_ms % 1000 * 1000000};

	if (!strcmp(how, "signal"))
		raise(SIGUSR1);
	nanosleep(&time, NULL);
}

static void ignore(int number)
{
	sink += (uint64_t)number;
}

static void move(void)
{
	const int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((sched_getcpu() + 1) % cpus, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* A request ends here. */
__attribute__((noinline)) void request_done(uint64_t n)
{
	sink += n;
}

__attribute__((noinline)) void request(uint64_t *state, bool is_slow, bool nested)
{
	for (int i = 0; i < STEPS; i++) {
		if (*state >> 61 & 1)
			sink += *state;
		*state = *state >> 60 & 1 ? odd(*state) : even(*state);
	}
	if (nested)
		request(state, false, false);
	if (!strcmp(how, "moving"))
		move();
	if (is_slow)
		slow();
	request_done(*state);
}

static bool is_slow(uintptr_t thread, unsigned long number)
{
	if (!slow_ms || thread)
		return false;
	return strcmp(how, "late") ? number == slow_at : !access("now", F_OK);
}

static void *worker(void *number)
{
	const uintptr_t id = (uintptr_t)number;
	uint64_t state = id + 1;
	bool done = false;

	for (unsigned long i = 0; i < count && !(done && !strcmp(how, "late")); i++) {
		done = is_slow(id, i);
		request(&state, done, !strcmp(how, "nested"));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const unsigned int threads = argc > 3 ? (unsigned int)atoi(argv[3]) : 1;
	pthread_t others[64];
	uint32_t chance;

	count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	slow_ms = argc > 2 ? atol(argv[2]) : 0;
	if (argc > 4)
		how = argv[4];
	if (!count || !threads || threads > 64 ||
	    getrandom(&chance, sizeof(chance), 0) != sizeof(chance))
		return 1;
	slow_at = chance % count;
	signal(SIGUSR1, ignore);
	printf("%lu %p\n", slow_at, (void *)slow);
	fflush(stdout);
	for (uintptr_t i = 1; i < threads; i++)
		if (pthread_create(&others[i], NULL, worker, (void *)i))
			return 1;
	worker(0);
	for (unsigned int i = 1; i < threads; i++)
		pthread_join(others[i], NULL);
	return 0;
}
