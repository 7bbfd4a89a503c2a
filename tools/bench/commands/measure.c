// SPDX-License-Identifier: GPL-2.0-only
/*
 * measure FILE OUTPUT COMMAND [ARG...] - run COMMAND with its output to the file OUTPUT, without
 * input and messages, and write a line to FILE: CPU time in seconds (user and system), the maximum
 * resident set in KB, of COMMAND and of the children that it waited for, and the time that it took,
 * in seconds. Exit status: that of COMMAND; 125 if it was not run or was killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOT_RUN 125

static int fail(const char *what)
{
	fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
	return NOT_RUN;
}

static void execute(const char *output, char **command)
{
	const int null = open("/dev/null", O_RDWR);
	const int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (null < 0 || out < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(null, STDERR_FILENO) < 0)
		_exit(NOT_RUN);
	execvp(command[0], command);
	_exit(NOT_RUN);
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
	struct timespec begin, end;
	struct rusage usage;
	int status;
	FILE *out;
	pid_t pid;

	if (argc < 4) {
		fputs("usage: measure FILE OUTPUT COMMAND [ARG...]\n", stderr);
		return NOT_RUN;
	}
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pid = fork();
	if (pid < 0)
		return fail("fork");
	if (!pid)
		execute(argv[2], argv + 3);
	if (wait4(pid, &status, 0, &usage) < 0)
		return fail(argv[3]);
	clock_gettime(CLOCK_MONOTONIC, &end);
	out = fopen(argv[1], "w");
	if (!out)
		return fail(argv[1]);
	fprintf(out, "%.4f %ld %.4f\n", seconds(usage.ru_utime) + seconds(usage.ru_stime),
		usage.ru_maxrss,
		(double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9);
	if (fclose(out))
		return fail(argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : NOT_RUN;
}
