// SPDX-License-Identifier: GPL-2.0-only
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "record.h"

/* The child: wait for a byte, then execute the program. */
static _Noreturn void run_child(int go, int failed, char *const *command)
{
	ssize_t count;
	char byte;
	int error;

	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGUSR2, SIG_DFL);
	/* the name until execve(2), in the records of threads */
	prctl(PR_SET_NAME, "hwflow-exec");
	do
		count = read(go, &byte, 1);
	while (count < 0 && errno == EINTR);
	if (count != 1)
		_exit(0);
	execvp(command[0], command);
	error = errno;
	if (write(failed, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

int record_workload_fork(struct record_workload *workload, char *const *command)
{
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failed, O_CLOEXEC)) {
		int error = errno;

		close(go[0]);
		close(go[1]);
		return -error;
	}
	workload->pid = fork();
	if (!workload->pid) {
		close(go[1]);
		close(failed[0]);
		run_child(go[0], failed[1], command);
	}
	close(go[0]);
	close(failed[1]);
	if (workload->pid < 0) {
		int error = errno;

		workload->pid = 0;
		close(go[1]);
		close(failed[0]);
		return -error;
	}
	workload->go = go[1];
	workload->failed = failed[0];
	return 0;
}

/* Bits of waitpid(2)'s status, from bit 8 up, of a process that stops at its execve(2) */
#define EXEC_STOP (SIGTRAP | PTRACE_EVENT_EXEC << 8)

static int report_ptrace(int error)
{
	return verb_error("the program cannot be stopped before its first instruction: %s",
			  strerror(error));
}

/*
 * The process stops at its execve(2): call the function, and let the process go on. Returns an exit
 * status.
 */
static int call_at_start(pid_t pid, int (*at_start)(void *ctx, pid_t pid), void *ctx)
{
	const struct timespec now = {.tv_sec = 0};
	sigset_t set;
	int status = 0, result;

	do {
		if (waitpid(pid, &status, __WALL) < 0) {
			if (errno != EINTR)
				return report_ptrace(errno);
			continue;
		}
		if (!WIFSTOPPED(status))
			return report_ptrace(ESRCH);
		/* another stop: a signal, which the process receives */
		if (status >> 8 != EXEC_STOP &&
		    ptrace(PTRACE_CONT, pid, NULL, (void *)(uintptr_t)WSTOPSIG(status)))
			return report_ptrace(errno);
	} while (status >> 8 != EXEC_STOP);
	result = at_start(ctx, pid);
	/* a second SIGCHLD is not queued while the one of this stop is pending */
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigtimedwait(&set, NULL, &now);
	return ptrace(PTRACE_DETACH, pid, NULL, NULL) ? report_ptrace(errno) : result;
}

int record_workload_start(struct record_workload *workload, int (*at_start)(void *ctx, pid_t pid),
			  void *ctx, int *status)
{
	int error = 0;
	ssize_t count;

	*status = 0;
	if (at_start && ptrace(PTRACE_SEIZE, workload->pid, NULL, PTRACE_O_TRACEEXEC)) {
		*status = report_ptrace(errno);
		return 0;
	}
	count = write(workload->go, "", 1);
	close(workload->go);
	workload->go = -1;
	/* execve(2) closes the pipe; an error comes through it before */
	if (count == 1) {
		do
			count = read(workload->failed, &error, sizeof(error));
		while (count < 0 && errno == EINTR);
	}
	close(workload->failed);
	workload->failed = -1;
	if (count == sizeof(error))
		return -error;
	if (at_start)
		*status = call_at_start(workload->pid, at_start, ctx);
	return 0;
}

void record_workload_signal(const struct record_workload *workload, int signal)
{
	/* a child that was not started ends when its pipe is closed */
	if (workload->pid && workload->go < 0)
		kill(workload->pid, signal);
}

static void forget_pipes(struct record_workload *workload)
{
	if (workload->go >= 0)
		close(workload->go);
	if (workload->failed >= 0)
		close(workload->failed);
	workload->go = workload->failed = -1;
}

/* Has the process ended? Its status and what it used are kept. */
static bool reap(struct record_workload *workload, int flags)
{
	const pid_t ended = wait4(workload->pid, &workload->status, flags, &workload->used);

	if (!ended || (ended < 0 && errno == EINTR))
		return false;
	workload->pid = 0;
	return true;
}

bool record_workload_has_ended(struct record_workload *workload)
{
	if (!workload->pid)
		return true;
	forget_pipes(workload);
	return reap(workload, WNOHANG);
}

void record_workload_wait(struct record_workload *workload)
{
	while (workload->pid && !reap(workload, 0))
		;
}

void record_workload_end(struct record_workload *workload)
{
	record_workload_signal(workload, SIGTERM);
	if (workload->pid)
		forget_pipes(workload);
	record_workload_wait(workload);
}
