// SPDX-License-Identifier: GPL-2.0-only
/* Torture: the process that is traced, and what is done to it. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "torture.h"

enum choice {
	CHOICE_WHAT = 1,
	CHOICE_CPU,
	CHOICE_LONG,
};

static volatile sig_atomic_t asked_fork, asked_exec;

static void on_signal(int number)
{
	if (number == SIGUSR2)
		asked_fork = 1;
	if (number == SIGHUP)
		asked_exec = 1;
}

/* Branches of all kinds: taken and not, calls and returns */
static __attribute__((noinline)) unsigned long work(unsigned long n)
{
	return n < 2 ? n : n & 1 ? work(n - 1) + 1 : work(n / 2) + 2;
}

void torture_be_program(void)
{
	const struct sigaction action = { .sa_handler = on_signal };
	volatile unsigned long sum = 0;
	unsigned long i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	for (i = 0;; i++) {
		sum += work(i & 0xffff);
		if (!(i & 0xfff))
			sched_yield();
		if (asked_fork) {
			asked_fork = 0;
			if (!fork())
				_exit((int)work(i) & 1);
			while (waitpid(-1, NULL, 0) > 0)
				;
		}
		if (asked_exec)
			execl("/proc/self/exe", "torture", "--program", NULL);
	}
}

int torture_start_program(struct torture_worker *worker)
{
	unsigned int i;

	worker->program = fork();
	if (worker->program < 0) {
		worker->program = 0;
		return -errno;
	}
	if (!worker->program) {
		/* the mappings of events are not inherited */
		for (i = 0; i < TORTURE_SLOTS; i++)
			if (worker->events[i].fd >= 0)
				close(worker->events[i].fd);
		torture_be_program();
	}
	return 0;
}

void torture_end_program(struct torture_worker *worker)
{
	if (worker->program <= 0)
		return;
	kill(worker->program, SIGKILL);
	while (waitpid(worker->program, NULL, 0) < 0 && errno == EINTR)
		;
	worker->program = 0;
}

/* A signal that is handled, one that makes it fork, one that makes it exec, or stop and go on */
static int send_signal(struct torture_worker *worker)
{
	static const int signals[] = { SIGUSR1, SIGUSR1, SIGUSR2, SIGHUP, SIGSTOP, SIGCONT, SIGCONT };
	const size_t count = sizeof(signals) / sizeof(*signals);

	if (!worker->program)
		return -ESRCH;
	return kill(worker->program, signals[torture_choice(worker, CHOICE_WHAT, count)]) ? -errno : 0;
}

static int replace_program(struct torture_worker *worker)
{
	torture_end_program(worker);
	return torture_start_program(worker);
}

/* The program or the worker itself goes to another CPU, which may be offline. */
static int migrate(struct torture_worker *worker)
{
	const uint64_t cpu = torture_choice(worker, CHOICE_CPU, worker->cpus + 1);
	const pid_t pid = torture_choice(worker, CHOICE_WHAT, 4) ? worker->program : 0;
	cpu_set_t set;
	unsigned int i;

	CPU_ZERO(&set);
	for (i = 0; i < worker->cpus; i++)
		if (cpu == worker->cpus || cpu == i)
			CPU_SET(i, &set);
	return sched_setaffinity(pid, sizeof(set), &set) ? -errno : 0;
}

/* Waits for the program's next stop; false if it has ended: then its PID may soon be another process's */
static bool wait_for_stop(struct torture_worker *worker)
{
	int status = 0;

	if (waitpid(worker->program, &status, __WALL) == worker->program && WIFSTOPPED(status))
		return true;
	worker->program = 0;
	return false;
}

static int attach_debugger(struct torture_worker *worker)
{
	const uint64_t steps = torture_choice(worker, CHOICE_LONG, 20);
	uint64_t i;

	if (!worker->program || ptrace(PTRACE_SEIZE, worker->program, NULL, NULL))
		return -ESRCH;
	kill(worker->program, SIGCONT);
	if (ptrace(PTRACE_INTERRUPT, worker->program, NULL, NULL) || !wait_for_stop(worker))
		return 0;
	for (i = 0; i < steps && !ptrace(PTRACE_SINGLESTEP, worker->program, NULL, NULL); i++)
		if (!wait_for_stop(worker))
			return 0;
	ptrace(PTRACE_DETACH, worker->program, NULL, NULL);
	return 0;
}

/* Allocations of this process fail for some steps. */
static int fail_allocations(struct torture_worker *worker)
{
	const int fd = worker->torture->can_fail ? open("/proc/self/make-it-fail", O_WRONLY | O_CLOEXEC) : -1;
	const char *value = torture_choice(worker, CHOICE_WHAT, 3) ? "0" : "1";
	int status = 0;

	if (fd < 0)
		return -ENOENT;
	if (write(fd, value, 1) < 0)
		status = -errno;
	close(fd);
	return status;
}

/* Long enough for an idle state, or only a moment */
static int be_idle(struct torture_worker *worker)
{
	const struct timespec time = {
		.tv_nsec = (long)(1000 << torture_choice(worker, CHOICE_LONG, 15)),
	};

	nanosleep(&time, NULL);
	return 0;
}

const struct torture_action torture_program_actions[] = {
	{ "signal", 8, send_signal },
	{ "replace", 2, replace_program },
	{ "migrate", 8, migrate },
	{ "ptrace", 2, attach_debugger },
	{ "fail", 4, fail_allocations },
	{ "idle", 8, be_idle },
	{ 0 },
};
