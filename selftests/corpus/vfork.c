// SPDX-License-Identifier: GPL-2.0-only
/* Children by vfork(), posix_spawn() and system(): each executes another program, or none. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int status_of(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	char *const again[] = { argv[0], "child", NULL };
	char other[4096];
	pid_t child;

	if (argc > 1)
		return 7;
	child = vfork();
	if (child == 0) {
		execv(argv[0], again);
		_exit(1);
	}
	if (status_of(child) != 7)
		return EXIT_FAILURE;
	child = vfork();
	if (child == 0)
		_exit(5);
	if (status_of(child) != 5)
		return EXIT_FAILURE;
	/* another program, which is linked to the same addresses */
	snprintf(other, sizeof(other), "%.*s/stacks",
		 (int)(strrchr(argv[0], '/') - argv[0]), argv[0]);
	if (posix_spawn(&child, other, NULL, NULL, (char *[]){ other, NULL }, environ) ||
	    status_of(child))
		return EXIT_FAILURE;
	puts("three children");
	return EXIT_SUCCESS;
}
