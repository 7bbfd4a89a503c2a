/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading the ground-truth log; what is in it: truth_format.h. */
#ifndef HWFLOW_TRUTH_H
#define HWFLOW_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "hwflow/insn.h"
#include "truth_format.h"

/** TRUTH_MESSAGE - room for the longest message */
#define TRUTH_MESSAGE 512

/** enum truth_event_kind - what an event is */
enum truth_event_kind {
	TRUTH_EVENT_RUN,       /* u.run: instructions were executed */
	TRUTH_EVENT_EXCEPTION, /* u.exception */
	TRUTH_EVENT_GAP,       /* u.gap: enum truth_gap */
	TRUTH_EVENT_TIME,      /* u.time: nanoseconds of the monotonic clock */
	TRUTH_EVENT_CONTEXT,   /* u.context */
	TRUTH_EVENT_REMAP,     /* see TRUTH_REMAP */
	TRUTH_EVENT_PROGRAM,   /* u.time: the thread begins here, or another program in it */
	TRUTH_EVENT_ENABLED,   /* u.time: the trace unit was enabled, in ticks of its timestamps */
	TRUTH_EVENT_DISABLED,  /* u.time: it was disabled, likewise */
};

/**
 * struct truth_run - instructions executed one after the other
 * @pc: address of the first
 * @opcodes: theirs, and those of the rest of the block
 * @number: of the block they are of
 * @count: how many; may be 0
 * @block_count: how many the block has; the ones from @count on were not executed
 * @isa: enum hwf_isa
 * @size: bytes of each instruction; 0 where they are of several sizes, see truth_run_bytes()
 */
struct truth_run {
	uint64_t pc;
	const uint32_t *opcodes;
	uint32_t number;
	uint32_t count;
	uint32_t block_count;
	uint8_t isa;
	uint8_t size;
};

/** truth_run_bytes() - bytes of its first @count instructions; of one of them: truth_insn_size() */
uint64_t truth_run_bytes(const struct truth_run *run, uint32_t count);

/** truth_insn_size() - bytes of instruction number @i, of the block's, so that no end is in the way
 */
unsigned int truth_insn_size(const struct truth_run *run, uint32_t i);

/** truth_run_insn() - decode its first instruction, which it has; of an IT block nothing is known
 */
void truth_run_insn(const struct truth_run *run, struct hwf_insn *insn);

/**
 * struct truth_exception - an exception
 * @ret: preferred exception return address; of RISC-V the EPC
 * @value: of RISC-V: trap value, 0 where the program cannot tell
 * @type: enum hwf_exception; of RISC-V TRUTH_RV_EXCEPTION or TRUTH_RV_INTERRUPT and the cause
 */
struct truth_exception {
	uint64_t ret;
	uint64_t value;
	uint8_t type;
};

/** truth_exception_name() - name of an exception's type, of any architecture, perhaps with spaces
 */
const char *truth_exception_name(uint8_t type);

/** struct truth_context - as struct hwf_context, and the CPU, -1 where not known */
struct truth_context {
	uint32_t cid;
	uint32_t vmid;
	int32_t cpu;
	uint8_t el;
	uint8_t security;
};

/** struct truth_event - one event; @kind: enum truth_event_kind: which member of the union holds */
struct truth_event {
	uint8_t kind;
	union {
		struct truth_run run;
		struct truth_exception exception;
		struct truth_context context;
		uint64_t time;
		unsigned int gap;
	} u;
};

/** struct truth_thread - one thread; @pid: its process */
struct truth_thread {
	int32_t pid;
	int32_t tid;
};

/** struct truth - an open log */
struct truth;

struct truth_slot;

/**
 * truth_open() - open a log
 * @result: receives it
 * @path: of the file
 * @message: receives, on failure, one line that names file, offset, cause and remedy
 *
 * Return: 0 or a negative errno; -EINVAL for what is no log, or a damaged one.
 */
int truth_open(struct truth **result, const char *path, char message[TRUTH_MESSAGE]);

/**
 * truth_open_fd() - open a log that is open as a file
 * @result: receives it
 * @fd: the file; stays the caller's, and may be closed at once
 * @path: of the file, for messages
 * @message: as of truth_open()
 *
 * Return: as truth_open().
 */
int truth_open_fd(struct truth **result, int fd, const char *path, char message[TRUTH_MESSAGE]);

/**
 * truth_open_cut() - open a log that is being written
 * @result: receives it
 * @path: of the file
 * @whole: receives the bytes of the whole sections that it has
 * @message: as of truth_open()
 *
 * Return: as truth_open(), but a log that was cut is none the worse.
 */
