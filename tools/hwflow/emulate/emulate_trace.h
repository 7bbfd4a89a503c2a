/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow emulate: each thread through a trace unit of its own. */
#ifndef HWFLOW_EMULATE_TRACE_H
#define HWFLOW_EMULATE_TRACE_H

#include "emulate.h"

/** struct session - one session of a thread: a part of its trace */
struct session {
	uint64_t offset;
	uint64_t size;
	uint64_t time;
};

/**
 * struct traced - what one thread was traced to
 * @pid: process
 * @tid: thread
 * @parent_pid: who made it
 * @parent_tid: likewise
 * @forked: its FORK is among the happenings
 * @begun: when its first stream began
 * @start: when the thread began
 * @end: when it ended
 * @parts: streams of it so far
 * @file: of the trace; NULL where it is not open
 * @path: of the trace
 * @size: bytes of it
 * @sessions: they
 * @session_count: how many
 * @session_room: room for how many
 * @encoder: NULL where the thread has ended; likewise @riscv
 * @riscv: of a RISC-V program
 * @sink: of the encoder
 */
struct traced {
	int32_t pid;
	int32_t tid;
	int32_t parent_pid;
	int32_t parent_tid;
	bool forked;
	uint64_t begun;
	uint64_t start;
	uint64_t end;
	uint32_t parts;
	FILE *file;
	char *path;
	uint64_t size;
	struct session *sessions;
	size_t session_count;
	size_t session_room;
	struct encoder *encoder;
	struct encoder_riscv *riscv;
	struct encode_sink sink;
};

/**
 * struct tracer - all threads of a run
 * @run: of them
 * @options: of the trace
 * @threads: they
 * @count: how many
 * @totals: of all
 */
struct tracer {
	const struct run *run;
	const struct emulate_options *options;
	struct traced **threads;
	size_t count;
	struct encode_totals totals;
};

/** tracer_thread() - thread @tid of @pid; one that is new began at @begun; NULL without memory */
struct traced *tracer_thread(struct tracer *tracer, int32_t pid, int32_t tid, uint64_t begun);

/** tracer_event() - the next event of a thread; 0 or an exit status */
int tracer_event(struct tracer *tracer, struct traced *traced, const struct truth_event *event);

/**
 * tracer_blocks() - as encoder_blocks(), as far as there is an encoder that can; 0 or an exit
 * status
 */
int tracer_blocks(struct traced *traced, struct truth_cursor *cursor, const uint8_t *until);

/** tracer_end() - the thread has ended; 0 or an exit status */
int tracer_end(struct tracer *tracer, struct traced *traced);

/** tracer_sort() - in order of their beginning */
void tracer_sort(struct tracer *tracer);

/** tracer_free() - free everything */
void tracer_free(struct tracer *tracer);

#endif /* HWFLOW_EMULATE_TRACE_H */
