// SPDX-License-Identifier: GPL-2.0-only
/* Processes and threads with names: `groups OTHER` starts a thread, and the program OTHER as a
 * process. */
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static void by_program(int n)
{
	for (volatile int i = 0; i < n; i++)
		;
}

__attribute__((noinline)) static void by_thread(int n)
{
	for (volatile int i = 0; i < n; i++)
		;
}

static void *run(void *argument)
{
	prctl(PR_SET_NAME, "work@1");
	by_thread(200);
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	pid_t pid;

	by_program(100);
	if (argc < 2)
		return 0;
	if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
		return 1;
	pid = fork();
	if (!pid) {
		execl(argv[1], argv[1], NULL);
		_exit(1);
	}
	return pid < 0 || waitpid(pid, NULL, 0) != pid;
}
