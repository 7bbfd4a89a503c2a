/* SPDX-License-Identifier: GPL-2.0-only */
/* The program that is started to be recorded. */
#ifndef HWFLOW_RECORD_WORKLOAD_H
#define HWFLOW_RECORD_WORKLOAD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/**
 * struct record_workload - a child process that waits before it executes the program
 * @pid: the process; 0 if there is none
 * @go: pipe to it: a byte starts the program, the pipe's end cancels it
 * @failed: pipe from it: the errno of execve(2), if that failed
 * @status: of the program, as waitpid(2) has it, when it has ended
 * @used: what the program and its processes used, when it has ended
 */
struct record_workload {
	pid_t pid;
	int go;
	int failed;
	int status;
	struct rusage used;
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
 * @status: receives what @at_start has returned, or an exit status after an error of ptrace(2),
 *	which is reported
 *
 * With @at_start the process is traced with ptrace(2) up to that point.
 *
 * Return: 0, or a negative errno of execve(2).
 */
int record_workload_start(struct record_workload *workload, int (*at_start)(void *ctx, pid_t pid),
			  void *ctx, int *status);

/**
 * record_workload_signal() - send a signal to the program, if it was started
 * @workload: the process
 * @signal: the signal
 */
void record_workload_signal(const struct record_workload *workload, int signal);

/**
 * record_workload_has_ended() - whether there is no process any more; does not wait
 * @workload: the process; one whose program was not started is cancelled
 */
bool record_workload_has_ended(struct record_workload *workload);

/**
 * record_workload_wait() - wait until the program has ended
 * @workload: the process, whose program was started
 */
void record_workload_wait(struct record_workload *workload);

/**
 * record_workload_end() - end the process by SIGTERM, and wait for it
 * @workload: the process; one whose program was not started is cancelled
 */
void record_workload_end(struct record_workload *workload);

#endif /* HWFLOW_RECORD_WORKLOAD_H */
