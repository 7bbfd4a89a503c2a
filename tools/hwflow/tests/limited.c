// SPDX-License-Identifier: GPL-2.0-only
/*
 * limited SECONDS MEGABYTES FILE COMMAND [ARG...] - run COMMAND, which may use so many seconds of
 * CPU time and so many MB of memory, each of its processes, and write to
 * FILE what it used, with its children: CPU time in milliseconds and the maximum resident set in
 * KB. Exit status: that of COMMAND; 124 if it used more CPU time, 125 if its resident set was
 * larger, 126 if it was not run, 127 if a signal ended it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Memory that is reserved and not used counts for RLIMIT_DATA: a decoder reserves 58 MB. */
#define RESERVED 64u

enum {
	TIME_EXCEEDED = 124,
	MEMORY_EXCEEDED = 125,
	NOT_RUN = 126,
	KILLED = 127,
};

static int fail(const char *what)
{
	fprintf(stderr, "limited: %s: %s\n", what, strerror(errno));
	return NOT_RUN;
}

static void execute(rlim_t seconds, rlim_t megabytes, char **command)
{
	const struct rlimit time = {.rlim_cur = seconds, .rlim_max = seconds};
	const rlim_t bytes = (megabytes + RESERVED) << 20;
	const struct rlimit memory = {.rlim_cur = bytes, .rlim_max = bytes};

	if (!setrlimit(RLIMIT_CPU, &time) && !setrlimit(RLIMIT_DATA, &memory))
		execvp(command[0], command);
	_exit(fail(command[0]));
}

static long milliseconds(struct timeval time)
{
	return (long)time.tv_sec * 1000 + (long)time.tv_usec / 1000;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	long used;
	int status;
	FILE *out;
	pid_t pid;

	if (argc < 5) {
		fputs("usage: limited SECONDS MEGABYTES FILE COMMAND [ARG...]\n", stderr);
		return NOT_RUN;
	}
	pid = fork();
	if (pid < 0)
		return fail("fork");
	if (!pid)
		execute(strtoul(argv[1], NULL, 10), strtoul(argv[2], NULL, 10), argv + 4);
	if (wait4(pid, &status, 0, &usage) < 0)
		return fail(argv[4]);
	used = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
	out = fopen(argv[3], "w");
	if (!out)
		return fail(argv[3]);
	fprintf(out, "%ld %ld\n", used, usage.ru_maxrss);
	if (fclose(out))
		return fail(argv[3]);
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGXCPU && WTERMSIG(status) != SIGKILL)
		return KILLED;
	if (WIFSIGNALED(status) || used > 1000 * strtol(argv[1], NULL, 10))
		return TIME_EXCEEDED;
	if (usage.ru_maxrss > strtol(argv[2], NULL, 10) * 1024)
		return MEMORY_EXCEEDED;
	return WEXITSTATUS(status);
}
