/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process for code of a library that has no limits of its own: the kernel stops it when it needs
 * too much memory or time, and an error in the library ends nothing else.
 */
#ifndef HWFLOW_LIMITED_PROCESS_H
#define HWFLOW_LIMITED_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct limited_task - what a process does, and its limits
 * @run: takes messages from the socket, and answers each, until limited_take() returns NULL. It
 *	sees the memory of this process as it was when the process was started, and can open no file
 * @ctx: second argument of @run
 * @memory: bytes of memory beyond that of this process
 * @time: CPU time in microseconds
 */
struct limited_task {
	void (*run)(int socket, const void *ctx);
	const void *ctx;
	uint64_t memory;
	uint64_t time;
};

/**
 * struct limited_process - a process; all zero before it is started
 * @owner: the process that has started it: others have a copy of this struct, and start their own
 * @pid: the process; 0 for none
 * @socket: messages to and from the process
 * @used: CPU time in microseconds, of all processes that have ended
 */
struct limited_process {
	pid_t owner;
	pid_t pid;
	int socket;
	uint64_t used;
};

/** enum limited_end - why a process has ended */
enum limited_end {
	LIMITED_STOPPED,
	LIMITED_NO_MEMORY,
	LIMITED_NO_TIME,
	LIMITED_FAULT,
};

/**
 * limited_start() - start a process, unless it runs already
 * @process: the process; must not be moved while it runs
 * @task: what it does; only used by this call
 *
 * A few processes run at a time. One more ends another of them, which can be started again.
 *
 * Return: false if there is no process: errno has the reason.
 */
bool limited_start(struct limited_process *process, const struct limited_task *task);

/** limited_stop() - end a process, which may not run; returns why it has ended */
enum limited_end limited_stop(struct limited_process *process);

/**
 * limited_no_memory() - end this process, which limited_start() has started
 *
 * limited_stop() returns LIMITED_NO_MEMORY.
 */
__attribute__((noreturn)) void limited_no_memory(void);

/**
 * limited_send() - send a message
 * @socket: of a process
 * @bytes: contents
 * @size: how many
 *
 * Return: false if nobody takes it.
 */
bool limited_send(int socket, const void *bytes, size_t size);

/**
 * limited_take() - take a message
 * @socket: of a process
 * @most: bytes of the longest message
 * @size: receives its size
 *
 * Return: the contents with a zero byte behind them, for free(); NULL if there is none: the other
 * process has ended (@size is 0), or the message is longer (@size is larger than @most).
 */
void *limited_take(int socket, size_t most, size_t *size);

#endif /* HWFLOW_LIMITED_PROCESS_H */
