/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A profile: how often each block of a program was executed, and where its branches went. It is the
 * sum of a trace, in memory. Of the order of execution it has which block came first.
 */
#ifndef HWFLOW_PROFILE_H
#define HWFLOW_PROFILE_H

#include "hwflow/first.h"
#include "hwflow/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** struct hwf_profile - counts of blocks and edges; its members are the library's */
struct hwf_profile;

/**
 * struct hwf_profile_block - instructions that were executed one after the other
 * @start: address of the first
 * @end: address after the last
 * @space: address space, from hwf_code.space
 * @insn: the last instruction
 * @taken: how often the block was executed and its last instruction was taken; if the last
 *	instruction is no branch: how often it was executed as a P0 instruction
 * @not_taken: how often the block was executed otherwise
 * @diverted: of @taken: how often a direct branch went to another address than that in @insn,
 * because the code is not the code that was executed. A part of the counts may have @diverted
 * without its @taken.
 * @first: its first execution. Of parts, the earliest counts
 * @recordings: of a stored profile: in how many recordings the block was executed
 * @ranks: of a stored profile: the sum of its ranks in these. The block of a recording that was
 *	executed first has rank 1, the next new one rank 2
 * @instructions: number of instructions
 * @isa: enum hwf_isa
 * @p0: the last instruction is a P0 instruction; if not, an exception or the end of the code ended
 *	the block, and the outcome of a branch at its end is not known
 *
 * The same instruction may be in several blocks: a block begins wherever execution arrived.
 */
struct hwf_profile_block {
	uint64_t start;
	uint64_t end;
	const void *space;
	struct hwf_insn insn;
	uint64_t taken;
	uint64_t not_taken;
	uint64_t diverted;
	struct hwf_first first;
	uint64_t recordings;
	uint64_t ranks;
	uint32_t instructions;
	uint8_t isa;
	bool p0;
};

/**
 * struct hwf_profile_edge - a branch that was taken, and its destination
 * @from: address of the branch
 * @to: address of the next instruction that was executed
 * @from_space: address space of @from
 * @to_space: address space of @to
 * @count: how often; modulo 2^64 in parts, see @diverted of struct hwf_profile_block
 * @insn: the branch
 *
 * A branch that was taken has no edge where the trace does not show its destination. Exceptions
 * have no edges.
 */
struct hwf_profile_edge {
	uint64_t from;
	uint64_t to;
	const void *from_space;
	const void *to_space;
	uint64_t count;
	struct hwf_insn insn;
};

/** hwf_profile_new() - a profile without counts; NULL without memory */
struct hwf_profile *hwf_profile_new(void);

/** hwf_profile_free() - free a profile; NULL is allowed */
void hwf_profile_free(struct hwf_profile *profile);

/** hwf_profile_clear() - remove all counts; memory and timestamps are kept */
void hwf_profile_clear(struct hwf_profile *profile);

/**
 * struct hwf_profile_times - timestamps of the trace that is counted, in ticks; 0: there is none
 * @first: the first since hwf_profile_walk_init()
 * @last: the last so far
 */
struct hwf_profile_times {
	uint64_t first;
	uint64_t last;
};

/** hwf_profile_times() - timestamps of what is counted */
struct hwf_profile_times hwf_profile_times(const struct hwf_profile *profile);

/** hwf_profile_set_times() - timestamps of what was counted elsewhere and added */
void hwf_profile_set_times(struct hwf_profile *profile, const struct hwf_profile_times *times);

/**
 * hwf_profile_failed() - did memory run out?
 * @profile: the profile
 *
 * Return: true if counts are missing, until hwf_profile_clear().
 */
bool hwf_profile_failed(const struct hwf_profile *profile);

/**
 * hwf_profile_next_block() - iterate over the blocks
 * @profile: the profile
 * @at: 0 at first; the function changes it
 *
 * Blocks are returned in no order. The counts of one block may come in parts, of which the sum is
 * how often it was executed.
 *
 * Return: the block, valid until the profile changes; NULL after the last one.
 */
const struct hwf_profile_block *hwf_profile_next_block(const struct hwf_profile *profile,
						       size_t *at);

/**
 * hwf_profile_next_edge() - iterate over the edges
 * @profile: the profile
 * @at: 0 at first; the function changes it
 * @edge: receives the edge
 *
 * Edges are returned in no order. The count of one edge may come in parts: one for each block that
 * ends with its branch, for example.
 *
 * Return: false after the last edge.
 */
bool hwf_profile_next_edge(const struct hwf_profile *profile, size_t *at,
			   struct hwf_profile_edge *edge);

/** hwf_profile_add_block() - add the counts of a block, which may be in the profile already */
void hwf_profile_add_block(struct hwf_profile *profile, const struct hwf_profile_block *block);

/**
 * hwf_profile_add_edge() - add the count of an edge, which may be in the profile already
 * @profile: the profile
 * @edge: the edge; that of a direct branch to its target follows from a block, and is not added
 */
void hwf_profile_add_edge(struct hwf_profile *profile, const struct hwf_profile_edge *edge);

/** hwf_profile_edge_follows() - does an edge follow from the counts of its block? */
static inline bool hwf_profile_edge_follows(const struct hwf_profile_edge *edge)
{
	return edge->insn.kind == HWF_INSN_DIRECT && edge->to == edge->insn.target;
}

/**
 * struct hwf_profile_walk - execution that is counted, event by event
 * @profile: receives the counts
 * @code: the program; it is asked for address spaces only
 * @space: current address space
 * @last: the last range, if @has_branch
 * @last_space: its address space
 * @has_branch: @last ends with a branch that was taken; its destination is not known yet
 *
 * Members are the library's; a caller may read them.
 */
struct hwf_profile_walk {
	struct hwf_profile *profile;
	const struct hwf_code *code;
	const void *space;
	struct hwf_flow_range last;
	const void *last_space;
	bool has_branch;
};

/**
 * hwf_profile_walk_init() - begin a trace
 * @walk: to initialise
 * @profile: receives the counts; must outlive @walk
 * @code: the program; must outlive @walk
 */
void hwf_profile_walk_init(struct hwf_profile_walk *walk, struct hwf_profile *profile,
			   const struct hwf_code *code);

/**
 * hwf_profile_walk_push() - count one event; a hwf_flow_fn
 * @ctx: a struct hwf_profile_walk
 * @event: of a trace, all events in their order. HWF_FLOW_COUNTED is where execution continues:
 *	ranges that are counted elsewhere follow
 */
void hwf_profile_walk_push(void *ctx, const struct hwf_flow_event *event);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_PROFILE_H */
