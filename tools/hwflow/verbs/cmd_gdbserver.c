// SPDX-License-Identifier: GPL-2.0-only
/* hwflow gdbserver: gdb steps backwards through the last instructions of a recorded process. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/print.h"
#include "commands.h"
#include "decode/gaps.h"
#include "gdb_documents.h"
#include "gdb_target.h"
#include "hwflow/ete.h"
#include "options.h"
#include "threads.h"

static const char usage[] =
	"usage: gdb-multiarch -ex 'target remote | hwflow gdbserver [OPTIONS] [SRC]'\n\n"
	"Lets gdb show the last instructions of a recorded process: gdb steps backwards from the\n"
	"end of the trace (reverse-stepi, reverse-step, reverse-continue) and lists what was\n"
	"executed (record function-call-history, record instruction-history). The code of the\n"
	"process is known, and no data: registers other than the program counter have no value.\n"
	"gdb starts this command, and talks to it by standard input and output.\n\n"
	"  --limit=N            the last N blocks of instructions of each thread, which gdb keeps\n"
	"                       in its memory; a block ends at a branch that was taken (default:\n"
	"                       100000)\n"
	"  -p, --pid=PID        the process, if the recording has several\n" SELECTION_HELP
		GAPS_HELP;

/* Blocks of a thread: gdb needs four seconds and 33 MB for them, of six instructions each */
#define DEFAULT_LIMIT 100000

/* Processes that are listed in a message */
#define MOST_LISTED 16

/**
 * struct server - state of the command
 * @history: histories of all threads, then of those of one process
 * @target: the process
 * @packets: the connection with gdb
 * @pid: --pid, or INPUT_ANY
 */
struct server {
	struct gdb_history history;
	struct gdb_target target;
	struct gdb_packets packets;
	int32_t pid;
};

static bool take_option(void *ctx, int value, const char *argument)
{
	struct server *server = ctx;
	size_t number;

	if (!verb_number("gdbserver", value == 'p' ? "pid" : "limit", argument, &number))
		return false;
	if (value == 'p') {
		server->pid = number > INT32_MAX ? INT32_MAX : (int32_t)number;
		return true;
	}
	server->history.limit = number;
	if (number < 2)
		print(stderr, "hwflow gdbserver: --limit=%s: 2 blocks, or more\n", argument);
	return number >= 2;
}

static const struct option longs[] = {
	GAPS_LONG_OPTIONS,
	SELECTION_LONG_OPTIONS,
	{"limit", required_argument, NULL, 'l'},
	{"pid", required_argument, NULL, 'p'},
	{NULL, 0, NULL, 0},
};

static const struct verb_options command_line = {
	.usage = usage, .wants = "SRC", .longs = longs, .take = take_option};

/* Is the end of this thread of more interest than that of another one? */
static bool is_before(const struct gdb_thread *thread, const struct gdb_thread *other)
{
	const bool ended = gdb_thread_signal(thread) != SIGTRAP;

	if (!other || ended != (gdb_thread_signal(other) != SIGTRAP))
		return !other || ended;
	if (thread->timestamp && other->timestamp)
		return thread->timestamp > other->timestamp;
	return thread->piece->time > other->piece->time;
}

/* The thread that gdb looks at first; NULL if there is none */
static const struct gdb_thread *first_thread(const struct gdb_history *history)
{
	const struct gdb_thread *first = NULL;

	for (size_t i = 0; i < history->thread_count; i++)
		if (is_before(history->threads[i], first))
			first = history->threads[i];
	return first;
}

static void list_processes(const struct gdb_history *history)
{
	size_t listed = 0;

	for (size_t i = 0; i < history->thread_count && listed < MOST_LISTED; i++) {
		const struct gdb_thread *thread = history->threads[i];
		bool seen = false;

		for (size_t j = 0; j < i; j++)
			seen |= history->threads[j]->pid == thread->pid;
		if (seen)
			continue;
		print(stderr, "  --pid=%-8d %s\n", (int)thread->pid,
		      gdb_thread_name(history, thread));
		listed++;
	}
}

/* Of several processes, the only one that was ended by an exception. 0 or an enum exit_status */
static int choose_process(struct server *server, const struct input *input)
{
	const struct gdb_history *history = &server->history;
	const struct gdb_thread *first = first_thread(history);
	bool several = false, unclear;

	if (server->pid != INPUT_ANY || !first)
		return 0;
	unclear = gdb_thread_signal(first) == SIGTRAP;
	server->pid = first->pid;
	for (size_t i = 0; i < history->thread_count; i++) {
		const struct gdb_thread *thread = history->threads[i];

		several |= thread->pid != first->pid;
		unclear |= thread->pid != first->pid && gdb_thread_signal(thread) != SIGTRAP;
	}
	if (!several || !unclear)
		return 0;
	input_error(input->path, UINT64_MAX, "has several processes; choose one:");
	list_processes(history);
	return EXIT_USAGE;
}

