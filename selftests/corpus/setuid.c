// SPDX-License-Identifier: GPL-2.0-only
/* A child that becomes another user, as far as it may, and executes this program again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

static int run_child(char *program)
{
	char *const again[] = { program, "again", NULL };

	if (getuid() == 0 && (setgid(NOBODY) || setuid(NOBODY) || getuid() != NOBODY))
		return EXIT_FAILURE;
	if (getuid() != 0 && setuid(0) == 0)
		return EXIT_FAILURE;
	execv(program, again);
	/* the other user may not see the directory of the program */
	return errno == EACCES ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	pid_t child;
	int status;

	if (argc > 1)
		return EXIT_SUCCESS;
	child = fork();
	if (child == 0)
		_exit(run_child(argv[0]));
	if (child < 0 || waitpid(child, &status, 0) != child)
		return EXIT_FAILURE;
	puts("another user");
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}