int truth_open_cut(struct truth **result, const char *path, uint64_t *whole,
		   char message[TRUTH_MESSAGE]);

/** truth_close() - free everything; NULL is allowed */
void truth_close(struct truth *truth);

/** truth_threads() - how many threads there are */
size_t truth_threads(const struct truth *truth);

/** truth_thread() - thread number @index, in order of their beginning */
const struct truth_thread *truth_thread(const struct truth *truth, size_t index);

/** truth_cpus() - how many CPUs there are; none where the log does not say */
size_t truth_cpus(const struct truth *truth);

/** truth_cpu() - number of the CPU at @index; they ascend */
int32_t truth_cpu(const struct truth *truth, size_t index);

/** truth_find_cpu() - the index of the CPU with a number; -1 if there is none */
ptrdiff_t truth_find_cpu(const struct truth *truth, int32_t number);

/** truth_find() - the index of thread @tid; -1 if there is none */
ptrdiff_t truth_find(const struct truth *truth, int32_t tid);

/**
 * truth_blocks() - one more than the highest block number
 * @truth: the log
 *
 * For tables with an entry a block.
 */
uint32_t truth_blocks(const struct truth *truth);

/**
 * struct truth_cursor - where in a stream
 * @at: the next event
 * @end: of the stream
 * @time: of the last TRUTH_TIME
 * @next_pc: address after the last instruction executed
 * @isa: of that
 */
struct truth_cursor {
	const uint8_t *at;
	const uint8_t *end;
	uint64_t time;
	uint64_t next_pc;
	uint8_t isa;
};

/**
 * struct truth_reader - goes through the events of one thread, or of one CPU
 *
 * Fields are the reader's, but for @message: what is wrong, once truth_next() has
 * returned -EINVAL.
 */
struct truth_reader {
	const struct truth *truth;
	size_t stream;
	size_t end;
	bool by_cpu;
	struct truth_cursor cursor;
	const uint8_t *begin;
	const uint8_t *released;
	uint64_t before;
	const struct truth_slot *slot;
	uint64_t stamp;
	char message[TRUTH_MESSAGE];
};

/** truth_reader_init() - begin with the first event of thread number @thread */
void truth_reader_init(struct truth_reader *reader, const struct truth *truth, size_t thread);

/** truth_reader_init_cpu() - begin with the first event on the CPU at @index of truth_cpu() */
void truth_reader_init_cpu(struct truth_reader *reader, const struct truth *truth, size_t index);

/**
 * truth_next() - the next event
 * @reader: where
 * @event: receives it
 *
 * Return: 1; 0 at the end; -EINVAL where the log is damaged.
 */
int truth_next(struct truth_reader *reader, struct truth_event *event);

/**
 * truth_pass_blocks() - past blocks that were executed as a whole, up to the next other event
 * @reader: where
 * @steps: instructions at most; those that were passed are subtracted
 */
void truth_pass_blocks(struct truth_reader *reader, uint64_t *steps);

/**
 * truth_reader_receive() - take over a reader that another process has used
 * @reader: a copy of it. Both processes have the log since before they were two
 */
void truth_reader_receive(struct truth_reader *reader);

/** truth_has_block() - is a block of that number in the log? */
bool truth_has_block(const struct truth *truth, uint32_t number);

/** truth_part_bytes() - how much there is of part @part of thread @tid; 0 if there is none */
uint64_t truth_part_bytes(const struct truth *truth, int32_t tid, uint32_t part);

/** truth_bytes() - how much there is to read of all threads */
uint64_t truth_bytes(const struct truth *truth);

/** truth_reader_at() - how much of the thread or CPU was read */
uint64_t truth_reader_at(const struct truth_reader *reader);

/** truth_reader_thread() - thread that executed the last event; -1 before, and if the log has none
 */
int32_t truth_reader_thread(const struct truth_reader *reader);

/** truth_gap_name() - one word for an enum truth_gap */
const char *truth_gap_name(unsigned int gap);

/**
 * truth_print() - the log as text
 * @truth: the log
 * @thread: number of the thread
 * @out: where to
 * @message: receives what is wrong with a damaged log
 *
 * Return: 0; -EINVAL where the log is damaged, -EIO where @out takes no more.
 */
int truth_print(const struct truth *truth, size_t thread, FILE *out, char message[TRUTH_MESSAGE]);

#endif /* HWFLOW_TRUTH_H */
