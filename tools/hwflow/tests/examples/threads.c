// SPDX-License-Identifier: GPL-2.0-only
/* The same with two threads, which work in turns. */
#include <pthread.h>
#include <semaphore.h>

#define TURNS 20

static sem_t turns[2];
static volatile int total;

static void __attribute__((noinline)) work(int number)
{
	total += number;
}

static void *take_turns(void *own)
{
	const int number = own == &turns[1];

	for (int i = 0; i < TURNS; i++) {
		sem_wait(&turns[number]);
		work(number);
		sem_post(&turns[!number]);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		sem_init(&turns[i], 0, i == 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take_turns, &turns[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return total != TURNS;
}
