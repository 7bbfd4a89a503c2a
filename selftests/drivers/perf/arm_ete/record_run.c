// SPDX-License-Identifier: GPL-2.0-only
/* Threads and programs under an event of their own. */
#include "record.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct thread {
	void (*function)(int fd, void *argument);
	void *argument;
	int fd;
	atomic_int tid;
	atomic_bool begin;
	atomic_bool end;
};

static void *run_thread(void *ctx)
{
	struct thread *thread = ctx;

	atomic_store(&thread->tid, (int)syscall(SYS_gettid));
	while (!atomic_load(&thread->begin))
		usleep(100);
	if (thread->fd >= 0)
		thread->function(thread->fd, thread->argument);
	atomic_store(&thread->end, true);
	return NULL;
}

int record_thread(struct record *record, const struct record_config *config,
		  void (*function)(int fd, void *argument), void *argument, unsigned int interval)
{
	struct thread thread = { .function = function, .argument = argument };
	struct record_config own = *config;
	pthread_t id;
	int error;

	if (pthread_create(&id, NULL, run_thread, &thread))
		return -EAGAIN;
	while (!atomic_load(&thread.tid))
		sched_yield();
	own.pid = atomic_load(&thread.tid);
	error = record_open(record, &own);
	thread.fd = error ? -1 : record->fd;
	atomic_store(&thread.begin, true);
	while (!error && interval && !atomic_load(&thread.end)) {
		usleep(interval);
		if (own.poll)
			own.poll(own.poll_ctx, own.pid);
		error = record_collect(record);
	}
	pthread_join(id, NULL);
	return error ? error : record_collect(record);
}

/* In the child: the program is executed when the parent has closed the pipe */
static void execute(const int *pipe_fds, char *const argv[])
{
	char byte;

	close(pipe_fds[1]);
	while (read(pipe_fds[0], &byte, 1) > 0)
		;
	execv(argv[0], argv);
	_exit(127);
}

int record_program(struct record *record, const struct record_config *config, char *const argv[],
		   int *status)
{
	struct record_config own = *config;
	int pipe_fds[2], error;
	pid_t pid;

	if (pipe(pipe_fds))
		return -errno;
	pid = fork();
	if (!pid)
		execute(pipe_fds, argv);
	close(pipe_fds[0]);
	if (pid < 0) {
		close(pipe_fds[1]);
		return -EAGAIN;
	}
	own.pid = pid;
	own.on_exec = true;
	error = record_open(record, &own);
	if (error)
		kill(pid, SIGKILL);
	close(pipe_fds[1]);
	while (!error && !waitpid(pid, status, WNOHANG)) {
		usleep(1000);
		error = record_collect(record);
	}
	if (error) {
		waitpid(pid, status, 0);
		return error;
	}
	return record_collect(record);
}
