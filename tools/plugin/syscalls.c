// SPDX-License-Identifier: GPL-2.0-only
/* System calls: each is an exception, and some change what the plugin must know. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "plugin.h"

/* numbers of asm-generic/unistd.h, which all targets have */
enum {
	CALL_EXIT = 93,
	CALL_EXIT_GROUP = 94,
	CALL_RT_SIGACTION = 134,
	CALL_PRCTL = 167,
	CALL_SHMAT = 196,
	CALL_SHMDT = 197,
	CALL_MUNMAP = 215,
	CALL_MREMAP = 216,
	CALL_CLONE = 220,
	CALL_EXECVE = 221,
	CALL_MMAP = 222,
	CALL_MPROTECT = 226,
	CALL_EXECVEAT = 281,
	CALL_CLONE3 = 435,
};

#define LINUX_PR_SET_NAME  15
#define LINUX_CLONE_THREAD 0x10000
#define LINUX_AT_FDCWD     (-100)
#define LINUX_PROT_EXEC    4
#define LINUX_MAP_ANON     0x20

/* of the call being made by this thread */
static __thread uint64_t call_time;
static __thread uint64_t call_flags;

/* of mmap: the file, if it is to be executable; or -1 */
static __thread int call_file;
/* of mmap and munmap */
static __thread uint64_t call_address;
static __thread uint64_t call_length;
static __thread uint64_t call_offset;

/* What the tracepoint raw_syscalls:sys_enter would record; only of threads that are recorded */
static void see_syscall(int64_t number, const uint64_t argument[6])
{
	struct run_event event = {.kind = RUN_SYSCALL,
				  .time = run_now(),
				  .pid = getpid(),
				  .tid = gettid(),
				  .a = (uint64_t)number};

	if (!plugin.control->syscalls || !self_thread)
		return;
	memcpy(event.arguments, argument, sizeof(event.arguments));
	event_write(&event, NULL);
}

static void see_handler(uint64_t action)
{
	uint64_t handler;

	/* 0 and 1 are SIG_DFL and SIG_IGN */
	if (action && guest_read(action, &handler, sizeof(handler)) && handler > 1)
		block_mark_handler(handler);
}

static void see_name(uint64_t address)
{
	char name[16];

	if (!guest_read_string(address, name, sizeof(name)))
		return;
	event_simple(RUN_COMM, run_now(), 0, 0, name);
}

static void see_exit(int64_t number, uint64_t status)
{
	event_simple(RUN_EXIT, run_now(), status, number == CALL_EXIT_GROUP, NULL);
	if (self_thread) {
		thread_stop();
		thread_close(self_thread);
	}
}

static void see_mmap(const uint64_t argument[6])
{
	call_file = -1;
	call_length = argument[1];
	call_offset = argument[5];
	if ((argument[2] & LINUX_PROT_EXEC) != 0 && (argument[3] & LINUX_MAP_ANON) == 0)
		call_file = (int)argument[4];
}

static bool is_dump(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');

	return slash && dot && !strncmp(slash, "/jit-", 5) && !strcmp(dot, ".dump");
}

/*
 * A program that makes code maps its file of names (jit-PID.dump) executable, so that the recording
 * has the path of the file. The mapping is never executed, so no block reports it.
 */
static void see_dump(uint64_t address)
{
	struct run_event event = {.kind = RUN_MAP,
				  .time = run_now(),
				  .pid = getpid(),
				  .tid = gettid(),
				  .a = address,
				  .b = call_length,
				  .c = call_offset};
	char link[32], path[PATH_MAX];
	struct stat status;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", call_file);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0 || fstat(call_file, &status))
		return;
	path[length] = '\0';
	event.device_major = major(status.st_dev);
	event.device_minor = minor(status.st_dev);
	event.d = status.st_ino;
	if (is_dump(path))
		event_write(&event, path);
}

/* The thread has executed SVC or ECALL; the kernel has not acted yet. */
void hwf_syscall(int64_t number, const uint64_t argument[6])
{
	struct thread *thread = self_thread;

	if (thread && (thread->block->flags & BLOCK_CALL) != 0) {
		thread_put(thread, TRUTH_CALL);
		thread->block = &block_unknown;
	}
	see_syscall(number, argument);
	switch (number) {
	case CALL_RT_SIGACTION:
		see_handler(argument[1]);
		break;
	case CALL_PRCTL:
		if (argument[0] == LINUX_PR_SET_NAME)
			see_name(argument[1]);
		break;
	case CALL_MMAP:
		see_mmap(argument);
		break;
	case CALL_MUNMAP:
		call_address = argument[0];
		call_length = argument[1];
		break;
	case CALL_CLONE:
		call_time = run_now();
		call_flags = argument[0];
		break;
	case CALL_CLONE3:
		call_time = run_now();
		if (!guest_read(argument[0], &call_flags, sizeof(call_flags)))
			call_flags = 0;
		break;
	case CALL_EXECVE:
		exec_follow(&(struct exec_call){.directory = LINUX_AT_FDCWD,
						.path = argument[0],
						.argv = argument[1],
						.envp = argument[2]});
		break;
	case CALL_EXECVEAT:
		exec_follow(&(struct exec_call){.directory = (int)argument[0],
						.path = argument[1],
						.argv = argument[2],
						.envp = argument[3],
						.flags = argument[4]});
		break;
	case CALL_EXIT:
	case CALL_EXIT_GROUP:
		see_exit(number, argument[0]);
		break;
	default:
		break;
	}
}

/* The kernel has acted; the program has not gone on yet. */
void hwf_syscall_done(int64_t number, int64_t result)
{
	if (plugin.control->syscalls && self_thread)
		event_simple(RUN_SYSCALL_DONE, run_now(), (uint64_t)number, (uint64_t)result, NULL);
	switch (number) {
	case CALL_CLONE:
	case CALL_CLONE3:
		/* the new one may have begun already: as of the time before */
		if (result > 0)
			event_simple(RUN_FORK, call_time, (uint64_t)result,
				     (call_flags & LINUX_CLONE_THREAD) != 0, NULL);
		break;
	case CALL_MMAP:
		if (result > 0)
			maps_unmapped((uint64_t)result, call_length);
		if (result > 0 && call_file >= 0)
			see_dump((uint64_t)result);
		maps_changed();
		break;
	case CALL_MUNMAP:
		if (!result)
			maps_unmapped(call_address, call_length);
		maps_changed();
		break;
	case CALL_MREMAP:
	case CALL_MPROTECT:
	case CALL_SHMAT:
	case CALL_SHMDT:
		maps_changed();
		break;
	default:
		break;
	}
}
