/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * C++ names that may take long to make. The C++ library has no limit of its own, and cannot be
 * stopped in the middle of a name, so that a process makes the name, which the kernel stops. Each
 * name is a message in a socket, and so is the answer: a byte of enum answer, and the name.
 */
#include "demangle_process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/input_file.h"
#include "cli/message.h"

/* Processes that may be ended by a name */
#define PROCESSES 4u

/* CPU time of one process in microseconds, and what each name adds to it */
#define TIME           100000
#define TIME_OF_A_NAME 1000

/* Memory of one process beyond what hwflow has */
#define MEMORY (UINT64_C(32) << 20)

enum answer {
	NO_NAME,
	NAME,
	TOO_LONG,
};

/* the process */
static struct {
	pid_t owner; /* the process that has started it */
	pid_t pid;
	int socket;
	unsigned int started;
} demangler;

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

/* What is left of the time, and the time of a name; at its end the kernel ends the process. */
static void set_time(void)
{
	struct itimerval timer = {.it_value = {.tv_usec = 0}};

	getitimer(ITIMER_PROF, &timer);
	timer.it_interval = (struct timeval){.tv_usec = 0};
	timer.it_value.tv_usec += TIME_OF_A_NAME;
	if (timer.it_value.tv_sec || timer.it_value.tv_usec > TIME)
		timer.it_value = (struct timeval){.tv_usec = TIME};
	setitimer(ITIMER_PROF, &timer, NULL);
}

static void answer(int socket, char *text, const char *name, size_t most)
{
	const size_t length = name ? strlen(name) : 0;
	const enum answer kind = !name ? NO_NAME : length <= most ? NAME : TOO_LONG;

	text[0] = (char)kind;
	if (kind == NAME)
		memcpy(text + 1, name, length);
	if (send(socket, text, kind == NAME ? length + 1 : 1, MSG_NOSIGNAL) >= 0)
		return;
	/* the socket may not take as much in one message */
	text[0] = TOO_LONG;
	send(socket, text, 1, MSG_NOSIGNAL);
}

__attribute__((noreturn)) static void run(int socket, demangle_fn *function, size_t most)
{
	const struct itimerval timer = {.it_value = {.tv_usec = TIME}};
	const struct rlimit memory = {.rlim_cur = data_size() + MEMORY,
				      .rlim_max = data_size() + MEMORY};
	char *text = malloc((most > DEMANGLE_SYMBOL_MAX ? most : DEMANGLE_SYMBOL_MAX) + 1);
	int status;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPROF, SIG_DFL);
	signal(SIGINT, SIG_IGN);
	setrlimit(RLIMIT_DATA, &memory);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	setitimer(ITIMER_PROF, &timer, NULL);
	/* descriptors of the other process end when it closes them */
	dup2(socket, STDIN_FILENO);
	close_range(STDOUT_FILENO, ~0u, 0);
	while (text) {
		const ssize_t length = recv(STDIN_FILENO, text, DEMANGLE_SYMBOL_MAX, 0);
		char *name;

		if (length <= 0)
			break;
		text[length] = '\0';
		set_time();
		name = function(text, NULL, NULL, &status);
		answer(STDIN_FILENO, text, name, most);
		free(name);
	}
	_exit(0);
}

static void end(void)
{
	int status;

	close(demangler.socket);
	if (demangler.owner == getpid())
		waitpid(demangler.pid, &status, 0);
	demangler.pid = 0;
}

void demangle_process_end(void)
{
	if (demangler.pid)
		end();
	demangler.started = 0;
}

static bool start(demangle_fn *function, size_t most)
{
	int sockets[2];

	if (demangler.pid && demangler.owner == getpid())
		return true;
	/* that of the process which has started this one */
	if (demangler.pid)
		end();
	if (demangler.started == PROCESSES) {
		message_once("hwflow: some C++ names take too long to make; they are printed as "
			     "they are in the symbol table, as by --no-demangle");
		return false;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return false;
	demangler.started++;
	demangler.owner = getpid();
	demangler.socket = sockets[0];
	demangler.pid = fork();
	if (!demangler.pid)
		run(sockets[1], function, most);
	close(sockets[1]);
	if (demangler.pid > 0)
		return true;
	close(sockets[0]);
	demangler.pid = 0;
	return false;
}

char *demangle_in_process(demangle_fn *function, const char *symbol, size_t most, bool *too_long)
{
	const size_t length = strlen(symbol);
	char *text, *name = NULL;
	ssize_t size;

	if (length > DEMANGLE_SYMBOL_MAX || !start(function, most))
		return NULL;
	text = malloc(most + 1);
	if (!text)
		return NULL;
	size = send(demangler.socket, symbol, length, MSG_NOSIGNAL) < 0
		       ? 0
		       : recv(demangler.socket, text, most + 1, 0);
	if (size <= 0)
		end();
	*too_long = size > 0 && text[0] == TOO_LONG;
	if (size > 0 && text[0] == NAME)
		name = strndup(text + 1, (size_t)size - 1);
	free(text);
	return name;
}
