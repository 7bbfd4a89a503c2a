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
#include "base/output.h"

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

int verb_process_output(int (*run)(const void *ctx, struct input_options *options, int fd),
			const void *ctx, struct input_options *options, const char *path,
			const char *what)
{
	struct output output;
	int status, error;
	bool written;

	options->path = options->paths[0];
	error = output_open(&output, path, options->paths, options->path_count);
	if (error == -EEXIST)
		return verb_error("%s: %s would replace SRC; name another file", output.name, what);
	if (error)
		return verb_error("%s: %s", output.name, strerror(-error));
	status = verb_process(run, ctx, options, fileno(output.file));
	written = !status || status == EXIT_GAPS;
	error = output_close(&output, written);
	if (error && written)
		status = verb_error("%s: %s", output.name, strerror(-error));
	return status;
}
