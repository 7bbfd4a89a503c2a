// SPDX-License-Identifier: GPL-2.0-only
/* System calls of two threads; one lasts 20 ms, one fails. */
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void *worker(void *unused)
{
	for (int i = 0; i < 5; i++)
		syscall(SYS_getppid);
	return unused;
}

int main(void)
{
	const struct timespec pause = {0, 20000000};
	pthread_t thread;

	for (int i = 0; i < 7; i++)
		syscall(SYS_getppid);
	if (write(1, "three\n", 6) != 6 || write(1, "more\n", 5) != 5)
		return 1;
	if (write(-1, "x", 1) != -1)
		return 1;
	/* a number that no kernel has */
	syscall(9999);
	nanosleep(&pause, NULL);
	pthread_create(&thread, NULL, worker, NULL);
	pthread_join(thread, NULL);
	return 0;
}
