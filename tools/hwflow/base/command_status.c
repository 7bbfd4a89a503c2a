// SPDX-License-Identifier: GPL-2.0-only
#include "command_status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "error.h"
#include "print.h"
#include "source/input.h"

int command_status(int recording, int ended, bool fail_on_loss)
{
	if (recording == EXIT_UNREADABLE)
		return EXIT_NOT_RECORDED;
	if (recording == EXIT_GAPS && fail_on_loss)
		return EXIT_LOST;
	if (recording != EXIT_GOOD && recording != EXIT_GAPS)
		return recording;
	return WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
}

int command_status_unstarted(int error)
{
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

void command_report(const char *verb, const char *command, int ended)
{
	if (WIFSIGNALED(ended))
		print(stderr, "hwflow %s: %s was ended by signal %d (%s)%s\n", verb, command,
		      WTERMSIG(ended), strsignal(WTERMSIG(ended)),
		      WCOREDUMP(ended) ? ", core dumped" : "");
	else if (WEXITSTATUS(ended))
		print(stderr, "hwflow %s: %s exited with status %d\n", verb, command,
		      WEXITSTATUS(ended));
}
