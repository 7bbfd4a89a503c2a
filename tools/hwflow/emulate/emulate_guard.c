// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwflow emulate: its processes.
 *
 *   command   takes signals, waits
 *     worker  runs QEMU, makes the recording
 *       QEMU  the program; and others that it forks, whatever they do to leave
 *
 * The worker is the subreaper of all QEMU processes: an orphan becomes its child, so that killing
 * its children until there are none ends them all. It is told by SIGTERM to do so, which is also
 * what the kernel sends when the command dies. A thread of its own waits for SIGTERM, so that it
 * may allocate memory and wait for a lock. QEMU gets SIGKILL when the worker dies; the command is
 * a subreaper, too, and kills what is left.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input_file.h"
#include "base/progress.h"
#include "emulate_guard.h"
#include "emulate_place.h"
#include "source/input.h"

#define EXIT_ENDED 125 /* of the worker, after SIGTERM */

/* A terminal sends SIGINT to the program and to the command. The program may have ended by it
 * before the command, on a busy machine, takes its own: so many nanoseconds later it is still the
 * same. */
#define LATE_SIGNAL UINT64_C(1000000000)

/* what both processes see */
struct shared {
	_Atomic pid_t program;  /* 0: not running */
	_Atomic bool began;     /* the program was started */
	_Atomic int status;     /* of the program, as waitpid() gives it */
	_Atomic uint64_t ended; /* guard_now() when it ended */
};

static struct {
	struct shared *shared;
	sigset_t old_mask;
	struct sigaction old_xfsz;
	bool background; /* the terminal's SIGINT is not for this command */
	pthread_mutex_t lock;
	bool finished;
	const char *directory;
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void pause_briefly(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	nanosleep(&pause, NULL);
}

uint64_t guard_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static pid_t parent_of(const char *pid)
{
	char path[64], line[512], *end;
	FILE *file;
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	file = own_file_stream(path);
	if (!file)
		return 0;
	/* the name may have any character in it */
	if (fgets(line, sizeof(line), file) && (end = strrchr(line, ')')) != NULL &&
	    sscanf(end, ") %*c %d", &parent) != 1)
		parent = 0;
	fclose(file);
	return parent;
}

static void kill_children(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc)) != NULL) {
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    parent_of(entry->d_name) == getpid())
			kill((pid_t)atoi(entry->d_name), SIGKILL);
	}
	if (proc)
		closedir(proc);
}

/* Kill children until there are none: the children of a killed process become ours. */
static void kill_all(void)
{
	for (;;) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);

		if (pid < 0 && errno == ECHILD)
			return;
		if (pid <= 0) {
			kill_children();
			pause_briefly();
		}
	}
}

/* The worker's thread for SIGTERM */
static void *wait_for_end(void *unused)
{
	sigset_t set;
	int signal;

	(void)unused;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	while (sigwait(&set, &signal))
		;
	pthread_mutex_lock(&guard.lock);
	if (guard.finished) {
		pthread_mutex_unlock(&guard.lock);
		return NULL;
	}
	kill_all();
	/* the other thread may make another file meanwhile */
	for (int i = 0; i < 1000 && !place_remove(guard.directory); i++)
		pause_briefly();
	_exit(EXIT_ENDED);
}

void guard_lock(void)
{
	pthread_mutex_lock(&guard.lock);
}

void guard_unlock(bool finished)
{
	if (finished)
		guard.finished = true;
	pthread_mutex_unlock(&guard.lock);
}

void guard_program(pid_t pid)
{
	guard.shared->program = pid;
	guard.shared->began = true;
}

void guard_program_ended(int status)
{
	guard.shared->ended = guard_now();
	guard.shared->status = status;
	guard.shared->program = 0;
}

void guard_child(pid_t parent)
{
	sigaction(SIGXFSZ, &guard.old_xfsz, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* it may have died before */
	if (getppid() != parent)
		_exit(127);
	sigprocmask(SIG_SETMASK, &guard.old_mask, NULL);
}

static void worker(struct run *run, const struct emulate_options *options, guard_work_fn *work,
		   pid_t command)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != command)
		raise(SIGTERM);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	guard.directory = run->directory;
	if (pthread_create(&thread, NULL, wait_for_end, NULL))
		exit(verb_error("cannot start a thread: %s", strerror(errno)));
	exit(work(run, options));
}

