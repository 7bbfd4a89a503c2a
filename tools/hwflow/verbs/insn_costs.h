/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time or cycles of instructions. What passes between two readings of the clock is divided among
 * the instructions that were executed between them, in equal parts. What passes while a thread is
 * not traced, and before the first reading after that, is charged to no instruction.
 */
#ifndef HWFLOW_VERBS_INSN_COSTS_H
#define HWFLOW_VERBS_INSN_COSTS_H

#include "insn_counts.h"
#include "measure.h"

/**
 * struct insn_costs - ranges that wait for the next reading
 * @measure: what is measured
 * @counts: receives the costs
 * @waiting: the ranges
 * @count: how many
 * @room: of @waiting
 * @instructions: of them all
 * @source: that they are of
 * @piece: likewise
 * @tid: likewise
 * @reading: what the clock says
 * @is_read: it was read since the thread is traced
 * @failed: memory ran out
 */
struct insn_costs {
	const struct measure *measure;
	struct insn_counts *counts;
	struct hwf_profile_block *waiting;
	size_t count;
	size_t room;
	uint64_t instructions;
	const struct input_source *source;
	const struct input_piece *piece;
	int32_t tid;
	uint64_t reading;
	bool is_read;
	bool failed;
};

/** insn_costs_branch() - take a branch; as branch of struct execution_sink, likewise the next one
 */
void insn_costs_branch(struct insn_costs *costs, const struct execution *execution,
		       const struct hwf_branch *branch);

/** insn_costs_range() - take a range of instructions */
void insn_costs_range(struct insn_costs *costs, const struct execution *execution,
		      const struct hwf_flow_range *range);

/** insn_costs_free() - free what they have */
void insn_costs_free(struct insn_costs *costs);

#endif /* HWFLOW_VERBS_INSN_COSTS_H */
