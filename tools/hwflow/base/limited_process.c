/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process with limits. It is a fork of this one, so that it has what this process has read, and
 * needs no program: it works in the sandbox, and in a command that is linked statically. A message
 * is its size in 8 bytes, and its contents.
 */
#include "limited_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input_file.h"

/* Processes that run at a time */
#define PROCESSES 8u

/* Exit status of limited_no_memory() */
#define STATUS_NO_MEMORY 2

#define SECOND UINT64_C(1000000)

/* Bytes of memory of which a process that fails has fewer if memory is the reason */
#define PROBE (1u << 20)

/* The processes that run; those of another owner are none. */
static struct limited_process *running[PROCESSES];

/* The one to end next, if all run */
static size_t oldest;

/* Bytes of memory of this process, as RLIMIT_DATA counts them */
static uint64_t data_size(void)
{
	unsigned long pages = 0;
	FILE *file = own_file_stream("/proc/self/statm");

	if (file && fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A library that is short of memory may not notice, and use address 0. */
static void take_fault(int number)
{
	/* a system call, and no more: NOLINTNEXTLINE(bugprone-signal-handler) */
	void *memory = mmap(NULL, PROBE, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		_exit(STATUS_NO_MEMORY);
	signal(number, SIG_DFL);
	raise(number);
}

/* The rest of the new process */
__attribute__((noreturn)) static void run(int socket, const struct limited_task *task)
{
	/* a sanitizer or a fuzzer handles these, and would report them */
	static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
	const rlim_t bytes = data_size() + task->memory;
	const struct rlimit memory = {bytes, bytes};
	const struct itimerval timer = {
		.it_value = {.tv_sec = (time_t)(task->time / SECOND),
			     .tv_usec = (suseconds_t)(task->time % SECOND)}};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], take_fault);
	signal(SIGPROF, SIG_DFL);
	signal(SIGINT, SIG_IGN);
	setrlimit(RLIMIT_DATA, &memory);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	/* descriptors of the other process end when it closes them */
	dup2(socket, STDIN_FILENO);
	close_range(STDOUT_FILENO, ~0u, 0);
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){1, 1});
	setitimer(ITIMER_PROF, &timer, NULL);
	task->run(STDIN_FILENO, task->ctx);
	_exit(0);
}

static bool is_own(const struct limited_process *process)
{
	return process->pid && process->owner == getpid();
}

/* A place for one more process: a free one, or that of a process which is ended */
static size_t make_place(void)
{
	size_t i;

	for (i = 0; i < PROCESSES; i++)
		if (!running[i] || !is_own(running[i]))
			return i;
	i = oldest++ % PROCESSES;
	limited_stop(running[i]);
	return i;
}

bool limited_start(struct limited_process *process, const struct limited_task *task)
{
	int sockets[2];
	size_t place;

	if (is_own(process))
		return true;
	/* that of the process which has started this one */
	limited_stop(process);
	place = make_place();
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return false;
	process->owner = getpid();
	process->socket = sockets[0];
	process->pid = fork();
	if (!process->pid)
		run(sockets[1], task);
	close(sockets[1]);
	if (process->pid < 0) {
		process->pid = 0;
		close(sockets[0]);
		return false;
	}
	running[place] = process;
	return true;
}

enum limited_end limited_stop(struct limited_process *process)
{
	struct rusage usage;
	int status = 0;

	if (!process->pid)
		return LIMITED_STOPPED;
	for (size_t i = 0; i < PROCESSES; i++)
		if (running[i] == process)
			running[i] = NULL;
	if (!is_own(process)) {
		close(process->socket);
		process->pid = 0;
		return LIMITED_STOPPED;
	}
	/* a process that this one has started since then may have the socket, too */
	shutdown(process->socket, SHUT_RDWR);
	close(process->socket);
	if (wait4(process->pid, &status, 0, &usage) == process->pid)
		process->used +=
			(uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * SECOND +
			(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	process->pid = 0;
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGPROF ? LIMITED_NO_TIME : LIMITED_FAULT;
	if (WEXITSTATUS(status) == STATUS_NO_MEMORY)
		return LIMITED_NO_MEMORY;
	return WEXITSTATUS(status) ? LIMITED_FAULT : LIMITED_STOPPED;
}

void limited_no_memory(void)
{
	_exit(STATUS_NO_MEMORY);
}

static bool take_all(int socket, char *bytes, size_t size)
{
	while (size) {
		const ssize_t taken = recv(socket, bytes, size, 0);

		if (taken < 0 && errno == EINTR)
			continue;
		if (taken <= 0)
			return false;
		bytes += taken;
		size -= (size_t)taken;
	}
	return true;
}

bool limited_send(int socket, const void *bytes, size_t size)
{
	uint64_t head = size;
	struct iovec parts[] = {{&head, sizeof(head)}, {(void *)(uintptr_t)bytes, size}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

	while (parts[0].iov_len || parts[1].iov_len) {
		ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			return false;
		for (size_t i = 0; i < 2 && sent > 0; i++) {
			const size_t part =
				(size_t)sent < parts[i].iov_len ? (size_t)sent : parts[i].iov_len;

			parts[i].iov_base = (char *)parts[i].iov_base + part;
			parts[i].iov_len -= part;
			sent -= (ssize_t)part;
		}
	}
	return true;
}

void *limited_take(int socket, size_t most, size_t *size)
{
	uint64_t head;
	char *bytes;

	*size = 0;
	if (!take_all(socket, (char *)&head, sizeof(head)))
		return NULL;
	if (head > most) {
		*size = most + 1;
		return NULL;
	}
	bytes = malloc((size_t)head + 1);
	if (!bytes || !take_all(socket, bytes, (size_t)head)) {
		free(bytes);
		return NULL;
	}
	*size = (size_t)head;
	bytes[*size] = '\0';
	return bytes;
}
