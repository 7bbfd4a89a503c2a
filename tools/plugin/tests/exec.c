// SPDX-License-Identifier: GPL-2.0-only
/*
 * One of several programs that execute each other. Each is built with a PROGRAM of its own: its
 * name, which its functions bear as well, and with a PAD of its own, so that the same addresses
 * have other instructions in each.
 *
 * Usage: PROGRAM [HOW PROGRAM...]: does its work, then executes the other program.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define JOIN(a, b)  a##_##b
#define NAME(a, b)  JOIN(a, b)
#define TEXT(a)     #a
#define TEXT_OF(a)  TEXT(a)
#define WORK        NAME(PROGRAM, work)
#define SPIN        NAME(PROGRAM, spin)
#define THREADS     3
#define SPIN_ROUNDS 2000

extern char **environ;

static volatile unsigned int sink;
static volatile int spinning;

/* other code than that of other programs, and so is the place of all that comes behind it */
__attribute__((noipa)) static void NAME(PROGRAM, pad)(void)
{
	__asm__ volatile(".rept " TEXT_OF(PAD) "\n nop\n .endr" ::: "memory");
}

__attribute__((noipa)) static void WORK(unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++)
		sink = sink * PAD + i;
	NAME(PROGRAM, pad)();
}

/* Never ends: exec ends it. */
static void *SPIN(void *unused)
{
	(void)unused;
	for (unsigned int i = 0;; i++) {
		sink ^= i;
		if (i == SPIN_ROUNDS)
			__atomic_add_fetch(&spinning, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void *exec_in_thread(void *argv)
{
	char **words = argv;

	while (spinning < THREADS)
		usleep(1000);
	execv(words[0], words);
	return NULL;
}

static void begin_threads(void)
{
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		CHECK(!pthread_create(&thread, NULL, SPIN, NULL));
	}
}

static int reap(pid_t child)
{
	int status;

	CHECK(child > 0);
	CHECK(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int with_vfork(char **words)
{
	pid_t child = vfork();

	if (!child) {
		execv(words[0], words);
		_exit(100);
	}
	return reap(child);
}

static int with_spawn(char **words)
{
	pid_t child;

	CHECK(!posix_spawn(&child, words[0], NULL, NULL, words, environ));
	return reap(child);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	char **words = argv + 2;
	pthread_t thread;

	WORK(1000);
	if (!strcmp(how, "vfork"))
		return with_vfork(words);
	if (!strcmp(how, "spawn"))
		return with_spawn(words);
	/* what sh is called with is a command as well */
	if (!strcmp(how, "system"))
		return system(words[0]) != 0;
	if (!strcmp(how, "threads")) {
		begin_threads();
		exec_in_thread(words);
	}
	if (!strcmp(how, "thread")) {
		begin_threads();
		CHECK(!pthread_create(&thread, NULL, exec_in_thread, words));
		SPIN(NULL);
	}
	/* -c: as sh */
	if (!strcmp(how, "exec") || !strcmp(how, "-c"))
		execv(words[0], words);
	return *how != 0;
}
