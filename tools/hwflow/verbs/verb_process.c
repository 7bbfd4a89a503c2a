/* SPDX-License-Identifier: GPL-2.0-only */
/* A process of its own for a verb that writes a file. */
#include "verb_process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

int verb_process(int (*run)(const void *ctx, struct input_options *options, int fd),
		 const void *ctx, struct input_options *options, int fd)
{
	pid_t pid;
	int ended;

	fflush(NULL);
	pid = fork();
	if (!pid)
		exit(run(ctx, options, fd));
	if (pid < 0)
		return verb_error("fork: %s", strerror(errno));
	while (waitpid(pid, &ended, 0) < 0)
		if (errno != EINTR)
			return verb_error("waitpid: %s", strerror(errno));
	if (WIFEXITED(ended))
		return WEXITSTATUS(ended);
	/* nobody reads the output any more, or ^C: as it would end this process */
	if (WTERMSIG(ended) == SIGPIPE || WTERMSIG(ended) == SIGINT)
		raise(WTERMSIG(ended));
	return verb_error("%s: the process that reads it was ended by signal %d, %s", options->path,
			  WTERMSIG(ended), strsignal(WTERMSIG(ended)));
}
