/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Program flow as branches: joins each branch with the place it went to, keeps the address space
 * and the thread, and says what is missing.
 */
#ifndef HWFLOW_REPORT_EXECUTION_H
#define HWFLOW_REPORT_EXECUTION_H

#include "hwflow/image.h"
#include "input/gaps.h"
#include "input/input.h"

/** enum branch_kind - how execution went from one place to another */
enum branch_kind {
	BRANCH_START,       /* tracing begins; no from */
	BRANCH_CONDITIONAL, /* a branch with a condition, taken or not */
	BRANCH_JUMP,
	BRANCH_INDIRECT,
	BRANCH_CALL,
	BRANCH_INDIRECT_CALL,
	BRANCH_RETURN,
	BRANCH_EXCEPTION_RETURN,
	BRANCH_EXCEPTION, /* from: the instruction that called, or where it is to go on */
	BRANCH_KINDS,
};

/**
 * struct branch - execution went from one place to another
 * @offset: of the packet that told of it, in its piece
 * @from: the branch instruction; for BRANCH_EXCEPTION, see there
 * @to: the next instruction executed
 * @from_space: address space of @from
 * @to_space: address space of @to
 * @kind: enum branch_kind
 * @exception: enum hwf_exception, for BRANCH_EXCEPTION
 * @trap: the same of RISC-V, if @is_trap
 * @taken: else execution went on behind it
 * @has_from: @from is known
 * @is_trap: @trap holds, and not @exception
 * @has_to: @to is known: else tracing stopped, or cannot be followed
 */
struct branch {
	uint64_t offset;
	uint64_t from;
	uint64_t to;
	const struct hwf_image_space *from_space;
	const struct hwf_image_space *to_space;
	uint8_t kind;
	uint16_t exception;
	struct hwf_flow_trap trap;
	bool is_trap;
	bool taken;
	bool has_from;
	bool has_to;
};

struct execution;
struct time_merge;

/**
 * struct execution_sink - who takes it
 * @branch: takes each branch; NULL: nobody
 * @range: takes each range of instructions executed; NULL: nobody
 * @gap: takes each gap, which is among those of the input already; NULL: nobody
 * @counts: takes ranges and the branches at their ends many at a time, as counts of a graph, where
 *	that is possible: the other functions do not get those. NULL: each by itself
 * @lines: the other functions write lines, which several processes may write; called where lines
 *	begin and the line before them is not known. NULL: the other functions write no lines
 * @merge: takes the lines; NULL: text_stdout() does
 * @ctx: first argument of all
 */
struct execution_sink {
	void (*branch)(void *ctx, const struct execution *execution, const struct branch *branch);
	void (*range)(void *ctx, const struct execution *execution,
		      const struct hwf_flow_range *range);
	void (*gap)(void *ctx, const struct execution *execution, const struct gap *gap);
	void (*counts)(void *ctx, const struct execution *execution, const struct hwf_graph *graph);
	void (*lines)(void *ctx);
	struct time_merge *merge;
	void *ctx;
};

/**
 * struct execution - where we are in the trace of one source
 * @sink: who takes it
 * @input: what is decoded
 * @source: its source
 * @piece: and the piece of that
 * @code: of the piece
 * @space: current address space
 * @tid: current thread, or INPUT_ANY
 * @timestamp: the last one of the trace, in ticks; 0 before the first
 * @last: the last instruction executed
 * @after_last: the address after it
 * @pending: the last branch; its destination is the next instruction
 * @has_pending: there is one
 * @joined: the next instruction follows from what was before
 * @cut: what is selected of the piece; NULL: all of it
 */
struct execution {
	const struct execution_sink *sink;
	struct input *input;
	const struct input_source *source;
	const struct input_piece *piece;
	const struct hwf_code *code;
	const struct hwf_image_space *space;
	int32_t tid;
	uint64_t timestamp;
	uint64_t last;
	uint64_t after_last;
	struct branch pending;
	bool has_pending;
	bool joined;
	struct cut *cut;
};

struct threads;

/**
 * execution_process() - the process that is executed
 * @execution: where we are
 * @threads: threads of the recording
 *
 * Return: its number; INPUT_ANY where not known.
 */
int32_t execution_process(const struct execution *execution, const struct threads *threads);

/**
 * branch_of_insn() - a branch as far as the instruction says
 * @insn: the last of a range
 * @end: address behind it
 * @space: address space
 * @taken: it was taken
 *
 * Return: it; @kind is BRANCH_KINDS for what is no branch.
 */
struct branch branch_of_insn(const struct hwf_insn *insn, uint64_t end,
			     const struct hwf_image_space *space, bool taken);

/** branch_kind_name() - a word for an enum branch_kind */
const char *branch_kind_name(unsigned int kind);

/**
 * execution_run() - decode all sources of an input
 * @execution: receives what is counted
 * @input: what to decode
 * @sink: who takes it
 *
 * Return: an enum exit_status: EXIT_GAPS if something was not known.
 */
int execution_run(struct execution *execution, struct input *input,
		  const struct execution_sink *sink);

#endif /* HWFLOW_REPORT_EXECUTION_H */