/* Keep the threads of the process, and of them those that gdb can show. */
static int keep_process(struct server *server, const struct input *input)
{
	bool other_code = false;

	for (size_t i = 0; i < server->history.thread_count;) {
		const struct gdb_thread *thread = server->history.threads[i];
		const bool known = gdb_isa_is_known(thread->isa);

		other_code |= !known && thread->pid == server->pid;
		if (known && thread->pid == server->pid)
			i++;
		else
			gdb_history_drop(&server->history, i);
	}
	if (server->history.thread_count)
		return 0;
	input_error(input->path, UINT64_MAX,
		    other_code ? "the process executes A32 or T32 code; this command knows A64 and "
				 "RISC-V"
		    : server->history.user
			    ? "no instruction of the process is known; those of the kernel are "
			      "left out"
			    : "no instruction of the process is known");
	return EXIT_UNREADABLE;
}

/* The program, if there is one file that can be it */
static const struct gdb_file *find_program(const struct gdb_files *files)
{
	const struct gdb_file *program = NULL;

	for (size_t i = 0; i < files->count; i++) {
		if (!files->items[i].is_program)
			continue;
		if (program)
			return NULL;
		program = &files->items[i];
	}
	return program;
}

static void report_exception(const struct gdb_target *target)
{
	const struct gdb_thread *thread = target->first;
	const int signal = gdb_thread_signal(thread);
	const char *name = gdb_thread_name(target->history, thread);

	if (signal == SIGTRAP)
		return;
	print(stderr,
	      "hwflow gdbserver: thread %u (%s): the trace ends with an exception (%s) at %#llx; "
	      "gdb shows it as SIG%s\n",
	      thread->id, name,
	      thread->last.is_trap ? "trap" : hwf_exception_name(thread->last.exception),
	      (unsigned long long)thread->next, sigabbrev_np(signal));
}

/* What gdb is told of the process; 0 or an enum exit_status */
static int prepare(struct server *server, const struct input *input)
{
	struct gdb_target *target = &server->target;
	int status = choose_process(server, input);
	int error = 0;

	if (!status)
		status = keep_process(server, input);
	if (status)
		return status;
	target->history = &server->history;
	target->first = target->thread = first_thread(&server->history);
	for (size_t i = 0; i < server->history.thread_count && !error; i++)
		error = gdb_files_add(&target->files, server->history.threads[i]);
	if (error) {
		input_error(input->path, UINT64_MAX, "out of memory");
		return EXIT_UNREADABLE;
	}
	target->program = find_program(&target->files);
	report_exception(target);
	return 0;
}

/* Decode all of it; 0, EXIT_GAPS, or another enum exit_status that ends the command */
static int decode(struct server *server, struct input *input)
{
	const struct execution_sink sink = gdb_history_sink(&server->history);
	struct execution execution;
	int status = execution_run(&execution, input, &sink);

	gaps_print(input->gaps);
	if (gdb_history_end(&server->history)) {
		input_error(input->path, UINT64_MAX, "out of memory");
		return EXIT_UNREADABLE;
	}
	return status;
}

static int serve(struct server *server, struct input *input)
{
	struct threads *names;
	const char *request;
	int status, error;

	if (threads_new(&names, input_recording(input))) {
		input_error(input->path, UINT64_MAX, "out of memory");
		return EXIT_UNREADABLE;
	}
	server->history.names = names;
	server->history.user = input_recording(input);
	status = decode(server, input);
	error = !status || status == EXIT_GAPS ? prepare(server, input) : status;
	gdb_busy(&server->packets, false);
	while (!error && (request = gdb_receive(&server->packets)))
		if (!gdb_answer(&server->target, &server->packets, request))
			break;
	gdb_target_free(&server->target);
	gdb_history_free(&server->history);
	threads_free(names);
	return error ? error : status;
}

/* 0, or an enum exit_status: standard input is no debugger */
static int check_connection(void)
{
	if (!isatty(STDIN_FILENO) && !isatty(STDOUT_FILENO))
		return 0;
	fputs("hwflow gdbserver: gdb starts this command: gdb-multiarch -ex 'target remote | "
	      "hwflow gdbserver SRC'\n",
	      stderr);
	return EXIT_USAGE;
}

/**
 * cmd_gdbserver() - hwflow gdbserver
 * @argc: words of @argv
 * @argv: the verb and what follows it
 *
 * Return: an enum exit_status.
 */
int cmd_gdbserver(int argc, char **argv)
{
	struct server *server = calloc(1, sizeof(*server));
	struct input_options options;
	struct input *input;
	int status;

	if (!server) {
		input_error("gdbserver", UINT64_MAX, "out of memory");
		return EXIT_UNREADABLE;
	}
	server->pid = INPUT_ANY;
	server->history.limit = DEFAULT_LIMIT;
	server->packets.in = STDIN_FILENO;
	server->packets.out = STDOUT_FILENO;
	input_options_init(&options);
	status = verb_parse(&command_line, argc, argv, &options, server);
	if (!status)
		status = check_connection();
	if (!status) {
		gdb_busy(&server->packets, true);
		status = input_open(&input, &options);
	}
	if (!status) {
		status = serve(server, input);
		input_close(input);
	}
	gdb_busy(&server->packets, false);
	free(server);
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
