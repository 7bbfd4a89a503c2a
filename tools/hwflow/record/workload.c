// SPDX-License-Identifier: GPL-2.0-only
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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

int record_workload_start(struct record_workload *workload)
{
	int error = 0;
	ssize_t count;

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
	return count == sizeof(error) ? -error : 0;
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
