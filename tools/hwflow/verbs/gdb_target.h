/* SPDX-License-Identifier: GPL-2.0-only */
/* A recorded process as gdb sees it: a target that has stopped, and has a recording. */
#ifndef HWFLOW_VERBS_GDB_TARGET_H
#define HWFLOW_VERBS_GDB_TARGET_H

#include "base/text.h"
#include "gdb_files.h"
#include "gdb_history.h"
#include "gdb_packets.h"

struct gdb_target;

/** typedef gdb_put_document - append a document */
typedef void gdb_put_document(const struct gdb_target *target, struct text *text);

/**
 * struct gdb_document - the document that gdb reads, in parts
 * @put: what has written it; NULL: there is none
 * @thread: of this thread
 * @bytes: all of it
 * @size: how many bytes
 * @room: bytes that @bytes has memory for
 * @text: writes it
 */
struct gdb_document {
	gdb_put_document *put;
	const struct gdb_thread *thread;
	char *bytes;
	size_t size;
	size_t room;
	struct text text;
};

/**
 * struct gdb_target - a process
 * @history: its threads
 * @files: its files
 * @program: the one of them that is the program; NULL if it is not known
 * @thread: the thread that gdb looks at
 * @first: the thread that gdb looks at first
 * @document: the last document
 * @read: the thread whose recording gdb has read; NULL: none since it was last switched on
 */
struct gdb_target {
	const struct gdb_history *history;
	struct gdb_files files;
	const struct gdb_file *program;
	const struct gdb_thread *thread;
	const struct gdb_thread *first;
	struct gdb_document document;
	const struct gdb_thread *read;
};

/**
 * gdb_thread_signal() - the signal that ends a thread, as far as the trace tells
 * @thread: the thread
 *
 * Return: SIGSEGV, SIGBUS or SIGILL if the last event of the thread is an exception for which Linux
 * sends this signal, unless it resolves a page fault; else SIGTRAP.
 */
int gdb_thread_signal(const struct gdb_thread *thread);

/**
 * gdb_answer() - answer one request
 * @target: the process; @history, @thread and @first are set
 * @packets: the connection
 * @request: from gdb_receive()
 *
 * Return: false if gdb has ended the session.
 */
bool gdb_answer(struct gdb_target *target, struct gdb_packets *packets, const char *request);

/** gdb_target_free() - free the files and the document */
void gdb_target_free(struct gdb_target *target);

#endif /* HWFLOW_VERBS_GDB_TARGET_H */
