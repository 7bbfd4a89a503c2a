// SPDX-License-Identifier: GPL-2.0-only
/* A child that becomes another user, as far as it may, and goes on. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

static int run_child(void)
{
	if (getuid() == 0 && (setgid(NOBODY) || setuid(NOBODY) || getuid() != NOBODY))
		return EXIT_FAILURE;
	if (getuid() != 0 && setuid(0) == 0)
		return EXIT_FAILURE;
	return EXIT_SUCCESS;
}

int main(void)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(run_child());
	if (child < 0 || waitpid(child, &status, 0) != child)
		return EXIT_FAILURE;
	puts("another user");
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}
