/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * C++ names that may take long to make. The C++ library has no limit of its own, and cannot be
 * stopped in the middle of a name, so that a process with limits makes the name. The answer to a
 * symbol is a byte of enum answer, and the name.
 */
#include "demangle_process.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/limited_process.h"
#include "base/message.h"

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

/* struct names - how the process makes names */
struct names {
	demangle_fn *function;
	size_t most;
};

static struct {
	struct limited_process process;
	unsigned int ended; /* processes that a name has ended */
} demangler;

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

static bool answer(int socket, char *text, const char *name, size_t most)
{
	const size_t length = name ? strlen(name) : 0;
	const enum answer kind = !name ? NO_NAME : length <= most ? NAME : TOO_LONG;

	text[0] = (char)kind;
	if (kind == NAME)
		memcpy(text + 1, name, length + 1);
	return limited_send(socket, text, kind == NAME ? length + 1 : 1);
}

static void run(int socket, const void *ctx)
{
	const struct names *names = ctx;
	char *text = malloc(names->most + 2), *symbol, *name;
	size_t size;
	int status;
	bool good = text;

	while (good && (symbol = limited_take(socket, DEMANGLE_SYMBOL_MAX, &size))) {
		set_time();
		name = names->function(symbol, NULL, NULL, &status);
		good = answer(socket, text, name, names->most);
		free(name);
		free(symbol);
	}
	free(text);
}

void demangle_process_end(void)
{
	limited_stop(&demangler.process);
	demangler.ended = 0;
}

static bool start(demangle_fn *function, size_t most)
{
	const struct names names = {function, most};
	const struct limited_task task = {
		.run = run, .ctx = &names, .memory = MEMORY, .time = TIME};

	if (demangler.ended < PROCESSES)
		return limited_start(&demangler.process, &task);
	message_once("hwflow: some C++ names take too long to make; they are printed as "
		     "they are in the symbol table, as by --no-demangle");
	return false;
}

char *demangle_in_process(demangle_fn *function, const char *symbol, size_t most, bool *too_long)
{
	const size_t length = strlen(symbol);
	char *text = NULL, *name = NULL;
	size_t size = 0;

	if (length > DEMANGLE_SYMBOL_MAX || !start(function, most))
		return NULL;
	if (limited_send(demangler.process.socket, symbol, length))
		text = limited_take(demangler.process.socket, most + 1, &size);
	if (!text || !size) {
		limited_stop(&demangler.process);
		demangler.ended++;
		free(text);
		return NULL;
	}
	*too_long = text[0] == TOO_LONG;
	if (text[0] == NAME)
		name = strdup(text + 1);
	free(text);
	return name;
}