/* Handle a signal that was sent to the command. */
static void take_signal(const siginfo_t *info, pid_t worker_pid, unsigned int *interrupts)
{
	pid_t program = guard.shared->program;

	if (info->si_signo == SIGINT || info->si_signo == SIGQUIT) {
		bool running = program || !guard.shared->began ||
			       guard_now() - guard.shared->ended < LATE_SIGNAL;

		if (running && !(*interrupts)++) {
			/* the terminal has sent it to the program, too */
			if (info->si_code != SI_KERNEL && program > 0)
				kill(program, info->si_signo);
			return;
		}
	}
	kill(worker_pid, SIGTERM);
}

/* Wait for the end of the worker. Returns the signal that ended the run, or 0. */
static int wait_for_worker(pid_t worker_pid, const sigset_t *set, int *status)
{
	unsigned int interrupts = 0;
	int last = 0;

	for (;;) {
		siginfo_t info;
		pid_t pid;

		while ((pid = waitpid(-1, status, WNOHANG)) > 0) {
			if (pid == worker_pid)
				return last;
		}
		if (sigwaitinfo(set, &info) < 0 || info.si_signo == SIGCHLD)
			continue;
		if (guard.background && info.si_signo == SIGINT && info.si_code == SI_KERNEL)
			continue;
		last = info.si_signo;
		take_signal(&info, worker_pid, &interrupts);
	}
}

/* The worker was killed. */
static int worker_killed(const struct run *run, int signal)
{
	kill_all();
	if (place_is_complete(run->directory) && !place_finish(run->directory, run->target)) {
		place_remove(run->directory);
		return 0;
	}
	return verb_error("the process that makes the recording was killed by signal %d, %s; "
			  "'hwflow emulate --recover %s' makes a recording of what is there",
			  signal, strsignal(signal), run->directory);
}

static int ended(int number, const char *target)
{
	verb_error("ended by signal %d, %s: nothing was written to %s", number, strsignal(number),
		   target);
	signal(number, SIG_DFL);
	sigprocmask(SIG_SETMASK, &guard.old_mask, NULL);
	raise(number);
	return EXIT_UNREADABLE;
}

static void signals_of_command(sigset_t *set)
{
	static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	struct sigaction old;

	guard.background = !sigaction(SIGINT, NULL, &old) && old.sa_handler == SIG_IGN;
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		/* nohup */
		if (numbers[i] == SIGHUP && !sigaction(SIGHUP, NULL, &old) &&
		    old.sa_handler == SIG_IGN)
			continue;
		sigaddset(set, numbers[i]);
	}
}

int guard_run(struct run *run, const struct emulate_options *options, guard_work_fn *work)
{
	pid_t command = getpid(), worker_pid;
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	int status = 0, number;
	sigset_t set;

	guard.shared = mmap(NULL, sizeof(*guard.shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (guard.shared == MAP_FAILED)
		return verb_error("not enough memory");
	signals_of_command(&set);
	sigprocmask(SIG_BLOCK, &set, &guard.old_mask);
	/* a file that is too large is an error, and no signal */
	sigaction(SIGXFSZ, &ignore, &guard.old_xfsz);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	fflush(NULL);
	worker_pid = fork();
	if (worker_pid < 0)
		return verb_error("fork: %s", strerror(errno));
	if (!worker_pid)
		worker(run, options, work, command);
	number = wait_for_worker(worker_pid, &set, &status);
	run->status = guard.shared->status;
	if (WIFSIGNALED(status))
		return worker_killed(run, WTERMSIG(status));
	if (WEXITSTATUS(status) == EXIT_ENDED)
		return ended(number ? number : SIGTERM, run->target);
	sigprocmask(SIG_SETMASK, &guard.old_mask, NULL);
	return WEXITSTATUS(status);
}
