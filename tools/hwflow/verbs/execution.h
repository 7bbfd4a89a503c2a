/* SPDX-License-Identifier: GPL-2.0-only */
/* Program flow as branches: keeps the thread, and reports what is missing. */
#ifndef HWFLOW_VERBS_EXECUTION_H
#define HWFLOW_VERBS_EXECUTION_H

#include "decode/gaps.h"
#include "hwflow/branch.h"
#include "hwflow/image.h"
#include "source/input.h"

struct execution;
struct time_merge;

/**
 * struct execution_sink - who takes it
 * @branch: takes each branch; NULL: nobody
 * @range: takes each range of instructions executed; NULL: nobody
 * @summed: takes what was executed in @sum, in its order; set if @sum is
 * @gap: takes each gap, which is among those of the input already; NULL: nobody
 * @instrumentation: takes each Instrumentation element, after the branch before it; NULL: nobody
 * @counts: takes the counts of ranges and of the branches at their ends: before the present thread
 *	or piece changes, and at the end. With @branch and @range, too, one process decodes all.
 *	NULL: nothing is counted
 * @lines: the other functions write lines, which several processes may write; called where lines
 *	begin and the line before them is not known. NULL: the other functions write no lines
 * @sum: as hwf_branches.sum: @branch and @range do not take what is summed there; not used where a
 *	part is selected. NULL: they take everything
 * @merge: takes the lines; NULL: text_stdout() does
 * @order: indexes of the sources, in the order in which one process decodes them; NULL: all in
 *	their own order
 * @ctx: first argument of all
 */
struct execution_sink {
	void (*branch)(void *ctx, const struct execution *execution,
		       const struct hwf_branch *branch);
	void (*range)(void *ctx, const struct execution *execution,
		      const struct hwf_flow_range *range);
	void (*summed)(void *ctx, const struct execution *execution,
		       const struct hwf_branches_sum *sum);
	void (*gap)(void *ctx, const struct execution *execution, const struct gap *gap);
	void (*instrumentation)(void *ctx, const struct execution *execution,
				const struct hwf_ete_instrumentation *instrumentation);
	void (*counts)(void *ctx, const struct execution *execution,
		       const struct hwf_profile *profile);
	void (*lines)(void *ctx);
	struct hwf_branches_sum *sum;
	struct time_merge *merge;
	const size_t *order;
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
 * @cycles: sum of the cycle counts of the source, in all its pieces
 * @has_cycles: a source has had one
 * @branches: joins ranges to branches
 * @cut: what is selected of the piece; NULL: all of it
 * @profile: counts of the selected ranges of a piece; NULL: none was counted here yet
 * @walk: counts them
 * @held: instrumentation after a branch whose destination is not known yet
 * @held_count: items of @held
 * @held_room: items that @held has room for
 * @failed: memory ran out: counts are missing
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
	uint64_t cycles;
	bool has_cycles;
	struct hwf_branches branches;
	struct cut *cut;
	struct hwf_profile *profile;
	struct hwf_profile_walk walk;
	struct hwf_ete_instrumentation *held;
	size_t held_count;
	size_t held_room;
	bool failed;
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
 * execution_run() - decode all sources of an input
 * @execution: receives what is counted
 * @input: what to decode
 * @sink: who takes it
 *
 * Return: an enum exit_status: EXIT_GAPS if something was not known.
 */
int execution_run(struct execution *execution, struct input *input,
		  const struct execution_sink *sink);

/**
 * execution_run_part() - execution_run() of a part of a recording
 *
 * What is not known is a gap, also if a short part has no place where decoding can begin.
 *
 * Return: EXIT_GOOD, or an enum exit_status that ends the recording.
 */
int execution_run_part(struct execution *execution, struct input *input,
		       const struct execution_sink *sink);

#endif /* HWFLOW_VERBS_EXECUTION_H */
