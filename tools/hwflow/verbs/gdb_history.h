/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last instructions of each thread, as gdb keeps a recording: blocks of consecutive
 * instructions. A history has no holes: what precedes a gap is dropped.
 */
#ifndef HWFLOW_VERBS_GDB_HISTORY_H
#define HWFLOW_VERBS_GDB_HISTORY_H

#include "execution.h"

struct hwf_image_file;
struct threads;

/**
 * struct gdb_block - instructions that follow each other in memory and in time
 * @begin: address of the first
 * @end: address of the last
 */
struct gdb_block {
	uint64_t begin;
	uint64_t end;
};

/**
 * struct gdb_mapping - part of a file, mapped where a thread executed instructions
 * @start: first address
 * @length: bytes
 * @offset: of the byte at @start, in @file
 * @executed: an address in it that was executed
 * @file: the file
 */
struct gdb_mapping {
	uint64_t start;
	uint64_t length;
	uint64_t offset;
	uint64_t executed;
	struct hwf_image_file *file;
};

/**
 * struct gdb_thread - history of a thread in the trace of one source
 * @tid: the thread; INPUT_ANY if the trace names none
 * @id: its number for gdb, which is not 0; after gdb_history_end()
 * @pid: its process; INPUT_ANY if it is not known
 * @source: the source
 * @piece: the piece of the last instruction
 * @timestamp: the last timestamp before the last instruction; 0 if there is none
 * @blocks: a ring
 * @room: blocks that @blocks has memory for
 * @first: number of the oldest block in @blocks
 * @count: blocks of the history
 * @given: blocks that were appended so far, including those that were dropped
 * @came: @given when the thread came to the CPU of @source for the last time
 * @comes: it comes to this CPU with its next instruction
 * @mappings: code of the history, in order of addresses
 * @mapping_count: how many
 * @mapping_room: elements that @mappings has memory for
 * @mapping: number of the mapping of the last range
 * @mapping_known: @mapping holds until the kernel runs
 * @isa: enum hwf_isa of the instructions
 * @after: address after the last instruction
 * @next: address of the next instruction, which was not executed, if @has_next
 * @has_next: @next is known
 * @fresh: the next instruction begins a block
 * @last: the exception after the last instruction, if @excepted
 * @excepted: there is one
 * @gaps: number of gaps before the last instruction
 * @begins: why no earlier instruction is in the history; NULL: the trace begins there
 * @ends: why the execution after the last instruction is not known; NULL: the trace ends
 */
struct gdb_thread {
	int32_t tid;
	uint32_t id;
	int32_t pid;
	const struct input_source *source;
	const struct input_piece *piece;
	uint64_t timestamp;
	struct gdb_block *blocks;
	size_t room;
	size_t first;
	size_t count;
	uint64_t given;
	uint64_t came;
	bool comes;
	struct gdb_mapping *mappings;
	size_t mapping_count;
	size_t mapping_room;
	size_t mapping;
	bool mapping_known;
	uint8_t isa;
	uint64_t after;
	uint64_t next;
	bool has_next;
	bool fresh;
	bool excepted;
	struct hwf_branch last;
	uint64_t gaps;
	const char *begins;
	const char *ends;
};

/**
 * struct gdb_history - histories of all threads of a recording
 * @limit: blocks of one thread, at most
 * @user: instructions of the kernel are left out
 * @blocks: memory of all rings, in blocks
 * @names: threads of the recording
 * @threads: by source and in the order of their first instructions; each has a history. After
 *	gdb_history_end() each thread is there once
 * @thread_count: how many
 * @thread_room: elements that @threads has memory for
 * @tree: the same by source and thread
 * @current: the thread on the CPU of the current source; NULL: none yet
 * @source: the current source
 * @source_gaps: number of gaps before its trace
 * @gaps: number of gaps so far
 * @reason: reason of the last one
 * @failed: no memory
 */
struct gdb_history {
	size_t limit;
	bool user;
	size_t blocks;
	const struct threads *names;
	struct gdb_thread **threads;
	size_t thread_count;
	size_t thread_room;
	void *tree;
	struct gdb_thread *current;
	const struct input_source *source;
	uint64_t source_gaps;
	uint64_t gaps;
	const char *reason;
	bool failed;
};

/**
 * gdb_history_sink() - what to call execution_run() with
 * @history: has @limit, @user and @names, and is zero otherwise
 */
struct execution_sink gdb_history_sink(struct gdb_history *history);

/**
 * gdb_history_end() - complete the histories, after execution_run()
 * @history: the histories
 *
 * A thread that ran on several CPUs has the history of the last one, from when it came there. The
 * next instruction, which gdb shows as the current one, becomes the end of the last block. Threads
 * without instructions are dropped; so are those that the trace does not name if it names others.
 *
 * Return: 0 or -ENOMEM.
 */
int gdb_history_end(struct gdb_history *history);

/** gdb_thread_name() - the name of a thread; "" if it is not known */
const char *gdb_thread_name(const struct gdb_history *history, const struct gdb_thread *thread);

/** gdb_thread_block() - a block; 0 is the oldest one */
const struct gdb_block *gdb_thread_block(const struct gdb_thread *thread, size_t number);

/**
 * gdb_thread_code() - the code at an address
 * @thread: the thread
 * @address: first address
 * @size: receives the number of bytes
 *
 * Return: NULL if the history has no code there.
 */
const uint8_t *gdb_thread_code(const struct gdb_thread *thread, uint64_t address, size_t *size);

/** gdb_history_drop() - drop the thread with a number, after gdb_history_end() */
void gdb_history_drop(struct gdb_history *history, size_t number);

/** gdb_history_free() - free what a history has */
void gdb_history_free(struct gdb_history *history);

#endif /* HWFLOW_VERBS_GDB_HISTORY_H */
