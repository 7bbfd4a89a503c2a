// SPDX-License-Identifier: GPL-2.0-only
/*
 * fork in a deep call, whose child goes on with the parent's stack and returns through it; vfork
 * and posix_spawn, and programs that are executed, whose stacks begin anew.
 */
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../check.h"

extern char **environ;
static volatile int zero;

__attribute__((noinline)) static int leaf(int value)
{
	return value + zero;
}

__attribute__((noinline)) static int down(int depth)
{
	return depth ? down(depth - 1) + leaf(1) : leaf(0);
}

static void wait_for(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* The child returns from all levels, as the parent does. */
__attribute__((noinline)) static pid_t fork_at(int depth)
{
	pid_t pid;

	if (!depth)
		return fork();
	pid = fork_at(depth - 1);
	leaf(depth);
	return pid;
}

__attribute__((noinline)) static void spawn(char *program)
{
	char *arguments[] = {program, "child", NULL};
	pid_t pid;

	CHECK(!posix_spawn(&pid, program, NULL, NULL, arguments, environ));
	wait_for(pid);
	pid = vfork();
	if (!pid) {
		execve(program, arguments, environ);
		_exit(1);
	}
	wait_for(pid);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		CHECK(down(30) == 30);
		return 0;
	}
	for (int i = 0; i < 3; i++) {
		const pid_t pid = fork_at(10 * i);

		CHECK(down(8) == 8);
		if (!pid)
			_exit(0);
		wait_for(pid);
	}
	spawn(argv[0]);
	CHECK(down(9) == 9);
	puts("processes: good");
	return 0;
}
