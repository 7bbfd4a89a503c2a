/* SPDX-License-Identifier: GPL-2.0-only */
/* The program that is started to be recorded. */
#ifndef HWFLOW_RECORD_WORKLOAD_H
#define HWFLOW_RECORD_WORKLOAD_H

#include <sys/types.h>

/**
 * struct record_workload - a child process that waits before it executes the program
 * @pid: the process; 0 if there is none
 * @go: pipe to it: a byte starts the program, the pipe's end cancels it
 * @failed: pipe from it: the errno of execve(2), if that failed
 */
struct record_workload {
	pid_t pid;
	int go;
	int failed;
};

/**
 * record_workload_fork() - create the process of a program, and let it wait
 * @workload: receives the process
 * @command: the program, and its arguments; a name without a slash is searched for in PATH
 *
 * Return: 0 or a negative errno.
 */
int record_workload_fork(struct record_workload *workload, char *const *command);

/**
 * record_workload_start() - let the process execute the program
 * @workload: the process
 * @at_start: called when the program is in memory, before its first instruction; NULL for none
 * @ctx: argument of @at_start
 * @status: receives what @at_start has returned
 *
 * With @at_start the process is traced with ptrace(2) up to that point.
 *
 * Return: 0, or a negative errno of execve(2) or ptrace(2).
 */
int record_workload_start(struct record_workload *workload, int (*at_start)(void *ctx, pid_t pid),
			  void *ctx, int *status);

/**
 * record_workload_end() - end the process, if the program was not started, and wait for it
 * @workload: the process
 * @signal: signal for a program that is running, or 0 to wait for its end
 *
 * Return: the status as of waitpid(2).
 */
int record_workload_end(struct record_workload *workload, int signal);

#endif /* HWFLOW_RECORD_WORKLOAD_H */
