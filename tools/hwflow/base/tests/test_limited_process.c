/* SPDX-License-Identifier: GPL-2.0-only */
/* A process with limits: messages, each way in which it ends, and who may use it. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/limited_process.h"

#define MEMORY (UINT64_C(64) << 20)

/* The answer is the request, with the word of the process before it */
static void answer(int socket, const void *ctx)
{
	char *request, text[64];
	size_t size;

	while ((request = limited_take(socket, 1 << 24, &size))) {
		if (size > sizeof(text)) {
			limited_send(socket, request, size);
		} else {
			snprintf(text, sizeof(text), "%s%.20s", (const char *)ctx, request);
			limited_send(socket, text, strlen(text));
		}
		free(request);
	}
}

static bool start(struct limited_process *process, void (*run)(int socket, const void *ctx),
		  const char *word)
{
	const struct limited_task task = {
		.run = run, .ctx = word, .memory = MEMORY, .time = 200000};

	return limited_start(process, &task);
}

static void expect(struct limited_process *process, const char *request, const char *wanted)
{
	size_t size;
	char *text;

	assert_true(limited_send(process->socket, request, strlen(request)));
	text = limited_take(process->socket, 100, &size);
	assert_non_null(text);
	assert_string_equal(text, wanted);
	assert_int_equal(size, strlen(wanted));
	free(text);
}

static void no_process_is_left(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void messages_have_any_size(void **state)
{
	struct limited_process process = {.pid = 0};
	const size_t large = 10000000;
	char *bytes = calloc(1, large), *back;
	size_t size;

	(void)state;
	assert_non_null(bytes);
	assert_true(start(&process, answer, "a"));
	expect(&process, "b", "ab");
	expect(&process, "", "a");
	bytes[large - 1] = 'x';
	assert_true(limited_send(process.socket, bytes, large));
	back = limited_take(process.socket, large, &size);
	assert_int_equal(size, large);
	assert_memory_equal(bytes, back, large);
	free(back);
	assert_true(limited_send(process.socket, bytes, 1000));
	assert_null(limited_take(process.socket, 999, &size));
	assert_int_equal(size, 1000);
	assert_int_equal(limited_stop(&process), LIMITED_STOPPED);
	assert_int_equal(limited_stop(&process), LIMITED_STOPPED);
	free(bytes);
	no_process_is_left();
}

static void spin(int socket, const void *ctx)
{
	(void)socket;
	(void)ctx;
	for (volatile unsigned int i = 0;; i++)
		;
}

static void use_0(int socket, const void *ctx)
{
	(void)socket;
	(void)ctx;
	raise(SIGSEGV);
}

/* As a library does that does not look at what malloc() returns */
static void use_all(int socket, const void *ctx)
{
	static volatile char *volatile kept;

	(void)socket;
	(void)ctx;
	while ((kept = malloc(1 << 16)))
		kept[0] = kept[1 << 15] = 1;
	raise(SIGSEGV);
}

static void say_no_memory(int socket, const void *ctx)
{
	(void)socket;
	(void)ctx;
	limited_no_memory();
}

static void abort_it(int socket, const void *ctx)
{
	(void)socket;
	(void)ctx;
	abort();
}

/* Opens a file, and writes to standard output and error; ends as if by a fault if one succeeds. */
static void open_files(int socket, const void *ctx)
{
	(void)socket;
	(void)ctx;
	_exit(open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0 || write(1, "x", 1) >= 0 ||
	      write(2, "x", 1) >= 0 || dup(0) >= 0);
}

static void the_reason_of_the_end_is_known(void **state)
{
	static const struct {
		void (*run)(int socket, const void *ctx);
		enum limited_end end;
	} ends[] = {{spin, LIMITED_NO_TIME},
		    {use_0, LIMITED_FAULT},
		    {say_no_memory, LIMITED_NO_MEMORY},
		    {abort_it, LIMITED_FAULT},
#ifndef __SANITIZE_ADDRESS__
		    {use_all, LIMITED_NO_MEMORY},
#endif
		    {open_files, LIMITED_STOPPED}};

	(void)state;
	(void)use_all;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct limited_process process = {.pid = 0};
		size_t size;

		assert_true(start(&process, ends[i].run, NULL));
		assert_null(limited_take(process.socket, 100, &size));
		assert_int_equal(size, 0);
		assert_int_equal(limited_stop(&process), ends[i].end);
		if (ends[i].end == LIMITED_NO_TIME)
			assert_in_range(process.used, 100000, 1000000);
		/* and it can be started again */
		assert_true(start(&process, answer, "c"));
		expect(&process, "d", "cd");
		limited_stop(&process);
	}
	no_process_is_left();
}

static void a_few_run_at_a_time(void **state)
{
	struct limited_process processes[20] = {{.pid = 0}};
	unsigned int running = 0;

	(void)state;
	for (unsigned int turn = 0; turn < 2; turn++)
		for (size_t i = 0; i < 20; i++) {
			assert_true(start(&processes[i], answer, "e"));
			expect(&processes[i], "f", "ef");
		}
	for (size_t i = 0; i < 20; i++)
		running += processes[i].pid != 0;
	assert_in_range(running, 4, 16);
	for (size_t i = 0; i < 20; i++)
		limited_stop(&processes[i]);
	no_process_is_left();
}

static void each_process_starts_its_own(void **state)
{
	struct limited_process process = {.pid = 0};
	int status;
	pid_t pid;

	(void)state;
	assert_true(start(&process, answer, "g"));
	expect(&process, "h", "gh");
	pid = fork();
	if (!pid) {
		const bool good = start(&process, answer, "i");

		expect(&process, "h", "ih");
		_exit(!good || limited_stop(&process) != LIMITED_STOPPED);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	expect(&process, "j", "gj");
	/* it ends also while another process has its socket */
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	assert_int_equal(limited_stop(&process), LIMITED_STOPPED);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	no_process_is_left();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_have_any_size),
		cmocka_unit_test(the_reason_of_the_end_is_known),
		cmocka_unit_test(a_few_run_at_a_time),
		cmocka_unit_test(each_process_starts_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
