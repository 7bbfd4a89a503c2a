// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes: forked, spawned, and by execve another program, a script, or a program of the
 * machine that emulates.
 *
 * Usage: forkexec SCRIPT NATIVE: both are executed. "forkexec leaf NAME" prints its name.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

extern char **environ;

static volatile unsigned int sink;

static void work(unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++)
		sink = sink * 3 + i;
}

static void reap(pid_t child, int status)
{
	int got;

	CHECK(waitpid(child, &got, 0) == child);
	CHECK(WIFEXITED(got) && WEXITSTATUS(got) == status);
}

static void test_fork(void)
{
	pid_t child = fork();

	CHECK(child >= 0);
	if (!child) {
		pid_t grandchild = fork();

		work(1000);
		if (!grandchild)
			_exit(4);
		reap(grandchild, 4);
		_exit(3);
	}
	work(2000);
	reap(child, 3);
}

static void run(const char *path, char *const argv[], int status)
{
	pid_t child = vfork();

	CHECK(child >= 0);
	if (!child) {
		execve(path, argv, environ);
		_exit(100);
	}
	reap(child, status);
}

int main(int argc, char **argv)
{
	char *leaf[] = {"some-name", "leaf", "with, comma = and space", NULL};
	char *spawned[] = {argv[0], "leaf", "spawned", NULL};
	char *script[] = {argc > 1 ? argv[1] : NULL, "one", "two words", NULL};
	char *native[] = {argc > 2 ? argv[2] : NULL, NULL};
	char *missing[] = {"/no/such/program", NULL};
	pid_t child;
	int fd;

	if (argc > 2 && !strcmp(argv[1], "leaf")) {
		work(500);
		printf("%s: %s\n", argv[0], argv[2]);
		return 7;
	}
	CHECK(argc == 3);
	test_fork();
	run("/proc/self/exe", leaf, 7);
	run(argv[0], leaf, 7);
	run(missing[0], missing, 100);
	run(script[0], script, 7);
	run(native[0], native, 0);
	CHECK(!posix_spawn(&child, argv[0], NULL, NULL, spawned, environ));
	reap(child, 7);
	child = fork();
	if (!child) {
		fd = open(argv[0], O_RDONLY);
		fexecve(fd, spawned, environ);
		_exit(100);
	}
	reap(child, 7);
	/* descriptors that are not the program's own */
	for (fd = 3; fd < 1024; fd++)
		close(fd);
	test_fork();
	puts("forkexec: good");
	fflush(stdout);
	execv(argv[0], spawned);
	return 1;
}
