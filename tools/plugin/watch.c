// SPDX-License-Identifier: GPL-2.0-only
/*
 * No process of a run outlives the command: a thread of each looks four times a second whether the
 * command's worker is still there. The worker kills what it has started, and QEMU's first process
 * dies with it; this is for the others, where the worker itself was killed.
 *
 * It has no descriptor, which the program could close, and takes no signal.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "watch.h"

#define STACK ((size_t)64 << 10)

static pid_t watched;

bool watch_worker_is_gone(void)
{
	return watched > 0 && kill(watched, 0) && errno == ESRCH;
}

static void *watch(void *unused)
{
	const struct timespec pause = {.tv_nsec = 250000000};

	(void)unused;
	while (!watch_worker_is_gone())
		nanosleep(&pause, NULL);
	kill(getpid(), SIGKILL);
	return NULL;
}

void watch_begin(pid_t worker)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;

	watched = worker;
	if (worker <= 0 || pthread_attr_init(&attributes))
		return;
	pthread_attr_setstacksize(&attributes, STACK);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_create(&thread, &attributes, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
}
